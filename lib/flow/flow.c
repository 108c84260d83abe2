#include "lib/flow/flow.h"

#include <string.h>

const char *const ml_flow_op_names[ML_FLOW_OPS] = { "add",     "mul",     "div",
						    "special", "compare", "logic" };

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

static bool any_type(const char *type)
{
	return strstr(type, "char") || !strncmp(type, "struct", 6) ||
	       !strncmp(type, "union", 5) || !strcmp(type, "void");
}

/* A type without what does not keep it from being the same object. */
static const char *plain_type(const char *type)
{
	static const char *const words[] = { "const ", "volatile ", "unsigned ",
					     "signed " };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(type, words[i], strlen(words[i])))
			return plain_type(type + strlen(words[i]));
	return type;
}

/* Whether a pointer may lead to the storage of another container: C says that objects of
 * different types are different ones. */
static bool reaches(const struct ml_flow_container *c, const struct ml_flow_container *d)
{
	if (c->scalar || d->scalar || (!c->pointed && !d->pointed) ||
	    (!c->pointed && c->transient) || (!d->pointed && d->transient))
		return false;
	return any_type(c->type) || any_type(d->type) ||
	       !strcmp(plain_type(c->type), plain_type(d->type));
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
	if (storage[0] == storage[1])
		return !known[0] || !known[1] || (from[0] < to[1] && from[1] < to[0]);
	const struct ml_flow_container *c = &f->container[storage[0]];
	const struct ml_flow_container *d = &f->container[storage[1]];
	if (c->rows_of && c->rows_of == d->rows_of)
		return true;
	return !f->apart && reaches(c, d);
}
