/* Which references of a recording are kept. */
#include "record/reader/filter.h"
#include "tests/test.h"

static struct ml_filter filter(const struct ml_record_options *o)
{
	struct ml_filter f;

	ml_filter_init(&f, o);
	return f;
}

/* Feeds steps of so many references, up to a 0; returns what was kept as a text of 1s and
 * 0s. */
static const char *kept(struct ml_filter *f, const int *steps, char *text)
{
	char *at = text;

	for (; *steps; steps++) {
		enum ml_filter_verdict v = ml_filter_next(f, (uint64_t)*steps);

		for (int i = 0; i < *steps; i++)
			*at++ = (v == ML_FILTER_SOME ? ml_filter_one(f)
						     : v == ML_FILTER_ALL)
					? '1'
					: '0';
	}
	*at = 0;
	return text;
}

TEST(without_options_all_is_kept)
{
	struct ml_record_options o = { 0 };
	struct ml_filter f = filter(&o);
	char text[20];

	CHECK(f.all);
	CHECK(ml_filter_is_active(&f, false));
	CHECK_STR(kept(&f, (int[]){ 3, 1, 0 }, text), "1111");
	CHECK_EQ(f.gap, 0);
}

TEST(skipping_ends_within_a_step)
{
	struct ml_record_options o = { .skip = 5 };
	struct ml_filter f = filter(&o);
	char text[20];

	CHECK(!f.all);
	CHECK_STR(kept(&f, (int[]){ 3, 3, 2, 0 }, text), "00000111");
	CHECK_EQ(f.gap, 5);
	CHECK_EQ(f.reason, ML_GAP_SKIPPED);
	CHECK_EQ(f.seen, 8);
	CHECK_EQ(f.kept, 3);
}

TEST(a_limit_ends_within_a_step_too)
{
	struct ml_record_options o = { .skip = 1, .limit = 4 };
	struct ml_filter f = filter(&o);
	char text[20];

	CHECK_STR(kept(&f, (int[]){ 3, 4, 0 }, text), "0111100");
	CHECK(f.full);
	/* the two behind the limit were not left out by sampling */
	CHECK_EQ(f.gap, 1);
	CHECK_EQ(f.reason, ML_GAP_SKIPPED);
	CHECK(!ml_filter_is_active(&f, true));
}

TEST(references_that_are_certainly_kept_are_counted_in_one_call)
{
	struct ml_record_options none = { 0 }, o = { .skip = 3, .limit = 8 };
	struct ml_record_options stack = { .no_stack = true };
	struct ml_filter f = filter(&none);
	char text[20];

	CHECK_EQ(ml_filter_certain(&f), UINT64_MAX);
	ml_filter_record(&f, false);
	CHECK_EQ(ml_filter_certain(&f), 0);
	ml_filter_record(&f, true);
	CHECK_EQ(ml_filter_certain(&f), UINT64_MAX);
	f = filter(&stack);
	CHECK_EQ(ml_filter_certain(&f), 0);
	f = filter(&o);
	CHECK_EQ(ml_filter_certain(&f), 0);
	CHECK_STR(kept(&f, (int[]){ 5, 0 }, text), "00011");
	CHECK_EQ(ml_filter_certain(&f), 6);
	ml_filter_count_kept(&f, 5);
	CHECK(!f.full);
	CHECK_EQ(ml_filter_certain(&f), 1);
	ml_filter_count_kept(&f, 1);
	CHECK(f.full);
	CHECK_EQ(ml_filter_certain(&f), 0);
}

TEST(of_every_five_two_are_kept)
{
	struct ml_record_options o = { .keep = 2, .of = 5 };
	struct ml_filter f = filter(&o);
	char text[30];

	CHECK_STR(kept(&f, (int[]){ 2, 3, 4, 1, 7, 0 }, text), "11000110001100011");
	CHECK_EQ(f.gap, 9);
	CHECK_EQ(f.reason, ML_GAP_SAMPLING);
	CHECK_EQ(f.kept, 8);
}

TEST(sampling_starts_behind_the_skipped_references)
{
	struct ml_record_options o = { .skip = 3, .keep = 1, .of = 2, .limit = 2 };
	struct ml_filter f = filter(&o);
	char text[20];

	CHECK_STR(kept(&f, (int[]){ 1, 1, 1, 1, 1, 1, 0 }, text), "000101");
	CHECK(f.full);
}

TEST(the_program_stops_and_starts_recording)
{
	struct ml_record_options o = { 0 };
	struct ml_filter f = filter(&o);

	ml_filter_record(&f, false);
	CHECK(!f.all);
	CHECK(!ml_filter_is_active(&f, true));
	ml_filter_skip(&f, 7, ML_GAP_SKIPPED);
	CHECK_EQ(f.gap, 7);
	ml_filter_record(&f, true);
	CHECK(ml_filter_is_active(&f, true));
}

TEST(with_only_in_the_filter_is_active_while_the_function_runs)
{
	struct ml_record_options o = { .only_in = "f" };
	struct ml_filter f = filter(&o);

	CHECK(!ml_filter_is_active(&f, false));
	CHECK(ml_filter_is_active(&f, true));
}

TEST(recording_goes_from_the_begin_of_a_phase_to_the_end_of_one)
{
	struct ml_record_options o = { .from_mark = "a", .to_mark = "b" };
	struct ml_filter f = filter(&o);

	CHECK(!ml_filter_is_active(&f, true));
	ml_filter_mark(&f, "b", ML_MARK_END); /* not yet begun */
	ml_filter_mark(&f, "a", ML_MARK_END); /* no begin */
	CHECK(!ml_filter_is_active(&f, true));
	CHECK(!f.full);
	ml_filter_mark(&f, "a", ML_MARK_BEGIN);
	CHECK(ml_filter_is_active(&f, true));
	ml_filter_mark(&f, "b", ML_MARK_BEGIN);
	CHECK(ml_filter_is_active(&f, true));
	ml_filter_mark(&f, "b", ML_MARK_END);
	CHECK(!ml_filter_is_active(&f, true));
	CHECK(f.full);
	ml_filter_mark(&f, "a", ML_MARK_BEGIN); /* only once */
	CHECK(!ml_filter_is_active(&f, true));
}

TEST(a_point_both_starts_and_ends)
{
	struct ml_record_options o = { .from_mark = "a", .to_mark = "a" };
	struct ml_filter f = filter(&o);

	ml_filter_mark(&f, "a", ML_MARK_POINT);
	CHECK(ml_filter_is_active(&f, true));
	ml_filter_mark(&f, "a", ML_MARK_POINT);
	CHECK(f.full);
}
