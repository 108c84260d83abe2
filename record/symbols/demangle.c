#include "record/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"

/* Names of nested templates reach megabytes; more than this is of no use to a reader. */
enum { MAX_NAME = 1000 };

static void cut(char *from, char *to)
{
	memmove(from, to, strlen(to) + 1);
}

static void replace(char *name, const char *old, const char *with)
{
	size_t size = strlen(with);

	for (char *at = name; (at = strstr(at, old)); at += size) {
		memcpy(at, with, size);
		cut(at + size, at + strlen(old));
	}
}

/* Removes each template argument that starts with `with`, brackets and all. */
static void drop(char *name, const char *with)
{
	for (char *at = name; (at = strstr(at, with));) {
		char *end = at + strlen(with);

		for (int depth = 1; *end && depth; end++)
			depth += *end == '<' ? 1 : *end == '>' ? -1 : 0;
		while (*end == ' ')
			end++;
		cut(at, end);
	}
}

void ml_demangle_tidy(char *name)
{
	if (!strchr(name, '<'))
		return;
	replace(name, "std::__cxx11::", "std::");
	replace(name,
		"std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
		"std::string");
	drop(name, ", std::allocator<");
	drop(name, ", std::char_traits<");
	drop(name, ", std::default_delete<");
	replace(name, " >", ">");
}

/* step._omp_fn.0 and "step [clone ._omp_fn.0]": the body of a parallel region. */
static bool cut_region(char *name)
{
	char *mark = strstr(name, "._omp_fn.");

	if (!mark || mark == name)
		return false;
	char *clone = strstr(name, " [clone ");
	*(clone && clone < mark ? clone : mark) = 0;
	return true;
}

uint32_t ml_demangle(struct ml_tables *t, const char *symbol)
{
	struct ml_arena a = { 0 };
	char *demangled = NULL;

	if (symbol[0] == '_' && symbol[1] == 'Z')
		demangled = cplus_demangle_v3(symbol, DMGL_NO_OPTS);
	else if (symbol[0] == '_' && symbol[1] == 'R')
		demangled = rust_demangle(symbol, DMGL_NO_OPTS);
	if (!demangled && !strstr(symbol, "._omp_fn."))
		return ml_names_add_bytes(&t->names, symbol, strcspn(symbol, "@"));
	char *plain = ml_arena_strdup(&a, demangled ? demangled : symbol);
	free(demangled); /* libiberty's own malloc */
	ml_demangle_tidy(plain);
	if (cut_region(plain) || strstr(symbol, "._omp_fn."))
		plain = ml_arena_printf(&a, "%s (parallel region)", plain);
	size_t size = strlen(plain);
	uint32_t name = ml_names_add_bytes(&t->names, plain,
					   size < MAX_NAME ? size : MAX_NAME);
	ml_arena_release(&a);
	return name;
}
