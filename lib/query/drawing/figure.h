/*
 * A figure: what a chart shows, without pixels. Range, marks of the axes, texts, order of
 * the legend and colours are decided here once. A painter only maps domains to pixels and
 * roles to colours. There are two painters: paint_figure.c writes SVG, and the page draws
 * what the route sends (web/src/draw/figure.ts).
 *
 * Rows hold the values in data units. A mark names a range of rows. On a band axis the
 * i-th value stands at i and its band reaches from i - 0.5 to i + 0.5.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/query/drawing/role.h"

struct ml_json;

enum ml_figure_scale { ML_FIGURE_LINEAR, ML_FIGURE_LOG, ML_FIGURE_BAND };
extern const char *const ml_figure_scale_names[]; /* "linear", "log", "band" */

struct ml_figure_tick {
	double at;
	const char *text;
};

/* low < high always, so that a painter can divide. */
struct ml_figure_axis {
	const char *label; /* NULL: the figure has no such axis */
	const char *unit;  /* "cycles", "share", "bytes", or "" */
	enum ml_figure_scale scale;
	double low, high;
	struct ml_figure_tick *ticks;
	size_t tick_count;
};

enum ml_figure_axis_id { ML_FIGURE_X, ML_FIGURE_Y, ML_FIGURE_COLOUR, ML_FIGURE_IDS };
extern const char *const ml_figure_axis_names[]; /* "x", "y", "colour" */

enum ml_figure_mark_type {
	ML_FIGURE_LINE,  /* joins (x, y) of its rows; a y of NAN leaves a gap */
	ML_FIGURE_POINT, /* a dot at (x, y) of each row */
	ML_FIGURE_CELLS, /* a cell from x to x_end for each row, in the band y */
};
extern const char *const ml_figure_mark_names[]; /* "line", "point", "cells" */

struct ml_figure_mark {
	enum ml_figure_mark_type type;
	size_t first, count; /* rows */
	struct ml_role colour;
	double width;  /* pixels: of a line, or the radius of a point */
	unsigned dash; /* 0 (solid) to 3 */
};

enum { ML_FIGURE_NO_MEMBER = UINT32_MAX };

struct ml_figure_row {
	double x, x_end, y;
	double value; /* on the colour axis; NAN where there is none */
	uint32_t member;
	const char *text;  /* the value in words */
	const char *title; /* the member and its value; not sent */
};

struct ml_figure_key {
	const char *text;
	struct ml_role colour;
	unsigned dash;
};

/* A part of the legend: the values of a parameter. */
struct ml_figure_legend {
	const char *title;
	struct ml_figure_key *keys;
	size_t count;
};

struct ml_figure {
	const char *title, *note;
	struct ml_figure_axis axis[ML_FIGURE_IDS];
	struct ml_figure_row *rows;
	size_t row_count;
	struct ml_figure_mark *marks;
	size_t mark_count;
	struct ml_figure_legend legend[2]; /* colours, dashes */
	size_t legend_count;
	struct ml_arena arena; /* owns all of it */
};

void ml_figure_release(struct ml_figure *f);
/* Writes the header: all but the numbers of the rows. The object must be begun. */
void ml_figure_write(const struct ml_figure *f, struct ml_json *w);
/* Where a value stands on an axis: 0 at low, 1 at high. */
double ml_figure_share(const struct ml_figure_axis *x, double v);
