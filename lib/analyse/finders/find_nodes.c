/*
 * Many small blocks that point to each other (lists, trees, rows that were allocated one
 * by one) and are visited in another order than they lie in memory, or that are small
 * beside what malloc takes for each. The simulated changes lay them out in the order of
 * the visits, as malloc would or side by side.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_family.h"
#include "lib/analyse/find/find_irregular.h"
#include "lib/analyse/find/find_kinds.h"

enum { SMALL = 8 /* bytes; malloc takes 32 at least */ };

struct mine {
	struct ml_irregular_spots spots;
	size_t in_order[ML_IRREGULAR_MAX], in_pool[ML_IRREGULAR_MAX]; /* trials */
};

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	ml_irregular_look(f, ML_NODES, &m->spots);
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	ml_irregular_see(f, &m->spots, s);
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->spots.count; i++) {
		struct ml_visits *v = &m->spots.visits[i];

		m->in_order[i] = ml_visits_try(f, v, ML_VISITS_FIRST);
		m->in_pool[i] = ml_visits_try(f, v, ML_VISITS_POOL);
	}
}

static uint64_t mean_size(const struct ml_visits *v)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < v->count; i++)
		sum += v->at[i].size;
	return v->count ? sum / v->count : 0;
}

/* The level whose misses the layout spares most cycles, from 1. */
static unsigned spared_level(const struct ml_find *f, const struct ml_trial *t)
{
	unsigned best = 1;
	double max = 0;

	for (unsigned l = 1; l < f->memory; l++) {
		double before = (double)ml_find_missed(t->region_before, l);
		double after = (double)ml_find_missed(t->region_after, l);
		double spared = (before - after) * ml_find_miss(f, l);

		best = spared > max ? l : best;
		max = spared > max ? spared : max;
	}
	return best;
}

static void tell(struct ml_find *f, const struct ml_visits *v, size_t trial, double saved,
		 bool pool)
{
	const char *name = ml_find_region(f, v->spot->region);
	const struct ml_trial *t = &f->tried[trial].trial;
	unsigned level = spared_level(f, t);
	uint64_t before = ml_find_missed(t->region_before, level);
	uint64_t after = ml_find_missed(t->region_after, level);
	struct ml_candidate *c = ml_irregular_add(f, v, saved);

	ml_find_tried(f, c, trial);
	c->finding.title = ml_arena_printf(
		f->arena,
		pool ? "blocks of %s are small and lie apart"
		     : "blocks of %s are visited in another order than they lie",
		name);
	ml_find_say(f, c, "%s visits %s blocks of %s, of %s on average%s.",
		    ml_find_place(f, v->spot->line), ml_find_count(f, v->count), name,
		    ml_find_bytes(f, mean_size(v)),
		    ml_find_irregular(f, v->spot) ? ", without a pattern" : "");
	ml_find_say(f, c, "%s.", ml_find_misses(f, v->spot->served));
	ml_find_say(f, c,
		    "%s in the order of the visits, its misses of %s change from %s to "
		    "%s.",
		    pool ? "Side by side" : "Laid out",
		    f->p->machine.level[level - 1].name, ml_find_count(f, before),
		    ml_find_count(f, after));
	c->finding.advice = ml_arena_printf(
		f->arena,
		pool ? "keep %s in one array (a pool) in the order in which they are "
		       "visited, with pointers or indices into it; the header and the "
		       "padding of malloc for each block are saved"
		     : "allocate %s in the order in which they are visited, or keep them "
		       "in one array (a pool, with indices as links) and sort it before "
		       "use",
		name);
	ml_find_fact(c, "blocks", (double)v->count);
	ml_find_fact(c, "misses_tried", (double)ml_find_missed(t->region_before, 1));
	ml_find_fact(c, "misses_predicted", (double)ml_find_missed(t->region_after, 1));
}

/* A pool is the advice only where malloc takes most of the room and order helps little.
 */
static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->spots.count; i++) {
		const struct ml_visits *v = &m->spots.visits[i];
		double order = ml_visits_saved(f, v, m->in_order[i]);
		double pool = ml_visits_saved(f, v, m->in_pool[i]);
		bool is_pool = pool > 2 * order && mean_size(v) <= SMALL;
		double saved = is_pool ? pool : order;

		if (saved >= ml_family_min(f))
			tell(f, v, is_pool ? m->in_pool[i] : m->in_order[i], saved,
			     is_pool);
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	ml_irregular_release(&m->spots);
}

const struct ml_finder ml_find_nodes = {
	.kind = "nodes",
	.rule = "Linked blocks are visited in another order than they lie.",
	.view = { .name = "space", .miss = "{far}" },
	.legal = "Legal if nobody keeps the address of a node that moves",
	.family = ML_FAMILY_ANY,
	.weight = 1,
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
	.release = release,
};
