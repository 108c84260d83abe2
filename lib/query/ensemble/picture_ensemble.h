/*
 * Pictures of an ensemble as stand-alone SVG: members over time, parameter against
 * result, disagreement of members, and threads that share a cache.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/curve.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/err.h"

struct ml_buf;
struct ml_figure;

enum ml_ensemble_plot {
	ML_PLOT_CURVES,      /* all members over time, with milestones and volumes */
	ML_PLOT_PARAMETER,   /* the measure over the whole window against a parameter */
	ML_PLOT_MAP,         /* the same against two parameters, as a heat map */
	ML_PLOT_SPREAD,      /* mean and deviation across members over time */
	ML_PLOT_WORKING_SET, /* the smallest size that suffices, over time */
	ML_PLOT_SECOND,      /* members of second order, by number of starved threads */
	ML_PLOT_MULTIPLES,   /* a small chart for each member, on the same scale */
	ML_PLOTS
};
extern const char *const ml_ensemble_plot_names[]; /* "curves", "parameter", "map",
						      "spread", "workingset", "second",
						      "multiples", NULL */

enum ml_envelope {
	ML_ENVELOPE_RANGE,     /* minimum and maximum of the moving average in a pixel */
	ML_ENVELOPE_DEVIATION, /* of single references within the window */
	ML_ENVELOPE_NONE,
	ML_ENVELOPES
};
extern const char *const ml_envelope_names[]; /* "range", "deviation", "none", NULL */

/*
 * Zero bytes mean the defaults, except that curve.against must be SIZE_MAX for none. A
 * curve.window of 0 is a 200th of the longest run, so that curves can be told apart; 1 is
 * a bin.
 */
struct ml_picture_ensemble {
	enum ml_ensemble_plot kind;
	struct ml_curve_options curve;
	enum ml_envelope envelope;
	const char *title;       /* NULL: a title that names measure and traces */
	double from, to;         /* common time; `to` 0: the end */
	const uint32_t *members; /* NULL: all simulated members */
	size_t count;
	const char *colour; /* parameter that decides the colours; NULL: the first */
	const char *x,
		*y; /* for parameter and map; NULL: the first and the next parameter */
	const char *size;     /* for working set and second; NULL: the first size */
	double tolerance;     /* for working sets; 0: 0.05 */
	unsigned threads;     /* for second; 0: 2 */
	const uint32_t *real; /* for second: a member that simulated real threads, drawn
				 beside the model over its own run; NULL: none */
	double total, shift;  /* for second; 0: (min + max size) * threads / 2, and 1 % of
				 the run */
	double width, height; /* pixels; 0: a default */
	bool dark;
};

bool ml_picture_ensemble(const struct ml_ensemble *e, const struct ml_picture_ensemble *o,
			 struct ml_buf *svg, struct ml_err *err);

/*
 * The figure of a plot of kind parameter or map, which ml_picture_ensemble paints; other
 * plots have none. `frame` is the height of its frame in pixels: the number of marks
 * follows from it. Release the figure after use.
 */
bool ml_ensemble_figure(struct ml_figure *f, const struct ml_ensemble *e,
			struct ml_curves *curves, const struct ml_picture_ensemble *o,
			double frame, struct ml_err *err);
