#include "lib/analyse/trial/slices.h"

#include <string.h>

#include "lib/trace/text/text.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

static struct ml_trace trace;

/* A run of parts: so many references of line a, then of line b, and so on by turns. */
static void record(const unsigned *parts, size_t count)
{
	struct ml_writer *w;
	struct ml_text text;
	struct ml_err err;
	char line[80];

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	ml_text_init(&text, w, "text");
	for (size_t i = 0; i < count; i++) {
		int size = snprintf(line, sizeof(line), "L run.c:%c\nr0x1000+8*%u\n",
				    i % 2 ? '2' : '1', parts[i]);

		CHECK_OK(ml_text_lines(&text, line, (size_t)size, &err), &err);
	}
	ml_text_release(&text);
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_trace_open(&trace, scratch(), &err), &err);
}

static struct ml_slices choose(uint64_t window)
{
	struct ml_slices s;
	struct ml_err err;

	CHECK_OK(ml_slices_choose(&s, &trace, 0, 0, window, &err), &err);
	return s;
}

static double all(const struct ml_slices *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->count; i++)
		sum += s->at[i].weight * (double)(s->at[i].to - s->at[i].from);
	return sum;
}

TEST(a_short_run_is_one_slice)
{
	record((unsigned[]){ 100 }, 1);
	struct ml_slices s = choose(100);

	CHECK_EQ(s.count, 1);
	CHECK_EQ(s.at[0].from, 0);
	CHECK_EQ(s.at[0].to, 100);
	CHECK_NEAR(s.at[0].weight, 1, 1e-9);
	ml_trace_close(&trace);
}

TEST(a_run_of_one_phase_gets_slices_spread_evenly)
{
	record((unsigned[]){ 6400 }, 1);
	struct ml_slices s = choose(80);

	CHECK_EQ(s.phases, 1);
	CHECK_EQ(s.count, 8);
	CHECK_EQ(s.refs, 80);
	for (unsigned i = 0; i < 8; i++) {
		CHECK_EQ(s.at[i].from, 100 * (8 * i + 4));
		CHECK_EQ(s.at[i].to - s.at[i].from, 10);
	}
	CHECK_NEAR(all(&s), 6400, 1e-6);
	ml_trace_close(&trace);
}

TEST(a_short_phase_gets_a_slice_of_its_own_with_a_small_weight)
{
	/* evenly spread slices, at 400 + 800 * i, would miss the 200 references */
	record((unsigned[]){ 5600, 200, 600 }, 3);
	struct ml_slices s = choose(80);
	double weight = 0;

	CHECK_EQ(s.phases, 2);
	CHECK_EQ(s.count, 8);
	CHECK_NEAR(all(&s), 6400, 1e-6);
	for (size_t i = 0; i < s.count; i++)
		if (s.at[i].from >= 5600 && s.at[i].to <= 5800)
			weight += s.at[i].weight * 10;
	CHECK_NEAR(weight, 200, 1e-6);
	ml_trace_close(&trace);
}

TEST(a_phase_of_which_all_intervals_are_taken_is_taken_whole)
{
	/* intervals of 100 references, slices of 60: the first interval is a phase */
	record((unsigned[]){ 100, 6300 }, 2);
	struct ml_slices s = choose(480);

	CHECK_EQ(s.phases, 2);
	CHECK_EQ(s.at[0].from, 0);
	CHECK_EQ(s.at[0].to, 100);
	CHECK_NEAR(s.at[0].weight, 1, 1e-9);
	CHECK_EQ(s.refs, 100 + 7 * 60);
	CHECK_NEAR(all(&s), 6400, 1e-6);
	ml_trace_close(&trace);
}

TEST(many_slices_are_as_long_as_few_of_a_smaller_window)
{
	struct ml_slices s;
	struct ml_err err;

	record((unsigned[]){ 6400 }, 1);
	CHECK_OK(ml_slices_choose_many(&s, &trace, 0, 0, 240, ML_SLICES_MAX, &err), &err);
	CHECK_EQ(s.count, ML_SLICES_MAX);
	CHECK_EQ(s.refs, 240);
	for (unsigned i = 0; i < s.count; i++)
		CHECK_EQ(s.at[i].to - s.at[i].from, 10);
	CHECK_NEAR(all(&s), 6400, 1e-6);
	ml_trace_close(&trace);
}

TEST(cut_slices_stand_for_as_much)
{
	record((unsigned[]){ 6400 }, 1);
	struct ml_slices s = choose(80);

	ml_slices_cut(&s, 40);
	CHECK_EQ(s.refs, 40);
	CHECK_EQ(s.at[3].to - s.at[3].from, 5);
	CHECK_NEAR(all(&s), 6400, 1e-6);
	ml_trace_close(&trace);
}

TEST(sums_are_weighted_and_scaled_by_what_the_change_concerns)
{
	/* 2 slices of a phase that stand for 10 each, 1 of another that stands for 5 */
	struct ml_slices s = {
		.count = 3,
		.phases = 2,
		.at = { { .weight = 10 }, { .weight = 10 }, { .weight = 5, .phase = 1 } }
	};
	double x[] = { 4, 4, 8 }, y[] = { 2, 2, 4 }, error;

	/* half of x everywhere: certain */
	CHECK_NEAR(ml_slices_scale(&s, x, y, 120, &error), 60, 1e-9);
	CHECK_NEAR(error, 0, 1e-9);
	/* twice what was found of x, twice of y */
	CHECK_NEAR(ml_slices_scale(&s, x, y, 240, &error), 120, 1e-9);
}

TEST(slices_of_one_phase_that_differ_make_the_answer_unsure)
{
	struct ml_slices s = { .count = 2,
			       .phases = 1,
			       .at = { { .weight = 10 }, { .weight = 10 } } };
	double x[] = { 4, 4 }, y[] = { 1, 3 }, error;

	CHECK_NEAR(ml_slices_scale(&s, x, y, 80, &error), 40, 1e-9);
	/*
	 * The slices are -1 and 1 from the mean: a variance of 2. Of 20 slices 2 were
	 * tried: 20^2 * 2 / 2 * (1 - 2 / 20) = 360.
	 */
	CHECK_NEAR(error * error, 360, 1e-6);
}
