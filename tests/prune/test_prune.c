#include "lib/prune/prune.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/work.h"
#include "lib/prune/variant_list.h"
#include "tests/sim_random.h"
#include "tests/slow_space.h"
#include "tests/test.h"

static struct ml_err err;
static uint64_t counts[1 << 12];

static void parse(struct ml_space *s, const char *text)
{
	CHECK_OK(ml_space_parse(s, "s.txt", text, strlen(text), &err), &err);
}

/* Rows of a selection, hashed in their order. */
struct rows {
	uint32_t care, want;
	size_t width, count;
	uint64_t hash;
};

static bool add_row(void *arg, const int64_t *values)
{
	struct rows *r = arg;

	for (size_t i = 0; i < r->width; i++)
		r->hash = (r->hash ^ (uint64_t)values[i]) * UINT64_C(0x100000001b3) + 1;
	r->count++;
	return true;
}

static void add_slow(void *arg, const int64_t *row, uint32_t mask)
{
	struct rows *r = arg;

	if ((mask & r->care) == r->want)
		add_row(r, row);
}

/* Both engines agree with the slow evaluation, for counts and for a selection. */
static void compare(const struct ml_space *s, enum ml_prune_engine engine)
{
	struct rows slow_rows = { .width = s->param_count }, rows;
	struct slow_space slow = {
		.s = s, .counts = counts, .each = add_slow, .arg = &slow_rows
	};
	struct ml_prune p;
	struct ml_combos t;

	memset(counts, 0, sizeof(counts));
	slow_rows.care = (uint32_t)random_below(1u << s->constraint_count);
	slow_rows.want = slow_rows.care & (uint32_t)random_below(1 << 12);
	rows = slow_rows;
	slow_walk(&slow, 0);
	CHECK_OK(ml_prune_open(&p, s, engine, NULL, NULL, &err), &err);
	CHECK_EQ(p.is_native, engine == ML_PRUNE_NATIVE);
	if (slow.divided) {
		CHECK_FAILS(ml_prune_count(&p, &t, NULL, &err), &err,
			    "the divisor is zero for ");
	} else {
		CHECK_OK(ml_prune_count(&p, &t, NULL, &err), &err);
		for (size_t i = 0; i < t.count; i++) {
			CHECK_EQ(t.at[i].count, counts[t.at[i].mask]);
			counts[t.at[i].mask] = 0;
		}
		for (size_t m = 0; m < sizeof(counts) / sizeof(*counts); m++)
			CHECK_EQ(counts[m], 0);
		CHECK_OK(ml_prune_select(&p, rows.care, rows.want, add_row, &rows, NULL,
					 &err),
			 &err);
		CHECK_EQ(rows.count, slow_rows.count);
		CHECK_EQ(rows.hash, slow_rows.hash);
		ml_combos_release(&t);
	}
	ml_prune_close(&p);
}

/* A random expression over the names that are known. */
static void random_expression(struct ml_buf *out, unsigned params, unsigned depth)
{
	static const char *const pairs[] = { " + ", " - ", " * ", " / ", " mod ", " + " };
	static const char *const tests[] = {
		" < ", " <= ", " > ", " >= ", " == ", " != "
	};
	static const char *const joins[] = { " and ", " or " };
	char text[40];
	uint64_t kind = depth ? random_below(10) : 8 + random_below(2);

	if (kind < 4) {
		ml_buf_put(out, "(", 1);
		random_expression(out, params, depth - 1);
		const char *sign = pairs[random_below(6)];
		ml_buf_put(out, sign, strlen(sign));
		/* most divisors are never zero, some are */
		bool safe = strchr("/m", sign[1]) && !one_in(8);
		if (safe)
			ml_buf_put(out, "(1 + abs(", 9);
		random_expression(out, params, depth - 1);
		if (safe)
			ml_buf_put(out, "))", 2);
		ml_buf_put(out, ")", 1);
		return;
	}
	if (kind < 8) {
		const char *start = kind == 4   ? "min("
				    : kind == 5 ? "max("
				    : kind == 6 ? "if(("
						: "-(";

		ml_buf_put(out, start, strlen(start));
		random_expression(out, params, depth - 1);
		if (kind == 6) {
			const char *sign = one_in(3) ? joins[random_below(2)]
						     : tests[random_below(6)];

			ml_buf_put(out, sign, strlen(sign));
			random_expression(out, params, depth - 1);
			ml_buf_put(out, "), ", 3);
			random_expression(out, params, depth - 1);
		}
		if (kind != 7) {
			ml_buf_put(out, ", ", 2);
			random_expression(out, params, depth - 1);
		}
		ml_buf_put(out, ")", 1);
		return;
	}
	if (kind == 8)
		snprintf(text, sizeof(text), "p%u", (unsigned)random_below(params));
	else
		snprintf(text, sizeof(text), "%u",
			 (unsigned)random_below(one_in(9) ? 90000000 : 40));
	ml_buf_put(out, text, strlen(text));
}

static void random_truth(struct ml_buf *out, unsigned params, unsigned depth)
{
	static const char *const tests[] = { " < ", " > ", " != ", " == ", " >= " };
	const char *sign = tests[random_below(5)];

	if (depth && one_in(2)) {
		ml_buf_put(out, "(", 1);
		random_truth(out, params, depth - 1);
		sign = one_in(2) ? " and " : " or not ";
		ml_buf_put(out, sign, strlen(sign));
		random_truth(out, params, depth - 1);
		ml_buf_put(out, ")", 1);
		return;
	}
	ml_buf_put(out, "(", 1);
	random_expression(out, params, 2);
	ml_buf_put(out, sign, strlen(sign));
	random_expression(out, params, 1);
	ml_buf_put(out, ")", 1);
}

static void random_space(struct ml_buf *out)
{
	unsigned params = 1 + (unsigned)random_below(5),
		 constraints = 1 + (unsigned)random_below(7);
	char line[200];

	ml_buf_put(out, "space r\n", 8);
	for (unsigned p = 0; p < params; p++) {
		unsigned before = p ? (unsigned)random_below(p) : 0;
		/* the last is long now and then: more than one word of lanes */
		unsigned most = p + 1 == params && one_in(3) ? 150 : 8;

		switch (random_below(p ? 7 : 3)) {
		case 0: snprintf(line, sizeof(line), "p%u in 5, -2, 9, 0\n", p); break;
		case 1:
			snprintf(line, sizeof(line), "p%u in powers of 2 up to %u\n", p,
				 1 + (unsigned)random_below(2 * most));
			break;
		case 2:
		case 3:
			snprintf(line, sizeof(line), "p%u in %d..%u step %u\n", p,
				 (int)random_below(6) - 3, (unsigned)random_below(most),
				 1 + (unsigned)random_below(3));
			break;
		case 4:
			snprintf(line, sizeof(line),
				 "p%u in multiples of 1 + abs(p%u) up to %u\n", p, before,
				 (unsigned)random_below(2 * most));
			break;
		case 5:
			snprintf(line, sizeof(line), "p%u in p%u..p%u * 2 + %u\n", p,
				 before, before, (unsigned)random_below(most));
			break;
		default:
			snprintf(line, sizeof(line),
				 "p%u in divisors of 12 * (1 + abs(p%u))\n", p, before);
		}
		ml_buf_put(out, line, strlen(line));
	}
	for (unsigned c = 0; c < constraints; c++) {
		int n = snprintf(line, sizeof(line),
				 "%s c%u: ", one_in(2) ? "hard" : "soft", c);

		ml_buf_put(out, line, (size_t)n);
		random_truth(out, params, 2);
		ml_buf_u8(out, '\n');
	}
	ml_buf_u8(out, 0);
}

static void compare_random(int rounds, enum ml_prune_engine engine)
{
	for (int round = 0; round < rounds;) {
		struct ml_buf text = { 0 };
		struct ml_space s;

		random_space(&text);
		/* now and then values might become too large: another one */
		if (ml_space_parse(&s, "s.txt", (const char *)text.data, text.size - 1,
				   &err)) {
			round++;
			compare(&s, engine);
			ml_space_release(&s);
		} else
			CHECK(strstr(err.text, "2^62") ||
			      strstr(err.text, "always zero") ||
			      strstr(err.text, "divisors"));
		ml_buf_release(&text);
	}
}

TEST(the_interpreter_agrees_with_the_slow_evaluation)
{
	compare_random(400, ML_PRUNE_INTERPRETER);
}

TEST(native_code_agrees_with_the_slow_evaluation)
{
	compare_random(25, ML_PRUNE_NATIVE);
}

/* gcc 12 once added up the words of planes instead of their bits: see native_code.c. */
TEST(native_code_counts_bits_where_everything_is_constant)
{
	struct ml_space s;

	parse(&s, "space r\np0 in -2..4\nhard c0: 23 == 39 - p0\n");
	compare(&s, ML_PRUNE_NATIVE);
	ml_space_release(&s);
}

TEST(permutations_and_words_are_looked_up_in_any_loop)
{
	static const char *const texts[] = {
		"space r\no in permutations of i j k l m\nb in 1..70\n"
		"hard c: before(o, j, i)\nsoft d: position(o, k) * 10 < b or b mod 7 == 3\n",
		"space r\nb in 1..9\nw in words x, y, z\no in permutations of i j k l m\n"
		"hard c: before(o, j, i) and w != y\nsoft d: position(o, k) + w * 2 < b\n"
		"soft e: before(o, l, m)\n",
	};
	struct ml_space s;

	for (size_t i = 0; i < 2; i++) {
		parse(&s, texts[i]);
		compare(&s, ML_PRUNE_INTERPRETER);
		compare(&s, ML_PRUNE_NATIVE);
		ml_space_release(&s);
	}
}

TEST(a_zero_divisor_is_told_with_place_and_values)
{
	struct ml_space s;
	struct ml_prune p;
	struct ml_combos t;

	parse(&s, "space x\na in 1..3\nb in 0..2\nhard h: a / b > 1\n");
	for (int engine = ML_PRUNE_INTERPRETER; engine <= ML_PRUNE_NATIVE; engine++) {
		CHECK_OK(ml_prune_open(&p, &s, (enum ml_prune_engine)engine, NULL, NULL,
				       &err),
			 &err);
		p.threads = 1;
		CHECK_FAILS(ml_prune_count(&p, &t, NULL, &err), &err,
			    "s.txt:4:11: the divisor is zero for a=1 b=0");
		ml_prune_close(&p);
	}
	ml_space_release(&s);
}

/* Cancels at its second question. */
static bool soon(void *arg)
{
	int *asked = arg;

	return __atomic_fetch_add(asked, 1, __ATOMIC_RELAXED) > 0;
}

static bool next_row(void *arg, const int64_t *values)
{
	(void)arg;
	(void)values;
	return true;
}

TEST(a_space_whose_parts_never_end_can_be_cancelled)
{
	struct ml_space s;
	struct ml_prune p;
	struct ml_combos t;

	parse(&s, "space x\na in 1..60000000\nb in 1..60000000\nc in 1..60000000\n"
		  "d in 1..60000000\nhard h: a * b + c == d\nhard g: b > 60000000\n");
	for (int engine = ML_PRUNE_INTERPRETER; engine <= ML_PRUNE_NATIVE; engine++) {
		int counting = 0, selecting = 0;
		struct ml_work count = { .cancelled = soon, .arg = &counting };
		struct ml_work select = { .cancelled = soon, .arg = &selecting };

		CHECK_OK(ml_prune_open(&p, &s, (enum ml_prune_engine)engine, NULL, NULL,
				       &err),
			 &err);
		CHECK_FAILS(ml_prune_count(&p, &t, &count, &err), &err, "stopped");
		CHECK_FAILS(ml_prune_select(&p, 2, 2, next_row, NULL, &select, &err),
			    &err, "stopped");
		ml_prune_close(&p);
	}
	ml_space_release(&s);
}

TEST(without_a_compiler_it_interprets)
{
	struct ml_space s;
	struct ml_prune p;
	struct ml_combos t;

	parse(&s, "space x\na in 1..6000\nb in 1..6000\nhard h: a > 3000\n");
	CHECK_OK(ml_prune_open(&p, &s, ML_PRUNE_AUTO, "/nonexistent/cc", NULL, &err),
		 &err);
	CHECK(!p.is_native && strstr(p.reason, "cannot start /nonexistent/cc"));
	CHECK_OK(ml_prune_count(&p, &t, NULL, &err), &err);
	CHECK_EQ(t.total, 36000000);
	CHECK_EQ(ml_combos_match(&t, 1, 0), 18000000);
	ml_combos_release(&t);
	ml_prune_close(&p);
	CHECK_FAILS(ml_prune_open(&p, &s, ML_PRUNE_NATIVE, "false", NULL, &err), &err,
		    "false did not compile the space");
	ml_space_release(&s);
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

TEST(cancelled_work_ends)
{
	struct ml_work work = { .cancelled = always };
	struct ml_space s;
	struct ml_prune p;
	struct ml_combos t;

	parse(&s, "space x\na in 1..60\nb in 1..60\nc in 1..9\nhard h: a > 30\n");
	CHECK_OK(ml_prune_open(&p, &s, ML_PRUNE_INTERPRETER, NULL, NULL, &err), &err);
	CHECK_FAILS(ml_prune_count(&p, &t, &work, &err), &err, "stopped");
	CHECK_EQ(err.kind, ML_STOPPED);
	ml_prune_close(&p);
	ml_space_release(&s);
}

static const char *const small = "space x\na in 1..4\nb in 1..4\n"
				 "hard big: a * b > 4\nsoft odd: b mod 2 != 0\n";

TEST(pages_samples_and_histograms_are_of_the_selection)
{
	struct ml_space s;
	struct ml_prune p;
	struct ml_variant_list l, again;
	struct ml_distribution d[2];
	struct ml_arena a = { 0 };
	struct ml_selection_of survivors = { 3, 0 };

	parse(&s, small);
	CHECK_OK(ml_prune_open(&p, &s, ML_PRUNE_AUTO, NULL, NULL, &err), &err);
	/* survivors: 1,2 1,4 2,2 */
	CHECK_OK(ml_variant_list_page(&l, &p, survivors, 1, 9, &a, NULL, &err), &err);
	CHECK_EQ(l.count, 2);
	CHECK_EQ(l.values[0], 1);
	CHECK_EQ(l.values[1], 4);
	CHECK_EQ(l.values[2], 2);
	CHECK_EQ(l.values[3], 2);
	CHECK_EQ(l.masks[1], 0);
	CHECK_OK(ml_variant_list_distributions(d, &p, survivors, 100, &a, NULL, &err),
		 &err);
	CHECK_EQ(d[0].bins[0], 2);
	CHECK_EQ(d[0].bins[1], 1);
	CHECK_EQ(d[1].bins[1], 2);
	CHECK_EQ(d[1].bins[3], 1);
	CHECK_OK(ml_variant_list_sample(&l, &p, (struct ml_selection_of){ 0, 0 }, 16, 5,
					7, &a, NULL, &err),
		 &err);
	CHECK_OK(ml_variant_list_sample(&again, &p, (struct ml_selection_of){ 0, 0 }, 16,
					5, 7, &a, NULL, &err),
		 &err);
	CHECK_EQ(l.count, 5);
	CHECK(!memcmp(l.values, again.values, 10 * sizeof(int64_t)));
	for (size_t i = 1; i < 5; i++) /* in order, none twice */
		CHECK(l.values[2 * i] * 4 + l.values[2 * i + 1] >
		      l.values[2 * i - 2] * 4 + l.values[2 * i - 1]);
	ml_arena_release(&a);
	ml_prune_close(&p);
	ml_space_release(&s);
}

TEST(every_variant_is_drawn_as_often_as_any_other)
{
	struct ml_space s;
	struct ml_prune p;
	struct ml_variant_list l;
	struct ml_arena a = { 0 };
	unsigned drawn[16] = { 0 };

	parse(&s, small);
	CHECK_OK(ml_prune_open(&p, &s, ML_PRUNE_AUTO, NULL, NULL, &err), &err);
	for (uint64_t seed = 0; seed < 1600; seed++) {
		CHECK_OK(ml_variant_list_sample(&l, &p, (struct ml_selection_of){ 0, 0 },
						16, 4, seed, &a, NULL, &err),
			 &err);
		for (size_t i = 0; i < l.count; i++)
			drawn[(l.values[2 * i] - 1) * 4 + l.values[2 * i + 1] - 1]++;
	}
	/* 400 each, with a deviation of 17: 5 deviations */
	for (size_t i = 0; i < 16; i++)
		CHECK(drawn[i] > 315 && drawn[i] < 485);
	ml_arena_release(&a);
	ml_prune_close(&p);
	ml_space_release(&s);
}

TEST(nearest_misses_fail_fewest_constraints_most_narrowly)
{
	struct ml_space s;
	struct ml_prune p;
	struct ml_combos t;
	struct ml_variant_list l;
	struct ml_arena a = { 0 };
	double *distances;

	/* all fail one at least; 90 > 88 is nearer than 100 > 88 */
	parse(&s, "space x\na in 90, 100\nb in 1, 20\nhard h: a > 88\nsoft k: b > 10\n");
	CHECK_OK(ml_prune_open(&p, &s, ML_PRUNE_AUTO, NULL, NULL, &err), &err);
	CHECK_OK(ml_prune_count(&p, &t, NULL, &err), &err);
	CHECK_OK(ml_variant_list_nearest(&l, &distances, &p, &t, 3, &a, NULL, &err),
		 &err);
	CHECK_EQ(l.count, 2); /* the others fail two */
	CHECK_EQ(l.values[0], 90);
	CHECK_EQ(l.values[2], 100);
	CHECK_NEAR(distances[0], 2.0 / 90, 1e-12);
	CHECK_NEAR(distances[1], 12.0 / 100, 1e-12);
	ml_arena_release(&a);
	ml_combos_release(&t);
	ml_prune_close(&p);
	ml_space_release(&s);
}

TEST(no_text_of_the_description_gets_into_the_native_code)
{
	struct ml_space s;
	struct ml_buf code = { 0 };

	parse(&s, "space secret_space\nsecret_param in words secret_word, w\n"
		  "secret_value = secret_param * 2\n"
		  "hard secret_name: secret_value > 1 \"secret_text\"\n");
	ml_native_code(&s, &code);
	CHECK(!memmem(code.data, code.size, "secret", 6));
	ml_buf_release(&code);
	ml_space_release(&s);
}

TEST(estimates_are_near_the_count)
{
	struct ml_space s;
	struct ml_interpreter i;

	parse(&s, "space x\na in 1..100\nb in multiples of a up to 100\nhard h: a > b\n");
	ml_interpreter_init(&i, &s);
	CHECK_NEAR(ml_interpreter_estimate(&i), 482, 60); /* sum of 100 / a */
	ml_interpreter_release(&i);
	ml_space_release(&s);
}
