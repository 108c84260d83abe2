#include "cli/prune/prune_flow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/paths.h"
#include "cli/prune/prune_template.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/buf.h"
#include "lib/base/path.h"
#include "lib/base/pool.h"
#include "lib/base/work.h"
#include "lib/flow/run/experiment.h"
#include "lib/flow/flow.h"
#include "lib/flow/read/open.h"
#include "lib/flow/run/print.h"
#include "lib/prune/search.h"

enum { TOLD = 5 }; /* variants that are told to be left out */

/* The texts of one variant. */
struct texts {
	const char *set, *tile, *order, *layout;
};

struct variant {
	const struct ml_flow *flow;
	const char *machine;
	const struct ml_work *work;
	struct texts texts;
	const int64_t *values;
	/* results */
	bool ok;
	uint64_t count, served[ML_LEVELS + 1];
	struct ml_machine simulated;
	struct ml_err err;
};

static bool fill(const struct ml_search *s, const char *word, const char *text,
		 const int64_t *values, const char **out, struct ml_arena *a,
		 struct ml_err *err)
{
	*out = NULL;
	return !text || prune_fill_in(s, word, text, values, out, a, err);
}

static bool fill_all(const struct ml_search *s, const int64_t *values, struct texts *t,
		     struct ml_arena *a, struct ml_err *err)
{
	const struct ml_space_flow *f = &s->space.flow;

	return fill(s, "set", f->set, values, &t->set, a, err) &&
	       fill(s, "tile", f->tile, values, &t->tile, a, err) &&
	       fill(s, "order", f->order, values, &t->order, a, err) &&
	       fill(s, "layout", f->layout, values, &t->layout, a, err);
}

static struct ml_flow *open_flow(const struct ml_search *s, struct ml_err *err)
{
	const struct ml_space_flow *x = &s->space.flow;
	struct ml_flow_options o = { .function = x->function };
	const char *slash = strrchr(s->space.path, '/');
	struct ml_arena a = { 0 };
	const char *path = x->file;

	o.headers = cmd_path_headers(&a);

	if (slash && *path != '/')
		path = ml_arena_printf(&a, "%.*s%s", (int)(slash + 1 - s->space.path),
				       s->space.path, x->file);
	struct ml_flow *f = ml_flow_open(path, &o, err);
	ml_arena_release(&a);
	return f;
}

static void simulate(void *arg)
{
	struct variant *v = arg;
	struct ml_experiment x = { .set = v->texts.set,
				   .tile = v->texts.tile,
				   .order = v->texts.order,
				   .layout = v->texts.layout,
				   .machine = v->machine,
				   .only_machine = true,
				   .only_changed = true,
				   .no_causes = true,
				   .work = v->work };

	v->ok = ml_experiment_run(&x, v->flow, &v->err);
	if (v->ok) {
		memcpy(v->served, x.now.served.all.served, sizeof(v->served));
		v->count = x.now.served.walk.count;
		v->simulated = x.simulated;
	}
	ml_experiment_release(&x);
}

/* Some variants at a time, so that the user hears how far it is. */
static bool simulate_all(struct variant *v, size_t count, const struct ml_work *work,
			 struct ml_err *err)
{
	size_t step = 4 * (size_t)ml_cpus();
	struct ml_pool pool;
	bool ok = true;

	ml_pool_init(&pool, 0);
	for (size_t i = 0; ok && i < count; i += step) {
		for (size_t j = i; j < count && j < i + step; j++)
			ml_pool_submit(&pool, simulate, &v[j]);
		ml_pool_wait(&pool);
		ml_work_progress(work, "simulating", i, count);
		ok = ml_work_goes_on(work, err);
	}
	ml_pool_release(&pool);
	return ok;
}

/* A trace that never was: the accesses of one variant, in as many bins as counts of 32
 * bits need. */
static uint32_t add_trace(struct ml_ensemble *e, const struct ml_flow *f,
			  const struct variant *v)
{
	struct ml_arena *a = &e->arena;
	const char *text = ml_arena_printf(a, "%s %s\n%s\n%s\n%s\n%s", f->path,
					   f->function, v->texts.set ? v->texts.set : "",
					   v->texts.tile ? v->texts.tile : "",
					   v->texts.order ? v->texts.order : "",
					   v->texts.layout ? v->texts.layout : "");
	struct ml_ensemble_trace t = { .path = ml_arena_strdup(a, f->path),
				       .label = ml_arena_strdup(a, f->function),
				       .to = v->count };
	uint64_t hash[2] = { ml_hash(text, strlen(text)), v->count };

	memcpy(t.id, hash, sizeof(t.id));
	for (uint32_t i = 0; i < e->trace_count; i++)
		if (!memcmp(e->traces[i].id, t.id, sizeof(t.id)))
			return i;
	while (t.to >> t.bits > 1 && t.bits < 31)
		t.bits++;
	t.bins = (size_t)((t.to + ((uint64_t)1 << t.bits) - 1) >> t.bits);
	e->traces = ml_grow(e->traces, &e->trace_cap, e->trace_count + 1,
			    sizeof(*e->traces));
	e->traces[e->trace_count] = t;
	return (uint32_t)e->trace_count++;
}

static void add_member(const struct ml_search *s, const struct ml_flow *f,
		       const struct variant *v, struct ml_ensemble *e)
{
	size_t params = s->space.param_count;
	struct ml_arena *a = &e->arena;
	struct ml_parameter *p = ml_arena_alloc(a, (params + 1) * sizeof(*p));
	uint32_t trace = add_trace(e, f, v);
	const struct ml_ensemble_trace *t = &e->traces[trace];

	for (size_t i = 0; i < params; i++)
		p[i] = (struct ml_parameter){
			.name = s->space.params[i].name,
			.value = ml_space_value(&s->space, i, v->values[i], a),
			.number = s->space.params[i].words ? NAN : (double)v->values[i],
		};
	if (!ml_ensemble_add_member(e, trace, &v->simulated, p, params))
		return;
	struct ml_member *m = &e->members[e->member_count - 1];
	uint64_t left = 0;
	for (unsigned l = 0; l <= v->simulated.levels; l++) {
		m->total[l + 1] = v->served[l];
		m->served[l + 1] = ml_arena_alloc(a,
						  (t->bins + 1) * sizeof(*m->served[0]));
	}
	/* levels one after another: only their sums mean anything */
	for (size_t bin = 0; bin < t->bins; bin++) {
		uint64_t room = ml_ensemble_bin_refs(t, bin);

		for (unsigned l = 0; l <= v->simulated.levels && room; l++) {
			uint64_t used = 0;

			for (size_t b = 0; b < bin; b++)
				used += m->served[l + 1][b];
			left = v->served[l] - used;
			left = left < room ? left : room;
			m->served[l + 1][bin] = (uint32_t)left;
			room -= left;
		}
	}
	m->done = true;
}

static void tell(const struct variant *v, size_t count)
{
	size_t left_out = 0;

	for (size_t i = 0; i < count; i++)
		if (!v[i].ok && left_out++ < TOLD)
			fprintf(stderr, "memlamp prune: a variant is left out: %s\n",
				v[i].err.text);
	if (left_out > TOLD)
		fprintf(stderr, "memlamp prune: %zu variants are left out\n", left_out);
}

/* All variants on one machine. */
static bool on_machine(const struct ml_search *s, const struct ml_flow *f,
		       const char *machine, const struct ml_variant_list *l,
		       const struct ml_work *work, struct ml_ensemble *e,
		       struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct ml_work silent = ml_work_silent(work);
	struct variant *v = ml_arena_alloc(&a, (l->count + 1) * sizeof(*v));
	struct ml_machine check;
	bool ok = ml_machine_parse(&check, machine, err);

	for (size_t i = 0; ok && i < l->count; i++) {
		v[i] = (struct variant){ .flow = f,
					 .machine = machine,
					 .work = &silent,
					 .values = l->values + i * l->width };
		ok = fill_all(s, v[i].values, &v[i].texts, &a, err);
	}
	ok = ok && simulate_all(v, l->count, work, err);
	for (size_t i = 0; ok && i < l->count; i++)
		if (v[i].ok)
			add_member(s, f, &v[i], e);
	if (ok && e->member_count)
		tell(v, l->count);
	/* nothing at all: the first reason is the answer */
	if (ok && !e->member_count && l->count) {
		*err = v[0].err;
		ok = false;
	}
	ml_arena_release(&a);
	return ok;
}

bool prune_flow(const struct ml_search *s, const struct opt_list *machines,
		const struct ml_variant_list *l, const struct ml_work *work,
		struct ml_ensemble *e, struct ml_err *err)
{
	struct ml_flow *f = open_flow(s, err);
	bool ok = f;

	for (size_t i = 0; ok && i < machines->count; i++)
		ok = on_machine(s, f, machines->items[i], l, work, e, err);
	if (ok && !machines->count)
		ok = on_machine(s, f, "host", l, work, e, err);
	if (ok)
		ml_ensemble_label(e);
	ml_flow_close(f);
	return ok;
}

const char *prune_flow_legality(const struct ml_search *s, const int64_t *values,
				struct ml_arena *a)
{
	struct ml_err err = { 0 };
	struct ml_flow *f = open_flow(s, &err);
	struct ml_legality l = { .said = "not known" };
	struct texts t;
	int64_t *value;
	bool *known;

	bool ok = f && fill_all(s, values, &t, a, &err);
	if (ok && !t.tile && !t.order)
		l.said = "that of the source";
	else if (ok)
		ok = ml_flow_values(f, t.set, a, &value, &known, &err) &&
		     ml_legality_check(&l, f, t.tile, t.order, value, known, NULL, a,
				       &err);
	ml_flow_close(f);
	return ok ? l.said : ml_arena_strdup(a, err.text);
}
