#include "lib/prune/native_code.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/prune/space.h"

enum { TABLE_WORDS = 4096, ALL_TABLE_WORDS = 1 << 15, UNROLLED = 3 };

/* A truth value of the innermost loop that is computed in lanes. */
struct atom {
	uint32_t node;
	int level;   /* loop in which its plane is computed; the innermost: with all */
	int indexed; /* loop that indexes the table of planes; -1: none */
};

struct writer {
	const struct ml_space *s;
	struct ml_buf *out;
	bool *scalar; /* of a node: its variable is in scope */
	bool *lane;   /* of a node: its lane is in scope */
	bool *plane;  /* of a node: its plane is in scope */
	struct atom *atoms;
	size_t atom_count, table_words;
	int inner;    /* level of the innermost loop */
	bool divides; /* some divisor may be zero */
};

static void put(struct writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct writer *w, const char *fmt, ...)
{
	char text[600];
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < sizeof(text));
	ml_buf_put(w->out, text, (size_t)n);
}

static const struct ml_expr *node_of(const struct writer *w, uint32_t node)
{
	return &w->s->exprs.at[node];
}

static bool within(const struct ml_expr *e, int64_t limit)
{
	return e->lo > -limit && e->hi < limit;
}

static bool fits32(const struct ml_expr *e)
{
	return e->lo >= INT32_MIN && e->hi <= INT32_MAX;
}

static bool maybe_zero(const struct ml_expr *e)
{
	return e->lo <= 0 && e->hi >= 0;
}

/* C's sign of an operation, for those that have one. */
static const char *sign(enum ml_expr_op op)
{
	static const char *const signs[] = {
		[ML_EXPR_ADD] = "+", [ML_EXPR_SUB] = "-", [ML_EXPR_MUL] = "*",
		[ML_EXPR_DIV] = "/", [ML_EXPR_MOD] = "%", [ML_EXPR_EQ] = "==",
		[ML_EXPR_NE] = "!=", [ML_EXPR_LT] = "<",  [ML_EXPR_LE] = "<=",
		[ML_EXPR_GT] = ">",  [ML_EXPR_GE] = ">=",
	};

	return signs[op];
}

/* An operation on operands that are already text. */
static void operation(struct writer *w, enum ml_expr_op op, const char *a, const char *b,
		      const char *c)
{
	switch (op) {
	case ML_EXPR_MIN:
	case ML_EXPR_MAX:
		put(w, "%s %s %s ? %s : %s", a, op == ML_EXPR_MIN ? "<" : ">", b, a, b);
		break;
	case ML_EXPR_NEG: put(w, "-%s", a); break;
	case ML_EXPR_ABS: put(w, "%s < 0 ? -%s : %s", a, a, a); break;
	case ML_EXPR_AND: put(w, "(%s != 0) & (%s != 0)", a, b); break;
	case ML_EXPR_OR: put(w, "(%s != 0) | (%s != 0)", a, b); break;
	case ML_EXPR_NOT: put(w, "%s == 0", a); break;
	case ML_EXPR_IF: put(w, "%s != 0 ? %s : %s", a, b, c); break;
	default: put(w, "%s %s %s", a, sign(op), b);
	}
}

/* "v12", or a number. */
static const char *scalar_name(const struct writer *w, uint32_t node, char text[32])
{
	const struct ml_expr *e = node_of(w, node);

	if (e->op == ML_EXPR_NUMBER)
		snprintf(text, 32, "INT64_C(%lld)", (long long)e->value);
	else
		snprintf(text, 32, "v%u", node);
	return text;
}

/* Declares the variable of a node, and those it needs that are not in scope. */
static void scalar(struct writer *w, uint32_t node)
{
	const struct ml_expr *e = node_of(w, node);
	uint32_t child[3] = { e->a, e->b, e->c };
	char a[32], b[32], c[32];

	if (w->scalar[node] || e->op == ML_EXPR_NUMBER)
		return;
	for (unsigned i = 0; i < ml_expr_arity(e->op); i++)
		scalar(w, child[i]);
	scalar_name(w, e->a, a);
	scalar_name(w, e->b, b);
	scalar_name(w, e->c, c);
	put(w, "const int64_t v%u = ", node);
	bool divides = e->op == ML_EXPR_DIV || e->op == ML_EXPR_MOD;
	if (e->op == ML_EXPR_LOOKUP)
		put(w, "table%lld[%s]", (long long)e->value, a);
	else if (divides && maybe_zero(node_of(w, e->b)))
		put(w, "%s ? %s %s %s : (bad = 1, 0)", b, a, sign(e->op), b);
	else if (divides && fits32(node_of(w, e->a)) && fits32(node_of(w, e->b)) &&
		 node_of(w, e->a)->lo >= 0 && node_of(w, e->b)->lo > 0)
		put(w, "(int64_t)((uint32_t)%s %s (uint32_t)%s)", a, sign(e->op), b);
	else
		operation(w, e->op, a, b, c);
	put(w, ";\n");
	w->scalar[node] = true;
}

static const char *lane_type(const struct ml_expr *e)
{
	return fits32(e) ? "int32_t" : "int64_t";
}

/* An operand in a lane, of a type: a lane of its own, or the variable of a loop around.
 */
static void lane_name(const struct writer *w, uint32_t node, const char *type,
		      char text[64])
{
	const struct ml_expr *e = node_of(w, node);
	char name[32];

	if (e->level == w->inner)
		snprintf(text, 64, "(%s)w%u", type, node);
	else
		snprintf(text, 64, "(%s)%s", type, scalar_name(w, node, name));
}

/*
 * a / b, rounded towards zero. Numbers below 2^24 (2^53) are exact as float (double), and
 * so is the integral part of their rounded quotient: a quotient that is not whole is at
 * least 1/b away from the next whole number, which is more than the rounding.
 */
static void quotient(struct writer *w, const struct ml_expr *e, const char *type,
		     const char *a, const char *b)
{
	const struct ml_expr *p = node_of(w, e->a), *q = node_of(w, e->b);
	bool small = within(p, 1 << 24) && within(q, 1 << 24),
	     medium = within(p, INT64_C(1) << 53) && within(q, INT64_C(1) << 53);

	if (small || medium)
		put(w, "(%s)((%s)(%s) / (%s)(%s))", type, small ? "float" : "double", a,
		    small ? "float" : "double", b);
	else
		put(w, "(%s)((%s) / (%s))", type, a, b);
}

static void divide_lanes(struct writer *w, uint32_t node, const char *type)
{
	const struct ml_expr *e = node_of(w, node);
	char a[64], b[64];

	lane_name(w, e->a, type, a);
	lane_name(w, e->b, type, b);
	if (maybe_zero(node_of(w, e->b))) {
		put(w, "const %s d%u = %s;\nzero |= d%u == 0;\n", type, node, b, node);
		snprintf(b, sizeof(b), "(d%u + (d%u == 0))", node, node);
	}
	put(w, "const %s q%u = ", type, node);
	quotient(w, e, type, a, b);
	put(w, ";\nconst %s w%u = ", lane_type(e), node);
	if (e->op == ML_EXPR_DIV)
		put(w, "(%s)q%u;\n", lane_type(e), node);
	else
		put(w, "(%s)(%s - q%u * %s);\n", lane_type(e), a, node, b);
}

/* Declares a node in the loop over lanes, and the nodes it needs. */
static void lane(struct writer *w, uint32_t node)
{
	const struct ml_expr *e = node_of(w, node);
	uint32_t child[3] = { e->a, e->b, e->c };
	char text[3][64];
	bool narrow = fits32(e);

	if (e->level != w->inner || w->lane[node] || e->op == ML_EXPR_PARAM)
		return;
	for (unsigned i = 0; i < ml_expr_arity(e->op); i++) {
		lane(w, child[i]);
		narrow = narrow && fits32(node_of(w, child[i]));
	}
	const char *type = narrow ? "int32_t" : "int64_t";
	for (unsigned i = 0; i < 3; i++)
		lane_name(w, child[i], type, text[i]);
	w->lane[node] = true;
	if (e->op == ML_EXPR_DIV || e->op == ML_EXPR_MOD) {
		divide_lanes(w, node, type);
		return;
	}
	put(w, "const %s w%u = (%s)(", lane_type(e), node, lane_type(e));
	if (e->op == ML_EXPR_LOOKUP)
		put(w, "table%lld[%s]", (long long)e->value, text[0]);
	else
		operation(w, e->op, text[0], text[1], text[2]);
	put(w, ");\n");
}

/* Variables that the lanes of a node need. */
static void lane_scalars(struct writer *w, uint32_t node)
{
	const struct ml_expr *e = node_of(w, node);
	uint32_t child[3] = { e->a, e->b, e->c };

	if (e->level != w->inner) {
		scalar(w, node);
		return;
	}
	for (unsigned i = 0; i < ml_expr_arity(e->op); i++)
		lane_scalars(w, child[i]);
}

static unsigned lane_count(const struct writer *w)
{
	uint64_t trips = w->s->params[w->inner].trips;

	return trips > 56 ? 64 : trips ? ((unsigned)trips + 7) / 8 * 8 : 8;
}

/* The value of a loop's parameter by index. */
static void param_value(struct writer *w, int level, const char *index)
{
	if (w->s->params[level].kind == ML_RANGE_STEPS)
		put(w, "first%d + %s * step%d", level, index, level);
	else
		put(w, "list%d[%s]", level, index);
}

/* Results of atoms as bytes, from lane c on; lanes behind the end repeat lane c. */
static void lane_loop(struct writer *w, const struct atom *only, int level)
{
	uint32_t x = w->s->params[w->inner].node;

	for (size_t i = 0; i < w->atom_count; i++)
		if (only ? &w->atoms[i] == only : w->atoms[i].level == level) {
			lane_scalars(w, w->atoms[i].node);
			put(w, "uint8_t b%u[%u];\n", w->atoms[i].node, lane_count(w));
		}
	const char *type = lane_type(node_of(w, x));
	put(w,
	    "const int32_t full = count%d - c < LANES ? (int32_t)(count%d - c) : LANES;\n",
	    w->inner, w->inner);
	if (w->s->params[w->inner].kind == ML_RANGE_STEPS)
		put(w, "const %s base = (%s)(first%d + c * step%d), by = (%s)step%d;\n",
		    type, type, w->inner, w->inner, type, w->inner);
	put(w,
	    "for (int32_t j = 0; j < LANES; j++) {\nconst int32_t i = j < full ? j : 0;\n");
	if (w->s->params[w->inner].kind == ML_RANGE_STEPS)
		put(w, "const %s w%u = base + (%s)i * by;\n", type, x, type);
	else
		put(w, "const %s w%u = (%s)list%d[c + i];\n", type, x, type, w->inner);
	memset(w->lane, 0, w->s->exprs.count);
	for (size_t i = 0; i < w->atom_count; i++)
		if (only ? &w->atoms[i] == only : w->atoms[i].level == level) {
			lane(w, w->atoms[i].node);
			put(w, "b%u[j] = w%u != 0;\n", w->atoms[i].node,
			    w->atoms[i].node);
		}
	put(w, "}\n");
}

static unsigned words(const struct writer *w)
{
	return (unsigned)((w->s->params[w->inner].trips + 63) / 64);
}

/* Fills the table of an atom, in the loop where it can be known first. */
static void table(struct writer *w, const struct atom *t)
{
	int q = t->indexed;
	bool *in_scope = ml_resize(NULL, w->s->exprs.count);

	memcpy(in_scope, w->scalar, w->s->exprs.count);
	put(w, "uint64_t t%u[%llu][%u];\n", t->node,
	    (unsigned long long)(q < 0 ? 1 : w->s->params[q].trips), words(w));
	if (q < 0)
		put(w, "for (int64_t k = 0; k < 1; k++) {\n");
	else {
		put(w, "for (int64_t k = 0; k < count%d; k++) {\nconst int64_t v%u = ", q,
		    w->s->params[q].node);
		param_value(w, q, "k");
		put(w, ";\n");
		w->scalar[w->s->params[q].node] = true;
	}
	lane_scalars(w, t->node);
	put(w, "for (int64_t c = 0; c < count%d; c += 64) {\n", w->inner);
	lane_loop(w, t, 0);
	put(w, "t%u[k][c / 64] = plane(b%u);\n}\n}\n", t->node, t->node);
	memcpy(w->scalar, in_scope, w->s->exprs.count);
	ml_free(in_scope);
}

static void tables(struct writer *w, int level)
{
	for (size_t i = 0; i < w->atom_count; i++)
		if (w->atoms[i].level == level && level < w->inner)
			table(w, &w->atoms[i]);
}

static int level_of(uint64_t deps)
{
	return deps ? 63 - __builtin_clzll(deps) : -1;
}

/*
 * Where the plane of an atom is computed. It depends on the loops of its node and of the
 * innermost range. Either the loop right around the innermost one is not among them, or
 * it indexes the table and a loop outside it is not among them.
 */
static void place(struct writer *w, struct atom *t)
{
	uint64_t inner = UINT64_C(1) << w->inner;
	uint64_t deps = (node_of(w, t->node)->deps & ~inner) |
			w->s->params[w->inner].deps;
	uint64_t rows = 1;
	int around = w->inner - 1, level = level_of(deps);

	t->level = w->inner;
	t->indexed = -1;
	if (w->inner == 0)
		return;
	if (level == around) {
		uint64_t others = (deps & ~(UINT64_C(1) << around)) |
				  w->s->params[around].deps;

		level = level_of(others);
		rows = w->s->params[around].trips;
		/* the count of the innermost loop must be known where the table is filled
		 */
		if (level >= around - 1 || w->s->params[w->inner].deps >> around & 1)
			return;
		t->indexed = around;
	}
	if (rows * words(w) > TABLE_WORDS ||
	    w->table_words + rows * words(w) > ALL_TABLE_WORDS) {
		t->indexed = -1;
		return;
	}
	w->table_words += rows * words(w);
	t->level = level;
}

static void add_atom(struct writer *w, uint32_t node)
{
	for (size_t i = 0; i < w->atom_count; i++)
		if (w->atoms[i].node == node)
			return;
	w->atoms[w->atom_count] = (struct atom){ .node = node };
	place(w, &w->atoms[w->atom_count++]);
}

static bool is_plane_op(enum ml_expr_op op)
{
	return op == ML_EXPR_AND || op == ML_EXPR_OR || op == ML_EXPR_NOT;
}

static void find_atoms(struct writer *w, uint32_t node)
{
	const struct ml_expr *e = node_of(w, node);

	if (e->level != w->inner)
		return;
	if (!is_plane_op(e->op)) {
		add_atom(w, node);
		return;
	}
	find_atoms(w, e->a);
	if (e->op != ML_EXPR_NOT)
		find_atoms(w, e->b);
}

/* Declares the plane of a truth value at lanes c to c + 63. */
static void plane(struct writer *w, uint32_t node)
{
	const struct ml_expr *e = node_of(w, node);
	char name[32];

	if (w->plane[node])
		return;
	w->plane[node] = true;
	if (e->level != w->inner) {
		scalar(w, node);
		put(w, "const uint64_t p%u = -(uint64_t)(%s != 0);\n", node,
		    scalar_name(w, node, name));
		return;
	}
	if (is_plane_op(e->op)) {
		plane(w, e->a);
		if (e->op == ML_EXPR_NOT) {
			put(w, "const uint64_t p%u = ~p%u;\n", node, e->a);
			return;
		}
		plane(w, e->b);
		put(w, "const uint64_t p%u = p%u %s p%u;\n", node, e->a,
		    e->op == ML_EXPR_AND ? "&" : "|", e->b);
		return;
	}
	for (size_t i = 0; i < w->atom_count; i++) {
		const struct atom *t = &w->atoms[i];

		if (t->node != node)
			continue;
		if (t->level == w->inner)
			put(w, "const uint64_t p%u = plane(b%u);\n", node, node);
		else if (t->indexed < 0)
			put(w, "const uint64_t p%u = t%u[0][c / 64];\n", node, node);
		else
			put(w, "const uint64_t p%u = t%u[k%d][c / 64];\n", node, node,
			    t->indexed);
	}
}

/* first, step and count of a loop, once its inputs are known. */
static void range(struct writer *w, int level)
{
	const struct ml_param_range *p = &w->s->params[level];
	char first[32], step[32], last[32];

	if (p->kind == ML_RANGE_LIST) {
		put(w, "static const int64_t list%d[] = { ", level);
		for (size_t i = 0; i < p->value_count; i++)
			put(w, "INT64_C(%lld), ", (long long)p->values[i]);
		put(w, "};\nconst int64_t count%d = %zu;\n", level, p->value_count);
		return;
	}
	scalar(w, p->first);
	scalar(w, p->step);
	scalar(w, p->last);
	scalar_name(w, p->first, first);
	scalar_name(w, p->step, step);
	scalar_name(w, p->last, last);
	if (p->kind == ML_RANGE_STEPS)
		put(w,
		    "const int64_t first%d = %s, step%d = %s, last%d = %s, count%d = "
		    "last%d < first%d || bad ? 0 : (last%d - first%d) / step%d + 1;\n",
		    level, first, level, step, level, last, level, level, level, level,
		    level, level);
	else if (p->kind == ML_RANGE_DIVISORS)
		put(w,
		    "int64_t list%d[%d];\nconst int64_t count%d = bad ? 0 : divisors(%s, "
		    "list%d);\n",
		    level, ML_SPACE_FEW, level, last, level);
	else
		put(w,
		    "int64_t list%d[%d];\nconst int64_t count%d = bad ? 0 : powers(%s, "
		    "%s, %s, list%d);\n",
		    level, ML_SPACE_FEW, level, first, step, last, level);
}

/* What can be computed once the parameters up to a level are known. */
static void ranges(struct writer *w, int level)
{
	for (int l = 0; l <= w->inner; l++)
		if (level_of(w->s->params[l].deps) == level)
			range(w, l);
}

static uint32_t constraints_at(const struct writer *w, int level)
{
	uint32_t mask = 0;

	for (size_t c = 0; c < w->s->constraint_count; c++)
		if (node_of(w, w->s->constraints[c].node)->level == level)
			mask |= UINT32_C(1) << c;
	return mask;
}

static void nodes(struct writer *w, int level)
{
	for (uint32_t k = 0; k < w->s->exprs.count; k++)
		if (node_of(w, k)->used && node_of(w, k)->level == level)
			scalar(w, k);
	put(w, "const uint32_t m%d = ", level + 1);
	if (level >= 0)
		put(w, "m%d", level);
	else
		put(w, "0");
	for (size_t c = 0; c < w->s->constraint_count; c++) {
		uint32_t node = w->s->constraints[c].node;
		char name[32];

		if (node_of(w, node)->level == level)
			put(w, " | (uint32_t)(%s != 0) << %zu",
			    scalar_name(w, node, name), c);
	}
	put(w, ";\nif (bad)\nreturn 1;\n");
	if (constraints_at(w, level))
		put(w, "if (select && (m%d ^ want) & care & 0x%xu)\n%s;\n", level + 1,
		    constraints_at(w, level), level < 0 ? "return 0" : "continue");
}

/* counts[mask] for all combinations of the constraints of the innermost loop. */
static void tally(struct writer *w, const size_t *at, size_t n)
{
	if (n > UNROLLED) {
		put(w, "const uint64_t planes[] = { ");
		for (size_t i = 0; i < n; i++)
			put(w, "p%u, ", w->s->constraints[at[i]].node);
		put(w, "};\nstatic const uint8_t shift[] = { ");
		for (size_t i = 0; i < n; i++)
			put(w, "%zu, ", at[i]);
		put(w, "};\ntally(counts, m%d, live, planes, shift, %zu);\n", w->inner,
		    n);
		return;
	}
	for (unsigned k = 0; k < 1u << n; k++) {
		uint32_t mask = 0;

		for (size_t i = 0; i < n; i++)
			mask |= (uint32_t)(k >> i & 1) << at[i];
		put(w, "counts[m%d | 0x%xu] += ones(live", w->inner, mask);
		for (size_t i = 0; i < n; i++)
			put(w, " & %sp%u", k >> i & 1 ? "" : "~",
			    w->s->constraints[at[i]].node);
		put(w, ");\n");
	}
}

static void rows(struct writer *w, const size_t *at, size_t n)
{
	put(w, "uint64_t match = live;\n");
	for (size_t i = 0; i < n; i++)
		put(w, "if (care >> %zu & 1)\nmatch &= want >> %zu & 1 ? p%u : ~p%u;\n",
		    at[i], at[i], w->s->constraints[at[i]].node,
		    w->s->constraints[at[i]].node);
	put(w, "for (; match; match &= match - 1) {\nconst int64_t i = c + "
	       "__builtin_ctzll(match);\nconst int64_t values[] = { ");
	for (int l = 0; l < w->inner; l++)
		put(w, "v%u, ", w->s->params[l].node);
	param_value(w, w->inner, "i");
	put(w, " };\nif (row(arg, values))\nreturn 2;\n}\n");
}

static void innermost(struct writer *w)
{
	uint32_t known = constraints_at(w, w->inner);
	size_t at[ML_SPACE_CONSTRAINTS], n = 0;
	bool lanes = false;

	for (size_t c = 0; c < w->s->constraint_count; c++)
		if (known >> c & 1)
			at[n++] = c;
	for (size_t i = 0; i < w->atom_count; i++)
		lanes = lanes || w->atoms[i].level == w->inner;
	put(w, "for (int64_t c = from%d; c < to%d; c += 64) {\n", w->inner, w->inner);
	put(w,
	    "const uint64_t live = to%d - c >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (to%d "
	    "- c)) - 1;\n",
	    w->inner, w->inner);
	if (lanes)
		lane_loop(w, NULL, w->inner);
	memset(w->plane, 0, w->s->exprs.count);
	for (size_t i = 0; i < n; i++)
		plane(w, w->s->constraints[at[i]].node);
	if (w->divides)
		put(w, "if (zero)\nreturn 1;\n");
	put(w, "if (select) {\n");
	rows(w, at, n);
	put(w, "} else {\n");
	tally(w, at, n);
	put(w, "}\n}\n");
}

static void loops(struct writer *w)
{
	for (int l = 0; l < w->inner; l++) {
		char index[16];

		snprintf(index, sizeof(index), "k%d", l);
		if (l == 0)
			put(w, "do {\nconst int64_t k0 = part;\n");
		else
			put(w, "for (int64_t k%d = from%d; k%d < to%d; k%d++) {\n", l, l,
			    l, l, l);
		put(w, "const int64_t v%u = ", w->s->params[l].node);
		param_value(w, l, index);
		put(w, ";\n");
		w->scalar[w->s->params[l].node] = true;
		nodes(w, l);
		ranges(w, l);
		if (l == 0 && w->inner > 1)
			put(w,
			    "const int64_t from1 = share * count1 / of, to1 = (share + "
			    "1) * count1 / of;\n");
		else
			put(w, "const int64_t from%d = 0, to%d = count%d;\n", l + 1,
			    l + 1, l + 1);
		tables(w, l);
	}
	innermost(w);
	for (int l = w->inner - 1; l >= 0; l--)
		put(w, l ? "}\n" : "} while (0);\n");
}

/*
 * ones: the empty asm keeps gcc 12 from joining two counts into one vector instruction,
 * which it gets wrong with -O2 -march=native where AVX512_VPOPCNTDQ is there and the
 * operands are constants: it then adds the words instead of their bits.
 */
static const char head[] =
	"#include <stdint.h>\n"
	"#include <string.h>\n"
	"#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
	"#error the planes are made for little-endian machines\n"
	"#endif\n"
	"typedef int row_fn(void *, const int64_t *);\n"
	"static inline __attribute__((always_inline)) uint64_t plane(const uint8_t *b)\n"
	"{\n"
	"uint64_t p = 0, x;\n"
	"for (int i = 0; i < LANES / 8; i++) {\n"
	"memcpy(&x, b + 8 * i, 8);\n"
	"p |= x * UINT64_C(0x0102040810204080) >> 56 << 8 * i;\n"
	"}\n"
	"return p;\n"
	"}\n"
	"static inline __attribute__((always_inline)) uint64_t ones(uint64_t x)\n"
	"{\n"
	"__asm__(\"\" : \"+r\"(x));\n"
	"return (uint64_t)__builtin_popcountll(x);\n"
	"}\n"
	"static void tally(uint64_t *counts, uint32_t mask, uint64_t live,\n"
	"const uint64_t *p, const uint8_t *shift, int n)\n"
	"{\n"
	"if (!live)\n"
	"return;\n"
	"if (!n) {\n"
	"counts[mask] += ones(live);\n"
	"return;\n"
	"}\n"
	"tally(counts, mask, live & ~*p, p + 1, shift + 1, n - 1);\n"
	"tally(counts, mask | UINT32_C(1) << *shift, live & *p, p + 1, shift + 1, n - 1);\n"
	"}\n"
	"static int64_t divisors(int64_t of, int64_t *v)\n"
	"{\n"
	"int64_t n = 0, m = 0, high[768];\n"
	"for (int64_t d = 1; d <= of / d; d++)\n"
	"if (of % d == 0) {\n"
	"v[n++] = d;\n"
	"if (d != of / d)\n"
	"high[m++] = of / d;\n"
	"}\n"
	"while (m)\n"
	"v[n++] = high[--m];\n"
	"return n;\n"
	"}\n"
	"static int64_t powers(int64_t v, int64_t by, int64_t last, int64_t *list)\n"
	"{\n"
	"int64_t n = 0;\n"
	"for (; v <= last; v *= by) {\n"
	"list[n++] = v;\n"
	"if (v > last / by)\n"
	"break;\n"
	"}\n"
	"return n;\n"
	"}\n";

static const char tail[] =
	"int ml_count(int64_t part, int64_t share, int64_t of, uint64_t *counts)\n"
	"{\n"
	"return body(0, part, share, of, counts, 0, 0, 0, 0);\n"
	"}\n"
	"int ml_select(int64_t part, int64_t share, int64_t of, uint32_t care,\n"
	"uint32_t want, row_fn *row, void *arg)\n"
	"{\n"
	"return body(1, part, share, of, 0, care, want, row, arg);\n"
	"}\n";

static void constant_tables(struct writer *w)
{
	for (size_t t = 0; t < w->s->exprs.table_count; t++) {
		const struct ml_expr_table *x = &w->s->exprs.tables[t];

		put(w, "static const int64_t table%zu[] = { ", t);
		for (size_t i = 0; i < x->count; i++)
			put(w, "%lld%s", (long long)x->values[i],
			    i % 16 == 15 ? ",\n" : ", ");
		put(w, "};\n");
	}
}

void ml_native_code(const struct ml_space *s, struct ml_buf *out)
{
	size_t n = s->exprs.count;
	struct ml_arena a = { 0 };
	struct writer w = { .s = s,
			    .out = out,
			    .scalar = ml_arena_alloc(&a, n),
			    .lane = ml_arena_alloc(&a, n),
			    .plane = ml_arena_alloc(&a, n),
			    .atoms = ml_arena_alloc(&a, n * sizeof(struct atom)),
			    .inner = (int)s->param_count - 1 };

	for (size_t c = 0; c < s->constraint_count; c++)
		find_atoms(&w, s->constraints[c].node);
	for (uint32_t k = 0; k < n; k++) {
		const struct ml_expr *e = &s->exprs.at[k];

		w.divides = w.divides ||
			    ((e->op == ML_EXPR_DIV || e->op == ML_EXPR_MOD) &&
			     maybe_zero(&s->exprs.at[e->b]));
	}
	put(&w, "#define LANES %u\n", lane_count(&w));
	ml_buf_put(out, head, sizeof(head) - 1);
	constant_tables(&w);
	put(&w,
	    "static inline __attribute__((always_inline)) int body(const int select, "
	    "int64_t part, int64_t share, int64_t of, uint64_t *counts, uint32_t care, "
	    "uint32_t want, row_fn *row, void *arg)\n{\nint bad = 0, zero = 0;\n");
	nodes(&w, -1);
	ranges(&w, -1);
	if (w.inner == 0)
		put(&w, "const int64_t from0 = 0, to0 = count0;\n");
	tables(&w, -1);
	loops(&w);
	put(&w, "return bad || zero;\n}\n");
	ml_buf_put(out, tail, sizeof(tail) - 1);
	ml_arena_release(&a);
}
