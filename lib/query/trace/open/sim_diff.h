/*
 * Two simulations of the same references in the same order, reference by reference:
 * which of the two served each from nearer. The outcomes of both are compared once;
 * counts of bins of 2^10 references, 4 bytes each, stay attached to the first simulation
 * for the pairs that were asked for last. Ends of windows that cut bins are compared
 * anew, so that all counts are exact.
 *
 * A level is as near as its number; memory is farther than every cache, whatever
 * number it has in each of the machines.
 * Held by tests/query/test_sim_diff.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_work;
struct ml_open_sim;

enum { ML_SIM_DIFF_BITS = 10, ML_SIM_DIFF_MEMORY = 15 };

/* Serving level of an outcome where memory is the last of `levels` + 1. */
static inline unsigned ml_sim_diff_level(uint16_t outcome, unsigned levels)
{
	unsigned served = outcome & 15;

	return served > levels ? ML_SIM_DIFF_MEMORY : served;
}

/* Do both simulations have the same references at the same positions? */
bool ml_sim_diff_paired(const struct ml_open_sim *a, const struct ml_open_sim *b);

/*
 * References of [from, to) that a, or b, served from nearer, in cells of 2^bits
 * references of which the first starts at `first`, at or before from. Adds to the
 * counts. Both are ready and paired; work may be NULL.
 */
struct ml_sim_diff_cells {
	uint64_t first;
	unsigned bits;
	double *nearer_a, *nearer_b;
};
bool ml_sim_diff_count(struct ml_open_sim *a, struct ml_open_sim *b,
		       const struct ml_work *work, uint64_t from, uint64_t to,
		       const struct ml_sim_diff_cells *c, struct ml_err *err);

/*
 * The first position from `at` on, or the last one before it, at which they differ;
 * UINT64_MAX: there is none.
 */
bool ml_sim_diff_find(struct ml_open_sim *a, struct ml_open_sim *b,
		      const struct ml_work *work, uint64_t at, bool back, uint64_t *found,
		      struct ml_err *err);
