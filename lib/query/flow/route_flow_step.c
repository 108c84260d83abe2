/* Steps of the local view: executions of computations, one at a time, in the order of the
 * program or of an experiment. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cache/distance/distance.h"
#include "lib/flow/flow.h"
#include "lib/flow/order/legality.h"
#include "lib/query/flow/asked.h"
#include "lib/query/flow/open_flow.h"
#include "lib/query/flow/route_flow.h"
#include "lib/query/flow/sizes.h"
#include "lib/query/workspace/answer.h"

enum { TRAIL = 4096 }; /* accesses of an answer */

/* The loops around a node, the outermost first. */
static uint32_t loops_around(const struct ml_flow *f, uint32_t node, uint32_t root,
			     uint32_t *loop, uint32_t max)
{
	uint32_t n = 0;

	if (node != root && f->node[node].parent != ML_FLOW_NONE)
		n = loops_around(f, f->node[node].parent, root, loop, max);
	if (f->node[node].kind == ML_FLOW_FOR && n < max)
		loop[n++] = node;
	return n;
}

/* The execution of a node whose loops have the values "1,2,0", or the nearest: the
 * outermost loop decides first. */
static bool find_step(const struct ml_executions *e, uint32_t node, uint32_t depth,
		      const char *text, uint64_t *step, struct ml_err *err)
{
	int64_t wanted[64];
	uint32_t given = 0;
	bool found = false;

	for (const char *at = text ? text : ""; *at && given < 64;) {
		char *stop;

		wanted[given++] = strtoll(at, &stop, 10);
		if (stop == at || (*stop && *stop != ','))
			return ml_fail(err, ML_USAGE, "loops='%s' are no values of loops",
				       text);
		at = stop + (*stop == ',');
	}
	depth = depth < given ? depth : given;
	for (size_t i = 0; i < e->count; i++) {
		int64_t order = found ? 0 : -1;

		if (e->node[i] != node)
			continue;
		for (uint32_t d = 0; d < depth && found && !order; d++)
			order = llabs(e->value[e->first[i] + d] - wanted[d]) -
				llabs(e->value[e->first[*step] + d] - wanted[d]);
		if (order < 0) {
			*step = i;
			found = true;
		}
	}
	return found || ml_fail(err, ML_USAGE,
				"node %" PRIu32 " does not run at these sizes", node);
}

/* The values that a loop has while those around it stay as they are. */
static void slider(const struct ml_executions *e, uint64_t step, uint32_t d, int64_t *low,
		   int64_t *high)
{
	const int64_t *now = &e->value[e->first[step]];

	*low = *high = now[d];
	for (size_t i = 0; i < e->count; i++) {
		const int64_t *v = &e->value[e->first[i]];

		if (e->node[i] != e->node[step] || memcmp(v, now, d * sizeof(*v)) != 0)
			continue;
		*low = v[d] < *low ? v[d] : *low;
		*high = v[d] > *high ? v[d] : *high;
	}
}

/* The node of the original that a node of the changed program was; ML_FLOW_NONE: none. */
static uint32_t original(const struct ml_flow_asked *k, uint32_t node)
{
	return k->s->was ? k->s->was[node] : node;
}

static void loops_json(const struct ml_flow_asked *k, const struct ml_executions *e,
		       uint64_t step, const uint32_t *loop, uint32_t depth,
		       struct ml_json *w)
{
	const struct ml_flow *f = k->s->x.flow;

	ml_json_key_array(w, "loops");
	for (uint32_t d = 0; d < depth; d++) {
		int64_t low, high;

		slider(e, step, d, &low, &high);
		ml_json_object(w);
		ml_json_key_string(w, "name", f->names[f->node[loop[d]].symbol]);
		if (original(k, loop[d]) != ML_FLOW_NONE)
			ml_json_key_u64(w, "node", original(k, loop[d]));
		ml_json_key_i64(w, "value", e->value[e->first[step] + d]);
		ml_json_key_i64(w, "low", low);
		ml_json_key_i64(w, "high", high);
		ml_json_key_i64(w, "step", llabs(f->node[loop[d]].step));
		ml_json_end(w);
	}
	ml_json_end(w);
}

static void access_json(const struct ml_flow_asked *k, size_t i, const uint32_t *first,
			struct ml_json *w)
{
	const struct ml_locality *l = k->s->l;
	uint32_t node = k->s->access_node[l->access[i]];

	ml_json_object(w);
	ml_json_key_u64(w, "container", l->of[i]);
	ml_json_key_i64(w, "place", ml_simulated_place(k->s, i));
	ml_json_key_bool(w, "write",
			 k->x->flow->node[node].access[l->access[i] - first[node]].write);
	ml_json_key(w, "distance");
	if (l->distance[i] == ML_NEVER)
		ml_json_null(w);
	else
		ml_json_u64(w, l->distance[i]);
	ml_json_end(w);
}

/* Accesses of executions `step` - `before` to `step`, in order. */
static void accesses_json(const struct ml_flow_asked *k, uint64_t step, uint64_t before,
			  struct ml_answer *a)
{
	const struct ml_locality *l = k->s->l;
	const struct ml_flow *f = k->x->flow;
	uint32_t *first = ml_arena_alloc(&a->arena, (f->node_count + 1) * sizeof(*first));
	size_t low = 0, high = l->kept, written = 0;

	for (size_t i = 0; i < f->node_count; i++)
		first[i + 1] = first[i] + (uint32_t)f->node[i].access_count;
	uint64_t from = step > before ? step - before : 0;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->instance[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	ml_json_key_array(&a->json, "trail");
	for (; low < l->kept && l->instance[low] < step; low++)
		if (written++ < TRAIL) {
			ml_json_array(&a->json);
			ml_json_u64(&a->json, l->of[low]);
			ml_json_i64(&a->json, ml_simulated_place(k->s, low));
			ml_json_u64(&a->json, step - l->instance[low]);
			ml_json_end(&a->json);
		}
	ml_json_end(&a->json);
	ml_json_key_array(&a->json, "accesses");
	for (size_t n = 0; low < l->kept && l->instance[low] == step && n < TRAIL;
	     low++, n++)
		access_json(k, low, first, &a->json);
	ml_json_end(&a->json);
}

/* One execution of a computation: by its number, or by its node and loop values. */
bool ml_route_flow_step(struct ml_workspace *ws, const struct ml_request *q,
			struct ml_answer *a, struct ml_err *err)
{
	uint64_t step, node, trail;
	uint32_t loop[64];
	struct ml_flow_asked k;
	bool ok = ml_flow_ask(&k, ws, q, err) &&
		  ml_request_u64(q, "step", 0, &step, err) &&
		  ml_request_u64(q, "node", ML_FLOW_NONE, &node, err) &&
		  ml_request_u64(q, "trail", 0, &trail, err);

	if (ok) {
		const struct ml_executions *e = ml_simulated_executions(&k.x->simulations,
									k.s);
		const struct ml_flow *f = k.s->x.flow;
		uint32_t root = k.s->l->walk.root, depth = 0;

		if (node < k.x->flow->node_count) {
			uint32_t now = k.s->was ? k.s->x.transform.now[node]
						: (uint32_t)node;

			depth = loops_around(f, now, root, loop, 64);
			ok = find_step(e, now, depth, ml_request_text(q, "loops"), &step,
				       err);
		} else if (step >= e->count && e->count)
			step = e->count - 1;
		if (ok && !e->count)
			ok = ml_fail(err, ML_USAGE, "nothing runs at these sizes");
		if (ok) {
			depth = loops_around(f, e->node[step], root, loop, 64);
			ml_json_object(&a->json);
			ml_json_key_u64(&a->json, "step", step);
			ml_json_key_u64(&a->json, "steps", e->count);
			ml_json_key_u64(&a->json, "node", original(&k, e->node[step]));
			loops_json(&k, e, step, loop, depth, &a->json);
			accesses_json(&k, step, trail, a);
			ml_json_end(&a->json);
		}
	}
	ml_flow_asked(&k);
	return ok;
}

/* Whether the loops may run in the order that a request asks for. */
bool ml_route_flow_legality(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_function *x = ml_open_function(ws, q, err);
	struct ml_legality l = { 0 };
	struct ml_flow_sizes z;

	if (!x || !ml_flow_sizes_read(&z, x->flow, q, &a->arena, err) ||
	    !ml_legality_check(&l, x->flow, ml_request_text(q, "tile"),
			       ml_request_text(q, "order"), z.value, z.known, &q->work,
			       &a->arena, err))
		return false;
	ml_json_object(&a->json);
	ml_json_key_string(&a->json, "kind", ml_legality_names[l.kind]);
	ml_json_key_bool(&a->json, "all_sizes", l.all_sizes);
	ml_json_key_bool(&a->json, "smaller", l.smaller);
	ml_json_key_string(&a->json, "said", l.said);
	ml_json_end(&a->json);
	return true;
}
