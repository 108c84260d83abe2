/* Loops of C: bounds, steps, conditions, and those whose end depends on data. */
#include <inttypes.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/c_read_parts.h"

static enum CXCursorKind kind(const struct ml_c_reader *r, CXCursor c)
{
	return r->clang->getCursorKind(c);
}

static const struct ml_sym *bound_value(struct ml_c_reader *r, CXCursor c)
{
	r->quiet = true;
	const struct ml_sym *v = ml_c_value(r, c);
	r->quiet = false;
	return v;
}

struct header {
	CXCursor variable; /* declaration */
	const struct ml_sym *from, *to;
	int64_t step;
	bool affine;
};

static bool is_variable(struct ml_c_reader *r, CXCursor c, CXCursor variable)
{
	c = ml_c_bare(r, c);
	return kind(r, c) == CXCursor_DeclRefExpr &&
	       r->clang->equalCursors(
		       r->clang->getCanonicalCursor(r->clang->getCursorReferenced(c)),
		       variable);
}

/* for (int i = 0; or for (i = 0; */
static bool read_init(struct ml_c_reader *r, CXCursor c, struct header *h)
{
	struct ml_c_children k;

	ml_c_children(r, c, &k);
	if (kind(r, c) == CXCursor_DeclStmt && k.count == 1) {
		CXCursor init = r->clang->Cursor_getVarDeclInitializer(k.at[0]);

		if (r->clang->Cursor_isNull(init) ||
		    !ml_c_is_integer(r, r->clang->getCursorType(k.at[0])))
			return false;
		h->from = bound_value(r, init);
		h->variable = r->clang->getCanonicalCursor(k.at[0]);
		ml_c_declare(r, k.at[0], false);
		return true;
	}
	if (kind(r, c) != CXCursor_BinaryOperator || k.count != 2 ||
	    r->clang->getCursorBinaryOperatorKind(c) != CXBinaryOperator_Assign)
		return false;
	CXCursor to = ml_c_bare(r, k.at[0]);
	if (kind(r, to) != CXCursor_DeclRefExpr ||
	    !ml_c_is_integer(r, r->clang->getCursorType(to)))
		return false;
	h->variable = r->clang->getCanonicalCursor(r->clang->getCursorReferenced(to));
	h->from = bound_value(r, k.at[1]);
	if (!ml_c_find(r, h->variable))
		ml_c_declare(r, h->variable, true);
	return true;
}

/* i++, i += 2, i = i - 1 */
static bool read_step(struct ml_c_reader *r, CXCursor c, struct header *h)
{
	struct ml_c_children k;

	c = ml_c_bare(r, c);
	ml_c_children(r, c, &k);
	if (!k.count || !is_variable(r, k.at[0], h->variable))
		return false;
	if (kind(r, c) == CXCursor_UnaryOperator) {
		enum CXUnaryOperatorKind op = r->clang->getCursorUnaryOperatorKind(c);

		h->step = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PreInc
				  ? 1
				  : -1;
		return op >= CXUnaryOperator_PostInc && op <= CXUnaryOperator_PreDec;
	}
	enum CXBinaryOperatorKind op = r->clang->getCursorBinaryOperatorKind(c);
	CXCursor by = k.count == 2 ? k.at[1] : k.at[0];
	if (op == CXBinaryOperator_Assign) {
		struct ml_c_children sum;

		by = ml_c_bare(r, by);
		ml_c_children(r, by, &sum);
		op = r->clang->getCursorBinaryOperatorKind(by);
		if (sum.count != 2)
			return false;
		bool second = is_variable(r, sum.at[1], h->variable);
		if ((!second && !is_variable(r, sum.at[0], h->variable)) ||
		    (second && op == CXBinaryOperator_Sub))
			return false;
		by = sum.at[!second];
		op = op == CXBinaryOperator_Add   ? CXBinaryOperator_AddAssign
		     : op == CXBinaryOperator_Sub ? CXBinaryOperator_SubAssign
						  : op;
	}
	if (op != CXBinaryOperator_AddAssign && op != CXBinaryOperator_SubAssign)
		return false;
	const struct ml_sym *v = bound_value(r, by);
	if (v->op != ML_SYM_CONST || !v->value || v->value > 1 << 30 ||
	    v->value < -(1 << 30))
		return false;
	h->step = op == CXBinaryOperator_AddAssign ? v->value : -v->value;
	return true;
}

/* i < n, n >= i, i < n && i < m; the last value that may run. */
static const struct ml_sym *read_end(struct ml_c_reader *r, CXCursor c,
				     const struct header *h, int depth)
{
	struct ml_arena *a = &r->f->arena;
	struct ml_c_children k;

	c = ml_c_bare(r, c);
	ml_c_children(r, c, &k);
	enum CXBinaryOperatorKind op = r->clang->getCursorBinaryOperatorKind(c);
	if (k.count != 2 || kind(r, c) != CXCursor_BinaryOperator || depth > 8)
		return NULL;
	if (op == CXBinaryOperator_LAnd) {
		const struct ml_sym *x = read_end(r, k.at[0], h, depth + 1);
		const struct ml_sym *y = x ? read_end(r, k.at[1], h, depth + 1) : NULL;

		return y ? ml_sym_make(a, h->step > 0 ? ML_SYM_MIN : ML_SYM_MAX, x, y)
			 : NULL;
	}
	bool second = is_variable(r, k.at[1], h->variable);
	if (!second && !is_variable(r, k.at[0], h->variable))
		return NULL;
	if (second) /* n > i is i < n */
		op = op == CXBinaryOperator_LT   ? CXBinaryOperator_GT
		     : op == CXBinaryOperator_GT ? CXBinaryOperator_LT
		     : op == CXBinaryOperator_LE ? CXBinaryOperator_GE
		     : op == CXBinaryOperator_GE ? CXBinaryOperator_LE
						 : op;
	const struct ml_sym *end = bound_value(r, k.at[!second]);
	if (op == CXBinaryOperator_NE && (h->step == 1 || h->step == -1))
		return ml_sym_add_const(a, end, -h->step);
	if (h->step > 0 && op == CXBinaryOperator_LT)
		return ml_sym_add_const(a, end, -1);
	if (h->step < 0 && op == CXBinaryOperator_GT)
		return ml_sym_add_const(a, end, 1);
	if ((h->step > 0 && op == CXBinaryOperator_LE) ||
	    (h->step < 0 && op == CXBinaryOperator_GE))
		return end;
	return NULL;
}

/* A loop whose end depends on data: a parameter counts its iterations. */
uint32_t ml_c_counted_loop(struct ml_c_reader *r, CXCursor c, const char *what,
			   const struct ml_sym *from, uint32_t *symbol)
{
	struct ml_arena *a = &r->f->arena;
	uint32_t line = ml_c_line(r, c, NULL);
	char *name = ml_arena_printf(a, "trips_%" PRIu32, line);

	if (ml_flow_find_symbol(r->f, name) != UINT32_MAX)
		name = ml_arena_printf(a, "trips_%" PRIu32 "_%zu", line, ++r->trips);
	uint32_t trips = ml_flow_add_symbol(r->f, name, ML_FLOW_TRIPS);
	ml_flow_add_note(r->f,
			 "line %u: how often the %s loop runs depends on data; %s is its "
			 "number of iterations",
			 (unsigned)line, what, name);
	uint32_t n = ml_c_add_node(r, ML_FLOW_FOR, c, what);
	*symbol = ml_flow_add_symbol(r->f, what, ML_FLOW_LOOP);
	r->f->node[n].symbol = *symbol;
	r->f->node[n].from = from ? from : ml_sym_const(a, 0);
	r->f->node[n].to = ml_sym_add_const(
		a,
		ml_sym_make(a, ML_SYM_ADD, r->f->node[n].from, ml_sym_symbol(a, trips)),
		-1);
	return n;
}

/* The body of a loop that may be left early runs at most so often. */
static uint32_t guarded(struct ml_c_reader *r, uint32_t loop, CXCursor c, bool leaves)
{
	if (!leaves)
		return loop;
	uint32_t parent = r->parent;

	ml_flow_add_note(r->f,
			 "line %u: the loop may be left early; its counts are upper "
			 "bounds",
			 (unsigned)ml_c_line(r, c, NULL));
	r->parent = loop;
	uint32_t n = ml_c_add_node(r, ML_FLOW_IF, c, "unless left");
	r->f->node[n].condition = ml_sym_unknown(&r->f->arena);
	r->parent = parent;
	return n;
}

static void set_variable(struct ml_c_reader *r, CXCursor decl, const struct ml_sym *v)
{
	struct ml_c_variable *x = ml_c_find(r, decl);

	if (x)
		x->value = v;
}

/* The condition behind each iteration, if it reads arrays. */
static void condition_again(struct ml_c_reader *r, CXCursor c, uint32_t below)
{
	uint32_t parent = r->parent;

	r->parent = below;
	r->work = ML_FLOW_NONE;
	bound_value(r, c);
	r->parent = parent;
	r->work = ML_FLOW_NONE;
}

void ml_c_for(struct ml_c_reader *r, CXCursor c)
{
	struct ml_arena *a = &r->f->arena;
	struct header h = { 0 };
	struct ml_c_children k;
	uint32_t symbol, n;

	ml_c_children(r, c, &k);
	r->work = ML_FLOW_NONE;
	if (k.count != 4 || !read_init(r, k.at[0], &h)) {
		for (size_t i = 0; i + 1 < k.count; i++)
			if (kind(r, k.at[i]) == CXCursor_DeclStmt)
				ml_c_statement(r, k.at[i]);
		bool leaves = k.count && ml_c_may_leave(r, k.at[k.count - 1]);
		ml_c_effects(r, c);
		n = ml_c_counted_loop(r, c, "for", NULL, &symbol);
		if (k.count)
			ml_c_body(r, k.at[k.count - 1], guarded(r, n, c, leaves), true);
		ml_c_effects(r, c);
		return;
	}
	/* the bounds of the next iterations are those of the first: the body may change
	 * them */
	bool leaves = ml_c_may_leave(r, k.at[3]);
	bool stepped = read_step(r, k.at[2], &h);
	r->work = ML_FLOW_NONE;
	/* the condition in front of the first iteration */
	size_t nodes = r->f->node_count;
	const struct ml_sym *to = stepped ? read_end(r, k.at[1], &h, 0) : NULL;
	/* no bound: it may still read arrays, as m[i] > 0 does */
	if (!to && r->f->node_count == nodes) {
		set_variable(r, h.variable, h.from);
		bound_value(r, k.at[1]);
	}
	bool reads = r->f->node_count != nodes;
	r->work = ML_FLOW_NONE;
	const char *name = ml_c_name(r, h.variable);
	bool known = to && !ml_sym_has_unknown(to) && !ml_sym_has_unknown(h.from);
	if (known) {
		n = ml_c_add_node(r, ML_FLOW_FOR, c, name);
		symbol = ml_flow_add_symbol(r->f, name, ML_FLOW_LOOP);
		r->f->node[n].symbol = symbol;
		r->f->node[n].from = h.from;
		r->f->node[n].to = to;
		r->f->node[n].step = h.step;
		set_variable(r, h.variable, ml_sym_symbol(a, symbol));
	} else {
		bool from = stepped && h.step == 1 && !ml_sym_has_unknown(h.from);

		n = ml_c_counted_loop(r, c, name, from ? h.from : NULL, &symbol);
		set_variable(r, h.variable,
			     from ? ml_sym_symbol(a, symbol) : ml_sym_unknown(a));
	}
	uint32_t below = guarded(r, n, c, leaves);
	ml_c_body(r, k.at[3], below, true);
	if (reads) {
		struct ml_c_variable *v = ml_c_find(r, h.variable);

		if (v && v->value && stepped)
			v->value = ml_sym_add_const(a, v->value, h.step);
		condition_again(r, k.at[1], below);
	}
	ml_c_effects(r, k.at[3]);
	/* after the loop: the first value that does not run, where the step is 1 */
	set_variable(r, h.variable,
		     known && h.step == 1 ? ml_sym_make(a, ML_SYM_MAX, h.from,
							ml_sym_add_const(a, to, 1))
					  : ml_sym_unknown(a));
}

void ml_c_while(struct ml_c_reader *r, CXCursor c)
{
	bool first = kind(r, c) == CXCursor_WhileStmt;
	struct ml_c_children k;
	uint32_t symbol;

	ml_c_children(r, c, &k);
	if (k.count != 2)
		return;
	bool leaves = ml_c_may_leave(r, k.at[first]);
	ml_c_effects(r, c);
	uint32_t n = ml_c_counted_loop(r, c, first ? "while" : "do", NULL, &symbol);
	uint32_t below = guarded(r, n, c, leaves), parent = r->parent;
	for (int i = 0; i < 2; i++) {
		if (i != !first) {
			ml_c_body(r, k.at[i], below, true);
			continue;
		}
		r->parent = below;
		r->work = ML_FLOW_NONE;
		ml_c_value(r, k.at[i]);
		r->parent = parent;
	}
	r->work = ML_FLOW_NONE;
	/* the condition that ends it */
	if (first)
		ml_c_value(r, k.at[0]);
	r->work = ML_FLOW_NONE;
	ml_c_effects(r, c);
}
