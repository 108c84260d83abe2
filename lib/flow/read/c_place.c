/* Types, declarations, and the places that C expressions name. */
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/c_read_parts.h"

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent, CXClientData data)
{
	struct ml_c_children *out = data;

	(void)parent;
	if (out->count == ML_C_CHILDREN)
		return CXChildVisit_Break;
	out->at[out->count++] = c;
	return CXChildVisit_Continue;
}

void ml_c_children(const struct ml_c_reader *r, CXCursor c, struct ml_c_children *out)
{
	out->count = 0;
	r->clang->visitChildren(c, collect, out);
}

char *ml_c_name(const struct ml_c_reader *r, CXCursor c)
{
	CXString s = r->clang->getCursorSpelling(c);
	const char *text = r->clang->getCString(s);
	char *name = ml_arena_strdup(&r->f->arena, text ? text : "");

	r->clang->disposeString(s);
	return name;
}

uint32_t ml_c_line(const struct ml_c_reader *r, CXCursor c, uint32_t *column)
{
	unsigned line = 0, col = 0;

	r->clang->getExpansionLocation(r->clang->getCursorLocation(c), NULL, &line, &col,
				       NULL);
	if (column)
		*column = col;
	return line;
}

/* The only expression below, for nodes that have just one. */
static CXCursor only(const struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_children k;

	ml_c_children(r, c, &k);
	for (size_t i = k.count; i-- > 0;)
		if (r->clang->isExpression(r->clang->getCursorKind(k.at[i])))
			return k.at[i];
	return r->clang->getNullCursor();
}

CXCursor ml_c_bare(const struct ml_c_reader *r, CXCursor c)
{
	for (int i = 0; i < ML_C_DEPTH; i++) {
		enum CXCursorKind k = r->clang->getCursorKind(c);

		if (k != CXCursor_ParenExpr && k != CXCursor_UnexposedExpr &&
		    k != CXCursor_CStyleCastExpr)
			return c;
		CXCursor in = only(r, c);
		if (r->clang->Cursor_isNull(in))
			return c;
		c = in;
	}
	return c;
}

bool ml_c_is_integer(const struct ml_c_reader *r, CXType t)
{
	enum CXTypeKind k = r->clang->getCanonicalType(t).kind;

	return (k >= CXType_Bool && k <= CXType_Int128) || k == CXType_Enum;
}

bool ml_c_is_pointer(const struct ml_c_reader *r, CXType t)
{
	return r->clang->getCanonicalType(t).kind == CXType_Pointer;
}

static bool is_array(const struct ml_c_reader *r, CXType t)
{
	enum CXTypeKind k = r->clang->getCanonicalType(t).kind;

	return k == CXType_ConstantArray || k == CXType_VariableArray ||
	       k == CXType_IncompleteArray;
}

struct ml_c_variable *ml_c_find(struct ml_c_reader *r, CXCursor decl)
{
	decl = r->clang->getCanonicalCursor(decl);
	for (size_t i = r->variable_count; i-- > 0;)
		if (r->clang->equalCursors(r->variable[i].decl, decl))
			return &r->variable[i];
	return NULL;
}

/*
 * The expressions for the sizes of dimensions that a declaration writes down, from the
 * outermost. libclang visits the innermost first; those of a typedef are further inside.
 */
static size_t size_exprs(struct ml_c_reader *r, CXCursor decl, CXCursor *out, int depth)
{
	struct ml_c_children k;
	CXCursor init = r->clang->Cursor_getVarDeclInitializer(decl);
	size_t n = 0;

	ml_c_children(r, decl, &k);
	for (size_t i = k.count; i-- > 0 && n < ML_FLOW_DIMS;)
		if (r->clang->isExpression(r->clang->getCursorKind(k.at[i])) &&
		    !r->clang->equalCursors(k.at[i], init))
			out[n++] = k.at[i];
	for (size_t i = 0; i < k.count && depth < 8; i++)
		if (r->clang->getCursorKind(k.at[i]) == CXCursor_TypeRef) {
			CXCursor to = r->clang->getCursorReferenced(k.at[i]);

			if (r->clang->getCursorKind(to) == CXCursor_TypedefDecl &&
			    n < ML_FLOW_DIMS) {
				CXCursor more[ML_FLOW_DIMS];
				size_t m = size_exprs(r, to, more, depth + 1);

				for (size_t j = 0; j < m && n < ML_FLOW_DIMS; j++)
					out[n++] = more[j];
			}
		}
	return n;
}

static const struct ml_sym *size_value(struct ml_c_reader *r, CXCursor c)
{
	bool quiet = r->quiet;

	r->quiet = true;
	const struct ml_sym *v = ml_c_value(r, c);
	r->quiet = quiet;
	return v;
}

/* A container for an array or for what a pointer points to. */
static uint32_t add_container(struct ml_c_reader *r, CXCursor decl, CXType t,
			      bool transient)
{
	struct ml_flow_container c = { .name = ml_c_name(r, decl),
				       .transient = transient };
	CXCursor exprs[ML_FLOW_DIMS];
	size_t count = size_exprs(r, decl, exprs, 0), used = 0;

	if (ml_c_is_pointer(r, t)) {
		/* how much it points to is not known */
		c.shape[c.dims++] = NULL;
		t = r->clang->getPointeeType(r->clang->getCanonicalType(t));
	}
	while (is_array(r, t) && c.dims < ML_FLOW_DIMS) {
		CXType at = r->clang->getCanonicalType(t);
		long long n = at.kind == CXType_ConstantArray ? r->clang->getArraySize(at)
							      : -1;

		if (n >= 0)
			c.shape[c.dims] = ml_sym_const(&r->f->arena, n);
		else if (at.kind == CXType_VariableArray && used < count)
			c.shape[c.dims] = size_value(r, exprs[used]);
		used += at.kind != CXType_IncompleteArray;
		if (c.shape[c.dims] && ml_sym_has_unknown(c.shape[c.dims]))
			c.shape[c.dims] = NULL;
		c.dims++;
		t = r->clang->getArrayElementType(at);
	}
	long long size = r->clang->Type_getSizeOf(t);
	c.element = size > 0 && size < 1 << 30 ? (uint32_t)size : 1;
	CXString type = r->clang->getTypeSpelling(t);
	c.type = ml_arena_strdup(&r->f->arena, r->clang->getCString(type));
	r->clang->disposeString(type);
	const struct ml_sym *stride = ml_sym_const(&r->f->arena, 1);
	for (uint32_t d = c.dims; d-- > 0;) {
		c.stride[d] = stride;
		stride = c.shape[d] ? ml_sym_make(&r->f->arena, ML_SYM_MUL, stride,
						  c.shape[d])
				    : ml_sym_unknown(&r->f->arena);
	}
	return ml_flow_add_container(r->f, &c);
}

struct ml_c_variable *ml_c_declare(struct ml_c_reader *r, CXCursor decl, bool argument)
{
	struct ml_c_variable v = { .decl = r->clang->getCanonicalCursor(decl) };
	CXType t = r->clang->getCursorType(decl);

	if (is_array(r, t)) {
		v.place = (struct ml_c_place){ .ok = true, .array = true };
		v.place.container = add_container(r, decl, t, !argument);
	} else if (ml_c_is_pointer(r, t) && argument) {
		v.place = (struct ml_c_place){ .ok = true, .count = 1 };
		v.place.container = add_container(r, decl, t, false);
		v.place.index[0] = ml_sym_const(&r->f->arena, 0);
	} else if (ml_c_is_integer(r, t)) {
		v.value = ml_sym_unknown(&r->f->arena);
		if (argument) {
			const char *name = ml_c_name(r, decl);
			uint32_t s = ml_flow_find_symbol(r->f, name);

			if (s == UINT32_MAX)
				s = ml_flow_add_symbol(r->f, name, ML_FLOW_PARAMETER);
			v.value = ml_sym_symbol(&r->f->arena, s);
		}
	}
	r->variable = ml_grow(r->variable, &r->variable_cap, r->variable_count + 1,
			      sizeof(*r->variable));
	r->variable[r->variable_count] = v;
	return &r->variable[r->variable_count++];
}

uint32_t ml_c_work(struct ml_c_reader *r, CXCursor c)
{
	if (r->work == ML_FLOW_NONE) {
		uint32_t line = ml_c_line(r, c, NULL);

		r->work = ml_flow_add_node(
			r->f, r->parent, ML_FLOW_WORK,
			ml_arena_printf(&r->f->arena, "line %u", (unsigned)line));
		r->f->node[r->work].line = line;
	}
	return r->work;
}

void ml_c_access(struct ml_c_reader *r, CXCursor c, const struct ml_c_place *p,
		 bool write)
{
	const struct ml_flow_container *of = &r->f->container[p->container];
	uint32_t work = ml_c_work(r, c);
	struct ml_flow_access *x = ml_flow_add_access(r->f, work, p->container, write);

	x->line = ml_c_line(r, c, &x->column);
	x->bounded = r->bounded || p->unknown;
	x->field = (uint32_t)p->field;
	x->size = (uint32_t)p->size;
	if (p->unknown || p->count != of->dims) {
		ml_flow_add_note(r->f,
				 "line %u: the place in '%s' depends on data; the "
				 "access is counted, but not placed",
				 (unsigned)x->line, of->name);
		x->bounded = true;
		return;
	}
	x->dims = p->count;
	bool data = false;
	for (uint32_t d = 0; d < p->count; d++) {
		x->range[d] = (struct ml_flow_range){ p->index[d], p->index[d],
						      ml_sym_const(&r->f->arena, 1) };
		data |= ml_sym_has_unknown(p->index[d]) ||
			ml_sym_has_unknown(of->stride[d]);
	}
	if (data)
		ml_flow_add_note(r->f,
				 "line %u: a subscript of '%s' depends on data; the "
				 "access is counted, but not placed",
				 (unsigned)x->line, of->name);
	x->bounded |= data;
}

/* An array becomes a pointer to its first element. */
static struct ml_c_place decayed(struct ml_c_reader *r, struct ml_c_place p)
{
	if (!p.ok || !p.array)
		return p;
	if (p.count < ML_FLOW_DIMS)
		p.index[p.count++] = ml_sym_const(&r->f->arena, 0);
	p.array = false;
	return p;
}

static struct ml_c_place moved(struct ml_c_reader *r, struct ml_c_place p,
			       const struct ml_sym *by, bool back)
{
	struct ml_arena *a = &r->f->arena;

	p = decayed(r, p);
	if (!p.ok || !p.count)
		return p;
	const struct ml_sym **at = &p.index[p.count - 1];
	if (p.size) /* inside a member: elements do not move */
		p.unknown |= !ml_sym_is(by, 0);
	else
		*at = back ? ml_sym_sub(a, *at, by) : ml_sym_make(a, ML_SYM_ADD, *at, by);
	return p;
}

/* What a pointer of this place points to: an element, or an array. */
static struct ml_c_place pointed(struct ml_c_reader *r, struct ml_c_place p)
{
	p = decayed(r, p);
	p.array = p.ok && p.count < r->f->container[p.container].dims;
	return p;
}

/* Dimensions and element of a member that is an array or a pointer. */
static void member_shape(struct ml_c_reader *r, CXType t, struct ml_flow_container *c)
{
	if (ml_c_is_pointer(r, t)) {
		c->shape[c->dims++] = NULL;
		t = r->clang->getPointeeType(r->clang->getCanonicalType(t));
	}
	while (is_array(r, t) && c->dims < ML_FLOW_DIMS) {
		CXType at = r->clang->getCanonicalType(t);
		long long n = at.kind == CXType_ConstantArray ? r->clang->getArraySize(at)
							      : -1;

		c->shape[c->dims++] = n >= 0 ? ml_sym_const(&r->f->arena, n) : NULL;
		t = r->clang->getArrayElementType(at);
	}
	long long size = r->clang->Type_getSizeOf(t);
	CXString type = r->clang->getTypeSpelling(t);
	c->element = size > 0 && size < 1 << 30 ? (uint32_t)size : 1;
	c->type = ml_arena_strdup(&r->f->arena, r->clang->getCString(type));
	r->clang->disposeString(type);
}

static void member_strides(struct ml_c_reader *r, struct ml_flow_container *c,
			   uint32_t from)
{
	const struct ml_sym *stride = ml_sym_const(&r->f->arena, 1);

	for (uint32_t d = c->dims; d-- > from;) {
		c->stride[d] = stride;
		stride = c->shape[d] ? ml_sym_make(&r->f->arena, ML_SYM_MUL, stride,
						   c->shape[d])
				     : ml_sym_unknown(&r->f->arena);
	}
}

/* The container of a member; made where it is first met. */
static uint32_t member_container(struct ml_c_reader *r, const char *name,
				 const struct ml_flow_container *c)
{
	for (size_t i = 0; i < r->f->container_count; i++)
		if (!r->f->container[i].scalar &&
		    r->f->container[i].view_of == c->view_of &&
		    r->f->container[i].dims == c->dims &&
		    !strcmp(r->f->container[i].name, name))
			return (uint32_t)i;
	return ml_flow_add_container(r->f, c);
}

/*
 * s.x[i], p[i].x[k]: an array inside a structure is a view of the array of structures,
 * with the dimensions of both. p->x[i], where x is a pointer: memory of its own.
 */
static struct ml_c_place member_array(struct ml_c_reader *r, CXType t, const char *name,
				      struct ml_c_place p, uint64_t offset)
{
	struct ml_arena *a = &r->f->arena;
	struct ml_flow_container c = { .name = name };
	const struct ml_flow_container *of = p.ok ? &r->f->container[p.container] : NULL;
	bool pointer = ml_c_is_pointer(r, t);

	if (of && !pointer) {
		c.dims = of->dims;
		memcpy(c.shape, of->shape, sizeof(c.shape));
		c.view_of = p.container + 1;
		c.view_at = ml_sym_const(a, (int64_t)(p.field + offset));
		c.transient = of->transient;
	}
	uint32_t outer = c.dims;
	member_shape(r, t, &c);
	member_strides(r, &c, outer);
	for (uint32_t d = 0; d < outer; d++)
		c.stride[d] = ml_sym_make(a, ML_SYM_MUL, of->stride[d],
					  ml_sym_const(a, of->element / c.element));
	struct ml_c_place q = { .ok = true, .unknown = p.unknown };
	if (pointer) {
		q.count = 1;
		q.index[0] = ml_sym_const(a, 0);
		/* which structure it is in must not depend on a loop */
		for (uint32_t d = 0; d < p.count; d++)
			q.unknown |= p.index[d]->op != ML_SYM_CONST;
	} else {
		q.array = true;
		q.count = p.count;
		memcpy(q.index, p.index, sizeof(q.index));
		q.unknown |= of && (p.count != of->dims || of->element % c.element);
	}
	q.container = member_container(r, name, &c);
	return q;
}

static struct ml_c_place member(struct ml_c_reader *r, CXCursor c, CXCursor of,
				struct ml_c_place p)
{
	CXCursor field = r->clang->getCursorReferenced(c);
	long long bits = r->clang->Cursor_getOffsetOfField(field);
	CXType t = r->clang->getCursorType(field);
	long long size = r->clang->Type_getSizeOf(t);
	const char *base = p.ok ? r->f->container[p.container].name
				: ml_c_name(r, ml_c_bare(r, of));
	uint64_t offset = bits > 0 ? (uint64_t)bits / 8 : 0;

	if ((is_array(r, t) || ml_c_is_pointer(r, t)) && *base && bits >= 0)
		return member_array(
			r, t,
			ml_arena_printf(&r->f->arena, "%s.%s", base, ml_c_name(r, c)), p,
			offset);
	if (!p.ok)
		return p;
	if (bits < 0 || size <= 0)
		p.unknown = true;
	p.field += offset;
	p.size = size > 0 ? (uint64_t)size : 1;
	return p;
}

static struct ml_c_place of_variable(struct ml_c_reader *r, CXCursor c)
{
	CXCursor decl = r->clang->getCursorReferenced(c);
	struct ml_c_variable *v = ml_c_find(r, decl);
	enum CXCursorKind k = r->clang->getCursorKind(decl);

	/* a global is first met where it is used */
	if (!v && (k == CXCursor_VarDecl || k == CXCursor_ParmDecl))
		v = ml_c_declare(r, decl, true);
	return v ? v->place : (struct ml_c_place){ 0 };
}

static struct ml_c_place of_binary(struct ml_c_reader *r, CXCursor c,
				   const struct ml_c_children *k)
{
	enum CXBinaryOperatorKind op = r->clang->getCursorBinaryOperatorKind(c);
	const struct ml_c_place none = { 0 };

	if (k->count != 2 || (op != CXBinaryOperator_Add && op != CXBinaryOperator_Sub))
		return none;
	bool quiet = r->quiet;
	bool first = ml_c_is_integer(r, r->clang->getCursorType(k->at[0]));
	struct ml_c_place p = ml_c_place(r, k->at[first]);
	r->quiet = true;
	const struct ml_sym *by = ml_c_value(r, k->at[!first]);
	r->quiet = quiet;
	return moved(r, p, by, op == CXBinaryOperator_Sub);
}

struct ml_c_place ml_c_place(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_place p = { 0 };
	struct ml_c_children k;
	bool quiet = r->quiet;

	if (r->depth >= ML_C_DEPTH)
		return p;
	r->depth++;
	c = ml_c_bare(r, c);
	ml_c_children(r, c, &k);
	switch ((int)r->clang->getCursorKind(c)) {
	case CXCursor_DeclRefExpr: p = of_variable(r, c); break;
	case CXCursor_ArraySubscriptExpr:
		if (k.count != 2)
			break;
		p = ml_c_place(r, k.at[0]);
		r->quiet = true;
		p = pointed(r, moved(r, p, ml_c_value(r, k.at[1]), false));
		break;
	case CXCursor_MemberRefExpr:
		if (k.count) {
			p = ml_c_place(r, k.at[0]);
			p = member(r, c, k.at[0],
				   p.array || ml_c_is_pointer(
						      r, r->clang->getCursorType(k.at[0]))
					   ? pointed(r, p)
					   : p);
		}
		break;
	case CXCursor_UnaryOperator:
		if (!k.count)
			break;
		p = ml_c_place(r, k.at[0]);
		if (r->clang->getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref)
			p = pointed(r, p);
		else if (r->clang->getCursorUnaryOperatorKind(c) !=
			 CXUnaryOperator_AddrOf)
			p.unknown = true;
		else if (p.array) /* the address of a row: a pointer to rows */
			p.array = false;
		break;
	case CXCursor_BinaryOperator: p = of_binary(r, c, &k); break;
	case CXCursor_CallExpr: p = ml_c_call_place(r, c); break;
	default: break;
	}
	r->quiet = quiet;
	r->depth--;
	return p;
}

static bool is_number(const struct ml_c_reader *r, CXType t)
{
	enum CXTypeKind k = r->clang->getCanonicalType(t).kind;

	return (k >= CXType_Bool && k <= CXType_LongDouble) || k == CXType_Half ||
	       k == CXType_Float16 || k == CXType_Float128 || k == CXType_Complex ||
	       k == CXType_Enum;
}

void ml_c_scalar(struct ml_c_reader *r, CXCursor c, struct ml_c_variable *v, bool write)
{
	CXType t = r->clang->getCursorType(v->decl);

	if (r->quiet || v->place.ok || r->clang->Cursor_isNull(v->decl) ||
	    !is_number(r, t))
		return;
	if (!v->data) {
		if (!write && r->clang->getCursorKind(v->decl) != CXCursor_VarDecl)
			return;
		long long size = r->clang->Type_getSizeOf(t);
		struct ml_flow_container x = { .name = ml_c_name(r, v->decl),
					       .element = size > 0 ? (uint32_t)size : 8,
					       .scalar = true,
					       .transient = true,
					       .inside = r->parent };
		CXString type = r->clang->getTypeSpelling(t);

		x.type = ml_arena_strdup(&r->f->arena, r->clang->getCString(type));
		r->clang->disposeString(type);
		v->data = ml_flow_add_container(r->f, &x) + 1;
	}
	uint32_t container = v->data - 1, work = ml_c_work(r, c);
	struct ml_flow_access *a = ml_flow_add_access(r->f, work, container, write);
	a->line = ml_c_line(r, c, &a->column);
	a->linear = ml_sym_const(&r->f->arena, 0);
	a->bounded = r->bounded;
}
