/* Changes that finders have simulated, and what they save in the whole run. */
#include <math.h>
#include <string.h>

#include "lib/analyse/find/find_rounds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"

static double cycles_of(const struct ml_find *f, const uint64_t served[ML_SERVED])
{
	double sum = 0;

	for (unsigned i = 1; i <= f->memory; i++)
		sum += f->cost[i] * (double)served[i];
	return sum;
}

/* Cycles of address translation; the counts are 0 if it was not simulated. */
static double translation_of(const struct ml_find *f, const uint64_t paged[ML_SERVED])
{
	double sum = 0;

	for (unsigned i = 1; i <= f->p->machine.tlbs + 1; i++)
		sum += ml_find_translation(f, i) * (double)paged[i];
	return sum;
}

static bool concerns(const struct ml_find *f, const struct ml_change *c,
		     const struct ml_profile_cell *x)
{
	return ml_find_same(f, x->region) == c->region &&
	       (!c->by || c->by[x->caller ? x->caller : x->site]);
}

/*
 * At best the references of a change wait for nothing, and those that it leaves out are
 * not made. A region that moves spares others their misses as well, which are not known.
 */
static double bound_of(const struct ml_find *f, const struct ml_change *c,
		       double *not_made)
{
	double sum = 0;

	*not_made = 0;

	for (; c; c = c->also)
		for (size_t i = 0; i < f->p->cell_count; i++) {
			const struct ml_profile_cell *x = &f->p->cells[i];
			uint64_t n = x->kind[0] + x->kind[1] + x->kind[2];

			if (!concerns(f, c, x))
				continue;
			if (c->kind == ML_CHANGE_SHIFT)
				return INFINITY;
			sum += ml_find_cell_waits(f, x);
			if (c->kind == ML_CHANGE_DROP)
				*not_made += (double)n * f->cost[1];
		}
	return sum + *not_made;
}

/* References of the whole run that a change concerns; *waits: their cycles beyond L1. */
static double concerned(const struct ml_find *f, const struct ml_change *c, double *waits)
{
	uint64_t n = 0;

	*waits = 0;
	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *x = &f->p->cells[i];

		if (!concerns(f, c, x))
			continue;
		n += x->kind[0] + x->kind[1] + x->kind[2];
		for (unsigned l = 2; l <= f->memory; l++)
			*waits += (f->cost[l] - f->cost[1]) * (double)x->served[l];
	}
	return (double)n;
}

/* A trial that drops the same references, or tried_count. */
static size_t dropped(const struct ml_find *f, const struct ml_change *c)
{
	size_t i = 0;

	for (; i < f->tried_count; i++) {
		const struct ml_change *x = &f->tried[i].change;

		if (x->kind == ML_CHANGE_DROP && x->region == c->region && !x->also &&
		    x->by && !memcmp(x->by, c->by, f->tables->sites.count))
			break;
	}
	return i;
}

size_t ml_find_try(struct ml_find *f, const struct ml_change *c,
		   const struct ml_spot *spot)
{
	struct ml_tried x = { .change = *c, .by = f->now };
	size_t same = f->tried_count;

	if (spot)
		x.change.by = ml_find_sites(f, spot->line);
	if (x.change.kind == ML_CHANGE_DROP && x.change.by && !x.change.also)
		same = dropped(f, &x.change);
	if (same < f->tried_count)
		return same;
	x.concerned = concerned(f, &x.change, &x.waits);
	x.bound = bound_of(f, &x.change, &x.not_made);
	f->tried = ml_grow(f->tried, &f->tried_cap, f->tried_count + 1,
			   sizeof(*f->tried));
	f->tried[f->tried_count] = x;
	return f->tried_count++;
}

double ml_find_cycles(const struct ml_find *f, const struct ml_trial *t)
{
	return cycles_of(f, t->served) + translation_of(f, t->paged);
}

/*
 * If all references were tried, the difference is the answer. Else it is scaled by the
 * references that the change concerns in the run to those in the slices, or to those that
 * it lists.
 */
double ml_find_saved_error(const struct ml_find *f, size_t trial, double *error)
{
	double moved[ML_SLICES_MAX], cycles[ML_SLICES_MAX];
	const struct ml_tried *x;
	const struct ml_round *r;

	*error = 0;
	if (!f->simulated) /* the list of changes may not even be made */
		return 0;
	x = &f->tried[trial];
	r = x->round;
	if (!r)
		return 0;
	for (size_t i = 0; i < r->slices.count; i++) {
		const struct ml_trial *parts = r->parts + i * (r->count + 1);
		const struct ml_trial *t = &parts[x->at];

		moved[i] = (double)ml_find_missed(t->region_before, 0);
		cycles[i] = ml_find_cycles(f, &parts[r->count]) - ml_find_cycles(f, t);
	}
	if (r->slices.count == 1 && !x->change.partial)
		return cycles[0];
	double saved = ml_slices_scale(&r->slices, moved, cycles, x->concerned, error);

	if (saved > x->bound)
		saved = x->bound;
	return x->at_most > 0 && saved > x->at_most ? x->at_most : saved;
}

double ml_find_saved(const struct ml_find *f, size_t trial)
{
	double error;

	return ml_find_saved_error(f, trial, &error);
}

const uint64_t *ml_find_untouched(const struct ml_find *f, size_t trial)
{
	const struct ml_tried *x = &f->tried[trial];

	return x->round ? x->round->served : x->trial.served;
}

void ml_find_tried(struct ml_find *f, struct ml_candidate *c, size_t trial)
{
	double error;

	ml_find_saved_error(f, trial, &error);
	double low = c->finding.low - 2 * error / f->cycles;
	c->finding.low = low > 0 ? low : 0;
	double high = c->finding.high + 2 * error / f->cycles;
	double max = f->tried[trial].bound / f->cycles;
	c->spares |= isinf(max);
	c->more = fmax(c->more, f->tried[trial].not_made);
	c->finding.high = high < max ? high : fmax(max, c->finding.high);
}

size_t ml_find_best(const struct ml_find *f, const size_t *trials, size_t count,
		    double *saved)
{
	double max = 0;
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		double x = ml_find_saved(f, trials[i]);

		max = x > max ? x : max;
	}
	while (max > 0 && ml_find_saved(f, trials[best]) < 0.95 * max)
		best++;
	*saved = max > 0 ? ml_find_saved(f, trials[best]) : 0;
	return best;
}
