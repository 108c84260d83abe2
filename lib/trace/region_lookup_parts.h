/*
 * A space while it moves: shared by region_lookup.c (what is where, for one reference)
 * and region_lookup_batch.c (the same for whole batches, by remembering).
 */
#pragma once

#include "lib/base/map.h"
#include "lib/trace/live_blocks.h"
#include "lib/trace/region_lookup.h"

enum {
	ML_REGION_LOOKUP_MEMO = 8192,  /* places remembered, by site */
	ML_REGION_LOOKUP_LINES = 8192, /* lines of addresses whose region is remembered */
	ML_REGION_LOOKUP_LINE_BITS = 6,
};

/* A stretch of addresses and what it belongs to; stretches of one list do not overlap. */
struct ml_region_lookup_stretch {
	uint64_t low, high;
	uint32_t region;
	uint64_t origin; /* address that offsets count from */
};

/* Where a reference goes, and for how long and how far around it that is so. */
struct ml_region_lookup_found {
	uint64_t low, high, origin, block;
	uint64_t until; /* time at which it ends to be true */
	uint32_t region;
	bool hole;     /* of no block: ends to be true where one begins, and not before */
	bool unmapped; /* of nothing: offsets are 0 */
};

/* The last place found for a site: most references of a site go to one block. */
struct ml_region_lookup_memo {
	struct ml_region_lookup_found found;
	uint32_t site, caller, epoch;
	uint16_t thread;
};

/* What a line of addresses, or the block around it, belongs to; never a stack. */
struct ml_region_lookup_line {
	uint64_t low, until;
	uint32_t span; /* bytes from low on, 0: holds nothing */
	uint32_t region, epoch;
	bool hole;
};

/*
 * The cell of the last reference of a site, and of all that go where it went. A program
 * has thousands of sites in use, and their spots compete for the cache of the processor
 * that we run on: hence so few bytes.
 */
struct ml_region_lookup_spot {
	uint64_t low;
	uint32_t span;  /* bytes from low on, 0: holds nothing */
	uint32_t until; /* in references from the space's base on, the largest is never */
	uint32_t who;   /* caller, thread and epoch in one number */
	uint32_t cell;
};

/* What is asked when that does not fit. */
struct ml_region_lookup_spare {
	struct ml_region_lookup_spot second; /* of the site: the one before */
	uint32_t region[2];                  /* of the spot and of the second */
	uint32_t who, elsewhere, cell; /* a third cell, and its region; of no address */
};

/* What a thread adds to callers to make them a who, and the age for which it holds. */
struct ml_region_lookup_thread {
	uint32_t age, who;
};

struct ml_region_lookup_slot {
	struct ml_cell cell;
	uint32_t number; /* + 1, 0: an empty slot */
};

struct ml_region_lookup {
	struct ml_trace *trace;
	uint64_t due; /* time at which the next block or mapping begins */
	struct ml_region_lookup_stretch
		*statics; /* globals, sections, code: sorted, the smallest block wins */
	size_t static_count, static_cap;
	struct ml_region_lookup_stretch *maps; /* mappings as they are now, sorted */
	size_t map_count, map_cap;
	struct ml_live_blocks heap, over; /* blocks that live now */
	bool nested; /* a registered block has begun inside another one */
	size_t next_block, next_map;
	struct ml_map stacks, others; /* regions made here, by what they stand for */
	struct ml_region *own;        /* the regions made here */
	const char **own_name;
	size_t own_count, own_cap, name_cap;
	uint32_t *ordinal; /* of each block within its region, from 0 */
	uint32_t *blocks;  /* number of blocks of each region */
	uint32_t epoch;    /* what was remembered of an earlier one is void */
	struct ml_region_lookup_memo memo[ML_REGION_LOOKUP_MEMO];

	struct ml_region_lookup_line lines[ML_REGION_LOOKUP_LINES]; /* by address */
	struct ml_region_lookup_line stack;      /* found last, which no line holds */
	struct ml_region_lookup_spot *spots;     /* by site */
	struct ml_region_lookup_spare *spares;   /* by site */
	struct ml_region_lookup_thread *threads; /* by thread */
	uint64_t base;                           /* time that spots count from */
	uint32_t age, whos, spot_epoch;
	struct ml_cell *cells;
	struct ml_region_lookup_slot *slots; /* by a hash of the cell */
	size_t cell_count, cell_cap, slot_count;
	struct ml_arena arena;
};

/* Moves to a time at which something begins. */
void ml_region_lookup_advance(struct ml_region_lookup *s, uint64_t time);
/* Finds anew. */
struct ml_region_lookup_found ml_region_lookup_look(struct ml_region_lookup *s,
						    const struct ml_ref *ref);
/* A block begins: what was a hole there is none any more. */
void ml_region_lookup_fill_holes(struct ml_region_lookup *s, const struct ml_block *b);
