/*
 * Sweeps: the same loop walks over data again and again, and writes them, so that each
 * sweep needs the one before. Every other sweep can often go backwards: it then starts
 * with the data that are still cached. The simulated change mirrors the addresses of
 * every other sweep, which gives the order of addresses of a sweep backwards.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_prior.h"
#include "lib/analyse/find/find_steps.h"
#include "lib/trace/tables.h"

enum { MAX_LOOPS = 3, MIN_SWEEPS = 3, MAX_REGIONS = 8 };

struct loop {
	const struct ml_spot *worst;
	double saved; /* cycles if all of its misses became hits of L1 */
	double distance, count;
	size_t trial;
};

struct mine {
	struct loop loops[MAX_LOOPS];
	size_t count;
};

static void look(struct ml_find *f, void **mine)
{
	*mine = ml_arena_alloc(f->arena, sizeof(struct mine));
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].by_cause[ML_CAUSE_CAPACITY] >= f->min_cycles) {
			ml_find_follow(f, &ml_find_prior);
			return;
		}
}

static bool fits(const struct ml_find *f, const struct ml_prior_pair *p)
{
	const struct ml_spot *s = &f->spots[p->spot];

	return ml_prior_same_loop(f, p) && !ml_prior_idle(f, p) &&
	       !ml_find_irregular(f, s) && !ml_steps_walk(f, s) &&
	       ml_find_movable(f, s->region) && ml_prior_changes(f, s) &&
	       f->prior->sweeps[p->spot].count >= MIN_SWEEPS;
}

/* The change that mirrors a region, if the list has it. */
static struct ml_change *change_of(struct ml_change *list, uint32_t region)
{
	while (list && list->region != region)
		list = (struct ml_change *)list->also;
	return list;
}

/*
 * Mirrors the regions that the function's lines walk over, in the sweeps of the worst
 * line. All references to them take part: a compiler may ascribe the load and the store
 * of one statement to different lines.
 */
static size_t try_loop(struct ml_find *f, const struct ml_spot *worst)
{
	const struct ml_prior *x = f->prior;
	const struct ml_prior_sweeps *main = &x->sweeps[worst - f->spots];
	struct ml_change *list = NULL;
	size_t count = 0;

	for (size_t i = f->spot_count; i-- > 0;) {
		const struct ml_spot *s = &f->spots[i];
		const struct ml_prior_sweeps *own = &x->sweeps[i];
		struct ml_change *c = change_of(list, s->region);

		if (!ml_find_together(f, s, worst) || own->count < MIN_SWEEPS ||
		    own->count * 2 < main->count || own->count > main->count * 2 ||
		    (!c && count == MAX_REGIONS))
			continue;
		if (!c) {
			c = ml_arena_alloc(f->arena, sizeof(*c));
			*c = (struct ml_change){ .kind = ML_CHANGE_MIRROR,
						 .region = s->region,
						 .pitch = own->low,
						 .unit = own->high,
						 .list = main->time,
						 .list_count = main->count,
						 .also = list };
			list = c;
			count++;
		}
		c->pitch = own->low < c->pitch ? own->low : c->pitch;
		c->unit = own->high > c->unit ? own->high : c->unit;
	}
	return ml_find_try(f, list, NULL);
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;
	const struct ml_prior *x = f->prior;

	if (!x)
		return;
	for (size_t i = 0; i < x->count; i++) {
		const struct ml_prior_pair *p = &x->pairs[i];
		const struct ml_spot *s = &f->spots[p->spot];
		struct loop *l = NULL;

		if (!fits(f, p))
			continue;
		for (size_t k = 0; k < m->count; k++)
			if (ml_find_together(f, m->loops[k].worst, s))
				l = &m->loops[k];
		if (!l && m->count < MAX_LOOPS) {
			l = &m->loops[m->count++];
			l->worst = s;
		}
		if (!l)
			continue;
		l->saved += p->saved[0];
		l->distance += p->distance;
		l->count += (double)p->count;
	}
	for (size_t k = 0; k < m->count; k++)
		if (m->loops[k].saved >= f->min_cycles)
			m->loops[k].trial = try_loop(f, m->loops[k].worst);
}

static void claim(struct ml_find *f, struct ml_candidate *c, const struct loop *l)
{
	const struct ml_prior *x = f->prior;

	for (size_t i = 0; i < x->count; i++) {
		const struct ml_spot *s = &f->spots[x->pairs[i].spot];

		if (fits(f, &x->pairs[i]) && ml_find_together(f, s, l->worst))
			ml_find_claim(f, c, s, x->pairs[i].saved[0]);
	}
}

static void tell(struct ml_find *f, const struct loop *l, double saved)
{
	const struct ml_spot *s = l->worst;
	const char *name = ml_find_region(f, s->region);
	const char *place = ml_find_place(f, s->line);
	uint64_t set = (uint64_t)(l->distance / l->count) * f->line;
	uint64_t sweeps = f->prior->sweeps[s - f->spots].count + 1;
	struct ml_candidate *c = ml_find_add(f, s->region, s, saved, true);

	ml_find_tried(f, c, l->trial);
	c->finding.title = ml_arena_printf(
		f->arena, "each sweep over %s finds its start evicted", name);
	ml_find_say(f, c, "%s walks over %s %s times, about %s each time.", place, name,
		    ml_find_count(f, sweeps), ml_find_bytes(f, set));
	ml_find_say(f, c,
		    "Sweeps that go backwards every other time find the end of the one "
		    "before in the cache.");
	c->finding.advice = ml_arena_printf(
		f->arena,
		"let every other sweep of %s go backwards; legal if a sweep may run in "
		"either direction",
		place);
	/* a sweep that needs all of the work in between has no tiles */
	if (!ml_prior_fed(f, s))
		c->finding.advice = ml_arena_printf(
			f->arena,
			"%s. Several sweeps at once on a part of %s (tiles over time) save "
			"up to %s",
			c->finding.advice, name,
			ml_find_percent(f, l->saved / f->cycles));
	ml_find_fact(c, "sweeps", (double)sweeps);
	ml_find_fact(c, "working_set", (double)set);
	ml_find_fact(c, "gain_of_tiles", l->saved / f->cycles);
	claim(f, c, l);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++) {
		double saved = m->loops[i].saved >= f->min_cycles
				       ? ml_find_saved(f, m->loops[i].trial)
				       : 0;

		if (saved >= f->min_cycles)
			tell(f, &m->loops[i], saved);
	}
}

const struct ml_finder ml_find_sweep = {
	.kind = "sweep",
	.rule = "A loop passes over an array that is larger than the cache.",
	.view = { .name = "plane", .cause = "capacity", .again = true, .miss = "{back}" },
	.weight = 1,
	.look = look,
	.try = try,
	.conclude = conclude,
};
