#include <string.h>

#include "record/source/macro.h"
#include "record/source/sources.h"
#include "tests/scratch.h"
#include "tests/test.h"

static const char definitions[] = "#define GROW(v, n) ((v).at = realloc((v).at, (n)))\n"
				  "#  define PUSH(v, x) do { \\\n"
				  "\tif ((v).count == (v).room) GROW(v, 9); \\\n"
				  "\t(v).at[(v).count++] = (x); } while (0)\n"
				  "#define OUT(p, n) ((p)->at = get(n))\n"
				  "#define TABLE(name, type) type *table_##name\n"
				  "#define OBJECT 12\n";

/* What a call of a macro of these stands for; "nothing" if none of them has the name. */
static const char *expanded(const char *name, const char *arguments, bool inner)
{
	static struct ml_macro m;
	struct ml_macros x = { 0 };
	struct ml_sources sources = { 0 };
	FILE *f = fopen(scratch(), "w");

	fputs(definitions, f);
	fclose(f);
	bool found = ml_macro_expand(&m, &x, &sources, scratch(), name, arguments) &&
		     (!inner || ml_macro_expand_inner(&m, &x, &sources, scratch()));
	ml_macros_release(&x);
	ml_sources_release(&sources);
	return found ? m.text : "nothing";
}

TEST(arguments_stand_without_brackets_where_the_text_means_the_same)
{
	CHECK_STR(expanded("GROW", "list, 3", false),
		  " (list.at = realloc(list.at, (3))) ");
	CHECK_STR(expanded("GROW", "b[i].a, 3", false),
		  " (b[i].a.at = realloc(b[i].a.at, (3))) ");
	CHECK_STR(expanded("GROW", "*p, f(a, b)", false),
		  " (p->at = realloc(p->at, (f(a, b)))) ");
	CHECK_STR(expanded("OUT", "&x, 3", false), " (x.at = get(3)) ");
	CHECK_STR(expanded("GROW", "x + y, 3", false),
		  " ((x + y).at = realloc((x + y).at, (3))) ");
}

TEST(macros_in_a_text_are_expanded_when_asked_for)
{
	CHECK(strstr(expanded("PUSH", "*p, 1", false), "p->room) GROW(*p, 9);"));
	CHECK(strstr(expanded("PUSH", "*p, 1", true), "(p->at = realloc(p->at, (9)))"));
	CHECK_STR(expanded("GROW", "p, 1", true), "nothing"); /* no macro is in it */
}

TEST(words_are_pasted_together)
{
	CHECK_STR(expanded("TABLE", "codes, int", false), " int *table_codes ");
}

TEST(a_name_that_is_no_macro_with_arguments_is_nothing)
{
	CHECK_STR(expanded("OBJECT", "", false), "nothing");
	CHECK_STR(expanded("GRO", "p, 1", false), "nothing");
	CHECK_STR(expanded("GROW", "", false), " ((v).at = realloc((v).at, (n))) ");
}
