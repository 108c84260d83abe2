/* What an experiment with a flow found, as tables of text. */
#pragma once

struct ml_buf;
struct ml_experiment;

void flow_show(const struct ml_experiment *x, struct ml_buf *out);
