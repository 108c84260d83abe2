/*
 * Elements of an array that are read or written through an array of indices, in an order
 * without a pattern. Two changes are simulated: the same references sorted by address
 * within each pass over the indices, and the elements stored in the order of their use.
 */
#include <stdlib.h>

#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_family.h"
#include "lib/analyse/find/find_irregular.h"
#include "lib/analyse/find/find_kinds.h"

enum { MAX_LIST = 1 << 22 };

/* The references of a gather in the order of their times. */
struct gather {
	uint64_t *time, *addr;
	size_t count, time_cap, addr_cap;
	size_t pass;    /* number of the first reference of the present pass */
	uint64_t index; /* address of the last index */
	uint64_t passes;
	size_t sorted, stored, denser; /* trials */
};

struct mine {
	struct ml_irregular_spots spots;
	struct gather gathers[ML_IRREGULAR_MAX];
};

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	ml_irregular_look(f, ML_GATHER, &m->spots);
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The pass is over: its references go to the same addresses, in ascending order. */
static void end_pass(struct gather *g)
{
	if (g->count > g->pass)
		qsort(g->addr + g->pass, g->count - g->pass, sizeof(*g->addr), ascending);
	g->passes += g->count > g->pass;
	g->pass = g->count;
}

static void see_gather(struct ml_find *f, const struct ml_visits *v, struct gather *g,
		       const struct ml_seen *s)
{
	const struct ml_batch *b = s->refs;

	for (size_t i = 0; i < b->count; i++) {
		if (s->spot[i] == v->index) {
			if (b->addr[i] + f->line < g->index)
				end_pass(g);
			g->index = b->addr[i];
		}
		if (s->spot[i] != v->spot || g->count >= MAX_LIST)
			continue;
		g->time = ml_grow(g->time, &g->time_cap, g->count + 1, sizeof(*g->time));
		g->addr = ml_grow(g->addr, &g->addr_cap, g->count + 1, sizeof(*g->addr));
		g->time[g->count] = b->time + i;
		g->addr[g->count++] = b->addr[i];
	}
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	ml_irregular_see(f, &m->spots, s);
	for (size_t i = 0; i < m->spots.count; i++)
		see_gather(f, &m->spots.visits[i], &m->gathers[i], s);
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->spots.count; i++) {
		struct gather *g = &m->gathers[i];
		struct ml_visits *v = &m->spots.visits[i];

		end_pass(g);
		g->sorted = ml_find_try(f,
					&(struct ml_change){ .kind = ML_CHANGE_LIST,
							     .region = v->spot->region,
							     .list = g->time,
							     .other = g->addr,
							     .list_count = g->count },
					v->spot);
		g->stored = ml_visits_try(f, v, ML_VISITS_FIRST);
		g->denser = ml_visits_try(f, v, ML_VISITS_COUNT);
	}
}

static void tell(struct ml_find *f, const struct ml_visits *v, const struct gather *g,
		 double sorted, double stored)
{
	const char *name = ml_find_region(f, v->spot->region);
	const char *index = ml_find_region(f, v->index->region);
	bool sort = sorted >= 0.8 * stored;
	const struct ml_trial *t = &f->tried[sort ? g->sorted : g->stored].trial;
	struct ml_candidate *c = ml_irregular_add(f, v, sort ? sorted : stored);

	ml_find_tried(f, c, sort ? g->sorted : g->stored);
	c->finding.title = ml_arena_printf(
		f->arena, "%s is used through %s without order", name, index);
	ml_find_say(f, c, "%s uses %s elements of %s in an order without a pattern.",
		    ml_find_place(f, v->spot->line), ml_find_count(f, v->count), name);
	ml_find_say(f, c, "%s.", ml_find_misses(f, v->spot->served));
	ml_find_say(
		f, c,
		"Sorted within each of %s passes over %s this saves %s; with %s stored "
		"in the order of its first use, %s.",
		ml_find_count(f, g->passes), index,
		ml_find_percent(f, sorted > 0 ? sorted / f->cycles : 0), name,
		ml_find_percent(f, stored > 0 ? stored / f->cycles : 0));
	c->finding.advice = ml_arena_printf(
		f->arena,
		sort ? "sort %s, or put them into bins by the part of %s that they go to "
		       "(legal if the order of the updates does not matter), or store %s in "
		       "the order of its use"
		     : "renumber: store the elements that %s names next to each other in %s, "
		       "in the order of their use; sorting the indices of %s helps less",
		index, name, sort ? name : index);
	ml_find_fact_text(c, "index", index);
	ml_find_fact(c, "elements", (double)v->count);
	ml_find_fact(c, "passes", (double)g->passes);
	ml_find_fact(c, "gain_sorted", sorted / f->cycles);
	ml_find_fact(c, "gain_stored", stored / f->cycles);
	ml_find_fact(c, "misses_tried", (double)ml_find_missed(t->region_before, 1));
	ml_find_fact(c, "misses_predicted", (double)ml_find_missed(t->region_after, 1));
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->spots.count; i++) {
		double sorted = ml_find_saved(f, m->gathers[i].sorted);
		double stored = ml_find_saved(f, m->gathers[i].stored);

		/* elements side by side in any order: then order is not what is wrong */
		if (stored < ML_ORDER_MATTERS * ml_find_saved(f, m->gathers[i].denser))
			stored = 0;
		if (sorted >= ml_family_min(f) || stored >= ml_family_min(f))
			tell(f, &m->spots.visits[i], &m->gathers[i], sorted, stored);
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	ml_irregular_release(&m->spots);
	for (size_t i = 0; i < m->spots.count; i++) {
		ml_free(m->gathers[i].time);
		ml_free(m->gathers[i].addr);
	}
}

const struct ml_finder ml_find_gather = {
	.kind = "gather",
	.rule = "An array is used through an index, out of order.",
	.view = { .name = "regions", .miss = "{far}" },
	.legal = "Another order of elements is legal if all that holds indices"
		 " is renumbered too",
	.family = ML_FAMILY_ANY,
	.weight = 1,
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
	.release = release,
};
