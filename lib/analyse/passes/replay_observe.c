/* Tells the passes of a replay of the events that its engine reports. */
#include "lib/analyse/passes/replay_parts.h"
#include "lib/analyse/passes/surcharge.h"
#include "lib/cache/machine/event_sums.h"

/* Whether the simulator itself adds up the misses and leaving lines of a pass. */
static bool summed(const struct ml_replay *r, const struct ml_pass *p)
{
	return r->sums && r->sums == p->sums;
}

static void on_miss(void *arg, const struct ml_miss *m)
{
	struct ml_replay *r = arg;

	for (size_t i = 0; i < r->pass_count; i++)
		if (r->passes[i].miss && !summed(r, &r->passes[i]))
			r->passes[i].miss(r->passes[i].arg, &r->now, m);
}

static void on_leave(void *arg, const struct ml_leave *l)
{
	struct ml_replay *r = arg;

	for (size_t i = 0; i < r->pass_count; i++)
		if (r->passes[i].leave && !summed(r, &r->passes[i]))
			r->passes[i].leave(r->passes[i].arg, &r->now, l);
}

static void charge(struct ml_replay *r, struct ml_charge c)
{
	struct ml_replay_slot *s = r->charged;

	if (!r->charges || !s)
		return;
	s->charges = ml_grow(s->charges, &s->charge_cap, s->charge_count + 1,
			     sizeof(*s->charges));
	s->charges[s->charge_count++] = c;
}

/* A reference pays for one transfer, whatever number of cores gave up its lines. */
static void on_bounce(void *arg, const struct ml_bounce *b)
{
	struct ml_replay *r = arg;

	if (r->charged && r->charged->moved != b->access + 1) {
		charge(r, (struct ml_charge){ .ref = b->access });
		r->charged->moved = b->access + 1;
	}
	for (size_t i = 0; i < r->pass_count; i++)
		if (r->passes[i].bounce)
			r->passes[i].bounce(r->passes[i].arg, &r->now, b);
}

static void on_page(void *arg, const struct ml_page *g)
{
	struct ml_replay *r = arg;

	charge(r, (struct ml_charge){ g->access, (uint8_t)g->tlb, true, g->more });
	for (size_t i = 0; i < r->pass_count; i++)
		if (r->passes[i].page)
			r->passes[i].page(r->passes[i].arg, &r->now, g);
}

/* Observes only events that a pass handles, as each costs a call for each line. */
void ml_replay_observe(struct ml_replay *r)
{
	struct ml_observer o = { .arg = r };

	for (size_t i = 0; i < r->pass_count; i++) {
		if (r->passes[i].sums)
			ml_event_sums_open(r->passes[i].sums, &r->o.machine, r->o.want);
		if (ml_engine_sums(r->engine) && !r->sums)
			r->sums = r->passes[i].sums;
		if (r->passes[i].miss && !summed(r, &r->passes[i]))
			o.miss = on_miss;
		if (r->passes[i].leave && !summed(r, &r->passes[i]))
			o.leave = on_leave;
		if (r->passes[i].bounce || r->passes[i].charges)
			o.bounce = on_bounce;
		if (r->passes[i].page || r->passes[i].charges)
			o.page = on_page;
		r->charges |= r->passes[i].charges;
	}
	ml_engine_observe(r->engine, &o, r->sums);
	r->stages = ml_engine_stages(r->engine) - 1;
}
