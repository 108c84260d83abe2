/*
 * A member of an ensemble over some of its bins, ready for queries of windows: sums up to
 * each bin, from which any window follows by a subtraction, and the moving average.
 */
#pragma once

#include "lib/analyse/ensemble/ensemble.h"

/* bins whose counts, or minimum and maximum, are stored together */
enum { ML_CURVE_BLOCK = 64 };

struct ml_curve_track {
	/* references of a bin; 1 / width; references of the trace */
	double width, bins_a_ref, refs;
	size_t bins;                      /* bins of the trace */
	size_t first, count;              /* the bins that are summed up */
	double *num, *den, *own, *square; /* [count + 1]: sums before each bin; den, own
					     and square may be NULL */
	size_t low_bin;                   /* bin of the first value */
	size_t values;                    /* number of values */
	double *value;                    /* the moving average at each bin */
	double *min, *max; /* minimum and maximum of each ML_CURVE_BLOCK values */
};

/*
 * sum[i]: the weighted counts of the bins before bin i of the track, less those of
 * `other` (which may be NULL); square[i]: the same with squared weights, unless it is
 * NULL.
 */
void ml_curve_track_sum(const struct ml_curve_track *t, double *sum, double *square,
			const struct ml_member *m, const double weight[ML_SERVED],
			const struct ml_member *other, const double less[ML_SERVED]);
/* The sum between two positions within the summed bins. */
double ml_curve_track_between(const struct ml_curve_track *t, const double *sum,
			      double from, double to);
/* The sum of den between two positions; without den the references. */
double ml_curve_track_asked(const struct ml_curve_track *t, double from, double to);
/*
 * The moving average of 2 * half + 1 bins at the bins [from, to), with the minimum and
 * maximum of each ML_CURVE_BLOCK.
 */
void ml_curve_track_average(struct ml_curve_track *t, size_t half, size_t from,
			    size_t to);
/* Widens [low, high] by the averages at the bins whose middles lie in [from, to). */
void ml_curve_track_widen(const struct ml_curve_track *t, double from, double to,
			  double *low, double *high);
