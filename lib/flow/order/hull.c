#include "lib/flow/order/hull.h"

#include "lib/flow/flow.h"

static bool mentions(const struct ml_sym *e, uint32_t symbol)
{
	if (e->op == ML_SYM_SYMBOL)
		return e->symbol == symbol;
	return (e->a && mentions(e->a, symbol)) || (e->b && mentions(e->b, symbol));
}

/* The greatest (or least) value of e over the iterations of loop o; NULL: not known. */
static const struct ml_sym *extreme(struct ml_arena *a, const struct ml_sym *e,
				    const struct ml_flow_node *o, bool greatest)
{
	const struct ml_sym *x, *y;

	if (!mentions(e, o->symbol))
		return e;
	switch (e->op) {
	case ML_SYM_SYMBOL: return greatest == (o->step > 0) ? o->to : o->from;
	case ML_SYM_ADD:
	case ML_SYM_MIN:
	case ML_SYM_MAX:
		x = extreme(a, e->a, o, greatest);
		y = extreme(a, e->b, o, greatest);
		return x && y ? ml_sym_make(a, e->op, x, y) : NULL;
	case ML_SYM_MUL:
		x = e->a->op == ML_SYM_CONST ? e->a : e->b;
		y = e->a->op == ML_SYM_CONST ? e->b : e->a;
		if (x->op != ML_SYM_CONST)
			return NULL;
		y = extreme(a, y, o, greatest == (x->value > 0));
		return y ? ml_sym_make(a, ML_SYM_MUL, x, y) : NULL;
	case ML_SYM_FLOOR:
		if (e->b->op != ML_SYM_CONST || e->b->value <= 0)
			return NULL;
		x = extreme(a, e->a, o, greatest);
		return x ? ml_sym_make(a, ML_SYM_FLOOR, x, e->b) : NULL;
	default: return NULL;
	}
}

/* Loops further inside refer to those outside of them, so the innermost goes first. */
static const struct ml_sym *over_all(struct ml_arena *a, const struct ml_sym *e,
				     const struct ml_flow_node *others, size_t count,
				     bool greatest)
{
	for (size_t round = 0; round < count; round++)
		for (size_t i = count; i-- > 0 && e;)
			e = extreme(a, e, &others[i], greatest);
	for (size_t i = 0; i < count && e; i++)
		if (mentions(e, others[i].symbol))
			return NULL;
	return e;
}

bool ml_hull(struct ml_arena *a, const struct ml_flow_node *others, size_t count,
	     const struct ml_flow_node *n, const struct ml_sym **from,
	     const struct ml_sym **to)
{
	*from = over_all(a, n->from, others, count, n->step < 0);
	*to = over_all(a, n->to, others, count, n->step > 0);
	return *from && *to;
}
