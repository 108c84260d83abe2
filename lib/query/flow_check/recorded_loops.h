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

/* The loop that the references of an access's line count for: a line in the head of a loop
 * stands in front of the loop and in it, and the trace does not say which it is. */
uint32_t ml_recorded_loops_of(const struct ml_flow *f, uint32_t node, size_t access);
bool ml_recorded_loops_run(struct ml_recorded_loops *r, const struct ml_flow *f,
			   const struct ml_machine *m, struct ml_trace *t,
			   const struct ml_work *work, struct ml_err *err);
void ml_recorded_loops_release(struct ml_recorded_loops *r);
