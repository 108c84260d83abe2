/* Calls of C: functions of the file in place, known functions of the library, others. */
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/c_read_parts.h"

/* Functions of <math.h> that memory does not see. Operation kinds, or -1. */
static int math(const char *name)
{
	static const char *const special[] = {
		"sqrt",  "exp",   "exp2",  "log",    "log2",   "log10", "pow",  "sin",
		"cos",   "tan",   "asin",  "acos",   "atan",   "atan2", "sinh", "cosh",
		"tanh",  "cbrt",  "erf",   "erfc",   "hypot",  "floor", "ceil", "round",
		"trunc", "expm1", "log1p", "tgamma", "lgamma", "fmod",  "rint", "cexp",
		"csqrt", "clog",  "cpow",  "cabs",   "carg"
	};
	static const char *const compare[] = { "fabs",  "fmin",     "fmax", "abs",
					       "labs",  "copysign", "fdim", "conj",
					       "creal", "cimag" };
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

/* Functions of the library whose effect on memory is known. */
static const struct known {
	const char *name;
	int write, read; /* arguments that it writes and reads; -1: none */
	int bytes;       /* argument with their number; -1: up to a 0, or all */
	bool fresh;      /* it returns memory of its own */
	bool returns;    /* it returns its first argument */
} known[] = {
	{ "memset", 0, -1, 2, false, true },
	{ "memcpy", 0, 1, 2, false, true },
	{ "memmove", 0, 1, 2, false, true },
	{ "strlen", -1, 0, -1, false, false },
	{ "strcmp", -1, 0, -1, false, false },
	{ "memcmp", -1, 0, 2, false, false },
	{ "strcpy", 0, 1, -1, false, true },
	{ "malloc", -1, -1, -1, true, false },
	{ "calloc", -1, -1, -1, true, false },
	{ "aligned_alloc", -1, -1, -1, true, false },
	{ "alloca", -1, -1, -1, true, false },
	{ "free", 0, -1, -1, false, false },
	{ NULL, 0, 0, 0, false, false },
};

static const struct ml_sym *unknown(struct ml_c_reader *r)
{
	return ml_sym_unknown(&r->f->arena);
}

enum { FACTORS = 16 };

static bool factors(const struct ml_sym *e, int64_t *number, const struct ml_sym **list,
		    size_t *count)
{
	if (e->op == ML_SYM_MUL)
		return factors(e->a, number, list, count) &&
		       factors(e->b, number, list, count);
	if (e->op == ML_SYM_CONST)
		return !__builtin_mul_overflow(*number, e->value, number);
	if (*count == FACTORS)
		return false;
	list[(*count)++] = e;
	return true;
}

/* x / y, if it is a whole number for all sizes; else NULL. */
static const struct ml_sym *quotient(struct ml_c_reader *r, const struct ml_sym *x,
				     const struct ml_sym *y)
{
	const struct ml_sym *of[FACTORS], *by[FACTORS];
	size_t have = 0, want = 0;
	int64_t n = 1, m = 1;

	if (!factors(x, &n, of, &have) || !factors(y, &m, by, &want) || !m || n % m)
		return NULL;
	for (size_t i = 0; i < want; i++) {
		size_t at = 0;

		while (at < have && !ml_sym_equal(of[at], by[i]))
			at++;
		if (at == have)
			return NULL;
		of[at] = of[--have];
	}
	const struct ml_sym *e = ml_sym_const(&r->f->arena, n / m);
	for (size_t i = 0; i < have; i++)
		e = ml_sym_make(&r->f->arena, ML_SYM_MUL, e, of[i]);
	return e;
}

/* Whether so many elements from one on are in the row of that one. */
static bool in_row(const struct ml_sym *from, const struct ml_sym *count,
		   const struct ml_sym *row)
{
	if (!row)
		return false;
	if (ml_sym_is(from, 0) && ml_sym_equal(count, row))
		return true;
	return from->op == ML_SYM_CONST && count->op == ML_SYM_CONST &&
	       row->op == ML_SYM_CONST && from->value + count->value <= row->value;
}

/* So many bytes from a place on; NULL: nobody knows how many. */
static void access_bytes(struct ml_c_reader *r, CXCursor c, struct ml_c_place p,
			 const struct ml_sym *bytes, bool write)
{
	struct ml_arena *a = &r->f->arena;

	p = ml_c_decayed(r, p);
	const struct ml_flow_container *of = p.ok && !p.value && !p.reg
						     ? &r->f->container[p.container]
						     : NULL;
	bool rows = of && p.count <= of->dims && !p.size && !p.unknown && bytes;
	const struct ml_sym *row = ml_sym_const(a, of ? of->element : 1);
	/* whole rows of an array: all that is behind the last index */
	for (uint32_t d = p.count; rows && d < of->dims; d++)
		row = of->shape[d] ? ml_sym_make(a, ML_SYM_MUL, row, of->shape[d])
				   : unknown(r);
	if (write && of)
		ml_c_overwrite(r, &p);
	const struct ml_sym *count = rows ? quotient(r, bytes, row) : NULL;
	if (!count || (p.count && of->dims > p.count && ml_sym_has_unknown(row)) ||
	    (of->dims > 1 && p.count == of->dims &&
	     !in_row(p.index[p.count - 1], count, of->shape[p.count - 1]))) {
		p.unknown = true;
		ml_c_access(r, c, &p, write);
		return;
	}
	for (uint32_t d = p.count; d < of->dims; d++)
		p.index[d] = ml_sym_const(a, 0);
	uint32_t first = p.count;
	p.count = of->dims;
	ml_c_access(r, c, &p, write);
	struct ml_flow_node *n = &r->f->node[r->work];
	struct ml_flow_access *x = &n->access[n->access_count - 1];
	of = &r->f->container[p.container];
	if (!x->dims)
		return;
	x->single = false;
	x->range[first - 1].to = ml_sym_add_const(
		a, ml_sym_make(a, ML_SYM_ADD, x->range[first - 1].from, count), -1);
	for (uint32_t d = first; d < of->dims; d++)
		x->range[d].to = ml_sym_add_const(a, of->shape[d], -1);
}

static bool call_known(struct ml_c_reader *r, CXCursor c, const char *name)
{
	const struct known *k = known;
	int n = r->clang->Cursor_getNumArguments(c);
	struct ml_c_place place[3] = { { 0 } };
	const struct ml_sym *value[3] = { NULL };

	if (!strncmp(name, "__builtin_", 10))
		name += 10;
	while (k->name && strcmp(k->name, name) != 0)
		k++;
	if (!k->name || n > 3)
		return false;
	for (int i = 0; i < n; i++) {
		CXCursor arg = r->clang->Cursor_getArgument(c, (unsigned)i);
		bool quiet = r->quiet;

		r->quiet = true;
		if (ml_c_is_pointer(r, r->clang->getCursorType(arg)))
			place[i] = ml_c_place(r, arg);
		else
			value[i] = ml_c_value(r, arg);
		r->quiet = quiet;
	}
	const struct ml_sym *bytes = k->bytes >= 0 && k->bytes < n && value[k->bytes] &&
						     !ml_sym_has_unknown(value[k->bytes])
					     ? value[k->bytes]
					     : NULL;
	if (k->read >= 0 && k->read < n)
		access_bytes(r, c, place[k->read], bytes, false);
	if (!strcmp(name, "strcmp") || !strcmp(name, "memcmp"))
		access_bytes(r, c, place[1], bytes, false);
	if (k->write >= 0 && k->write < n)
		access_bytes(r, c, place[k->write], bytes, true);
	r->returned_place = k->returns ? place[0]
				       : (struct ml_c_place){ .fresh = k->fresh };
	return true;
}

/* After a call of a function that is not here, globals have other values. */
static void forget_globals(struct ml_c_reader *r)
{
	for (size_t i = 0; i < r->variable_count; i++)
		if (r->variable[i].outlives && r->variable[i].value) {
			r->variable[i].value = unknown(r);
			r->variable[i].fixed = false;
		}
}

/* A function that this file does not define, or that cannot be read in place. */
static void foreign(struct ml_c_reader *r, CXCursor c, const char *name, const char *why)
{
	int n = r->clang->Cursor_getNumArguments(c), op = math(name);
	struct ml_arena *a = &r->f->arena;

	r->returned_place = (struct ml_c_place){ 0 };
	if (!why && op < 0 && call_known(r, c, name))
		return;
	for (int i = 0; i < n; i++) {
		CXCursor arg = r->clang->Cursor_getArgument(c, (unsigned)i);

		if (!ml_c_is_pointer(r, r->clang->getCursorType(arg))) {
			ml_c_value(r, arg);
			continue;
		}
		struct ml_c_place p = ml_c_place(r, arg);
		if (!p.ok || p.value)
			continue;
		p.unknown = true;
		ml_c_access(r, c, &p, false);
		ml_c_access(r, c, &p, true);
		ml_c_overwrite(r, &p);
	}
	if (op >= 0) {
		ml_c_operation(r, c, (enum ml_flow_op)op);
		return;
	}
	if (!why)
		why = "is not defined in this file";
	ml_flow_add_note(
		r->f,
		"line %u: '%s' %s; what it does is not counted, but for one access "
		"of each array that it gets",
		(unsigned)ml_c_line(r, c, NULL), name, why);
	ml_c_unplaced(r, c, ml_arena_printf(a, "'%s' %s", name, why));
	forget_globals(r);
}

CXCursor ml_c_body_of(const struct ml_c_reader *r, CXCursor function)
{
	struct ml_c_children k;

	if (r->clang->Cursor_isNull(function))
		return function;
	ml_c_children(r, function, &k);
	for (size_t i = 0; i < k.count; i++)
		if (r->clang->getCursorKind(k.at[i]) == CXCursor_CompoundStmt)
			return k.at[i];
	return r->clang->getNullCursor();
}

bool ml_c_is_math(const char *name)
{
	return math(name) >= 0;
}

static bool is_calling(const struct ml_c_reader *r, CXCursor function)
{
	for (unsigned i = 0; i <= r->inlined; i++)
		if (r->clang->equalCursors(r->calling[i], function))
			return true;
	return false;
}

static void bind(struct ml_c_reader *r, CXCursor arg, CXCursor to,
		 struct ml_c_variable *v)
{
	CXType t = r->clang->getCursorType(to);
	struct ml_c_place p = { 0 };
	const struct ml_sym *value = NULL;

	if (ml_c_is_pointer(r, t) || ml_c_is_array(r, t)) {
		p = ml_c_reshaped(r, to, t, ml_c_place(r, arg));
	} else
		value = ml_c_value(r, arg);
	*v = (struct ml_c_variable){ .decl = r->clang->getCanonicalCursor(to),
				     .inside = r->parent,
				     .place = p,
				     .value = ml_c_is_integer(r, t) ? value : NULL };
}

/* Parameters whose address is taken are in memory, and get their values there. */
static void bind_memory(struct ml_c_reader *r, CXCursor to)
{
	struct ml_c_variable *v = ml_c_declare(r, to, false);

	if (v->memory)
		ml_c_access(r, to, &v->place, true);
	else
		r->variable_count--;
}

static const struct ml_sym *inlined(struct ml_c_reader *r, CXCursor c, CXCursor function,
				    CXCursor body)
{
	int n = r->clang->Cursor_getNumArguments(c);
	uint32_t from = r->scop_from, to = r->scop_to;
	CXCursor outer = r->body, statement = r->statement;
	unsigned returns = r->returns;
	uint32_t base = r->base;
	bool bounded = r->bounded;
	struct ml_c_variable bound[64];

	for (int i = 0; i < n; i++)
		bind(r, r->clang->Cursor_getArgument(c, (unsigned)i),
		     r->clang->Cursor_getArgument(function, (unsigned)i), &bound[i]);
	ml_c_take_addresses(r, body);
	size_t count = r->variable_count;
	for (int i = 0; i < n; i++) {
		r->variable = ml_grow(r->variable, &r->variable_cap,
				      r->variable_count + 1, sizeof(*r->variable));
		r->variable[r->variable_count++] = bound[i];
	}
	for (int i = 0; i < n; i++)
		bind_memory(r, r->clang->Cursor_getArgument(function, (unsigned)i));
	r->scop_to = 0;
	r->calling[++r->inlined] = function;
	r->body = body;
	r->returns = 0;
	r->base = r->parent;
	r->returned = unknown(r);
	r->returned_place = (struct ml_c_place){ 0 };
	ml_c_statement(r, body);
	/* an early return leaves what follows it undone */
	if (r->returns > 1) {
		ml_c_effects(r, body);
		r->returned = unknown(r);
		r->returned_place = (struct ml_c_place){ 0 };
	}
	r->inlined--;
	r->body = outer;
	r->statement = statement;
	r->returns = returns;
	r->base = base;
	r->bounded = bounded;
	r->scop_from = from;
	r->scop_to = to;
	/* globals that were met inside stay known */
	for (size_t i = count; i < r->variable_count; i++)
		if (!r->variable[i].outlives)
			r->variable[i].decl = r->clang->getNullCursor();
	return r->returned;
}

/* Binds the arguments to the parameters and reads the body in place of the call. */
const struct ml_sym *ml_c_call(struct ml_c_reader *r, CXCursor c)
{
	CXCursor decl = r->clang->getCursorReferenced(c);
	const char *name = ml_c_name(r, c);
	int n = r->clang->Cursor_getNumArguments(c);

	r->returned_place = (struct ml_c_place){ 0 };
	if (!strcmp(name, "__builtin_expect") && n == 2)
		return ml_c_value(r, r->clang->Cursor_getArgument(c, 0));
	if (r->clang->Cursor_isNull(decl)) {
		foreign(r, c, *name ? name : "a function pointer", NULL);
		return unknown(r);
	}
	CXCursor function = r->clang->getCursorDefinition(decl);
	CXCursor body = ml_c_body_of(r, function);
	if (r->clang->Cursor_isNull(body)) {
		foreign(r, c, name, NULL);
		return unknown(r);
	}
	if (is_calling(r, function)) {
		foreign(r, c, name, "calls itself");
		return unknown(r);
	}
	if (r->inlined + 1 >= ML_C_INLINE || n > 64 ||
	    r->clang->Cursor_getNumArguments(function) != n) {
		foreign(r, c, name, "is called too deep inside others");
		return unknown(r);
	}
	return inlined(r, c, function, body);
}
