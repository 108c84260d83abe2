#include "lib/prune/interpret.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/work.h"

enum { LANES = 256, POLL = 1 << 12 };

void ml_interpreter_init(struct ml_interpreter *i, const struct ml_space *s)
{
	const struct ml_exprs *x = &s->exprs;
	size_t n = 0, inner = 0;

	*i = (struct ml_interpreter){ .s = s };
	i->nodes = ml_resize(NULL, (x->count + 1) * sizeof(*i->nodes));
	i->value = ml_resize(NULL, (x->count + 1) * sizeof(*i->value));
	i->lane_of = ml_resize(NULL, (x->count + 1) * sizeof(*i->lane_of));
	for (size_t l = 0; l < s->param_count; l++) {
		i->start[l] = n;
		for (uint32_t k = 0; k < x->count; k++)
			if (x->at[k].used && x->at[k].level == (int)l) {
				i->lane_of[k] = (uint32_t)(inner * LANES);
				inner += l + 1 == s->param_count;
				if (x->at[k].op != ML_EXPR_PARAM)
					i->nodes[n++] = k;
			}
		const struct ml_param_range *p = &s->params[l];
		if (p->kind == ML_RANGE_DIVISORS || p->kind == ML_RANGE_POWERS)
			i->list[l] = ml_resize(NULL, ML_SPACE_FEW * sizeof(int64_t));
	}
	i->start[s->param_count] = n;
	i->lanes = ml_resize(NULL, (inner + 1) * LANES * sizeof(*i->lanes));
	for (size_t k = 0; k < x->count; k++)
		i->value[k] = x->at[k].value;
	for (size_t c = 0; c < s->constraint_count; c++) {
		const struct ml_expr *e = &x->at[s->constraints[c].node];

		if (e->level >= 0)
			i->known[e->level] |= UINT32_C(1) << c;
		else
			i->fixed |= (uint32_t)(e->value != 0) << c;
	}
}

void ml_interpreter_release(struct ml_interpreter *i)
{
	for (size_t l = 0; l < ML_SPACE_PARAMS; l++)
		ml_free(i->list[l]);
	ml_free(i->nodes);
	ml_free(i->value);
	ml_free(i->lane_of);
	ml_free(i->lanes);
	*i = (struct ml_interpreter){ 0 };
}

/* The range of a parameter; those before it have their values. */
static struct ml_range_now range_now(struct ml_interpreter *i, size_t l)
{
	const struct ml_param_range *p = &i->s->params[l];
	struct ml_range_now r = { 0 };
	int64_t last;

	if (p->kind == ML_RANGE_LIST)
		return (struct ml_range_now){ .count = p->value_count,
					      .values = p->values };
	r.first = i->value[p->first];
	r.step = i->value[p->step];
	last = i->value[p->last];
	if (p->kind == ML_RANGE_STEPS) {
		r.count = last < r.first ? 0 : (uint64_t)((last - r.first) / r.step) + 1;
		return r;
	}
	r.values = i->list[l];
	r.count = p->kind == ML_RANGE_DIVISORS
			  ? ml_space_divisors(last, i->list[l])
			  : ml_space_powers(r.first, r.step, last, i->list[l]);
	return r;
}

/* Which values make a divisor zero; the innermost one is given. */
static enum ml_prune_end divided(struct ml_interpreter *i, uint32_t node, size_t level,
				 int64_t innermost)
{
	const struct ml_expr *e = &i->s->exprs.at[node];
	struct ml_arena a = { 0 };
	const char *text = "";

	if (!i->err)
		return ML_PRUNE_DIVIDED;
	for (size_t p = 0; p <= level; p++)
		text = ml_arena_printf(
			&a, "%s%s%s=%s", text, p ? " " : "", i->s->params[p].name,
			ml_space_value(i->s, p,
				       p == level ? innermost
						  : i->value[i->s->params[p].node],
				       &a));
	ml_fail(i->err, ML_FORMAT, "%s:%u:%u: the divisor is zero for %s", i->s->path,
		e->line, e->column, text);
	ml_arena_release(&a);
	return ML_PRUNE_DIVIDED;
}

static bool compute(struct ml_interpreter *i, uint32_t node)
{
	const struct ml_expr *e = &i->s->exprs.at[node];
	bool bad = false;

	i->value[node] = e->op == ML_EXPR_LOOKUP
				 ? i->s->exprs.tables[e->value].values[i->value[e->a]]
				 : ml_expr_apply(e->op, i->value[e->a], i->value[e->b],
						 i->value[e->c], &bad);
	return !bad;
}

/* Computes the nodes of a level that is not the innermost, and its constraints. */
static enum ml_prune_end enter(struct ml_interpreter *i, size_t l, int64_t value,
			       uint32_t *mask)
{
	i->value[i->s->params[l].node] = value;
	for (size_t k = i->start[l]; k < i->start[l + 1]; k++)
		if (!compute(i, i->nodes[k]))
			return divided(i, i->nodes[k], l, value);
	for (uint32_t left = i->known[l]; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		*mask |= (uint32_t)(i->value[i->s->constraints[c].node] != 0) << c;
	}
	return ML_PRUNE_DONE;
}

/* An operand in lanes, or one value for all of them. */
struct operand {
	const int64_t *at;
	bool same; /* at[0] for all lanes */
};

static struct operand operand(const struct ml_interpreter *i, uint32_t node)
{
	bool inner = i->s->exprs.at[node].level + 1 == (int)i->s->param_count;

	return (struct operand){ inner ? i->lanes + i->lane_of[node] : i->value + node,
				 !inner };
}

static inline __attribute__((always_inline)) bool
loop(enum ml_expr_op op, int64_t *restrict out, const int64_t *restrict a, size_t sa,
     const int64_t *restrict b, size_t sb, size_t n)
{
	bool bad = false;

	for (size_t k = 0; k < n; k++)
		out[k] = ml_expr_apply(op, a[k * sa], b[k * sb], 0, &bad);
	return !bad;
}

/* One loop for each operation and shape, so that the compiler can use vectors. */
static inline __attribute__((always_inline)) bool
shapes(enum ml_expr_op op, int64_t *out, struct operand a, struct operand b, size_t n)
{
	if (a.same)
		return loop(op, out, a.at, 0, b.at, 1, n);
	return b.same ? loop(op, out, a.at, 1, b.at, 0, n)
		      : loop(op, out, a.at, 1, b.at, 1, n);
}

static bool lanes(struct ml_interpreter *i, const struct ml_expr *e, int64_t *out,
		  size_t n)
{
	struct operand a = operand(i, e->a), b = operand(i, e->b), c = operand(i, e->c);

	if (ml_expr_arity(e->op) < 2)
		b = (struct operand){ a.at, false };
	switch (e->op) {
	case ML_EXPR_ADD: return shapes(ML_EXPR_ADD, out, a, b, n);
	case ML_EXPR_SUB: return shapes(ML_EXPR_SUB, out, a, b, n);
	case ML_EXPR_MUL: return shapes(ML_EXPR_MUL, out, a, b, n);
	case ML_EXPR_DIV: return shapes(ML_EXPR_DIV, out, a, b, n);
	case ML_EXPR_MOD: return shapes(ML_EXPR_MOD, out, a, b, n);
	case ML_EXPR_MIN: return shapes(ML_EXPR_MIN, out, a, b, n);
	case ML_EXPR_MAX: return shapes(ML_EXPR_MAX, out, a, b, n);
	case ML_EXPR_EQ: return shapes(ML_EXPR_EQ, out, a, b, n);
	case ML_EXPR_NE: return shapes(ML_EXPR_NE, out, a, b, n);
	case ML_EXPR_LT: return shapes(ML_EXPR_LT, out, a, b, n);
	case ML_EXPR_LE: return shapes(ML_EXPR_LE, out, a, b, n);
	case ML_EXPR_GT: return shapes(ML_EXPR_GT, out, a, b, n);
	case ML_EXPR_GE: return shapes(ML_EXPR_GE, out, a, b, n);
	case ML_EXPR_AND: return shapes(ML_EXPR_AND, out, a, b, n);
	case ML_EXPR_OR: return shapes(ML_EXPR_OR, out, a, b, n);
	case ML_EXPR_NEG: return shapes(ML_EXPR_NEG, out, a, b, n);
	case ML_EXPR_ABS: return shapes(ML_EXPR_ABS, out, a, b, n);
	case ML_EXPR_NOT: return shapes(ML_EXPR_NOT, out, a, b, n);
	case ML_EXPR_IF:
		for (size_t k = 0; k < n; k++)
			out[k] = a.at[a.same ? 0 : k] ? b.at[b.same ? 0 : k]
						      : c.at[c.same ? 0 : k];
		return true;
	case ML_EXPR_LOOKUP:
		for (size_t k = 0; k < n; k++)
			out[k] = i->s->exprs.tables[e->value].values[a.at[k]];
		return true;
	case ML_EXPR_NUMBER:
	case ML_EXPR_PARAM: break;
	}
	return true;
}

/* The first lane whose divisor is zero. */
static enum ml_prune_end divided_lane(struct ml_interpreter *i, uint32_t node,
				      const int64_t *values, size_t n)
{
	struct operand b = operand(i, i->s->exprs.at[node].b);
	size_t k = 0;

	while (k + 1 < n && b.at[b.same ? 0 : k])
		k++;
	return divided(i, node, i->s->param_count - 1, values[k]);
}

static enum ml_prune_end emit(struct ml_interpreter *i, const uint32_t *mask,
			      const int64_t *innermost, size_t n)
{
	const struct ml_prune_walk *w = i->walk;
	int64_t row[ML_SPACE_PARAMS];
	size_t last = i->s->param_count - 1;

	for (size_t p = 0; p < last; p++)
		row[p] = i->value[i->s->params[p].node];
	for (size_t k = 0; k < n; k++) {
		if ((mask[k] ^ w->want) & w->care)
			continue;
		row[last] = innermost[k];
		if (!w->row(w->arg, row))
			return ML_PRUNE_ENDED;
	}
	return ML_PRUNE_DONE;
}

/* Some values of the innermost parameter. */
static enum ml_prune_end chunk(struct ml_interpreter *i, size_t n, uint32_t known)
{
	size_t l = i->s->param_count - 1;
	int64_t *x = i->lanes + i->lane_of[i->s->params[l].node];
	uint32_t mask[LANES];

	for (size_t k = i->start[l]; k < i->start[l + 1]; k++) {
		uint32_t node = i->nodes[k];

		if (!lanes(i, &i->s->exprs.at[node], i->lanes + i->lane_of[node], n))
			return divided_lane(i, node, x, n);
	}
	for (size_t k = 0; k < n; k++)
		mask[k] = known;
	for (uint32_t left = i->known[l]; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);
		const int64_t *v = i->lanes + i->lane_of[i->s->constraints[c].node];

		for (size_t k = 0; k < n; k++)
			mask[k] |= (uint32_t)(v[k] != 0) << c;
	}
	if (!i->walk->counts)
		return emit(i, mask, x, n);
	for (size_t k = 0; k < n; k++)
		i->walk->counts[mask[k]]++;
	return ML_PRUNE_DONE;
}

/* Asked at each turn of a loop, as a part may have more of them than anybody waits for. */
static bool stopped(struct ml_interpreter *i)
{
	return !(++i->turns % POLL) && ml_work_cancelled(i->walk->work);
}

static enum ml_prune_end innermost(struct ml_interpreter *i, uint32_t mask, uint64_t from,
				   uint64_t to, const struct ml_range_now *r)
{
	size_t l = i->s->param_count - 1;
	int64_t *x = i->lanes + i->lane_of[i->s->params[l].node];
	enum ml_prune_end end = ML_PRUNE_DONE;

	while (from < to && end == ML_PRUNE_DONE) {
		size_t n = to - from < LANES ? (size_t)(to - from) : LANES;

		for (size_t k = 0; k < n; k++)
			x[k] = ml_range_value(r, from + k);
		end = stopped(i) ? ML_PRUNE_STOPPED : chunk(i, n, mask);
		from += n;
	}
	return end;
}

static bool leaves(const struct ml_interpreter *i, uint32_t mask, size_t level)
{
	const struct ml_prune_walk *w = i->walk;

	return !w->counts && (mask ^ w->want) & w->care & i->known[level];
}

static enum ml_prune_end run(struct ml_interpreter *i, size_t l, uint32_t mask)
{
	struct ml_range_now r = range_now(i, l);
	bool shared = l == 1 && i->s->param_count > 2;
	uint64_t from = shared ? i->share * r.count / i->of : 0,
		 to = shared ? (i->share + 1) * r.count / i->of : r.count;
	enum ml_prune_end end = ML_PRUNE_DONE;

	if (l + 1 == i->s->param_count)
		return innermost(i, mask, from, to, &r);
	for (; from < to && end == ML_PRUNE_DONE; from++) {
		uint32_t now = mask;

		end = stopped(i) ? ML_PRUNE_STOPPED
				 : enter(i, l, ml_range_value(&r, from), &now);
		if (end == ML_PRUNE_DONE && !leaves(i, now, l))
			end = run(i, l + 1, now);
	}
	return end;
}

uint64_t ml_interpreter_parts(struct ml_interpreter *i)
{
	return i->s->param_count > 1 ? range_now(i, 0).count : 1;
}

enum ml_prune_end ml_interpreter_run(struct ml_interpreter *i,
				     const struct ml_prune_part *part,
				     const struct ml_prune_walk *walk, struct ml_err *err)
{
	struct ml_range_now r = range_now(i, 0);
	uint32_t mask = i->fixed;

	i->walk = walk;
	i->err = err;
	i->share = part->share;
	i->of = part->of;
	if (!walk->counts) {
		uint32_t constant = ~UINT32_C(0);

		for (size_t l = 0; l < i->s->param_count; l++)
			constant &= ~i->known[l];
		if ((mask ^ walk->want) & walk->care & constant)
			return ML_PRUNE_DONE;
	}
	if (i->s->param_count == 1)
		return run(i, 0, mask);
	enum ml_prune_end end = enter(i, 0, ml_range_value(&r, part->first), &mask);
	return end == ML_PRUNE_DONE && !leaves(i, mask, 0) ? run(i, 1, mask) : end;
}

bool ml_interpreter_mask(struct ml_interpreter *i, const int64_t *values, uint32_t *mask,
			 struct ml_err *err)
{
	i->err = err;
	*mask = i->fixed;
	for (size_t l = 0; l < i->s->param_count; l++)
		if (enter(i, l, values[l], mask) != ML_PRUNE_DONE)
			return false;
	return true;
}

int64_t ml_interpreter_value(const struct ml_interpreter *i, uint32_t node)
{
	return i->value[node];
}

bool ml_interpreter_contains(struct ml_interpreter *i, const int64_t *values,
			     size_t *param)
{
	uint32_t mask = 0;

	i->err = NULL;
	for (size_t l = 0; l < i->s->param_count; l++) {
		struct ml_range_now r = range_now(i, l);
		bool found = false;

		*param = l;
		if (r.values)
			for (uint64_t k = 0; k < r.count && !found; k++)
				found = r.values[k] == values[l];
		else
			found = r.count && values[l] >= r.first &&
				(values[l] - r.first) % r.step == 0 &&
				(uint64_t)((values[l] - r.first) / r.step) < r.count;
		if (!found || enter(i, l, values[l], &mask) != ML_PRUNE_DONE)
			return false;
	}
	return true;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

double ml_interpreter_estimate(struct ml_interpreter *i)
{
	enum { DESCENTS = 2000 };
	uint64_t state = UINT64_C(88172645463325252);
	double sum = 0;

	i->err = NULL;
	for (int d = 0; d < DESCENTS; d++) {
		double product = 1;

		for (size_t l = 0; l < i->s->param_count; l++) {
			struct ml_range_now r = range_now(i, l);
			uint32_t mask = 0;

			product *= (double)r.count;
			if (!r.count)
				break;
			/* a walk tells of a zero divisor; here it ends the descent */
			if (l + 1 < i->s->param_count &&
			    enter(i, l, ml_range_value(&r, next_random(&state) % r.count),
				  &mask) != ML_PRUNE_DONE)
				break;
		}
		sum += product;
	}
	return sum / DESCENTS;
}
