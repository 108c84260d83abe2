#include "lib/prune/combos.h"
#include "lib/base/buf.h"
#include "tests/sim_random.h"
#include "tests/test.h"

static struct ml_combos table;
static struct ml_err err;

static bool parse(const char *text)
{
	return ml_combos_parse(&table, "t.csv", text, strlen(text), &err);
}

/* 100 variants: 10 survive, 20 fail a alone, 30 a and b, 40 a, b and c. */
static const char *const nested = "hard:a,soft:b,hard:c,count\n"
				  "0,0,0,10\n1,0,0,20\n1,1,0,30\n1,1,1,40\n";

TEST(the_papers_table_is_read_and_written)
{
	struct ml_buf out = { 0 };

	CHECK_OK(parse(nested), &err);
	CHECK_EQ(table.total, 100);
	CHECK_EQ(table.count, 4);
	CHECK(table.constraints[1].soft && !table.constraints[2].soft);
	ml_combos_csv(&table, &out);
	ml_buf_u8(&out, 0);
	CHECK_STR((const char *)out.data, nested);
	ml_buf_release(&out);
	ml_combos_release(&table);
}

TEST(columns_stand_in_any_order_and_rows_of_a_mask_are_added)
{
	CHECK_OK(parse("\xef\xbb\xbf"
		       "\"n\", soft:b ,hard:a\r\n3,1,0\r\n\r\n4,1,0\r\n0,1,1\r\n5,0,0"),
		 &err);
	CHECK_EQ(table.total, 12);
	CHECK_EQ(table.count, 2); /* no variants, no row */
	CHECK_EQ(ml_combos_match(&table, 3, 1), 7);
	ml_combos_release(&table);
}

TEST(effects_are_total_alone_and_relative)
{
	struct ml_combo_effect e[ML_COMBOS_CONSTRAINTS];
	uint8_t order[] = { 2, 1, 0 };

	CHECK_OK(parse(nested), &err);
	ml_combos_effects(&table, order, 3, e);
	CHECK_EQ(e[0].eliminated, 90);
	CHECK_EQ(e[0].exclusive, 20);
	CHECK_EQ(e[1].eliminated, 70);
	CHECK_EQ(e[1].exclusive, 0);
	CHECK_EQ(e[2].eliminated, 40);
	CHECK_EQ(e[2].reached, 100);
	CHECK_EQ(e[1].reached, 60); /* 100 without the 40 of c */
	CHECK_EQ(e[1].relative, 30);
	CHECK_EQ(e[0].reached, 30);
	CHECK_EQ(e[0].relative, 20);
	CHECK_EQ(e[0].implied_by, 0);
	CHECK_EQ(e[1].implied_by, 1); /* by a */
	CHECK_EQ(e[2].implied_by, 3); /* by a, and by b */
	CHECK_EQ(ml_combos_smallest(&table), 1);
	CHECK_EQ(ml_combos_nearest(&table), 1);
	ml_combos_release(&table);
}

TEST(the_smallest_set_explains_why_nothing_passes)
{
	/* each variant fails two of a, b, c: any two of them eliminate everything */
	CHECK_OK(parse("hard:a,hard:b,hard:c,count\n1,1,0,1\n0,1,1,1\n1,0,1,1\n"), &err);
	CHECK_EQ(ml_combos_smallest(&table), 3);
	CHECK_EQ(ml_combos_nearest(&table), 2);
	ml_combos_release(&table);
}

/* Tries all sets. */
static unsigned slow_smallest(const struct ml_combos *t)
{
	unsigned best = 99;

	for (uint32_t set = 0; set <= ml_combos_all(t); set++) {
		bool hits = true;

		for (size_t i = 0; i < t->count; i++)
			hits = hits && (!t->at[i].mask || t->at[i].mask & set);
		if (hits && (unsigned)__builtin_popcount(set) < best)
			best = (unsigned)__builtin_popcount(set);
	}
	return best;
}

TEST(the_smallest_set_is_that_of_trying_all_sets)
{
	for (int round = 0; round < 300; round++) {
		struct ml_combo rows[40];
		struct ml_combos t = { .constraint_count = 1 + random_below(9),
				       .at = rows };

		t.count = random_below(40);
		for (size_t i = 0; i < t.count; i++)
			rows[i] = (struct ml_combo){
				(uint32_t)(random_below(ml_combos_all(&t) + 1) |
					   (one_in(2)
						    ? random_below(ml_combos_all(&t) + 1)
						    : 0)),
				1
			};
		uint32_t set = ml_combos_smallest(&t);
		for (size_t i = 0; i < t.count; i++)
			CHECK(!rows[i].mask || rows[i].mask & set);
		CHECK_EQ(__builtin_popcount(set), slow_smallest(&t));
	}
}

TEST(many_constraints_that_fail_in_pairs_need_all_but_one)
{
	enum { N = 24 };
	struct ml_combo rows[N * (N - 1) / 2];
	struct ml_combos t = { .constraint_count = N, .at = rows };

	for (unsigned a = 0; a < N; a++)
		for (unsigned b = a + 1; b < N; b++)
			rows[t.count++] = (struct ml_combo){ 1u << a | 1u << b, 1 };
	CHECK_EQ(ml_combos_smallest(&t), (1u << (N - 1)) - 1);
}

TEST(mistakes_are_told_with_line_and_column)
{
	CHECK_FAILS(parse("a,b\n1,2\n"), &err,
		    "t.csv:1: column 2: there are two columns");
	CHECK_FAILS(parse("n\n1\n"), &err, "no column is called hard:NAME");
	CHECK_FAILS(parse("hard:a,soft:b\n"), &err, "no column holds the number");
	CHECK_FAILS(parse("hard:a,n,hard:a\n"), &err, "column 3: two constraints");
	CHECK_FAILS(parse("hard:a,n\n2,1\n"), &err, "t.csv:2: column 1: 0 (passes) or 1");
	CHECK_FAILS(parse("hard:a,n\n1,1\n1\n"), &err,
		    "t.csv:3: column 1: the line ends");
	CHECK_FAILS(parse("hard:a,n\n1,1,1\n"), &err, "column 2: the line has too many");
	CHECK_FAILS(parse("hard:a,n\n1,1.5\n"), &err, "is a whole number");
	CHECK_FAILS(parse("hard:a,n\n1,99999999999999999999\n"), &err, "too large");
}
