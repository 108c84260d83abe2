/*
 * A sum that a loop keeps in a register. If the inner loop adds up a column and stores
 * the sum behind it, the loops exchanged add to every sum in turn: the sums are read and
 * written in memory in each iteration. A change of addresses cannot show these
 * references.
 */
#pragma once

#include <stdint.h>

#include "lib/analyse/find/find_spots.h"

/* A loop that goes over rows of `pitch` bytes and takes `unit` bytes of each. */
struct ml_inner_loop {
	uint64_t rows, pitch, unit;
};

/*
 * References that exchanging the loops of s adds; 0 if no sum leaves its register.
 * *result is the spot that stores the sums.
 */
uint64_t ml_register_added(const struct ml_find *f, const struct ml_spot *s,
			   const struct ml_inner_loop *inner,
			   const struct ml_spot **result);
