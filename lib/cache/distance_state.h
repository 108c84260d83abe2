/*
 * Inside the stack distances: what distance.c and the loops of each instruction set
 * (distance_plain.c, distance_avx2.c, distance_avx512.c) share.
 *
 * Lines get slots, which are dense numbers: a page of 64 neighbouring lines has 64 of
 * them. The DISTANCE_FRONT lines used last are in a short stack of their own, where
 * comparing vectors finds most lines, and only what falls off its end enters the
 * order (distance_order.h). Lines fall off in the order of their last uses, so the
 * order is right although it hears of them later.
 *
 * Lines are worked on in blocks, stage after stage: repetitions of the line before are
 * dropped, slots are found, the front is asked, the order is asked for the rest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/distance.h"
#include "lib/cache/distance_order.h"

enum {
	DISTANCE_BLOCK = 1024,
	DISTANCE_FRONT = 32,
	DISTANCE_PAD = 16,
	DISTANCE_AHEAD = 8,   /* lookups between fetching and using */
	DISTANCE_PAGES = 256, /* remembered without a search */
	DISTANCE_EXACT_BITS = 12,
	DISTANCE_EXACT =
		1 << DISTANCE_EXACT_BITS, /* distances with a bucket of their own */
};

/* The bucket of a distance that is not ML_NEVER. */
static inline size_t distance_bucket(uint32_t distance)
{
	if (distance < DISTANCE_EXACT)
		return distance;
	unsigned top = 31 - (unsigned)__builtin_clz(distance);

	return DISTANCE_EXACT + (top - DISTANCE_EXACT_BITS) * 16 +
	       (distance >> (top - 4) & 15);
}

/* How much of a bucket is below so many lines, 0 to 1. */
double distance_share_below(size_t bucket, uint64_t lines);

struct distance_page {
	uint64_t page; /* + 1; 0 is empty */
	uint32_t slot; /* of its first line */
};

struct ml_distance {
	const struct distance_ops *ops;
	struct ml_distances histogram;
	struct order order;
	uint32_t *when;     /* by slot: moment of the order, 0 if it never was there */
	size_t slots, room; /* slot 0 is none */
	struct distance_page *pages;                 /* hashed */
	size_t page_count, page_cap;                 /* a power of two */
	struct distance_page recent[DISTANCE_PAGES]; /* by page number */
	uint32_t front[DISTANCE_FRONT];              /* slots, the last used first */
	uint64_t last;                               /* line before, + 1 */

	/* Of the block. */
	uint64_t kept[DISTANCE_BLOCK + DISTANCE_PAD];
	uint32_t at[DISTANCE_BLOCK + DISTANCE_PAD], slot[DISTANCE_BLOCK + DISTANCE_PAD];
	size_t count; /* of these */
	struct distance_ask {
		uint32_t slot, fallen; /* asked for; what fell off the front, or 0 */
		uint32_t at, pad;
	} asks[DISTANCE_BLOCK + DISTANCE_PAD];
	size_t ask_count;
	uint32_t front_hits[DISTANCE_FRONT + 1]; /* by distance; the last: misses */
};

struct distance_ops {
	/* Lines that differ from the line before, into kept and at. */
	void (*differ)(struct ml_distance *d, const uint64_t *line, size_t count);
	/* Slots through the front: distances, and asks for what is not there. */
	void (*front)(struct ml_distance *d, uint32_t *distance);
	void (*ask)(struct ml_distance *d, uint32_t *distance);
};

extern const struct distance_ops distance_plain, distance_avx2, distance_avx512;
