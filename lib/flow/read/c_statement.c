/* Statements of C: guards, declarations, jumps. */
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/c_read_parts.h"

static enum CXChildVisitResult append(CXCursor c, CXCursor parent, CXClientData data)
{
	struct ml_c_list *l = data;

	(void)parent;
	l->at = ml_grow(l->at, &l->cap, l->count + 1, sizeof(*l->at));
	l->at[l->count++] = c;
	return CXChildVisit_Continue;
}

void ml_c_list(const struct ml_c_reader *r, CXCursor c, struct ml_c_list *l)
{
	r->clang->visitChildren(c, append, l);
}

static enum CXCursorKind kind(const struct ml_c_reader *r, CXCursor c)
{
	return r->clang->getCursorKind(c);
}

uint32_t ml_c_add_node(struct ml_c_reader *r, enum ml_flow_kind k, CXCursor c,
		       const char *label)
{
	uint32_t n = ml_flow_add_node(r->f, r->parent, k, label);

	r->f->node[n].line = ml_c_line(r, c, NULL);
	return n;
}

void ml_c_body(struct ml_c_reader *r, CXCursor c, uint32_t below, bool of_loop)
{
	uint32_t parent = r->parent;

	r->parent = below;
	r->work = ML_FLOW_NONE;
	r->loop_body = of_loop;
	ml_c_statement(r, c);
	r->loop_body = false;
	r->parent = parent;
	r->work = ML_FLOW_NONE;
}

static void branch(struct ml_c_reader *r, CXCursor c, const struct ml_sym *condition,
		   const char *label)
{
	uint32_t n = ml_c_add_node(r, ML_FLOW_IF, c, label);

	if (ml_sym_has_unknown(condition))
		ml_flow_add_note(r->f,
				 "line %u: the condition depends on data; both branches "
				 "are counted, as upper bounds",
				 (unsigned)ml_c_line(r, c, NULL));
	r->f->node[n].condition = condition;
	ml_c_body(r, c, n, false);
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
		uint32_t otherwise = (uint32_t)r->f->node_count;

		/* the first branch may not have run */
		ml_c_effects(r, k.at[1]);
		branch(r, k.at[2], ml_sym_make(&r->f->arena, ML_SYM_NOT, v, NULL),
		       "else");
		r->f->node[otherwise].otherwise = true;
	}
	for (size_t i = 1; i < k.count; i++)
		ml_c_effects(r, k.at[i]);
}

/* { a, b, c }: all of an array or a structure is written. */
static void initialized(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_variable *v = &r->variable[r->variable_count - 1];
	struct ml_c_place p = v->place;

	if (!p.array) {
		ml_c_access(r, c, &p, true);
		return;
	}
	for (uint32_t d = 0; d < r->f->container[p.container].dims; d++)
		p.index[p.count++] = ml_sym_const(&r->f->arena, 0);
	ml_c_access(r, c, &p, true);
	struct ml_flow_node *n = &r->f->node[r->work];
	struct ml_flow_access *x = &n->access[n->access_count - 1];
	const struct ml_flow_container *of = &r->f->container[p.container];
	for (uint32_t d = 0; d < x->dims; d++) {
		x->single = false;
		x->bounded |= !of->shape[d];
		if (of->shape[d])
			x->range[d].to = ml_sym_add_const(&r->f->arena, of->shape[d], -1);
	}
}

static void declared_pointer(struct ml_c_reader *r, CXCursor c, CXCursor init)
{
	CXType t = r->clang->getCursorType(c);
	struct ml_c_place p = ml_c_place(r, init);

	ml_c_declare(r, c, false);
	struct ml_c_variable *x = &r->variable[r->variable_count - 1];
	if (x->memory) {
		ml_c_access(r, c, &x->place, true);
		return;
	}
	/* memory of its own, as malloc returns it, or as another function does */
	if (!p.ok && kind(r, ml_c_bare(r, init)) == CXCursor_CallExpr)
		ml_c_allocate(r, x, p.fresh);
	else
		x->place = ml_c_reshaped(r, c, t, p);
	ml_c_scalar(r, c, &r->variable[r->variable_count - 1], true);
}

static void declaration(struct ml_c_reader *r, CXCursor c)
{
	CXType t = r->clang->getCursorType(c);
	CXCursor init = r->clang->Cursor_getVarDeclInitializer(c);

	if (kind(r, c) != CXCursor_VarDecl)
		return;
	/* written once, before the program runs; or somewhere else */
	enum CX_StorageClass storage = r->clang->Cursor_getStorageClass(c);
	if (storage == CX_SC_Static || storage == CX_SC_Extern) {
		if (!ml_c_find(r, c))
			ml_c_declare(r, c, true);
		return;
	}
	if (r->clang->Cursor_isNull(init)) {
		ml_c_declare(r, c, false);
		return;
	}
	if (ml_c_is_pointer(r, t)) {
		declared_pointer(r, c, init);
		return;
	}
	const struct ml_sym *v = ml_c_value(r, init);
	ml_c_declare(r, c, false);
	struct ml_c_variable *x = &r->variable[r->variable_count - 1];
	if (x->value) {
		x->value = v;
		x->fixed = !r->loops && ml_sym_has_unknown(v);
	}
	if (x->memory || x->place.array)
		initialized(r, c);
	else
		ml_c_scalar(r, c, x, true);
}

static void return_statement(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_children k;

	ml_c_children(r, c, &k);
	r->returns += r->parent == r->base ? 1 : 2;
	if (!k.count)
		return;
	if (ml_c_is_pointer(r, r->clang->getCursorType(k.at[0])))
		r->returned_place = ml_c_place(r, k.at[0]);
	else
		r->returned = ml_c_value(r, k.at[0]);
}

/* What follows in a block runs only where the condition holds. */
static void guard_rest(struct ml_c_reader *r, CXCursor c, const struct ml_sym *condition,
		       const char *label)
{
	uint32_t n = ml_c_add_node(r, ML_FLOW_IF, c, label);

	r->f->node[n].condition = condition;
	r->parent = n;
	r->work = ML_FLOW_NONE;
}

/* if (condition) continue; in the body of a loop: the rest runs where it does not hold.
 */
static void skip(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_children k;

	ml_c_children(r, c, &k);
	const struct ml_sym *v = ml_c_value(r, k.at[0]);
	if (ml_sym_has_unknown(v))
		ml_flow_add_note(
			r->f,
			"line %u: whether the iteration goes on depends on data; "
			"what follows is counted, as an upper bound",
			(unsigned)ml_c_line(r, c, NULL));
	guard_rest(r, c, ml_sym_make(&r->f->arena, ML_SYM_NOT, v, NULL),
		   "unless skipped");
}

/* The last statement of a list that jumps back to a label. */
struct jump {
	const struct ml_c_reader *r;
	const char *label;
	bool found;
};

static enum CXChildVisitResult find_jump(CXCursor c, CXCursor parent, CXClientData data)
{
	struct jump *j = data;

	(void)parent;
	if (j->r->clang->getCursorKind(c) == CXCursor_LabelRef &&
	    !strcmp(ml_c_name(j->r, c), j->label))
		j->found = true;
	return j->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static size_t last_jump(const struct ml_c_reader *r, const struct ml_c_list *l, size_t at)
{
	struct jump j = { .r = r, .label = ml_c_name(r, l->at[at]) };
	size_t last = SIZE_MAX;

	for (size_t i = at; i < l->count; i++) {
		j.found = false;
		r->clang->visitChildren(l->at[i], find_jump, &j);
		if (j.found)
			last = i;
	}
	return last;
}

static void statements(struct ml_c_reader *r, const struct ml_c_list *l, size_t from,
		       size_t to, bool whole);

/* label: ... goto label; is a loop of which nobody knows how often it runs. */
static void jump_loop(struct ml_c_reader *r, const struct ml_c_list *l, size_t from,
		      size_t to)
{
	uint32_t parent = r->parent, symbol;

	for (size_t i = from; i < to; i++)
		ml_c_effects(r, l->at[i]);
	r->work = ML_FLOW_NONE;
	r->parent = ml_c_counted_loop(r, l->at[from], "goto", NULL, &symbol);
	r->jumps++;
	statements(r, l, from, to, false);
	r->jumps--;
	r->parent = parent;
	r->work = ML_FLOW_NONE;
	for (size_t i = from; i < to; i++)
		ml_c_effects(r, l->at[i]);
}

/* whole: the list is the body of a loop, so `continue` ends it. */
static void statements(struct ml_c_reader *r, const struct ml_c_list *l, size_t from,
		       size_t to, bool whole)
{
	bool returned = false;

	for (size_t i = from; i < to; i++) {
		CXCursor c = l->at[i];
		size_t back = kind(r, c) == CXCursor_LabelStmt && !r->jumps
				      ? last_jump(r, l, i)
				      : SIZE_MAX;

		if (back != SIZE_MAX) {
			jump_loop(r, l, i, back + 1);
			i = back;
		} else if (whole && ml_c_is_skip(r, c))
			skip(r, c);
		else
			ml_c_statement(r, c);
		/* a return further inside may end everything here */
		if (returned || i + 1 == to || kind(r, c) == CXCursor_ReturnStmt ||
		    kind(r, c) == CXCursor_DeclStmt || !ml_c_look(r, c).returns)
			continue;
		ml_flow_add_note(r->f,
				 "line %u: the function may end here; what follows is "
				 "counted, as an upper bound",
				 (unsigned)ml_c_line(r, c, NULL));
		guard_rest(r, l->at[i + 1], ml_sym_unknown(&r->f->arena),
			   "unless returned");
		returned = true;
	}
}

static void block(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_list l = { 0 };
	uint32_t parent = r->parent;
	bool whole = r->loop_body;

	r->loop_body = false;
	ml_c_list(r, c, &l);
	statements(r, &l, 0, l.count, whole);
	r->parent = parent;
	ml_free(l.at);
}

/* A block of unknown meaning: everything in it may run. */
static void uncertain(struct ml_c_reader *r, CXCursor c, const char *what)
{
	uint32_t n = ml_c_add_node(r, ML_FLOW_IF, c, what);
	uint32_t parent = r->parent;

	ml_flow_add_note(r->f,
			 "line %u: what of this %s runs is not known; all of it is "
			 "counted, as an upper bound",
			 (unsigned)ml_c_line(r, c, NULL), what);
	r->f->node[n].condition = ml_sym_unknown(&r->f->arena);
	ml_c_effects(r, c);
	r->parent = n;
	r->work = ML_FLOW_NONE;
	block(r, c);
	r->parent = parent;
	r->work = ML_FLOW_NONE;
	ml_c_effects(r, c);
}

static void switch_statement(struct ml_c_reader *r, CXCursor c)
{
	struct ml_c_children k;

	ml_c_children(r, c, &k);
	if (k.count != 2)
		return;
	CXCursor outer = r->switched;
	ml_c_value(r, k.at[0]);
	r->work = ML_FLOW_NONE;
	r->switched = k.at[1];
	uncertain(r, k.at[1], "switch");
	r->switched = outer;
}

/* Where a jump may arrive: what any other part of it assigned may be there. */
static void arrive(struct ml_c_reader *r, CXCursor part)
{
	if (!r->clang->Cursor_isNull(part))
		ml_c_effects(r, part);
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
		ml_c_effects(r, c);
		return;
	}
	r->depth++;
	if (!r->inlined)
		r->work = ML_FLOW_NONE;
	switch ((int)k) {
	case CXCursor_CompoundStmt: block(r, c); break;
	case CXCursor_ForStmt: ml_c_for(r, c); break;
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt: ml_c_while(r, c); break;
	case CXCursor_IfStmt: if_statement(r, c); break;
	case CXCursor_DeclStmt: {
		struct ml_c_list l = { 0 };

		ml_c_list(r, c, &l);
		for (size_t i = 0; i < l.count; i++)
			declaration(r, l.at[i]);
		ml_free(l.at);
		break;
	}
	case CXCursor_ReturnStmt: return_statement(r, c); break;
	case CXCursor_NullStmt:
	case CXCursor_BreakStmt:
	case CXCursor_ContinueStmt: break;
	case CXCursor_SwitchStmt: switch_statement(r, c); break;
	/* statements() knows what a jump may leave out */
	case CXCursor_GotoStmt: break;
	case CXCursor_LabelStmt:
		arrive(r, r->body);
		if (r->jumps)
			block(r, c);
		else
			uncertain(r, c, "jump");
		break;
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
		arrive(r, r->switched);
		block(r, c);
		break;
	case CXCursor_GCCAsmStmt: ml_c_unplaced(r, c, "what assembler code does"); break;
	default:
		if (r->clang->isExpression(k)) {
			r->statement = ml_c_bare(r, c);
			ml_c_value(r, c);
		} else
			uncertain(r, c, "statement");
	}
	r->depth--;
}
