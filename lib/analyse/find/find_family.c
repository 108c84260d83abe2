#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_family.h"

#include <string.h>

enum { PART = 8 /* arrays of a family that together may save just enough */, NAMED = 5 };

double ml_family_min(const struct ml_find *f)
{
	return f->min_cycles / PART;
}

static bool alike(const struct ml_find *f, const struct ml_candidate *a,
		  const struct ml_candidate *b)
{
	const struct ml_finding *x = &a->finding, *y = &b->finding;

	if (a->finder != b->finder || !a->finder->family || !a->region || !b->region ||
	    a->region == b->region || !*x->func || strcmp(x->func, y->func) != 0 ||
	    strcmp(x->file, y->file) != 0)
		return false;
	return a->finder->family == ML_FAMILY_ANY ||
	       ml_find_block_size(f, a->region, NULL) ==
		       ml_find_block_size(f, b->region, NULL);
}

/* The candidate that speaks for the family: the one that saves most. */
static bool speaks(const struct ml_find *f, const struct ml_candidate *c)
{
	for (size_t i = 0; i < f->candidate_count; i++) {
		const struct ml_candidate *o = &f->candidates[i];

		if (o != c && alike(f, c, o) &&
		    (o->finding.gain > c->finding.gain ||
		     (o->finding.gain == c->finding.gain && o < c)))
			return false;
	}
	return true;
}

/* "gy, gz and 5 more". */
static const char *append_name(struct ml_find *f, const char *names, const char *name,
			       size_t number, size_t all)
{
	if (number > NAMED)
		return names;
	if (number == NAMED && all > NAMED)
		return ml_arena_printf(f->arena, "%s and %zu more", names,
				       all - NAMED + 1);
	return ml_arena_printf(f->arena, "%s%s%s", names,
			       number == 1     ? ""
			       : number == all ? " and "
					       : ", ",
			       name);
}

static void take(struct ml_find *f, struct ml_candidate *c, struct ml_candidate *other)
{
	for (size_t i = 0; i < other->claim_count; i++)
		ml_find_claim(f, c, &f->spots[other->claims[i].spot],
			      other->claims[i].cycles);
	c->more += other->more;
	c->spares |= other->spares;
	c->finding.gain += other->finding.gain;
	c->finding.low += other->finding.low;
	c->finding.high += other->finding.high;
	other->finding.gain = 0;
}

static void tell(struct ml_find *f, struct ml_candidate *c, const char *names,
		 size_t others, double own)
{
	ml_find_say(f, c, "%s %s used alike and save%s %s of the total.", names,
		    others == 1 ? "is" : "are", others == 1 ? "s" : "",
		    ml_find_percent(f, c->finding.gain - own));
	c->finding.title = ml_arena_printf(f->arena, "%s; %zu more alike",
					   c->finding.title, others);
	c->finding.advice = ml_arena_printf(f->arena, "%s. Do the same for %s",
					    c->finding.advice, names);
	ml_find_fact(c, "arrays", (double)others + 1);
	ml_find_fact_text(c, "alike", names);
}

/* Whether no earlier candidate of the family is about the same region. */
static bool is_first(const struct ml_find *f, const struct ml_candidate *c, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (f->candidates[i].region == f->candidates[at].region &&
		    alike(f, c, &f->candidates[i]))
			return false;
	return true;
}

static void join(struct ml_find *f, struct ml_candidate *c)
{
	double own = c->finding.gain;
	size_t others = 0, n = 0;
	const char *names = "";

	for (size_t i = 0; i < f->candidate_count; i++)
		others += alike(f, c, &f->candidates[i]) && is_first(f, c, i);
	for (size_t i = 0; i < f->candidate_count; i++) {
		struct ml_candidate *o = &f->candidates[i];

		if (!alike(f, c, o))
			continue;
		if (is_first(f, c, i))
			names = append_name(f, names, o->finding.region, ++n, others);
		take(f, c, o);
	}
	ml_find_cap(f, c);
	if (others)
		tell(f, c, names, others, own);
}

void ml_families_join(struct ml_find *f)
{
	for (size_t i = 0; i < f->candidate_count; i++) {
		struct ml_candidate *c = &f->candidates[i];

		if (c->finder->family && c->finding.gain > 0 && speaks(f, c))
			join(f, c);
	}
}
