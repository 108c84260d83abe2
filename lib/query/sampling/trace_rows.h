/*
 * Rows of a sample table out of references of a trace: thread, source line, function,
 * instruction, address, variable, index within it, phase and state variables. What the
 * reference cost is added by others (simulated_samples.h, timed_samples.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/user_lines.h"
#include "lib/base/err.h"
#include "lib/base/map.h"
#include "lib/samples/samples.h"
#include "lib/trace/ref.h"

struct ml_region_lookup;
struct ml_trace;

struct ml_trace_rows {
	struct ml_samples *s;
	struct ml_trace *t;
	struct ml_region_lookup *lookup;
	struct ml_user_lines lines;
	size_t thread, file, line, function, ip, kind, size, address, variable, index;
	size_t axis[3]; /* place in a region of several dimensions, fastest first */
	bool has_axes, has_phase;
	size_t phase;
	struct ml_trace_phase {
		uint32_t name;
		uint16_t thread;
	} * open; /* phases that have begun and not ended */
	size_t open_count, open_cap;
	struct ml_map values; /* of states, by name and thread */
	struct ml_trace_state {
		uint32_t name; /* of the tables */
		size_t column;
	} * states;
	size_t state_count, state_cap;
	size_t next_mark, next_state; /* in the tables */
};

/* Adds the columns. Fails if the allocations in the trace are damaged. */
bool ml_trace_rows_init(struct ml_trace_rows *r, struct ml_samples *s, struct ml_trace *t,
			struct ml_err *err);
/* Fills the row of a reference. Times must not decrease. */
void ml_trace_rows_put(struct ml_trace_rows *r, uint64_t row, const struct ml_ref *ref);
void ml_trace_rows_release(struct ml_trace_rows *r);
