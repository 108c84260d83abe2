#include "lib/flow/order/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/flow/flow.h"

struct ml_flow_container *ml_layout_copy(struct ml_arena *a, const struct ml_flow *f)
{
	return (struct ml_flow_container *)ml_arena_copy(
		a, f->container, f->container_count * sizeof(*f->container));
}

struct change {
	uint32_t order[ML_FLOW_DIMS]; /* the slowest dimension first */
	bool reorder;
	int64_t pad;
};

static bool number(const char *text, int64_t low, int64_t high, int64_t *v,
		   const char **end)
{
	char *stop;

	*v = strtoll(text, &stop, 10);
	*end = stop;
	return stop != text && *v >= low && *v <= high;
}

static bool parse_order(struct change *c, uint32_t dims, const char *text,
			struct ml_err *err)
{
	bool seen[ML_FLOW_DIMS] = { false };
	const char *at = text;

	for (uint32_t d = 0; d < dims; d++) {
		int64_t v;

		if (!number(at, 0, (int64_t)dims - 1, &v, &at) || seen[v] ||
		    *at != (d + 1 < dims ? ',' : 0))
			return ml_fail(err, ML_USAGE,
				       "'order:%s' must name each of the %" PRIu32
				       " dimensions once, from 0",
				       text, dims);
		seen[v] = true;
		c->order[d] = (uint32_t)v;
		at += *at == ',';
	}
	c->reorder = true;
	return true;
}

static bool parse_one(struct ml_arena *a, struct ml_flow_container *of, struct change *c,
		      const char *text, struct ml_err *err)
{
	const char *end;
	int64_t v;

	if (!strcmp(text, "row") || !strcmp(text, "col")) {
		c->reorder = true;
		for (uint32_t d = 0; d < of->dims; d++)
			c->order[d] = *text == 'r' ? d : of->dims - 1 - d;
		return true;
	}
	if (!strncmp(text, "order:", 6))
		return parse_order(c, of->dims, text + 6, err);
	if (!strncmp(text, "pad:", 4) && number(text + 4, 1, 1 << 20, &v, &end) &&
	    !*end) {
		c->pad = v;
		return true;
	}
	if (!strncmp(text, "offset:", 7) && number(text + 7, 0, 1 << 30, &v, &end) &&
	    !*end) {
		of->offset = ml_sym_const(a, v);
		return true;
	}
	if (!strncmp(text, "align:", 6) && number(text + 6, 1, 1 << 30, &v, &end) &&
	    !*end && !(v & (v - 1))) {
		of->alignment = (uint64_t)v;
		return true;
	}
	return ml_fail(err, ML_USAGE,
		       "'%s' is no layout; layouts are row, col, order:2,0,1, pad:N, "
		       "offset:N and align:N (a power of two)",
		       text);
}

/* The dimensions as they are stored: sorted by stride, as far as strides compare. */
static void stored_order(const struct ml_flow_container *c, uint32_t *order)
{
	for (uint32_t d = 0; d < c->dims; d++)
		order[d] = d;
	/* column major: the first stride is 1 */
	if (c->dims > 1 && ml_sym_is(c->stride[0], 1) &&
	    !ml_sym_is(c->stride[c->dims - 1], 1))
		for (uint32_t d = 0; d < c->dims; d++)
			order[d] = c->dims - 1 - d;
}

static bool restride(struct ml_arena *a, const struct ml_flow *f, uint32_t number_of,
		     struct ml_flow_container *c, struct change *x, struct ml_err *err)
{
	const struct ml_sym *stride = ml_sym_const(a, 1);

	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++) {
			const struct ml_flow_access *y = &f->node[i].access[j];

			if (y->container == number_of && !y->dims)
				return ml_fail(err, ML_USAGE,
					       "the layout of '%s' cannot change: line "
					       "%" PRIu32
					       " accesses it by a place that has no "
					       "dimensions",
					       c->name, y->line);
		}
	if (!x->reorder)
		stored_order(c, x->order);
	for (uint32_t i = c->dims; i-- > 0;) {
		uint32_t d = x->order[i];
		const struct ml_sym *extent = c->shape[d];

		c->stride[d] = stride;
		if (!i)
			break;
		if (!extent)
			return ml_fail(
				err, ML_USAGE,
				"the layout of '%s' cannot change: the size of its "
				"dimension %" PRIu32 " is not known",
				c->name, d);
		if (i == c->dims - 1 && x->pad > 1)
			extent = ml_sym_make(
				a, ML_SYM_MUL,
				ml_sym_make(a, ML_SYM_FLOOR,
					    ml_sym_add_const(a, extent, x->pad - 1),
					    ml_sym_const(a, x->pad)),
				ml_sym_const(a, x->pad));
		stride = ml_sym_make(a, ML_SYM_MUL, stride, extent);
	}
	return true;
}

bool ml_layout_apply(struct ml_arena *a, const struct ml_flow *f,
		     struct ml_flow_container *containers, const char *text,
		     struct ml_err *err)
{
	const char *equals = strchr(text, '=');
	struct change c = { 0 };

	if (!equals)
		return ml_fail(err, ML_USAGE, "'%s' is no layout: say CONTAINER=LAYOUT",
			       text);
	const char *name = ml_arena_copy(a, text, (size_t)(equals - text));
	uint32_t i = ml_flow_find_container(f, name);
	if (i == UINT32_MAX)
		return ml_fail(err, ML_USAGE, "there is no container '%s'", name);
	char *at = ml_arena_strdup(a, equals + 1);
	for (char *next; at; at = next) {
		next = strchr(at, '+');
		if (next)
			*next++ = 0;
		if (!parse_one(a, &containers[i], &c, at, err))
			return false;
	}
	if (!c.reorder && !c.pad)
		return true;
	return restride(a, f, i, &containers[i], &c, err);
}
