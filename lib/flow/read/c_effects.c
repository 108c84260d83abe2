/* What statements of C change, and how they leave. */
#include "lib/flow/read/c_read_parts.h"

static enum CXCursorKind kind(const struct ml_c_reader *r, CXCursor c)
{
	return r->clang->getCursorKind(c);
}

/* p = p + n, p += n: in the same array */
static bool stays(struct ml_c_reader *r, CXCursor decl, CXCursor value)
{
	struct ml_c_children k;

	value = ml_c_bare(r, value);
	if (kind(r, value) == CXCursor_DeclRefExpr)
		return r->clang->equalCursors(r->clang->getCursorReferenced(value), decl);
	ml_c_children(r, value, &k);
	return kind(r, value) == CXCursor_BinaryOperator && k.count == 2 &&
	       r->clang->getCursorBinaryOperatorKind(value) != CXBinaryOperator_Comma &&
	       (stays(r, decl, k.at[0]) || stays(r, decl, k.at[1]));
}

/* A statement assigns a variable. value: what it gets, if it is not changed in place. */
static void forget(const struct ml_c_effects *e, CXCursor c, const CXCursor *value)
{
	struct ml_c_reader *r = e->r;

	c = ml_c_bare(r, c);
	if (kind(r, c) != CXCursor_DeclRefExpr || e->only_looks)
		return;
	CXCursor decl = r->clang->getCursorReferenced(c);
	struct ml_c_variable *v = ml_c_find(r, decl);
	/* a global that the function has not met yet */
	if (!v && kind(r, decl) == CXCursor_VarDecl &&
	    kind(r, r->clang->getCursorSemanticParent(decl)) == CXCursor_TranslationUnit)
		v = ml_c_declare(r, decl, true);
	if (!v)
		return;
	if (v->value)
		v->value = ml_sym_unknown(&r->f->arena);
	v->fixed = v->stepped = false;
	if (v->memory || !ml_c_is_pointer(r, r->clang->getCursorType(decl)))
		return;
	if (value && !stays(r, decl, *value))
		v->place = (struct ml_c_place){ 0 };
	v->place.unknown = true;
}

static void forget_global(struct ml_c_reader *r)
{
	for (size_t i = 0; i < r->variable_count; i++)
		if (r->variable[i].outlives) {
			struct ml_c_variable *v = &r->variable[i];

			if (v->value)
				v->value = ml_sym_unknown(&r->f->arena);
			v->fixed = false;
		}
}

static enum CXChildVisitResult affect(CXCursor c, CXCursor parent, CXClientData data);
static void affect_inside(struct ml_c_effects *e, CXCursor c);

/* A call changes what the function assigns: its own variables, and globals. */
static void affect_call(struct ml_c_effects *e, CXCursor c)
{
	struct ml_c_reader *r = e->r;
	CXCursor function = r->clang->getCursorReferenced(c);
	CXCursor body = ml_c_body_of(r,
				     r->clang->Cursor_isNull(function)
					     ? function
					     : r->clang->getCursorDefinition(function));
	struct ml_c_effects in = { .r = r };

	if (e->only_looks ||
	    (r->clang->Cursor_isNull(body) && ml_c_is_math(ml_c_name(r, c))))
		return;
	if (r->clang->Cursor_isNull(body)) {
		forget_global(r);
		return;
	}
	for (size_t i = 0; i < r->called.count; i++)
		if (r->clang->equalCursors(r->called.at[i], body))
			return;
	r->called.at = ml_grow(r->called.at, &r->called.cap, r->called.count + 1,
			       sizeof(*r->called.at));
	r->called.at[r->called.count++] = body;
	r->clang->visitChildren(body, affect, &in);
}

static enum CXChildVisitResult affect(CXCursor c, CXCursor parent, CXClientData data)
{
	struct ml_c_effects *e = data;
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
			forget(e, k.at[0],
			       op == CXBinaryOperator_Assign && k.count > 1 ? &k.at[1]
									    : NULL);
		break;
	}
	case CXCursor_CallExpr: affect_call(e, c); break;
	case CXCursor_UnaryOperator: {
		enum CXUnaryOperatorKind op = clang->getCursorUnaryOperatorKind(c);

		ml_c_children(e->r, c, &k);
		if (k.count && op >= CXUnaryOperator_PostInc &&
		    op <= CXUnaryOperator_PreDec)
			forget(e, k.at[0], NULL);
		break;
	}
	case CXCursor_ReturnStmt:
	case CXCursor_GotoStmt: e->returns = true; break;
	case CXCursor_BreakStmt: e->breaks = true; break;
	case CXCursor_ContinueStmt: e->skips = true; break;
	case CXCursor_SwitchStmt:
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt: affect_inside(e, c); return CXChildVisit_Continue;
	default: break;
	}
	return CXChildVisit_Recurse;
}

/* What leaves a statement inside does not leave this one. */
static void affect_inside(struct ml_c_effects *e, CXCursor c)
{
	struct ml_c_effects in = { .r = e->r, .only_looks = e->only_looks };
	bool loop = kind(e->r, c) != CXCursor_SwitchStmt;

	e->r->clang->visitChildren(c, affect, &in);
	e->loops += in.loops + loop;
	e->returns |= in.returns;
	e->skips |= in.skips && !loop;
}

struct ml_c_effects ml_c_effects(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_effects e = { .r = r };

	r->called.count = 0;
	if (affect(c, c, &e) == CXChildVisit_Recurse)
		r->clang->visitChildren(c, affect, &e);
	return e;
}

struct ml_c_effects ml_c_look(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_effects e = { .r = r, .only_looks = true };

	if (affect(c, c, &e) == CXChildVisit_Recurse)
		r->clang->visitChildren(c, affect, &e);
	return e;
}

unsigned ml_c_loops(struct ml_c_reader *r, CXCursor c)
{
	return ml_c_look(r, c).loops;
}

bool ml_c_is_skip(const struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_children k;

	if (kind(r, c) != CXCursor_IfStmt)
		return false;
	ml_c_children(r, c, &k);
	if (k.count != 2)
		return false;
	CXCursor then = k.at[1];
	if (kind(r, then) == CXCursor_CompoundStmt) {
		ml_c_children(r, then, &k);
		if (k.count != 1)
			return false;
		then = k.at[0];
	}
	return kind(r, then) == CXCursor_ContinueStmt;
}

/* Whether a body may leave its loop. What `if (c) continue;` skips is a guard of the rest
 * of the body (block). */
enum ml_c_leaving ml_c_may_leave(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_list l = { 0 };
	enum ml_c_leaving how = ML_C_STAYS;
	bool block = kind(r, c) == CXCursor_CompoundStmt;
	struct ml_c_effects e = ml_c_effects(r, c);

	if (block)
		ml_c_list(r, c, &l);
	if (e.breaks || e.returns)
		how = ML_C_LEAVES;
	else if (!block && e.skips)
		how = ML_C_SKIPS;
	for (size_t i = 0; i < l.count && how == ML_C_STAYS; i++)
		if (!ml_c_is_skip(r, l.at[i]) && ml_c_look(r, l.at[i]).skips)
			how = ML_C_SKIPS;
	ml_free(l.at);
	return how;
}
