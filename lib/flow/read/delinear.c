#include "lib/flow/read/delinear.h"

#include <string.h>

#include "lib/flow/flow.h"
#include "lib/flow/poly.h"

/* The parameters of a term with its loop variables taken away: a stride. */
static struct ml_poly_term stride_of(const struct ml_flow *f,
				     const struct ml_poly_term *t, bool *loop)
{
	struct ml_poly_term s = { .num = 1, .den = 1 };

	*loop = false;
	for (uint32_t i = 0; i < t->factors; i++)
		if (f->symbol[t->factor[i].symbol].kind == ML_FLOW_LOOP)
			*loop = true;
		else
			s.factor[s.factors++] = t->factor[i];
	return s;
}

/* Whether y divides x, as products of parameters; *rest is x / y. */
static bool divides(const struct ml_poly_term *y, const struct ml_poly_term *x,
		    struct ml_poly_term *rest)
{
	uint32_t j = 0;

	*rest = *x;
	rest->factors = 0;
	for (uint32_t i = 0; i < x->factors; i++) {
		struct ml_poly_factor left = x->factor[i];

		if (j < y->factors && y->factor[j].symbol == left.symbol) {
			if (y->factor[j].power > left.power)
				return false;
			left.power -= y->factor[j++].power;
		}
		if (left.power)
			rest->factor[rest->factors++] = left;
	}
	return j == y->factors;
}

static uint32_t degree(const struct ml_poly_term *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->factors; i++)
		n += t->factor[i].power;
	return n;
}

struct strides {
	struct ml_poly_term at[ML_FLOW_DIMS]; /* the largest first; the last is 1 */
	uint32_t count;
	bool bad;
};

static void add_stride(struct strides *s, const struct ml_poly_term *t)
{
	uint32_t at = 0;

	while (at < s->count && degree(&s->at[at]) > degree(t))
		at++;
	if (at < s->count && degree(&s->at[at]) == degree(t)) {
		s->bad |= memcmp(s->at[at].factor, t->factor,
				 t->factors * sizeof(*t->factor)) != 0;
		return;
	}
	if (s->count == ML_FLOW_DIMS) {
		s->bad = true;
		return;
	}
	memmove(&s->at[at + 1], &s->at[at], (s->count - at) * sizeof(*s->at));
	s->at[at] = *t;
	s->count++;
}

static const struct ml_sym *term_sym(struct ml_arena *a, const struct ml_poly_term *t)
{
	const struct ml_sym *e = ml_sym_const(a, t->num);

	for (uint32_t i = 0; i < t->factors; i++)
		for (uint32_t p = 0; p < t->factor[i].power; p++)
			e = ml_sym_make(a, ML_SYM_MUL, e,
					ml_sym_symbol(a, t->factor[i].symbol));
	return e;
}

static bool gather(struct ml_flow *f, uint32_t container, struct strides *s,
		   struct ml_arena *scratch)
{
	struct ml_poly_term one = { .num = 1, .den = 1 };

	add_stride(s, &one);
	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++) {
			const struct ml_flow_access *x = &f->node[i].access[j];

			if (x->container != container)
				continue;
			if (x->dims != 1 || !x->single)
				return false;
			struct ml_poly p = ml_poly_from(scratch, x->range[0].from);
			if (p.bad)
				return false;
			for (size_t t = 0; t < p.count; t++) {
				bool loop;
				struct ml_poly_term by = stride_of(f, &p.term[t], &loop);

				if (p.term[t].den != 1)
					return false;
				if (loop)
					add_stride(s, &by);
			}
		}
	for (uint32_t i = 0; i + 1 < s->count && !s->bad; i++) {
		struct ml_poly_term rest;

		s->bad |= !divides(&s->at[i + 1], &s->at[i], &rest);
	}
	return !s->bad && s->count > 1;
}

static void split(struct ml_flow *f, struct ml_flow_access *x, const struct strides *s,
		  struct ml_arena *scratch)
{
	struct ml_arena *a = &f->arena;
	struct ml_poly p = ml_poly_from(scratch, x->range[0].from);

	x->dims = s->count;
	for (uint32_t d = 0; d < s->count; d++)
		x->range[d].from = ml_sym_const(a, 0);
	/* from the lowest term on, so that constants come last in the text */
	for (size_t t = 0; t < p.count; t++)
		for (uint32_t d = 0; d < s->count; d++) {
			struct ml_poly_term rest;

			if (!divides(&s->at[d], &p.term[t], &rest))
				continue;
			x->range[d].from = ml_sym_make(a, ML_SYM_ADD, x->range[d].from,
						       term_sym(a, &rest));
			break;
		}
	for (uint32_t d = 0; d < s->count; d++) {
		x->range[d].to = x->range[d].from;
		x->range[d].step = ml_sym_const(a, 1);
	}
}

static void reshape(struct ml_flow *f, uint32_t container, const struct strides *s,
		    struct ml_arena *scratch)
{
	struct ml_flow_container *c = &f->container[container];
	const struct ml_sym *all = c->shape[0];

	c->dims = s->count;
	for (uint32_t d = 0; d < s->count; d++) {
		struct ml_poly_term extent = { 0 };

		c->stride[d] = term_sym(&f->arena, &s->at[d]);
		c->shape[d] = NULL;
		if (d && divides(&s->at[d], &s->at[d - 1], &extent))
			c->shape[d] = term_sym(&f->arena, &extent);
	}
	if (all)
		c->shape[0] = ml_sym_make(&f->arena, ML_SYM_FLOOR, all, c->stride[0]);
	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++)
			if (f->node[i].access[j].container == container)
				split(f, &f->node[i].access[j], s, scratch);
}

void ml_delinear(struct ml_flow *f)
{
	for (uint32_t i = 0; i < f->container_count; i++) {
		struct ml_arena scratch = { 0 };
		struct strides s = { 0 };

		if (f->container[i].dims == 1 && gather(f, i, &s, &scratch))
			reshape(f, i, &s, &scratch);
		ml_arena_release(&scratch);
	}
}
