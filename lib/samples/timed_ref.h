/*
 * What timed loads measure: one access of the program (record/runtime/timed.c), and the
 * calibration that its time is judged by (record/session/calibrate.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_timed_ref {
	uint64_t clock;         /* time stamp counter before the load */
	uint64_t ticks;         /* of the load, with the cost of the measurement */
	uint32_t before, after; /* CPU before and after the load */
};

enum { ML_CALIBRATED_MAX = 5 }; /* caches, and memory */

struct ml_calibrated {
	char name[8];    /* "L1", "RAM" */
	uint64_t size;   /* bytes of the cache; 0: memory */
	uint64_t chased; /* bytes of the array that was walked over */
	uint64_t *ticks; /* of each load, with the cost of the measurement; sorted */
	size_t count;
	double mean; /* of ticks, without that cost; 0 at least */
};

struct ml_calibration {
	struct ml_calibrated level[ML_CALIBRATED_MAX]; /* from near to far */
	size_t levels;
	double empty;     /* mean ticks of a measurement without a load */
	uint64_t step;    /* ticks by which the clock moves */
	double per_ns;    /* ticks of the clock */
	uint64_t slowest; /* ticks; more than this is no access but an interruption */
};
