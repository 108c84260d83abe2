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
	struct ml_c_variable *v = ml_c_find(r, h->variable);
	if (!v)
		v = ml_c_declare(r, h->variable, true);
	if (v->memory)
		return false;
	h->from = bound_value(r, k.at[1]);
	v = ml_c_find(r, h->variable);
	/* whoever reads it after the loop, or in front of it, depends on that */
	ml_c_scalar(r, to, v, true);
	r->work = ML_FLOW_NONE;
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

static uint32_t open_loop(struct ml_c_reader *r, CXCursor c, const char *what,
			  const struct ml_sym *from, uint32_t *symbol)
{
	uint32_t n = ml_c_add_node(r, ML_FLOW_FOR, c, what);

	*symbol = ml_flow_add_symbol(r->f, what, ML_FLOW_LOOP);
	r->f->node[n].symbol = *symbol;
	r->f->node[n].from = from ? from : ml_sym_const(&r->f->arena, 0);
	r->f->node[n].to = ml_sym_unknown(&r->f->arena);
	return n;
}

/* The end of a loop depends on data: a parameter counts its iterations. */
static void count_loop(struct ml_c_reader *r, CXCursor c, const char *what, uint32_t n,
		       const char *factor)
{
	struct ml_arena *a = &r->f->arena;
	uint32_t line = ml_c_line(r, c, NULL);
	char *name = ml_arena_printf(a, "trips_%" PRIu32, line);

	if (ml_flow_find_symbol(r->f, name) != UINT32_MAX)
		name = ml_arena_printf(a, "trips_%" PRIu32 "_%zu", line, ++r->trips);
	uint32_t trips = ml_flow_add_symbol(r->f, name, ML_FLOW_TRIPS);
	if (factor)
		ml_flow_add_note(
			r->f,
			"line %u: each iteration of the %s loop multiplies or "
			"divides %s, so %s, its number of iterations, is a logarithm",
			(unsigned)line, what, factor, name);
	else
		ml_flow_add_note(
			r->f,
			"line %u: how often the %s loop runs depends on data; %s is "
			"its number of iterations",
			(unsigned)line, what, name);
	r->f->node[n].to = ml_sym_add_const(
		a,
		ml_sym_make(a, ML_SYM_ADD, r->f->node[n].from, ml_sym_symbol(a, trips)),
		-1);
}

uint32_t ml_c_counted_loop(struct ml_c_reader *r, CXCursor c, const char *what,
			   const struct ml_sym *from, uint32_t *symbol)
{
	uint32_t n = open_loop(r, c, what, from, symbol);

	count_loop(r, c, what, n, NULL);
	return n;
}

/* The body of a loop that may be left early runs at most so often. */
uint32_t ml_c_guarded(struct ml_c_reader *r, uint32_t loop, CXCursor c,
		      enum ml_c_leaving how)
{
	if (how == ML_C_STAYS)
		return loop;
	uint32_t parent = r->parent;

	ml_flow_add_note(
		r->f,
		how == ML_C_LEAVES
			? "line %u: the loop may be left early; its counts are upper "
			  "bounds"
			: "line %u: iterations may end early; their counts are "
			  "upper bounds",
		(unsigned)ml_c_line(r, c, NULL));
	r->parent = loop;
	uint32_t n = ml_c_add_node(r, ML_FLOW_IF, c, "unless left");
	r->f->node[n].condition = ml_sym_unknown(&r->f->arena);
	r->f->node[n].leaves = how == ML_C_LEAVES;
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

/* The parts of a for statement, of which some may be missing. */
struct parts {
	CXCursor init, condition, next, body;
	bool has_init, has_condition, has_next, has_body;
};

static unsigned offset_of(const struct ml_c_reader *r, CXCursor c)
{
	unsigned offset = 0;

	r->clang->getExpansionLocation(r->clang->getCursorLocation(c), NULL, NULL, NULL,
				       &offset);
	return offset;
}

/* Where the two semicolons are and where the parenthesis ends: in the text, for libclang
 * does not say which part is missing. */
static void find_ends(const struct ml_c_reader *r, CXCursor c, unsigned end[3])
{
	CXToken *token = NULL;
	unsigned count = 0, depth = 0, found = 0;

	end[0] = end[1] = end[2] = 0;
	r->clang->tokenize(r->unit, r->clang->getCursorExtent(c), &token, &count);
	for (unsigned i = 0; i < count && found < 3; i++) {
		CXString s = r->clang->getTokenSpelling(r->unit, token[i]);
		const char *text = r->clang->getCString(s);
		char is = text && !text[1] ? text[0] : 0;

		depth += is == '(' || is == '{';
		if ((is == ';' && depth == 1 && found < 2) ||
		    (is == ')' && depth == 1 && found == 2))
			r->clang->getExpansionLocation(
				r->clang->getTokenLocation(r->unit, token[i]), NULL, NULL,
				NULL, &end[found++]);
		depth -= (is == ')' || is == '}') && depth;
		r->clang->disposeString(s);
	}
	r->clang->disposeTokens(r->unit, token, count);
}

static struct parts parts_of(const struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_children k;
	struct parts p = { 0 };
	unsigned end[3];

	ml_c_children(r, c, &k);
	find_ends(r, c, end);
	for (size_t i = 0; i < k.count; i++) {
		unsigned at = offset_of(r, k.at[i]);
		bool full = k.count == 4, last = i + 1 == k.count;

		if (full ? i == 0 : at < end[0]) {
			p.init = k.at[i];
			p.has_init = true;
		} else if (full ? i == 1 : at < end[1]) {
			p.condition = k.at[i];
			p.has_condition = true;
		} else if (full ? i == 2 : at < end[2] && !last) {
			p.next = k.at[i];
			p.has_next = true;
		} else {
			p.body = k.at[i];
			p.has_body = true;
		}
	}
	return p;
}

static struct ml_c_steps find_steps(struct ml_c_reader *r, const struct parts *p)
{
	CXCursor none = r->clang->getNullCursor();
	CXCursor head[2] = { p->has_condition ? p->condition : none,
			     p->has_next ? p->next : none };
	struct ml_c_steps s = { 0 };

	ml_c_steps_find(r, &s, head, p->has_body ? &p->body : NULL);
	return s;
}

/* The name of a loop: a variable that counts its iterations from 0, or its keyword. */
static const char *loop_name(const struct ml_c_reader *r, const struct ml_c_steps *s,
			     const char *keyword)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->at[i].bad && s->at[i].head && !s->at[i].pointer &&
		    s->at[i].by == 1 && ml_sym_is(s->at[i].first, 0))
			return ml_c_name(r, s->at[i].decl);
	return keyword;
}

static void set_last(struct ml_c_reader *r, CXCursor c, const char *what, uint32_t n,
		     const struct ml_c_steps *s, const struct ml_sym *last)
{
	bool factor = !r->clang->Cursor_isNull(s->factor);

	if (last)
		r->f->node[n].to = last;
	else
		count_loop(r, c, what, n, factor ? ml_c_name(r, s->factor) : NULL);
}

/* What the iterations of a loop assign; what stands in front of them does not. */
static void forget_parts(struct ml_c_reader *r, const struct parts *p)
{
	if (p->has_condition)
		ml_c_effects(r, p->condition);
	if (p->has_body)
		ml_c_effects(r, p->body);
	if (p->has_next)
		ml_c_effects(r, p->next);
}

/* How often a loop runs whose last iteration has a number. */
static const struct ml_sym *times_of(struct ml_c_reader *r, const struct ml_sym *last)
{
	const struct ml_sym *times = ml_sym_add_const(&r->f->arena, last, 1);

	return ml_c_is_natural(r, times)
		       ? times
		       : ml_sym_make(&r->f->arena, ML_SYM_MAX,
				     ml_sym_const(&r->f->arena, 0), times);
}

/* Any loop: its condition, its body, its step; do: the condition comes last. What changes
 * by a step says how often it runs. */
static void any_loop(struct ml_c_reader *r, CXCursor c, const struct parts *p,
		     const struct ml_c_steps *s, bool last, const char *keyword)
{
	struct ml_arena *a = &r->f->arena;
	CXCursor none = r->clang->getNullCursor();
	const struct ml_sym *to = NULL;
	uint32_t symbol, parent = r->parent;
	bool data = false;

	r->work = ML_FLOW_NONE;
	enum ml_c_leaving leaves = p->has_body ? ml_c_may_leave(r, p->body) : ML_C_STAYS;
	forget_parts(r, p);
	const char *what = loop_name(r, s, keyword);
	uint32_t n = open_loop(r, c, what, NULL, &symbol), below = n;
	ml_c_steps_set(r, s, ml_sym_symbol(a, symbol), false);
	r->loops++;
	r->parent = n;
	r->statement = none;
	if (p->has_condition && !last)
		to = ml_c_steps_last(r, p->condition, symbol, &data);
	if (!last)
		set_last(r, c, what, n, s, to);
	r->work = ML_FLOW_NONE;
	r->parent = parent;
	below = ml_c_guarded(r, n, c, data && to ? ML_C_LEAVES : leaves);
	if (p->has_body)
		ml_c_body(r, p->body, below, true);
	r->parent = below;
	if (p->has_next) {
		r->statement = ml_c_bare(r, p->next);
		ml_c_value(r, p->next);
		r->work = ML_FLOW_NONE;
	}
	if (p->has_condition && last) {
		to = ml_c_steps_last(r, p->condition, symbol, &data);
		to = to && !data ? times_of(r, to) : NULL;
		set_last(r, c, what, n, s, to);
	}
	r->work = ML_FLOW_NONE;
	r->parent = parent;
	r->loops--;
	forget_parts(r, p);
	if (to && !data && leaves != ML_C_LEAVES)
		ml_c_steps_set(r, s, times_of(r, to), true);
	/* the condition that ends it */
	r->statement = none;
	if (p->has_condition && !last)
		ml_c_value(r, p->condition);
	r->work = ML_FLOW_NONE;
	if (data || leaves == ML_C_LEAVES)
		forget_parts(r, p);
}

/* A plain loop over h.variable, whose bounds may still be data. */
static void plain_for(struct ml_c_reader *r, CXCursor c, const struct parts *p,
		      const struct ml_c_steps *s, struct header *h)
{
	struct ml_arena *a = &r->f->arena;
	uint32_t symbol, n;

	const struct ml_sym *times = NULL;

	/* the bounds of the next iterations are those of the first: the body may change
	 * them */
	enum ml_c_leaving leaves = ml_c_may_leave(r, p->body);
	/* the condition in front of the first iteration */
	r->work = ML_FLOW_NONE;
	size_t nodes = r->f->node_count;
	const struct ml_sym *to = read_end(r, p->condition, h, 0);
	/* no bound: it may still read arrays, as m[i] > 0 does */
	if (!to && r->f->node_count == nodes) {
		set_variable(r, h->variable, h->from);
		bound_value(r, p->condition);
	}
	bool reads = r->f->node_count != nodes;
	r->work = ML_FLOW_NONE;
	const char *name = ml_c_name(r, h->variable);
	bool known = to && !ml_sym_has_unknown(to) && !ml_sym_has_unknown(h->from);
	if (known) {
		n = ml_c_add_node(r, ML_FLOW_FOR, c, name);
		symbol = ml_flow_add_symbol(r->f, name, ML_FLOW_LOOP);
		r->f->node[n].symbol = symbol;
		r->f->node[n].from = h->from;
		r->f->node[n].to = to;
		r->f->node[n].step = h->step;
		set_variable(r, h->variable, ml_sym_symbol(a, symbol));
	} else {
		bool from = h->step == 1 && !ml_sym_has_unknown(h->from);

		n = ml_c_counted_loop(r, c, name, from ? h->from : NULL, &symbol);
		set_variable(r, h->variable,
			     from ? ml_sym_symbol(a, symbol) : ml_sym_unknown(a));
	}
	uint32_t below = ml_c_guarded(r, n, c, leaves);
	if (known && (h->step == 1 || h->step == -1)) {
		times = ml_sym_sub(a, ml_sym_symbol(a, symbol), h->from);
		times = ml_sym_make(a, ML_SYM_MUL, ml_sym_const(a, h->step), times);
		ml_c_steps_set(r, s, times, false);
	}
	r->loops++;
	ml_c_body(r, p->body, below, true);
	if (reads) {
		struct ml_c_variable *v = ml_c_find(r, h->variable);

		if (v && v->value)
			v->value = ml_sym_add_const(a, v->value, h->step);
		condition_again(r, p->condition, below);
	}
	r->loops--;
	ml_c_effects(r, p->body);
	if (times && leaves != ML_C_LEAVES) {
		times = ml_sym_make(a, ML_SYM_MUL, ml_sym_const(a, h->step),
				    ml_sym_sub(a, to, h->from));
		times = times_of(r, times);
		ml_c_steps_set(r, s, times, true);
	}
	/* after the loop: the first value that does not run, where the step is 1 */
	set_variable(
		r, h->variable,
		known && h->step == 1 && leaves != ML_C_LEAVES
			? ml_sym_make(a, ML_SYM_MAX, h->from, ml_sym_add_const(a, to, 1))
			: ml_sym_unknown(a));
}

/* Whether a statement assigns a variable. */
static bool assigns(struct ml_c_reader *r, CXCursor c, CXCursor variable)
{
	const struct ml_sym *mark = ml_sym_const(&r->f->arena, 0);
	struct ml_c_variable *v = ml_c_find(r, variable);

	if (!v || !v->value)
		return true;
	const struct ml_sym *value = v->value;
	v->value = mark;
	ml_c_effects(r, c);
	v = ml_c_find(r, variable);
	bool is = v->value != mark;
	v->value = is ? ml_sym_unknown(&r->f->arena) : value;
	return is;
}

void ml_c_for(struct ml_c_reader *r, CXCursor c)
{
	struct parts p = parts_of(r, c);
	struct header h = { 0 };

	r->work = ML_FLOW_NONE;
	bool plain = p.has_init && read_init(r, p.init, &h);
	if (!plain && p.has_init) {
		if (kind(r, p.init) == CXCursor_DeclStmt) {
			ml_c_statement(r, p.init);
		} else {
			r->statement = ml_c_bare(r, p.init);
			ml_c_value(r, p.init);
		}
		r->work = ML_FLOW_NONE;
	}
	if (plain)
		set_variable(r, h.variable, h.from);
	/* before anything forgets what the loop assigns */
	struct ml_c_steps s = find_steps(r, &p);
	plain = plain && p.has_condition && p.has_next && p.has_body &&
		!assigns(r, p.body, h.variable) && !assigns(r, p.condition, h.variable);
	if (plain) {
		/* a step that the body changes is none */
		ml_c_effects(r, p.body);
		plain = read_step(r, p.next, &h);
	}
	/* the variable of a plain loop is its symbol */
	for (size_t i = 0; plain && i < s.count; i++)
		s.at[i].bad |= r->clang->equalCursors(s.at[i].decl, h.variable);
	if (plain)
		plain_for(r, c, &p, &s, &h);
	else
		any_loop(r, c, &p, &s, false, "for");
}

void ml_c_while(struct ml_c_reader *r, CXCursor c)
{
	bool first = kind(r, c) == CXCursor_WhileStmt;
	struct ml_c_children k;

	ml_c_children(r, c, &k);
	if (k.count != 2)
		return;
	struct parts p = { .condition = k.at[!first],
			   .has_condition = true,
			   .body = k.at[first],
			   .has_body = true };
	struct ml_c_steps s = find_steps(r, &p);

	any_loop(r, c, &p, &s, !first, first ? "while" : "do");
}
