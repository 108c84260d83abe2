/*
 * A walk over a window of a simulation, in simulated order: references with their
 * regions, places and outcomes, in batches. Many walks may go on at once. The cost is
 * that of decoding the window; where references are interleaved, from the last
 * checkpoint before it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/replay.h"
#include "lib/base/err.h"

struct ml_desk_sim;

enum {
	ML_WALK_OUTCOMES = 1, /* outcome of each, from the result */
	ML_WALK_PLACES = 2,   /* block and offset of each */
};

struct ml_walk_events {
	struct ml_events e; /* replay is NULL; outcome too, unless wanted */
	/* With ML_WALK_PLACES: block as in struct ml_place, offset as ml_desk_offset. */
	const uint64_t *block, *offset;
};

/* False to stop the walk: with err->kind ML_OK it has ended well. */
typedef bool ml_walk_fn(void *arg, const struct ml_walk_events *w, struct ml_err *err);

/* Positions [from, to), cut at the end. */
bool ml_walk(struct ml_desk_sim *s, uint64_t from, uint64_t to, unsigned want,
	     ml_walk_fn *fn, void *arg, struct ml_err *err);

/*
 * The same for who looks at one region only: stretches in which it is not touched are
 * left out where that is known, and block and offset are right for its references only.
 * Several times as fast.
 */
bool ml_walk_region(struct ml_desk_sim *s, uint32_t region, uint64_t from, uint64_t to,
		    unsigned want, ml_walk_fn *fn, void *arg, struct ml_err *err);
