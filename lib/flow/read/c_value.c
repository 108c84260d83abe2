/* Expressions of C: their value, their accesses, their operations. */
#include <stdlib.h>
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/c_read_parts.h"

static void operation(struct ml_c_reader *r, CXCursor c, enum ml_flow_op op)
{
	if (r->quiet)
		return;
	uint32_t work = ml_c_work(r, c); /* may move the nodes */
	r->f->node[work].ops[op]++;
}

static const struct ml_sym *unknown(struct ml_c_reader *r)
{
	return ml_sym_unknown(&r->f->arena);
}

/* The value of a constant that the compiler can compute. */
static bool constant(struct ml_c_reader *r, CXCursor c, int64_t *v)
{
	CXEvalResult e = r->clang->Cursor_Evaluate(c);
	bool ok = e && r->clang->EvalResult_getKind(e) == CXEval_Int;

	if (ok)
		*v = r->clang->EvalResult_getAsLongLong(e);
	if (e)
		r->clang->EvalResult_dispose(e);
	return ok;
}

/* The operator that a compound assignment applies. */
static enum CXBinaryOperatorKind applied(enum CXBinaryOperatorKind k)
{
	switch (k) {
	case CXBinaryOperator_MulAssign: return CXBinaryOperator_Mul;
	case CXBinaryOperator_DivAssign: return CXBinaryOperator_Div;
	case CXBinaryOperator_RemAssign: return CXBinaryOperator_Rem;
	case CXBinaryOperator_AddAssign: return CXBinaryOperator_Add;
	case CXBinaryOperator_SubAssign: return CXBinaryOperator_Sub;
	case CXBinaryOperator_ShlAssign: return CXBinaryOperator_Shl;
	case CXBinaryOperator_ShrAssign: return CXBinaryOperator_Shr;
	case CXBinaryOperator_AndAssign: return CXBinaryOperator_And;
	case CXBinaryOperator_XorAssign: return CXBinaryOperator_Xor;
	case CXBinaryOperator_OrAssign: return CXBinaryOperator_Or;
	default: return k;
	}
}

static enum ml_flow_op kind_of(enum CXBinaryOperatorKind k)
{
	switch (k) {
	case CXBinaryOperator_Mul: return ML_FLOW_MUL;
	case CXBinaryOperator_Div:
	case CXBinaryOperator_Rem: return ML_FLOW_DIV;
	case CXBinaryOperator_Add:
	case CXBinaryOperator_Sub: return ML_FLOW_ADD;
	case CXBinaryOperator_LT:
	case CXBinaryOperator_GT:
	case CXBinaryOperator_LE:
	case CXBinaryOperator_GE:
	case CXBinaryOperator_EQ:
	case CXBinaryOperator_NE: return ML_FLOW_COMPARE;
	default: return ML_FLOW_LOGIC;
	}
}

/* C's division rounds towards 0: it is ours where both sides are known not to differ in
 * sign, which is assumed of sizes and indices (a note in docs/commands/flow.md). */
static const struct ml_sym *combined(struct ml_c_reader *r, enum CXBinaryOperatorKind k,
				     const struct ml_sym *x, const struct ml_sym *y)
{
	struct ml_arena *a = &r->f->arena;

	switch (k) {
	case CXBinaryOperator_Mul: return ml_sym_make(a, ML_SYM_MUL, x, y);
	case CXBinaryOperator_Div: return ml_sym_make(a, ML_SYM_FLOOR, x, y);
	case CXBinaryOperator_Rem: return ml_sym_make(a, ML_SYM_MOD, x, y);
	case CXBinaryOperator_Add: return ml_sym_make(a, ML_SYM_ADD, x, y);
	case CXBinaryOperator_Sub: return ml_sym_sub(a, x, y);
	case CXBinaryOperator_Shl:
		if (y->op == ML_SYM_CONST && y->value >= 0 && y->value < 62)
			return ml_sym_make(a, ML_SYM_MUL, x,
					   ml_sym_const(a, (int64_t)1 << y->value));
		return unknown(r);
	case CXBinaryOperator_Shr:
		if (y->op == ML_SYM_CONST && y->value >= 0 && y->value < 62)
			return ml_sym_make(a, ML_SYM_FLOOR, x,
					   ml_sym_const(a, (int64_t)1 << y->value));
		return unknown(r);
	case CXBinaryOperator_GE: return ml_sym_make(a, ML_SYM_GE, x, y);
	case CXBinaryOperator_LE: return ml_sym_make(a, ML_SYM_GE, y, x);
	case CXBinaryOperator_LT:
		return ml_sym_make(a, ML_SYM_NOT, ml_sym_make(a, ML_SYM_GE, x, y), NULL);
	case CXBinaryOperator_GT:
		return ml_sym_make(a, ML_SYM_NOT, ml_sym_make(a, ML_SYM_GE, y, x), NULL);
	case CXBinaryOperator_EQ: return ml_sym_make(a, ML_SYM_EQ, x, y);
	case CXBinaryOperator_NE:
		return ml_sym_make(a, ML_SYM_NOT, ml_sym_make(a, ML_SYM_EQ, x, y), NULL);
	case CXBinaryOperator_LAnd: return ml_sym_make(a, ML_SYM_AND, x, y);
	case CXBinaryOperator_LOr: return ml_sym_make(a, ML_SYM_OR, x, y);
	case CXBinaryOperator_Comma: return y;
	default: return unknown(r);
	}
}

/* The variable that an expression names, if it is one that is no element. */
static struct ml_c_variable *scalar(struct ml_c_reader *r, CXCursor c)
{
	c = ml_c_bare(r, c);
	if (r->clang->getCursorKind(c) != CXCursor_DeclRefExpr)
		return NULL;
	CXCursor decl = r->clang->getCursorReferenced(c);
	struct ml_c_variable *v = ml_c_find(r, decl);
	if (!v && r->clang->getCursorKind(decl) == CXCursor_VarDecl)
		v = ml_c_declare(r, decl, true);
	return v;
}

static const struct ml_sym *store(struct ml_c_reader *r, CXCursor c, CXCursor to,
				  CXCursor from)
{
	enum CXBinaryOperatorKind k = r->clang->getCursorBinaryOperatorKind(c);
	enum CXBinaryOperatorKind op = applied(k);
	struct ml_c_variable *v = scalar(r, to);
	CXType t = r->clang->getCursorType(to);

	if (ml_c_is_pointer(r, t) && v) {
		struct ml_c_place p = { 0 };

		if (k == CXBinaryOperator_Assign)
			p = ml_c_place(r, from);
		else {
			ml_c_value(r, from);
			p = v->place;
			p.unknown = true;
		}
		v = scalar(r, to); /* declarations may have moved it */
		v->place = p;
		return unknown(r);
	}
	const struct ml_sym *y = ml_c_value(r, from);
	if (v) {
		v = scalar(r, to);
		bool data = !v->value || ml_sym_has_unknown(v->value);
		if (k != CXBinaryOperator_Assign) {
			if (data)
				ml_c_scalar(r, to, v, false);
			operation(r, c, kind_of(op));
		}
		if (v->value)
			v->value = k == CXBinaryOperator_Assign
					   ? y
					   : combined(r, op, v->value, y);
		if (!v->value || ml_sym_has_unknown(v->value))
			ml_c_scalar(r, to, v, true);
		return v->value ? v->value : unknown(r);
	}
	struct ml_c_place p = ml_c_place(r, to);
	if (p.ok && k != CXBinaryOperator_Assign) {
		ml_c_access(r, to, &p, false);
		operation(r, c, kind_of(op));
	}
	if (p.ok)
		ml_c_access(r, to, &p, true);
	else if (r->clang->getCursorKind(ml_c_bare(r, to)) != CXCursor_MemberRefExpr)
		ml_flow_add_note(r->f, "line %u: what is assigned to is not known",
				 (unsigned)ml_c_line(r, c, NULL));
	/* the value of an element is data */
	return unknown(r);
}

static const struct ml_sym *binary(struct ml_c_reader *r, CXCursor c,
				   const struct ml_c_children *k)
{
	enum CXBinaryOperatorKind op = r->clang->getCursorBinaryOperatorKind(c);
	bool bounded = r->bounded;

	if (k->count != 2)
		return unknown(r);
	if (op >= CXBinaryOperator_Assign && op <= CXBinaryOperator_OrAssign)
		return store(r, c, k->at[0], k->at[1]);
	const struct ml_sym *x = ml_c_value(r, k->at[0]);
	r->bounded |= op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr;
	const struct ml_sym *y = ml_c_value(r, k->at[1]);
	r->bounded = bounded;
	if (op != CXBinaryOperator_Comma)
		operation(r, c, kind_of(op));
	return combined(r, op, x, y);
}

static const struct ml_sym *step(struct ml_c_reader *r, CXCursor c, CXCursor of,
				 int64_t by)
{
	struct ml_c_variable *v = scalar(r, of);
	bool post = r->clang->getCursorUnaryOperatorKind(c) <= CXUnaryOperator_PostDec;

	if (v) {
		const struct ml_sym *old = v->value;

		if (v->place.ok && v->place.count && !v->place.array) {
			const struct ml_sym **at = &v->place.index[v->place.count - 1];

			*at = ml_sym_add_const(&r->f->arena, *at, by);
		}
		if (!old || ml_sym_has_unknown(old)) {
			ml_c_scalar(r, of, v, false);
			ml_c_scalar(r, of, v, true);
		}
		if (!old)
			return unknown(r);
		v->value = ml_sym_add_const(&r->f->arena, old, by);
		return post ? old : v->value;
	}
	struct ml_c_place p = ml_c_place(r, of);
	if (p.ok) {
		ml_c_access(r, of, &p, false);
		operation(r, c, ML_FLOW_ADD);
		ml_c_access(r, of, &p, true);
	}
	return unknown(r);
}

static const struct ml_sym *unary(struct ml_c_reader *r, CXCursor c,
				  const struct ml_c_children *k)
{
	struct ml_arena *a = &r->f->arena;
	const struct ml_sym *x;

	if (!k->count)
		return unknown(r);
	switch (r->clang->getCursorUnaryOperatorKind(c)) {
	case CXUnaryOperator_PostInc:
	case CXUnaryOperator_PreInc: return step(r, c, k->at[0], 1);
	case CXUnaryOperator_PostDec:
	case CXUnaryOperator_PreDec: return step(r, c, k->at[0], -1);
	case CXUnaryOperator_Plus:
	case CXUnaryOperator_Extension: return ml_c_value(r, k->at[0]);
	case CXUnaryOperator_Minus:
		x = ml_c_value(r, k->at[0]);
		/* the sign of a literal is no operation */
		if (r->clang->getCursorKind(k->at[0]) != CXCursor_FloatingLiteral &&
		    x->op != ML_SYM_CONST)
			operation(r, c, ML_FLOW_ADD);
		return ml_sym_make(a, ML_SYM_MUL, ml_sym_const(a, -1), x);
	case CXUnaryOperator_LNot:
		x = ml_c_value(r, k->at[0]);
		operation(r, c, ML_FLOW_LOGIC);
		return ml_sym_make(a, ML_SYM_NOT, x, NULL);
	case CXUnaryOperator_Not:
		ml_c_value(r, k->at[0]);
		operation(r, c, ML_FLOW_LOGIC);
		return unknown(r);
	default: return unknown(r);
	}
}

/* Functions of <math.h> that memory does not see. Operation kinds, or -1. */
static int math(const char *name)
{
	static const char *const special[] = {
		"sqrt",  "exp",   "exp2",  "log",    "log2",   "log10", "pow",  "sin",
		"cos",   "tan",   "asin",  "acos",   "atan",   "atan2", "sinh", "cosh",
		"tanh",  "cbrt",  "erf",   "erfc",   "hypot",  "floor", "ceil", "round",
		"trunc", "expm1", "log1p", "tgamma", "lgamma", "fmod",  "rint"
	};
	static const char *const compare[] = { "fabs", "fmin",     "fmax", "abs",
					       "labs", "copysign", "fdim" };
	char base[20];
	size_t n = strlen(name);

	if (!strncmp(name, "__builtin_", 10))
		return math(name + 10);
	if (n < 3 || n >= sizeof(base))
		return -1;
	memcpy(base, name, n + 1);
	for (int cut = 0; cut < 2; cut++) {
		for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
			if (!strcmp(base, special[i]))
				return ML_FLOW_SPECIAL;
		for (size_t i = 0; i < sizeof(compare) / sizeof(*compare); i++)
			if (!strcmp(base, compare[i]))
				return ML_FLOW_COMPARE;
		if (base[n - 1] != 'f' && base[n - 1] != 'l')
			return -1;
		base[n - 1] = 0; /* sqrtf, sqrtl */
	}
	return !strcmp(base, "fma") ? ML_FLOW_MUL : -1;
}

/* A function that this file does not define. */
static void foreign(struct ml_c_reader *r, CXCursor c, const char *name)
{
	int n = r->clang->Cursor_getNumArguments(c), op = math(name);
	bool said = false;

	for (int i = 0; i < n; i++) {
		CXCursor arg = r->clang->Cursor_getArgument(c, (unsigned)i);

		if (!ml_c_is_pointer(r, r->clang->getCursorType(arg))) {
			ml_c_value(r, arg);
			continue;
		}
		struct ml_c_place p = ml_c_place(r, arg);
		if (!p.ok)
			continue;
		p.unknown = said = true;
		ml_c_access(r, c, &p, false);
		ml_c_access(r, c, &p, true);
	}
	if (op >= 0) {
		operation(r, c, (enum ml_flow_op)op);
	} else if (!said || op < 0) {
		ml_flow_add_note(
			r->f,
			"line %u: '%s' is not defined in this file; what it does "
			"is not counted, but for one access of each array that it "
			"gets",
			(unsigned)ml_c_line(r, c, NULL), name);
		uint32_t work = ml_c_work(r, c); /* may move the nodes */
		r->f->node[work].assumed = true;
	}
}

static CXCursor body_of(struct ml_c_reader *r, CXCursor function)
{
	struct ml_c_children k;

	ml_c_children(r, function, &k);
	for (size_t i = 0; i < k.count; i++)
		if (r->clang->getCursorKind(k.at[i]) == CXCursor_CompoundStmt)
			return k.at[i];
	return r->clang->getNullCursor();
}

/* Binds the arguments to the parameters and reads the body in place of the call. */
static const struct ml_sym *call(struct ml_c_reader *r, CXCursor c)
{
	CXCursor decl = r->clang->getCursorReferenced(c);
	const char *name = ml_c_name(r, c);

	r->returned_place = (struct ml_c_place){ 0 };
	if (r->clang->Cursor_isNull(decl)) {
		foreign(r, c, *name ? name : "a function pointer");
		return unknown(r);
	}
	CXCursor function = r->clang->getCursorDefinition(decl);
	CXCursor body = r->clang->Cursor_isNull(function) ? function
							  : body_of(r, function);
	int n = r->clang->Cursor_getNumArguments(c);
	if (r->clang->Cursor_isNull(body) || r->inlined >= ML_C_INLINE || n > 64 ||
	    r->clang->Cursor_getNumArguments(function) != n) {
		foreign(r, c, name);
		return unknown(r);
	}
	struct ml_c_variable bound[64];
	for (int i = 0; i < n; i++) {
		CXCursor arg = r->clang->Cursor_getArgument(c, (unsigned)i);
		CXCursor to = r->clang->Cursor_getArgument(function, (unsigned)i);
		CXType t = r->clang->getCursorType(to);

		bound[i] = (struct ml_c_variable){ .decl = r->clang->getCanonicalCursor(
							   to) };
		enum CXTypeKind kind = r->clang->getCanonicalType(t).kind;
		if (kind == CXType_Pointer || kind == CXType_ConstantArray ||
		    kind == CXType_VariableArray || kind == CXType_IncompleteArray) {
			bound[i].place = ml_c_place(r, arg);
			if (bound[i].place.array && bound[i].place.count < ML_FLOW_DIMS) {
				bound[i].place.index[bound[i].place.count++] =
					ml_sym_const(&r->f->arena, 0);
				bound[i].place.array = false;
			}
		} else {
			bound[i].value = ml_c_value(r, arg);
			if (!ml_c_is_integer(r, t))
				bound[i].value = NULL;
		}
	}
	size_t count = r->variable_count;
	for (int i = 0; i < n; i++) {
		r->variable = ml_grow(r->variable, &r->variable_cap,
				      r->variable_count + 1, sizeof(*r->variable));
		r->variable[r->variable_count++] = bound[i];
	}
	uint32_t from = r->scop_from, to = r->scop_to;
	r->scop_to = 0;
	r->inlined++;
	r->returned = unknown(r);
	r->returned_place = (struct ml_c_place){ 0 };
	ml_c_statement(r, body);
	r->inlined--;
	r->scop_from = from;
	r->scop_to = to;
	/* globals that were met inside stay known */
	for (size_t i = count; i < r->variable_count; i++)
		if (i < count + (size_t)n)
			r->variable[i].decl = r->clang->getNullCursor();
	return r->returned;
}

struct ml_c_place ml_c_call_place(struct ml_c_reader *r, CXCursor c)
{
	call(r, c);
	return r->returned_place;
}

static const struct ml_sym *variable_value(struct ml_c_reader *r, CXCursor c)
{
	CXCursor decl = r->clang->getCursorReferenced(c);
	int64_t v;

	if (r->clang->getCursorKind(decl) == CXCursor_EnumConstantDecl)
		return ml_sym_const(&r->f->arena,
				    r->clang->getEnumConstantDeclValue(decl));
	struct ml_c_variable *x = ml_c_find(r, decl);
	if (!x && r->clang->isConstQualifiedType(r->clang->getCursorType(decl)) &&
	    ml_c_is_integer(r, r->clang->getCursorType(decl)) && constant(r, decl, &v))
		return ml_sym_const(&r->f->arena, v);
	if (!x)
		x = scalar(r, c);
	return x && x->value ? x->value : unknown(r);
}

static const struct ml_sym *choice(struct ml_c_reader *r, CXCursor c,
				   const struct ml_c_children *k)
{
	struct ml_arena *a = &r->f->arena;
	bool bounded = r->bounded;

	if (k->count != 3)
		return unknown(r);
	const struct ml_sym *if_ = ml_c_value(r, k->at[0]);
	r->bounded |= if_->op != ML_SYM_CONST;
	const struct ml_sym *x = ml_c_value(r, k->at[1]), *y = ml_c_value(r, k->at[2]);
	r->bounded = bounded;
	(void)c;
	/* the usual macros MIN and MAX: x < y ? x : y */
	const struct ml_sym *ge = if_->op == ML_SYM_NOT ? if_->a : if_;
	if (ge->op == ML_SYM_GE) {
		bool inverse = if_->op == ML_SYM_NOT;

		if (ml_sym_equal(ge->a, x) && ml_sym_equal(ge->b, y))
			return ml_sym_make(a, inverse ? ML_SYM_MIN : ML_SYM_MAX, x, y);
		if (ml_sym_equal(ge->a, y) && ml_sym_equal(ge->b, x))
			return ml_sym_make(a, inverse ? ML_SYM_MAX : ML_SYM_MIN, x, y);
	}
	if (if_->op == ML_SYM_CONST)
		return if_->value ? x : y;
	/* if_ is 0 or 1 where it is a condition */
	if (if_->op >= ML_SYM_EQ && if_->op <= ML_SYM_NOT)
		return ml_sym_make(a, ML_SYM_ADD, ml_sym_make(a, ML_SYM_MUL, if_, x),
				   ml_sym_make(a, ML_SYM_MUL,
					       ml_sym_make(a, ML_SYM_NOT, if_, NULL), y));
	return unknown(r);
}

const struct ml_sym *ml_c_value(struct ml_c_reader *r, CXCursor c)
{
	const struct ml_sym *v = unknown(r);
	struct ml_c_children k;
	int64_t number;

	if (r->depth >= ML_C_DEPTH) {
		ml_flow_add_note(r->f, "line %u: the expression is nested too deeply",
				 (unsigned)ml_c_line(r, c, NULL));
		return v;
	}
	r->depth++;
	c = ml_c_bare(r, c);
	ml_c_children(r, c, &k);
	switch ((int)r->clang->getCursorKind(c)) {
	case CXCursor_IntegerLiteral:
	case CXCursor_CharacterLiteral:
	case CXCursor_UnaryExpr: /* sizeof */
		if (constant(r, c, &number))
			v = ml_sym_const(&r->f->arena, number);
		break;
	case CXCursor_FloatingLiteral:
	case CXCursor_StringLiteral: break;
	case CXCursor_DeclRefExpr:
		if (ml_c_is_integer(r, r->clang->getCursorType(c)))
			v = variable_value(r, c);
		if (ml_sym_has_unknown(v)) {
			struct ml_c_variable *x =
				ml_c_find(r, r->clang->getCursorReferenced(c));

			if (x)
				ml_c_scalar(r, c, x, false);
		}
		break;
	case CXCursor_BinaryOperator:
	case CXCursor_CompoundAssignOperator: v = binary(r, c, &k); break;
	case CXCursor_ConditionalOperator: v = choice(r, c, &k); break;
	case CXCursor_CallExpr: v = call(r, c); break;
	case CXCursor_UnaryOperator:
		if (r->clang->getCursorUnaryOperatorKind(c) != CXUnaryOperator_Deref) {
			v = unary(r, c, &k);
			break;
		}
		/* fall through */
	case CXCursor_ArraySubscriptExpr:
	case CXCursor_MemberRefExpr: {
		struct ml_c_place p = ml_c_place(r, c);

		if (p.ok && !p.array)
			ml_c_access(r, c, &p, false);
		break;
	}
	default:
		for (size_t i = 0; i < k.count; i++)
			if (r->clang->isExpression(r->clang->getCursorKind(k.at[i])))
				ml_c_value(r, k.at[i]);
		break;
	}
	r->depth--;
	return v;
}
