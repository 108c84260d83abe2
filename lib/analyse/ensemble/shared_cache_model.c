#include "lib/analyse/ensemble/shared_cache_model.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/table.h"

/* Bytes; whole numbers below have their own double. */
static const double SIZE_LIMIT = 9007199254740992.; /* 2^53 */

struct sharing {
	struct ml_shared_cache *s;
	const uint32_t *family;
	const double *size; /* sizes of the family, ascending */
	size_t count;
	size_t chosen[ML_SHARED_CACHE_THREADS];
	struct ml_arena *arena;
};

static void add_way(struct sharing *x)
{
	struct ml_shared_cache *s = x->s;

	if (s->count == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct ml_shared_cache_member *more = ml_arena_alloc(x->arena,
								     cap * sizeof(*more));

		if (s->count)
			memcpy(more, s->at, s->count * sizeof(*more));
		s->at = more;
		s->cap = cap;
	}
	struct ml_shared_cache_member *way = &s->at[s->count++];
	for (unsigned i = 0; i < s->threads; i++) {
		way->member[i] = x->family[x->chosen[i]];
		way->starved += x->chosen[i] == 0;
	}
}

/* Divides `left` among thread i and those behind it, none getting less than size[min]. */
static bool share_out(struct sharing *x, unsigned i, size_t min, double left,
		      struct ml_err *err)
{
	unsigned others = x->s->threads - i;

	if (!others) {
		if (left > 0)
			return true;
		if (x->s->count == ML_SHARED_CACHE_MAX)
			return ml_fail(err, ML_USAGE,
				       "there are more than %d ways to share %.0f among "
				       "%u threads; take fewer sizes or threads",
				       ML_SHARED_CACHE_MAX, x->s->total, x->s->threads);
		add_way(x);
		return true;
	}
	for (size_t k = min; k < x->count && x->size[k] * others <= left; k++) {
		/* the rest is too much even for the largest size */
		if (x->size[k] + x->size[x->count - 1] * (others - 1) < left)
			continue;
		x->chosen[i] = k;
		if (!share_out(x, i + 1, k, left - x->size[k], err))
			return false;
	}
	return true;
}

static bool no_way(const struct sharing *x, struct ml_err *err)
{
	char text[ML_NUMBER_ROOM];
	struct ml_buf list = { 0 };

	for (size_t i = 0; i < x->count; i++)
		ml_buf_printf(&list, "%s%s", i ? ", " : "",
			      ml_format_bytes(text, (uint64_t)x->size[i]));
	ml_fail(err, ML_USAGE, "no %u members add up to %s of '%s'; there are %.*s",
		x->s->threads, ml_format_bytes(text, (uint64_t)x->s->total), x->s->param,
		(int)list.size, (const char *)list.data);
	ml_buf_release(&list);
	return false;
}

bool ml_shared_cache_among(struct ml_shared_cache *s, const struct ml_ensemble *e,
			   const char *param, const uint32_t *family, size_t size,
			   unsigned threads, double total, struct ml_arena *a,
			   struct ml_err *err)
{
	double *sizes = ml_arena_alloc(a, size * sizeof(*sizes));
	struct sharing x = {
		.s = s, .family = family, .size = sizes, .count = size, .arena = a
	};

	*s = (struct ml_shared_cache){ .threads = threads,
				       .param = param,
				       .total = total };
	if (threads < 2 || threads > ML_SHARED_CACHE_THREADS)
		return ml_fail(err, ML_USAGE, "2 to %d threads can share, not %u",
			       ML_SHARED_CACHE_THREADS, threads);
	for (size_t i = 0; i < size; i++) {
		sizes[i] = ml_curve_number(&e->members[family[i]], param);
		if (!(sizes[i] >= 1 && sizes[i] <= SIZE_LIMIT))
			return ml_fail(err, ML_USAGE,
				       "%g is no size of a cache: '%s' of '%s'", sizes[i],
				       param, e->members[family[i]].label);
	}
	if (!(total >= 1 && total <= SIZE_LIMIT))
		return ml_fail(err, ML_USAGE, "%g bytes are no size of a cache to share",
			       total);
	return share_out(&x, 0, 0, total, err) && (s->count || no_way(&x, err));
}

bool ml_shared_cache_make(struct ml_shared_cache *s, const struct ml_ensemble *e,
			  const char *param, unsigned threads, double total,
			  struct ml_arena *a, struct ml_err *err)
{
	uint32_t *family;
	size_t size;

	return ml_curve_family(e, param, NULL, &family, &size, a, err) &&
	       ml_shared_cache_among(s, e, param, family, size, threads, total, a, err);
}

/* The curve of a first-order member, which all its ways share. */
struct part {
	double *mean, *low, *high, *asked; /* [cells] */
};

static struct part part_of(const struct ml_curves *c, size_t member,
			   const struct ml_curve_options *o, double shift, double from,
			   double to, size_t cells, bool ends, struct ml_arena *a)
{
	struct part p = { .mean = ml_arena_alloc(a, cells * sizeof(*p.mean)),
			  .asked = ml_arena_alloc(a, cells * sizeof(*p.asked)) };

	if (ends) {
		p.low = ml_arena_alloc(a, cells * sizeof(*p.low));
		p.high = ml_arena_alloc(a, cells * sizeof(*p.high));
	}
	/*
	 * two threads are the whole shift apart when one is half of it early and the
	 * other half of it late
	 */
	ml_curve_around(c, member, o, shift / 2, from, to, cells, p.mean, p.low, p.high,
			NULL, p.asked);
	return p;
}

/* sum(asked * value) / sum(asked), over the threads that ask. */
static double pool(const struct part *const *part, unsigned threads, size_t cell,
		   size_t which)
{
	double sum = 0, asked = 0;

	for (unsigned i = 0; i < threads; i++) {
		const struct part *p = part[i];
		const double *v = which == 0 ? p->mean : which == 1 ? p->low : p->high;

		if (!(p->asked[cell] > 0))
			continue;
		sum += p->asked[cell] * v[cell];
		asked += p->asked[cell];
	}
	return sum / asked;
}

static void pool_way(const struct part *const *part, unsigned threads, size_t cells,
		     double *const out[3])
{
	for (size_t which = 0; which < 3; which++)
		for (size_t i = 0; out[which] && i < cells; i++)
			out[which][i] = pool(part, threads, i, which);
}

static void curves_of(const struct ml_curves *c, const struct ml_shared_cache *s,
		      size_t first, size_t count, const struct ml_curve_options *o,
		      double shift, double from, double to, size_t cells,
		      double *const out[3])
{
	struct ml_arena a = { 0 };
	size_t members = ml_curves_ensemble(c)->member_count;
	struct part *parts = ml_arena_alloc(&a, members * sizeof(*parts));

	for (size_t w = 0; w < count; w++) {
		const struct ml_shared_cache_member *way = &s->at[first + w];
		const struct part *part[ML_SHARED_CACHE_THREADS];
		double *row[3];

		for (unsigned i = 0; i < s->threads; i++) {
			struct part *p = &parts[way->member[i]];

			if (!p->mean)
				*p = part_of(c, way->member[i], o, shift, from, to, cells,
					     out[1] || out[2], &a);
			part[i] = p;
		}
		for (size_t i = 0; i < 3; i++)
			row[i] = out[i] ? out[i] + w * cells : NULL;
		pool_way(part, s->threads, cells, row);
	}
	ml_arena_release(&a);
}

void ml_shared_cache_curves(const struct ml_curves *c, const struct ml_shared_cache *s,
			    const struct ml_curve_options *o, double shift, double from,
			    double to, size_t cells, double *mean, double *low,
			    double *high)
{
	curves_of(c, s, 0, s->count, o, shift, from, to, cells,
		  (double *const[3]){ mean, low, high });
}

/* The references of a member over the whole run, or those that reach the level. */
static double asked_of(const struct ml_curves *c, size_t member,
		       const struct ml_curve_options *o, double end)
{
	const struct ml_ensemble *e = ml_curves_ensemble(c);
	struct ml_curve_options inner = { .measure = ML_MEASURE_SERVED,
					  .matching = o->matching,
					  .against = SIZE_MAX };
	double share = 1;

	for (unsigned k = 1; o->measure == ML_MEASURE_MISS && k < o->level; k++) {
		inner.level = k;
		share -= ml_curve_total(c, member, &inner, 0, end);
	}
	return share * (double)ml_ensemble_refs(&e->traces[e->members[member].trace]);
}

double ml_shared_cache_total(const struct ml_curves *c, const struct ml_shared_cache *s,
			     size_t which, const struct ml_curve_options *o)
{
	const struct ml_ensemble *e = ml_curves_ensemble(c);
	const uint32_t *member = s->at[which].member;
	double end = o->matching ? ml_time_match_end(o->matching)
				 : (double)ml_ensemble_refs(
					   &e->traces[e->members[member[0]].trace]);
	double sum = 0, all = 0;

	for (unsigned i = 0; i < s->threads; i++) {
		double asked = asked_of(c, member[i], o, end);

		if (!(asked > 0))
			continue;
		sum += asked * ml_curve_total(c, member[i], o, 0, end);
		all += asked;
	}
	return sum / all;
}
