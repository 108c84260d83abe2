/* Arrays of .sdfg files: layouts, subsets, and accesses of parts of containers. */
#include <stdlib.h>
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/sdfg_read_parts.h"

void ml_sdfg_subset(struct ml_sdfg_reader *r, json_t *subset, struct ml_sdfg_subset *out)
{
	json_t *ranges = json_object_get(subset, "ranges"),
	       *indices = json_object_get(subset, "indices");
	size_t n = json_array_size(ranges ? ranges : indices);

	*out = (struct ml_sdfg_subset){ .single = true };
	if (!n || n > ML_FLOW_DIMS) {
		/* a union of subsets, or nothing */
		out->bad = true;
		return;
	}
	out->dims = (uint32_t)n;
	for (size_t d = 0; d < n; d++) {
		struct ml_flow_range *x = &out->range[d];
		json_t *g = json_array_get(ranges ? ranges : indices, d);

		x->from = ml_sdfg_value(r, ranges ? json_object_get(g, "start") : g);
		x->to = ranges ? ml_sdfg_value(r, json_object_get(g, "end")) : x->from;
		json_t *step = ranges ? json_object_get(g, "step") : NULL;
		x->step = step ? ml_sdfg_value(r, step) : ml_sym_const(&r->f->arena, 1);
		json_t *tile = ranges ? json_object_get(g, "tile") : NULL;
		if (tile && !ml_sym_is(ml_sdfg_value(r, tile), 1))
			out->bad = true;
		out->single &= ml_sym_equal(x->from, x->to);
		out->bad |= ml_sym_has_unknown(x->from) || ml_sym_has_unknown(x->to) ||
			    ml_sym_has_unknown(x->step);
	}
}

void ml_sdfg_access(struct ml_sdfg_reader *r, uint32_t work,
		    const struct ml_sdfg_array *a, const struct ml_sdfg_subset *s,
		    bool write, bool bounded)
{
	struct ml_arena *arena = &r->f->arena;
	const struct ml_flow_container *c = &r->f->container[a->container];
	struct ml_flow_access *x = ml_flow_add_access(r->f, work, a->container, write);

	x->line = r->f->node[work].line;
	x->bounded = bounded || r->bounded;
	if (s->bad || a->lost || s->dims != a->dims) {
		if (!c->scalar)
			ml_flow_add_note(
				r->f,
				"a place in '%s' depends on data, or its form is "
				"not understood; the access is counted once, but "
				"not placed",
				c->name);
		x->bounded = true;
		return;
	}
	x->single = s->single;
	if (!a->mapped) {
		x->linear = a->base;
		for (uint32_t d = 0; d < s->dims; d++)
			x->linear = ml_sym_make(arena, ML_SYM_ADD, x->linear,
						ml_sym_make(arena, ML_SYM_MUL,
							    s->range[d].from,
							    a->stride[d]));
		if (!s->single) {
			ml_flow_add_note(r->f,
					 "a range of '%s' is accessed through another "
					 "layout; it is counted once, but not placed",
					 c->name);
			x->linear = NULL;
			x->single = x->bounded = true;
		}
		return;
	}
	x->dims = c->dims;
	for (uint32_t d = 0; d < c->dims; d++)
		x->range[d] = (struct ml_flow_range){ a->first[d], a->first[d],
						      ml_sym_const(arena, 1) };
	for (uint32_t d = 0; d < s->dims; d++) {
		if (a->to[d] < 0)
			continue;
		struct ml_flow_range *g = &x->range[a->to[d]];

		g->to = ml_sym_make(arena, ML_SYM_ADD, g->from, s->range[d].to);
		g->from = ml_sym_make(arena, ML_SYM_ADD, g->from, s->range[d].from);
		g->step = s->range[d].step;
	}
}

static uint32_t bytes_of(struct ml_sdfg_reader *r, json_t *dtype)
{
	const char *text = json_string_value(dtype);
	uint32_t bits = 0;

	if (text && !strcmp(text, "bool"))
		return 1;
	for (const char *at = text; at && *at; at++)
		if (*at >= '1' && *at <= '9') {
			bits = (uint32_t)strtoul(at, NULL, 10);
			break;
		}
	if (bits >= 8 && bits <= 512)
		return bits / 8;
	ml_flow_add_note(r->f,
			 "the size of type '%s' is not known; it is taken as 8 bytes",
			 text ? text : "?");
	return 8;
}

bool ml_sdfg_layout(struct ml_sdfg_reader *r, json_t *desc, struct ml_flow_container *c)
{
	json_t *shape = ml_sdfg_attr(desc, "shape"),
	       *strides = ml_sdfg_attr(desc, "strides"),
	       *offset = ml_sdfg_attr(desc, "offset"),
	       *dtype = ml_sdfg_attr(desc, "dtype");
	struct ml_arena *a = &r->f->arena;
	size_t n = json_array_size(shape);

	c->scalar = !strcmp(ml_sdfg_text(desc, "type"), "Scalar");
	if (n > ML_FLOW_DIMS)
		return false;
	c->element = bytes_of(r, dtype);
	c->type = ml_arena_strdup(a,
				  json_is_string(dtype) ? json_string_value(dtype) : "?");
	c->dims = n ? (uint32_t)n : 1;
	if (!n)
		c->shape[0] = ml_sym_const(a, 1);
	for (size_t d = 0; d < n; d++)
		c->shape[d] = ml_sdfg_value(r, json_array_get(shape, d));
	ml_flow_row_major(r->f, c);
	for (size_t d = 0; d < n && d < json_array_size(strides); d++)
		c->stride[d] = ml_sdfg_value(r, json_array_get(strides, d));
	/* offset shifts indices; start_offset elements stand in front */
	c->offset = ml_sym_const(a, 0);
	for (size_t d = 0; d < n && d < json_array_size(offset); d++)
		c->offset = ml_sym_make(
			a, ML_SYM_ADD, c->offset,
			ml_sym_make(a, ML_SYM_MUL,
				    ml_sdfg_value(r, json_array_get(offset, d)),
				    c->stride[d]));
	json_t *start = ml_sdfg_attr(desc, "start_offset");
	if (start)
		c->offset = ml_sym_make(a, ML_SYM_ADD, c->offset,
					ml_sdfg_value(r, start));
	json_int_t align = json_integer_value(ml_sdfg_attr(desc, "alignment"));
	c->alignment = align > 0 && align <= 1 << 20 ? (uint64_t)align : 0;
	c->transient = json_is_true(ml_sdfg_attr(desc, "transient"));
	return true;
}

void ml_sdfg_arrays(struct ml_sdfg_reader *r, json_t *sdfg)
{
	json_t *arrays = ml_sdfg_attr(sdfg, "_arrays"), *desc;
	struct ml_arena *arena = &r->f->arena;
	const char *name;

	json_object_foreach(arrays, name, desc)
	{
		struct ml_flow_container c = { 0 };
		struct ml_sdfg_array a = { .mapped = true };

		if (!json_is_object(desc) || ml_sdfg_find(r, name))
			continue;
		if (!ml_sdfg_layout(r, desc, &c)) {
			ml_flow_add_note(r->f, "array '%s' has too many dimensions",
					 name);
			continue;
		}
		c.name = ml_arena_strdup(arena, name);
		for (int i = 2; ml_flow_find_container(r->f, c.name) != UINT32_MAX; i++)
			c.name = ml_arena_printf(arena, "%s.%d", name, i);
		const char *type = ml_sdfg_text(desc, "type");
		a.view = strstr(type, "View") || strstr(type, "Reference");
		/* the places of a queue depend on what was pushed and popped before */
		a.lost = strstr(type, "Stream");
		a.name = ml_arena_strdup(arena, name);
		a.container = ml_flow_add_container(r->f, &c);
		a.dims = c.dims;
		memcpy(a.shape, c.shape, sizeof(a.shape));
		memcpy(a.stride, c.stride, sizeof(a.stride));
		for (uint32_t d = 0; d < c.dims; d++) {
			a.to[d] = (int)d;
			a.first[d] = ml_sym_const(arena, 0);
		}
		r->array = ml_grow(r->array, &r->array_cap, r->array_count + 1,
				   sizeof(*r->array));
		r->array[r->array_count++] = a;
	}
}
