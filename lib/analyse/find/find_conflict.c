#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_conflict.h"

static bool concerns(const struct ml_spot *s, uint32_t a, uint32_t b)
{
	return s->region == a || s->region == b;
}

const struct ml_spot *ml_conflict_worst(const struct ml_find *f, uint32_t a, uint32_t b)
{
	const struct ml_spot *worst = NULL;

	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *s = &f->spots[i];

		if (concerns(s, a, b) &&
		    (!worst ||
		     s->by_cause[ML_CAUSE_CONFLICT] > worst->by_cause[ML_CAUSE_CONFLICT]))
			worst = s;
	}
	return worst;
}

void ml_conflict_try(struct ml_find *f, struct ml_conflicts *all,
		     const struct ml_conflict *x)
{
	struct ml_conflict *to = &all->at[all->count++];
	struct ml_change c = x->change;

	*to = *x;
	for (size_t i = 0; i < x->count; i++) {
		c.pad = x->lines[i] * f->line;
		to->trial[i] = ml_find_try(f, &c, NULL);
	}
}

/* False if no pad saves enough. */
static bool find_remedy(const struct ml_find *f, const struct ml_conflict *x,
			struct ml_conflict_remedy *r)
{
	size_t best = ml_find_best(f, x->trial, x->count, &r->saved);

	if (r->saved < f->min_cycles)
		return false;
	r->pad = x->lines[best] * f->line;
	r->trial = x->trial[best];
	return true;
}

void ml_conflict_conclude(struct ml_find *f, void *mine)
{
	struct ml_conflicts *all = mine;

	for (size_t i = 0; i < all->count; i++) {
		struct ml_conflict_remedy remedy;

		if (find_remedy(f, &all->at[i], &remedy))
			all->tell(f, &all->at[i], &remedy);
	}
}

struct ml_candidate *ml_conflict_add(struct ml_find *f, const struct ml_conflict *x,
				     const struct ml_conflict_remedy *r)
{
	const struct ml_spot *worst = ml_conflict_worst(f, x->a, x->b);
	struct ml_candidate *c = ml_find_add(f, x->change.region, worst, r->saved, true);

	ml_find_tried(f, c, r->trial);
	c->spares = true; /* the data behind it move, too */
	for (size_t i = 0; i < f->spot_count; i++)
		if (concerns(&f->spots[i], x->a, x->b))
			ml_find_claim(f, c, &f->spots[i],
				      f->spots[i].by_cause[ML_CAUSE_CONFLICT]);
	return c;
}
