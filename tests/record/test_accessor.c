#include "record/symbols/accessor.h"
#include "tests/test.h"

#include <string.h>

static bool is_short(const char *text)
{
	return ml_accessor_is_short(text, strlen(text));
}

TEST(one_or_two_statements_without_a_loop_are_an_accessor)
{
	CHECK(is_short("double get(int i) { return a[i]; }"));
	CHECK(is_short("void set(int i, int x)\n{\n\ta[i] = x;\n}\nfor (;;) {}"));
	CHECK(is_short("T &at(int i) { check(i); return a[i]; }"));
	CHECK(is_short("int get(int i) { if (i > n) { error(1); } return a[i]; }"));
	CHECK(is_short("int format(int form) { return fortune[form]; }"));
}

TEST(a_loop_or_more_statements_are_none)
{
	CHECK(!is_short("int sum(void) { for (i = 0; i < n; i++) s += a[i]; }"));
	CHECK(!is_short("int last(void) { while (a[i]) i++; return i; }"));
	CHECK(!is_short("void swap(void) { int t = a; a = b; b = t; }"));
	CHECK(!is_short("int f(void) { if (a) { b(); c(); d(); e(); } return g; }"));
}

TEST(a_declaration_or_a_text_that_ends_too_early_is_none)
{
	CHECK(!is_short("double get(int i);"));
	CHECK(!is_short("double get(int i) { return a[i];"));
	CHECK(!is_short("void nothing(void) {}"));
	CHECK(!is_short("}}}"));
	CHECK(!is_short(""));
}
