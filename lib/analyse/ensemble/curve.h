/*
 * What is plotted of an ensemble: a measure of each member over time. Every measure is
 * one weighted sum of counts by level over another (cycles over references, misses over
 * those that ask a level...). These are summed up over the bins of the window once, so
 * that the moving average of any width, for any latencies, costs the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/analyse/ensemble/time_match.h"

enum ml_measure {
	ML_MEASURE_TIME,        /* cycles a reference, by the weights */
	ML_MEASURE_SERVED,      /* share served by a level */
	ML_MEASURE_MISS,        /* misses of a level / references that ask it */
	ML_MEASURE_MEMORY,      /* bytes from memory a reference: line * served by it */
	ML_MEASURE_TEMPERATURE, /* of a level, temperature.h */
	ML_MEASURES
};
extern const char *const ml_measure_names[]; /* "time", "served", "miss", "memory",
						"temperature", NULL */
extern const char *const ml_measure_units[]; /* "cycles", "share", "share", "bytes", "" */

struct ml_curve_options {
	enum ml_measure measure;
	unsigned level; /* of served, miss and temperature; from 1 */
	double window;  /* of the moving average, in references of the member, centred and
			   rounded to an odd number of bins; 0: a bin. The ends of the run
			   cut it */
	bool weighted;  /* by weight[]; else by each machine's own cycles */
	double weight[ML_SERVED]; /* by serving level, from 1 */
	unsigned memory; /* which weight is memory's; 0: that behind the machine's last */
	const struct ml_time_matching *matching; /* NULL: raw time */
	bool volume; /* scale by volume (time_match.h): the measure of a stretch times the
			member's references there / those of the base */
	size_t against; /* a member whose curve is subtracted; SIZE_MAX: none */
};

/* Whether more of it is better: of temperature, and of what the first level serves. */
bool ml_measure_more_is_better(const struct ml_curve_options *o);

/* Sums of the members' counts, for totals; the ensemble must stay as it is. */
struct ml_curves;
struct ml_curves *ml_curves_open(const struct ml_ensemble *e);
void ml_curves_close(struct ml_curves *c);
const struct ml_ensemble *ml_curves_ensemble(const struct ml_curves *c);

/*
 * One member in `cells` equal cells of common time [from, to). mean is the measure over
 * the cell (windowed), low and high the least and greatest of the moving average at the
 * bins within the cell, deviation the standard deviation of single references within the
 * window (of the time measure; of the others of their 0 and 1). NAN where the member has
 * no reference. Any of the outputs may be NULL.
 */
void ml_curve(const struct ml_curves *c, size_t member, const struct ml_curve_options *o,
	      double from, double to, size_t cells, double *mean, double *low,
	      double *high, double *deviation);
/*
 * As ml_curve, of which low and high look `shift` of common time around each cell, too;
 * asked has the references that mean is of (of miss: those that ask the level).
 */
void ml_curve_around(const struct ml_curves *c, size_t member,
		     const struct ml_curve_options *o, double shift, double from,
		     double to, size_t cells, double *mean, double *low, double *high,
		     double *deviation, double *asked);
/* The measure of a member over a window of common time, exactly where it ends on bins. */
double ml_curve_total(const struct ml_curves *c, size_t member,
		      const struct ml_curve_options *o, double from, double to);
/* Mean and deviation across members, cell by cell, of the means of ml_curve; members
 * that are NAN there are left out. */
void ml_curve_spread(const double *mean, size_t members, size_t cells, double *average,
		     double *deviation);
/*
 * Members that are done and differ by nothing but one parameter that is a number, in its
 * ascending order; `only` says which may take part (NULL: all). Of several such families
 * the one with most members, the first of equals. Fails when none has two members.
 */
bool ml_curve_family(const struct ml_ensemble *e, const char *param, const bool *only,
		     uint32_t **members, size_t *count, struct ml_arena *a,
		     struct ml_err *err);
/* The number that a member has for a parameter; NAN if none. */
double ml_curve_number(const struct ml_member *m, const char *param);
/*
 * The working set over time, in bytes: the least size (parameter `size` of its family)
 * from which on larger caches agree with the largest within `tolerance` of its measure;
 * NAN where none but itself does: the working set is larger than the next smaller size.
 */
bool ml_curve_working_set(const struct ml_curves *c, const char *size,
			  const struct ml_curve_options *o, double tolerance, double from,
			  double to, size_t cells, double *bytes, struct ml_err *err);
/* The same of a family that is known: at least two members. */
void ml_curve_working_set_of(const struct ml_curves *c, const uint32_t *family,
			     size_t count, const char *size,
			     const struct ml_curve_options *o, double tolerance,
			     double from, double to, size_t cells, double *bytes);
