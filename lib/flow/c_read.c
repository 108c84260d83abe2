/* Files, functions and statements of C. */
#include "lib/flow/c_read.h"

#include <inttypes.h>
#include <string.h>

#include "lib/flow/c_read_parts.h"
#include "lib/flow/delinear.h"

/* All children, of which a block may have any number. */
struct list {
	CXCursor *at;
	size_t count, cap;
};

static enum CXChildVisitResult append(CXCursor c, CXCursor parent, CXClientData data)
{
	struct list *l = data;

	(void)parent;
	l->at = ml_grow(l->at, &l->cap, l->count + 1, sizeof(*l->at));
	l->at[l->count++] = c;
	return CXChildVisit_Continue;
}

static enum CXCursorKind kind(const struct ml_c_reader *r, CXCursor c)
{
	return r->clang->getCursorKind(c);
}

static uint32_t add_node(struct ml_c_reader *r, enum ml_flow_kind k, CXCursor c,
			 const char *label)
{
	uint32_t n = ml_flow_add_node(r->f, r->parent, k, label);

	r->f->node[n].line = ml_c_line(r, c, NULL);
	return n;
}

/* What a statement may change, or how it may leave. */
struct effects {
	struct ml_c_reader *r;
	bool leaves; /* break, continue, return, goto */
	unsigned loops;
};

static void forget(struct ml_c_reader *r, CXCursor c)
{
	c = ml_c_bare(r, c);
	if (kind(r, c) != CXCursor_DeclRefExpr)
		return;
	struct ml_c_variable *v = ml_c_find(r, r->clang->getCursorReferenced(c));
	if (v && v->value)
		v->value = ml_sym_unknown(&r->f->arena);
	if (v && v->place.ok && !v->place.array)
		v->place.unknown = true;
}

static enum CXChildVisitResult affect(CXCursor c, CXCursor parent, CXClientData data)
{
	struct effects *e = data;
	const struct ml_clang *clang = e->r->clang;
	struct ml_c_children k;

	(void)parent;
	switch ((int)clang->getCursorKind(c)) {
	case CXCursor_BinaryOperator:
	case CXCursor_CompoundAssignOperator: {
		enum CXBinaryOperatorKind op = clang->getCursorBinaryOperatorKind(c);

		ml_c_children(e->r, c, &k);
		if (k.count && op >= CXBinaryOperator_Assign &&
		    op <= CXBinaryOperator_OrAssign)
			forget(e->r, k.at[0]);
		break;
	}
	case CXCursor_UnaryOperator: {
		enum CXUnaryOperatorKind op = clang->getCursorUnaryOperatorKind(c);

		ml_c_children(e->r, c, &k);
		/* also where the address goes to a function */
		if (k.count && op >= CXUnaryOperator_PostInc &&
		    op <= CXUnaryOperator_PreDec)
			forget(e->r, k.at[0]);
		break;
	}
	case CXCursor_BreakStmt:
	case CXCursor_ContinueStmt:
	case CXCursor_ReturnStmt:
	case CXCursor_GotoStmt: e->leaves = true; break;
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt: e->loops++; break;
	default: break;
	}
	return CXChildVisit_Recurse;
}

/* Forgets the values of all variables that a statement assigns. */
static struct effects effects(struct ml_c_reader *r, CXCursor c)
{
	struct effects e = { .r = r };

	r->clang->visitChildren(c, affect, &e);
	affect(c, c, &e);
	return e;
}

static void body(struct ml_c_reader *r, CXCursor c, uint32_t below)
{
	uint32_t parent = r->parent;

	r->parent = below;
	r->work = ML_FLOW_NONE;
	ml_c_statement(r, c);
	r->parent = parent;
	r->work = ML_FLOW_NONE;
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
static uint32_t counted_loop(struct ml_c_reader *r, CXCursor c, const char *what,
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
	uint32_t n = add_node(r, ML_FLOW_FOR, c, what);
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
	uint32_t n = add_node(r, ML_FLOW_IF, c, "unless left");
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

static void for_loop(struct ml_c_reader *r, CXCursor c)
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
		bool leaves = effects(r, c).leaves;
		n = counted_loop(r, c, "for", NULL, &symbol);
		if (k.count)
			body(r, k.at[k.count - 1], guarded(r, n, c, leaves));
		effects(r, c);
		return;
	}
	/* the bounds of the next iterations are those of the first: the body may change
	 * them */
	bool leaves = effects(r, k.at[3]).leaves;
	bool stepped = read_step(r, k.at[2], &h);
	r->work = ML_FLOW_NONE;
	/* the condition is evaluated in each iteration */
	size_t nodes = r->f->node_count;
	const struct ml_sym *to = stepped ? read_end(r, k.at[1], &h, 0) : NULL;
	bool reads = r->f->node_count != nodes;
	r->work = ML_FLOW_NONE;
	if (reads)
		ml_flow_add_note(r->f,
				 "line %u: the loop's condition reads arrays; it is "
				 "counted once, not in each iteration",
				 (unsigned)ml_c_line(r, c, NULL));
	const char *name = ml_c_name(r, h.variable);
	bool known = to && !ml_sym_has_unknown(to) && !ml_sym_has_unknown(h.from);
	if (known) {
		n = add_node(r, ML_FLOW_FOR, c, name);
		symbol = ml_flow_add_symbol(r->f, name, ML_FLOW_LOOP);
		r->f->node[n].symbol = symbol;
		r->f->node[n].from = h.from;
		r->f->node[n].to = to;
		r->f->node[n].step = h.step;
		set_variable(r, h.variable, ml_sym_symbol(a, symbol));
	} else {
		bool from = stepped && h.step == 1 && !ml_sym_has_unknown(h.from);

		n = counted_loop(r, c, name, from ? h.from : NULL, &symbol);
		set_variable(r, h.variable,
			     from ? ml_sym_symbol(a, symbol) : ml_sym_unknown(a));
	}
	body(r, k.at[3], guarded(r, n, c, leaves));
	effects(r, k.at[3]);
	/* after the loop: the first value that does not run, where the step is 1 */
	set_variable(r, h.variable,
		     known && h.step == 1 ? ml_sym_make(a, ML_SYM_MAX, h.from,
							ml_sym_add_const(a, to, 1))
					  : ml_sym_unknown(a));
}

static void while_loop(struct ml_c_reader *r, CXCursor c)
{
	bool first = kind(r, c) == CXCursor_WhileStmt;
	struct ml_c_children k;
	uint32_t symbol;

	ml_c_children(r, c, &k);
	if (k.count != 2)
		return;
	bool leaves = effects(r, c).leaves;
	uint32_t n = counted_loop(r, c, first ? "while" : "do", NULL, &symbol);
	uint32_t below = guarded(r, n, c, leaves), parent = r->parent;
	for (int i = 0; i < 2; i++) {
		if (i != !first) {
			body(r, k.at[i], below);
			continue;
		}
		r->parent = below;
		r->work = ML_FLOW_NONE;
		ml_c_value(r, k.at[i]);
		r->parent = parent;
	}
	r->work = ML_FLOW_NONE;
	effects(r, c);
}

static void branch(struct ml_c_reader *r, CXCursor c, const struct ml_sym *condition,
		   const char *label)
{
	uint32_t n = add_node(r, ML_FLOW_IF, c, label);

	if (ml_sym_has_unknown(condition))
		ml_flow_add_note(r->f,
				 "line %u: the condition depends on data; both branches "
				 "are counted, as upper bounds",
				 (unsigned)ml_c_line(r, c, NULL));
	r->f->node[n].condition = condition;
	body(r, c, n);
}

static void if_statement(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_children k;

	ml_c_children(r, c, &k);
	if (k.count < 2)
		return;
	const struct ml_sym *v = ml_c_value(r, k.at[0]);
	r->work = ML_FLOW_NONE;
	branch(r, k.at[1], v, "if");
	if (k.count > 2) {
		/* the first branch may not have run */
		effects(r, k.at[1]);
		branch(r, k.at[2], ml_sym_make(&r->f->arena, ML_SYM_NOT, v, NULL),
		       "else");
	}
	for (size_t i = 1; i < k.count; i++)
		effects(r, k.at[i]);
}

static void declaration(struct ml_c_reader *r, CXCursor c)
{
	CXType t = r->clang->getCursorType(c);
	CXCursor init = r->clang->Cursor_getVarDeclInitializer(c);
	bool pointer = ml_c_is_pointer(r, t);
	const struct ml_sym *v = NULL;
	struct ml_c_place p = { 0 };

	if (kind(r, c) != CXCursor_VarDecl)
		return;
	if (!r->clang->Cursor_isNull(init)) {
		if (pointer)
			p = ml_c_place(r, init);
		else
			v = ml_c_value(r, init);
	}
	/* a pointer to memory of its own, as malloc returns it */
	bool fresh = pointer && !p.ok && kind(r, ml_c_bare(r, init)) == CXCursor_CallExpr;
	ml_c_declare(r, c, fresh);
	struct ml_c_variable *x = &r->variable[r->variable_count - 1];
	if (pointer && p.ok) {
		if (p.array && p.count < ML_FLOW_DIMS) {
			p.index[p.count++] = ml_sym_const(&r->f->arena, 0);
			p.array = false;
		}
		x->place = p;
	}
	if (v && x->value)
		x->value = v;
	if (v && (!x->value || ml_sym_has_unknown(x->value)))
		ml_c_scalar(r, c, x, true);
}

static void return_statement(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_children k;

	ml_c_children(r, c, &k);
	if (!k.count)
		return;
	if (ml_c_is_pointer(r, r->clang->getCursorType(k.at[0])))
		r->returned_place = ml_c_place(r, k.at[0]);
	else
		r->returned = ml_c_value(r, k.at[0]);
}

static void block(struct ml_c_reader *r, CXCursor c)
{
	struct list l = { 0 };

	r->clang->visitChildren(c, append, &l);
	for (size_t i = 0; i < l.count; i++)
		ml_c_statement(r, l.at[i]);
	ml_free(l.at);
}

/* A block of unknown meaning: everything in it may run. */
static void uncertain(struct ml_c_reader *r, CXCursor c, const char *what)
{
	uint32_t n = add_node(r, ML_FLOW_IF, c, what);
	uint32_t parent = r->parent;

	ml_flow_add_note(r->f,
			 "line %u: what of this %s runs is not known; all of it is "
			 "counted, as an upper bound",
			 (unsigned)ml_c_line(r, c, NULL), what);
	r->f->node[n].condition = ml_sym_unknown(&r->f->arena);
	r->parent = n;
	r->work = ML_FLOW_NONE;
	block(r, c);
	r->parent = parent;
	r->work = ML_FLOW_NONE;
	effects(r, c);
}

void ml_c_statement(struct ml_c_reader *r, CXCursor c)
{
	uint32_t line = ml_c_line(r, c, NULL);
	enum CXCursorKind k = kind(r, c);

	if (r->depth >= ML_C_DEPTH) {
		ml_flow_add_note(r->f, "line %u: statements are nested too deeply",
				 (unsigned)line);
		return;
	}
	/* outside of `#pragma scop` only values matter */
	if (r->scop_to && k != CXCursor_CompoundStmt && k != CXCursor_DeclStmt &&
	    (line < r->scop_from || line > r->scop_to)) {
		effects(r, c);
		return;
	}
	r->depth++;
	if (!r->inlined)
		r->work = ML_FLOW_NONE;
	switch ((int)k) {
	case CXCursor_CompoundStmt: block(r, c); break;
	case CXCursor_ForStmt: for_loop(r, c); break;
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt: while_loop(r, c); break;
	case CXCursor_IfStmt: if_statement(r, c); break;
	case CXCursor_DeclStmt: {
		struct list l = { 0 };

		r->clang->visitChildren(c, append, &l);
		for (size_t i = 0; i < l.count; i++)
			declaration(r, l.at[i]);
		ml_free(l.at);
		break;
	}
	case CXCursor_ReturnStmt: return_statement(r, c); break;
	case CXCursor_NullStmt:
	case CXCursor_BreakStmt:
	case CXCursor_ContinueStmt: break;
	case CXCursor_SwitchStmt: uncertain(r, c, "switch"); break;
	case CXCursor_LabelStmt:
	case CXCursor_GotoStmt: uncertain(r, c, "jump"); break;
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt: block(r, c); break;
	default:
		if (r->clang->isExpression(k))
			ml_c_value(r, c);
		else
			uncertain(r, c, "statement");
	}
	r->depth--;
}

/* The lines of the first `#pragma scop`. */
static void find_scop(struct ml_c_reader *r, const char *text, size_t size)
{
	uint32_t line = 1;

	for (size_t i = 0; i < size; line++) {
		const char *end = memchr(text + i, '\n', size - i);
		size_t n = end ? (size_t)(end - text) - i : size - i;
		const char *hash = memchr(text + i, '#', n);

		size_t rest = hash ? n - (size_t)(hash - (text + i)) : 0;

		if (hash && memmem(hash, rest, "pragma", 6)) {
			if (memmem(hash, rest, "endscop", 7)) {
				if (r->scop_from && !r->scop_to)
					r->scop_to = line;
			} else if (memmem(hash, rest, "scop", 4) && !r->scop_from)
				r->scop_from = line;
		}
		i += n + 1;
	}
	if (!r->scop_to)
		r->scop_from = 0;
}

struct candidates {
	struct ml_c_reader *r;
	const char *wanted;
	CXCursor best;
	bool found, named;
	unsigned most; /* loops of the best */
};

static enum CXChildVisitResult consider(CXCursor c, CXCursor parent, CXClientData data)
{
	struct candidates *k = data;
	struct ml_c_reader *r = k->r;
	struct ml_c_children children;

	(void)parent;
	if (kind(r, c) != CXCursor_FunctionDecl || !r->clang->isCursorDefinition(c) ||
	    !r->clang->Location_isFromMainFile(r->clang->getCursorLocation(c)))
		return CXChildVisit_Continue;
	const char *name = ml_c_name(r, c);
	struct ml_flow *f = r->f;
	f->function_list = ml_grow(f->function_list, &f->function_cap,
				   f->function_count + 1, sizeof(*f->function_list));
	f->function_list[f->function_count++] = name;
	ml_c_children(r, c, &children);
	unsigned loops = effects(r, c).loops;
	bool better = !k->found || loops > k->most;
	if (k->wanted)
		better = !strcmp(name, k->wanted);
	else if (r->scop_to)
		/* the function that begins last in front of the pragma */
		better = ml_c_line(r, c, NULL) <= r->scop_from;
	if (better) {
		k->best = c;
		k->most = loops;
		k->found = true;
	}
	return CXChildVisit_Continue;
}

static bool diagnose(struct ml_c_reader *r, CXTranslationUnit unit, struct ml_err *err)
{
	unsigned n = r->clang->getNumDiagnostics(unit);
	bool ok = true;

	for (unsigned i = 0; ok && i < n; i++) {
		CXDiagnostic d = r->clang->getDiagnostic(unit, i);

		if (r->clang->getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
			CXString text = r->clang->getDiagnosticSpelling(d);
			unsigned line = 0, column = 0;

			r->clang->getExpansionLocation(r->clang->getDiagnosticLocation(d),
						       NULL, &line, &column, NULL);
			ok = ml_fail(err, ML_FORMAT, "%s, line %u, column %u: %s",
				     r->f->path, line, column,
				     r->clang->getCString(text));
			r->clang->disposeString(text);
		}
		r->clang->disposeDiagnostic(d);
	}
	return ok;
}

static bool read_function(struct ml_c_reader *r, CXTranslationUnit unit,
			  const struct ml_flow_options *o, struct ml_err *err)
{
	struct candidates k = { .r = r, .wanted = o ? o->function : NULL };
	struct ml_flow *f = r->f;

	r->clang->visitChildren(r->clang->getTranslationUnitCursor(unit), consider, &k);
	if (!k.found && k.wanted)
		return ml_fail(err, ML_USAGE, "%s: there is no function '%s'%s%s",
			       f->path, k.wanted,
			       f->function_count ? "; the first is " : "",
			       f->function_count ? f->function_list[0] : "");
	if (!k.found)
		return ml_fail(err, ML_FORMAT, "%s: the file defines no function",
			       f->path);
	if (k.wanted)
		r->scop_to = 0;
	f->function = ml_c_name(r, k.best);
	uint32_t root = ml_flow_add_node(f, ML_FLOW_NONE, ML_FLOW_SCOPE, f->function);
	f->node[root].line = ml_c_line(r, k.best, NULL);
	r->parent = root;
	r->work = ML_FLOW_NONE;
	struct list l = { 0 };
	r->clang->visitChildren(k.best, append, &l);
	/* sizes may follow the arrays that use them: declare them first */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < l.count; i++) {
			CXType t = r->clang->getCursorType(l.at[i]);

			if (kind(r, l.at[i]) == CXCursor_ParmDecl &&
			    ml_c_is_integer(r, t) == !pass)
				ml_c_declare(r, l.at[i], true);
		}
	for (size_t i = 0; i < l.count; i++)
		if (kind(r, l.at[i]) == CXCursor_CompoundStmt)
			ml_c_statement(r, l.at[i]);
	ml_free(l.at);
	ml_delinear(f);
	return true;
}

bool ml_c_read(struct ml_flow *f, const char *text, size_t size,
	       const struct ml_flow_options *o, struct ml_err *err)
{
	struct ml_c_reader r = { .f = f, .clang = ml_clang_load(err) };
	const char *args[70] = { "-std=gnu11", "-w", "-ferror-limit=1" };
	CXTranslationUnit unit = NULL;
	int count = 3;

	if (!r.clang)
		return false;
	for (size_t i = 0; o && o->args && o->args[i] && count < 70; i++)
		args[count++] = o->args[i];
	find_scop(&r, text, size);
	struct CXUnsavedFile file = { f->path, text, size };
	CXIndex index = r.clang->createIndex(0, 0);
	enum CXErrorCode code = r.clang->parseTranslationUnit2(index, f->path, args,
							       count, &file, 1, 0, &unit);
	bool ok = code == CXError_Success && unit;
	if (!ok)
		ml_fail(err, ML_FORMAT, "%s: libclang cannot parse it (error %d)",
			f->path, (int)code);
	ok = ok && diagnose(&r, unit, err) && read_function(&r, unit, o, err);
	f->dialect = "C";
	if (unit)
		r.clang->disposeTranslationUnit(unit);
	r.clang->disposeIndex(index);
	ml_free(r.variable);
	return ok;
}
