/*
 * The memory that was touched: the distinct cache lines of each region, exactly. Each
 * line has a bit, in leaves of 256 KiB of address space. A leaf exists once a line in it
 * is touched, so this takes at most an eighth of the memory of the touched pages.
 * References of one instruction mostly stay within a leaf: the caller keeps a struct
 * ml_touch for each instruction and region, and the common case is one comparison and one
 * or.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"

enum {
	ML_LINE_BITS = 6, /* a cache line has 64 bytes */
	ML_PAGE_BITS = 12,
	ML_LEAF_BITS = 18,
	ML_LEAF_RECENT = 1024,
	ML_LEAF_PAGES = 1 << (ML_LEAF_BITS - ML_PAGE_BITS),
};

struct ml_leaf {
	uint64_t number; /* address >> ML_LEAF_BITS */
	uint32_t region;
	uint64_t page[ML_LEAF_PAGES]; /* a bit for each line */
};

struct ml_footprint {
	struct ml_map numbers; /* index of a leaf number, so that keys fit 64 bits */
	struct ml_map index;   /* leaf of a region and that index */
	struct ml_leaf **leaves;
	size_t count, cap;
	struct ml_leaf *recent[ML_LEAF_RECENT]; /* by a hash of region and number */
	struct ml_arena arena;
};

struct ml_touch {
	uint64_t number;
	uint64_t *page; /* lines of the leaf `number`; NULL: none yet */
};

void ml_footprint_touch_slowly(struct ml_footprint *f, struct ml_touch *memo,
			       uint32_t region, uint64_t addr, uint64_t size);

/* Marks size bytes from addr on as touched; size is at least 1. */
static inline void ml_footprint_touch(struct ml_footprint *f, struct ml_touch *memo,
				      uint32_t region, uint64_t addr, uint64_t size)
{
	uint64_t line = addr >> ML_LINE_BITS, last = (addr + size - 1) >> ML_LINE_BITS;

	if (memo->page && memo->number == addr >> ML_LEAF_BITS && line == last)
		memo->page[addr >> ML_PAGE_BITS & (ML_LEAF_PAGES - 1)] |= (uint64_t)1
									  << (line & 63);
	else
		ml_footprint_touch_slowly(f, memo, region, addr, size);
}

struct ml_footprint_size {
	uint64_t lines, pages;
};

/* All regions together; a line that two regions share counts once. Sorts the leaves. */
struct ml_footprint_size ml_footprint_total(struct ml_footprint *f);
/* Adds the lines of each region to lines[region]. */
void ml_footprint_lines(const struct ml_footprint *f, uint64_t *lines);
/*
 * The addresses between which each region was touched, in whole lines: [low, high); both
 * are 0 for regions that were not.
 */
void ml_footprint_bounds(const struct ml_footprint *f, uint64_t *low, uint64_t *high);
void ml_footprint_release(struct ml_footprint *f);
