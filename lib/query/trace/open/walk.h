/*
 * A walk over a window of a simulation, in simulated order: references with their
 * regions, places and outcomes, in batches. Many walks may go on at once. The cost is
 * that of decoding the window; where threads are interleaved, of decoding the blocks that
 * it touches (merged.h), unless an earlier walk has just done so.
 * Held by tests/flow/test_walk.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/passes/replay.h"
#include "lib/base/err.h"

struct ml_work;
struct ml_open_sim;

enum {
	ML_WALK_OUTCOMES = 1, /* outcome of each, from the result */
	ML_WALK_PLACES = 2,   /* block and offset of each */
	ML_WALK_BEYOND = 8, /* cycles of each beyond its serving level, from the result */
	ML_WALK_ALL = 4,    /* of ml_walk_regions: what touches none of them too */
};

struct ml_walk_events {
	struct ml_events e; /* replay is NULL; outcome too, unless wanted */
	/* With ML_WALK_PLACES: block as in struct ml_place, offset as
	 * ml_open_trace_offset. */
	const uint64_t *block, *offset;
	const int32_t *beyond; /* with ML_WALK_BEYOND; else NULL */
};

/* False to stop the walk: with err->kind ML_OK it has ended well. */
typedef bool ml_walk_fn(void *arg, const struct ml_walk_events *w, struct ml_err *err);

/* Positions [from, to), cut at the end; fails with ML_STOPPED when the work, which may be
 * NULL, is cancelled. */
bool ml_walk(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
	     uint64_t to, unsigned want, ml_walk_fn *fn, void *arg, struct ml_err *err);

/*
 * The same for a caller that looks at some regions only, several times as fast: the walk
 * leaves out stretches that are known not to touch these regions, and block and offset
 * are right for the references of these regions only.
 */
bool ml_walk_regions(struct ml_open_sim *s, const struct ml_work *work,
		     const uint32_t *regions, size_t count, uint64_t from, uint64_t to,
		     unsigned want, ml_walk_fn *fn, void *arg, struct ml_err *err);
bool ml_walk_region(struct ml_open_sim *s, const struct ml_work *work, uint32_t region,
		    uint64_t from, uint64_t to, unsigned want, ml_walk_fn *fn, void *arg,
		    struct ml_err *err);
