/* Types, declarations, and the accesses of computations. */
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

bool ml_c_is_array(const struct ml_c_reader *r, CXType t)
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

void ml_c_shape(struct ml_c_reader *r, CXCursor decl, CXType t,
		struct ml_flow_container *c)
{
	CXCursor exprs[ML_FLOW_DIMS];
	size_t count = size_exprs(r, decl, exprs, 0), used = 0;

	if (ml_c_is_pointer(r, t)) {
		/* how much it points to is not known */
		c->shape[c->dims++] = NULL;
		t = r->clang->getPointeeType(r->clang->getCanonicalType(t));
	}
	while (ml_c_is_array(r, t) && c->dims < ML_FLOW_DIMS) {
		CXType at = r->clang->getCanonicalType(t);
		long long n = at.kind == CXType_ConstantArray ? r->clang->getArraySize(at)
							      : -1;

		if (n >= 0)
			c->shape[c->dims] = ml_sym_const(&r->f->arena, n);
		else if (at.kind == CXType_VariableArray && used < count)
			c->shape[c->dims] = size_value(r, exprs[used]);
		used += at.kind != CXType_IncompleteArray;
		if (c->shape[c->dims] && ml_sym_has_unknown(c->shape[c->dims]))
			c->shape[c->dims] = NULL;
		c->dims++;
		t = r->clang->getArrayElementType(at);
	}
	long long size = r->clang->Type_getSizeOf(t);
	c->element = size > 0 && size < 1 << 30 ? (uint32_t)size : 1;
	CXString type = r->clang->getTypeSpelling(t);
	c->type = ml_arena_strdup(&r->f->arena, r->clang->getCString(type));
	r->clang->disposeString(type);
	const struct ml_sym *stride = ml_sym_const(&r->f->arena, 1);
	for (uint32_t d = c->dims; d-- > 0;) {
		c->stride[d] = stride;
		stride = c->shape[d] ? ml_sym_make(&r->f->arena, ML_SYM_MUL, stride,
						   c->shape[d])
				     : ml_sym_unknown(&r->f->arena);
	}
}

/* A container for an array or for what a pointer points to. */
static uint32_t add_container(struct ml_c_reader *r, CXCursor decl, CXType t,
			      bool transient)
{
	struct ml_flow_container c = { .name = ml_c_name(r, decl),
				       .transient = transient };

	ml_c_shape(r, decl, t, &c);
	return ml_flow_add_container(r->f, &c);
}

/* Whether the source takes the address of a variable that could be in a register. */
static bool is_taken(const struct ml_c_reader *r, CXCursor decl)
{
	for (size_t i = 0; i < r->taken.count; i++)
		if (r->clang->equalCursors(r->taken.at[i], decl))
			return true;
	return false;
}

static enum CXChildVisitResult take(CXCursor c, CXCursor parent, CXClientData data)
{
	struct ml_c_reader *r = data;
	struct ml_c_children k;

	(void)parent;
	if (r->clang->getCursorKind(c) != CXCursor_UnaryOperator ||
	    r->clang->getCursorUnaryOperatorKind(c) != CXUnaryOperator_AddrOf)
		return CXChildVisit_Recurse;
	do {
		ml_c_children(r, c, &k);
		c = k.count ? ml_c_bare(r, k.at[0]) : r->clang->getNullCursor();
	} while (r->clang->getCursorKind(c) == CXCursor_MemberRefExpr);
	if (r->clang->getCursorKind(c) == CXCursor_DeclRefExpr) {
		struct ml_c_cursors *t = &r->taken;

		t->at = ml_grow(t->at, &t->cap, t->count + 1, sizeof(*t->at));
		t->at[t->count++] =
			r->clang->getCanonicalCursor(r->clang->getCursorReferenced(c));
	}
	return CXChildVisit_Recurse;
}

void ml_c_take_addresses(struct ml_c_reader *r, CXCursor function)
{
	r->clang->visitChildren(function, take, r);
}

static bool outlives(const struct ml_c_reader *r, CXCursor decl)
{
	enum CX_StorageClass s = r->clang->Cursor_getStorageClass(decl);

	if (r->clang->getCursorKind(decl) != CXCursor_VarDecl)
		return false;
	return s == CX_SC_Static || s == CX_SC_Extern ||
	       r->clang->getCursorKind(r->clang->getCursorSemanticParent(decl)) ==
		       CXCursor_TranslationUnit;
}

/* A parameter of the flow for an integer of the program. Different variables of one name
 * are different parameters. */
static const struct ml_sym *parameter(struct ml_c_reader *r, CXCursor decl)
{
	const char *name = ml_c_name(r, decl);

	if (ml_flow_find_symbol(r->f, name) != UINT32_MAX)
		name = ml_arena_printf(&r->f->arena, "%s_%u", name,
				       (unsigned)ml_c_line(r, decl, NULL));
	uint32_t s = ml_flow_find_symbol(r->f, name);
	if (s == UINT32_MAX)
		s = ml_flow_add_symbol(r->f, name, ML_FLOW_PARAMETER);
	return ml_sym_symbol(&r->f->arena, s);
}

void ml_c_fix(struct ml_c_reader *r, struct ml_c_variable *v)
{
	v->fixed = false;
	v->value = parameter(r, v->decl);
}

/* The storage of a variable that could be in a register. */
static void in_memory(struct ml_c_reader *r, CXType t, struct ml_c_variable *v)
{
	struct ml_flow_container c = { .name = ml_c_name(r, v->decl),
				       .dims = 1,
				       .inside = v->inside,
				       .transient = !v->outlives };
	long long size = r->clang->Type_getSizeOf(t);
	CXString type = r->clang->getTypeSpelling(t);

	c.type = ml_arena_strdup(&r->f->arena, r->clang->getCString(type));
	r->clang->disposeString(type);
	c.element = size > 0 && size < 1 << 30 ? (uint32_t)size : 1;
	c.shape[0] = c.stride[0] = ml_sym_const(&r->f->arena, 1);
	v->memory = true;
	v->place = (struct ml_c_place){ .ok = true, .count = 1 };
	v->place.container = ml_flow_add_container(r->f, &c);
	v->place.index[0] = ml_sym_const(&r->f->arena, 0);
}

struct ml_c_variable *ml_c_declare(struct ml_c_reader *r, CXCursor decl, bool argument)
{
	struct ml_c_variable v = { .decl = r->clang->getCanonicalCursor(decl) };
	CXType t = r->clang->getCursorType(decl);

	v.outlives = outlives(r, v.decl);
	v.inside = v.outlives ? 0 : r->parent;
	if (ml_c_is_array(r, t)) {
		v.place = (struct ml_c_place){ .ok = true, .array = true };
		v.place.container = add_container(r, decl, t, !argument);
		r->f->container[v.place.container].inside = v.inside;
		/* as a parameter it is a pointer */
		r->f->container[v.place.container].pointed =
			r->clang->getCursorKind(v.decl) == CXCursor_ParmDecl &&
			!r->clang->isRestrictQualifiedType(t);
	} else if (is_taken(r, v.decl) && ml_c_is_scalar(r, t)) {
		in_memory(r, t, &v);
	} else if (ml_c_is_pointer(r, t) && argument) {
		v.place = (struct ml_c_place){ .ok = true, .count = 1 };
		v.place.container = add_container(r, decl, t, false);
		v.place.index[0] = ml_sym_const(&r->f->arena, 0);
		r->f->container[v.place.container].inside = v.inside;
		r->f->container[v.place.container].pointed =
			!r->clang->isRestrictQualifiedType(t);
	} else if (ml_c_is_integer(r, t)) {
		v.value = argument ? parameter(r, v.decl) : ml_sym_unknown(&r->f->arena);
	}
	r->variable = ml_grow(r->variable, &r->variable_cap, r->variable_count + 1,
			      sizeof(*r->variable));
	r->variable[r->variable_count] = v;
	return &r->variable[r->variable_count++];
}

void ml_c_allocate(struct ml_c_reader *r, struct ml_c_variable *v, bool own)
{
	size_t i = (size_t)(v - r->variable);
	uint32_t container = add_container(r, v->decl, r->clang->getCursorType(v->decl),
					   false);

	r->f->container[container].inside = r->parent;
	r->f->container[container].pointed = !own;
	r->variable[i].place =
		(struct ml_c_place){ .ok = true, .count = 1, .container = container };
	r->variable[i].place.index[0] = ml_sym_const(&r->f->arena, 0);
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

void ml_c_unplaced(struct ml_c_reader *r, CXCursor c, const char *why)
{
	uint32_t work = ml_c_work(r, c); /* may move the nodes */

	if (!r->f->node[work].unplaced)
		r->f->node[work].unplaced = why;
}

bool ml_c_is_scalar(const struct ml_c_reader *r, CXType t)
{
	enum CXTypeKind k = r->clang->getCanonicalType(t).kind;

	return (k >= CXType_Bool && k <= CXType_LongDouble) || k == CXType_Half ||
	       k == CXType_Float16 || k == CXType_Float128 || k == CXType_Complex ||
	       k == CXType_Enum || k == CXType_Pointer || k == CXType_Record;
}

/* The container of a variable in a register. */
static uint32_t register_container(struct ml_c_reader *r, struct ml_c_variable *v)
{
	CXType t = r->clang->getCursorType(v->decl);
	long long size = r->clang->Type_getSizeOf(t);

	if (v->data)
		return v->data - 1;
	struct ml_flow_container x = { .name = ml_c_name(r, v->decl),
				       .element = size > 0 ? (uint32_t)size : 8,
				       .scalar = true,
				       .transient = true,
				       .outlives = v->outlives,
				       .inside = v->inside };
	CXString type = r->clang->getTypeSpelling(t);

	x.type = ml_arena_strdup(&r->f->arena, r->clang->getCString(type));
	r->clang->disposeString(type);
	v->data = ml_flow_add_container(r->f, &x) + 1;
	return v->data - 1;
}

static void register_access(struct ml_c_reader *r, CXCursor c, const struct ml_c_place *p,
			    bool write)
{
	uint32_t container = register_container(r, &r->variable[p->reg - 1]);
	uint32_t work = ml_c_work(r, c);
	struct ml_flow_access *a = ml_flow_add_access(r->f, work, container, write);

	a->line = ml_c_line(r, c, &a->column);
	a->linear = ml_sym_const(&r->f->arena, 0);
	a->field = (uint32_t)p->field;
	a->size = (uint32_t)p->size;
	a->bounded = r->bounded || (write && p->unknown);
}

void ml_c_scalar(struct ml_c_reader *r, CXCursor c, struct ml_c_variable *v, bool write)
{
	struct ml_c_place p = { .ok = true, .reg = (uint32_t)(v - r->variable) + 1 };

	if (!v->memory && !r->clang->Cursor_isNull(v->decl) &&
	    ml_c_is_scalar(r, r->clang->getCursorType(v->decl)))
		register_access(r, c, &p, write);
}

void ml_c_access(struct ml_c_reader *r, CXCursor c, const struct ml_c_place *p,
		 bool write)
{
	uint32_t line = ml_c_line(r, c, NULL);

	if (p->value)
		return;
	if (!p->ok) {
		ml_flow_add_note(r->f,
				 "line %u: where a pointer leads is not known; what is "
				 "%s there is not counted",
				 (unsigned)line, write ? "written" : "read");
		ml_c_unplaced(r, c,
			      write ? "where a pointer leads that is written to"
				    : "where a pointer leads that is read from");
		return;
	}
	if (p->reg) {
		register_access(r, c, p, write);
		return;
	}
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
	bool data = false, strides = false;
	for (uint32_t d = 0; d < p->count; d++) {
		x->range[d] = (struct ml_flow_range){ p->index[d], p->index[d],
						      ml_sym_const(&r->f->arena, 1) };
		data |= ml_sym_has_unknown(p->index[d]);
		strides |= ml_sym_has_unknown(of->stride[d]);
	}
	if (data || (strides && !of->rows_of))
		ml_flow_add_note(r->f,
				 "line %u: a subscript of '%s' depends on data; the "
				 "access is counted, but not placed",
				 (unsigned)x->line, of->name);
	x->bounded |= data || (strides && !of->rows_of);
}

struct ml_c_place ml_c_decayed(struct ml_c_reader *r, struct ml_c_place p)
{
	if (!p.ok || !p.array)
		return p;
	if (p.count < ML_FLOW_DIMS)
		p.index[p.count++] = ml_sym_const(&r->f->arena, 0);
	p.array = false;
	return p;
}
