#include "lib/flow/count/count.h"

#include <string.h>

#include "lib/base/buf.h"
#include "lib/flow/count/fit.h"
#include "lib/flow/flow.h"
#include "lib/flow/flow_build.h"

/* Loop iterations that one fit may evaluate, and the points that check it. */
enum { BUDGET = 3000000, HELD_OUT = 12, DEPTH = 64 };

struct counter {
	struct ml_flow_counts *c;
	struct ml_flow *f;
	struct memo {
		bool done;
		struct ml_flow_count count;
	} * below; /* by node: executions of what is right below it */
};

static struct ml_arena *arena(struct counter *k)
{
	return &k->c->arena;
}

/* The symbol that stands for an expression of parameters. */
static uint32_t atom(struct counter *k, const struct ml_sym *e)
{
	struct ml_flow *f = k->f;

	for (size_t i = 0; i < f->symbol_count; i++)
		if (f->symbol[i].atom && ml_sym_equal(f->symbol[i].atom, e))
			return (uint32_t)i;
	struct ml_buf text = { 0 };
	bool call = e->op == ML_SYM_MIN || e->op == ML_SYM_MAX || e->op == ML_SYM_FLOOR;
	if (!call)
		ml_buf_text(&text, "[");
	ml_sym_print(e, f->names, &text);
	ml_buf_put(&text, "]", call ? 0 : 1);
	ml_buf_u8(&text, 0);
	uint32_t s = ml_flow_add_symbol(f, (const char *)text.data, ML_FLOW_ATOM);
	ml_buf_release(&text);
	f->symbol[s].atom = e;
	return s;
}

static bool is_loop(const struct counter *k, uint32_t symbol)
{
	return k->f->symbol[symbol].kind == ML_FLOW_LOOP;
}

static bool has_loop(const struct counter *k, const struct ml_sym *e)
{
	if (e->op == ML_SYM_SYMBOL)
		return is_loop(k, e->symbol);
	return (e->a && has_loop(k, e->a)) || (e->b && has_loop(k, e->b));
}

/* As ml_poly_from, with atoms for what is no polynomial of parameters. */
static struct ml_poly poly_of(struct counter *k, const struct ml_sym *e)
{
	struct ml_poly p = ml_poly_from(arena(k), e);

	if (!p.bad)
		return p;
	if (e->op == ML_SYM_ADD)
		return ml_poly_add(arena(k), poly_of(k, e->a), poly_of(k, e->b));
	if (e->op == ML_SYM_MUL)
		return ml_poly_mul(arena(k), poly_of(k, e->a), poly_of(k, e->b));
	if (has_loop(k, e) || ml_sym_has_unknown(e))
		return p;
	return ml_poly_symbol(arena(k), atom(k, e));
}

static void add_condition(struct ml_flow_counts *c, struct ml_poly p)
{
	for (size_t i = 0; i < c->condition_count; i++)
		if (ml_poly_equal(c->condition[i], p))
			return;
	c->condition = ml_grow(c->condition, &c->condition_cap, c->condition_count + 1,
			       sizeof(*c->condition));
	c->condition[c->condition_count++] = p;
}

/* The loop variables of p, from node outwards, replaced by where p is smallest. Bad
 * where the sign of a coefficient is not known. */
static struct ml_poly smallest(struct counter *k, struct ml_poly p, uint32_t node)
{
	for (; node != ML_FLOW_NONE && !p.bad; node = k->f->node[node].parent) {
		const struct ml_flow_node *n = &k->f->node[node];
		int64_t sign;

		if (n->kind != ML_FLOW_FOR || !ml_poly_degree(p, n->symbol))
			continue;
		if (ml_poly_degree(p, n->symbol) > 1 ||
		    !ml_poly_is_const(ml_poly_coefficient(arena(k), p, n->symbol), &sign))
			return (struct ml_poly){ .bad = true };
		bool low = (sign > 0) == (n->step > 0);
		p = ml_poly_replace(arena(k), p, n->symbol,
				    poly_of(k, low ? n->from : n->to));
	}
	return p;
}

/* Whether a loop never runs backwards, or a condition that says so was noted. `never`:
 * it never runs at all. */
static bool forwards(struct counter *k, struct ml_poly trips, uint32_t parent,
		     bool *never)
{
	int64_t v;

	*never = ml_poly_is_const(trips, &v) && v <= 0;
	if (*never || ml_poly_is_const(trips, &v))
		return true;
	struct ml_poly min = smallest(k, trips, parent);
	if (min.bad)
		return false;
	if (ml_poly_is_const(min, &v))
		return v >= 0;
	add_condition(k->c, min);
	return true;
}

/* The sum of p over one loop; bad where there is no closed form. */
static struct ml_poly sum_loop(struct counter *k, struct ml_poly p,
			       const struct ml_flow_node *n)
{
	struct ml_arena *a = arena(k);
	int64_t step = n->step < 0 ? -n->step : n->step;
	const struct ml_sym *low = n->step > 0 ? n->from : n->to;
	const struct ml_sym *high = n->step > 0 ? n->to : n->from;
	bool never;

	if (step == 1) {
		struct ml_poly l = poly_of(k, low), h = poly_of(k, high);
		struct ml_poly trips =
			ml_poly_add(a, ml_poly_add(a, h, ml_poly_scale(a, l, -1, 1)),
				    ml_poly_const(a, 1));

		if (trips.bad || !forwards(k, trips, n->parent, &never))
			return (struct ml_poly){ .bad = true };
		return never ? ml_poly_const(a, 0) : ml_poly_sum(a, p, n->symbol, l, h);
	}
	/* symbol = from + step * t, with t from 0 to floor((high - low) / step) */
	struct ml_arena *fa = &k->f->arena; /* atoms live as long as the flow */
	const struct ml_sym *last = ml_sym_make(
		fa, ML_SYM_FLOOR, ml_sym_sub(fa, high, low), ml_sym_const(fa, step));
	struct ml_poly t = poly_of(k, last);
	if (t.bad ||
	    !forwards(k, ml_poly_add(a, t, ml_poly_const(a, 1)), n->parent, &never))
		return (struct ml_poly){ .bad = true };
	if (never)
		return ml_poly_const(a, 0);
	struct ml_poly at =
		ml_poly_add(a, poly_of(k, n->from),
			    ml_poly_scale(a, ml_poly_symbol(a, n->symbol), n->step, 1));
	p = ml_poly_replace(a, p, n->symbol, at);
	return ml_poly_sum(a, p, n->symbol, ml_poly_const(a, 0), t);
}

/* The sum of p over all that encloses a node, the node included. */
static struct ml_poly sum_closed(struct counter *k, struct ml_poly p, uint32_t node,
				 bool *bounded)
{
	for (; node != ML_FLOW_NONE && !p.bad; node = k->f->node[node].parent) {
		const struct ml_flow_node *n = &k->f->node[node];

		if (n->kind == ML_FLOW_FOR)
			p = sum_loop(k, p, n);
		if (n->kind != ML_FLOW_IF)
			continue;
		if (ml_sym_has_unknown(n->condition)) {
			*bounded = true;
			continue;
		}
		p = has_loop(k, n->condition)
			    ? (struct ml_poly){ .bad = true }
			    : ml_poly_mul(arena(k), p, poly_of(k, n->condition));
	}
	return p;
}

struct exact {
	const struct ml_flow *f;
	const uint32_t *chain; /* nodes, the outermost first */
	size_t length;
	struct ml_poly p;
	bool constant; /* p is 1 */
	int64_t *value;
	uint64_t budget;
	__int128 sum;
};

/* False: over the budget, or a value cannot be computed. */
static bool exact_below(struct exact *x, size_t at)
{
	int64_t from, to, v;

	if (at == x->length) {
		if (!x->constant && !ml_poly_eval(x->p, x->value, &v))
			return false;
		x->sum += x->constant ? 1 : v;
		return true;
	}
	const struct ml_flow_node *n = &x->f->node[x->chain[at]];
	if (n->kind == ML_FLOW_IF) {
		if (ml_sym_has_unknown(n->condition))
			v = 1;
		else if (!ml_sym_eval(n->condition, x->value, NULL, &v))
			return false;
		return !v || exact_below(x, at + 1);
	}
	if (n->kind != ML_FLOW_FOR)
		return exact_below(x, at + 1);
	if (!ml_sym_eval(n->from, x->value, NULL, &from) ||
	    !ml_sym_eval(n->to, x->value, NULL, &to))
		return false;
	if (at + 1 == x->length && x->constant) {
		__int128 span = n->step > 0 ? (__int128)to - from : (__int128)from - to;

		x->sum += span < 0 ? 0 : span / (n->step < 0 ? -n->step : n->step) + 1;
		return x->budget-- > 0;
	}
	for (v = from; n->step > 0 ? v <= to : v >= to; v += n->step) {
		if (!x->budget)
			return false;
		x->budget--;
		x->value[n->symbol] = v;
		if (!exact_below(x, at + 1))
			return false;
	}
	return true;
}

static uint64_t step_of(uint64_t *state)
{
	/* xorshift64 */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

struct variables {
	uint32_t symbol[ML_FIT_VARIABLES];
	size_t count;
	bool many;
	int64_t unit; /* the largest divisor or step */
};

static void add_variable(struct variables *v, uint32_t symbol)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->symbol[i] == symbol)
			return;
	if (v->count == ML_FIT_VARIABLES)
		v->many = true;
	else
		v->symbol[v->count++] = symbol;
}

/* The parameters of an expression, and its divisors. */
static void gather(struct counter *k, const struct ml_sym *e, struct variables *v)
{
	if (e->op == ML_SYM_SYMBOL && !is_loop(k, e->symbol))
		add_variable(v, e->symbol);
	if ((e->op == ML_SYM_FLOOR || e->op == ML_SYM_MOD) && e->b->op == ML_SYM_CONST &&
	    e->b->value > v->unit)
		v->unit = e->b->value;
	if (e->a)
		gather(k, e->a, v);
	if (e->b)
		gather(k, e->b, v);
}

/* Exact values at pseudo-random sizes. The first `count` points are for the fit. */
static bool sample(struct counter *k, struct exact *x, const struct variables *v,
		   size_t parameters, size_t count, int64_t *point, int64_t *result)
{
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < count; i++) {
		/* sizes overlap in every order, and some are much larger than others */
		for (size_t j = 0; j < parameters; j++)
			x->value[v->symbol[j]] =
				3 + (int64_t)(step_of(&state) %
					      (uint64_t)(2 * v->unit + 9 +
							 (i % 5 == 4 ? v->unit : 0)));
		ml_flow_count_atoms(k->f, x->value);
		x->sum = 0;
		if (!exact_below(x, 0) || x->sum > INT64_MAX)
			return false;
		for (size_t j = 0; j < v->count; j++)
			point[i * v->count + j] = x->value[v->symbol[j]];
		result[i] = (int64_t)x->sum;
	}
	return true;
}

/* Fits a polynomial and compares it at sizes that the fit did not see. */
static struct ml_poly fitted(struct counter *k, struct exact *x, struct variables *v,
			     size_t parameters, uint32_t degree)
{
	struct ml_arena *a = arena(k);
	size_t n = ml_fit_monomials(v->count, degree);
	const struct ml_poly none = { .bad = true };

	if (n >= ML_FIT_MONOMIALS)
		return none;
	size_t fit = n + n / 2 + 3, count = fit + HELD_OUT;
	int64_t *point = ml_arena_alloc(a, count * (v->count + 1) * sizeof(*point));
	int64_t *result = ml_arena_alloc(a, count * sizeof(*result));
	x->value = ml_arena_alloc(a, k->f->symbol_count * sizeof(*x->value));
	x->budget = BUDGET;
	if (!sample(k, x, v, parameters, count, point, result))
		return none;
	struct ml_poly p = ml_fit(a, v->symbol, v->count, degree, point, result, fit);
	for (size_t i = fit; i < count && !p.bad; i++) {
		int64_t is;

		for (size_t j = 0; j < v->count; j++)
			x->value[v->symbol[j]] = point[i * v->count + j];
		if (!ml_poly_eval(p, x->value, &is) || is != result[i])
			return none;
	}
	if (!p.bad)
		k->c->tried += HELD_OUT;
	return p;
}

static struct ml_poly sum_fitted(struct counter *k, struct ml_poly p, uint32_t node)
{
	struct ml_arena *fa = &k->f->arena;
	uint32_t chain[DEPTH], degree = 0;
	struct variables v = { .unit = 1 };
	size_t length = 0;
	int64_t one;

	for (uint32_t at = node; at != ML_FLOW_NONE; at = k->f->node[at].parent)
		length++;
	if (length > DEPTH || p.bad)
		return (struct ml_poly){ .bad = true };
	for (size_t i = length; i-- > 0; node = k->f->node[node].parent) {
		const struct ml_flow_node *n = &k->f->node[node];

		chain[i] = node;
		if (n->kind == ML_FLOW_IF)
			gather(k, n->condition, &v);
		if (n->kind != ML_FLOW_FOR)
			continue;
		gather(k, n->from, &v);
		gather(k, n->to, &v);
		int64_t step = n->step < 0 ? -n->step : n->step;
		v.unit = step > v.unit ? step : v.unit;
		degree++;
	}
	for (size_t i = 0; i < p.count; i++) {
		uint32_t more = 0;

		for (uint32_t j = 0; j < p.term[i].factors; j++) {
			uint32_t s = p.term[i].factor[j].symbol;

			more += p.term[i].factor[j].power;
			if (!is_loop(k, s))
				add_variable(&v, s);
			if (k->f->symbol[s].atom)
				gather(k, k->f->symbol[s].atom, &v);
		}
		degree = degree + more > 16 ? 16 : degree + more;
	}
	if (v.many || v.unit > 1000)
		return (struct ml_poly){ .bad = true };
	struct exact x = { .f = k->f, .chain = chain, .length = length, .p = p };
	x.constant = ml_poly_is_const(p, &one) && one == 1;
	size_t parameters = v.count;
	struct ml_poly r = fitted(k, &x, &v, parameters, degree);
	if (!r.bad || v.unit == 1)
		return r;
	/* a quasi-polynomial: also in the quotients of the parameters */
	for (size_t i = 0; i < parameters; i++)
		add_variable(&v, atom(k, ml_sym_make(fa, ML_SYM_FLOOR,
						     ml_sym_symbol(fa, v.symbol[i]),
						     ml_sym_const(fa, v.unit))));
	return v.many ? r : fitted(k, &x, &v, parameters, degree);
}

static struct ml_flow_count sum(struct counter *k, struct ml_poly p, uint32_t node)
{
	struct ml_flow_count c = { .kind = ML_FLOW_CLOSED };

	size_t conditions = k->c->condition_count;
	c.poly = sum_closed(k, p, node, &c.bounded);
	if (c.poly.bad) {
		k->c->condition_count = conditions;
		c.kind = ML_FLOW_FITTED;
		c.poly = sum_fitted(k, p, node);
		for (; node != ML_FLOW_NONE; node = k->f->node[node].parent)
			c.bounded |= k->f->node[node].kind == ML_FLOW_IF &&
				     ml_sym_has_unknown(k->f->node[node].condition);
	}
	if (c.poly.bad)
		c.kind = ML_FLOW_NO_FORM;
	return c;
}

/* Executions of what is right below a node. */
static struct ml_flow_count executions(struct counter *k, uint32_t node)
{
	if (!k->below[node].done) {
		k->below[node].count = sum(k, ml_poly_const(arena(k), 1), node);
		k->below[node].done = true;
	}
	return k->below[node].count;
}

static void add(struct counter *k, struct ml_flow_count *to, struct ml_flow_count x,
		int64_t times)
{
	if (x.kind > to->kind)
		to->kind = x.kind;
	to->bounded |= x.bounded;
	to->poly = ml_poly_add(arena(k), to->poly,
			       ml_poly_scale(arena(k), x.poly, times, 1));
	if (to->poly.bad)
		to->kind = ML_FLOW_NO_FORM;
}

/* The number of elements of a range access, as a polynomial. */
static struct ml_poly elements_of(struct counter *k, const struct ml_flow_access *x)
{
	struct ml_arena *a = arena(k), *fa = &k->f->arena;
	struct ml_poly p = ml_poly_const(a, 1);

	for (uint32_t d = 0; d < x->dims && !x->single; d++) {
		const struct ml_sym *n = ml_sym_sub(fa, x->range[d].to, x->range[d].from);

		if (!ml_sym_is(x->range[d].step, 1))
			n = ml_sym_make(fa, ML_SYM_FLOOR, n, x->range[d].step);
		p = ml_poly_mul(a, p, poly_of(k, ml_sym_add_const(fa, n, 1)));
	}
	return p;
}

static struct ml_flow_count weighted(struct counter *k, struct ml_poly p, uint32_t node)
{
	struct ml_flow_count c;
	int64_t v;

	if (!ml_poly_is_const(p, &v))
		return sum(k, p, node);
	c = executions(k, node);
	c.poly = ml_poly_scale(arena(k), c.poly, v, 1);
	return c;
}

static void count_work(struct counter *k, const struct ml_flow_node *n)
{
	struct ml_flow_counts *c = k->c;
	uint32_t number = n->number;
	struct ml_flow_count runs = c->runs[number];

	c->elements[number] = ml_arena_alloc(
		arena(k), (n->access_count + 1) * sizeof(struct ml_flow_count));
	for (size_t i = 0; i < n->access_count; i++) {
		const struct ml_flow_access *x = &n->access[i];
		const struct ml_flow_container *of = &k->f->container[x->container];
		struct ml_flow_count *e = &c->elements[number][i];

		*e = x->single ? runs : weighted(k, elements_of(k, x), number);
		e->bounded |= x->bounded;
		int64_t size = x->size ? x->size : of->element;
		add(k, x->write ? &c->written[x->container] : &c->read[x->container], *e,
		    size);
		if (!of->scalar)
			add(k, &c->all_bytes, *e, size);
	}
	if (n->repeat)
		runs = weighted(k, poly_of(k, n->repeat), number);
	for (int o = 0; o < ML_FLOW_OPS; o++)
		if (n->ops[o]) {
			add(k, &c->ops[o], runs, (int64_t)n->ops[o]);
			add(k, &c->all_ops, runs, (int64_t)n->ops[o]);
		}
}

void ml_flow_counts_make(struct ml_flow_counts *c, struct ml_flow *f)
{
	struct counter k = { .c = c, .f = f };

	memset(c, 0, sizeof(*c));
	size_t nodes = f->node_count, containers = f->container_count;
	c->runs = ml_arena_alloc(&c->arena, (nodes + 1) * sizeof(*c->runs));
	c->elements = ml_arena_alloc(&c->arena, (nodes + 1) * sizeof(*c->elements));
	c->read = ml_arena_alloc(&c->arena, (containers + 1) * sizeof(*c->read));
	c->written = ml_arena_alloc(&c->arena, (containers + 1) * sizeof(*c->written));
	k.below = ml_arena_alloc(&c->arena, (nodes + 1) * sizeof(*k.below));
	for (uint32_t i = 0; i < nodes; i++) {
		const struct ml_flow_node *n = &f->node[i];

		c->runs[i] = n->parent == ML_FLOW_NONE
				     ? (struct ml_flow_count){ .poly = ml_poly_const(
								       &c->arena, 1) }
				     : executions(&k, n->parent);
		if (n->kind == ML_FLOW_WORK)
			count_work(&k, n);
	}
}

struct ml_poly ml_flow_counts_sum(struct ml_flow_counts *c, struct ml_flow *f,
				  struct ml_poly p, uint32_t loop)
{
	struct counter k = { .c = c, .f = f };

	return sum_loop(&k, p, &f->node[loop]);
}

struct ml_poly ml_flow_counts_poly(struct ml_flow_counts *c, struct ml_flow *f,
				   const struct ml_sym *e)
{
	struct counter k = { .c = c, .f = f };

	return poly_of(&k, e);
}

void ml_flow_counts_release(struct ml_flow_counts *c)
{
	ml_free(c->condition);
	ml_arena_release(&c->arena);
	memset(c, 0, sizeof(*c));
}

void ml_flow_count_print(const struct ml_flow_count *x, const struct ml_flow *f,
			 struct ml_buf *out)
{
	if (x->kind == ML_FLOW_NO_FORM)
		ml_buf_text(out, "no closed form");
	else
		ml_poly_print(x->poly, f->names, out);
}

bool ml_flow_count_atoms(const struct ml_flow *f, int64_t *value)
{
	bool all = true;

	for (size_t i = 0; i < f->symbol_count; i++)
		if (f->symbol[i].atom &&
		    !ml_sym_eval(f->symbol[i].atom, value, NULL, &value[i])) {
			value[i] = 0;
			all = false;
		}
	return all;
}
