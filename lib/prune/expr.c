#include "lib/prune/expr.h"

#include <assert.h>
#include <string.h>

#include "lib/base/map.h"

typedef __int128 wide; /* sums and products of limits do not leave it */

struct interval {
	wide lo, hi;
};

void ml_exprs_release(struct ml_exprs *x)
{
	ml_free(x->at);
	ml_free(x->tables);
	ml_free(x->slots);
	*x = (struct ml_exprs){ 0 };
}

unsigned ml_expr_arity(enum ml_expr_op op)
{
	switch (op) {
	case ML_EXPR_NUMBER:
	case ML_EXPR_PARAM: return 0;
	case ML_EXPR_NEG:
	case ML_EXPR_ABS:
	case ML_EXPR_NOT:
	case ML_EXPR_LOOKUP: return 1;
	case ML_EXPR_IF: return 3;
	default: return 2;
	}
}

static uint64_t hash_of(const struct ml_expr *e)
{
	uint64_t key[5] = { (uint64_t)e->op, e->a, e->b, e->c, (uint64_t)e->value };

	return ml_hash(key, sizeof(key));
}

static bool same(const struct ml_expr *p, const struct ml_expr *q)
{
	return p->op == q->op && p->a == q->a && p->b == q->b && p->c == q->c &&
	       p->value == q->value;
}

static void rehash(struct ml_exprs *x)
{
	x->slot_cap = x->slot_cap ? 2 * x->slot_cap : 256;
	x->slots = ml_resize(x->slots, x->slot_cap * sizeof(*x->slots));
	memset(x->slots, 0, x->slot_cap * sizeof(*x->slots));
	for (size_t i = 0; i < x->count; i++) {
		size_t s = hash_of(&x->at[i]) & (x->slot_cap - 1);

		while (x->slots[s])
			s = (s + 1) & (x->slot_cap - 1);
		x->slots[s] = (uint32_t)i + 1;
	}
}

/* The node that is the same as e, which may be e itself as a new one. */
static uint32_t intern(struct ml_exprs *x, const struct ml_expr *e)
{
	if (2 * (x->count + 1) > x->slot_cap)
		rehash(x);
	size_t s = hash_of(e) & (x->slot_cap - 1);

	for (; x->slots[s]; s = (s + 1) & (x->slot_cap - 1))
		if (same(&x->at[x->slots[s] - 1], e))
			return x->slots[s] - 1;
	x->at = ml_grow(x->at, &x->cap, x->count + 1, sizeof(*x->at));
	x->at[x->count] = *e;
	x->slots[s] = (uint32_t)++x->count;
	return (uint32_t)x->count - 1;
}

uint32_t ml_expr_number(struct ml_exprs *x, int64_t value)
{
	return intern(x, &(struct ml_expr){ .op = ML_EXPR_NUMBER,
					    .value = value,
					    .lo = value,
					    .hi = value,
					    .level = -1 });
}

uint32_t ml_expr_param(struct ml_exprs *x, unsigned param, int64_t lo, int64_t hi)
{
	assert(param < 64);
	return intern(x, &(struct ml_expr){ .op = ML_EXPR_PARAM,
					    .value = param,
					    .lo = lo,
					    .hi = hi,
					    .deps = UINT64_C(1) << param,
					    .level = (int)param });
}

void ml_expr_use(struct ml_exprs *x, uint32_t node)
{
	struct ml_expr *e = &x->at[node];
	uint32_t child[3] = { e->a, e->b, e->c };

	if (e->used)
		return;
	e->used = true;
	for (unsigned i = 0; i < ml_expr_arity(e->op); i++)
		ml_expr_use(x, child[i]);
}

uint32_t ml_expr_table(struct ml_exprs *x, const int64_t *values, size_t count)
{
	x->tables = ml_grow(x->tables, &x->table_cap, x->table_count + 1,
			    sizeof(*x->tables));
	x->tables[x->table_count] = (struct ml_expr_table){ values, count };
	return (uint32_t)x->table_count++;
}

uint32_t ml_expr_lookup(struct ml_exprs *x, uint32_t a, uint32_t table)
{
	const struct ml_expr_table *t = &x->tables[table];
	struct ml_expr e = { .op = ML_EXPR_LOOKUP,
			     .a = a,
			     .value = table,
			     .lo = INT64_MAX,
			     .hi = INT64_MIN,
			     .deps = x->at[a].deps,
			     .level = x->at[a].level };

	assert(x->at[a].lo >= 0 && x->at[a].hi < (int64_t)t->count);
	for (size_t i = 0; i < t->count; i++) {
		e.lo = t->values[i] < e.lo ? t->values[i] : e.lo;
		e.hi = t->values[i] > e.hi ? t->values[i] : e.hi;
	}
	return intern(x, &e);
}

static wide smaller(wide p, wide q)
{
	return p < q ? p : q;
}

static wide larger(wide p, wide q)
{
	return p > q ? p : q;
}

static struct interval product(struct interval p, struct interval q)
{
	wide v[4] = { p.lo * q.lo, p.lo * q.hi, p.hi * q.lo, p.hi * q.hi };

	return (struct interval){ smaller(smaller(v[0], v[1]), smaller(v[2], v[3])),
				  larger(larger(v[0], v[1]), larger(v[2], v[3])) };
}

/* A divisor of one sign is monotonic; one that may be 1 or -1 yields up to the dividend.
 */
static struct interval quotient(struct interval p, struct interval q)
{
	wide max = larger(p.hi, -p.lo);

	if (q.lo <= 0 && q.hi >= 0)
		return (struct interval){ p.lo >= 0 && q.lo >= 0 ? 0 : -max, max };
	wide v[4] = { p.lo / q.lo, p.lo / q.hi, p.hi / q.lo, p.hi / q.hi };
	return (struct interval){ smaller(smaller(v[0], v[1]), smaller(v[2], v[3])),
				  larger(larger(v[0], v[1]), larger(v[2], v[3])) };
}

static struct interval remainder_of(struct interval p, struct interval q)
{
	wide max = larger(larger(q.hi, -q.lo) - 1, 0);

	return (struct interval){ p.lo >= 0 ? 0 : larger(p.lo, -max),
				  p.hi <= 0 ? 0 : smaller(p.hi, max) };
}

static struct interval interval_of(enum ml_expr_op op, struct interval a,
				   struct interval b, struct interval c)
{
	switch (op) {
	case ML_EXPR_ADD: return (struct interval){ a.lo + b.lo, a.hi + b.hi };
	case ML_EXPR_SUB: return (struct interval){ a.lo - b.hi, a.hi - b.lo };
	case ML_EXPR_MUL: return product(a, b);
	case ML_EXPR_DIV: return quotient(a, b);
	case ML_EXPR_MOD: return remainder_of(a, b);
	case ML_EXPR_MIN:
		return (struct interval){ smaller(a.lo, b.lo), smaller(a.hi, b.hi) };
	case ML_EXPR_MAX:
		return (struct interval){ larger(a.lo, b.lo), larger(a.hi, b.hi) };
	case ML_EXPR_NEG: return (struct interval){ -a.hi, -a.lo };
	case ML_EXPR_ABS:
		return (struct interval){ a.lo > 0   ? a.lo
					  : a.hi < 0 ? -a.hi
						     : 0,
					  larger(a.hi, -a.lo) };
	case ML_EXPR_IF:
		return (struct interval){ smaller(b.lo, c.lo), larger(b.hi, c.hi) };
	default: return (struct interval){ 0, 1 };
	}
}

static struct interval known(const struct ml_exprs *x, uint32_t node)
{
	return (struct interval){ x->at[node].lo, x->at[node].hi };
}

enum ml_expr_bad ml_expr_add(struct ml_exprs *x, enum ml_expr_op op, uint32_t a,
			     uint32_t b, uint32_t c, uint32_t *node)
{
	unsigned arity = ml_expr_arity(op);
	uint32_t child[3] = { a, arity > 1 ? b : 0, arity > 2 ? c : 0 };
	struct ml_expr e = {
		.op = op, .a = a, .b = child[1], .c = child[2], .level = -1
	};
	bool bad = false;

	for (unsigned i = 0; i < arity; i++) {
		const struct ml_expr *k = &x->at[child[i]];

		e.deps |= k->deps;
		e.level = k->level > e.level ? k->level : e.level;
	}
	struct interval i = interval_of(op, known(x, a), known(x, child[1]),
					known(x, child[2]));
	if ((op == ML_EXPR_DIV || op == ML_EXPR_MOD) && !x->at[b].lo && !x->at[b].hi)
		return ML_EXPR_ZERO_DIVISOR;
	if (i.lo < -ML_EXPR_LIMIT || i.hi > ML_EXPR_LIMIT)
		return ML_EXPR_TOO_LARGE;
	e.lo = (int64_t)i.lo;
	e.hi = (int64_t)i.hi;
	if (e.level < 0)
		*node = ml_expr_number(x,
				       ml_expr_apply(op, x->at[a].lo, x->at[child[1]].lo,
						     x->at[child[2]].lo, &bad));
	else
		*node = intern(x, &e);
	return ML_EXPR_FINE;
}
