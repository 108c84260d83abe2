/* Where C expressions are, and where pointers lead. */
#include <inttypes.h>
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/c_read_parts.h"

static struct ml_c_place anywhere(void)
{
	return (struct ml_c_place){ 0 };
}

static struct ml_c_place no_memory(void)
{
	return (struct ml_c_place){ .ok = true, .value = true };
}

static uint64_t size_of(const struct ml_c_reader *r, CXType t)
{
	long long size = r->clang->Type_getSizeOf(t);

	return size > 0 ? (uint64_t)size : 0;
}

static struct ml_c_place moved(struct ml_c_reader *r, struct ml_c_place p,
			       const struct ml_sym *by, bool back)
{
	struct ml_arena *a = &r->f->arena;

	p = ml_c_decayed(r, p);
	if (!p.ok || !p.count || p.value || ml_sym_is(by, 0))
		return p;
	const struct ml_flow_container *of = &r->f->container[p.container];
	const struct ml_sym **at = &p.index[p.count - 1];
	/* elements inside a member do not move; those that a cast made have other sizes;
	 * those behind one element may be in the next row */
	if (p.size || p.as || (p.flat && of->dims > 1)) {
		p.unknown = true;
		return p;
	}
	*at = back ? ml_sym_sub(a, *at, by) : ml_sym_make(a, ML_SYM_ADD, *at, by);
	return p;
}

struct ml_c_place ml_c_moved(struct ml_c_reader *r, struct ml_c_place p,
			     const struct ml_sym *by)
{
	return moved(r, p, by, false);
}

/* What a pointer of this place points to: an element, or an array. */
static struct ml_c_place pointed(struct ml_c_reader *r, struct ml_c_place p)
{
	p = ml_c_decayed(r, p);
	if (!p.ok || p.value || p.reg)
		return p;
	p.array = p.count < r->f->container[p.container].dims;
	p.unknown |= p.as != 0;
	p.as = 0;
	p.flat = false;
	return p;
}

/* Dimensions and element of an array, or of what a pointer leads to. */
static void put_shape(struct ml_c_reader *r, CXType t, struct ml_flow_container *c)
{
	if (ml_c_is_pointer(r, t)) {
		c->shape[c->dims++] = NULL;
		t = r->clang->getPointeeType(r->clang->getCanonicalType(t));
	}
	while (ml_c_is_array(r, t) && c->dims < ML_FLOW_DIMS) {
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

static void put_strides(struct ml_c_reader *r, struct ml_flow_container *c, uint32_t from)
{
	const struct ml_sym *stride = ml_sym_const(&r->f->arena, 1);

	for (uint32_t d = c->dims; d-- > from;) {
		c->stride[d] = stride;
		stride = c->shape[d] ? ml_sym_make(&r->f->arena, ML_SYM_MUL, stride,
						   c->shape[d])
				     : ml_sym_unknown(&r->f->arena);
	}
}

/* A container by its name and what it belongs to; made where it is first met. */
static uint32_t part(struct ml_c_reader *r, const struct ml_flow_container *c)
{
	for (size_t i = 0; i < r->f->container_count; i++) {
		const struct ml_flow_container *x = &r->f->container[i];

		if (!x->scalar && x->view_of == c->view_of && x->rows_of == c->rows_of &&
		    x->dims == c->dims && !strcmp(x->name, c->name))
			return (uint32_t)i;
	}
	return ml_flow_add_container(r->f, c);
}

/* s.x[i], p[i].x[k]: an array inside a structure is a view of the array of structures,
 * with the dimensions of both. */
static struct ml_c_place member_array(struct ml_c_reader *r, CXType t, const char *name,
				      struct ml_c_place p, uint64_t offset)
{
	struct ml_arena *a = &r->f->arena;
	struct ml_flow_container c = { .name = name };
	bool memory = p.ok && !p.reg;
	const struct ml_flow_container *of = memory ? &r->f->container[p.container]
						    : NULL;

	if (of) {
		c.dims = of->dims;
		memcpy(c.shape, of->shape, sizeof(c.shape));
		c.view_of = p.container + 1;
		c.view_at = ml_sym_const(a, (int64_t)(p.field + offset));
		c.transient = of->transient;
		c.pointed = of->pointed;
		c.inside = of->inside;
	} else if (p.reg) {
		c.inside = r->variable[p.reg - 1].inside;
	}
	uint32_t outer = c.dims;
	put_shape(r, t, &c);
	put_strides(r, &c, outer);
	for (uint32_t d = 0; d < outer; d++)
		c.stride[d] = ml_sym_make(a, ML_SYM_MUL, of->stride[d],
					  ml_sym_const(a, of->element / c.element));
	struct ml_c_place q = { .ok = true, .unknown = p.unknown, .array = true };
	if (of) {
		q.count = p.count;
		memcpy(q.index, p.index, sizeof(q.index));
		q.unknown |= p.count != of->dims || of->element % c.element;
	}
	q.container = part(r, &c);
	return q;
}

static struct ml_c_place member(struct ml_c_reader *r, CXCursor c, CXCursor of,
				struct ml_c_place p)
{
	CXCursor field = r->clang->getCursorReferenced(c);
	long long bits = r->clang->Cursor_getOffsetOfField(field);
	CXType t = r->clang->getCursorType(field);
	uint64_t offset = bits > 0 ? (uint64_t)bits / 8 : 0, size = size_of(r, t);

	if (!p.ok || p.value)
		return p;
	if (ml_c_is_array(r, t) && bits >= 0) {
		const char *base = p.reg ? ml_c_name(r, ml_c_bare(r, of))
					 : r->f->container[p.container].name;

		return member_array(
			r, t,
			ml_arena_printf(&r->f->arena, "%s.%s", base, ml_c_name(r, c)), p,
			offset);
	}
	p.unknown |= bits < 0 || !size;
	p.field += offset;
	p.size = size ? size : 1;
	return p;
}

static struct ml_c_place of_variable(struct ml_c_reader *r, CXCursor c)
{
	CXCursor decl = r->clang->getCursorReferenced(c);
	struct ml_c_variable *v = ml_c_find(r, decl);
	enum CXCursorKind k = r->clang->getCursorKind(decl);

	if (k != CXCursor_VarDecl && k != CXCursor_ParmDecl)
		return no_memory();
	/* a global is first met where it is used */
	if (!v)
		v = ml_c_declare(r, decl, true);
	if (v->memory || ml_c_is_array(r, r->clang->getCursorType(decl)))
		return v->place;
	return (struct ml_c_place){ .ok = true, .reg = (uint32_t)(v - r->variable) + 1 };
}

struct ml_c_place ml_c_locate(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_place p = no_memory();
	struct ml_c_children k;
	bool quiet = r->quiet;

	if (r->depth >= ML_C_DEPTH)
		return anywhere();
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
		if (!k.count)
			break;
		p = ml_c_is_pointer(r, r->clang->getCursorType(k.at[0]))
			    ? pointed(r, ml_c_place(r, k.at[0]))
			    : ml_c_locate(r, k.at[0]);
		p = member(r, c, k.at[0], p);
		break;
	case CXCursor_UnaryOperator:
		if (k.count &&
		    r->clang->getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref) {
			p = pointed(r, ml_c_place(r, k.at[0]));
			break;
		}
		/* fall through */
	default: ml_c_value(r, c); break;
	}
	r->quiet = quiet;
	r->depth--;
	return p;
}

/* "A[]" is what the pointers in A lead to, "s.x" what the member x of s leads to. */
static const char *rows_name(struct ml_c_reader *r, CXCursor c,
			     const struct ml_c_place *p, bool one)
{
	struct ml_arena *a = &r->f->arena;
	const char *base = p->reg ? ml_c_name(r, r->variable[p->reg - 1].decl)
				  : r->f->container[p->container].name;

	if (r->clang->getCursorKind(c) == CXCursor_MemberRefExpr)
		return ml_arena_printf(a, "%s%s.%s", base, one ? "" : "[]",
				       ml_c_name(r, c));
	if (!one || p->reg)
		return ml_arena_printf(a, "%s[]", base);
	return ml_arena_printf(a, "%s[%" PRId64 "]", base, p->index[p->count - 1]->value);
}

/*
 * Where a pointer leads that lies in memory: to a container of its own, with the
 * dimensions of the pointers in front. Different pointers are taken to lead to different
 * memory, as long as the program does not overwrite them (c_finish.c).
 */
static struct ml_c_place rows(struct ml_c_reader *r, CXCursor c, CXType t,
			      const struct ml_c_place *p)
{
	struct ml_flow_container n = { .pointed = true };
	const struct ml_flow_container *of = p->reg ? NULL
						    : &r->f->container[p->container];
	struct ml_c_place q = { .ok = true, .unknown = p->unknown };
	bool one = true;

	if (!p->ok || p->value || p->array)
		return anywhere();
	for (uint32_t d = 0; d < p->count; d++)
		one &= p->index[d]->op == ML_SYM_CONST;
	for (uint32_t d = 0; d < p->count && !one && d + 1 < ML_FLOW_DIMS; d++) {
		n.shape[n.dims] = of->shape[d];
		n.stride[n.dims++] = ml_sym_unknown(&r->f->arena);
		q.index[q.count++] = p->index[d];
	}
	n.name = rows_name(r, c, p, one);
	n.rows_of = p->reg ? r->variable[p->reg - 1].data : p->container + 1;
	uint32_t outer = n.dims;
	put_shape(r, t, &n);
	put_strides(r, &n, outer);
	q.container = part(r, &n);
	q.index[q.count++] = ml_sym_const(&r->f->arena, 0);
	for (size_t i = 0; i < r->row_count; i++)
		if (r->rows[i].container == q.container)
			return q;
	r->rows = ml_grow(r->rows, &r->row_cap, r->row_count + 1, sizeof(*r->rows));
	r->rows[r->row_count++] = (struct ml_c_rows){ q.container, n.rows_of - 1,
						      p->field };
	return q;
}

void ml_c_overwrite(struct ml_c_reader *r, const struct ml_c_place *p)
{
	if (!p->ok || p->value)
		return;
	uint32_t at = p->reg ? r->variable[p->reg - 1].data - 1 : p->container;
	uint64_t field = p->size ? p->field : UINT64_MAX;

	r->changed = ml_grow(r->changed, &r->changed_cap, r->changed_count + 1,
			     sizeof(*r->changed));
	r->changed[r->changed_count++] = (struct ml_c_rows){ .pointers = at,
							     .field = field };
}

/* The value of a pointer that is a variable, an element or a member. */
static struct ml_c_place loaded(struct ml_c_reader *r, CXCursor c, CXType t)
{
	struct ml_c_place p = ml_c_locate(r, c);
	struct ml_c_variable *v = p.reg ? &r->variable[p.reg - 1] : NULL;

	if (v && ml_c_is_pointer(r, r->clang->getCursorType(v->decl))) {
		if (!v->place.ok || v->place.unknown || v->stepped)
			ml_c_scalar(r, c, v, false);
		return r->variable[p.reg - 1].place;
	}
	if (p.value)
		return anywhere();
	ml_c_access(r, c, &p, false);
	/* a pointer whose own address is known to others may lead anywhere */
	if (p.ok && !p.reg && r->clang->getCursorKind(c) == CXCursor_DeclRefExpr)
		return anywhere();
	return rows(r, c, t, &p);
}

static struct ml_c_place of_binary(struct ml_c_reader *r, CXCursor c,
				   const struct ml_c_children *k)
{
	enum CXBinaryOperatorKind op = r->clang->getCursorBinaryOperatorKind(c);

	if (k->count == 2 && op == CXBinaryOperator_Comma) {
		ml_c_value(r, k->at[0]);
		return ml_c_place(r, k->at[1]);
	}
	if (k->count == 2 && op == CXBinaryOperator_Assign) {
		ml_c_value(r, c);
		return loaded(r, ml_c_bare(r, k->at[0]), r->clang->getCursorType(c));
	}
	if (k->count != 2 || (op != CXBinaryOperator_Add && op != CXBinaryOperator_Sub))
		return anywhere();
	bool quiet = r->quiet;
	bool first = ml_c_is_integer(r, r->clang->getCursorType(k->at[0]));
	struct ml_c_place p = ml_c_place(r, k->at[first]);
	r->quiet = true;
	const struct ml_sym *by = ml_c_value(r, k->at[!first]);
	r->quiet = quiet;
	return moved(r, p, by, op == CXBinaryOperator_Sub);
}

static struct ml_c_place of_unary(struct ml_c_reader *r, CXCursor c,
				  const struct ml_c_children *k)
{
	enum CXUnaryOperatorKind op = r->clang->getCursorUnaryOperatorKind(c);
	struct ml_c_place p;

	if (!k->count)
		return anywhere();
	if (op == CXUnaryOperator_AddrOf) {
		p = ml_c_locate(r, k->at[0]);
		if (p.array)
			p.array = false; /* the address of a row: a pointer to rows */
		else
			p.flat = true;
		return p.reg ? anywhere() : p;
	}
	p = loaded(r, ml_c_bare(r, k->at[0]), r->clang->getCursorType(c));
	ml_c_value(r, c);
	if (op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PreDec)
		p = moved(r, p, ml_sym_const(&r->f->arena, 1),
			  op == CXUnaryOperator_PreDec);
	return p;
}

/* p ? a : b */
static struct ml_c_place of_choice(struct ml_c_reader *r, const struct ml_c_children *k)
{
	bool bounded = r->bounded;

	if (k->count != 3)
		return anywhere();
	ml_c_value(r, k->at[0]);
	r->bounded = true;
	struct ml_c_place p = ml_c_place(r, k->at[1]), q = ml_c_place(r, k->at[2]);
	r->bounded = bounded;
	if (!p.ok || !q.ok || p.value || q.value || p.reg || q.reg ||
	    p.container != q.container)
		return anywhere();
	p.unknown = true;
	return p;
}

struct ml_c_place ml_c_reshaped(struct ml_c_reader *r, CXCursor decl, CXType t,
				struct ml_c_place p)
{
	struct ml_arena *a = &r->f->arena;

	p = ml_c_decayed(r, p);
	if (!p.ok || p.value || p.reg)
		return p;
	struct ml_flow_container c = { .name = ml_c_name(r, decl) };
	uint32_t of = p.container, left = r->f->container[of].dims - p.count;
	CXType to = r->clang->getPointeeType(r->clang->getCanonicalType(t));
	if (to.kind == CXType_Void)
		return p;
	ml_c_shape(r, decl, t, &c);
	bool same = c.dims == left + 1 && c.element == r->f->container[of].element &&
		    !p.size;
	for (uint32_t d = 1; same && d < c.dims; d++) {
		const struct ml_sym *x = c.shape[d];
		const struct ml_sym *y = r->f->container[of].shape[p.count + d - 1];

		same = x && y && ml_sym_equal(x, y);
	}
	p.as = 0;
	if (same || (c.dims == 1 && p.size == c.element))
		return p;
	/* the same bytes with other dimensions */
	bool start = !p.unknown;
	for (uint32_t d = 0; d < p.count; d++)
		start &= ml_sym_is(p.index[d], 0);
	c.view_of = of + 1;
	c.view_at = start ? ml_sym_const(a, (int64_t)p.field) : ml_sym_unknown(a);
	c.inside = r->f->container[of].inside;
	c.transient = r->f->container[of].transient;
	c.pointed = r->f->container[of].pointed;
	struct ml_c_place q = { .ok = true, .count = 1 };
	q.container = ml_flow_add_container(r->f, &c);
	q.index[0] = ml_sym_const(a, 0);
	return q;
}

/* A cast to a pointer: elements of another size are not those of the container. */
static void cast(struct ml_c_reader *r, CXCursor c, struct ml_c_place *p)
{
	CXType t = r->clang->getPointeeType(
		r->clang->getCanonicalType(r->clang->getCursorType(c)));
	uint64_t size = size_of(r, t);

	if (!p->ok || p->value || p->reg || t.kind == CXType_Void)
		return;
	const struct ml_flow_container *of = &r->f->container[p->container];
	bool element = p->array ? p->count + 1 == of->dims : p->count == of->dims;
	if (!element || size != (p->size ? p->size : of->element) || ml_c_is_array(r, t))
		p->as = size ? size : 1;
	else
		p->as = 0;
}

struct ml_c_place ml_c_place(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_place p = anywhere();
	struct ml_c_children k;
	bool quiet = r->quiet;
	CXCursor bare = ml_c_bare(r, c);
	CXType t = r->clang->getCursorType(bare);

	if (r->depth >= ML_C_DEPTH)
		return p;
	r->depth++;
	ml_c_children(r, bare, &k);
	switch ((int)r->clang->getCursorKind(bare)) {
	case CXCursor_DeclRefExpr:
	case CXCursor_ArraySubscriptExpr:
	case CXCursor_MemberRefExpr:
		p = ml_c_is_pointer(r, t) ? loaded(r, bare, t) : ml_c_locate(r, bare);
		break;
	case CXCursor_UnaryOperator:
		if (r->clang->getCursorUnaryOperatorKind(bare) == CXUnaryOperator_Deref)
			p = ml_c_is_pointer(r, t) ? loaded(r, bare, t)
						  : ml_c_locate(r, bare);
		else
			p = of_unary(r, bare, &k);
		break;
	case CXCursor_BinaryOperator: p = of_binary(r, bare, &k); break;
	case CXCursor_CompoundAssignOperator:
		ml_c_value(r, bare);
		if (k.count && ml_c_is_pointer(r, t))
			p = loaded(r, ml_c_bare(r, k.at[0]), t);
		break;
	case CXCursor_ConditionalOperator: p = of_choice(r, &k); break;
	case CXCursor_CallExpr:
		ml_c_call(r, bare);
		p = r->returned_place;
		break;
	case CXCursor_StringLiteral: p = no_memory(); break;
	default: ml_c_value(r, bare); break;
	}
	/* the outermost cast is the one that counts */
	for (CXCursor at = c; !r->clang->equalCursors(at, bare);) {
		struct ml_c_children in;

		if (r->clang->getCursorKind(at) == CXCursor_CStyleCastExpr) {
			cast(r, at, &p);
			break;
		}
		ml_c_children(r, at, &in);
		if (!in.count)
			break;
		at = in.at[in.count - 1];
	}
	r->quiet = quiet;
	r->depth--;
	return p;
}
