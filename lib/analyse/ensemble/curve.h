/*
 * Curves of an ensemble: a measure of each member over time. Every measure is one
 * weighted sum of counts by level over another (cycles over references, misses over
 * requests to a level...). These are summed up over the bins of the window once, so that
 * a moving average of any width, for any latencies, costs the same.
 * Held by tests/analyse/test_curve.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/analyse/ensemble/time_match.h"

enum ml_measure {
	ML_MEASURE_TIME,   /* cycles per reference, with the weights */
	ML_MEASURE_SERVED, /* share served by a level */
	ML_MEASURE_MISS,   /* misses of a level / references that reach it */
	ML_MEASURE_MEMORY, /* bytes from memory per reference: line * served by memory */
	ML_MEASURE_TEMPERATURE, /* temperature of a level (temperature.h) */
	ML_MEASURES
};
extern const char *const ml_measure_names[]; /* "time", "served", "miss", "memory",
						"temperature", NULL */
extern const char *const ml_measure_units[]; /* "cycles", "share", "share", "bytes", "" */
/* For a list to choose from ("miss ratio of", before a level), and for an axis. */
extern const char *const ml_measure_labels[];
extern const char *const ml_measure_axes[]; /* "{level}" stands for a level's name */
bool ml_measure_has_level(enum ml_measure measure);

struct ml_curve_options {
	enum ml_measure measure;
	unsigned level; /* for served, miss and temperature; from 1 */
	double window;  /* width of the moving average, in references of the member,
			   centred and rounded to an odd number of bins; 0: one bin. The
			   ends of the run cut it */
	bool weighted;  /* use weight[]; false: each machine's own cycles */
	double weight[ML_SERVED]; /* by serving level, from 1 */
	unsigned memory; /* index of the weight of memory; 0: the one behind the machine's
			    last level */
	const struct ml_time_matching *matching; /* NULL: raw time */
	bool volume; /* scale by volume (time_match.h): multiply the measure of a stretch
			by the member's references there / those of the base */
	size_t against; /* the member whose curve is subtracted; SIZE_MAX: none */
};

/*
 * Whether larger values are better: for temperature, and for the share of the first
 * level.
 */
bool ml_measure_more_is_better(const struct ml_curve_options *o);

/* Sums of the members' counts, for totals. The ensemble must not change meanwhile. */
struct ml_curves;
struct ml_curves *ml_curves_open(const struct ml_ensemble *e);
void ml_curves_close(struct ml_curves *c);
const struct ml_ensemble *ml_curves_ensemble(const struct ml_curves *c);

/*
 * Computes one member in `cells` equal cells of common time [from, to). mean is the
 * measure over the cell (windowed); low and high are the minimum and maximum of the
 * moving average at the bins within the cell; deviation is the standard deviation of
 * single references within the window (for time; for the other measures of their 0 and
 * 1). NAN where the member has no reference. Each output may be NULL.
 */
void ml_curve(const struct ml_curves *c, size_t member, const struct ml_curve_options *o,
	      double from, double to, size_t cells, double *mean, double *low,
	      double *high, double *deviation);
/*
 * As ml_curve, but low and high also cover `shift` of common time around each cell. asked
 * gets the references that mean is of (for miss: those that reach the level).
 */
void ml_curve_around(const struct ml_curves *c, size_t member,
		     const struct ml_curve_options *o, double shift, double from,
		     double to, size_t cells, double *mean, double *low, double *high,
		     double *deviation, double *asked);
/* The measure of a member over a window of common time, exact if it ends on bins. */
double ml_curve_total(const struct ml_curves *c, size_t member,
		      const struct ml_curve_options *o, double from, double to);
/*
 * Mean and deviation across members, cell by cell, of the means of ml_curve. Members that
 * are NAN in a cell are left out.
 */
void ml_curve_spread(const double *mean, size_t members, size_t cells, double *average,
		     double *deviation);
/*
 * Finds members that are done and differ only by one numeric parameter, ordered by it;
 * `only` says which may take part (NULL: all). Of several such families it is the one
 * with most members, the first of equals. Fails if no family has two members.
 */
bool ml_curve_family(const struct ml_ensemble *e, const char *param, const bool *only,
		     uint32_t **members, size_t *count, struct ml_arena *a,
		     struct ml_err *err);
/* The number of a parameter of a member; NAN: none. */
double ml_curve_number(const struct ml_member *m, const char *param);
/*
 * The working set over time, in bytes: the smallest size (parameter `size` of a
 * family of at least two members) from which on all larger caches agree with the largest
 * one within `tolerance` of its measure. NAN where only the largest agrees with itself:
 * then the working set is larger than the next smaller size.
 */
void ml_curve_working_set(const struct ml_curves *c, const uint32_t *family, size_t count,
			  const char *size, const struct ml_curve_options *o,
			  double tolerance, double from, double to, size_t cells,
			  double *bytes);
