/*
 * A sum that a loop keeps in a register. If the inner loop adds up a column and stores
 * the sum behind it, the loops exchanged add to every sum in turn: the sums are read and
 * written in memory in each iteration. A change of addresses cannot show these
 * references.
 */
#pragma once

#include <stdint.h>

#include "lib/analyse/find/find_spots.h"

/*
 * References that exchanging the loops of s adds, which takes `unit` bytes of each row of
 * `pitch` bytes; 0 if no sum leaves its register. *result is the spot that stores the
 * sums.
 */
uint64_t ml_register_added(const struct ml_find *f, const struct ml_spot *s,
			   uint64_t pitch, uint64_t unit, const struct ml_spot **result);
