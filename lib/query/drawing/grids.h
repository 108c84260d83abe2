/*
 * Regions cut into cells, and what happened to each cell in a window: what heat maps
 * show. A region that is a matrix can be cut in both directions: its lines of `pitch`
 * bytes then become `across` cells each, and `rows` lines become one row of cells.
 *
 * All grids are filled in one walk, by as many threads as there are processors. A
 * reference counts for every cell that it touches.
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
	ML_GRID_LAST,   /* last access: read, write, level, site, caller */
	ML_GRID_COUNT,  /* accesses: read, write */
	ML_GRID_SERVED, /* by serving level: served */
	ML_GRID_FIRST,  /* first write: time, site, caller */
	ML_GRID_REUSE,  /* from one access to the next of the cell, in references: mean */
	ML_GRID_DISTANCE, /* other lines touched since the line was touched last: mean */
	ML_GRID_USED, /* of the bytes that came into a level: used, fetched (used_bytes.h)
		       */
	ML_GRID_MODES
};
extern const char *const ml_grid_names[ML_GRID_MODES]; /* "last"... */

/* What is known of the cells of a grid; what a mode does not need is NULL. */
struct ml_grid_values {
	double *read, *write; /* LAST: position + 1, 0 never; COUNT: how many */
	double *time;         /* FIRST: position + 1, 0 never */
	double *sum, *times;  /* REUSE, DISTANCE: of `times` distances */
	double *head, *tail;  /* REUSE: position + 1 of the first and the last access */
	double *used, *bytes; /* USED: bytes that were used, that came in */
	double *served;       /* SERVED: [count][levels + 1] */
	uint8_t *level;       /* LAST: that served it */
	uint32_t *site, *caller;
};

struct ml_grid {
	uint32_t region;
	uint64_t first, size; /* bytes: of the first cell's start, of a cell */
	uint64_t pitch, rows; /* pitch 0: one cell after the other */
	size_t across, count; /* cells */
	struct ml_grid_values v;
	double references; /* that touched it, each counted once */
};

struct ml_grids {
	struct ml_grid *at;
	size_t count;
	enum ml_grid_mode mode;
	uint64_t from, to;                    /* positions */
	const struct ml_selection *selection; /* NULL: all. Not of USED */
	unsigned beyond; /* references that levels up to this one served do not count */
	unsigned of;     /* level that USED is about, from 1 */
	/*
	 * For a first impression: when so many milliseconds are over, what was seen until
	 * then must do, which are pieces spread over the window. 0: all of it is seen.
	 */
	unsigned hurry;
	unsigned workers; /* threads; 0: as many as are worth it, which it is then */
	uint64_t seen;    /* references, in the end */
	const struct ml_work *work; /* may be NULL */
};

/* Fills the values, which live in a. */
bool ml_grids_fill(struct ml_grids *g, struct ml_open_sim *s, struct ml_arena *a,
		   struct ml_err *err);
