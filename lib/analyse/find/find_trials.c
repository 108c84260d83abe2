/* Changes that finders have simulated, and what they save in the whole run. */
#include <string.h>

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

/* References of the whole run that a change concerns. */
static double concerned(const struct ml_find *f, const struct ml_change *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *x = &f->p->cells[i];

		if (ml_find_same(f, x->region) == c->region &&
		    (!c->by || c->by[x->caller ? x->caller : x->site]))
			n += x->kind[0] + x->kind[1] + x->kind[2];
	}
	return (double)n;
}

/* A trial that drops the same references, or change_count. */
static size_t dropped(const struct ml_find *f, const struct ml_change *c)
{
	size_t i = 0;

	for (; i < f->change_count; i++) {
		const struct ml_change *x = &f->changes[i];

		if (x->kind == ML_CHANGE_DROP && x->region == c->region && !x->also &&
		    x->by && !memcmp(x->by, c->by, f->tables->sites.count))
			break;
	}
	return i;
}

size_t ml_find_try(struct ml_find *f, const struct ml_change *c,
		   const struct ml_spot *spot)
{
	struct ml_change own = *c;
	size_t same = f->change_count;

	if (spot)
		own.by = ml_find_sites(f, spot->line);
	if (own.kind == ML_CHANGE_DROP && own.by && !own.also)
		same = dropped(f, &own);
	if (same < f->change_count)
		return same;
	f->changes = ml_grow(f->changes, &f->change_cap, f->change_count + 1,
			     sizeof(*f->changes));
	f->concerned = ml_grow(f->concerned, &f->concerned_cap, f->change_count + 1,
			       sizeof(*f->concerned));
	f->changes[f->change_count] = own;
	f->concerned[f->change_count] = concerned(f, &own);
	return f->change_count++;
}

/* All cycles of the references of a slice, with a change. */
static double cycles_in(const struct ml_find *f, const struct ml_trial *t)
{
	return cycles_of(f, t->served) + translation_of(f, t->paged);
}

/*
 * If all references were tried, the difference is the answer. Else it is scaled by the
 * references that the change concerns in the run to those in the slices.
 */
static double saved(const struct ml_find *f, size_t trial, double *error)
{
	size_t n = f->change_count;
	double moved[ML_SLICES], cycles[ML_SLICES];

	*error = 0;
	if (!f->trials)
		return 0;
	for (size_t i = 0; i < f->slices->count; i++) {
		const struct ml_trial *parts = f->parts + i * (n + 1);

		moved[i] = (double)ml_find_missed(parts[trial].region_before, 0);
		cycles[i] = cycles_in(f, &parts[n]) - cycles_in(f, &parts[trial]);
	}
	if (f->slices->count == 1)
		return cycles[0];
	return ml_slices_scale(f->slices, moved, cycles, f->concerned[trial], error);
}

double ml_find_saved(const struct ml_find *f, size_t trial)
{
	double error;

	return saved(f, trial, &error);
}

void ml_find_tried(struct ml_find *f, struct ml_candidate *c, size_t trial)
{
	double error;

	saved(f, trial, &error);
	double low = c->finding.low - 2 * error / f->cycles;
	c->finding.low = low > 0 ? low : 0;
	c->finding.high += 2 * error / f->cycles;
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
