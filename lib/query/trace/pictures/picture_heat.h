/*
 * Heat maps of regions: a region cut into cells, with a value for each cell in a window.
 * A region with a shape becomes a matrix of cells, an array of structures has a row for
 * each part of the structure, and any other region becomes a strip. If there are more
 * elements than room, a cell stands for several. One walk fills all maps.
 *
 *	ml_heat_lay_out(&maps[0], sim->trace, region, 128, 96, &arena);
 *	ml_heat_gather(maps, 1, sim, &question, &arena, err);
 *	ml_heat_scale(&scale, question.mode, maps, 1);
 *	ml_heat_draw(&picture, &maps[0], &scale, x, y, cell_width, cell_height);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/work.h"

struct ml_open_sim;
struct ml_open_trace;
struct ml_picture;

enum ml_heat_mode {
	ML_HEAT_COUNT,    /* accesses */
	ML_HEAT_MISSES,   /* accesses that the first level did not serve */
	ML_HEAT_LAST,     /* position of the last access, from 1 */
	ML_HEAT_FIRST,    /* position of the first write, from 1 */
	ML_HEAT_REUSE,    /* references between two accesses, on average */
	ML_HEAT_DISTANCE, /* lines that an LRU cache must hold to keep the line until its
			     next access, on average */
	ML_HEAT_USED,     /* used percent of the bytes that came into the first level
			     (used_bytes.h) */
	ML_HEAT_MODES
};
extern const char *const ml_heat_names[ML_HEAT_MODES]; /* "count"... */
/* The mode of that name. */
bool ml_heat_mode_find(enum ml_heat_mode *mode, const char *name, struct ml_err *err);

struct ml_heat_map {
	uint32_t region;
	const char *name, *type; /* foreign; type may be empty */
	uint64_t bytes;          /* of the region; its blocks lie one after the other */
	uint64_t elem;           /* bytes of an element */
	bool known;              /* elem is known; otherwise it is a word */
	uint64_t size;           /* bytes of a cell along a line */
	uint64_t pitch;          /* bytes of a line; 0: a strip */
	uint64_t lines;          /* lines of the region in a row of cells */
	size_t along, over;      /* cells of a line, and rows of cells */
	bool turned;             /* structures: a line of cells is drawn downwards */
	double *value;           /* [over][along]; 0: nothing */
	double sum;              /* accesses or misses, each counted once */
	const char *shape;       /* "1000 x 1000", or NULL */
	const char *cell;        /* the contents of a cell: "8 x 8 elements" */
	const struct ml_heat_field {
		const char *name;
		double at, cells; /* along a line, in cells */
	} * fields;
	size_t field_count;
};

/* Cells in the directions of the drawing. */
size_t ml_heat_across(const struct ml_heat_map *m);
size_t ml_heat_down(const struct ml_heat_map *m);

/* False: the size of the region is unknown, as for stacks. */
bool ml_heat_lay_out(struct ml_heat_map *m, const struct ml_open_trace *t,
		     uint32_t region, size_t max_across, size_t max_down,
		     struct ml_arena *a);

struct ml_heat_question {
	enum ml_heat_mode mode;
	uint64_t from, to;          /* positions */
	const struct ml_work *work; /* may be NULL */
};

bool ml_heat_gather(struct ml_heat_map *maps, size_t count, struct ml_open_sim *s,
		    const struct ml_heat_question *q, struct ml_arena *a,
		    struct ml_err *err);

/* The scale of colours, the same as the page's; wide ranges are logarithmic. */
struct ml_heat_scale {
	enum ml_heat_mode mode;
	double low, high; /* values of the first and last colour; high 0: no values */
	bool log;
};
void ml_heat_scale(struct ml_heat_scale *s, enum ml_heat_mode mode,
		   const struct ml_heat_map *maps, size_t count);
unsigned ml_heat_colour(const struct ml_heat_scale *s, double value);

/* Draws the cells only; width and height are pixels of a cell. */
void ml_heat_draw(struct ml_picture *p, const struct ml_heat_map *m,
		  const struct ml_heat_scale *s, double x, double y, double width,
		  double height);
/* Draws a legend with its unit, 20 pixels high. */
void ml_heat_legend(struct ml_picture *p, const struct ml_heat_scale *s,
		    const struct ml_open_sim *sim, double x, double y);
