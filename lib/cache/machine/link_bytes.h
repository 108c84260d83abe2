/*
 * The bytes that crossed the link between a level and the next one outwards, from the
 * counters of a simulation that began with empty caches.
 *
 * Lines come over a link for the level within it, which then counts a fill, or pass an
 * exclusive level, which takes no lines from further out. Data go out as dirty lines, as
 * writes that a level passes on, and, where the next level is exclusive, as all victims.
 *
 * Held by tests/cache/test_sim.c and test_sim_cores.c.
 */
#pragma once

#include <stdint.h>

#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"

struct ml_link_bytes {
	uint64_t in, out;
};

/* counts[level] belong to that level, from 1; counts[0] to L1i, if there is one. */
struct ml_link_bytes ml_link_bytes(const struct ml_machine *m,
				   const struct ml_level_counts *const *counts,
				   unsigned level);
