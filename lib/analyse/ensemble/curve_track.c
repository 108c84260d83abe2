#include "lib/analyse/ensemble/curve_track.h"

#include <math.h>

enum { TILE = 512 }; /* bins whose sums stay in the host's L1 while levels are added */

/* out[i] += weight * counts of bin first + i, and squares[i] += weight^2 * them. */
static void add_counts(double *restrict out, double *restrict squares,
		       const struct ml_member *m, const double weight[ML_SERVED],
		       double sign, size_t first, size_t count)
{
	for (unsigned k = 1; k <= m->parsed.levels + 1; k++) {
		const uint32_t *restrict served = m->served[k] + first;
		double w = sign * weight[k];

		if (!(w > 0 || w < 0))
			continue;
		for (size_t i = 0; i < count; i++) {
			double v = w * served[i];

			out[i] += v;
			squares[i] += w * v;
		}
	}
	for (size_t i = 0; weight[0] > 0 && i < count; i++)
		out[i] += sign * (double)m->beyond[first + i];
}

void ml_curve_track_sum(const struct ml_curve_track *t, double *sum, double *square,
			const struct ml_member *m, const double weight[ML_SERVED],
			const struct ml_member *other, const double less[ML_SERVED])
{
	double total = 0, squares = 0;

	sum[0] = 0;
	if (square)
		square[0] = 0;
	for (size_t i = 0; i < t->count; i += TILE) {
		size_t n = t->count - i < TILE ? t->count - i : TILE;
		double tile[2][TILE] = { { 0 } };

		add_counts(tile[0], tile[1], m, weight, 1, t->first + i, n);
		if (other)
			add_counts(tile[0], tile[1], other, less, -1, t->first + i, n);
		for (size_t k = 0; k < n; k++)
			sum[i + k + 1] = total += tile[0][k];
		for (size_t k = 0; square && k < n; k++)
			square[i + k + 1] = squares += tile[1][k];
	}
}

/* The sum up to a position within the summed bins. */
static double upto(const struct ml_curve_track *t, const double *sum, double position)
{
	double at = position * t->bins_a_ref;
	size_t bin = at < (double)t->first ? t->first : (size_t)at;

	if (bin >= t->first + t->count)
		return sum[t->count];
	double part = at - (double)bin;
	size_t i = bin - t->first;

	if (bin + 1 == t->bins) /* the last bin may be short */
		part *= t->width / (t->refs - (double)bin * t->width);
	return sum[i] + part * (sum[i + 1] - sum[i]);
}

double ml_curve_track_between(const struct ml_curve_track *t, const double *sum,
			      double from, double to)
{
	return upto(t, sum, to) - upto(t, sum, from);
}

double ml_curve_track_asked(const struct ml_curve_track *t, double from, double to)
{
	return t->den ? ml_curve_track_between(t, t->den, from, to) : to - from;
}

/* The average of the bins [low, high). 0 / 0 is NAN, for which no comparison holds. */
static double average_of(const struct ml_curve_track *t, size_t low, size_t high)
{
	double end = high < t->bins ? (double)high * t->width : t->refs;
	double n = t->num[high - t->first] - t->num[low - t->first];

	return n / (t->den ? t->den[high - t->first] - t->den[low - t->first]
			   : end - (double)low * t->width);
}

/* The moving average at bins [from, to), for windows that the ends of the run cut. */
static void average_ends(struct ml_curve_track *t, size_t half, size_t from, size_t to)
{
	for (size_t b = from; b < to; b++)
		t->value[b - t->low_bin] =
			average_of(t, b > half ? b - half : 0,
				   b + half + 1 < t->bins ? b + half + 1 : t->bins);
}

/* The same for whole windows. These loops take the time. */
static void average_middle(struct ml_curve_track *t, size_t half, size_t from, size_t to)
{
	const double *high = t->num + from + half + 1 - t->first,
		     *low = t->num + from - half - t->first;
	double *value = t->value + (from - t->low_bin);
	double refs = 1 / (t->width * (double)(2 * half + 1));

	if (!t->den) {
		for (size_t i = 0; i < to - from; i++)
			value[i] = (high[i] - low[i]) * refs;
		return;
	}
	const double *more = t->den + from + half + 1 - t->first,
		     *less = t->den + from - half - t->first;
	for (size_t i = 0; i < to - from; i++)
		value[i] = (high[i] - low[i]) / (more[i] - less[i]);
}

void ml_curve_track_average(struct ml_curve_track *t, size_t half, size_t from, size_t to)
{
	size_t first = from > half ? from : half, last = to + half < t->bins ? to : 0;

	t->low_bin = from;
	t->values = to - from;
	if (!last) /* the last bin may be short; a window with it is not whole */
		last = t->bins > half + 1 ? t->bins - half - 1 : 0;
	if (first < last) {
		average_ends(t, half, from, first);
		average_middle(t, half, first, last);
		average_ends(t, half, last, to);
	} else
		average_ends(t, half, from, to);
	for (size_t i = 0; t->min && i * ML_CURVE_BLOCK < t->values; i++) {
		size_t end = (i + 1) * ML_CURVE_BLOCK < t->values
				     ? (i + 1) * ML_CURVE_BLOCK
				     : t->values;
		double min = INFINITY, max = -INFINITY;

		for (size_t b = i * ML_CURVE_BLOCK; b < end; b++) {
			min = t->value[b] < min ? t->value[b] : min;
			max = t->value[b] > max ? t->value[b] : max;
		}
		t->min[i] = min;
		t->max[i] = max;
	}
}

/* The first value whose bin has its middle at or behind a position. */
static size_t value_at(const struct ml_curve_track *t, double position)
{
	double at = position * t->bins_a_ref - 0.5 - (double)t->low_bin;

	if (at <= 0)
		return 0;
	if (at >= (double)t->values)
		return t->values;
	return (size_t)at + (at > (double)(size_t)at);
}

void ml_curve_track_widen(const struct ml_curve_track *t, double from, double to,
			  double *low, double *high)
{
	size_t b = value_at(t, from), end = value_at(t, to);
	double min = *low, max = *high;

	while (b < end) {
		bool whole = t->min && b % ML_CURVE_BLOCK == 0 &&
			     b + ML_CURVE_BLOCK <= end;
		double l = whole ? t->min[b / ML_CURVE_BLOCK] : t->value[b];
		double m = whole ? t->max[b / ML_CURVE_BLOCK] : t->value[b];

		min = l < min ? l : min;
		max = m > max ? m : max;
		b += whole ? ML_CURVE_BLOCK : 1;
	}
	*low = min;
	*high = max;
}
