/* A flow compared with a trace, as a table of text. */
#pragma once

struct ml_buf;
struct ml_flow;
struct ml_flow_check;

void flow_check_show(const struct ml_flow_check *k, const struct ml_flow *f,
		     struct ml_buf *out);
