/* Values of the native code: variables of loops, lanes of the innermost one, planes. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/prune/native_code_parts.h"
#include "lib/prune/space.h"

enum { TABLE_WORDS = 4096, ALL_TABLE_WORDS = 1 << 15 };

void ml_native_put(struct ml_native_writer *w, const char *fmt, ...)
{
	char text[600];
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < sizeof(text));
	ml_buf_put(w->out, text, (size_t)n);
}

const struct ml_expr *ml_native_node_of(const struct ml_native_writer *w, uint32_t node)
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

bool ml_native_maybe_zero(const struct ml_expr *e)
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
static void operation(struct ml_native_writer *w, enum ml_expr_op op, const char *a,
		      const char *b, const char *c)
{
	switch (op) {
	case ML_EXPR_MIN:
	case ML_EXPR_MAX:
		ml_native_put(w, "%s %s %s ? %s : %s", a, op == ML_EXPR_MIN ? "<" : ">",
			      b, a, b);
		break;
	case ML_EXPR_NEG: ml_native_put(w, "-%s", a); break;
	case ML_EXPR_ABS: ml_native_put(w, "%s < 0 ? -%s : %s", a, a, a); break;
	case ML_EXPR_AND: ml_native_put(w, "(%s != 0) & (%s != 0)", a, b); break;
	case ML_EXPR_OR: ml_native_put(w, "(%s != 0) | (%s != 0)", a, b); break;
	case ML_EXPR_NOT: ml_native_put(w, "%s == 0", a); break;
	case ML_EXPR_IF: ml_native_put(w, "%s != 0 ? %s : %s", a, b, c); break;
	default: ml_native_put(w, "%s %s %s", a, sign(op), b);
	}
}

/* "v12", or a number. */
const char *ml_native_scalar_name(const struct ml_native_writer *w, uint32_t node,
				  char text[32])
{
	const struct ml_expr *e = ml_native_node_of(w, node);

	if (e->op == ML_EXPR_NUMBER)
		snprintf(text, 32, "INT64_C(%lld)", (long long)e->value);
	else
		snprintf(text, 32, "v%u", node);
	return text;
}

/* Declares the variable of a node, and those it needs that are not in scope. */
void ml_native_scalar(struct ml_native_writer *w, uint32_t node)
{
	const struct ml_expr *e = ml_native_node_of(w, node);
	uint32_t child[3] = { e->a, e->b, e->c };
	char a[32], b[32], c[32];

	if (w->scalar[node] || e->op == ML_EXPR_NUMBER)
		return;
	for (unsigned i = 0; i < ml_expr_arity(e->op); i++)
		ml_native_scalar(w, child[i]);
	ml_native_scalar_name(w, e->a, a);
	ml_native_scalar_name(w, e->b, b);
	ml_native_scalar_name(w, e->c, c);
	ml_native_put(w, "const int64_t v%u = ", node);
	bool divides = e->op == ML_EXPR_DIV || e->op == ML_EXPR_MOD;
	if (e->op == ML_EXPR_LOOKUP)
		ml_native_put(w, "table%lld[%s]", (long long)e->value, a);
	else if (divides && ml_native_maybe_zero(ml_native_node_of(w, e->b)))
		ml_native_put(w, "%s ? %s %s %s : (bad = 1, 0)", b, a, sign(e->op), b);
	else if (divides && fits32(ml_native_node_of(w, e->a)) &&
		 fits32(ml_native_node_of(w, e->b)) &&
		 ml_native_node_of(w, e->a)->lo >= 0 &&
		 ml_native_node_of(w, e->b)->lo > 0)
		ml_native_put(w, "(int64_t)((uint32_t)%s %s (uint32_t)%s)", a,
			      sign(e->op), b);
	else
		operation(w, e->op, a, b, c);
	ml_native_put(w, ";\n");
	w->scalar[node] = true;
}

static const char *lane_type(const struct ml_expr *e)
{
	return fits32(e) ? "int32_t" : "int64_t";
}

/* An operand in a lane, of a type: a lane of its own, or the variable of a loop around.
 */
static void lane_name(const struct ml_native_writer *w, uint32_t node, const char *type,
		      char text[64])
{
	const struct ml_expr *e = ml_native_node_of(w, node);
	char name[32];

	if (e->level == w->inner)
		snprintf(text, 64, "(%s)w%u", type, node);
	else
		snprintf(text, 64, "(%s)%s", type, ml_native_scalar_name(w, node, name));
}

/*
 * a / b, rounded towards zero. Numbers below 2^24 (2^53) are exact as float (double), and
 * so is the integral part of their rounded quotient: a quotient that is not whole is at
 * least 1/b away from the next whole number, which is more than the rounding.
 */
static void quotient(struct ml_native_writer *w, const struct ml_expr *e,
		     const char *type, const char *a, const char *b)
{
	const struct ml_expr *p = ml_native_node_of(w, e->a),
			     *q = ml_native_node_of(w, e->b);
	bool small = within(p, 1 << 24) && within(q, 1 << 24),
	     medium = within(p, INT64_C(1) << 53) && within(q, INT64_C(1) << 53);

	if (small || medium)
		ml_native_put(w, "(%s)((%s)(%s) / (%s)(%s))", type,
			      small ? "float" : "double", a, small ? "float" : "double",
			      b);
	else
		ml_native_put(w, "(%s)((%s) / (%s))", type, a, b);
}

static void divide_lanes(struct ml_native_writer *w, uint32_t node, const char *type)
{
	const struct ml_expr *e = ml_native_node_of(w, node);
	char a[64], b[64];

	lane_name(w, e->a, type, a);
	lane_name(w, e->b, type, b);
	if (ml_native_maybe_zero(ml_native_node_of(w, e->b))) {
		ml_native_put(w, "const %s d%u = %s;\nzero |= d%u == 0;\n", type, node, b,
			      node);
		snprintf(b, sizeof(b), "(d%u + (d%u == 0))", node, node);
	}
	ml_native_put(w, "const %s q%u = ", type, node);
	quotient(w, e, type, a, b);
	ml_native_put(w, ";\nconst %s w%u = ", lane_type(e), node);
	if (e->op == ML_EXPR_DIV)
		ml_native_put(w, "(%s)q%u;\n", lane_type(e), node);
	else
		ml_native_put(w, "(%s)(%s - q%u * %s);\n", lane_type(e), a, node, b);
}

/* Declares a node in the loop over lanes, and the nodes it needs. */
static void lane(struct ml_native_writer *w, uint32_t node)
{
	const struct ml_expr *e = ml_native_node_of(w, node);
	uint32_t child[3] = { e->a, e->b, e->c };
	char text[3][64];
	bool narrow = fits32(e);

	if (e->level != w->inner || w->lane[node] || e->op == ML_EXPR_PARAM)
		return;
	for (unsigned i = 0; i < ml_expr_arity(e->op); i++) {
		lane(w, child[i]);
		narrow = narrow && fits32(ml_native_node_of(w, child[i]));
	}
	const char *type = narrow ? "int32_t" : "int64_t";
	for (unsigned i = 0; i < 3; i++)
		lane_name(w, child[i], type, text[i]);
	w->lane[node] = true;
	if (e->op == ML_EXPR_DIV || e->op == ML_EXPR_MOD) {
		divide_lanes(w, node, type);
		return;
	}
	ml_native_put(w, "const %s w%u = (%s)(", lane_type(e), node, lane_type(e));
	if (e->op == ML_EXPR_LOOKUP)
		ml_native_put(w, "table%lld[%s]", (long long)e->value, text[0]);
	else
		operation(w, e->op, text[0], text[1], text[2]);
	ml_native_put(w, ");\n");
}

/* Variables that the lanes of a node need. */
static void lane_scalars(struct ml_native_writer *w, uint32_t node)
{
	const struct ml_expr *e = ml_native_node_of(w, node);
	uint32_t child[3] = { e->a, e->b, e->c };

	if (e->level != w->inner) {
		ml_native_scalar(w, node);
		return;
	}
	for (unsigned i = 0; i < ml_expr_arity(e->op); i++)
		lane_scalars(w, child[i]);
}

unsigned ml_native_lane_count(const struct ml_native_writer *w)
{
	uint64_t trips = w->s->params[w->inner].trips;

	return trips > 56 ? 64 : trips ? ((unsigned)trips + 7) / 8 * 8 : 8;
}

/* The value of a loop's parameter by index. */
void ml_native_param_value(struct ml_native_writer *w, int level, const char *index)
{
	if (w->s->params[level].kind == ML_RANGE_STEPS)
		ml_native_put(w, "first%d + %s * step%d", level, index, level);
	else
		ml_native_put(w, "list%d[%s]", level, index);
}

/* Results of atoms as bytes, from lane c on; lanes behind the end repeat lane c. */
void ml_native_lane_loop(struct ml_native_writer *w, const struct ml_native_atom *only,
			 int level)
{
	uint32_t x = w->s->params[w->inner].node;

	for (size_t i = 0; i < w->atom_count; i++)
		if (only ? &w->atoms[i] == only : w->atoms[i].level == level) {
			lane_scalars(w, w->atoms[i].node);
			ml_native_put(w, "uint8_t b%u[%u];\n", w->atoms[i].node,
				      ml_native_lane_count(w));
		}
	const char *type = lane_type(ml_native_node_of(w, x));
	ml_native_put(
		w,
		"const int32_t full = count%d - c < LANES ? (int32_t)(count%d - c) : LANES;\n",
		w->inner, w->inner);
	if (w->s->params[w->inner].kind == ML_RANGE_STEPS)
		ml_native_put(
			w,
			"const %s base = (%s)(first%d + c * step%d), by = (%s)step%d;\n",
			type, type, w->inner, w->inner, type, w->inner);
	ml_native_put(
		w,
		"for (int32_t j = 0; j < LANES; j++) {\nconst int32_t i = j < full ? j : 0;\n");
	if (w->s->params[w->inner].kind == ML_RANGE_STEPS)
		ml_native_put(w, "const %s w%u = base + (%s)i * by;\n", type, x, type);
	else
		ml_native_put(w, "const %s w%u = (%s)list%d[c + i];\n", type, x, type,
			      w->inner);
	memset(w->lane, 0, w->s->exprs.count);
	for (size_t i = 0; i < w->atom_count; i++)
		if (only ? &w->atoms[i] == only : w->atoms[i].level == level) {
			lane(w, w->atoms[i].node);
			ml_native_put(w, "b%u[j] = w%u != 0;\n", w->atoms[i].node,
				      w->atoms[i].node);
		}
	ml_native_put(w, "}\n");
}

static unsigned words(const struct ml_native_writer *w)
{
	return (unsigned)((w->s->params[w->inner].trips + 63) / 64);
}

/* Fills the table of an atom, in the loop where it can be known first. */
static void table(struct ml_native_writer *w, const struct ml_native_atom *t)
{
	int q = t->indexed;
	bool *in_scope = ml_resize(NULL, w->s->exprs.count);

	memcpy(in_scope, w->scalar, w->s->exprs.count);
	ml_native_put(w, "uint64_t t%u[%llu][%u];\n", t->node,
		      (unsigned long long)(q < 0 ? 1 : w->s->params[q].trips), words(w));
	if (q < 0)
		ml_native_put(w, "for (int64_t k = 0; k < 1; k++) {\n");
	else {
		ml_native_put(
			w,
			"for (int64_t k = 0; k < count%d; k++) {\nconst int64_t v%u = ",
			q, w->s->params[q].node);
		ml_native_param_value(w, q, "k");
		ml_native_put(w, ";\n");
		w->scalar[w->s->params[q].node] = true;
	}
	lane_scalars(w, t->node);
	ml_native_put(w, "for (int64_t c = 0; c < count%d; c += 64) {\n", w->inner);
	ml_native_lane_loop(w, t, 0);
	ml_native_put(w, "t%u[k][c / 64] = plane(b%u);\n}\n}\n", t->node, t->node);
	memcpy(w->scalar, in_scope, w->s->exprs.count);
	ml_free(in_scope);
}

void ml_native_tables(struct ml_native_writer *w, int level)
{
	for (size_t i = 0; i < w->atom_count; i++)
		if (w->atoms[i].level == level && level < w->inner)
			table(w, &w->atoms[i]);
}

int ml_native_level_of(uint64_t deps)
{
	return deps ? 63 - __builtin_clzll(deps) : -1;
}

/*
 * Where the plane of an atom is computed. It depends on the loops of its node and of the
 * innermost range. Either the loop right around the innermost one is not among them, or
 * it indexes the table and a loop outside it is not among them.
 */
static void place(struct ml_native_writer *w, struct ml_native_atom *t)
{
	uint64_t inner = UINT64_C(1) << w->inner;
	uint64_t deps = (ml_native_node_of(w, t->node)->deps & ~inner) |
			w->s->params[w->inner].deps;
	uint64_t rows = 1;
	int around = w->inner - 1, level = ml_native_level_of(deps);

	t->level = w->inner;
	t->indexed = -1;
	if (w->inner == 0)
		return;
	if (level == around) {
		uint64_t others = (deps & ~(UINT64_C(1) << around)) |
				  w->s->params[around].deps;

		level = ml_native_level_of(others);
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

static void add_atom(struct ml_native_writer *w, uint32_t node)
{
	for (size_t i = 0; i < w->atom_count; i++)
		if (w->atoms[i].node == node)
			return;
	w->atoms[w->atom_count] = (struct ml_native_atom){ .node = node };
	place(w, &w->atoms[w->atom_count++]);
}

static bool is_plane_op(enum ml_expr_op op)
{
	return op == ML_EXPR_AND || op == ML_EXPR_OR || op == ML_EXPR_NOT;
}

void ml_native_find_atoms(struct ml_native_writer *w, uint32_t node)
{
	const struct ml_expr *e = ml_native_node_of(w, node);

	if (e->level != w->inner)
		return;
	if (!is_plane_op(e->op)) {
		add_atom(w, node);
		return;
	}
	ml_native_find_atoms(w, e->a);
	if (e->op != ML_EXPR_NOT)
		ml_native_find_atoms(w, e->b);
}

/* Declares the plane of a truth value at lanes c to c + 63. */
void ml_native_plane(struct ml_native_writer *w, uint32_t node)
{
	const struct ml_expr *e = ml_native_node_of(w, node);
	char name[32];

	if (w->plane[node])
		return;
	w->plane[node] = true;
	if (e->level != w->inner) {
		ml_native_scalar(w, node);
		ml_native_put(w, "const uint64_t p%u = -(uint64_t)(%s != 0);\n", node,
			      ml_native_scalar_name(w, node, name));
		return;
	}
	if (is_plane_op(e->op)) {
		ml_native_plane(w, e->a);
		if (e->op == ML_EXPR_NOT) {
			ml_native_put(w, "const uint64_t p%u = ~p%u;\n", node, e->a);
			return;
		}
		ml_native_plane(w, e->b);
		ml_native_put(w, "const uint64_t p%u = p%u %s p%u;\n", node, e->a,
			      e->op == ML_EXPR_AND ? "&" : "|", e->b);
		return;
	}
	for (size_t i = 0; i < w->atom_count; i++) {
		const struct ml_native_atom *t = &w->atoms[i];

		if (t->node != node)
			continue;
		if (t->level == w->inner)
			ml_native_put(w, "const uint64_t p%u = plane(b%u);\n", node,
				      node);
		else if (t->indexed < 0)
			ml_native_put(w, "const uint64_t p%u = t%u[0][c / 64];\n", node,
				      node);
		else
			ml_native_put(w, "const uint64_t p%u = t%u[k%d][c / 64];\n", node,
				      node, t->indexed);
	}
}
