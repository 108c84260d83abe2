#include "lib/flow/order/set_text.h"

#include <inttypes.h>

#include "lib/flow/flow.h"

static void put_pair(struct ml_set_text *t, const char *before, const struct ml_sym *e,
		     const char *between, const char *after)
{
	ml_buf_text(&t->b, before);
	ml_set_number(t, e->a);
	ml_buf_text(&t->b, between);
	ml_set_number(t, e->b);
	ml_buf_text(&t->b, after);
}

void ml_set_number(struct ml_set_text *t, const struct ml_sym *e)
{
	bool divides = e->b && e->b->op == ML_SYM_CONST && e->b->value > 0;

	switch (e->op) {
	case ML_SYM_CONST: ml_buf_printf(&t->b, "%" PRId64, e->value); break;
	case ML_SYM_SYMBOL:
		ml_buf_printf(&t->b, "%c%" PRIu32,
			      t->f->symbol[e->symbol].kind == ML_FLOW_LOOP ? 'v' : 'p',
			      e->symbol);
		break;
	case ML_SYM_ADD: put_pair(t, "(", e, " + ", ")"); break;
	case ML_SYM_MUL:
		t->bad |= e->a->op != ML_SYM_CONST && e->b->op != ML_SYM_CONST;
		/* isl wants the number in front */
		ml_buf_text(&t->b, "(");
		ml_set_number(t, e->a->op == ML_SYM_CONST ? e->a : e->b);
		ml_buf_text(&t->b, " * ");
		ml_set_number(t, e->a->op == ML_SYM_CONST ? e->b : e->a);
		ml_buf_text(&t->b, ")");
		break;
	case ML_SYM_FLOOR:
	case ML_SYM_MOD:
		t->bad |= !divides;
		ml_buf_text(&t->b, e->op == ML_SYM_MOD ? "((" : "floor((");
		ml_set_number(t, e->a);
		/* a divisor in parentheses is none for isl */
		ml_buf_printf(&t->b, ")%s%" PRId64 ")",
			      e->op == ML_SYM_MOD ? " mod " : "/", e->b->value);
		break;
	case ML_SYM_MIN: put_pair(t, "min(", e, ", ", ")"); break;
	case ML_SYM_MAX: put_pair(t, "max(", e, ", ", ")"); break;
	default: t->bad = true;
	}
}

static void ml_set_condition(struct ml_set_text *t, const struct ml_sym *e)
{
	switch (e->op) {
	case ML_SYM_EQ: put_pair(t, "(", e, " = ", ")"); break;
	case ML_SYM_GE: put_pair(t, "(", e, " >= ", ")"); break;
	case ML_SYM_AND:
	case ML_SYM_OR:
		ml_buf_text(&t->b, "(");
		ml_set_condition(t, e->a);
		ml_buf_text(&t->b, e->op == ML_SYM_AND ? " and " : " or ");
		ml_set_condition(t, e->b);
		ml_buf_text(&t->b, ")");
		break;
	case ML_SYM_NOT:
		ml_buf_text(&t->b, "(not ");
		ml_set_condition(t, e->a);
		ml_buf_text(&t->b, ")");
		break;
	case ML_SYM_CONST: ml_buf_text(&t->b, e->value ? "(0 = 0)" : "(0 = 1)"); break;
	case ML_SYM_UNKNOWN: t->bad = true; break;
	default:
		ml_buf_text(&t->b, "(not (");
		ml_set_number(t, e);
		ml_buf_text(&t->b, " = 0))");
	}
}

/* A condition that may be left out where it is not affine; false: it was. */
static bool and_condition(struct ml_set_text *t, const struct ml_sym *e)
{
	struct ml_set_text own = { .f = t->f };

	ml_set_condition(&own, e);
	if (!own.bad) {
		ml_buf_text(&t->b, " and ");
		ml_buf_put(&t->b, own.b.data, own.b.size);
	}
	ml_buf_release(&own.b);
	return !own.bad;
}

/* a OP b, left out where it is not affine. */
static bool and_compare(struct ml_set_text *t, const struct ml_sym *x, const char *op,
			const struct ml_sym *y, const char *after)
{
	struct ml_set_text own = { .f = t->f };

	ml_set_number(&own, x);
	ml_buf_text(&own.b, op);
	ml_set_number(&own, y);
	ml_buf_text(&own.b, after);
	if (!own.bad) {
		ml_buf_text(&t->b, " and ");
		ml_buf_put(&t->b, own.b.data, own.b.size);
	}
	ml_buf_release(&own.b);
	return !own.bad;
}

/* The iterations of a computation: bounds and guards of all that is around it. */
bool ml_set_domain(struct ml_set_text *t, struct ml_arena *a, uint32_t node)
{
	const struct ml_flow *f = t->f;
	bool exact = true;

	for (; node != ML_FLOW_NONE; node = f->node[node].parent) {
		const struct ml_flow_node *n = &f->node[node];

		if (n->kind == ML_FLOW_IF)
			exact &= and_condition(t, n->condition);
		if (n->kind != ML_FLOW_FOR)
			continue;
		const struct ml_sym *v = ml_sym_symbol(a, n->symbol);
		int64_t step = n->step > 0 ? n->step : -n->step;
		bool up = n->step > 0;

		exact &= and_compare(t, v, up ? " >= " : " <= ", n->from, "");
		exact &= and_compare(t, v, up ? " <= " : " >= ", n->to, "");
		if (step > 1)
			exact &= and_compare(t,
					     ml_sym_make(a, ML_SYM_MOD,
							 ml_sym_sub(a, v, n->from),
							 ml_sym_const(a, step)),
					     " = ", ml_sym_const(a, 0), "");
	}
	return exact;
}

void ml_set_parameters(struct ml_set_text *t)
{
	const char *before = "[";

	for (size_t i = 0; i < t->f->symbol_count; i++)
		if (t->f->symbol[i].kind <= ML_FLOW_TRIPS) {
			ml_buf_printf(&t->b, "%sp%zu", before, i);
			before = ", ";
		}
	ml_buf_text(&t->b, *before == ',' ? "] -> { " : "{ ");
}

void ml_set_sizes(struct ml_set_text *t)
{
	for (size_t i = 0; i < t->f->symbol_count; i++)
		if (t->f->symbol[i].kind <= ML_FLOW_TRIPS)
			ml_buf_printf(&t->b, " and p%zu >= 1", i);
}
