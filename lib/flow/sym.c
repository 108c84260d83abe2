#include "lib/flow/sym.h"

#include <inttypes.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"

static struct ml_sym *node(struct ml_arena *a, enum ml_sym_op op)
{
	struct ml_sym *e = ml_arena_alloc(a, sizeof(*e));

	e->op = op;
	e->depth = 1;
	e->size = 1;
	return e;
}

const struct ml_sym *ml_sym_const(struct ml_arena *a, int64_t v)
{
	struct ml_sym *e = node(a, ML_SYM_CONST);

	e->value = v;
	return e;
}

const struct ml_sym *ml_sym_symbol(struct ml_arena *a, uint32_t symbol)
{
	struct ml_sym *e = node(a, ML_SYM_SYMBOL);

	e->symbol = symbol;
	return e;
}

const struct ml_sym *ml_sym_unknown(struct ml_arena *a)
{
	return node(a, ML_SYM_UNKNOWN);
}

static bool floor_div(int64_t x, int64_t y, int64_t *v)
{
	if (!y || (x == INT64_MIN && y == -1))
		return false;
	*v = x / y - (x % y != 0 && (x < 0) != (y < 0));
	return true;
}

/* False on overflow and division by 0. */
static bool apply(enum ml_sym_op op, int64_t x, int64_t y, int64_t *v)
{
	switch (op) {
	case ML_SYM_ADD: return !__builtin_add_overflow(x, y, v);
	case ML_SYM_MUL: return !__builtin_mul_overflow(x, y, v);
	case ML_SYM_FLOOR: return floor_div(x, y, v);
	case ML_SYM_MOD:
		if (!floor_div(x, y, v))
			return false;
		*v = x - *v * y;
		return true;
	case ML_SYM_MIN: *v = x < y ? x : y; return true;
	case ML_SYM_MAX: *v = x > y ? x : y; return true;
	case ML_SYM_EQ: *v = x == y; return true;
	case ML_SYM_GE: *v = x >= y; return true;
	case ML_SYM_AND: *v = x && y; return true;
	case ML_SYM_OR: *v = x || y; return true;
	default: return false;
	}
}

/* x op y where one side is neutral or decides; NULL: it is neither. */
static const struct ml_sym *folded(enum ml_sym_op op, const struct ml_sym *x,
				   const struct ml_sym *y)
{
	switch (op) {
	case ML_SYM_ADD: return ml_sym_is(x, 0) ? y : ml_sym_is(y, 0) ? x : NULL;
	case ML_SYM_MUL:
		if (ml_sym_is(x, 0) || ml_sym_is(y, 1))
			return x;
		return ml_sym_is(y, 0) || ml_sym_is(x, 1) ? y : NULL;
	case ML_SYM_FLOOR: return ml_sym_is(y, 1) ? x : NULL;
	case ML_SYM_MIN:
	case ML_SYM_MAX: return ml_sym_equal(x, y) ? x : NULL;
	case ML_SYM_AND:
		if (ml_sym_is(x, 0) || ml_sym_is(y, 1))
			return x;
		return ml_sym_is(y, 0) || ml_sym_is(x, 1) ? y : NULL;
	case ML_SYM_OR:
		if (ml_sym_is(x, 1) || ml_sym_is(y, 0))
			return x;
		return ml_sym_is(y, 1) || ml_sym_is(x, 0) ? y : NULL;
	default: return NULL;
	}
}

const struct ml_sym *ml_sym_make(struct ml_arena *a, enum ml_sym_op op,
				 const struct ml_sym *x, const struct ml_sym *y)
{
	int64_t v;

	if (op == ML_SYM_NOT && x->op == ML_SYM_CONST)
		return ml_sym_const(a, !x->value);
	if (op == ML_SYM_NOT && x->op == ML_SYM_NOT)
		return x->a;
	if (y && x->op == ML_SYM_CONST && y->op == ML_SYM_CONST &&
	    apply(op, x->value, y->value, &v))
		return ml_sym_const(a, v);
	if (y) {
		const struct ml_sym *f = folded(op, x, y);

		if (f)
			return f;
		/* (x + 1) + 2 is x + 3 */
		if (op == ML_SYM_ADD && y->op == ML_SYM_CONST && x->op == ML_SYM_ADD &&
		    x->b->op == ML_SYM_CONST && apply(op, x->b->value, y->value, &v))
			return ml_sym_make(a, op, x->a, ml_sym_const(a, v));
	}
	uint32_t depth = y && y->depth > x->depth ? y->depth : x->depth;
	uint32_t size = x->size + (y ? y->size : 0) + 1;
	if (depth >= ML_SYM_DEPTH || size > ML_SYM_SIZE)
		return ml_sym_unknown(a);
	struct ml_sym *e = node(a, op);
	e->a = x;
	e->b = y;
	e->depth = depth + 1;
	e->size = size;
	return e;
}

const struct ml_sym *ml_sym_sub(struct ml_arena *a, const struct ml_sym *x,
				const struct ml_sym *y)
{
	if (ml_sym_equal(x, y) && !ml_sym_has_unknown(x))
		return ml_sym_const(a, 0);
	return ml_sym_make(a, ML_SYM_ADD, x,
			   ml_sym_make(a, ML_SYM_MUL, ml_sym_const(a, -1), y));
}

const struct ml_sym *ml_sym_add_const(struct ml_arena *a, const struct ml_sym *x,
				      int64_t v)
{
	return ml_sym_make(a, ML_SYM_ADD, x, ml_sym_const(a, v));
}

bool ml_sym_eval(const struct ml_sym *e, const int64_t *value, const bool *known,
		 int64_t *v)
{
	int64_t x, y;

	switch (e->op) {
	case ML_SYM_CONST: *v = e->value; return true;
	case ML_SYM_SYMBOL: *v = value[e->symbol]; return !known || known[e->symbol];
	case ML_SYM_UNKNOWN: return false;
	case ML_SYM_NOT:
		if (!ml_sym_eval(e->a, value, known, &x))
			return false;
		*v = !x;
		return true;
	default: break;
	}
	bool left = ml_sym_eval(e->a, value, known, &x);
	/* a condition may be decided by one side */
	if (left && ((e->op == ML_SYM_AND && !x) || (e->op == ML_SYM_OR && x))) {
		*v = x != 0;
		return true;
	}
	if (!ml_sym_eval(e->b, value, known, &y))
		return false;
	if (!left) {
		*v = y != 0;
		return (e->op == ML_SYM_AND && !y) || (e->op == ML_SYM_OR && y);
	}
	return apply(e->op, x, y, v);
}

static bool product_bounds(enum ml_sym_op op, const int64_t x[2], const int64_t y[2],
			   int64_t *low, int64_t *high)
{
	int64_t v;

	*low = INT64_MAX;
	*high = INT64_MIN;
	/* the quotient is monotone where the divisor does not cross 0 */
	if (op == ML_SYM_FLOOR && y[0] <= 0 && y[1] >= 0)
		return false;
	for (int i = 0; i < 4; i++) {
		if (!apply(op, x[i & 1], y[i >> 1], &v))
			return false;
		*low = v < *low ? v : *low;
		*high = v > *high ? v : *high;
	}
	return true;
}

bool ml_sym_bounds(const struct ml_sym *e, const int64_t *min, const int64_t *max,
		   int64_t *low, int64_t *high)
{
	int64_t x[2], y[2];

	switch (e->op) {
	case ML_SYM_CONST: *low = *high = e->value; return true;
	case ML_SYM_SYMBOL:
		*low = min[e->symbol];
		*high = max[e->symbol];
		return *low <= *high;
	case ML_SYM_UNKNOWN: return false;
	case ML_SYM_EQ:
	case ML_SYM_GE:
	case ML_SYM_AND:
	case ML_SYM_OR:
	case ML_SYM_NOT:
		*low = 0;
		*high = 1;
		return true;
	default: break;
	}
	if (!ml_sym_bounds(e->a, min, max, &x[0], &x[1]) ||
	    !ml_sym_bounds(e->b, min, max, &y[0], &y[1]))
		return false;
	switch (e->op) {
	case ML_SYM_MUL:
	case ML_SYM_FLOOR: return product_bounds(e->op, x, y, low, high);
	case ML_SYM_MOD:
		if (y[0] <= 0)
			return false;
		*low = 0;
		*high = y[1] - 1;
		if (x[0] >= 0 && x[1] < y[0]) {
			*low = x[0];
			*high = x[1];
		}
		return true;
	default: return apply(e->op, x[0], y[0], low) && apply(e->op, x[1], y[1], high);
	}
}

const struct ml_sym *ml_sym_replace(struct ml_arena *a, const struct ml_sym *e,
				    const struct ml_sym *const *by, size_t count)
{
	if (e->op == ML_SYM_SYMBOL)
		return e->symbol < count && by[e->symbol] ? by[e->symbol] : e;
	if (!e->a)
		return e;
	const struct ml_sym *x = ml_sym_replace(a, e->a, by, count);
	const struct ml_sym *y = e->b ? ml_sym_replace(a, e->b, by, count) : NULL;

	return x == e->a && y == e->b ? e : ml_sym_make(a, e->op, x, y);
}

bool ml_sym_equal(const struct ml_sym *x, const struct ml_sym *y)
{
	if (x == y)
		return true;
	if (!x || !y || x->op != y->op || x->size != y->size)
		return false;
	return x->op != ML_SYM_UNKNOWN && x->value == y->value &&
	       x->symbol == y->symbol && ml_sym_equal(x->a, y->a) &&
	       ml_sym_equal(x->b, y->b);
}

bool ml_sym_has_unknown(const struct ml_sym *e)
{
	return e->op == ML_SYM_UNKNOWN || (e->a && ml_sym_has_unknown(e->a)) ||
	       (e->b && ml_sym_has_unknown(e->b));
}

bool ml_sym_has(const struct ml_sym *e, const bool *member, size_t count)
{
	if (e->op == ML_SYM_SYMBOL)
		return e->symbol < count && member[e->symbol];
	return (e->a && ml_sym_has(e->a, member, count)) ||
	       (e->b && ml_sym_has(e->b, member, count));
}

/* How tightly an operator binds. */
static int rank_of(const struct ml_sym *e)
{
	switch (e->op) {
	case ML_SYM_OR: return 1;
	case ML_SYM_AND: return 2;
	case ML_SYM_EQ:
	case ML_SYM_GE: return 3;
	case ML_SYM_ADD: return 4;
	case ML_SYM_MUL:
	case ML_SYM_MOD: return 5;
	case ML_SYM_CONST: return e->value < 0 ? 4 : 9;
	default: return 9;
	}
}

static void print_in(const struct ml_sym *e, int rank, const char *const *names,
		     struct ml_buf *out)
{
	if (rank_of(e) < rank)
		ml_buf_text(out, "(");
	ml_sym_print(e, names, out);
	if (rank_of(e) < rank)
		ml_buf_text(out, ")");
}

static void print_call(const char *name, const struct ml_sym *e, const char *const *names,
		       struct ml_buf *out)
{
	ml_buf_printf(out, "%s(", name);
	ml_sym_print(e->a, names, out);
	ml_buf_text(out, ", ");
	ml_sym_print(e->b, names, out);
	ml_buf_text(out, ")");
}

static void print_sum(const struct ml_sym *e, const char *const *names,
		      struct ml_buf *out)
{
	const struct ml_sym *x = e->a, *y = e->b;

	/* -1 + n reads better as n - 1 */
	if (x->op == ML_SYM_CONST && y->op != ML_SYM_CONST) {
		x = e->b;
		y = e->a;
	}
	print_in(x, 4, names, out);
	if (y->op == ML_SYM_CONST && y->value < 0 && y->value > INT64_MIN) {
		ml_buf_printf(out, " - %" PRId64, -y->value);
	} else if (y->op == ML_SYM_MUL && ml_sym_is(y->a, -1)) {
		ml_buf_text(out, " - ");
		print_in(y->b, 5, names, out);
	} else {
		ml_buf_text(out, " + ");
		print_in(y, 4, names, out);
	}
}

void ml_sym_print(const struct ml_sym *e, const char *const *names, struct ml_buf *out)
{
	static const char *const infix[] = {
		[ML_SYM_MUL] = "*",   [ML_SYM_MOD] = " % ",  [ML_SYM_EQ] = " == ",
		[ML_SYM_GE] = " >= ", [ML_SYM_AND] = " && ", [ML_SYM_OR] = " || ",
	};

	switch (e->op) {
	case ML_SYM_CONST: ml_buf_printf(out, "%" PRId64, e->value); return;
	case ML_SYM_SYMBOL: ml_buf_text(out, names[e->symbol]); return;
	case ML_SYM_UNKNOWN: ml_buf_text(out, "?"); return;
	case ML_SYM_ADD: print_sum(e, names, out); return;
	case ML_SYM_FLOOR:
		ml_buf_text(out, "floor(");
		print_in(e->a, 5, names, out);
		ml_buf_text(out, "/");
		print_in(e->b, 9, names, out);
		ml_buf_text(out, ")");
		return;
	case ML_SYM_MIN: print_call("min", e, names, out); return;
	case ML_SYM_MAX: print_call("max", e, names, out); return;
	case ML_SYM_NOT:
		ml_buf_text(out, "!");
		print_in(e->a, 9, names, out);
		return;
	default: {
		int rank = rank_of(e);

		if (e->op == ML_SYM_MUL && ml_sym_is(e->a, -1)) {
			ml_buf_text(out, "-");
			print_in(e->b, 6, names, out);
			return;
		}
		print_in(e->a, rank, names, out);
		ml_buf_text(out, infix[e->op]);
		print_in(e->b, rank + 1, names, out);
	}
	}
}
