#include "record/symbols/heap_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "record/symbols/call_order.h"
#include "record/symbols/code.h"
#include "record/symbols/fortran_shape.h"
#include "record/symbols/fortran_statement.h"
#include "record/symbols/line_calls.h"
#include "record/symbols/objects.h"
#include "record/symbols/source_code.h"
#include "record/symbols/statement.h"
#include "record/symbols/types.h"
#include "record/symbols/variable.h"

enum {
	FRAMES_MAX = 64, /* frames examined: wrappers are near the allocation */
	RETURNS_MAX = 4, /* frames in a row that only return the block */
};

struct candidate {
	const struct ml_site *site;
	struct ml_frame frame;
	struct ml_statement statement;
	struct ml_variable variable;
	struct ml_object *object; /* of site, or NULL */
	bool known;               /* DWARF knows the variable */
	bool unread;              /* there is no source */
	bool passed;              /* the function hands the block to its caller */
	const char *library; /* function of a system library that it calls, or NULL */
	char bounds[ML_LVALUE_MAX]; /* of an array of Fortran, or empty */
};

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_library(const char *func, const char *file)
{
	return starts(func, "std::") || starts(func, "__gnu_cxx::") ||
	       starts(func, "operator new") || starts(file, "/usr/include/c++/") ||
	       starts(file, "/usr/lib/gcc/");
}

static bool is_wrapper(const char *func)
{
	return strcasestr(func, "alloc") || strcasestr(func, "strdup") ||
	       strcasestr(func, "memdup");
}

/* The allocator of C itself, not a function of a library that allocates for others. */
static bool is_allocator(const char *func)
{
	static const char *const names[] = {
		"malloc",         "calloc",        "realloc", "memalign",
		"posix_memalign", "aligned_alloc", "valloc",  "pvalloc",
		"reallocarray",   "strdup",        "strndup"
	};

	func += strspn(func, "_");
	if (starts(func, "libc_"))
		func += strlen("libc_");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);

		if (starts(func, names[i]) && (!func[n] || func[n] == '@'))
			return true;
	}
	return false;
}

/* Does the function return the variable that the statement begins with? */
static bool is_returned(struct ml_objects *o, const struct candidate *c)
{
	char base[ML_LVALUE_MAX];
	size_t n = 0;

	if (c->known && (!c->variable.of_function || c->variable.parameter))
		return false;
	while (isalnum((unsigned char)c->statement.name[n]) ||
	       c->statement.name[n] == '_')
		n++;
	memcpy(base, c->statement.name, n);
	base[n] = 0;
	return n && ml_source_code_returns(&o->sources,
					   ml_tables_text(o->tables, c->frame.file),
					   c->variable.function_line, base);
}

/* A void * of the function, or a variable of an allocator's own: "*out = p" will hand it
 * to the caller. */
static bool is_nameless(struct ml_objects *o, const struct candidate *c)
{
	bool wrapper = is_wrapper(ml_tables_text(o->tables, c->frame.func));

	return c->known && c->variable.holds &&
	       (c->variable.local ? wrapper || !c->variable.typed
				  : wrapper && !c->variable.typed);
}

/* The only argument of a macro that is a pointer is taken for the one that receives. */
static bool read_arguments(struct candidate *c, uint64_t vaddr, uint32_t k)
{
	char name[ML_LVALUE_MAX] = "";
	struct ml_variable v, found = { 0 };

	for (const char *p = c->statement.hidden, *end; *p; p = *end ? end + 1 : end) {
		char word[ML_LVALUE_MAX];
		size_t n = 0;

		end = p + strcspn(p, ",");
		for (const char *q = p; q < end && n + 1 < sizeof(word); q++)
			if (!isspace((unsigned char)*q) && *q != '&')
				word[n++] = *q;
		word[n] = 0;
		if (!n || !ml_variable_find(&v, c->object, vaddr, k, word, 0) || !v.holds)
			continue;
		if (*name)
			return false;
		memcpy(name, word, n + 1);
		found = v;
	}
	memcpy(c->statement.name, name, sizeof(name));
	c->variable = found;
	c->known = *name;
	return *name;
}

/* The statement does not say who receives the block: a macro hides it, or there is no
 * source. */
static void read_macro(struct candidate *c, uint64_t vaddr, uint32_t k)
{
	struct ml_statement *s = &c->statement;
	const char *name;

	if (!c->object || s->name[0] || !(*s->hidden || c->unread) ||
	    (*s->hidden && read_arguments(c, vaddr, k)))
		return;
	name = ml_variable_declared(c->object, vaddr, k, c->frame.line);
	if (!name || strlen(name) >= sizeof(s->name))
		return;
	memcpy(s->name, name, strlen(name) + 1);
	c->known = ml_variable_find(&c->variable, c->object, vaddr, k, name, 0);
}

/* Which array of an allocate a call is for. By address if there is a call for each;
 * where the compiler has copied some, by the first execution. */
static bool find_number(struct ml_objects *o, const struct candidate *c, uint64_t vaddr,
			const struct ml_fortran_statement *f, size_t *number)
{
	size_t count = 0;

	if (!c->object || !ml_line_calls_find(o->tables, c->object, vaddr, c->frame.line,
					      number, &count))
		return false;
	const struct ml_symbol *func = ml_object_func(c->object, vaddr);
	uint64_t key[] = { c->site->object, func ? func->low : 0, c->frame.line };
	if (count > f->count && !f->copies)
		*number = ml_call_order_find(&o->order, ml_hash(key, sizeof(key)), vaddr);
	else if (count != f->count)
		return false;
	return *number < f->count;
}

/* Several arrays of one statement are allocated in the order of its list. */
static bool read_fortran(struct ml_objects *o, struct candidate *c, uint64_t vaddr,
			 uint32_t column)
{
	struct ml_fortran_statement f;
	size_t number = 0;

	if (!ml_fortran_statement_read(&f, &o->sources,
				       ml_tables_text(o->tables, c->frame.file),
				       c->frame.line, column) ||
	    (f.count > 1 && !find_number(o, c, vaddr, &f, &number)))
		return false;
	memcpy(c->statement.name, f.object[number].name, ML_LVALUE_MAX);
	memcpy(c->bounds, f.object[number].bounds, ML_LVALUE_MAX);
	return true;
}

/* Reads statement and variable of a frame, which is number k of its site. */
static void examine(struct ml_objects *o, struct candidate *c, uint32_t k,
		    const char *callee)
{
	const struct ml_range *r = ml_objects_find(o, c->site->ip);
	struct ml_statement *s = &c->statement;
	uint64_t vaddr = 0;
	uint32_t column = 0;

	if (r && ml_objects_vaddr(r, c->site->ip, &vaddr))
		c->object = r->image->object;
	if (c->object)
		column = ml_code_column(c->object, vaddr, k);
	const char *path = ml_tables_text(o->tables, c->frame.file);
	if (ml_fortran_is(path))
		read_fortran(o, c, vaddr, column);
	else
		c->unread = !ml_statement_read(s, &o->sources, path, c->frame.line,
					       column, callee);
	c->known = c->object && s->name[0] &&
		   ml_variable_find(&c->variable, c->object, vaddr, k, s->name, s->deref);
	/* The statement assigns no pointer: the block goes to the argument. */
	if (c->known && !c->variable.holds && s->out[0]) {
		memcpy(s->name, s->out, sizeof(s->name));
		c->known = ml_variable_find(&c->variable, c->object, vaddr, k, s->name,
					    0);
	}
	/* The statement assigns a number that the callee computes: sum = norm(n). */
	if (c->known && c->variable.number && *callee && !is_wrapper(callee)) {
		s->name[0] = 0;
		c->known = false;
	}
	read_macro(c, vaddr, k);
	c->passed = s->name[0] ? is_returned(o, c) || is_nameless(o, c) : s->returned;
}

/* A function received the block of an inner one, which calls it `inner`: p = make() names
 * what is p->data inside of make "p->data". */
static void receive(struct candidate *inner, const struct candidate *outer)
{
	struct ml_statement *s = &inner->statement;
	char suffix[ML_LVALUE_MAX];

	size_t word = strcspn(s->name, ".-[%");
	memcpy(suffix, s->name + word, strlen(s->name + word) + 1);
	if (!*suffix) {
		bool typed = inner->known && inner->variable.typed;
		struct candidate type = *inner;

		*inner = *outer;
		if (typed && !(outer->known && outer->variable.typed)) {
			inner->variable = type.variable;
			inner->object = type.object;
			inner->known = true;
		}
		return;
	}
	size_t n = strlen(outer->statement.name);
	if (n + strlen(suffix) >= ML_LVALUE_MAX)
		return;
	memcpy(s->name, outer->statement.name, n);
	memcpy(s->name + n, suffix, strlen(suffix) + 1);
}

/* The function of a library that the site stack[i] calls, or NULL if it is no more than
 * the allocator or code of the user. */
static const char *called(struct ml_objects *o, const uint32_t *stack, size_t i,
			  const char *callee)
{
	if (!i || o->tables->sites.at[stack[i - 1]].user || is_allocator(callee) ||
	    is_library(callee, ""))
		return NULL;
	callee += strspn(callee, "_"); /* glibc calls printf __printf */
	return *callee ? callee : NULL;
}

/* The next frame of the user's own code, from frame *k of stack[*i] on; it steps behind
 * that frame. *callee: the function that the frame calls. */
static bool next_frame(struct ml_objects *o, const uint32_t *stack, size_t depth,
		       size_t *i, uint32_t *k, const char **callee, struct candidate *c)
{
	struct ml_tables *t = o->tables;

	for (; *i < depth && *i < FRAMES_MAX; ++*i, *k = 0) {
		const struct ml_site *site = &t->sites.at[stack[*i]];

		while (*k < site->frames) {
			struct ml_frame f = t->frames.at[site->frame + *k];
			const char *func = ml_tables_text(t, f.func);

			++*k;
			if (site->user && !is_library(func, ml_tables_text(t, f.file))) {
				*c = (struct candidate){ .site = site, .frame = f };
				c->library = called(o, stack, *i, *callee);
				examine(o, c, *k - 1, *callee);
				*callee = func;
				return true;
			}
			*callee = func;
		}
	}
	return false;
}

/* "Matrix<double>::Matrix": templates are containers, as those of the standard library,
 * and what a constructor allocates is told apart by the variable that holds the object.
 */
static bool is_template_constructor(const char *func)
{
	const char *name = func, *open = strchr(func, '<'), *method = NULL;

	for (const char *p = func; (p = strstr(p, "::")); p += 2) {
		if (!open || p < open)
			name = p + 2;
		method = p;
	}
	return open && method && method > open && method[-1] == '>' &&
	       strlen(method + 2) == (size_t)(open - name) &&
	       !strncmp(name, method + 2, (size_t)(open - name));
}

/* The variable A of the caller holds the object whose member the block is: A.data. */
static void hold(struct candidate *inner, const struct candidate *outer)
{
	char name[ML_LVALUE_MAX];
	int n = snprintf(name, sizeof(name), "%s%s%s", outer->statement.name,
			 outer->variable.pointer ? "->" : ".", inner->statement.name);

	if (n > 0 && (size_t)n < sizeof(name))
		memcpy(inner->statement.name, name, (size_t)n + 1);
}

/*
 * Finds the frame after which the region is named. True: its statement names a variable.
 * *best has no site if all frames belong to the system. Functions that hand the block to
 * their callers are passed by, as long as a caller has a name for it.
 */
static bool choose(struct ml_objects *o, const uint32_t *stack, size_t depth,
		   struct candidate *best)
{
	const char *callee = "";
	struct candidate c;
	uint32_t k = 0;
	size_t i = 0;
	int returns = 0;

	*best = (struct candidate){ 0 };
	while (next_frame(o, stack, depth, &i, &k, &callee, &c)) {
		bool named = c.statement.name[0], have = best->statement.name[0];
		bool wrapper = is_wrapper(ml_tables_text(o->tables, c.frame.func));

		if (named && have)
			receive(best, &c);
		else if (named || !best->site ||
			 is_wrapper(ml_tables_text(o->tables, best->frame.func)))
			*best = c;
		if (!c.passed && (named || have || !wrapper))
			break;
		if (c.passed && !wrapper && returns++ == RETURNS_MAX)
			break;
	}
	if (best->known && best->variable.member &&
	    is_template_constructor(ml_tables_text(o->tables, best->frame.func)) &&
	    next_frame(o, stack, depth, &i, &k, &callee, &c) && c.known)
		hold(best, &c);
	return best->statement.name[0];
}

/* Sizes of types of C on x86-64. */
static uint64_t size_of(const char *type)
{
	static const struct {
		const char *name;
		uint64_t size;
	} types[] = {
		{ "char", 1 },     { "int8_t", 1 },    { "uint8_t", 1 },
		{ "bool", 1 },     { "short", 2 },     { "int16_t", 2 },
		{ "uint16_t", 2 }, { "int", 4 },       { "unsigned", 4 },
		{ "int32_t", 4 },  { "uint32_t", 4 },  { "float", 4 },
		{ "long", 8 },     { "int64_t", 8 },   { "uint64_t", 8 },
		{ "size_t", 8 },   { "double", 8 },    { "ssize_t", 8 },
		{ "intptr_t", 8 }, { "uintptr_t", 8 },
	};

	if (starts(type, "unsigned "))
		type += 9;
	if (strchr(type, '*'))
		return 8;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(types[i].name, type) == 0)
			return types[i].size;
	return 0;
}

static void set_type(struct ml_objects *o, struct candidate *c, uint64_t size,
		     struct ml_region *r)
{
	if (!c->known || !c->variable.typed) {
		r->elem = size_of(c->statement.type);
		r->type = ml_tables_name(o->tables, c->statement.type);
		return;
	}
	uint64_t row = ml_types_size(&c->variable.type);
	r->column_major = ml_fortran_is(ml_tables_text(o->tables, c->frame.file));
	ml_types_shape(o, c->object, &c->variable.type, row, r);
	/* A pointer to rows: the block has as many rows as fit. A pointer to the whole
	 * array: its shape is that of the block. */
	if (c->bounds[0]) {
		r->dims = 0;
		if (r->elem)
			ml_fortran_shape(r, c->bounds, size / r->elem, &o->sources,
					 ml_tables_text(o->tables, c->frame.file));
	} else if (r->dims && row && size / row == 1) {
		return;
	} else if (r->dims && r->dims < ML_DIMS && row && size / row) {
		memmove(r->dim + 1, r->dim, r->dims * sizeof(*r->dim));
		r->dim[0] = size / row;
		r->dims++;
	} else {
		r->dims = 0;
	}
}

/* The nearest function that is not the allocator itself. */
static const char *system_name(struct ml_objects *o, const uint32_t *stack, size_t depth)
{
	struct ml_tables *t = o->tables;

	for (size_t i = 0; i < depth; i++) {
		struct ml_frame f = ml_tables_frame(t, stack[i]);
		const char *func = ml_tables_text(t, f.func);

		if (*func && !is_wrapper(func) && !is_library(func, ""))
			return func;
	}
	return NULL;
}

/* " from f": the function of the same program or library that called a frame without
 * source; many allocations go through one nameless function. */
static const char *caller_name(struct ml_objects *o, const uint32_t *stack, size_t depth,
			       const struct candidate *c, struct ml_arena *a)
{
	struct ml_tables *t = o->tables;
	bool behind = false;

	for (size_t i = 0; i < depth; i++) {
		const struct ml_site *site = &t->sites.at[stack[i]];
		struct ml_frame f = ml_tables_frame(t, stack[i]);
		const char *func = ml_tables_text(t, f.func);

		if (behind && site->object != c->site->object)
			break;
		if (behind && f.func != c->frame.func && *func && !is_wrapper(func))
			return ml_arena_printf(a, " from %s", func);
		behind |= site == c->site;
	}
	return "";
}

/* "720000 bytes of multiarray_umath": a large block of code without lines, or of a
 * library that such code uses. A function without a name stands for its library. */
static const char *sized_name(const char *name, const char *library, uint64_t size,
			      struct ml_arena *a)
{
	size_t n = library ? strlen(library) : 0;

	if (library && strchr(library, '+'))
		n = strcspn(library, ".+");
	return ml_arena_printf(a, "%llu bytes of %.*s", (unsigned long long)size,
			       (int)(n ? n : strlen(name)), n ? library : name);
}

/* A name for blocks that no variable names. */
static const char *plain_name(struct ml_objects *o, const uint32_t *stack, size_t depth,
			      const struct candidate *c, uint64_t size,
			      struct ml_arena *a)
{
	const char *func = ml_tables_text(o->tables, c->frame.func);
	const char *name = NULL;

	if (c->site && c->frame.line)
		name = ml_arena_printf(a, "%s:%u", func, c->frame.line);
	else if (c->site && *func)
		name = ml_arena_printf(a, "%s%s", func,
				       caller_name(o, stack, depth, c, a));
	if (name && !c->frame.line && size >= ML_HEAP_NAME_LARGE)
		return sized_name(name, c->library, size, a);
	if (name)
		return c->library ? ml_arena_printf(a, "%s in %s", c->library, name)
				  : name;
	name = system_name(o, stack, depth);
	return name ? name
		    : ml_arena_printf(a, "heap of %s",
				      o->program ? o->program->base : "the program");
}

/* Blocks that a library allocates for itself while a line of the user's code calls one of
 * its functions are one region. */
static uint64_t *same_name(struct ml_objects *o, const struct ml_region *r,
			   const struct candidate *c)
{
	uint32_t key[] = { r->kind, r->name, r->object, r->line };

	if (c->statement.name[0] || !c->library)
		return NULL;
	return ml_map_add(&o->plain, ml_hash(key, sizeof(key)), NULL);
}

uint32_t ml_heap_name_region(struct ml_objects *o, enum ml_region_kind kind,
			     const uint32_t *stack, size_t depth, uint64_t size)
{
	struct ml_tables *t = o->tables;
	struct ml_region r = { .kind = kind, .depth = (uint32_t)depth };
	struct ml_arena a = { 0 };
	struct candidate c;
	bool named = choose(o, stack, depth, &c);

	r.name = ml_tables_name(t, named ? c.statement.name
					 : plain_name(o, stack, depth, &c, size, &a));
	ml_arena_release(&a);
	r.func = c.frame.func;
	r.file = c.frame.file;
	r.line = c.frame.line;
	r.object = c.site ? c.site->object : depth ? t->sites.at[stack[0]].object : 0;
	bool large = !c.frame.line && size >= ML_HEAP_NAME_LARGE;
	uint64_t *same = large ? NULL : same_name(o, &r, &c);
	if (same && *same)
		return (uint32_t)*same;
	if (c.site)
		set_type(o, &c, size, &r);
	r.stack = (uint32_t)t->stacks.count;
	for (size_t i = 0; i < depth; i++)
		*ML_ADD(t->stacks) = stack[i];
	*ML_ADD(t->regions) = r;
	if (same)
		*same = (uint32_t)t->regions.count - 1;
	return (uint32_t)t->regions.count - 1;
}
