/* Nested graphs: the arrays and names that they see. */
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/poly.h"
#include "lib/flow/read/sdfg_state_parts.h"

/* The part of an outer array that a nested graph sees under a connector's name. */
static void bind_array(struct ml_sdfg_dataflow *s, const struct ml_sdfg_edge *e,
		       const char *name, json_t *desc, const struct ml_sdfg_name *bound,
		       size_t count, struct ml_sdfg_array *out)
{
	struct ml_sdfg_reader *r = s->r;
	struct ml_arena *a = &r->f->arena;
	struct ml_sdfg_array *from = ml_sdfg_find(r, e->data);
	struct ml_sdfg_subset x;
	struct ml_flow_container inner = { 0 };

	*out = (struct ml_sdfg_array){ .name = name, .lost = true };
	ml_sdfg_subset(r, json_object_get(e->memlet, "subset"), &x);
	if (!from)
		return;
	out->container = from->container;
	/* the inner layout is written with inner names */
	size_t base = r->name_base, names = r->name_count;
	r->name_base = names;
	for (size_t i = 0; i < count; i++)
		ml_sdfg_bind(r, bound[i].name, bound[i].value);
	bool readable = ml_sdfg_layout(r, desc, &inner);
	r->name_base = base;
	r->name_count = names;
	if (!readable)
		return;
	out->dims = inner.dims;
	memcpy(out->shape, inner.shape, sizeof(out->shape));
	memcpy(out->stride, inner.stride, sizeof(out->stride));
	if (x.bad || x.dims != from->dims || from->lost)
		return;
	const struct ml_flow_container *c = &r->f->container[from->container];
	out->lost = false;
	if (!from->mapped) {
		out->base = from->base;
		for (uint32_t d = 0; d < x.dims; d++)
			out->base = ml_sym_make(a, ML_SYM_ADD, out->base,
						ml_sym_make(a, ML_SYM_MUL,
							    x.range[d].from,
							    from->stride[d]));
		return;
	}
	/* dimensions with the same stride belong together, in their order */
	int at = -1;
	out->mapped = true;
	memcpy(out->first, from->first, sizeof(out->first));
	for (uint32_t d = 0; d < x.dims; d++)
		if (from->to[d] >= 0)
			out->first[from->to[d]] = ml_sym_make(
				a, ML_SYM_ADD, from->first[from->to[d]], x.range[d].from);
	for (uint32_t d = 0; d < inner.dims; d++) {
		struct ml_arena scratch = { 0 };
		struct ml_poly want = ml_poly_from(&scratch, inner.stride[d]);
		int to = at + 1;

		while (to < (int)c->dims &&
		       !ml_poly_equal(want, ml_poly_from(&scratch, c->stride[to])))
			to++;
		ml_arena_release(&scratch);
		out->to[d] = to < (int)c->dims ? to : -1;
		if (to < (int)c->dims)
			at = to;
		else if (!ml_sym_is(inner.shape[d], 1))
			out->mapped = false;
	}
	if (out->mapped)
		return;
	out->base = ml_sym_const(a, 0);
	for (uint32_t d = 0; d < c->dims; d++)
		out->base = ml_sym_make(
			a, ML_SYM_ADD, out->base,
			ml_sym_make(a, ML_SYM_MUL, out->first[d], c->stride[d]));
}

void ml_sdfg_nested(struct ml_sdfg_dataflow *s, size_t node)
{
	struct ml_sdfg_reader *r = s->r;
	json_t *sdfg = ml_sdfg_node_attr(s, node, "sdfg"),
	       *mapping = ml_sdfg_node_attr(s, node, "symbol_mapping");
	json_t *descs = ml_sdfg_attr(sdfg, "_arrays"), *value;
	size_t arrays = r->array_count, names = r->name_count;
	size_t array_base = r->array_base, name_base = r->name_base;
	uint32_t parent = r->parent;
	const char *key;
	struct ml_sdfg_name *bound = NULL;
	size_t count = 0, cap = 0;

	if (r->depth >= ML_SDFG_DEPTH || !sdfg) {
		ml_flow_add_note(r->f, "a nested graph is empty or nested too deeply");
		return;
	}
	r->depth++;
	r->parent =
		ml_flow_add_node(r->f, parent, ML_FLOW_SCOPE,
				 ml_sdfg_text(json_array_get(s->nodes, node), "label"));
	ml_sdfg_where(r, r->parent, json_array_get(s->nodes, node));
	/* symbols first: the inner shapes use them; values belong to the outer graph */
	json_object_foreach(mapping, key, value)
	{
		bound = ml_grow(bound, &cap, count + 1, sizeof(*bound));
		bound[count++] = (struct ml_sdfg_name){ key, ml_sdfg_value(r, value) };
	}
	struct ml_sdfg_array *inner = NULL;
	size_t inner_count = 0, inner_cap = 0;
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct ml_sdfg_edge *e = &s->edge[i];
		bool in = e->dst == node, out = e->src == node;
		const char *name = in ? e->to : e->from;
		bool known = false;

		if ((!in && !out) || !e->memlet || !*name)
			continue;
		for (size_t j = 0; j < inner_count; j++)
			known |= !strcmp(inner[j].name, name);
		if (known)
			continue;
		inner = ml_grow(inner, &inner_cap, inner_count + 1, sizeof(*inner));
		bind_array(s, e, name, json_object_get(descs, name), bound, count,
			   &inner[inner_count++]);
	}
	r->name_base = r->name_count;
	for (size_t i = 0; i < count; i++)
		ml_sdfg_bind(r, bound[i].name, bound[i].value);
	r->array_base = r->array_count;
	for (size_t i = 0; i < inner_count; i++) {
		r->array = ml_grow(r->array, &r->array_cap, r->array_count + 1,
				   sizeof(*r->array));
		r->array[r->array_count++] = inner[i];
	}
	ml_sdfg_graph(r, sdfg);
	ml_free(bound);
	ml_free(inner);
	r->array_count = arrays;
	r->name_count = names;
	r->array_base = array_base;
	r->name_base = name_base;
	r->parent = parent;
	r->depth--;
}
