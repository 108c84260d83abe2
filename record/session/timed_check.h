/*
 * Are timed loads right on this machine? Chases (chase.h) of sizes between L1 and memory
 * are timed and judged by a calibration, as the loads of a program are. The size of a
 * chase says which level serves it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/samples/timed_ref.h"

struct ml_arena;
struct ml_err;

enum {
	ML_TIMED_CHECK_ROWS = 10,
	ML_TIMED_CHECK_SURE = 80, /* percent of the loads of each chase */
};

struct ml_timed_check_row {
	uint64_t bytes;
	bool large_pages; /* the system was asked for them */
	bool flushed;     /* before each load, so that memory serves it for sure */
	uint32_t level;   /* that the bytes fit, of the calibration */
	uint64_t said[ML_TIMED_LEVELS_MAX]; /* loads that were said to be of this level */
	uint64_t several;                   /* of one of several */
	uint64_t interrupted;
	uint64_t loads;
	uint64_t right; /* the level is one of those that were said */
	uint64_t near;  /* the same, or the level is next to them */
};

struct ml_timed_check {
	struct ml_timed_check_row rows[ML_TIMED_CHECK_ROWS];
	size_t count;
};

/* Takes a few seconds. */
bool ml_timed_check(struct ml_timed_check *k, const struct ml_calibration *c,
		    struct ml_err *err);
/* Whether enough loads of each chase were said to be of the right level or one next to
 * it. */
bool ml_timed_check_passes(const struct ml_timed_check *k);
