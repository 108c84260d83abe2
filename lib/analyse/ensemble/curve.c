#include "lib/analyse/ensemble/curve.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "lib/analyse/ensemble/curve_track.h"
#include "lib/analyse/passes/temperature.h"

const char *const ml_measure_names[] = { "time",   "served",      "miss",
					 "memory", "temperature", NULL };
const char *const ml_measure_units[] = { "cycles", "share", "share", "bytes", "", NULL };
const char *const ml_measure_labels[] = { "access time",    "share served by",
					  "miss ratio of",  "bytes from memory",
					  "temperature of", NULL };
const char *const ml_measure_axes[] = { "average access time, cycles a reference",
					"share of references that {level} serves",
					"miss ratio of {level}",
					"bytes from memory a reference",
					"temperature of {level}",
					NULL };

bool ml_measure_has_level(enum ml_measure measure)
{
	return measure == ML_MEASURE_SERVED || measure == ML_MEASURE_MISS ||
	       measure == ML_MEASURE_TEMPERATURE;
}

bool ml_measure_more_is_better(const struct ml_curve_options *o)
{
	return o->measure == ML_MEASURE_TEMPERATURE ||
	       (o->measure == ML_MEASURE_SERVED && o->level == 1);
}

/*
 * Room for the columns of a track. It is reused, as fresh pages cost more than the sums.
 */
struct room {
	struct room *next;
	double *num, *den, *own, *square, *value, *min, *max;
};

struct ml_curves {
	const struct ml_ensemble *e;
	uint64_t **before; /* by member: [block][level], counts before each block */
	size_t bins;       /* the most bins of any trace */
	struct rooms {
		pthread_mutex_t lock;
		struct room *idle;
	} * rooms;
	struct ml_arena arena;
};

static struct room *take_room(const struct ml_curves *c)
{
	pthread_mutex_lock(&c->rooms->lock);
	struct room *r = c->rooms->idle;
	if (r)
		c->rooms->idle = r->next;
	pthread_mutex_unlock(&c->rooms->lock);
	if (r)
		return r;
	size_t n = c->bins + 2;
	r = ml_resize(NULL, sizeof(*r) + (5 * n + 2 * (n / ML_CURVE_BLOCK + 1)) *
						 sizeof(double));
	double *at = (double *)(r + 1);
	*r = (struct room){ NULL,       at,
			    at + n,     at + 2 * n,
			    at + 3 * n, at + 4 * n,
			    at + 5 * n, at + 5 * n + n / ML_CURVE_BLOCK + 1 };
	return r;
}

static void give_room(const struct ml_curves *c, struct room *r)
{
	pthread_mutex_lock(&c->rooms->lock);
	r->next = c->rooms->idle;
	c->rooms->idle = r;
	pthread_mutex_unlock(&c->rooms->lock);
}

struct ml_curves *ml_curves_open(const struct ml_ensemble *e)
{
	struct ml_curves *c = ml_resize(NULL, sizeof(*c));

	*c = (struct ml_curves){ .e = e };
	c->rooms = ml_arena_alloc(&c->arena, sizeof(*c->rooms));
	pthread_mutex_init(&c->rooms->lock, NULL);
	for (size_t i = 0; i < e->trace_count; i++)
		c->bins = e->traces[i].bins > c->bins ? e->traces[i].bins : c->bins;
	c->before = ml_arena_alloc(&c->arena, e->member_count * sizeof(*c->before));
	for (size_t i = 0; i < e->member_count; i++) {
		const struct ml_member *m = &e->members[i];
		size_t bins = e->traces[m->trace].bins,
		       blocks = bins / ML_CURVE_BLOCK + 1;

		if (!m->done)
			continue;
		uint64_t *sum = ml_arena_alloc(&c->arena,
					       blocks * ML_SERVED * sizeof(*sum));
		c->before[i] = sum;
		for (unsigned k = 1; k <= m->parsed.levels + 1; k++) {
			uint64_t n = 0;

			for (size_t b = 0; b < bins; b++) {
				if (b % ML_CURVE_BLOCK == 0)
					sum[b / ML_CURVE_BLOCK * ML_SERVED + k] = n;
				n += m->served[k][b];
			}
			if (bins % ML_CURVE_BLOCK == 0)
				sum[bins / ML_CURVE_BLOCK * ML_SERVED + k] = n;
		}
	}
	return c;
}

const struct ml_ensemble *ml_curves_ensemble(const struct ml_curves *c)
{
	return c->e;
}

void ml_curves_close(struct ml_curves *c)
{
	for (struct room *r = c->rooms->idle, *next; r; r = next) {
		next = r->next;
		ml_free(r);
	}
	pthread_mutex_destroy(&c->rooms->lock);
	ml_arena_release(&c->arena);
	ml_free(c);
}

/*
 * A measure is sum(num * served) / sum(den * served). No level has number 0: num[0] is
 * the weight of the cycles beyond those of the serving levels.
 */
struct ratio {
	double num[ML_SERVED], den[ML_SERVED];
	bool plain; /* den is 1 throughout: references */
};

static double cycles(const struct ml_machine *m, const struct ml_curve_options *o,
		     unsigned k)
{
	if (o->weighted)
		return o->weight[k > m->levels && o->memory ? o->memory : k];
	return k <= m->levels ? m->level[k - 1].cycles : m->memory_cycles;
}

/* False if the machine has nothing to measure. */
static bool ratio_of(const struct ml_member *m, const struct ml_curve_options *o,
		     struct ratio *r)
{
	struct ml_temperature_options scores = ml_temperature_default();
	unsigned levels = m->parsed.levels;

	*r = (struct ratio){ .plain = o->measure != ML_MEASURE_MISS };
	if (!m->done ||
	    ((o->measure == ML_MEASURE_MISS || o->measure == ML_MEASURE_TEMPERATURE) &&
	     (o->level < 1 || o->level > levels)) ||
	    (o->measure == ML_MEASURE_SERVED && (o->level < 1 || o->level > levels + 1)))
		return false;
	r->num[0] = o->measure == ML_MEASURE_TIME && !o->weighted && m->beyond;
	for (unsigned k = 1; k <= levels + 1; k++) {
		r->den[k] = 1;
		switch (o->measure) {
		case ML_MEASURE_SERVED: r->num[k] = k == o->level; break;
		case ML_MEASURE_MISS:
			r->num[k] = k > o->level;
			r->den[k] = k >= o->level;
			break;
		case ML_MEASURE_MEMORY:
			r->num[k] = k > levels ? m->parsed.level[levels - 1].line : 0;
			break;
		case ML_MEASURE_TEMPERATURE:
			r->num[k] = k == o->level  ? scores.hit[k - 1]
				    : k > o->level ? scores.miss[o->level - 1]
						   : 0;
			break;
		default: r->num[k] = cycles(&m->parsed, o, k);
		}
	}
	return true;
}

static double position_of(const struct ml_curve_options *o, uint32_t trace, double common)
{
	return o->matching ? ml_time_match_position(o->matching, trace, common) : common;
}

/* References of the member for each reference of the base, between two common times. */
static double volume_of(const struct ml_curve_options *o, uint32_t trace, double from,
			double to)
{
	const struct ml_time_matching *m = o->matching;

	if (!o->volume || !m || m->how == ML_TIME_MATCH_RAW)
		return 1;
	double base = ml_time_match_position(m, m->base, to) -
		      ml_time_match_position(m, m->base, from);
	return (ml_time_match_position(m, trace, to) -
		ml_time_match_position(m, trace, from)) /
	       base;
}

/* The variables of one call of ml_curve_around. */
struct work {
	const struct ml_ensemble *e;
	const struct ml_member *m, *other; /* other: subtracted bin by bin; may be NULL */
	const struct ml_curve_options *o;
	struct ratio ratio;
	size_t half;     /* bins of the moving average on either side */
	double from, to; /* common time */
	double shift;
	size_t cells;
	struct ml_curve_track track;
};

static double bound(const struct work *w, size_t cell)
{
	return w->from + (w->to - w->from) * (double)cell / (double)w->cells;
}

static double clamp(double v, double low, double high)
{
	return v < low ? low : v > high ? high : v;
}

/* Sums up the bins that the cells need. */
static void prepare(struct work *w, struct room *r, bool ends, bool deviation)
{
	const struct ml_ensemble_trace *trace = &w->e->traces[w->m->trace];
	struct ml_curve_track *t = &w->track;
	struct ratio other;

	t->width = (double)((uint64_t)1 << trace->bits);
	t->bins_a_ref = 1 / t->width;
	t->refs = (double)ml_ensemble_refs(trace);
	t->bins = trace->bins;
	double first =
		floor(position_of(w->o, w->m->trace, w->from - w->shift) / t->width);
	double last = ceil(position_of(w->o, w->m->trace, w->to + w->shift) / t->width);
	size_t low = (size_t)clamp(first, 0, (double)t->bins);
	size_t high = (size_t)clamp(last, 0, (double)t->bins);
	if (low >= high)
		return;
	size_t reach = w->half + 1;
	t->first = low > reach ? low - reach : 0;
	t->count = (high + reach < t->bins ? high + reach : t->bins) - t->first;
	t->num = r->num;
	t->square = deviation ? r->square : NULL;
	if (w->other) { /* the deviation is that of the member alone */
		ratio_of(w->other, w->o, &other);
		t->own = r->own;
		ml_curve_track_sum(t, t->own, t->square, w->m, w->ratio.num, NULL, NULL);
	}
	ml_curve_track_sum(t, t->num, w->other ? NULL : t->square, w->m, w->ratio.num,
			   w->other, other.num);
	if (!w->ratio.plain) {
		t->den = r->den;
		ml_curve_track_sum(t, t->den, NULL, w->m, w->ratio.den, NULL, NULL);
	}
	if (ends) {
		t->value = r->value;
		if (w->shift > 0 || (high - low) / w->cells >= 2 * ML_CURVE_BLOCK) {
			t->min = r->min;
			t->max = r->max;
		}
		ml_curve_track_average(t, w->half, low, high);
	}
}

struct cell {
	double mean, low, high, deviation, asked;
};

/* Cell i, which covers the positions [p, q) of the trace. */
static struct cell cell_of(const struct work *w, size_t i, double p, double q)
{
	struct cell c = { NAN, NAN, NAN, NAN, NAN };
	const struct ml_curve_track *t = &w->track;
	uint32_t trace = w->m->trace;

	p = clamp(p, 0, t->refs);
	q = clamp(q, 0, t->refs);
	if (!t->num || q <= p)
		return c;
	double reach = ((double)w->half + 0.5) * t->width, mid = (p + q) / 2;
	reach = reach > (q - p) / 2 ? reach : (q - p) / 2;
	double from = clamp(mid - reach, 0, t->refs), to = clamp(mid + reach, 0, t->refs);

	c.asked = ml_curve_track_asked(t, from, to);
	if (!(c.asked > 0))
		return c;
	double volume = volume_of(w->o, trace, bound(w, i), bound(w, i + 1));
	double mean = ml_curve_track_between(t, t->num, from, to) / c.asked;
	double low = mean, high = mean;
	if (t->values) {
		if (w->shift > 0) {
			p = position_of(w->o, trace, bound(w, i) - w->shift);
			q = position_of(w->o, trace, bound(w, i + 1) + w->shift);
		}
		ml_curve_track_widen(t, p, q, &low, &high);
	}
	c.mean = mean * volume;
	c.low = low * volume;
	c.high = high * volume;
	if (t->square) {
		double own = t->own ? ml_curve_track_between(t, t->own, from, to) /
					      c.asked
				    : mean;
		double variance = ml_curve_track_between(t, t->square, from, to) /
					  c.asked -
				  own * own;

		c.deviation = sqrt(variance > 0 ? variance : 0) * volume;
	}
	return c;
}

static size_t half_of(const struct ml_curve_options *o, const struct ml_ensemble_trace *t)
{
	double bins = o->window / (double)((uint64_t)1 << t->bits);

	bins = bins < (double)t->bins * 2 ? bins : (double)t->bins * 2;
	return bins > 1 ? (size_t)round((bins - 1) / 2) : 0;
}

void ml_curve_around(const struct ml_curves *c, size_t member,
		     const struct ml_curve_options *o, double shift, double from,
		     double to, size_t cells, double *mean, double *low, double *high,
		     double *deviation, double *references)
{
	struct work w = { .e = c->e,
			  .m = &c->e->members[member],
			  .o = o,
			  .from = from,
			  .to = to,
			  .shift = shift,
			  .cells = cells };
	const struct ml_member *other = o->against < c->e->member_count
						? &c->e->members[o->against]
						: NULL;
	struct room *room = take_room(c);
	struct ml_arena arena = { 0 };
	double *minus = NULL;

	if (ratio_of(w.m, o, &w.ratio)) {
		struct ratio r;

		w.half = half_of(o, &c->e->traces[w.m->trace]);
		/*
		 * both have the same bins: the difference has its own minimum and maximum
		 */
		if (other && w.ratio.plain && other->trace == w.m->trace &&
		    ratio_of(other, o, &r))
			w.other = other;
		prepare(&w, room, low || high, deviation != NULL);
	}
	if (other && !w.other) {
		struct ml_curve_options alone = *o;

		alone.against = SIZE_MAX;
		minus = ml_arena_alloc(&arena, cells * sizeof(*minus));
		ml_curve(c, o->against, &alone, from, to, cells, minus, NULL, NULL, NULL);
	}
	double p = position_of(o, w.m->trace, from), q;
	for (size_t i = 0; i < cells; i++, p = q) {
		q = position_of(o, w.m->trace, bound(&w, i + 1));
		struct cell x = cell_of(&w, i, p, q);
		double d = minus ? minus[i] : 0;

		if (mean)
			mean[i] = x.mean - d;
		if (low)
			low[i] = x.low - d;
		if (high)
			high[i] = x.high - d;
		if (deviation)
			deviation[i] = x.deviation;
		if (references)
			references[i] = x.asked;
	}
	ml_arena_release(&arena);
	give_room(c, room);
}

void ml_curve(const struct ml_curves *c, size_t member, const struct ml_curve_options *o,
	      double from, double to, size_t cells, double *mean, double *low,
	      double *high, double *deviation)
{
	ml_curve_around(c, member, o, 0, from, to, cells, mean, low, high, deviation,
			NULL);
}

/* Adds sign * the counts before a position. */
static void count_upto(const struct ml_curves *c, size_t member, double position,
		       double sign, double count[ML_SERVED])
{
	const struct ml_member *m = &c->e->members[member];
	const struct ml_ensemble_trace *t = &c->e->traces[m->trace];
	size_t bin = (size_t)(position / (double)((uint64_t)1 << t->bits));
	double part = 0;

	if (bin >= t->bins)
		bin = t->bins;
	else
		part = (position - (double)((uint64_t)bin << t->bits)) /
		       (double)ml_ensemble_bin_refs(t, bin);
	for (unsigned k = 1; k <= m->parsed.levels + 1; k++) {
		uint64_t n = c->before[member][bin / ML_CURVE_BLOCK * ML_SERVED + k];

		for (size_t b = bin / ML_CURVE_BLOCK * ML_CURVE_BLOCK; b < bin; b++)
			n += m->served[k][b];
		count[k] += sign * (double)n;
		if (part > 0)
			count[k] += sign * part * m->served[k][bin];
	}
}

/* Cycles beyond those of the serving levels, of the references before a position. */
static double beyond_upto(const struct ml_curves *c, const struct ml_member *m,
			  double position)
{
	const struct ml_ensemble_trace *t = &c->e->traces[m->trace];
	double width = (double)((uint64_t)1 << t->bits), sum = 0;

	for (size_t i = 0; i < t->bins && (double)i * width < position; i++) {
		double refs = (double)ml_ensemble_bin_refs(t, i);
		double part = (position - (double)i * width) / refs;

		sum += (part < 1 ? part : 1) * (double)m->beyond[i];
	}
	return sum;
}

double ml_curve_total(const struct ml_curves *c, size_t member,
		      const struct ml_curve_options *o, double from, double to)
{
	const struct ml_member *m = &c->e->members[member];
	double refs = (double)ml_ensemble_refs(&c->e->traces[m->trace]);
	double p = clamp(position_of(o, m->trace, from), 0, refs),
	       q = clamp(position_of(o, m->trace, to), 0, refs);
	double count[ML_SERVED] = { 0 }, num = 0, den = 0, minus = 0;
	struct ratio r;

	if (!ratio_of(m, o, &r) || q <= p)
		return NAN;
	count_upto(c, member, q, 1, count);
	count_upto(c, member, p, -1, count);
	for (unsigned k = 1; k <= m->parsed.levels + 1; k++) {
		num += r.num[k] * count[k];
		den += r.den[k] * count[k];
	}
	if (r.num[0] > 0)
		num += beyond_upto(c, m, q) - beyond_upto(c, m, p);
	if (o->against < c->e->member_count) {
		struct ml_curve_options alone = *o;

		alone.against = SIZE_MAX;
		minus = ml_curve_total(c, o->against, &alone, from, to);
	}
	return num / den * volume_of(o, m->trace, from, to) - minus;
}
