/*
 * A loop returns to data that it only reads, after touching more than a level holds: the
 * same loop used the line before. If the loop worked in tiles, the level would still hold
 * the line. The gain is the cost of exactly these misses.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_prior.h"
#include "lib/analyse/find/find_steps.h"
#include "lib/trace/tables.h"

enum { NEAR = 10 }; /* L2 serves more than nine tenths of the misses of L1 */

/* All such misses of one function. */
struct group {
	const struct ml_spot *worst;
	double saved[ML_LEVELS];
	uint64_t missed[ML_LEVELS], count;
	double distance;
};

static void look(struct ml_find *f, void **mine)
{
	double all = 0;

	(void)mine;
	for (size_t i = 0; i < f->spot_count; i++)
		all += f->spots[i].by_cause[ML_CAUSE_CAPACITY];
	if (all >= f->min_cycles)
		ml_find_follow(f, &ml_find_prior);
}

static bool fits(const struct ml_find *f, const struct ml_prior_pair *p)
{
	const struct ml_spot *s = &f->spots[p->spot];

	return ml_prior_same_loop(f, p) && !ml_prior_idle(f, p) &&
	       !ml_find_irregular(f, s) && !ml_steps_walk(f, s) &&
	       !ml_prior_changes(f, s);
}

static struct group group_of(const struct ml_find *f, size_t first, bool *done)
{
	const struct ml_prior *x = f->prior;
	struct group g = { .worst = &f->spots[x->pairs[first].spot] };

	for (size_t i = first; i < x->count; i++) {
		const struct ml_prior_pair *p = &x->pairs[i];

		if (!fits(f, p) || !ml_find_together(f, &f->spots[p->spot], g.worst))
			continue;
		done[i] = true;
		g.count += p->count;
		g.distance += p->distance;
		for (unsigned l = 0; l < ML_LEVELS; l++) {
			g.saved[l] += p->saved[l];
			g.missed[l] += p->missed[l];
		}
	}
	return g;
}

/*
 * What every other pass backwards saves at most: its first lines are those that the pass
 * before has left in the level.
 */
static double saved_backwards(const struct ml_level_spec *level, double saved,
			      uint64_t set)
{
	return level->size < set ? saved * (double)level->size / (double)set : saved;
}

/* The level that tiles should fit, from 1: the largest that saves nearly as much. */
static unsigned level_of(const struct ml_find *f, const struct group *g)
{
	unsigned level = 1;

	for (unsigned l = 2; l < f->memory; l++)
		if (g->saved[l - 1] >= 0.9 * g->saved[0])
			level = l;
	return level;
}

static void claim(struct ml_find *f, struct ml_candidate *c, const struct group *g,
		  unsigned level)
{
	const struct ml_prior *x = f->prior;

	for (size_t i = 0; i < x->count; i++) {
		const struct ml_spot *s = &f->spots[x->pairs[i].spot];

		if (fits(f, &x->pairs[i]) && ml_find_together(f, s, g->worst))
			ml_find_claim(f, c, s, x->pairs[i].saved[level - 1]);
	}
}

static void tell(struct ml_find *f, const struct group *g)
{
	unsigned l = level_of(f, g);
	const struct ml_level_spec *level = &f->p->machine.level[l - 1];
	const struct ml_spot *s = g->worst;
	const char *name = ml_find_region(f, s->region);
	uint64_t set = (uint64_t)(g->distance / (double)g->count) * f->line;
	struct ml_candidate *c = ml_find_add(f, s->region, s, g->saved[l - 1], false);

	c->finding.title = ml_arena_printf(f->arena, "%s goes through %s again and again",
					   name, level->name);
	ml_find_say(f, c, "%s returns to its lines after touching about %s; %s holds %s.",
		    ml_find_place(f, s->line), ml_find_bytes(f, set), level->name,
		    ml_find_bytes(f, level->size));
	ml_find_say(f, c,
		    "The same loop used these lines before, and nobody wrote them "
		    "since.");
	c->finding.advice = ml_arena_printf(
		f->arena,
		"work in tiles: do all that needs one part of %s, of about %s, before "
		"going on to the next part. Legal if the iterations may run in another "
		"order (sums may change in the last digits). If each pass needs the result "
		"of the pass before, every other pass backwards saves %s at most",
		name, ml_find_bytes(f, level->size / 2),
		ml_find_percent(f, saved_backwards(level, g->saved[l - 1], set) /
					   f->cycles));
	ml_find_fact_text(c, "level", level->name);
	ml_find_fact(c, "working_set", (double)set);
	ml_find_fact(c, "holds", (double)level->size);
	ml_find_fact(c, "misses", (double)g->missed[l - 1]);
	/*
	 * L2 is so near that processors find other work while they wait for it: tiles
	 * that only spare L1 its misses came true in simulations and never by the clock
	 * (docs/measured/field.md).
	 */
	c->finding.vague = f->memory > 3 && NEAR * g->saved[1] < g->saved[0];
	/* tiles that fit the last level only, or L1 */
	ml_find_bounds(f, c, g->saved[f->memory - 2], g->saved[0]);
	claim(f, c, g, l);
}

static void conclude(struct ml_find *f, void *mine)
{
	const struct ml_prior *x = f->prior;

	(void)mine;
	if (!x)
		return;
	bool *done = ml_arena_alloc(f->arena, x->count + 1);
	for (size_t i = 0; i < x->count; i++) {
		if (done[i] || !fits(f, &x->pairs[i]))
			continue;
		struct group g = group_of(f, i, done);

		if (g.saved[0] >= f->min_cycles)
			tell(f, &g);
	}
}

const struct ml_finder ml_find_tile = {
	.kind = "tile",
	.rule = "A loop returns to data after the cache has lost them.",
	.view = { .name = "plane", .cause = "capacity", .again = true, .miss = "{back}" },
	.weight = 0.7, /* it is an estimate, and tiles take manual work */
	.look = look,
	.conclude = conclude,
};
