#include "lib/flow/flow.h"

#include <stdarg.h>
#include <string.h>

#include "lib/base/buf.h"

const char *const ml_flow_op_names[ML_FLOW_OPS] = { "add",     "mul",     "div",
						    "special", "compare", "logic" };

struct ml_flow *ml_flow_new(const char *path)
{
	struct ml_arena a = { 0 };
	struct ml_flow *f = ml_arena_alloc(&a, sizeof(*f));

	f->arena = a;
	f->path = ml_arena_strdup(&f->arena, path);
	f->function = f->dialect = "";
	return f;
}

void ml_flow_close(struct ml_flow *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->node_count; i++)
		ml_free(f->node[i].access);
	ml_free(f->names);
	ml_free(f->symbol);
	ml_free(f->container);
	ml_free(f->node);
	ml_free(f->note);
	ml_free(f->function_list);
	struct ml_arena a = f->arena; /* it owns f */
	ml_arena_release(&a);
}

uint32_t ml_flow_add_symbol(struct ml_flow *f, const char *name,
			    enum ml_flow_symbol_kind kind)
{
	size_t i = f->symbol_count++;

	f->names = ml_grow(f->names, &f->name_cap, i + 1, sizeof(*f->names));
	f->symbol = ml_grow(f->symbol, &f->symbol_cap, i + 1, sizeof(*f->symbol));
	f->names[i] = ml_arena_strdup(&f->arena, name);
	f->symbol[i] = (struct ml_flow_symbol){ .kind = kind };
	return (uint32_t)i;
}

uint32_t ml_flow_add_container(struct ml_flow *f, const struct ml_flow_container *c)
{
	size_t i = f->container_count++;

	f->container = ml_grow(f->container, &f->container_cap, i + 1,
			       sizeof(*f->container));
	f->container[i] = *c;
	if (!c->offset)
		f->container[i].offset = ml_sym_const(&f->arena, 0);
	return (uint32_t)i;
}

uint32_t ml_flow_add_node(struct ml_flow *f, uint32_t parent, enum ml_flow_kind kind,
			  const char *label)
{
	uint32_t i = (uint32_t)f->node_count++;

	f->node = ml_grow(f->node, &f->node_cap, (size_t)i + 1, sizeof(*f->node));
	f->node[i] = (struct ml_flow_node){
		.kind = kind,
		.number = i,
		.parent = parent,
		.first = ML_FLOW_NONE,
		.last = ML_FLOW_NONE,
		.next = ML_FLOW_NONE,
		.label = ml_arena_strdup(&f->arena, label),
		.step = 1,
		.symbol = ML_FLOW_NONE,
	};
	if (parent == ML_FLOW_NONE)
		return i;
	struct ml_flow_node *p = &f->node[parent];
	if (p->last == ML_FLOW_NONE)
		p->first = i;
	else
		f->node[p->last].next = i;
	p->last = i;
	return i;
}

struct ml_flow_access *ml_flow_add_access(struct ml_flow *f, uint32_t node,
					  uint32_t container, bool write)
{
	struct ml_flow_node *n = &f->node[node];

	n->access = ml_grow(n->access, &n->access_cap, n->access_count + 1,
			    sizeof(*n->access));
	struct ml_flow_access *x = &n->access[n->access_count++];
	x->container = container;
	x->write = write;
	x->single = true;
	return x;
}

void ml_flow_add_note(struct ml_flow *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *text = ml_arena_vprintf(&f->arena, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < f->note_count; i++)
		if (!strcmp(f->note[i], text))
			return;
	if (f->note_count == 100)
		text = "there are more notes of these kinds";
	if (f->note_count > 100)
		return;
	f->note = ml_grow(f->note, &f->note_cap, f->note_count + 1, sizeof(*f->note));
	f->note[f->note_count++] = text;
}

void ml_flow_row_major(struct ml_flow *f, struct ml_flow_container *c)
{
	const struct ml_sym *stride = ml_sym_const(&f->arena, 1);

	for (uint32_t d = c->dims; d-- > 0;) {
		c->stride[d] = stride;
		if (d)
			stride = ml_sym_make(&f->arena, ML_SYM_MUL, stride, c->shape[d]);
	}
}

uint32_t ml_flow_find_symbol(const struct ml_flow *f, const char *name)
{
	for (size_t i = 0; i < f->symbol_count; i++)
		if (f->symbol[i].kind <= ML_FLOW_TRIPS && !strcmp(f->names[i], name))
			return (uint32_t)i;
	return UINT32_MAX;
}

uint32_t ml_flow_find_container(const struct ml_flow *f, const char *name)
{
	uint32_t scalar = UINT32_MAX;

	for (size_t i = f->container_count; i-- > 0;) {
		if (strcmp(f->container[i].name, name))
			continue;
		if (!f->container[i].scalar)
			return (uint32_t)i;
		scalar = (uint32_t)i;
	}
	return scalar;
}

const struct ml_sym *ml_flow_place(struct ml_arena *a, const struct ml_flow_container *c,
				   const struct ml_flow_access *x)
{
	const struct ml_sym *place = c->offset;

	if (!x->dims)
		return x->linear ? ml_sym_make(a, ML_SYM_ADD, place, x->linear)
				 : ml_sym_unknown(a);
	for (uint32_t d = 0; d < x->dims; d++)
		place = ml_sym_make(
			a, ML_SYM_ADD, place,
			ml_sym_make(a, ML_SYM_MUL, x->range[d].from, c->stride[d]));
	return place;
}

/* The bytes of an element of the storage that an access may touch; false: any. */
static bool bytes_of(const struct ml_flow *f, const struct ml_flow_access *x,
		     uint32_t *storage, int64_t *from, int64_t *to)
{
	const struct ml_flow_container *c = &f->container[x->container];
	bool known = true;

	*storage = x->container;
	*from = x->field;
	*to = x->field + (x->size ? x->size : c->element);
	for (int depth = 0; c->view_of && depth < 8; depth++) {
		const struct ml_flow_container *of = &f->container[c->view_of - 1];

		known = known && c->view_at->op == ML_SYM_CONST;
		for (uint32_t d = of->dims; known && d < c->dims; d++) {
			known = c->shape[d] && c->shape[d]->op == ML_SYM_CONST;
			*to = known ? *to * c->shape[d]->value : *to;
		}
		if (known) {
			*from += c->view_at->value;
			*to += c->view_at->value;
		}
		known = known && *to <= of->element;
		*storage = c->view_of - 1;
		c = of;
	}
	return known;
}

bool ml_flow_may_overlap(const struct ml_flow *f, const struct ml_flow_access *x,
			 const struct ml_flow_access *y)
{
	uint32_t storage[2];
	int64_t from[2], to[2];
	bool known[2] = { bytes_of(f, x, &storage[0], &from[0], &to[0]),
			  bytes_of(f, y, &storage[1], &from[1], &to[1]) };

	if (x->container == y->container)
		return true;
	return storage[0] == storage[1] &&
	       (!known[0] || !known[1] || (from[0] < to[1] && from[1] < to[0]));
}
