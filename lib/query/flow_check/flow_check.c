#include "lib/query/flow_check/flow_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/flow/count/count.h"
#include "lib/flow/run/experiment.h"
#include "lib/flow/flow.h"
#include "lib/query/flow_check/explain.h"
#include "lib/query/flow_check/recorded_loops.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"

static struct ml_flow_check_row *row_of(struct ml_flow_check *k, uint32_t loop,
					uint32_t container, const char *array)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->row[i].loop == loop && k->row[i].container == container &&
		    (container != ML_FLOW_NONE || !strcmp(k->row[i].array, array)))
			return &k->row[i];
	k->row = ml_grow(k->row, &k->cap, k->count + 1, sizeof(*k->row));
	k->row[k->count] = (struct ml_flow_check_row){ .loop = loop,
						       .container = container,
						       .array = array };
	return &k->row[k->count++];
}

static void add(struct ml_flow_check_side *to, const struct ml_flow_check_side *x)
{
	to->reads += x->reads;
	to->writes += x->writes;
	to->bytes += x->bytes;
	for (int i = 0; i < ML_LEVELS; i++)
		to->missed[i] += x->missed[i];
}

static void add_predicted(struct ml_flow_check *k, const struct ml_flow *f,
			  const struct ml_experiment *x)
{
	const struct ml_served *s = &x->now.served;
	size_t at = 0;

	for (uint32_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++, at++) {
			const struct ml_flow_access *y = &f->node[i].access[j];
			const struct ml_flow_container *c = &f->container[y->container];
			const struct ml_served_counts *n = &s->by_access[at];
			struct ml_flow_check_side side = { 0 };
			uint64_t count = n->served[0] + ml_served_missed(s, n, 1);

			if (c->scalar)
				continue;
			uint32_t loop = ml_recorded_loops_of(f, i, j);
			*(y->write ? &side.writes : &side.reads) = count;
			side.bytes = count * (y->size ? y->size : c->element);
			for (unsigned l = 1; l <= k->machine.levels; l++)
				side.missed[l - 1] = ml_served_missed(s, n, l);
			add(&row_of(k, loop, y->container, c->name)->predicted, &side);
			add(&k->predicted, &side);
		}
}

/* Which region of the trace a container is. */
struct match {
	uint32_t *of; /* by container; UINT32_MAX: none */
};

static bool is_named(const struct ml_recorded_loops *r, uint32_t region, const char *name)
{
	const char *is = ml_region_lookup_name(r->lookup, region);

	return is && !strcmp(is, name);
}

/* How far accesses of a container and of a region are apart, over the loops that both
 * have; infinite where they share none. */
static double apart(const struct ml_flow_check *k, const struct ml_recorded_loops *r,
		    uint32_t container, uint32_t region)
{
	double sum = 0;
	bool common = false;

	for (size_t i = 0; i < k->count; i++) {
		const struct ml_flow_check_row *row = &k->row[i];

		for (size_t j = 0; row->container == container && j < r->count; j++) {
			const struct ml_flow_check_side *is = &r->cell[j].count;

			if (r->cell[j].region != region || r->cell[j].loop != row->loop)
				continue;
			/* only read or only written, on both sides, or on neither */
			bool alike = !row->predicted.writes == !is->writes &&
				     !row->predicted.reads == !is->reads;

			sum += fabs(log((double)(row->predicted.bytes + 1) /
					(double)(is->bytes + 1))) +
			       (alike ? 0 : 10);
			common = true;
		}
	}
	return common ? sum : INFINITY;
}

static bool region_taken(const struct match *m, const struct ml_flow *f, uint32_t region)
{
	for (size_t i = 0; i < f->container_count; i++)
		if (m->of[i] == region)
			return true;
	return false;
}

static bool is_stack(const struct ml_recorded_loops *r, uint32_t region)
{
	return ml_region_lookup_region(r->lookup, region)->kind == ML_REGION_STACK;
}

/* Namesakes first; then, again and again, the pair that is nearest. */
static void match_regions(struct ml_flow_check *k, const struct ml_flow *f,
			  const struct ml_recorded_loops *r, struct match *m)
{
	for (uint32_t i = 0; i < f->container_count; i++)
		for (size_t j = 0; j < r->count && m->of[i] == UINT32_MAX; j++)
			if (!f->container[i].scalar &&
			    is_named(r, r->cell[j].region, f->container[i].name))
				m->of[i] = r->cell[j].region;
	for (;;) {
		double best = INFINITY;
		uint32_t container = 0, region = 0;

		for (uint32_t i = 0; i < f->container_count; i++)
			for (size_t j = 0; j < r->count; j++) {
				uint32_t candidate = r->cell[j].region;

				if (m->of[i] != UINT32_MAX || f->container[i].scalar ||
				    is_stack(r, candidate) ||
				    region_taken(m, f, candidate))
					continue;
				double d = apart(k, r, i, candidate);
				if (d < best) {
					best = d;
					container = i;
					region = candidate;
				}
			}
		if (best == INFINITY)
			return;
		m->of[container] = region;
		k->region[container] = ml_arena_strdup(
			&k->arena, ml_region_lookup_name(r->lookup, region));
	}
}

static void add_recorded(struct ml_flow_check *k, const struct ml_flow *f,
			 const struct ml_recorded_loops *r, const struct match *m)
{
	for (size_t j = 0; j < r->count; j++) {
		const struct ml_recorded_cell *c = &r->cell[j];
		uint32_t container = ML_FLOW_NONE;
		const char *name = ml_region_lookup_name(r->lookup, c->region);

		for (uint32_t i = 0; i < f->container_count; i++)
			if (m->of[i] == c->region)
				container = i;
		name = container == ML_FLOW_NONE ? ml_arena_strdup(&k->arena, name)
						 : f->container[container].name;
		add(&row_of(k, c->loop, container, name)->recorded, &c->count);
		if (container != ML_FLOW_NONE)
			add(&k->recorded, &c->count);
	}
}

static int by_loop(const void *x, const void *y)
{
	const struct ml_flow_check_row *a = x, *b = y;

	if (a->loop != b->loop)
		return a->loop < b->loop ? -1 : 1;
	if (a->container != b->container)
		return a->container < b->container ? -1 : 1;
	return strcmp(a->array, b->array);
}

bool ml_flow_check_run(struct ml_flow_check *k, const struct ml_flow *f,
		       const struct ml_flow_counts *c, const struct ml_experiment *x,
		       struct ml_trace *t, const struct ml_work *work, struct ml_err *err)
{
	struct ml_recorded_loops r;

	*k = (struct ml_flow_check){ .machine = x->simulated };
	size_t n = f->container_count + 1;
	struct match m = { .of = ml_arena_alloc(&k->arena, n * sizeof(*m.of)) };
	memset(m.of, 0xff, n * sizeof(*m.of));
	k->region = ml_arena_alloc(&k->arena, n * sizeof(*k->region));
	add_predicted(k, f, x);
	bool ok = ml_recorded_loops_run(&r, f, &k->machine, t, work, err);
	if (ok && !r.count)
		ok = ml_fail(
			err, ML_USAGE,
			"the trace has no references of the loops of '%s': no line of "
			"%s is in it. Was it recorded from this source, with -g?",
			f->function, f->path);
	if (ok) {
		match_regions(k, f, &r, &m);
		add_recorded(k, f, &r, &m);
		qsort(k->row, k->count, sizeof(*k->row), by_loop);
		for (size_t i = 0; i < k->count; i++)
			ml_flow_check_explain(&k->arena, &k->row[i], f, c, x);
	}
	ml_recorded_loops_release(&r);
	return ok;
}

void ml_flow_check_release(struct ml_flow_check *k)
{
	ml_free(k->row);
	ml_arena_release(&k->arena);
	*k = (struct ml_flow_check){ 0 };
}

static void side_json(const char *key, const struct ml_flow_check_side *s,
		      unsigned levels, struct ml_json *w)
{
	ml_json_key_object(w, key);
	ml_json_key_u64(w, "reads", s->reads);
	ml_json_key_u64(w, "writes", s->writes);
	ml_json_key_u64(w, "bytes", s->bytes);
	ml_json_key_array(w, "misses");
	for (unsigned i = 0; i < levels; i++)
		ml_json_u64(w, s->missed[i]);
	ml_json_end(w);
	ml_json_end(w);
}

void ml_flow_check_json(const struct ml_flow_check *k, const struct ml_flow *f,
			struct ml_json *w)
{
	ml_json_key_array(w, "rows");
	for (size_t i = 0; i < k->count; i++) {
		const struct ml_flow_check_row *r = &k->row[i];

		ml_json_object(w);
		if (r->loop != ML_FLOW_NONE) {
			ml_json_key_string(w, "loop", f->names[f->node[r->loop].symbol]);
			ml_json_key_u64(w, "line", f->node[r->loop].line);
		}
		ml_json_key_string(w, "array", r->array);
		ml_json_key_bool(w, "in_source", r->container != ML_FLOW_NONE);
		if (r->container != ML_FLOW_NONE && k->region[r->container])
			ml_json_key_string(w, "region", k->region[r->container]);
		side_json("predicted", &r->predicted, k->machine.levels, w);
		side_json("recorded", &r->recorded, k->machine.levels, w);
		ml_json_key_bool(w, "as_predicted", r->as_predicted);
		ml_json_key_string(w, "why", r->why);
		ml_json_end(w);
	}
	ml_json_end(w);
	side_json("predicted", &k->predicted, k->machine.levels, w);
	side_json("recorded", &k->recorded, k->machine.levels, w);
}
