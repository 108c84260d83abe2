/*
 * Regions cut into cells, and the values of each cell in a window: the data of heat maps.
 * A matrix can be cut in both directions: each of its lines of `pitch` bytes becomes
 * `across` cells, and `rows` lines become one row of cells.
 *
 * One walk over the window fills all grids, with as many threads as there are processors.
 * A reference counts for every cell that it touches.
 * Held by tests/query/test_grids.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/work.h"

struct ml_open_sim;
struct ml_selection;

enum ml_grid_mode {
	ML_GRID_LAST,     /* the last access: read, write, level, site, caller */
	ML_GRID_COUNT,    /* number of accesses: read, write */
	ML_GRID_SERVED,   /* number of accesses by serving level: served, beyond */
	ML_GRID_FIRST,    /* the first write: time, site, caller */
	ML_GRID_REUSE,    /* references from one access of the cell to the next: mean */
	ML_GRID_DISTANCE, /* distinct lines touched between two touches of a line: mean */
	ML_GRID_USED,     /* bytes that came into a level, and used ones (used_bytes.h) */
	ML_GRID_MODES
};
extern const char *const ml_grid_names[ML_GRID_MODES]; /* "last"... */

/* Values by cell. Fields that the mode does not need are NULL. */
struct ml_grid_values {
	double *read, *write; /* LAST: position + 1, 0: never; COUNT: accesses */
	double *time;         /* FIRST: position + 1, 0: never */
	double *sum, *times;  /* REUSE, DISTANCE: sum and number of the distances */
	double *head, *tail;  /* REUSE: position + 1 of the first and the last access */
	double *used, *bytes; /* USED: used bytes, and bytes that came in */
	double *served;       /* SERVED: [count][levels + 1] */
	double *beyond;       /* SERVED: cycles beyond those of the serving levels */
	uint8_t *level;       /* LAST: the level that served the access */
	uint32_t *site, *caller;
};

struct ml_grid {
	uint32_t region;
	uint64_t first, size; /* bytes: offset of the first cell, size of a cell */
	uint64_t pitch, rows; /* pitch 0: cells lie one after the other */
	size_t across, count; /* cells */
	struct ml_grid_values v;
	double references; /* references that touched the grid, each counted once */
};

struct ml_grids {
	struct ml_grid *at;
	size_t count;
	enum ml_grid_mode mode;
	uint64_t from, to;                    /* positions */
	const struct ml_selection *selection; /* NULL: all references; USED ignores it */
	unsigned beyond; /* references served by a level up to this one do not count */
	unsigned of;     /* level of USED, from 1 */
	/*
	 * For a first impression: the walk ends after so many milliseconds, having seen
	 * pieces spread over the window. 0: the walk sees the whole window.
	 */
	unsigned hurry;
	unsigned workers;           /* threads; 0: the fill chooses and sets the number */
	uint64_t seen;              /* set by the fill: references that were seen */
	const struct ml_work *work; /* may be NULL */
};

/* Fills the values of all grids; the values live in a. */
bool ml_grids_fill(struct ml_grids *g, struct ml_open_sim *s, struct ml_arena *a,
		   struct ml_err *err);
