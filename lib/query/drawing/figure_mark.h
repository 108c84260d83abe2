/*
 * Axes and marks of a figure (figure.h): what a panel shows.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/query/drawing/role.h"

enum ml_figure_scale { ML_FIGURE_LINEAR, ML_FIGURE_LOG, ML_FIGURE_BAND };
extern const char *const ml_figure_scale_names[]; /* "linear", "log", "band" */

struct ml_figure_tick {
	double at;
	const char *text;
};

/* low < high always, so that a painter can divide. */
struct ml_figure_axis {
	const char
		*label; /* NULL: the panel has no such axis; "": an axis without words */
	const char *unit; /* "cycles", "share", "bytes", or "" */
	enum ml_figure_scale scale;
	double low, high;
	struct ml_figure_tick *ticks;
	size_t tick_count;
};

enum ml_figure_axis_id {
	ML_FIGURE_X,
	ML_FIGURE_Y,
	ML_FIGURE_COLOUR, /* of cells */
	ML_FIGURE_AREA,   /* of circles; low is 0, and high fills a band */
	ML_FIGURE_IDS
};
extern const char *const ml_figure_axis_names[]; /* "x", "y", "colour", "area" */

enum ml_figure_mark_type {
	ML_FIGURE_LINE,    /* joins (x, y) of its rows; a y of NAN leaves a gap */
	ML_FIGURE_POINT,   /* a dot at (x, y) of each row */
	ML_FIGURE_CELLS,   /* a cell from x to x_end for each row, in the band y */
	ML_FIGURE_CIRCLES, /* a circle for each row: in the band y, in the middle of the
			      part of x to x_end that is shown; `value` is its area */
	ML_FIGURE_CURVE,   /* a row of one matrix; NAN leaves a gap */
	ML_FIGURE_STEPS,   /* the same, each value as wide as its cell: an opaque line,
			      and the area below it with the opacity */
	ML_FIGURE_BANDS,   /* areas between `count` rows of two matrices, low and high;
			      where bands overlap, their opacities add up */
};
extern const char *const ml_figure_mark_names[]; /* "line", "point", "cells", "circles",
						    "curve", "steps", "bands" */

enum { ML_FIGURE_NO_MEMBER = UINT32_MAX };

struct ml_figure_mark {
	enum ml_figure_mark_type type;
	size_t first, count; /* rows of the figure, or of the matrices */
	const char *of[2];   /* names of matrices */
	struct ml_role colour;
	double width;   /* pixels: of a line, or the radius of a point */
	double opacity; /* 0 to 1 */
	unsigned dash;  /* 0 (solid) to 3 */
	uint32_t member;
	const char *title; /* tells what a curve is; NULL: nothing */
};

/* A vertical line through a panel. */
struct ml_figure_moment {
	double at;
	const char *text; /* above the line; NULL: there is no room for it */
};
