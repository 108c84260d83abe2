/*
 * Plots of an ensemble: members over time, parameter against result, disagreement of
 * members, and threads that share a cache. Each is a figure (lib/query/drawing/figure.h),
 * which the page draws, or a stand-alone SVG of the same figure.
 * Held by tests/query/test_picture_ensemble.c.
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
struct ml_work;

enum ml_ensemble_plot {
	ML_PLOT_CURVES,      /* all members over time, with milestones and volumes */
	ML_PLOT_SPREAD,      /* mean and deviation across members over time */
	ML_PLOT_MULTIPLES,   /* a small chart for each member or value, on one scale */
	ML_PLOT_PARAMETER,   /* the measure over the whole window against a parameter */
	ML_PLOT_MAP,         /* the same against two parameters, as a heat map */
	ML_PLOT_WORKING_SET, /* the smallest size that suffices, over time */
	ML_PLOT_SHARED, /* threads that share a cache, by number of starved threads */
	ML_PLOTS
};
extern const char *const ml_ensemble_plot_names[]; /* "curves", "spread", "multiples",
						      "parameter", "map",
						      "workingset", "shared", NULL */
/* For a list to choose from: a title, and a sentence. */
extern const char *const ml_ensemble_plot_titles[];
extern const char *const ml_ensemble_plot_helps[];
/* "second" is an old name of "shared". False: there is no such plot. */
bool ml_ensemble_plot_find(const char *name, enum ml_ensemble_plot *plot);

enum ml_envelope {
	ML_ENVELOPE_RANGE,     /* minimum and maximum of the moving average in a pixel */
	ML_ENVELOPE_DEVIATION, /* of single references within the window */
	ML_ENVELOPE_NONE,
	ML_ENVELOPES
};
extern const char *const ml_envelope_names[]; /* "range", "deviation", "none", NULL */

/*
 * Zero bytes mean the defaults, except that curve.against must be SIZE_MAX for none. A
 * curve.window of 0 is ml_ensemble_usual_window; 1 is a bin.
 */
struct ml_picture_ensemble {
	enum ml_ensemble_plot kind;
	struct ml_curve_options curve;
	enum ml_envelope envelope;
	const char *title;       /* NULL: a title that names measure and traces */
	double from, to;         /* common time; `to` 0: the end */
	const uint32_t *members; /* NULL: all simulated members */
	size_t count;
	const char *colour; /* parameter that decides the colours; NULL: the usual one */
	const char *x, *y;  /* for parameter and map; NULL: those that explain most */
	const char *facet;  /* for multiples: the parameter whose values have a chart
			       each; "member": each member has one; NULL: the parameter
			       beside the colours that explains most, or else members */
	const char *size;   /* for working set and shared; NULL: the first size */
	double tolerance;   /* for working sets; 0: 0.05 */
	unsigned threads;   /* for shared; 0: 2 */
	const uint32_t *real; /* for shared: a member that simulated real threads, drawn
				 beside the model over its own run; NULL: none */
	double total;         /* for shared; 0: (min + max size) * threads / 2 */
	double shift;         /* for shared; 0: 1 % of the run; negative: none */
	bool peaks;           /* the range includes rare peaks; the rest becomes flat */
	size_t cells;         /* of a curve; 0: about one for each pixel */
	double width, height; /* pixels of the picture; 0: a default */
	bool dark;
	const struct ml_work *work; /* cancels; NULL: goes on */
};

/*
 * The width of the moving average until a person chooses: a hundredth of the references
 * of the longest run that [from, to) of common time shows. 1 (one bin) if that is less
 * than a bin.
 */
double ml_ensemble_usual_window(const struct ml_ensemble *e,
				const struct ml_time_matching *m, double from, double to);

bool ml_picture_ensemble(const struct ml_ensemble *e, const struct ml_picture_ensemble *o,
			 struct ml_buf *svg, struct ml_err *err);

/*
 * The figure of a plot, which ml_picture_ensemble paints. Width and height of its frame
 * are pixels: they decide how many marks of the axes, names of milestones and columns of
 * small charts there is room for. Release the figure after use.
 */
bool ml_ensemble_figure(struct ml_figure *f, const struct ml_ensemble *e,
			struct ml_curves *curves, const struct ml_picture_ensemble *o,
			double width, double height, struct ml_err *err);
