/* The parts that figures of ensembles share: members, colours, axes, legend, texts. */
#pragma once

#include "lib/base/arena.h"
#include "lib/query/drawing/chart.h"
#include "lib/query/drawing/figure.h"
#include "lib/query/drawing/role.h"
#include "lib/query/ensemble/ensemble_axes.h"
#include "lib/query/ensemble/picture_ensemble.h"

struct ml_drawing {
	const struct ml_ensemble *e;
	const struct ml_picture_ensemble *o;
	struct ml_curves *curves;
	struct ml_curve_options curve; /* `matching` is always set */
	struct ml_time_matching raw;
	struct ml_axes axes;
	const struct ml_axis *colour,
		*dash; /* axes that decide colours and dashes, or NULL */
	uint32_t *members;
	size_t count;
	double from, to, end; /* common time */
	double width, height; /* pixels of the frame */
	struct ml_arena arena;
};

/* Values of the members, each [count][cells]. */
struct ml_drawing_columns {
	size_t cells;
	double *mean, *low, *high; /* low and high: the envelope that was asked for */
	double *deviation;
};

/* A range of values, and the whole range if rare peaks are left out. */
struct ml_drawing_range {
	double low, high, whole_low, whole_high;
};

struct ml_role ml_drawing_role(const struct ml_drawing *d, uint32_t member);
unsigned ml_drawing_dash(const struct ml_drawing *d, uint32_t member);

/* The measure with its unit, for the axis: "miss ratio of L1, less 32K". */
const char *ml_drawing_unit(struct ml_drawing *d);
/* A value of the measure. */
const char *ml_drawing_value(struct ml_drawing *d, double v);
/* "Access time of bubble": the measure and the traces. */
const char *ml_drawing_title(struct ml_drawing *d);
/* The note: "12 members, moving average of 1,000 references, time normalised". */
const char *ml_drawing_words(struct ml_drawing *d);
/* The values of an axis that members have, with their colours or dashes. */
struct ml_figure_legend ml_drawing_values(struct ml_drawing *d, const struct ml_axis *x,
					  bool dashes);
/* Adds the legend of colours and dashes. */
void ml_drawing_legend(struct ml_drawing *d, struct ml_figure *f);
struct ml_figure_legend ml_drawing_keys(struct ml_drawing *d, const char *title,
					size_t count);

/* Makes the axis of common time. */
void ml_drawing_time(struct ml_drawing *d, struct ml_figure_axis *x, bool label);
/* Makes the axis of the measure, rounded, with marks for `height` pixels. */
void ml_drawing_scale(struct ml_drawing *d, struct ml_figure_axis *y, double low,
		      double high, double height);
/* The same, and says how far rare peaks go on beyond the panel. */
void ml_drawing_fit(struct ml_drawing *d, struct ml_figure_panel *p,
		    const struct ml_drawing_range *r, double height);
/*
 * Widens the range by n values. A few peaks that would press the rest flat are left out,
 * unless the options ask for peaks.
 */
void ml_drawing_include(struct ml_drawing *d, struct ml_drawing_range *r, const double *v,
			size_t n);
extern const struct ml_drawing_range ml_drawing_empty;

/* The number of cells of a curve, if `curves` of them are drawn. */
size_t ml_drawing_cells(const struct ml_drawing *d, size_t curves);
/* Fails if an answer would be too large. */
bool ml_drawing_fits(size_t curves, size_t cells, struct ml_err *err);
bool ml_drawing_measure(struct ml_drawing *d, struct ml_drawing_columns *c,
			struct ml_err *err);
/* Adds what the header says of all plots over time: cells, end, unit, window. */
void ml_drawing_facts(struct ml_drawing *d, struct ml_figure *f, size_t cells);
/* Adds the panel of all members over time, its matrices, milestones and legend. */
void ml_figure_add_curves(struct ml_drawing *d, struct ml_figure *f,
			  struct ml_figure_panel *p, const struct ml_drawing_columns *c,
			  double height);
const char *ml_drawing_time_title(struct ml_drawing *d);
/*
 * Members of the drawing that differ only by the size, in ascending order. The size is
 * the parameter that the options name, or else the first one that is a size.
 */
bool ml_drawing_family(struct ml_drawing *d, const char **size, uint32_t **family,
		       size_t *count, struct ml_err *err);

/* Milestones: vertical lines; and the volumes between them as circles. */
void ml_figure_add_moments(struct ml_drawing *d, struct ml_figure_panel *p);
bool ml_figure_has_volumes(const struct ml_drawing *d);
void ml_figure_add_volumes(struct ml_drawing *d, struct ml_figure *f,
			   struct ml_figure_panel *p);

/* Fill in all of the figure but its arena: it lives in d's. */
bool ml_figure_curves(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err);
bool ml_figure_spread(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err);
bool ml_figure_multiples(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err);
bool ml_figure_parameter(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err);
bool ml_figure_map(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err);
bool ml_figure_working_set(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err);
bool ml_figure_shared(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err);
