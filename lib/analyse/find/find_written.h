/*
 * The fate of written bytes: a shadow of the program's memory knows the bytes that a line
 * of code wrote and that nobody has read since. It does not matter whether they stayed in
 * a cache, nor whether their block was freed in between.
 *
 * Each byte that a spot writes has one fate: somebody reads it; another spot overwrites
 * it (a pair); the same spot overwrites it; it is left, because its block was freed or
 * the program ended; or its fate is not known, because references between the slices
 * that were looked at are missing.
 *
 * A finder that needs this follows ml_find_written.
 * Held by tests/analyse/test_find_written.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/find_spots.h"

/* Bytes of one spot. */
struct ml_written_spot {
	uint64_t bytes;       /* that it wrote, of known fate */
	uint64_t overwritten; /* by other spots, before anybody read them */
	uint64_t again;       /* by itself */
	uint64_t left;
	/* lines that it wrote byte by byte until they were full, and those that it left
	 * before */
	uint64_t whole, part;
	/*
	 * Cycles by which the first reads of its lines, or writes of others to them,
	 * would be slower if its writes went past the caches.
	 */
	double soon;
};

/* Bytes that one spot wrote and another overwrote. */
struct ml_written_pair {
	uint32_t first, second; /* spots */
	uint64_t bytes;
};

extern const struct ml_find_observer ml_find_written;

const struct ml_written_spot *ml_written_of(const struct ml_find *f,
					    const struct ml_spot *s);
/* The pair of this first spot with the most bytes, or NULL. */
const struct ml_written_pair *ml_written_most(const struct ml_find *f,
					      const struct ml_spot *s);
/* Whether the spot mostly writes, and enough for a finding. */
bool ml_written_worth(const struct ml_find *f, const struct ml_spot *s);
