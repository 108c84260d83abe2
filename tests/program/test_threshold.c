#include <stdio.h>

#include "lib/query/trace/text/threshold.h"
#include "lib/base/buf.h"
#include "tests/test.h"

/* L1.misses is 10, L1.asked 40, region("A b").L1.misses 3; all else is not there. */
static bool look_up(void *arg, const struct ml_threshold_path *path, double *value,
		    struct ml_err *err)
{
	(void)arg;
	if (path->count == 2 && !strcmp(path->part[0].word, "L1") &&
	    !path->part[0].has_arg) {
		*value = !strcmp(path->part[1].word, "misses") ? 10 : 40;
		return true;
	}
	if (path->count == 3 && !strcmp(path->part[0].word, "region") &&
	    !strcmp(path->part[0].arg, "A \"b\"")) {
		*value = 3;
		return true;
	}
	return ml_fail(err, ML_USAGE, "no '%s'", path->part[0].word);
}

static char said[1000];

static bool holds(const char *text)
{
	struct ml_buf why = { 0 };
	struct ml_err err;
	bool crossed = false;

	CHECK_OK(ml_threshold_test(text, look_up, NULL, &crossed, &why, &err), &err);
	snprintf(said, sizeof(said), "%.*s", (int)why.size, (const char *)why.data);
	ml_buf_release(&why);
	return crossed;
}

static const char *fails(const char *text)
{
	static struct ml_err err;
	struct ml_buf why = { 0 };
	bool crossed;

	CHECK(!ml_threshold_test(text, look_up, NULL, &crossed, &why, &err));
	CHECK_EQ(err.kind, ML_USAGE);
	ml_buf_release(&why);
	return err.text;
}

TEST(comparisons_compare)
{
	CHECK(holds("L1.misses > 9"));
	CHECK(!holds("L1.misses > 10"));
	CHECK(holds("L1.misses >= 10"));
	CHECK(holds("L1.misses<=10"));
	CHECK(!holds("L1.misses < 10"));
	CHECK(holds("L1.misses == 10"));
	CHECK(!holds("L1.misses != 10"));
	CHECK(holds("9.5 < L1.misses"));
}

TEST(numbers_have_suffixes)
{
	CHECK(holds("L1.misses == 0.01k"));
	CHECK(holds("1M == 1000000"));
	CHECK(holds("2.5G == 2500000000"));
	CHECK(holds("25% == 0.25"));
	CHECK(holds("-1 < 1"));
}

TEST(operators_bind_as_in_other_languages)
{
	CHECK(holds("1 + 2 * 3 == 7"));
	CHECK(holds("(1 + 2) * 3 == 9"));
	CHECK(holds("10 - 4 - 3 == 3"));
	CHECK(holds("16 / 4 / 2 == 2"));
	CHECK(holds("L1.misses / L1.asked == 25%"));
	CHECK(holds("1 == 1 or 1 == 2 and 1 == 2"));
	CHECK(!holds("(1 == 1 or 1 == 2) and 1 == 2"));
	CHECK(holds("not 1 == 2 and 1 == 1"));
	CHECK(!holds("not (1 == 2 or 1 == 1)"));
}

TEST(a_share_of_nothing_is_nothing)
{
	CHECK(holds("1 / 0 == 0"));
}

TEST(names_may_be_quoted)
{
	CHECK(holds("region(\"A \\\"b\\\"\").L1.misses == 3"));
}

TEST(it_says_what_is_so)
{
	CHECK(holds("L1.misses > 9 and L1.asked >= 40"));
	CHECK_STR(said, "L1.misses > 9: it is 10\nL1.asked >= 40: it is 40\n");
	CHECK(holds("L1.misses > 100 or L1.misses > 9"));
	CHECK_STR(said, "L1.misses > 9: it is 10\n");
	CHECK(!holds("L1.misses > 9 and L1.misses > 100"));
	CHECK_STR(said, "");
}

TEST(nonsense_is_refused_where_it_stands)
{
	CHECK_STR(fails("L1.misses"),
		  "'L1.misses': expected a comparison such as L1.miss_ratio > 0.05, not "
		  "'L1.misses'");
	CHECK_STR(fails("L1.misses >"),
		  "'L1.misses >': expected a number or a name, not the end");
	CHECK_STR(fails("L1.misses > 5 L2"),
		  "'L1.misses > 5 L2': expected and, or, or the end, not 'L2'");
	CHECK_STR(fails("(1 < 2"), "'(1 < 2': expected ), not the end");
	CHECK_STR(
		fails("1 < 2 and 3"),
		"'1 < 2 and 3': expected a comparison such as L1.miss_ratio > 0.05, not "
		"'3'");
	CHECK_STR(fails("(1 < 2) + 1 > 0"),
		  "'(1 < 2) + 1 > 0': expected a number, not '(1 < 2) + 1 > 0'");
	CHECK_STR(fails("5x > 3"),
		  "'5x > 3': expected k, M, G or % behind a number, not 'x > 3'");
	CHECK_STR(fails("region(\"A).L1 > 3"),
		  "'region(\"A).L1 > 3': expected the \" that ends a name, not the end");
	CHECK_STR(fails("L1. > 3"),
		  "'L1. > 3': expected a name behind the dot, not ' > 3'");
	CHECK_STR(fails("nothing > 3"), "'nothing > 3': no 'nothing'");
	CHECK_STR(fails(""), "'': expected a number or a name, not the end");
}

TEST(deep_nesting_is_refused)
{
	char text[2000] = "";

	memset(text, '(', 200);
	CHECK(strstr(fails(text), "expected fewer parentheses"));
}
