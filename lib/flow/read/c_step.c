/* Variables that each iteration of a loop changes by the same step, and what that says
 * about how often a loop runs: while (n--), i < j; i++, j--, *p++. */
#include <string.h>

#include "lib/flow/poly.h"
#include "lib/flow/read/c_read_parts.h"

static enum CXCursorKind kind(const struct ml_c_reader *r, CXCursor c)
{
	return r->clang->getCursorKind(c);
}

struct scan {
	struct ml_c_reader *r;
	struct ml_c_steps *s;
	bool maybe; /* what is visited may not run, or more than once */
	bool head;  /* it stands in the head of the loop */
};

static CXCursor variable_of(const struct ml_c_reader *r, CXCursor c)
{
	c = ml_c_bare(r, c);
	if (kind(r, c) != CXCursor_DeclRefExpr)
		return r->clang->getNullCursor();
	return r->clang->getCanonicalCursor(r->clang->getCursorReferenced(c));
}

static struct ml_c_step *step_of(struct scan *k, CXCursor decl)
{
	struct ml_c_steps *s = k->s;

	for (size_t i = 0; i < s->count; i++)
		if (k->r->clang->equalCursors(s->at[i].decl, decl))
			return &s->at[i];
	if (s->count == ML_C_STEPS) {
		s->full = true;
		return &s->at[0];
	}
	s->at[s->count] = (struct ml_c_step){ .decl = decl };
	return &s->at[s->count++];
}

/* A variable changes by so much; 0: in another way. */
static void change(struct scan *k, CXCursor c, int64_t by)
{
	CXCursor decl = variable_of(k->r, c);

	if (k->r->clang->Cursor_isNull(decl))
		return;
	struct ml_c_step *x = step_of(k, decl);
	x->bad |= x->by || !by || k->maybe;
	x->by = by;
	x->head = k->head;
}

static bool small_const(struct ml_c_reader *r, CXCursor c, int64_t *v)
{
	bool quiet = r->quiet;

	r->quiet = true;
	const struct ml_sym *e = kind(r, ml_c_bare(r, c)) == CXCursor_IntegerLiteral
					 ? ml_c_value(r, c)
					 : NULL;
	r->quiet = quiet;
	if (!e || e->op != ML_SYM_CONST || !e->value || e->value > 1 << 20)
		return false;
	*v = e->value;
	return true;
}

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data);

static void look_below(struct scan *k, CXCursor c, bool maybe)
{
	struct scan in = *k;

	in.maybe |= maybe;
	k->r->clang->visitChildren(c, look, &in);
}

static void look_assignment(struct scan *k, CXCursor c)
{
	enum CXBinaryOperatorKind op = k->r->clang->getCursorBinaryOperatorKind(c);
	struct ml_c_children in;
	int64_t by = 0;

	ml_c_children(k->r, c, &in);
	if (in.count != 2)
		return;
	if (op == CXBinaryOperator_AddAssign || op == CXBinaryOperator_SubAssign) {
		if (small_const(k->r, in.at[1], &by) && op == CXBinaryOperator_SubAssign)
			by = -by;
		change(k, in.at[0], by);
	} else if (op >= CXBinaryOperator_Assign && op <= CXBinaryOperator_OrAssign) {
		bool factor = op == CXBinaryOperator_MulAssign ||
			      op == CXBinaryOperator_DivAssign ||
			      op == CXBinaryOperator_ShlAssign ||
			      op == CXBinaryOperator_ShrAssign;

		change(k, in.at[0], 0);
		if (factor && !k->maybe && small_const(k->r, in.at[1], &by))
			k->s->factor = variable_of(k->r, in.at[0]);
	}
}

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data)
{
	struct scan *k = data;
	struct ml_c_reader *r = k->r;
	struct ml_c_children in;

	(void)parent;
	switch ((int)kind(r, c)) {
	case CXCursor_UnaryOperator: {
		enum CXUnaryOperatorKind op = r->clang->getCursorUnaryOperatorKind(c);

		ml_c_children(r, c, &in);
		if (in.count && op <= CXUnaryOperator_PreDec)
			change(k, in.at[0],
			       op == CXUnaryOperator_PostInc ||
					       op == CXUnaryOperator_PreInc
				       ? 1
				       : -1);
		break;
	}
	case CXCursor_BinaryOperator: {
		enum CXBinaryOperatorKind op = r->clang->getCursorBinaryOperatorKind(c);

		if (op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr) {
			look_below(k, c, true);
			return CXChildVisit_Continue;
		}
		look_assignment(k, c);
		break;
	}
	case CXCursor_CompoundAssignOperator: look_assignment(k, c); break;
	/* a variable of the body is another one in each iteration */
	case CXCursor_VarDecl:
		step_of(k, r->clang->getCanonicalCursor(c))->bad = true;
		break;
	case CXCursor_CallExpr: k->s->calls = true; break;
	case CXCursor_CompoundStmt:
	case CXCursor_DeclStmt:
	case CXCursor_NullStmt: break;
	case CXCursor_ContinueStmt: k->s->skips = true; break;
	case CXCursor_GotoStmt:
	case CXCursor_LabelStmt: k->s->full = true; break;
	case CXCursor_ConditionalOperator:
	case CXCursor_IfStmt:
	case CXCursor_SwitchStmt:
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt: look_below(k, c, true); return CXChildVisit_Continue;
	default: break;
	}
	return CXChildVisit_Recurse;
}

static enum CXChildVisitResult compare(CXCursor c, CXCursor parent, CXClientData data)
{
	struct scan *k = data;
	CXCursor decl = variable_of(k->r, c);

	(void)parent;
	for (size_t i = 0; i < k->s->count && kind(k->r, c) == CXCursor_DeclRefExpr; i++)
		k->s->at[i].head |= k->r->clang->equalCursors(k->s->at[i].decl, decl);
	return CXChildVisit_Recurse;
}

void ml_c_steps_find(struct ml_c_reader *r, struct ml_c_steps *s, const CXCursor *head,
		     const CXCursor *body)
{
	struct scan k = { .r = r, .s = s };

	s->factor = r->clang->getNullCursor();

	if (body && look(*body, *body, &k) == CXChildVisit_Recurse)
		r->clang->visitChildren(*body, look, &k);
	/* `continue` leaves steps of the body out */
	for (size_t i = 0; i < s->count; i++)
		s->at[i].bad |= s->skips;
	k.head = true;
	for (int i = 0; i < 2; i++)
		if (!r->clang->Cursor_isNull(head[i]) &&
		    look(head[i], head[i], &k) == CXChildVisit_Recurse)
			r->clang->visitChildren(head[i], look, &k);
	/* what the condition compares is the loop's own */
	if (!r->clang->Cursor_isNull(head[0]) && compare(head[0], head[0], &k))
		r->clang->visitChildren(head[0], compare, &k);
	for (size_t i = 0; i < s->count; i++) {
		struct ml_c_step *x = &s->at[i];
		struct ml_c_variable *v = ml_c_find(r, x->decl);

		x->bad |= s->full || !v || v->memory || (v->outlives && s->calls) ||
			  !x->by;
		if (x->bad)
			continue;
		x->pointer = ml_c_is_pointer(r, r->clang->getCursorType(x->decl));
		x->first = x->pointer ? NULL : v->value;
		if (x->pointer && v->place.ok && !v->place.unknown && !v->place.array &&
		    !v->place.flat && v->place.count) {
			x->place = v->place;
			x->first = v->place.index[v->place.count - 1];
		}
		x->bad |= !x->first || ml_sym_has_unknown(x->first);
	}
}

void ml_c_steps_set(struct ml_c_reader *r, const struct ml_c_steps *s,
		    const struct ml_sym *times, bool after)
{
	struct ml_arena *a = &r->f->arena;

	for (size_t i = 0; i < s->count; i++) {
		const struct ml_c_step *x = &s->at[i];
		struct ml_c_variable *v = ml_c_find(r, x->decl);

		if (x->bad || !v)
			continue;
		const struct ml_sym *e = ml_sym_make(
			a, ML_SYM_ADD, x->first,
			ml_sym_make(a, ML_SYM_MUL, ml_sym_const(a, x->by), times));
		/* what is no counter of the loop itself is carried all the same */
		v->stepped = !x->head && !after;
		if (x->pointer) {
			v->place = x->place;
			v->place.index[v->place.count - 1] = e;
		} else
			v->value = e;
	}
}

/* last: the number of the last iteration in which x > 0 holds, where x falls by a constant
 * with each. NULL: it does not. */
static const struct ml_sym *last_positive(struct ml_c_reader *r, const struct ml_sym *x,
					  uint32_t symbol, bool exact)
{
	struct ml_arena *a = &r->f->arena, scratch = { 0 };
	const struct ml_sym *zero[1] = { ml_sym_const(a, 0) }, **by;
	const struct ml_sym *last = NULL;
	int64_t slope = 0;

	if (ml_sym_has_unknown(x))
		return NULL;
	struct ml_poly p = ml_poly_from(&scratch, x);
	bool falls = !p.bad && ml_poly_degree(p, symbol) == 1 &&
		     ml_poly_is_const(ml_poly_coefficient(&scratch, p, symbol), &slope) &&
		     slope < 0 && (!exact || slope == -1);
	ml_arena_release(&scratch);
	if (!falls)
		return NULL;
	by = ml_arena_alloc(a, (symbol + 1) * sizeof(*by));
	by[symbol] = zero[0];
	const struct ml_sym *first = ml_sym_replace(a, x, by, symbol + 1);
	last = ml_sym_make(a, ML_SYM_FLOOR, ml_sym_add_const(a, first, -1),
			   ml_sym_const(a, -slope));
	return last;
}

/* The value of a side of a comparison: of a number, or the place of a pointer. */
static const struct ml_sym *side(struct ml_c_reader *r, CXCursor c, struct ml_c_place *p)
{
	bool quiet = r->quiet;
	const struct ml_sym *v;

	r->quiet = true;
	*p = (struct ml_c_place){ 0 };
	if (ml_c_is_pointer(r, r->clang->getCursorType(ml_c_bare(r, c)))) {
		*p = ml_c_place(r, c);
		v = p->ok && !p->value && !p->reg && !p->unknown && !p->size && p->count
			    ? p->index[p->count - 1]
			    : ml_sym_unknown(&r->f->arena);
	} else
		v = ml_c_value(r, c);
	r->quiet = quiet;
	return v;
}

static bool same_row(const struct ml_c_place *p, const struct ml_c_place *q)
{
	bool same = p->ok == q->ok && p->container == q->container &&
		    p->count == q->count;

	for (uint32_t d = 0; same && d + 1 < p->count; d++)
		same = ml_sym_equal(p->index[d], q->index[d]);
	return same;
}

const struct ml_sym *ml_c_steps_last(struct ml_c_reader *r, CXCursor c, uint32_t symbol,
				     bool *data)
{
	struct ml_arena *a = &r->f->arena;
	struct ml_c_children k;
	struct ml_c_place p, q;

	c = ml_c_bare(r, c);
	ml_c_children(r, c, &k);
	enum CXBinaryOperatorKind op = r->clang->getCursorBinaryOperatorKind(c);
	bool binary = kind(r, c) == CXCursor_BinaryOperator && k.count == 2;
	if (binary && op == CXBinaryOperator_LAnd) {
		const struct ml_sym *x = ml_c_steps_last(r, k.at[0], symbol, data);
		bool bounded = r->bounded;

		r->bounded = true;
		const struct ml_sym *y = ml_c_steps_last(r, k.at[1], symbol, data);
		r->bounded = bounded;

		/* the other side is data: the loop may end earlier */
		*data |= !x != !y;
		return x && y ? ml_sym_make(a, ML_SYM_MIN, x, y) : x ? x : y;
	}
	if (!binary || op < CXBinaryOperator_LT || op > CXBinaryOperator_NE ||
	    op == CXBinaryOperator_EQ) {
		const struct ml_sym *v = side(r, c, &p);

		return p.ok ? NULL : last_positive(r, v, symbol, true);
	}
	const struct ml_sym *x = side(r, k.at[0], &p), *y = side(r, k.at[1], &q);
	if (!same_row(&p, &q))
		return NULL;
	const struct ml_sym *up = ml_sym_sub(a, y, x), *down = ml_sym_sub(a, x, y);
	switch (op) {
	case CXBinaryOperator_LT: return last_positive(r, up, symbol, false);
	case CXBinaryOperator_GT: return last_positive(r, down, symbol, false);
	case CXBinaryOperator_LE:
		return last_positive(r, ml_sym_add_const(a, up, 1), symbol, false);
	case CXBinaryOperator_GE:
		return last_positive(r, ml_sym_add_const(a, down, 1), symbol, false);
	default:
		x = last_positive(r, up, symbol, true);
		return x ? x : last_positive(r, down, symbol, true);
	}
}
