/*
 * Cells: one for each combination of site, caller and region that occurs, found again
 * fast. A pass decides what to count in a cell: its cell is a struct that begins with a
 * struct ml_cell. This is for passes that know regions but no cell numbers; a region
 * lookup numbers cells while it finds the regions (ml_region_lookup_cells).
 *
 *	struct ml_cells cells;
 *
 *	ml_cells_init(&cells, sizeof(struct my_cell));
 *	struct my_cell *c = ml_cells_recent(&cells, site, caller, region);
 *
 *	if (!c)
 *		c = ml_cells_find(&cells, site, caller, region, &is_new);
 *
 * References of an instruction mostly go where its last one went, so the common case is
 * one load and a few comparisons; hash maps find the rest. Cells start at multiples of 64
 * bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/trace/regions/region_lookup.h"

enum { ML_CELLS_RECENT_BITS = 15, ML_CELLS_HASHED_BITS = 17 };

struct ml_cells {
	size_t size;         /* bytes of a cell */
	struct ml_cell **at; /* in the order of their first reference */
	size_t count, cap;
	/* number of site and caller; cell of that number and region */
	struct ml_map pairs, index;
	/*
	 * by site: code that runs together is numbered together, so few cache lines of
	 * this array are in use at a time
	 */
	struct ml_cell **recent;
	struct ml_cell **hashed; /* by site, caller and region */
	struct ml_arena arena;
};

void ml_cells_init(struct ml_cells *x, size_t size);
void ml_cells_release(struct ml_cells *x);

/* The cell; a new one is zero behind its struct ml_cell. */
void *ml_cells_find(struct ml_cells *x, uint32_t site, uint32_t caller, uint32_t region,
		    bool *is_new);

/* The same, for cells that were found recently. */
void *ml_cells_again(struct ml_cells *x, uint32_t site, uint32_t caller, uint32_t region);

static inline bool ml_cell_is(const struct ml_cell *c, uint32_t site, uint32_t caller,
			      uint32_t region)
{
	return c && c->site == site && c->caller == caller && c->region == region;
}

/* The cell if it was found recently, else NULL. */
static inline void *ml_cells_recent(struct ml_cells *x, uint32_t site, uint32_t caller,
				    uint32_t region)
{
	struct ml_cell *c = x->recent[site & ((1u << ML_CELLS_RECENT_BITS) - 1)];

	return ml_cell_is(c, site, caller, region)
		       ? c
		       : ml_cells_again(x, site, caller, region);
}
