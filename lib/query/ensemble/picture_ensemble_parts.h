/* The parts that pictures of ensembles share: members, colours, legend, texts. */
#pragma once

#include "lib/base/arena.h"
#include "lib/query/drawing/chart.h"
#include "lib/query/drawing/figure.h"
#include "lib/query/drawing/paint_figure.h"
#include "lib/query/drawing/role.h"
#include "lib/query/ensemble/ensemble_axes.h"
#include "lib/query/ensemble/picture_ensemble.h"

enum {
	ML_DRAWING_LEFT = ML_PAINT_LEFT,
	ML_DRAWING_HEAD = ML_PAINT_HEAD,
	ML_DRAWING_FOOT = ML_PAINT_FOOT,
	ML_DRAWING_LEGEND = ML_PAINT_LEGEND
};

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
	double width, height;
	struct ml_picture p;
	struct ml_arena arena;
};

struct ml_role ml_drawing_role(const struct ml_drawing *d, uint32_t member);
uint32_t ml_drawing_colour(const struct ml_drawing *d, uint32_t member);
unsigned ml_drawing_dash(const struct ml_drawing *d, uint32_t member);
/* The colour of a palette as a number. */
uint32_t ml_drawing_rgb(const struct ml_drawing *d, unsigned colour);

/* The measure with its unit, for the axis: "miss ratio of L1". */
const char *ml_drawing_unit(struct ml_drawing *d);
enum ml_chart_format ml_drawing_format(const struct ml_drawing *d);

/* "Access time of bubble": the measure and the traces. */
const char *ml_drawing_title(struct ml_drawing *d);
/* Starts the picture with its title (or the one of the options) and subtitle. */
void ml_drawing_begin(struct ml_drawing *d, const char *title, const char *below);
/* A chart of the measure over time, whose frame starts at y. */
struct ml_chart ml_drawing_chart(struct ml_drawing *d, double y, double height);
/* The values of an axis that members have, with their colours or dashes. */
struct ml_figure_legend ml_drawing_values(struct ml_drawing *d, const struct ml_axis *x,
					  bool dashes);
/* Draws the values of colours and dashes, at the right of the charts. */
void ml_drawing_legend(struct ml_drawing *d, double y);
/* Draws one line of a legend; returns the y of the next line. */
double ml_drawing_key(struct ml_drawing *d, double y, uint32_t rgb, unsigned dash,
		      const char *text);
double ml_drawing_heading(struct ml_drawing *d, double y, const char *text);
/* The subtitle: "12 members, moving average of 1,000 references, time normalised". */
const char *ml_drawing_words(struct ml_drawing *d);
/* The number of cells of a curve, if `curves` of them are drawn. */
size_t ml_drawing_cells(const struct ml_drawing *d, double width, size_t curves);
/*
 * Fits the chart's y axis to the values. A few peaks that are more than twice as high as
 * the rest are cut off. Returns the highest value that is cut off, or NAN.
 */
double ml_drawing_fit(struct ml_drawing *d, struct ml_chart *c, const double *v,
		      size_t n);
/* The parameter that o->size names, or the first size. */
bool ml_drawing_size(struct ml_drawing *d, const char **size, struct ml_err *err);

bool ml_draw_curves(struct ml_drawing *d, struct ml_err *err);
bool ml_draw_spread(struct ml_drawing *d, struct ml_err *err);
bool ml_draw_working_set(struct ml_drawing *d, struct ml_err *err);
bool ml_draw_second(struct ml_drawing *d, struct ml_err *err);
bool ml_draw_multiples(struct ml_drawing *d, struct ml_err *err);

/* Fill in all of the figure but its arena: it lives in d's. */
bool ml_figure_parameter(struct ml_drawing *d, struct ml_figure *f, double frame,
			 struct ml_err *err);
bool ml_figure_map(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err);
