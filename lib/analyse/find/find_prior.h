/*
 * The previous users of lines. A miss by capacity has a line of code that used the same
 * cache line before. Whether that was the same loop or another, and how far apart,
 * decides what can be done about the miss: find_tile.c, find_sweep.c and find_fuse.c.
 *
 * A finder that needs this follows ml_find_prior.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/find_spots.h"

/* Misses of one spot whose lines were used last by one line of code. */
struct ml_prior_pair {
	uint32_t spot, user; /* user: number in user_lines */
	uint64_t count;
	/* by level from 0: cycles of the whole run that hits in that level would save */
	double saved[ML_LEVELS];
	uint64_t missed[ML_LEVELS]; /* misses that these are */
	uint64_t fills; /* first returns to a line that the other code filled */
	/*
	 * For each miss, the part of the time since the line was used in which the other
	 * code was no longer active: about 0 in one loop, 0.5 if one loop follows another
	 */
	double apart;
	double distance; /* sum of the lines touched in between */
};

/* Times at which a spot begins to walk over its data again. */
struct ml_prior_sweeps {
	uint64_t *time, *jump; /* jump: bytes back to the start */
	size_t count, cap, jump_cap;
	uint64_t low, high; /* offsets in the block: first byte, behind the last byte */
	uint64_t first, last, previous; /* addresses */
	bool started;
};

enum { ML_PRIOR_RECENT = 128 };

struct ml_prior {
	struct ml_prior_pair *pairs;
	size_t count, cap;
	struct ml_map pair_of;
	uint64_t *missed;  /* by spot: misses of L1 that were seen */
	uint64_t *returns; /* by spot: hits of lines that were not used for a while */
	struct ml_prior_sweeps *sweeps; /* by spot */
	uint64_t *rewrites; /* by region of the tables: writes to lines used before */
	uint64_t *active;   /* by user line: time of its last reference + 1 */
	struct ml_map pages;
	struct ml_prior_page *page;
	size_t page_count, page_cap;
	struct ml_prior_recent {
		uint64_t key; /* + 1; 0: none */
		size_t page;
	} recent[ML_PRIOR_RECENT]; /* pages, by the low bits of their keys */
	struct ml_prior_last {
		uint32_t user;
		size_t pair; /* + 1; 0: none */
	} * last;            /* by spot: its last pair */
};

extern const struct ml_find_observer ml_find_prior;

/* Whether the pair is of one loop, and not of two that follow each other. */
bool ml_prior_same_loop(const struct ml_find *f, const struct ml_prior_pair *p);
/* Whether there is nothing to save: the first use after a fill, or too little reuse. */
bool ml_prior_idle(const struct ml_find *f, const struct ml_prior_pair *p);
/*
 * Whether each pass over the data of a spot needs what happened since the pass before:
 * the data are written again while they are in use, or other code writes other data that
 * the same line reads. Then no tile can have a part of several passes.
 */
bool ml_prior_changes(const struct ml_find *f, const struct ml_spot *s);
/*
 * Whether the line of a spot reads other data that other code writes about once for each
 * pass, as a product of a matrix needs a vector that is updated after each product.
 */
bool ml_prior_fed(const struct ml_find *f, const struct ml_spot *s);
