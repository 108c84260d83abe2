/*
 * Counts references without a simulation: one pass over a trace counts the references of
 * every combination of site, caller and region that occurs, and the footprint of each
 * region. Tables by line, function or region are sums over these cells.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/analyse/passes/footprint.h"

struct ml_trace;
struct ml_region_lookup;

struct ml_tally_cell {
	uint32_t site, caller, region;
	uint64_t count[4]; /* by enum ml_kind */
	uint64_t first;    /* time of the first of them */
	struct ml_touch touch;
};

struct ml_tally {
	struct ml_tally_cell **cells; /* in the order of their first reference */
	size_t count, cap;
	uint64_t *threads; /* references by thread, 65536 of them */
	uint32_t regions;  /* how many region numbers there are, with those of the region
			      lookup */
	uint64_t *region_lines; /* distinct lines by region */
	/* the addresses between which it was touched */
	uint64_t *region_low, *region_high;
	struct ml_footprint_size total;
	struct ml_arena arena; /* owns the cells */
};

/* lookup belongs to t and is moved to the end of the trace. */
bool ml_tally_run(struct ml_tally *tally, struct ml_trace *t,
		  struct ml_region_lookup *lookup, const struct ml_work *work,
		  struct ml_err *err);
void ml_tally_release(struct ml_tally *tally);
