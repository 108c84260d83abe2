#include "lib/analyse/loops/loop_costs.h"

#include <string.h>

#include "lib/analyse/loops/loop_walk.h"
#include "lib/analyse/passes/interleave.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/arena.h"
#include "lib/base/search.h"
#include "lib/cache/machine/access.h"

/* References from a time on that belong to one node. */
struct stretch {
	uint64_t time;
	uint32_t node;
};

/* A page or a transfer of a reference of the batch that is being simulated. */
struct charge {
	uint64_t position;
	uint8_t tlb;
	bool page, more;
};

struct ml_loop_costs {
	struct ml_loop_walk *walk;
	struct ml_loop_runs runs;
	struct stretch *stretch;
	size_t count, cap, at; /* at: that of the last reference */
	uint64_t until;        /* the walk has come to this time */
	struct charge *charge;
	size_t charges, charge_cap;
	struct ml_loop_cost *cost;
	size_t costs;
};

struct ml_loop_costs *ml_loop_costs_open(struct ml_loop_walk *walk)
{
	struct ml_loop_costs *c = ml_resize(NULL, sizeof(*c));

	*c = (struct ml_loop_costs){ .walk = walk };
	return c;
}

void ml_loop_costs_close(struct ml_loop_costs *c)
{
	ml_free(c->runs.run);
	ml_free(c->stretch);
	ml_free(c->charge);
	ml_free(c->cost);
	ml_free(c);
}

/* Forgets what is before a time. */
static void drop(struct ml_loop_costs *c, uint64_t before)
{
	size_t first = ml_search_last(c->stretch, c->count, sizeof(*c->stretch),
				      offsetof(struct stretch, time), before);

	memmove(c->stretch, c->stretch + first, (c->count - first) * sizeof(*c->stretch));
	c->count -= first;
	c->at = 0;
}

/* Walks on until the nodes of [from, to) are known. */
static bool reach(struct ml_loop_costs *c, uint64_t from, uint64_t to, struct ml_err *err)
{
	if (c->until >= to)
		return true;
	if (c->count)
		drop(c, from);
	while (c->until < to) {
		if (!ml_loop_walk_next(c->walk, &c->runs, err))
			return false;
		uint64_t time = c->runs.time;
		c->stretch = ml_grow(c->stretch, &c->cap, c->count + c->runs.count,
				     sizeof(*c->stretch));
		for (size_t i = 0; i < c->runs.count; i++) {
			c->stretch[c->count++] = (struct stretch){ time,
								   c->runs.run[i].node };
			time += c->runs.run[i].count;
		}
		c->until = c->runs.time + c->runs.refs;
	}
	return true;
}

static struct ml_loop_cost *cost_of(struct ml_loop_costs *c, uint32_t node)
{
	c->cost = ml_grow(c->cost, &c->costs, node + 1u, sizeof(*c->cost));
	return &c->cost[node];
}

const struct ml_loop_cost *ml_loop_costs_at(struct ml_loop_costs *c, uint32_t node)
{
	return cost_of(c, node);
}

/* The node of a reference. Times mostly come in order. */
static uint32_t node_at(struct ml_loop_costs *c, uint64_t time)
{
	const struct stretch *s = &c->stretch[c->at];
	bool here = time >= s->time;

	if (here && (c->at + 1 == c->count || time < s[1].time))
		return s->node;
	if (here && (c->at + 2 == c->count || time < s[2].time))
		return c->stretch[++c->at].node;
	c->at = ml_search_last(c->stretch, c->count, sizeof(*c->stretch),
			       offsetof(struct stretch, time), time);
	return c->stretch[c->at].node;
}

static uint64_t time_of(const struct ml_events *e, size_t i)
{
	return e->time ? e->time[i] : e->refs->time + i;
}

static void charge_batch(struct ml_loop_costs *c, const struct ml_events *e)
{
	const struct ml_machine *m = ml_replay_machine(e->replay);
	uint64_t moved = UINT64_MAX;

	for (size_t k = 0; k < c->charges; k++) {
		const struct charge *x = &c->charge[k];
		size_t i = (size_t)(x->position - e->position);
		struct ml_surcharge s = { 0 };

		if (!x->page && x->position == moved)
			continue; /* a reference pays for one transfer */
		if (x->page) {
			s.pages[x->tlb] = x->tlb > 0;
			s.more = x->more;
		} else {
			unsigned served = ml_outcome_served(e->outcome[i]);

			moved = x->position;
			s.transfers = 1;
			s.instead = served <= m->levels ? m->level[served - 1].cycles
							: m->memory_cycles;
		}
		ml_surcharge_add(&cost_of(c, node_at(c, time_of(e, i)))->surcharge, &s);
	}
	c->charges = 0;
}

static bool on_batch(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct ml_loop_costs *c = arg;
	size_t count = e->refs->count;
	uint64_t to = e->refs->time + count;

	if (e->time)
		to = 0;
	for (size_t i = 0; e->time && i < count; i++)
		to = e->time[i] >= to ? e->time[i] + 1 : to;
	/* those that are interleaved lie within a block */
	uint64_t back = e->time ? ML_INTERLEAVE_BLOCK : count;
	if (!reach(c, to > back ? to - back : 0, to, err))
		return err->kind == ML_OK &&
		       ml_fail(err, ML_FORMAT, "the trace ends before its references do");
	for (size_t i = 0; i < count; i++) {
		struct ml_loop_cost *x = cost_of(c, node_at(c, time_of(e, i)));
		unsigned served = ml_outcome_served(e->outcome[i]);

		x->served[served]++;
		if (ml_what_kind(e->refs->what[i]) == ML_FETCH) {
			x->surcharge.fetches++;
			x->surcharge.fetched += served == 1;
		}
	}
	charge_batch(c, e);
	return true;
}

static void add_charge(struct ml_loop_costs *c, struct charge x)
{
	c->charge = ml_grow(c->charge, &c->charge_cap, c->charges + 1,
			    sizeof(*c->charge));
	c->charge[c->charges++] = x;
}

static void on_page(void *arg, const struct ml_events *e, const struct ml_page *p)
{
	add_charge(arg, (struct charge){ .position = e->position + p->access,
					 .tlb = (uint8_t)p->tlb,
					 .page = true,
					 .more = p->more });
}

static void on_bounce(void *arg, const struct ml_events *e, const struct ml_bounce *b)
{
	add_charge(arg, (struct charge){ .position = e->position + b->access });
}

struct ml_pass ml_loop_costs_pass(struct ml_loop_costs *c)
{
	return (struct ml_pass){
		.arg = c,
		.batch = on_batch,
		.page = on_page,
		.bounce = on_bounce,
		.no_region = true,
	};
}
