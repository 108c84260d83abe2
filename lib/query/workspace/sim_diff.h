/*
 * Two simulations of the same references in the same order, reference by reference:
 * which of the two served each from nearer. The outcomes of both are compared once;
 * the desk keeps counts of bins of 2^10 references, 4 bytes each, for the pairs that
 * were asked for last. Ends of windows that cut bins are compared anew, so that all
 * counts are exact.
 *
 * A level is as near as its number; memory is farther than every cache, whatever
 * number it has in each of the machines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_asker;
struct ml_desk;
struct ml_desk_sim;

enum { ML_DIFFER_BITS = 10, ML_DIFFER_MEMORY = 15 };

/* Serving level of an outcome where memory is the last of `levels` + 1. */
static inline unsigned ml_differ_level(uint16_t outcome, unsigned levels)
{
	unsigned served = outcome & 15;

	return served > levels ? ML_DIFFER_MEMORY : served;
}

/* Whether position i is the same reference in both. */
bool ml_differ_paired(const struct ml_desk_sim *a, const struct ml_desk_sim *b);

/*
 * References of [from, to) that a, or b, served from nearer, in cells of 2^bits
 * references of which the first starts at `first`, at or before from. Adds to the
 * counts. Both are ready and paired; asker may be NULL.
 */
struct ml_differ_cells {
	uint64_t first;
	unsigned bits;
	double *nearer_a, *nearer_b;
};
bool ml_differ_count(struct ml_desk_sim *a, struct ml_desk_sim *b,
		     const struct ml_asker *asker, uint64_t from, uint64_t to,
		     const struct ml_differ_cells *c, struct ml_err *err);

/*
 * The first position from `at` on, or the last one before it, at which they differ;
 * UINT64_MAX: there is none.
 */
bool ml_differ_find(struct ml_desk_sim *a, struct ml_desk_sim *b,
		    const struct ml_asker *asker, uint64_t at, bool back, uint64_t *found,
		    struct ml_err *err);

/* Frees what the desk keeps. */
void ml_differ_close(struct ml_desk *d);
