#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/flow/run/experiment.h"
#include "lib/flow/flow.h"
#include "lib/flow/run/print.h"

enum { ACCESSES = 2000 }; /* listed one by one */

static void counts_json(const struct ml_served *s, const struct ml_served_counts *c,
			struct ml_json *w)
{
	ml_json_key_array(w, "served");
	for (unsigned i = 0; i <= s->machine.levels; i++)
		ml_json_u64(w, c->served[i]);
	ml_json_end(w);
	ml_json_key_array(w, "misses");
	for (unsigned i = 1; i <= s->machine.levels; i++)
		ml_json_u64(w, ml_served_missed(s, c, i));
	ml_json_end(w);
	if (!s->causes)
		return;
	ml_json_key_object(w, "causes");
	for (int i = ML_CAUSE_COLD; i <= ML_CAUSE_CONFLICT; i++)
		ml_json_key_u64(w, ml_cause_names[i], c->cause[i]);
	ml_json_end(w);
}

static void accesses_json(const struct ml_served *s, struct ml_json *w)
{
	const struct ml_flow *f = s->walk.flow;
	size_t at = 0, written = 0;

	ml_json_key_array(w, "accesses");
	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++, at++) {
			const struct ml_flow_access *x = &f->node[i].access[j];

			if (f->container[x->container].scalar || written++ >= ACCESSES)
				continue;
			ml_json_object(w);
			ml_json_key_u64(w, "access", at);
			ml_json_key_u64(w, "container", x->container);
			ml_json_key_bool(w, "write", x->write);
			ml_json_key_u64(w, "line", x->line ? x->line : f->node[i].line);
			counts_json(s, &s->by_access[at], w);
			ml_json_end(w);
		}
	ml_json_end(w);
}

static void machine_json(const struct ml_served *s, struct ml_json *w)
{
	const struct ml_flow *f = s->walk.flow;
	struct ml_buf text = { 0 };

	ml_machine_print(&s->machine, &text);
	ml_json_key_object(w, "machine");
	ml_json_key(w, "text");
	ml_json_bytes(w, (const char *)text.data, text.size);
	ml_buf_release(&text);
	ml_json_key_array(w, "levels");
	for (unsigned i = 0; i <= s->machine.levels; i++)
		ml_json_string(w, ml_machine_level_name(&s->machine, i + 1));
	ml_json_end(w);
	ml_json_key_array(w, "containers");
	for (size_t i = 0; i < f->container_count; i++) {
		if (f->container[i].scalar)
			continue;
		ml_json_object(w);
		ml_json_key_string(w, "name", f->container[i].name);
		counts_json(s, &s->by_container[i], w);
		ml_json_end(w);
	}
	ml_json_end(w);
	accesses_json(s, w);
	counts_json(s, &s->all, w);
	ml_json_key_u64(w, "cycles", ml_served_cycles(s, &s->all));
	ml_json_end(w);
}

static void side_json(const struct ml_experiment *x, const struct ml_experiment_side *s,
		      struct ml_json *w)
{
	if (!x->only_machine)
		ml_flow_json_at(&s->locality, w);
	if (x->has_machine)
		machine_json(&s->served, w);
}

void ml_experiment_json(const struct ml_experiment *x, struct ml_json *w)
{
	side_json(x, &x->now, w);
	if (x->changes && !x->only_changed) {
		ml_json_key_object(w, "before");
		side_json(x, &x->before, w);
		ml_json_end(w);
	}
	if (!x->legality.said)
		return;
	ml_json_key_object(w, "legality");
	ml_json_key_string(w, "kind", ml_legality_names[x->legality.kind]);
	ml_json_key_bool(w, "all_sizes", x->legality.all_sizes);
	ml_json_key_bool(w, "smaller", x->legality.smaller);
	ml_json_key_string(w, "said", x->legality.said);
	ml_json_end(w);
}
