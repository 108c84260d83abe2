/*
 * The inside of stack distances, which distance.c and the loops of each instruction set
 * share (distance_plain.c, distance_avx2.c, distance_avx512.c).
 *
 * Lines get slots, which are dense numbers: a page of neighbouring lines has as many
 * slots. The last DISTANCE_WINDOW uses are the window. The number of distinct lines in a
 * part of the window is the number of its uses whose previous use lies outside that part,
 * and one vector comparison counts these. Most lines are used again within the window.
 * Only the last uses that leave the window enter the order (distance_order.h), and only
 * uses whose previous use is not in the window query the order. Uses leave the window in
 * the order in which they came, so the order is right although they enter it late.
 *
 * Lines are processed in blocks, stage after stage, so that a stage waits for little but
 * its own loads:
 *
 *	differ  drops repetitions of the line before
 *	slots   turns lines into slots
 *	trace   finds the previous use of each use: in the window, or it becomes an ask
 *	window  counts the lines of the window since the previous use
 *	push    enters all uses that leave the window in this block into the order
 *	ask     queries the order, less the uses that entered it after the one that asks
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/distance/distance.h"
#include "lib/cache/distance/distance_order_parts.h"

enum {
	DISTANCE_BLOCK = 1024,
	DISTANCE_WINDOW = 64,
	DISTANCE_USES = DISTANCE_WINDOW + DISTANCE_BLOCK,
	DISTANCE_PAD = 64,
	DISTANCE_AHEAD = 16,       /* lookups between prefetching and using a slot */
	DISTANCE_PAGE_LINES = 256, /* lines of a page, which has slots for all of them */
	DISTANCE_PAGES = 1024,     /* pages that are found without a search */
	DISTANCE_FAR = DISTANCE_WINDOW +
		       1,    /* gap of a use whose previous use is not in the window */
	DISTANCE_TABLES = 4, /* tables that count near distances in turn */
	DISTANCE_EXACT_BITS = 12,
	DISTANCE_EXACT =
		1 << DISTANCE_EXACT_BITS, /* distances that have a bucket of their own */
	DISTANCE_BUCKETS = DISTANCE_EXACT + 16 * (32 - DISTANCE_EXACT_BITS),
};

#define DISTANCE_FIRST_USE (ORDER_MAX + DISTANCE_WINDOW) /* number of the first use */

/* The bucket of a distance. ML_NEVER has the last bucket, which no distance reaches. */
static inline size_t distance_bucket(uint32_t distance)
{
	if (distance < DISTANCE_EXACT)
		return distance;
	unsigned top = 31 - (unsigned)__builtin_clz(distance);

	return DISTANCE_EXACT + (top - DISTANCE_EXACT_BITS) * 16 +
	       (distance >> (top - 4) & 15);
}

/* The first distance of a bucket, which is the end of the bucket before it. */
uint64_t distance_first(size_t bucket);
/* The share of a bucket that is below `lines`, 0 to 1. */
double distance_share_below(size_t bucket, uint64_t lines);

struct distance_page {
	uint64_t page; /* page number + 1; 0: empty */
	uint32_t slot; /* slot of its first line */
};

struct ml_distance {
	const struct distance_ops *ops;
	struct ml_distances histogram;
	struct order order;
	/*
	 * By slot: 0 if it was never used; below ORDER_MAX its moment in the order; from
	 * ORDER_MAX on the number of its last use, which is in the window or in the
	 * block.
	 */
	uint32_t *when;
	size_t slots, room;          /* slot 0 is none */
	uint32_t now;                /* number of the first use of the block */
	struct distance_page *pages; /* hashed */
	size_t page_count, page_cap; /* a power of two */
	struct distance_page recent[DISTANCE_PAGES]; /* by page number */
	uint64_t last;                               /* the line before, + 1 */

	/*
	 * For vectors, DISTANCE_WINDOW aligned bytes for each gap: the smallest gap that
	 * a use of the window must have to be the first use of its line since that many
	 * uses ago. 255, which no gap reaches, for earlier uses.
	 */
	const uint8_t *min_gap;
	uint8_t min_gap_room[(DISTANCE_FAR + 2) * DISTANCE_WINDOW];

	/* Of the block: the lines that `differ` kept. */
	uint64_t kept[DISTANCE_BLOCK + DISTANCE_PAD];
	uint32_t at[DISTANCE_BLOCK + DISTANCE_PAD]; /* their places in the block */
	size_t count;
	/* Of the window, followed by the block. */
	uint32_t slot[DISTANCE_USES + DISTANCE_PAD];
	/* uses since the previous use of the slot */
	uint8_t gap[DISTANCE_USES + DISTANCE_PAD];
	/* the slot is used again within the window */
	uint8_t again[DISTANCE_USES + DISTANCE_PAD];
	/*
	 * Of the block: lines of the window since the previous use, or all lines of it.
	 */
	uint8_t near[DISTANCE_BLOCK + DISTANCE_PAD];
	/*
	 * The uses that leave the window and are the last of their lines: a bit for each,
	 * the number of them before each word, and in all.
	 */
	uint64_t left[DISTANCE_BLOCK / 64 + 1];
	uint32_t left_before[DISTANCE_BLOCK / 64 + 1];
	uint32_t lefts;
	/*
	 * Of each use: the value that its slot had in `when`, and the use of the window
	 * it means.
	 */
	uint32_t before[DISTANCE_BLOCK + DISTANCE_PAD];
	uint16_t used[DISTANCE_BLOCK + DISTANCE_PAD];
	/* The asks: the use of the block, and the value that its slot had in `when`... */
	uint32_t ask_place[DISTANCE_BLOCK + DISTANCE_PAD];
	uint32_t ask_when[DISTANCE_BLOCK + DISTANCE_PAD];
	size_t ask_count;
	/* ...and from these the moment, or 0, and the distance. */
	uint32_t moment[DISTANCE_BLOCK + DISTANCE_PAD];
	uint32_t far[DISTANCE_BLOCK + DISTANCE_PAD];
	/*
	 * Counts that are not in the histogram yet: repetitions; distances in the window,
	 * with those of asks from 128 on; buckets of asks, the last one for first
	 * touches. Several tables take turns, because an increment waits for the one
	 * before it.
	 */
	uint64_t same;
	uint64_t near_hits[DISTANCE_TABLES][256];
	uint64_t far_hits[2][DISTANCE_BUCKETS];
};

struct distance_ops {
	/* Stores the lines that differ from the line before in kept and at. */
	void (*differ)(struct ml_distance *d, const uint64_t *line, size_t count);
	void (*trace)(struct ml_distance *d);
	void (*window)(struct ml_distance *d);
	void (*push)(struct ml_distance *d);
	void (*ask)(struct ml_distance *d, uint32_t *distance);
};

extern const struct distance_ops distance_plain, distance_avx2, distance_avx512;
