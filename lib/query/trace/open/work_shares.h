/*
 * A window shared between threads. Each thread has a worker of its own; the caller puts
 * their results together afterwards. Either each worker gets one stretch of the window;
 * or, for a first impression, the workers take pieces spread over the window until the
 * time is over.
 * Held by tests/query/test_work_shares.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum { ML_WORK_SHARES_MAX = 16 };

struct ml_work_shares {
	uint64_t from, to; /* positions */
	unsigned hurry;    /* milliseconds for a first impression; 0: the workers see the
			      whole window */
	unsigned workers;  /* threads; 0: as many as pay */
};

/* How many workers there are to be, 1 to ML_WORK_SHARES_MAX. */
size_t ml_work_shares_count(const struct ml_work_shares *x);

/*
 * A worker walks over [from, to). For a first impression it is called for one piece after
 * another, in any order.
 */
typedef bool ml_work_share_fn(void *worker, uint64_t from, uint64_t to,
			      struct ml_err *err);

/* Fails with the error of the first worker that failed. */
bool ml_work_shares_run(const struct ml_work_shares *x, void *const *workers,
			size_t count, ml_work_share_fn *fn, struct ml_err *err);
