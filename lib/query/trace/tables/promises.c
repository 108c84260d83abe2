#include "lib/query/trace/tables/promises.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/query/trace/tables/analysed_trace.h"
#include "lib/query/trace/tables/compare.h"

/* Cycles of all regions of a name: a name may stand for blocks of several stacks. */
static double cycles_of(const struct ml_analysed_trace *t, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < t->rows.regions.count; i++)
		if (!strcmp(t->rows.regions.at[i].name, name))
			sum += t->rows.regions.at[i].count.cycles;
	return sum;
}

static bool stays(const struct ml_compare *c, const struct ml_finding *n)
{
	for (size_t i = 0; i < c->findings.count; i++)
		if (c->findings.at[i].a == n && c->findings.at[i].b)
			return true;
	return false;
}

struct ml_promises ml_promises_make(const struct ml_compare *c, struct ml_arena *a)
{
	const struct ml_findings *f = &c->a->findings;
	double all = f->cycles > 0 ? f->cycles : 1;
	struct ml_promise *at = ml_arena_alloc(a, (f->count + 1) * sizeof(*at));

	for (size_t i = 0; i < f->count; i++) {
		const struct ml_finding *n = &f->at[i];

		at[i] = (struct ml_promise){ .finding = n,
					     .stays = stays(c, n),
					     .has_region = *n->region };
		if (*n->region)
			at[i].region = (cycles_of(c->a, n->region) -
					cycles_of(c->b, n->region)) /
				       all;
	}
	return (struct ml_promises){ at, f->count, 1 - c->b->findings.cycles / all };
}

void ml_promises_json(const struct ml_promises *p, struct ml_buf *out)
{
	struct ml_json w = { .out = out, .indent = 1 };

	ml_json_object(&w);
	ml_json_key_real(&w, "whole", p->whole);
	ml_json_key_array(&w, "promises");
	for (size_t i = 0; i < p->count; i++) {
		const struct ml_promise *x = &p->at[i];
		const struct ml_finding *n = x->finding;

		ml_json_object(&w);
		ml_json_key_string(&w, "kind", n->kind);
		ml_json_key_string(&w, "region", x->has_region ? n->region : NULL);
		ml_json_key_string(&w, "file", *n->file ? n->file : NULL);
		ml_json_key_u64(&w, "line", n->line);
		ml_json_key_real(&w, "promised", n->gain);
		ml_json_key_string(&w, "predicted",
				   n->simulated ? "simulated" : "estimated");
		ml_json_key(&w, "in_region");
		if (x->has_region)
			ml_json_real(&w, x->region);
		else
			ml_json_null(&w);
		ml_json_key_string(&w, "state", x->stays ? "stays" : "gone");
		ml_json_end(&w);
	}
	ml_json_end(&w);
	ml_json_end(&w);
	ml_buf_put(out, "\n", 1);
}
