/*
 * The level of memory that served a load, from the time that it took. Of each level there
 * are measured times of loads that it served; a time belongs to the level that most of
 * the nearest measured times are of. The clock may be too coarse to tell neighbouring
 * levels apart: then the answer is several levels.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_arena;

enum {
	ML_TIMED_LEVELS_MAX = 5,
	ML_TIMED_SURE = 75 /* percent of the votes that an answer needs */
};

struct ml_timed_levels {
	struct ml_timed_vote {
		uint64_t ticks;
		uint32_t level;
	} * votes; /* sorted by ticks */
	size_t count, levels;
	size_t nearest; /* votes that are asked, at least */
};

/* ticks[i] has count[i] measured times of level i, from near to far. */
void ml_timed_levels_init(struct ml_timed_levels *t, const uint64_t *const *ticks,
			  const size_t *count, size_t levels, struct ml_arena *a);

struct ml_timed_level {
	uint8_t first, last; /* levels: the fewest neighbours with enough votes */
};
struct ml_timed_level ml_timed_levels_find(const struct ml_timed_levels *t,
					   uint64_t ticks);
/* The name of levels, out of those of each: "L1", "L1 or L2", "L1, L2 or L3". */
const char *ml_timed_level_name(struct ml_timed_level level, const char *const *names,
				struct ml_arena *a);
