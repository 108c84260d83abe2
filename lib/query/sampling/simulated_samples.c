#include "lib/query/sampling/simulated_samples.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyse/passes/replay.h"
#include "lib/base/buf.h"
#include "lib/query/sampling/trace_rows.h"
#include "lib/samples/samples_make.h"
#include "lib/trace/trace.h"

enum { ROWS_WANTED = 100 * 1000 };

/* A reference that was chosen, and how it fared. */
struct chosen {
	struct ml_ref ref;
	uint16_t core, served;
};

struct chooser {
	uint64_t every, next; /* next: position of the next chosen reference */
	uint64_t random;
	bool regular;
	struct chosen *list;
	size_t count, cap;
};

static uint64_t next_period(struct chooser *c)
{
	if (c->regular || c->every == 1)
		return c->every;
	c->random = c->random * 6364136223846793005u + 1442695040888963407u;
	return 1 + (c->random >> 32) * (2 * c->every - 1) / (1ull << 32);
}

static bool choose(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct chooser *c = arg;
	uint64_t end = e->position + e->refs->count;

	(void)err;
	for (; c->next < end; c->next += next_period(c)) {
		size_t i = c->next - e->position;
		struct chosen x = { ml_batch_ref(e->refs, i), e->core ? e->core[i] : 0,
				    (uint16_t)ml_outcome_served(e->outcome[i]) };

		if (e->time)
			x.ref.time = e->time[i];
		c->list = ml_grow(c->list, &c->cap, c->count + 1, sizeof(*c->list));
		c->list[c->count++] = x;
	}
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct chosen *x = a, *y = b;

	return x->ref.time < y->ref.time ? -1 : x->ref.time > y->ref.time;
}

static struct ml_topology_node *add_node(struct ml_topology *t,
					 enum ml_topology_type type, uint64_t number,
					 uint32_t parent)
{
	struct ml_topology_node *n = &t->nodes[t->count++];

	*n = (struct ml_topology_node){ .type = type,
					.number = number,
					.parent = parent };
	return n;
}

/* Memory, caches from the outermost, and a CPU for each core. */
static bool make_topology(struct ml_samples *s, const struct ml_machine *m,
			  struct ml_err *err)
{
	struct ml_topology *t = &s->topology;
	size_t room = 2 + (size_t)m->cores * (m->levels + 1);
	uint32_t *of_core = ml_arena_alloc(&s->arena, m->cores * sizeof(*of_core));

	t->name = ml_arena_strdup(&s->arena, *m->name ? m->name : "simulated");
	t->nodes = ml_arena_alloc(&s->arena, room * sizeof(*t->nodes));
	add_node(t, ML_TOPOLOGY_MACHINE, 0, 0);
	add_node(t, ML_TOPOLOGY_NUMA, 0, 0);
	for (uint32_t c = 0; c < m->cores; c++)
		of_core[c] = 1;
	for (unsigned l = m->levels; l >= 1; l--) {
		const struct ml_level_spec *spec = &m->level[l - 1];

		for (uint32_t c = 0; c < m->cores; c++) {
			if (c % spec->share) {
				of_core[c] = of_core[c - 1];
				continue;
			}
			struct ml_topology_node *n = add_node(
				t, ML_TOPOLOGY_CACHE, c / spec->share, of_core[c]);

			n->level = l;
			n->size = spec->size;
			of_core[c] = (uint32_t)t->count - 1;
		}
	}
	for (uint32_t c = 0; c < m->cores; c++)
		add_node(t, ML_TOPOLOGY_CPU, c, of_core[c]);
	return ml_topology_index(t, s->path, &s->arena, err);
}

static bool fill(struct ml_samples *s, struct ml_trace *t, const struct ml_machine *m,
		 const struct chooser *c, struct ml_err *err)
{
	size_t time = ml_samples_add_column(s, "time", ML_SAMPLES_UNSIGNED),
	       latency = ml_samples_add_column(s, "latency", ML_SAMPLES_UNSIGNED),
	       level = ml_samples_add_column(s, "level", ML_SAMPLES_NAMES),
	       cpu = ml_samples_add_column(s, "cpu", ML_SAMPLES_UNSIGNED);
	struct ml_trace_rows rows;

	ml_samples_set_role(s, time, ML_SAMPLES_TIME);
	ml_samples_set_role(s, latency, ML_SAMPLES_LATENCY);
	ml_samples_set_role(s, level, ML_SAMPLES_LEVEL);
	ml_samples_set_role(s, cpu, ML_SAMPLES_CPU);
	if (!ml_trace_rows_init(&rows, s, t, err))
		return false;
	for (size_t i = 0; i < c->count; i++) {
		const struct chosen *x = &c->list[i];
		bool cached = x->served <= m->levels;
		char name[4] = { 'L', (char)('0' + x->served), 0 };

		ml_samples_put(s, time, i, x->ref.time);
		ml_samples_put(s, latency, i,
			       cached ? m->level[x->served - 1].cycles
				      : m->memory_cycles);
		ml_samples_put_name(s, level, i, cached ? name : "RAM", cached ? 2 : 3);
		ml_samples_put(s, cpu, i, x->core);
		ml_trace_rows_put(&rows, i, &x->ref);
	}
	s->rows = c->count;
	ml_samples_pack(s);
	ml_trace_rows_release(&rows);
	return true;
}

static const char *note_of(struct ml_samples *s, const struct ml_machine *m,
			   const struct chooser *c)
{
	struct ml_buf text = { 0 };

	ml_machine_print(m, &text);
	ml_buf_u8(&text, 0);
	const char *note = ml_arena_printf(
		&s->arena,
		"one reference of %llu%s, each with the level and the latency of the "
		"simulated machine %s",
		(unsigned long long)c->every,
		c->every > 1 && !c->regular ? " (random periods)" : "",
		(const char *)text.data);
	ml_buf_release(&text);
	return note;
}

bool ml_simulated_samples(struct ml_samples *s, struct ml_trace *t,
			  const struct ml_simulated_options *o, struct ml_err *err)
{
	struct chooser c = { .every = o->every ? o->every : t->count / ROWS_WANTED + 1,
			     .random = 1,
			     .regular = o->regular };
	struct ml_replay_options replay = { .machine = o->machine,
					    .interleave = ML_INTERLEAVE_AUTO,
					    .work = o->work };
	struct ml_pass pass = { .arg = &c, .batch = choose, .no_region = true };
	struct ml_replay *r;

	ml_samples_init(s);
	s->path = ml_arena_strdup(&s->arena, t->path);
	s->format = "trace";
	c.next = next_period(&c) - 1;
	bool ok = ml_replay_open(&r, t, &replay, err);
	if (ok) {
		ok = ml_replay_run(r, &pass, 1, err);
		ml_replay_close(r);
	}
	if (ok && c.count)
		qsort(c.list, c.count, sizeof(*c.list), by_time);
	ok = ok && fill(s, t, &o->machine, &c, err) && make_topology(s, &o->machine, err);
	if (ok)
		s->note = note_of(s, &o->machine, &c);
	ml_free(c.list);
	if (!ok)
		ml_samples_close(s);
	return ok;
}
