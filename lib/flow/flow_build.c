#include "lib/flow/flow_build.h"

#include <stdarg.h>
#include <string.h>

struct ml_flow *ml_flow_new(const char *path)
{
	struct ml_arena a = { 0 };
	struct ml_flow *f = ml_arena_alloc(&a, sizeof(*f));

	f->arena = a;
	f->path = ml_arena_strdup(&f->arena, path);
	f->function = f->dialect = "";
	f->apart = true;
	return f;
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
