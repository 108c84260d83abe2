/*
 * The level of memory that served a load, from the time that it took. Of each level there
 * are measured times of loads that it served (struct ml_calibration). A time belongs to
 * the level under whose measured times it is most likely: most of the nearest measured
 * times are of this level. Where two levels take the same time the answer is both. What
 * takes longer than most loads from memory comes from memory.
 * Held by tests/samples/test_timed_level.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/samples/timed_ref.h"

struct ml_arena;
struct ml_err;

enum { ML_TIMED_SURE = 75 /* percent of the votes that an answer needs */ };

struct ml_timed_levels {
	struct ml_timed_vote {
		uint64_t ticks;
		uint32_t level;
		bool misses_tlb;
	} * votes; /* sorted by ticks */
	size_t count, levels;
	size_t nearest;      /* votes that are asked, at least */
	uint64_t memory;     /* ticks; longer loads come from memory */
	uint32_t told_apart; /* a bit a level: measured with and without misses of the TLB
			      */
	const char *names[ML_TIMED_LEVELS_MAX];
};

/*
 * Can loads be told apart by these times? False: the levels are out of order, or a cache
 * seems as slow as memory; the sentence has the numbers and what they mean.
 */
bool ml_calibration_check(const struct ml_calibration *c, struct ml_err *err);
/*
 * Leaves out what another level served: a chase through a cache finds some of its lines
 * in the cache before, and others have gone to memory. Where the times of two caches
 * overlap nobody knows which loads those are, and all stay. Kinds that miss the TLB and
 * are no slower than those that hit it go.
 */
void ml_calibration_trim(struct ml_calibration *c);
/* Sets the mean. */
void ml_calibrated_mean(struct ml_calibrated *x);

/* Refers to the names in the calibration. */
void ml_timed_levels_init(struct ml_timed_levels *t, const struct ml_calibration *c,
			  struct ml_arena *a);

enum ml_timed_tlb { ML_TIMED_TLB_UNKNOWN, ML_TIMED_TLB_HIT, ML_TIMED_TLB_MISS };

struct ml_timed_level {
	uint8_t first, last; /* levels: the fewest neighbours with enough votes */
	uint8_t tlb;         /* enum ml_timed_tlb */
};
struct ml_timed_level ml_timed_levels_find(const struct ml_timed_levels *t,
					   uint64_t ticks);
/* The name of the levels: "L1", "L1 or L2", "L1, L2 or L3". */
const char *ml_timed_level_name(const struct ml_timed_levels *t,
				struct ml_timed_level level, struct ml_arena *a);
