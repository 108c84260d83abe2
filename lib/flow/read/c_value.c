/* Expressions of C: their value, their accesses, their operations. */
#include <stdlib.h>
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/c_read_parts.h"

void ml_c_operation(struct ml_c_reader *r, CXCursor c, enum ml_flow_op op)
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

bool ml_c_is_natural(const struct ml_c_reader *r, const struct ml_sym *e)
{
	switch (e->op) {
	case ML_SYM_CONST: return e->value >= 0;
	case ML_SYM_SYMBOL:
		if (r->f->symbol[e->symbol].kind != ML_FLOW_LOOP)
			return true;
		for (size_t i = r->f->node_count; i-- > 0;) {
			const struct ml_flow_node *n = &r->f->node[i];

			if (n->kind == ML_FLOW_FOR && n->symbol == e->symbol)
				return ml_c_is_natural(r, n->step > 0 ? n->from : n->to);
		}
		return false;
	case ML_SYM_MAX: return ml_c_is_natural(r, e->a) || ml_c_is_natural(r, e->b);
	case ML_SYM_ADD:
		/* i + (n - i - 1) and the like are sizes, too: n - 1 of a size */
		if (e->a->op == ML_SYM_SYMBOL && ml_sym_is(e->b, -1))
			return r->f->symbol[e->a->symbol].kind != ML_FLOW_LOOP;
		/* fall through */
	case ML_SYM_MUL:
	case ML_SYM_FLOOR:
	case ML_SYM_MIN: return ml_c_is_natural(r, e->a) && ml_c_is_natural(r, e->b);
	case ML_SYM_MOD: return ml_c_is_natural(r, e->b);
	case ML_SYM_UNKNOWN: return false;
	default: return true; /* conditions are 0 or 1 */
	}
}

/* C's division rounds towards 0, that of symbols downwards. */
static const struct ml_sym *divided(struct ml_c_reader *r, const struct ml_sym *x,
				    const struct ml_sym *y)
{
	struct ml_arena *a = &r->f->arena;
	const struct ml_sym *minus = ml_sym_const(a, -1);
	const struct ml_sym *up = ml_sym_make(a, ML_SYM_FLOOR, x, y);

	if (!ml_c_is_natural(r, y) || ml_c_is_natural(r, x))
		return ml_c_is_natural(r, y) ? up : unknown(r);
	const struct ml_sym *down = ml_sym_make(
		a, ML_SYM_MUL, minus,
		ml_sym_make(a, ML_SYM_FLOOR, ml_sym_make(a, ML_SYM_MUL, minus, x), y));
	const struct ml_sym *is = ml_sym_make(a, ML_SYM_GE, x, ml_sym_const(a, 0));
	return ml_sym_make(
		a, ML_SYM_ADD, ml_sym_make(a, ML_SYM_MUL, is, up),
		ml_sym_make(a, ML_SYM_MUL, ml_sym_make(a, ML_SYM_NOT, is, NULL), down));
}

static const struct ml_sym *combined(struct ml_c_reader *r, enum CXBinaryOperatorKind k,
				     const struct ml_sym *x, const struct ml_sym *y)
{
	struct ml_arena *a = &r->f->arena;

	switch (k) {
	case CXBinaryOperator_Mul: return ml_sym_make(a, ML_SYM_MUL, x, y);
	case CXBinaryOperator_Div: return divided(r, x, y);
	case CXBinaryOperator_Rem:
		if (ml_c_is_natural(r, x) && ml_c_is_natural(r, y))
			return ml_sym_make(a, ML_SYM_MOD, x, y);
		return ml_sym_sub(a, x, ml_sym_make(a, ML_SYM_MUL, divided(r, x, y), y));
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

/* A value as a variable or a cast of an integer type has it. */
static const struct ml_sym *held(struct ml_c_reader *r, CXType t, const struct ml_sym *v)
{
	enum CXTypeKind k = r->clang->getCanonicalType(t).kind;
	long long size = r->clang->Type_getSizeOf(t);
	bool is_signed = k == CXType_Char_S || k == CXType_SChar || k == CXType_Short ||
			 k == CXType_Int;

	if (size < 1 || size > 4 || ml_sym_has_unknown(v))
		return v;
	if (k == CXType_Bool)
		return v->op == ML_SYM_CONST ? ml_sym_const(&r->f->arena, v->value != 0)
					     : unknown(r);
	int64_t span = (int64_t)1 << 8 * size;
	if (v->op == ML_SYM_CONST) {
		int64_t low = ((v->value % span) + span) % span;

		return ml_sym_const(&r->f->arena,
				    is_signed && low >= span / 2 ? low - span : low);
	}
	/* sizes and indices fit in an int, not in less */
	return size == 4 ? v : unknown(r);
}

/* The variable that an expression names, if it is one in a register. */
static struct ml_c_variable *scalar(struct ml_c_reader *r, CXCursor c)
{
	c = ml_c_bare(r, c);
	if (r->clang->getCursorKind(c) != CXCursor_DeclRefExpr)
		return NULL;
	CXCursor decl = r->clang->getCursorReferenced(c);
	struct ml_c_variable *v = ml_c_find(r, decl);
	if (!v && r->clang->getCursorKind(decl) == CXCursor_VarDecl)
		v = ml_c_declare(r, decl, true);
	return v && !v->memory && ml_c_is_scalar(r, r->clang->getCursorType(decl)) ? v
										   : NULL;
}

static bool is_statement(const struct ml_c_reader *r, CXCursor c)
{
	return r->clang->equalCursors(c, r->statement);
}

static enum ml_flow_update update_of(enum CXBinaryOperatorKind op)
{
	switch (op) {
	case CXBinaryOperator_Add:
	case CXBinaryOperator_Sub: return ML_FLOW_SUM;
	case CXBinaryOperator_Mul: return ML_FLOW_PRODUCT;
	case CXBinaryOperator_And: return ML_FLOW_BITS_AND;
	case CXBinaryOperator_Or: return ML_FLOW_BITS_OR;
	case CXBinaryOperator_Xor: return ML_FLOW_BITS_XOR;
	default: return ML_FLOW_NO_UPDATE;
	}
}

/* Marks the last access of a computation, and that of a container at a place of the
 * source, as one update. */
static void mark_update(struct ml_c_reader *r, CXCursor read, CXType t,
			enum ml_flow_update update, bool twice)
{
	struct ml_flow_node *n = r->work == ML_FLOW_NONE ? NULL : &r->f->node[r->work];
	uint32_t column, line = ml_c_line(r, read, &column);

	if (!n || !n->access_count || !update)
		return;
	struct ml_flow_access *w = &n->access[n->access_count - 1];
	for (size_t i = n->access_count - 1; i-- > 0;) {
		struct ml_flow_access *x = &n->access[i];
		bool same = x->container == w->container && !x->write && !x->update &&
			    x->line == line && x->column == column &&
			    x->dims == w->dims && x->field == w->field &&
			    x->size == w->size;

		/* an expression that stands there twice may name two elements */
		if (twice && !r->f->container[x->container].scalar)
			same &= x->dims && !x->bounded;
		for (uint32_t d = 0; same && twice && d < x->dims; d++)
			same = ml_sym_equal(x->range[d].from, w->range[d].from);
		if (!same)
			continue;
		x->update = w->update = update;
		x->rounds = w->rounds = !ml_c_is_integer(r, t);
		return;
	}
}

/* x = x + a + b: the operand that is x. */
static bool find_operand(struct ml_c_reader *r, CXCursor c, CXCursor to,
			 enum ml_flow_update update, CXCursor *found)
{
	struct ml_c_children k;
	CXCursor bare = ml_c_bare(r, c), target = ml_c_bare(r, to);

	if (r->clang->getCursorKind(bare) != CXCursor_BinaryOperator) {
		*found = bare;
		return r->clang->getCursorKind(bare) == r->clang->getCursorKind(target) &&
		       !strcmp(ml_c_name(r, bare), ml_c_name(r, target));
	}
	enum CXBinaryOperatorKind op = r->clang->getCursorBinaryOperatorKind(bare);
	ml_c_children(r, bare, &k);
	if (k.count != 2 || update_of(op) != update)
		return false;
	return find_operand(r, k.at[0], to, update, found) ||
	       (op != CXBinaryOperator_Sub &&
		find_operand(r, k.at[1], to, update, found));
}

/* x = x OP value, where x is one element. */
static void assigned_update(struct ml_c_reader *r, CXCursor to, CXCursor from)
{
	CXCursor bare = ml_c_bare(r, from), operand;
	enum ml_flow_update update =
		r->clang->getCursorKind(bare) == CXCursor_BinaryOperator
			? update_of(r->clang->getCursorBinaryOperatorKind(bare))
			: ML_FLOW_NO_UPDATE;

	if (update && find_operand(r, from, to, update, &operand))
		mark_update(r, operand, r->clang->getCursorType(to), update, true);
}

static const struct ml_sym *store_pointer(struct ml_c_reader *r, CXCursor c, CXCursor to,
					  CXCursor from)
{
	bool plain = r->clang->getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign;
	CXType t = r->clang->getCursorType(to);
	struct ml_c_place p;

	if (plain) {
		p = ml_c_place(r, from);
	} else {
		ml_c_value(r, from);
		p = ml_c_place(r, to);
		p.unknown = true;
	}
	struct ml_c_variable *v = scalar(r, to);
	if (!v) {
		struct ml_c_place at = ml_c_locate(r, to);

		ml_c_access(r, to, &at, true);
		if (!p.fresh)
			ml_c_overwrite(r, &at);
		return unknown(r);
	}
	if (plain && p.fresh && !p.ok)
		ml_c_allocate(r, v, true);
	else
		v->place = plain ? ml_c_reshaped(r, v->decl, t, p) : p;
	v = scalar(r, to); /* declarations may have moved it */
	if (r->bounded)
		v->place = (struct ml_c_place){ 0 };
	ml_c_scalar(r, to, v, true);
	return unknown(r);
}

/* A variable has a new value, which is not known where it is data. */
static void set(struct ml_c_reader *r, CXCursor to, struct ml_c_variable *v,
		const struct ml_sym *value)
{
	if (v->value) {
		v->value = r->bounded ? unknown(r)
				      : held(r, r->clang->getCursorType(to), value);
		v->fixed = !r->loops && !r->bounded && ml_sym_has_unknown(v->value);
	}
	ml_c_scalar(r, to, v, true);
}

static const struct ml_sym *store(struct ml_c_reader *r, CXCursor c, CXCursor to,
				  CXCursor from)
{
	enum CXBinaryOperatorKind k = r->clang->getCursorBinaryOperatorKind(c);
	enum CXBinaryOperatorKind op = applied(k);
	struct ml_c_variable *v = scalar(r, to);
	CXType t = r->clang->getCursorType(to);
	bool plain = k == CXBinaryOperator_Assign, statement = is_statement(r, c);

	if (ml_c_is_pointer(r, t))
		return store_pointer(r, c, to, from);
	const struct ml_sym *y = ml_c_value(r, from);
	if (v) {
		v = scalar(r, to);
		if (!plain) {
			if (!v->value || ml_sym_has_unknown(v->value) || v->stepped)
				ml_c_scalar(r, to, v, false);
			ml_c_operation(r, c, kind_of(op));
		}
		v = scalar(r, to);
		set(r, to, v, plain || !v->value ? y : combined(r, op, v->value, y));
		if (statement && !plain)
			mark_update(r, ml_c_bare(r, to), t, update_of(op), false);
		else if (statement)
			assigned_update(r, to, from);
		v = scalar(r, to);
		return v->value ? v->value : unknown(r);
	}
	struct ml_c_place p = ml_c_locate(r, to);
	if (!plain) {
		ml_c_access(r, to, &p, false);
		ml_c_operation(r, c, kind_of(op));
	}
	ml_c_access(r, to, &p, true);
	if (r->clang->getCanonicalType(t).kind == CXType_Record)
		ml_c_overwrite(r, &p);
	if (statement && p.ok && !p.value && !plain)
		mark_update(r, to, t, update_of(op), false);
	else if (statement && p.ok && !p.value)
		assigned_update(r, to, from);
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
		ml_c_operation(r, c, kind_of(op));
	return combined(r, op, x, y);
}

static const struct ml_sym *step(struct ml_c_reader *r, CXCursor c, CXCursor of,
				 int64_t by)
{
	struct ml_c_variable *v = scalar(r, of);
	bool post = r->clang->getCursorUnaryOperatorKind(c) <= CXUnaryOperator_PostDec;
	CXType t = r->clang->getCursorType(of);

	if (v) {
		const struct ml_sym *old = v->value;
		bool pointer = ml_c_is_pointer(r, t);

		if (v->stepped || (pointer ? !v->place.ok || v->place.unknown
					   : !old || ml_sym_has_unknown(old)))
			ml_c_scalar(r, of, v, false);
		v = scalar(r, of);
		if (pointer && v->place.ok)
			v->place = ml_c_moved(r, v->place,
					      ml_sym_const(&r->f->arena, by));
		if (pointer && r->bounded)
			v->place.unknown = true;
		v = scalar(r, of);
		if (!old)
			ml_c_scalar(r, of, v, true);
		else
			set(r, of, v, ml_sym_add_const(&r->f->arena, old, by));
		if (is_statement(r, c))
			mark_update(r, ml_c_bare(r, of), t,
				    pointer ? ML_FLOW_NO_UPDATE : ML_FLOW_SUM, false);
		v = scalar(r, of);
		return !old ? unknown(r) : post ? old : v->value;
	}
	struct ml_c_place p = ml_c_locate(r, of);
	if (ml_c_is_pointer(r, t))
		ml_c_overwrite(r, &p);
	ml_c_access(r, of, &p, false);
	ml_c_operation(r, c, ML_FLOW_ADD);
	ml_c_access(r, of, &p, true);
	if (is_statement(r, c) && p.ok && !p.value)
		mark_update(r, of, t, ML_FLOW_SUM, false);
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
			ml_c_operation(r, c, ML_FLOW_ADD);
		return ml_sym_make(a, ML_SYM_MUL, ml_sym_const(a, -1), x);
	case CXUnaryOperator_LNot:
		x = ml_c_value(r, k->at[0]);
		ml_c_operation(r, c, ML_FLOW_LOGIC);
		return ml_sym_make(a, ML_SYM_NOT, x, NULL);
	case CXUnaryOperator_AddrOf: ml_c_place(r, c); return unknown(r);
	case CXUnaryOperator_Not:
		ml_c_value(r, k->at[0]);
		ml_c_operation(r, c, ML_FLOW_LOGIC);
		return unknown(r);
	default: return unknown(r);
	}
}

/* What a variable holds: a value, or data that is read from where it is. */
static const struct ml_sym *variable_value(struct ml_c_reader *r, CXCursor c)
{
	CXCursor decl = r->clang->getCursorReferenced(c);
	CXType t = r->clang->getCursorType(decl);
	struct ml_c_variable *x = ml_c_find(r, decl);
	int64_t v;

	if (r->clang->getCursorKind(decl) == CXCursor_EnumConstantDecl)
		return ml_sym_const(&r->f->arena,
				    r->clang->getEnumConstantDeclValue(decl));
	if (!x && r->clang->isConstQualifiedType(t) && ml_c_is_integer(r, t) &&
	    constant(r, decl, &v))
		return ml_sym_const(&r->f->arena, v);
	if (!x)
		x = scalar(r, c);
	if (!x) {
		struct ml_c_place p = ml_c_locate(r, c);

		if (!p.array)
			ml_c_access(r, c, &p, false);
		return unknown(r);
	}
	/* a bound or a subscript that is data has the name of the variable */
	if (x->value && x->fixed && r->quiet && !r->bounded)
		ml_c_fix(r, x);
	if (x->value && !ml_sym_has_unknown(x->value)) {
		if (x->stepped)
			ml_c_scalar(r, c, x, false);
		return x->value;
	}
	if (ml_c_is_pointer(r, t)) {
		ml_c_place(r, c);
	} else if (x->memory) {
		ml_c_access(r, c, &x->place, false);
	} else
		ml_c_scalar(r, c, x, false);
	return unknown(r);
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
	CXCursor outer = c;
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
	case CXCursor_DeclRefExpr: v = variable_value(r, c); break;
	case CXCursor_BinaryOperator:
	case CXCursor_CompoundAssignOperator: v = binary(r, c, &k); break;
	case CXCursor_ConditionalOperator: v = choice(r, c, &k); break;
	case CXCursor_CallExpr: v = ml_c_call(r, c); break;
	case CXCursor_UnaryOperator:
		if (r->clang->getCursorUnaryOperatorKind(c) != CXUnaryOperator_Deref) {
			v = unary(r, c, &k);
			break;
		}
		/* fall through */
	case CXCursor_ArraySubscriptExpr:
	case CXCursor_MemberRefExpr: {
		struct ml_c_place p = ml_c_locate(r, c);

		if (!p.array)
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
	/* casts, also those that C makes itself */
	CXType to = r->clang->getCursorType(outer), from = r->clang->getCursorType(c);
	bool narrow = r->clang->Type_getSizeOf(to) < r->clang->Type_getSizeOf(from);
	if (!ml_c_is_integer(r, to) || (!narrow && v->op != ML_SYM_CONST))
		return v;
	return held(r, to, v);
}
