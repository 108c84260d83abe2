/*
 * The slow, obvious evaluation of a search space: all variants by recursion, each
 * constraint from its tree. Tests compare the engines with it.
 */
#pragma once

#include <stdlib.h>

#include "lib/prune/space.h"

struct slow_space {
	const struct ml_space *s;
	int64_t row[ML_SPACE_PARAMS];
	uint64_t *counts;
	bool divided;
	void (*each)(void *arg, const int64_t *row, uint32_t mask);
	void *arg;
};

static int64_t slow_value(struct slow_space *x, uint32_t node)
{
	const struct ml_expr *e = &x->s->exprs.at[node];
	int64_t a = 0, b = 0, c = 0;

	if (e->op == ML_EXPR_NUMBER)
		return e->value;
	if (e->op == ML_EXPR_PARAM)
		return x->row[e->value];
	a = slow_value(x, e->a);
	if (ml_expr_arity(e->op) > 1)
		b = slow_value(x, e->b);
	if (ml_expr_arity(e->op) > 2)
		c = slow_value(x, e->c);
	switch (e->op) {
	case ML_EXPR_ADD: return a + b;
	case ML_EXPR_SUB: return a - b;
	case ML_EXPR_MUL: return a * b;
	case ML_EXPR_DIV:
	case ML_EXPR_MOD:
		if (!b) {
			x->divided = true;
			return 0;
		}
		return e->op == ML_EXPR_DIV ? a / b : a % b;
	case ML_EXPR_MIN: return a < b ? a : b;
	case ML_EXPR_MAX: return a < b ? b : a;
	case ML_EXPR_NEG: return -a;
	case ML_EXPR_ABS: return llabs(a);
	case ML_EXPR_EQ: return a == b;
	case ML_EXPR_NE: return a != b;
	case ML_EXPR_LT: return a < b;
	case ML_EXPR_LE: return a <= b;
	case ML_EXPR_GT: return a > b;
	case ML_EXPR_GE: return a >= b;
	case ML_EXPR_AND: return a && b;
	case ML_EXPR_OR: return a || b;
	case ML_EXPR_NOT: return !a;
	case ML_EXPR_IF: return a ? b : c;
	case ML_EXPR_LOOKUP: return x->s->exprs.tables[e->value].values[a];
	default: abort();
	}
}

static void slow_walk(struct slow_space *x, size_t p);

/* Values are computed as soon as they are known, so that zero divisors show. */
static void slow_enter(struct slow_space *x, size_t p, int64_t value)
{
	x->row[p] = value;
	for (uint32_t k = 0; k < x->s->exprs.count; k++)
		if (x->s->exprs.at[k].used && x->s->exprs.at[k].level == (int)p)
			slow_value(x, k);
	if (!x->divided)
		slow_walk(x, p + 1);
}

static void slow_walk(struct slow_space *x, size_t p)
{
	const struct ml_param_range *r = &x->s->params[p];

	if (p == x->s->param_count) {
		uint32_t mask = 0;

		for (size_t c = 0; c < x->s->constraint_count; c++)
			mask |= (uint32_t)(slow_value(x, x->s->constraints[c].node) != 0)
				<< c;
		if (x->counts)
			x->counts[mask]++;
		if (x->each)
			x->each(x->arg, x->row, mask);
		return;
	}
	if (r->kind == ML_RANGE_LIST) {
		for (size_t i = 0; i < r->value_count; i++)
			slow_enter(x, p, r->values[i]);
		return;
	}
	int64_t first = slow_value(x, r->first), step = slow_value(x, r->step),
		last = slow_value(x, r->last);
	for (int64_t v = first; v <= last;) {
		if (r->kind != ML_RANGE_DIVISORS || last % v == 0)
			slow_enter(x, p, v);
		v = r->kind == ML_RANGE_POWERS ? v * step : v + step;
	}
}
