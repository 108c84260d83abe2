/* The references of a trace that belong to the loops of a flow, counted by loop and
 * region, with the level of a machine that serves each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/query/flow_check/check_rows.h"

struct ml_flow;
struct ml_region_lookup;
struct ml_trace;
struct ml_work;

struct ml_recorded_cell {
	uint32_t loop, region;
	struct ml_flow_check_side count;
};

struct ml_recorded_loops {
	struct ml_recorded_cell *cell;
	size_t count, cap;
	struct ml_region_lookup *lookup; /* of the trace, for names */
};

bool ml_recorded_loops_run(struct ml_recorded_loops *r, const struct ml_flow *f,
			   const struct ml_machine *m, struct ml_trace *t,
			   const struct ml_work *work, struct ml_err *err);
void ml_recorded_loops_release(struct ml_recorded_loops *r);
