#include "lib/prune/space.h"

#include <stdio.h>

#include "tests/test.h"

static struct ml_space space;
static struct ml_err err;

static bool parse(const char *text)
{
	return ml_space_parse(&space, "s.txt", text, strlen(text), &err);
}

/* The constant that an expression is. */
static int64_t constant(const char *text)
{
	char line[300];

	snprintf(line, sizeof(line), "space x\na in 1..2\nc = %s\nhard h: a > 1\n", text);
	CHECK_OK(parse(line), &err);
	const struct ml_expr *e = &space.exprs.at[space.derived[0].node];
	CHECK_EQ(e->op, ML_EXPR_NUMBER);
	int64_t v = e->value;
	ml_space_release(&space);
	return v;
}

TEST(expressions_follow_the_strength_of_their_operations)
{
	CHECK_EQ(constant("1 + 2 * 3"), 7);
	CHECK_EQ(constant("(1 + 2) * 3"), 9);
	CHECK_EQ(constant("10 - 3 - 2"), 5);
	CHECK_EQ(constant("2 * 7 mod 5"), 4);
	CHECK_EQ(constant("1 + 1 == 2 and 3 < 4 or 1 > 2"), 1);
	CHECK_EQ(constant("not 1 == 2"), 0); /* (not 1) == 2 */
	CHECK_EQ(constant("not (1 == 2)"), 1);
	CHECK_EQ(constant("-7 / 2"), -3);
	CHECK_EQ(constant("-7 mod 2"), -1);
	CHECK_EQ(constant("48K"), 49152);
	CHECK_EQ(constant("min(3, max(1, 2)) + abs(-4)"), 6);
	CHECK_EQ(constant("if(1 < 2, 10, 20)"), 10);
	CHECK_EQ(constant("ceil_div(7, 2)"), 4);
}

TEST(a_line_goes_on_after_an_operation_and_in_parentheses)
{
	CHECK_EQ(constant("1 +\n 2"), 3);
	CHECK_EQ(constant("(1\n + 2)"), 3);
}

TEST(equal_parts_are_one_node)
{
	CHECK_OK(parse("space x\na in 1..9\nb in 1..9\n"
		       "hard p: a * b > 5\nsoft q: a * b > 5\nsoft r: b * a > 5\n"),
		 &err);
	CHECK_EQ(space.constraints[0].node, space.constraints[1].node);
	CHECK(space.constraints[0].node != space.constraints[2].node);
	ml_space_release(&space);
}

TEST(a_node_knows_its_level_and_an_interval)
{
	CHECK_OK(parse("space x\na in 1..9\nb in 2..3\nc = a * b - 1\nd = a / b\n"
		       "e = a mod b\nhard h: c > 1\n"),
		 &err);
	const struct ml_expr *c = &space.exprs.at[space.derived[0].node],
			     *d = &space.exprs.at[space.derived[1].node],
			     *e = &space.exprs.at[space.derived[2].node];
	CHECK_EQ(c->level, 1);
	CHECK_EQ(c->lo, 1);
	CHECK_EQ(c->hi, 26);
	CHECK_EQ(d->lo, 0);
	CHECK_EQ(d->hi, 4);
	CHECK_EQ(e->lo, 0);
	CHECK_EQ(e->hi, 2);
	ml_space_release(&space);
}

TEST(permutations_are_numbered_as_words_are_sorted)
{
	struct ml_arena a = { 0 };
	int64_t v;

	CHECK_OK(parse("space x\no in permutations of p q r\nhard h: before(o, q, p)\n"),
		 &err);
	CHECK_STR(ml_space_value(&space, 0, 0, &a), "p,q,r");
	CHECK_STR(ml_space_value(&space, 0, 3, &a), "q,r,p");
	CHECK_STR(ml_space_value(&space, 0, 5, &a), "r,q,p");
	for (int64_t i = 0; i < 6; i++) {
		CHECK(ml_space_read_value(&space, 0, ml_space_value(&space, 0, i, &a),
					  &v));
		CHECK_EQ(v, i);
	}
	CHECK(!ml_space_read_value(&space, 0, "p,q", &v));
	CHECK(!ml_space_read_value(&space, 0, "p,q,q", &v));
	CHECK(!ml_space_read_value(&space, 0, "p,q,r,r", &v));
	ml_arena_release(&a);
	ml_space_release(&space);
}

TEST(mistakes_are_told_with_line_and_column)
{
	static const char *const cases[][2] = {
		{ "", "s.txt:1:1: a description begins with 'space NAME'" },
		{ "space\n", "s.txt:1:6: the name of the space is wanted, not the end" },
		{ "space x\n", "s.txt:2:1: the space has no parameter" },
		{ "space x\na in 1..2\n", "s.txt:3:1: the space has no constraint" },
		{ "space x\na 1\n", "s.txt:2:3: after 'a' comes 'in'" },
		{ "space x\na in 1..2 3\n", "s.txt:2:11: the line should end here" },
		{ "space x\na in 1..b\n", "s.txt:2:9: 'b' is not known here" },
		{ "space x\na in 1..2\na in 1..3\n", "s.txt:3:1: 'a' has a meaning" },
		{ "space x\na in 0..2\nb in multiples of a up to 9\n",
		  "s.txt:3:6: the step may be 0" },
		{ "space x\na in 1..2\nhard h: a\n",
		  "s.txt:3:9: a constraint is true or false" },
		{ "space x\na in 1..2\nhard h: a = 1\n", "s.txt:3:11: '==' compares" },
		{ "space x\na in 1..2\nhard h: 1 < a < 3\n",
		  "s.txt:3:15: comparisons do not chain" },
		{ "space x\na in 1..2\nhard h: (a > 1\n",
		  "s.txt:4:1: ')' is wanted to close the parenthesis" },
		{ "space x\na in 1..2\nhard h: a $ 1\n",
		  "s.txt:3:11: '$' means nothing" },
		{ "space x\na in 1..2\nhard h: sin(a) > 1\n",
		  "s.txt:3:9: there is no function 'sin'" },
		{ "space x\na in 1..2\nhard h: a / 0 > 1\n",
		  "s.txt:3:11: the divisor is always zero" },
		{ "space x\na in 1..4G\n", "s.txt:2:6: the range may have 4294967296" },
		{ "space x\na in 1..1M\nb = a*a*a*a\n",
		  "s.txt:3:10: values may leave 2^62" },
		{ "space x\na in 1.5..2\n", "s.txt:2:6: values are whole numbers" },
		{ "space x\na in 12ab\n", "s.txt:2:6: a number ends with a digit" },
		/* 2^64 */
		{ "space x\na in 1, 17179869184G\n",
		  "s.txt:2:9: the number is too large" },
		{ "space x\na in 1, 2, 1\n", "s.txt:2:13: 1 stands twice" },
		{ "space x\nhard h\n", "s.txt:2:7: ':' is wanted after the name" },
		{ "space x\nhard h: 1 > 2 \"text\n",
		  "s.txt:2:15: the text has no closing" },
		{ "space x\no in permutations of a b\nhard h: before(o, a, c)\n",
		  "s.txt:3:22: 'c' is no word of o" },
		{ "space x\no in words a b\np in words b a\nhard h: o == a\n",
		  "s.txt:4:14: 'a' is a word of two parameters" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_FAILS(parse(cases[i][0]), &err, cases[i][1]);
}
