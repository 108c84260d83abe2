/*
 * A figure: what a chart shows, without pixels. Ranges, marks of the axes, texts, order
 * of the legend, colours, widths and opacities are decided here once. A painter only maps
 * domains to pixels and roles to colours. There are two painters: paint_figure.c writes
 * SVG, and the page draws what a route sends (web/src/draw/figure.ts).
 *
 * A figure has panels, each with its own axes and marks: one below the other, or small
 * ones in a grid. Marks take their values, in data units, from one of two places:
 *
 * - rows, for points, lines through points, cells and circles;
 * - matrices of equal cells, for hundreds of long curves: a mark names a matrix and a row
 *   of it, and the cells divide the common time of the figure evenly.
 *
 * On a band axis the i-th value stands at i and its band reaches from i - 0.5 to i + 0.5.
 * Held by tests/query/test_figure.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/query/drawing/figure_mark.h"

struct ml_answer;
struct ml_json;

struct ml_figure_panel {
	const char *title; /* of a small chart in a grid; NULL: none */
	double share;      /* of the height that is left by `rows`; 0: only rows */
	size_t rows;       /* rows of circles, of a fixed height each */
	struct ml_figure_axis
		axis[ML_FIGURE_IDS]; /* in a grid those of the first panel */
	struct ml_figure_mark *marks;
	size_t mark_count, mark_cap;
	struct ml_figure_moment *moments;
	size_t moment_count;
	const char *beyond[2]; /* says how far curves go on above and below; NULL: no
				  further */
};

struct ml_figure_row {
	double x, x_end, y;
	double value; /* on the axis of colours or areas; NAN where there is none */
	uint32_t member;
	const char *text;  /* the value in words */
	const char *title; /* the member and its value; not sent */
};

/* [rows][cells] */
struct ml_figure_matrix {
	const char *name;
	const double *v;
	size_t rows, cells;
};

/* Numbers that belong to no mark, such as the members of a way to share a cache. */
struct ml_figure_list {
	const char *name;
	const uint32_t *v;
	size_t count;
};

/* A number or a word that was chosen for the figure: the width of an average, a size. */
struct ml_figure_fact {
	const char *name;
	double number;
	const char *text; /* NULL: it is a number */
};

struct ml_figure_key {
	const char *text;
	struct ml_role colour;
	unsigned dash;
};

/* A part of the legend: the values of a parameter. */
struct ml_figure_legend {
	const char *title; /* NULL: none */
	struct ml_figure_key *keys;
	size_t count;
};

enum { ML_FIGURE_PANELS_MAX = 400 };

struct ml_figure {
	const char *title, *note;
	struct ml_figure_panel *panels;
	size_t panel_count;
	size_t across;   /* panels side by side in a grid; 0: one below the other */
	double from, to; /* common time of the matrices */
	const uint32_t *members; /* those that are drawn */
	size_t member_count;
	struct ml_figure_row *rows;
	size_t row_count;
	struct ml_figure_matrix matrices[8];
	size_t matrix_count;
	struct ml_figure_list lists[2];
	size_t list_count;
	struct ml_figure_fact facts[12];
	size_t fact_count;
	struct ml_figure_legend legend[2]; /* colours, dashes */
	size_t legend_count;
	struct ml_arena arena; /* owns all of it */
};

void ml_figure_release(struct ml_figure *f);

/* Add a part. Memory comes from `a`, which becomes the figure's arena in the end. */
struct ml_figure_panel *ml_figure_panels(struct ml_figure *f, size_t count,
					 struct ml_arena *a);
struct ml_figure_mark *ml_figure_add(struct ml_figure_panel *p, struct ml_figure_mark m,
				     struct ml_arena *a);
void ml_figure_add_matrix(struct ml_figure *f, const char *name, const double *v,
			  size_t rows, size_t cells);
void ml_figure_add_list(struct ml_figure *f, const char *name, const uint32_t *v,
			size_t count);
void ml_figure_add_number(struct ml_figure *f, const char *name, double v);
void ml_figure_add_word(struct ml_figure *f, const char *name, const char *text);

/* NULL: there is none of this name. */
const struct ml_figure_matrix *ml_figure_matrix_find(const struct ml_figure *f,
						     const char *name);
/* Where a value stands on an axis: 0 at low, 1 at high. */
double ml_figure_share(const struct ml_figure_axis *x, double v);

/* Writes the header: all but rows, matrices and lists. The object must be begun. */
void ml_figure_write(const struct ml_figure *f, struct ml_json *w);
/* Answers columns: the header, and the numbers as arrays in the answer's arena. */
void ml_figure_answer(const struct ml_figure *f, struct ml_answer *a);
