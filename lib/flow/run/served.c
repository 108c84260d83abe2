#include "lib/flow/run/served.h"

#include "lib/cache/engine.h"
#include "lib/flow/flow.h"

static void count(struct ml_served *s, const struct ml_flow_batch *b, size_t i,
		  unsigned level, enum ml_cause cause)
{
	uint64_t times = b->times ? b->times[i] : 1;
	struct ml_served_counts *c = &s->by_access[b->access[i]];

	c->served[level - 1] += times;
	c->cause[cause] += times;
	if (s->keep)
		s->level[s->kept++] = (uint8_t)level;
}

static bool take(void *arg, const struct ml_flow_batch *b, struct ml_err *err)
{
	struct ml_served *s = arg;
	struct ml_accesses a = {
		.count = b->count, .addr = b->addr, .what = b->what, .site = b->access
	};

	if (s->keep)
		s->level = ml_grow(s->level, &s->kept_cap, s->kept + b->count, 1);
	s->outcome = ml_grow(s->outcome, &s->outcome_cap, b->count, sizeof(*s->outcome));
	if (!ml_engine_run(s->engine, &a, s->outcome, err))
		return false;
	for (size_t i = 0; i < b->count; i++)
		count(s, b, i, ml_outcome_served(s->outcome[i]),
		      ml_outcome_cause(s->outcome[i], 1));
	return true;
}

static bool open_engine(struct ml_served *s, struct ml_err *err)
{
	struct ml_engine_job job = { .want = s->causes ? ML_SIM_CAUSES : 0,
				     .threads = 1 };
	struct ml_machine alone = ml_machine_alone(&s->machine, 1);
	const struct ml_machine *m = &s->machine;

	for (unsigned i = 0; i < m->levels; i++)
		if (m->level[i].policy->future)
			return ml_fail(err, ML_USAGE,
				       "%s is %s, which needs to know the future; flow "
				       "simulates without it",
				       m->level[i].name, m->level[i].policy->name);
	/*
	 * In a plain machine level 1 repeats itself from the second iteration of a group on. Level
	 * 2 sees what level 1 misses, which is the same from then on, so it repeats
	 * itself from the third on, and so forth. The fully associative caches that tell
	 * causes see what their levels see, and are LRU too.
	 */
	s->walk.group = ml_machine_plain(&alone) && !s->each ? m->level[0].line : 0;
	s->walk.warm = m->levels + 1;
	s->engine = ml_engine_open(m, &job, err);
	return s->engine;
}

static void add(struct ml_served_counts *to, const struct ml_served_counts *c)
{
	for (int i = 0; i <= ML_LEVELS; i++)
		to->served[i] += c->served[i];
	for (int i = 0; i < ML_CAUSES; i++)
		to->cause[i] += c->cause[i];
}

static void sum_up(struct ml_served *s)
{
	const struct ml_flow *f = s->walk.flow;
	size_t at = 0;

	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++, at++) {
			add(&s->by_container[f->node[i].access[j].container],
			    &s->by_access[at]);
			add(&s->all, &s->by_access[at]);
		}
}

bool ml_served_run(struct ml_served *s, struct ml_err *err)
{
	const struct ml_flow *f = s->walk.flow;

	s->walk.take = take;
	s->walk.arg = s;
	if (!open_engine(s, err) ||
	    (!s->walk.placed && !ml_flow_walk_place(&s->walk, err)))
		return false;
	for (size_t i = 0; i < f->node_count; i++)
		s->accesses += f->node[i].access_count;
	s->by_access = ml_arena_alloc(&s->walk.arena,
				      (s->accesses + 1) * sizeof(*s->by_access));
	s->by_container = ml_arena_alloc(
		&s->walk.arena, (f->container_count + 1) * sizeof(*s->by_container));
	uint64_t calls = s->calls ? s->calls : 1, count = 0;
	for (uint64_t i = 0; i < calls; i++) {
		if (!ml_flow_walk_run(&s->walk, err))
			return false;
		count += s->walk.count;
	}
	s->walk.count = count;
	sum_up(s);
	return true;
}

void ml_served_release(struct ml_served *s)
{
	ml_engine_close(s->engine);
	ml_free(s->level);
	ml_free(s->outcome);
	ml_flow_walk_release(&s->walk);
}

uint64_t ml_served_missed(const struct ml_served *s, const struct ml_served_counts *c,
			  unsigned level)
{
	uint64_t n = 0;

	for (unsigned i = level; i <= s->machine.levels; i++)
		n += c->served[i];
	return n;
}

uint64_t ml_served_cycles(const struct ml_served *s, const struct ml_served_counts *c)
{
	uint64_t n = c->served[s->machine.levels] * s->machine.memory_cycles;

	for (unsigned i = 0; i < s->machine.levels; i++)
		n += c->served[i] * s->machine.level[i].cycles;
	return n;
}
