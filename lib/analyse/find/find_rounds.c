#include "lib/analyse/find/find_rounds.h"

#include <math.h>
#include <string.h>

#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"

/* A part decides if what it says is certain to so much of all cycles, or of the gain. */
static const double CERTAIN = 0.0075, CERTAIN_PART = 0.02;
/* Of variants of one change, one that saves less than this part of the best is out. */
static const double BEATEN = 0.9;
/* Changes of one finder that save less than this part of what a finding must save. */
static const double IDLE = 0.9;

enum { SETTLED = 64 }; /* a slice has so many references for each line of a full cache */

/* A change that concerns no reference of the run saves nothing. */
static bool is_open(const struct ml_tried *x, bool part)
{
	return !x->decided && x->concerned > 0 && !(part && x->needs_whole);
}

size_t ml_round_open(const struct ml_find *f, bool part)
{
	size_t n = 0;

	for (size_t i = 0; i < f->tried_count; i++)
		n += is_open(&f->tried[i], part);
	return n;
}

struct ml_round *ml_round_make(struct ml_find *f, const struct ml_slices *slices,
			       bool part)
{
	struct ml_round *r = ml_arena_alloc(f->arena, sizeof(*r));
	size_t n = f->tried_count;

	r->slices = *slices;
	r->numbers = ml_arena_alloc(f->arena, (n + 1) * sizeof(*r->numbers));
	r->changes = ml_arena_alloc(f->arena, (n + 1) * sizeof(*r->changes));
	for (size_t i = 0; i < n; i++)
		if (is_open(&f->tried[i], part)) {
			r->numbers[r->count] = i;
			r->changes[r->count++] = f->tried[i].change;
		}
	n = r->count + 1;
	r->trials = ml_arena_alloc(f->arena, n * sizeof(*r->trials));
	r->parts = ml_arena_alloc(f->arena, slices->count * n * sizeof(*r->parts));
	return r;
}

void ml_round_end(struct ml_find *f, struct ml_round *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct ml_tried *x = &f->tried[r->numbers[i]];

		x->trial = r->trials[i];
		x->round = r;
		x->at = i;
	}
}

/* The first level, from 1, that is not full after a slice; none: memory. */
static unsigned first_unsettled(const struct ml_find *f, const struct ml_round *r)
{
	const struct ml_machine *m = &f->p->machine;
	unsigned l = 1;

	while (l < f->memory && m->level[l - 1].size / f->line * SETTLED <=
					r->slices.refs / r->slices.count)
		l++;
	return l;
}

/* Sums a cost over the slices of a round, for the whole run. */
struct cost {
	double moved[ML_SLICES_MAX];  /* references that the change concerns */
	double before[ML_SLICES_MAX]; /* their waiting without the change */
	double after[ML_SLICES_MAX];  /* with it */
	double others[ML_SLICES_MAX]; /* cycles saved elsewhere: other data, TLBs */
	double cold[ML_SLICES_MAX]; /* of this, what may be because caches are not full */
};

static void find_cost(const struct ml_find *f, const struct ml_round *r, size_t i,
		      struct cost *c)
{
	unsigned large = first_unsettled(f, r), walk = f->p->machine.tlbs + 1;

	for (size_t k = 0; k < r->slices.count; k++) {
		const struct ml_trial *t = &r->parts[k * (r->count + 1) + i];

		c->moved[k] = (double)ml_find_missed(t->region_before, 0);
		c->before[k] = c->after[k] = c->cold[k] = 0;
		for (unsigned l = 2; l <= f->memory; l++) {
			double cycles = f->cost[l] - f->cost[1];

			c->before[k] += cycles * (double)t->region_before[l];
			c->after[k] += cycles * (double)t->region_after[l];
		}
		for (unsigned l = large + 1; l <= f->memory; l++)
			c->cold[k] += (f->cost[l] - f->cost[large]) *
				      (double)t->region_after[l];
		c->others[k] = ml_find_cycles(f,
					      &r->parts[k * (r->count + 1) + r->count]) -
			       ml_find_cycles(f, t) - (c->before[k] - c->after[k]);
		if (walk > 1)
			c->cold[k] += ml_find_translation(f, walk) *
				      (double)t->paged[walk];
	}
}

/* What a round says about a change, in cycles of the whole run. */
struct verdict {
	double saved, doubt; /* doubt: what it may save more, or less */
	double bias;    /* of this, what more slices of the same length do not mend */
	double at_most; /* what it may save at all */
};

static struct verdict judge(const struct ml_find *f, const struct ml_round *r, size_t i)
{
	size_t n = r->numbers[i];
	const struct ml_slices *s = &r->slices;
	struct verdict v;
	struct cost c;
	const struct ml_tried *x = &f->tried[n];
	double error, unsure, ignored, all = x->concerned;

	find_cost(f, r, i, &c);
	v.saved = ml_find_saved_error(f, n, &error);
	double before = ml_slices_scale(s, c.moved, c.before, all, &ignored);
	double cold = ml_slices_scale(s, c.moved, c.cold, all, &ignored);
	double others = ml_slices_scale(s, c.moved, c.others, all, &unsure);
	v.bias = fabs(before - x->waits) + cold;
	v.doubt = 2 * error + v.bias;
	v.at_most = v.saved + v.doubt;
	/* at best its references wait for nothing */
	double best = x->waits + (others > 0 ? others : 0) + 2 * unsure;
	if (r->changes[i].kind == ML_CHANGE_DROP)
		best += x->concerned * f->cost[1];
	if (best < v.at_most)
		v.at_most = best;
	return v;
}

/* Whether two changes are the same one by another number of bytes. */
static bool variants(const struct ml_change *a, const struct ml_change *b)
{
	return a->kind == b->kind && a->region == b->region && a->pitch == b->pitch &&
	       (a->kind == ML_CHANGE_PAD || a->kind == ML_CHANGE_SHIFT);
}

static bool is_beaten(const struct ml_round *r, const struct verdict *v, size_t i)
{
	for (size_t k = 0; k < r->count; k++)
		if (k != i && variants(&r->changes[i], &r->changes[k]) &&
		    v[i].at_most < BEATEN * (v[k].saved - v[k].doubt))
			return true;
	return false;
}

/* Whether two changes are of one finder and region: one of them is made. */
static bool of_one_choice(const struct ml_find *f, const struct ml_round *r, size_t a,
			  size_t b)
{
	return f->tried[r->numbers[a]].by == f->tried[r->numbers[b]].by &&
	       r->changes[a].region == r->changes[b].region;
}

/* The most that the changes of one choice may save. */
static double most(const struct ml_find *f, const struct ml_round *r,
		   const struct verdict *v, size_t i)
{
	double max = 0;

	for (size_t k = 0; k < r->count; k++)
		if (of_one_choice(f, r, i, k) && v[k].at_most > max)
			max = v[k].at_most;
	return max;
}

static bool is_first_of_region(const struct ml_find *f, const struct ml_round *r,
			       size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (of_one_choice(f, r, i, k))
			return false;
	return true;
}

/* Whether a change saves too little for a finding, also together with its family. */
static bool is_idle(const struct ml_find *f, const struct ml_round *r,
		    const struct verdict *v, size_t i)
{
	const struct ml_finder *finder = f->tried[r->numbers[i]].by;
	double sum = 0;

	if (finder->family == ML_FAMILY_NONE)
		return most(f, r, v, i) < IDLE * f->min_cycles;
	for (size_t k = 0; k < r->count; k++)
		if (f->tried[r->numbers[k]].by == finder && is_first_of_region(f, r, k))
			sum += most(f, r, v, k);
	return sum < IDLE * f->min_cycles;
}

bool ml_round_decide(struct ml_find *f, const struct ml_round *r)
{
	struct verdict *v = ml_arena_alloc(f->arena, (r->count + 1) * sizeof(*v));
	bool some = false;

	for (size_t i = 0; i < r->count; i++)
		v[i] = judge(f, r, i);
	for (size_t i = 0; i < r->count; i++) {
		bool met = ml_find_missed(r->trials[i].region_before, 0) > 0;
		bool sure = v[i].doubt <= CERTAIN * f->cycles ||
			    v[i].doubt <= CERTAIN_PART * v[i].saved;

		bool idle = is_idle(f, r, v, i);
		struct ml_tried *x = &f->tried[r->numbers[i]];

		x->decided = met && (sure || idle || is_beaten(r, v, i));
		/* a part with caches that are not full may promise more */
		if (met && idle && !sure)
			x->at_most = v[i].at_most;
		x->needs_whole = v[i].bias > CERTAIN * f->cycles &&
				 v[i].bias > CERTAIN_PART * v[i].saved;
		some |= x->decided;
	}
	return some;
}
