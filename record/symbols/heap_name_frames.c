#include "record/symbols/heap_name_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "record/symbols/call_order.h"
#include "record/symbols/code.h"
#include "record/source/fortran_statement.h"
#include "record/symbols/line_calls.h"
#include "record/source/macro.h"
#include "record/symbols/objects.h"
#include "record/source/range_for.h"
#include "record/source/source_code.h"

enum {
	FRAMES_MAX = 64, /* frames examined: wrappers are near the allocation */
	MACROS_MAX = 4,  /* macros in macros */
};

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

bool ml_heap_frames_is_library(const char *func, const char *file)
{
	return starts(func, "std::") || starts(func, "__gnu_cxx::") ||
	       starts(func, "operator new") || starts(file, "/usr/include/c++/") ||
	       starts(file, "/usr/lib/gcc/");
}

bool ml_heap_frames_is_wrapper(const char *func)
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
static bool is_returned(struct ml_objects *o, const struct ml_candidate *c)
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
static bool is_nameless(struct ml_objects *o, const struct ml_candidate *c)
{
	bool wrapper =
		ml_heap_frames_is_wrapper(ml_tables_text(o->tables, c->frame.func));

	return c->known && c->variable.holds &&
	       (c->variable.local ? wrapper || !c->variable.typed
				  : wrapper && !c->variable.typed);
}

/* The only argument of a macro that is a pointer is taken for the one that receives. */
static bool read_arguments(struct ml_candidate *c, uint64_t vaddr, uint32_t k)
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

/* Does the text have the word that an lvalue begins with? */
static bool has_base(const char *text, const char *lvalue)
{
	size_t n = 0;

	while (isalnum((unsigned char)lvalue[n]) || lvalue[n] == '_')
		n++;
	for (const char *p = text; n && *p; p++) {
		size_t k = 0;

		while (isalnum((unsigned char)p[k]) || p[k] == '_')
			k++;
		if (k == n && !memcmp(p, lvalue, n))
			return true;
		p += k ? k - 1 : 0;
	}
	return false;
}

/*
 * The definition of the macro has the assignment. A variable of the function that the
 * arguments do not name is one of the macro's own.
 */
static bool read_definition(struct ml_objects *o, struct ml_candidate *c, uint64_t vaddr,
			    uint32_t k, const char *callee)
{
	const char *path = ml_tables_text(o->tables, c->frame.file);
	struct ml_macro macro;
	struct ml_statement inner = { 0 };
	struct ml_variable v;

	if (!ml_macro_expand(&macro, &o->macros, &o->sources, path, c->statement.macro,
			     c->statement.hidden))
		return false;
	for (int i = 0; i < MACROS_MAX &&
			!ml_statement_parse_calls(&inner, macro.text, macro.size, callee);
	     i++)
		if (!ml_macro_expand_inner(&macro, &o->macros, &o->sources, path))
			return false;
	if (!inner.name[0] ||
	    !ml_variable_find(&v, c->object, vaddr, k, inner.name, inner.deref) ||
	    !v.holds || (v.of_function && !has_base(c->statement.hidden, inner.name)))
		return false;
	c->statement = inner;
	c->variable = v;
	c->known = true;
	return true;
}

/* The statement does not say which variable receives the block: a macro hides it, or
 * there is no source. */
static void read_macro(struct ml_objects *o, struct ml_candidate *c, uint64_t vaddr,
		       uint32_t k, const char *callee)
{
	struct ml_statement *s = &c->statement;
	const char *name;

	if (!c->object || (*s->hidden && read_definition(o, c, vaddr, k, callee)) ||
	    s->name[0] || !(*s->hidden || c->unread) ||
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
static bool find_number(struct ml_objects *o, const struct ml_candidate *c,
			uint64_t vaddr, const struct ml_fortran_statement *f,
			size_t *number)
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
static bool read_fortran(struct ml_objects *o, struct ml_candidate *c, uint64_t vaddr,
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
static void examine(struct ml_objects *o, struct ml_candidate *c, uint32_t k,
		    const char *callee)
{
	const struct ml_range *r = ml_objects_find(o, c->site->ip);
	struct ml_statement *s = &c->statement;
	uint64_t vaddr = 0;
	uint32_t column = 0;

	if (r && ml_objects_vaddr(r, c->site->ip, &vaddr))
		c->object = r->image->object;
	c->vaddr = vaddr;
	c->inlined = k;
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
	if (c->known && c->variable.number && *callee &&
	    !ml_heap_frames_is_wrapper(callee)) {
		s->name[0] = 0;
		c->known = false;
	}
	c->held = c->object && s->object[0] &&
		  ml_variable_find(&c->holder, c->object, vaddr, k, s->object, 0);
	read_macro(o, c, vaddr, k, callee);
	/* elements of what a loop walks over */
	if (c->known && c->variable.of_function && !c->variable.parameter)
		ml_range_for_rename(s->name, &o->sources, path, c->variable.line);
	if (c->held && c->holder.of_function && !c->holder.parameter)
		ml_range_for_rename(s->object, &o->sources, path, c->holder.line);
	c->passed = s->name[0] ? is_returned(o, c) || is_nameless(o, c) : s->returned;
}

/* The function of a library that the site stack[i] calls, or NULL if it is no more than
 * the allocator or code of the user. */
static const char *called(struct ml_objects *o, const uint32_t *stack, size_t i,
			  const char *callee)
{
	if (!i || o->tables->sites.at[stack[i - 1]].user || is_allocator(callee) ||
	    ml_heap_frames_is_library(callee, ""))
		return NULL;
	callee += strspn(callee, "_"); /* glibc calls printf __printf */
	return *callee ? callee : NULL;
}

bool ml_heap_frames_next(struct ml_heap_frames *s, struct ml_candidate *c)
{
	struct ml_tables *t = s->objects->tables;

	for (; s->i < s->depth && s->i < FRAMES_MAX; s->i++, s->k = 0) {
		const struct ml_site *site = &t->sites.at[s->stack[s->i]];

		while (s->k < site->frames) {
			struct ml_frame f = t->frames.at[site->frame + s->k];
			const char *func = ml_tables_text(t, f.func);

			s->k++;
			if (site->user &&
			    !ml_heap_frames_is_library(func, ml_tables_text(t, f.file))) {
				*c = (struct ml_candidate){ .site = site, .frame = f };
				c->library = called(s->objects, s->stack, s->i,
						    s->callee);
				examine(s->objects, c, s->k - 1, s->callee);
				s->callee = func;
				return true;
			}
			s->callee = func;
		}
	}
	return false;
}
