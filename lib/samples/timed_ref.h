/*
 * What timed loads measure: one access of the program (record/runtime/timed.c), and the
 * calibration that its time is judged by (record/session/calibrate.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_timed_ref {
	uint64_t clock;         /* time stamp counter before the load */
	uint64_t ticks;         /* of the load, with the cost of the measurement */
	uint32_t before, after; /* CPU before and after the load */
};

enum { ML_TIMED_LEVELS_MAX = 5, ML_CALIBRATED_MAX = 2 * ML_TIMED_LEVELS_MAX };

/* Measured loads of one kind: a level served them, with or without misses of the TLB. */
struct ml_calibrated {
	char name[8];    /* of the level: "L1", "RAM" */
	uint32_t level;  /* from near to far, from 0 */
	bool misses_tlb; /* the processor walked the page tables for each load */
	uint64_t size;   /* bytes of the cache; 0: memory */
	uint64_t chased; /* bytes of the lines that were walked over */
	uint64_t *ticks; /* of each load, with the cost of the measurement; sorted */
	size_t count;    /* at least 1 */
	double mean;     /* of the middle nine tenths of ticks */
};

static inline uint64_t ml_calibrated_percentile(const struct ml_calibrated *x,
						unsigned percent)
{
	return x->ticks[(x->count - 1) * percent / 100];
}

struct ml_calibration {
	struct ml_calibrated kind[ML_CALIBRATED_MAX]; /* by level, without misses first */
	size_t kinds, levels;                         /* the last level is memory */
	double empty;     /* mean ticks of a measurement without a load */
	double cost;      /* ticks that a program loses by a measurement without a load */
	uint64_t step;    /* ticks by which the clock moves */
	double per_ns;    /* ticks of the clock */
	uint64_t slowest; /* ticks; more than this is no access but an interruption */
};
