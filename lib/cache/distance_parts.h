/*
 * Inside the stack distances: what distance.c and the loops of each instruction set
 * (distance_plain.c, distance_avx2.c, distance_avx512.c) share.
 *
 * Lines get slots, which are dense numbers: a page of neighbouring lines has as many
 * of them. The last DISTANCE_WINDOW uses are the window. How many lines are in a part
 * of the window is how many uses in it have the use before them outside of that part,
 * and one comparison of vectors says that. Most lines come again within the window; only
 * the last uses that leave it enter the order (distance_order.h), and only what does
 * not come from the window is asked for there. Uses leave in the order in which they
 *came, so the order is right although it hears of them later.
 *
 * Lines are worked on in blocks, stage after stage, so that a stage waits for little
 * but its own loads:
 *
 *	differ  repetitions of the line before are dropped
 *	slots   lines become slots
 *	trace   each use finds the one before it: in the window, or it becomes an ask
 *	window  lines of the window since then are counted
 *	push    all uses that leave the window in this block enter the order
 *	ask     the order is asked, less what entered it after the use that asks
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/distance.h"
#include "lib/cache/distance_order.h"

enum {
	DISTANCE_BLOCK = 1024,
	DISTANCE_WINDOW = 64,
	DISTANCE_USES = DISTANCE_WINDOW + DISTANCE_BLOCK,
	DISTANCE_PAD = 64,
	DISTANCE_AHEAD = 16,       /* lookups between fetching and using */
	DISTANCE_PAGE_LINES = 256, /* of a page, which has slots for all of them */
	DISTANCE_PAGES = 1024,     /* remembered without a search */
	DISTANCE_FAR = DISTANCE_WINDOW + 1, /* gap of a use that is not in the window */
	DISTANCE_TABLES = 4,                /* that count near distances in turn */
	DISTANCE_EXACT_BITS = 12,
	DISTANCE_EXACT =
		1 << DISTANCE_EXACT_BITS, /* distances with a bucket of their own */
	DISTANCE_BUCKETS = DISTANCE_EXACT + 16 * (32 - DISTANCE_EXACT_BITS),
};

#define DISTANCE_FIRST_USE (ORDER_MAX + DISTANCE_WINDOW) /* its number */

/* The bucket of a distance. That of ML_NEVER is the last one, which no line reaches. */
static inline size_t distance_bucket(uint32_t distance)
{
	if (distance < DISTANCE_EXACT)
		return distance;
	unsigned top = 31 - (unsigned)__builtin_clz(distance);

	return DISTANCE_EXACT + (top - DISTANCE_EXACT_BITS) * 16 +
	       (distance >> (top - 4) & 15);
}

/* The first distance of a bucket, and so the end of the one before it. */
uint64_t distance_first(size_t bucket);
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
	/*
	 * By slot: 0 if it was never used, its moment in the order, or, from ORDER_MAX
	 * on, the number of its last use, which is in the window or in the block.
	 */
	uint32_t *when;
	size_t slots, room;          /* slot 0 is none */
	uint32_t now;                /* number of the first use of the block */
	struct distance_page *pages; /* hashed */
	size_t page_count, page_cap; /* a power of two */
	struct distance_page recent[DISTANCE_PAGES]; /* by page number */
	uint64_t last;                               /* line before, + 1 */

	/*
	 * For vectors, DISTANCE_WINDOW bytes for each gap, aligned: how large the gap of
	 * a use of the window must be so that it is the first of its line since so many
	 * uses ago; 255 for those before, which none is.
	 */
	const uint8_t *min_gap;
	uint8_t min_gap_room[(DISTANCE_FAR + 2) * DISTANCE_WINDOW];

	/* Of the block: what differ keeps. */
	uint64_t kept[DISTANCE_BLOCK + DISTANCE_PAD];
	uint32_t at[DISTANCE_BLOCK + DISTANCE_PAD]; /* where in the block that was */
	size_t count;
	/* Of the window, and behind it of the block. */
	uint32_t slot[DISTANCE_USES + DISTANCE_PAD];
	uint8_t gap[DISTANCE_USES + DISTANCE_PAD];   /* uses since the one before */
	uint8_t again[DISTANCE_USES + DISTANCE_PAD]; /* used again within the window */
	/* Of the block: lines of the window since the use before, or all. */
	uint8_t near[DISTANCE_BLOCK + DISTANCE_PAD];
	/* Uses that leave the window and are the last of their lines: a bit each, how
	 * many there are before each word, and in all. */
	uint64_t left[DISTANCE_BLOCK / 64 + 1];
	uint32_t left_before[DISTANCE_BLOCK / 64 + 1];
	uint32_t lefts;
	/* Of each use: what its slot had in `when`, and the use of the window that was.
	 */
	uint32_t before[DISTANCE_BLOCK + DISTANCE_PAD];
	uint16_t used[DISTANCE_BLOCK + DISTANCE_PAD];
	/* The asks: which use of the block, and what its slot had in `when`... */
	uint32_t ask_place[DISTANCE_BLOCK + DISTANCE_PAD];
	uint32_t ask_when[DISTANCE_BLOCK + DISTANCE_PAD];
	size_t ask_count;
	/* ...from which follow its moment, or 0, and its distance. */
	uint32_t moment[DISTANCE_BLOCK + DISTANCE_PAD];
	uint32_t far[DISTANCE_BLOCK + DISTANCE_PAD];
	/*
	 * What is not in the histogram yet: repetitions; distances in the window, with
	 * those of asks from 128 on; buckets of asks, the last of them first touches. In
	 * turn in several tables, as counting waits for the count before.
	 */
	uint64_t same;
	uint64_t near_hits[DISTANCE_TABLES][256];
	uint64_t far_hits[2][DISTANCE_BUCKETS];
};

struct distance_ops {
	/* Lines that differ from the line before, into kept and at. */
	void (*differ)(struct ml_distance *d, const uint64_t *line, size_t count);
	void (*trace)(struct ml_distance *d);
	void (*window)(struct ml_distance *d);
	void (*push)(struct ml_distance *d);
	void (*ask)(struct ml_distance *d, uint32_t *distance);
};

extern const struct distance_ops distance_plain, distance_avx2, distance_avx512;
