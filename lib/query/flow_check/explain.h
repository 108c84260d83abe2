/* Why a recorded run differs from what the source says, as far as counts tell. */
#pragma once

struct ml_arena;
struct ml_experiment;
struct ml_flow;
struct ml_flow_check_row;
struct ml_flow_counts;

/* Sets `why` and as_predicted of a row; texts are from the arena. */
void ml_flow_check_explain(struct ml_arena *a, struct ml_flow_check_row *r,
			   const struct ml_flow *f, const struct ml_flow_counts *c,
			   const struct ml_experiment *x);
