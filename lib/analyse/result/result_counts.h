/*
 * Counts of a window of a result (result.h) by site and by region.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/profile_counts.h"

struct ml_arena;
struct ml_err;
struct ml_result;
struct ml_trace;

/*
 * References by site or by region, and by serving level, in order of the number.
 * References of a library count for the site of the user's line that called it.
 */
struct ml_result_counts {
	uint64_t from, to; /* the positions that are counted: whole blocks, and edges
			      where possible */
	struct ml_result_count {
		uint32_t id;
		uint64_t served[ML_SERVED];
	} * at;
	size_t count, cap;
};
/*
 * Counts the blocks that lie within [from, to); the end of the result ends a block too.
 * For sites the edges are counted as well, so that the window is exact, if the trace is
 * given and references were simulated as recorded. (Not for regions: their numbers follow
 * from a walk over the whole trace.) Rows live in a.
 */
bool ml_result_sites(struct ml_result *r, const struct ml_trace *t, uint64_t from,
		     uint64_t to, struct ml_result_counts *c, struct ml_arena *a,
		     struct ml_err *err);
bool ml_result_regions(struct ml_result *r, uint64_t from, uint64_t to,
		       struct ml_result_counts *c, struct ml_arena *a,
		       struct ml_err *err);
