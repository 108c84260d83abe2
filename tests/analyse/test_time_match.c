/* Common time of several traces, with traces of few references. */
#include "lib/analyse/ensemble/time_match.h"

#include "tests/by_hand.h"
#include "tests/test.h"

static struct ml_ensemble e;
static struct ml_time_matching m;
static struct ml_arena arena;
static struct ml_err err;

static void start(void)
{
	ml_ensemble_init(&e);
	arena = (struct ml_arena){ 0 };
}

static void done(void)
{
	ml_ensemble_release(&e);
	ml_arena_release(&arena);
}

/* bubble: 100 references, sweeps end at 40, 70, 90; insertion: 50, at 10, 25, 40 */
static void two_sorts(void)
{
	start();
	hand_trace(&e, "bubble", 100, 3);
	hand_milestones(&e, "bubble.c:12", 3, (const uint64_t[]){ 40, 70, 90 });
	hand_trace(&e, "insertion", 50, 3);
	hand_milestones(&e, "insertion.c:20", 3, (const uint64_t[]){ 10, 25, 40 });
}

static const char *const row[] = { "bubble.c:12", "insertion.c:20" };
static const char *const *const rows[] = { row };

TEST(raw_time_is_each_traces_own_position)
{
	two_sorts();
	CHECK_OK(ml_time_match(&m, &e, ML_TIME_MATCH_RAW, NULL, 0, 1, &arena, &err),
		 &err);
	CHECK_EQ(m.base, 0); /* the longest */
	CHECK_NEAR(ml_time_match_end(&m), 100, 0);
	CHECK_NEAR(ml_time_match_position(&m, 1, 30), 30, 0);
	CHECK_NEAR(ml_time_match_common(&m, 1, 30), 30, 0);
	done();
}

TEST(normalised_time_is_the_share_of_the_run)
{
	two_sorts();
	CHECK_OK(
		ml_time_match(&m, &e, ML_TIME_MATCH_NORMALISED, NULL, 0, 0, &arena, &err),
		&err);
	CHECK_NEAR(ml_time_match_end(&m), 1, 0);
	CHECK_NEAR(ml_time_match_position(&m, 0, 0.5), 50, 0);
	CHECK_NEAR(ml_time_match_position(&m, 1, 0.5), 25, 0);
	CHECK_NEAR(ml_time_match_common(&m, 1, 10), 0.2, 1e-12);
	done();
}

TEST(matched_traces_meet_at_the_kth_visit_and_are_stretched_between)
{
	two_sorts();
	CHECK_OK(
		ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, rows, 1, 0, &arena, &err),
		&err);
	CHECK_EQ(m.knots, 5);
	CHECK_STR(m.name[0], "start");
	CHECK_STR(m.name[2], "bubble.c:12");
	CHECK_EQ(m.visit[2], 2);
	CHECK_STR(m.name[4], "end");
	CHECK_EQ(m.unequal_count, 0);
	CHECK_NEAR(ml_time_match_end(&m), 100, 0);
	CHECK_NEAR(ml_time_match_position(&m, 1, 40), 10, 0);
	CHECK_NEAR(ml_time_match_position(&m, 1, 20), 5, 0);
	/* 55 is in the middle of 40 to 70, so is 17.5 of 10 to 25 */
	CHECK_NEAR(ml_time_match_position(&m, 1, 55), 17.5, 1e-12);
	CHECK_NEAR(ml_time_match_common(&m, 1, 17.5), 55, 1e-12);
	CHECK_NEAR(ml_time_match_position(&m, 1, 100), 50, 0);
	CHECK_NEAR(ml_time_match_position(&m, 0, 55), 55, 1e-12);
	done();
}

TEST(unequal_counts_are_told_and_the_first_visits_used)
{
	start();
	hand_trace(&e, "bubble", 100, 3);
	hand_milestones(&e, "sorts.c:12", 4, (const uint64_t[]){ 10, 20, 30, 40 });
	hand_trace(&e, "insertion", 50, 3);
	hand_milestones(&e, "sorts.c:12", 3, (const uint64_t[]){ 1, 2, 3 });
	CHECK_OK(
		ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, NULL, 0, 0, &arena, &err),
		&err);
	CHECK_EQ(m.knots, 5);
	CHECK_EQ(m.unequal_count, 1);
	CHECK_STR(m.unequal[0], "bubble comes to sorts.c:12 4 times, insertion 3 times: "
				"the last is not used");
	done();
}

TEST(milestones_of_several_names_are_merged_in_the_order_of_the_base)
{
	start();
	hand_trace(&e, "a", 100, 3);
	hand_milestones(&e, "mark x", 2, (const uint64_t[]){ 10, 60 });
	hand_milestones(&e, "mark y", 1, (const uint64_t[]){ 30 });
	hand_trace(&e, "b", 200, 3);
	hand_milestones(&e, "mark y", 1, (const uint64_t[]){ 80 });
	hand_milestones(&e, "mark x", 2, (const uint64_t[]){ 20, 100 });
	CHECK_OK(
		ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, NULL, 0, 0, &arena, &err),
		&err);
	CHECK_EQ(m.knots, 5);
	CHECK_EQ(m.at[1][1], 20);
	CHECK_EQ(m.at[1][2], 80);
	CHECK_STR(m.name[2], "mark y");
	CHECK_EQ(m.at[1][3], 100);
	done();
}

TEST(milestones_in_another_order_are_left_out_with_a_sentence)
{
	start();
	hand_trace(&e, "a", 100, 3);
	hand_milestones(&e, "mark x", 1, (const uint64_t[]){ 10 });
	hand_milestones(&e, "mark y", 1, (const uint64_t[]){ 30 });
	hand_trace(&e, "b", 100, 3);
	hand_milestones(&e, "mark x", 1, (const uint64_t[]){ 50 });
	hand_milestones(&e, "mark y", 1, (const uint64_t[]){ 40 });
	CHECK_OK(
		ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, NULL, 0, 0, &arena, &err),
		&err);
	CHECK_EQ(m.knots, 3);
	CHECK_EQ(m.unequal_count, 1);
	CHECK(strstr(m.unequal[0], "1 milestone is not used") != NULL);
	done();
}

TEST(nothing_in_common_fails_and_says_what_there_is)
{
	two_sorts();
	CHECK_FAILS(
		ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, NULL, 0, 0, &arena, &err),
		&err, "bubble has bubble.c:12, insertion has insertion.c:20");
	const char *const wrong[] = { "bubble.c:12", "bubble.c:12" };
	const char *const *const wrongs[] = { wrong };
	CHECK_FAILS(ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, wrongs, 1, 0, &arena,
				  &err),
		    &err,
		    "insertion has no milestone 'bubble.c:12'; it has insertion.c:20");
	CHECK_FAILS(
		ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, rows, 1, 7, &arena, &err),
		&err, "no trace 7");
	done();
}

TEST(a_stretch_without_references_of_a_trace_is_stood_still_in)
{
	start();
	hand_trace(&e, "a", 100, 3);
	hand_milestones(&e, "mark x", 2, (const uint64_t[]){ 40, 60 });
	hand_trace(&e, "b", 100, 3);
	hand_milestones(&e, "mark x", 2, (const uint64_t[]){ 50, 50 });
	CHECK_OK(
		ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, NULL, 0, 0, &arena, &err),
		&err);
	CHECK_NEAR(ml_time_match_position(&m, 1, 45), 50, 0);
	CHECK_NEAR(ml_time_match_position(&m, 1, 59), 50, 0);
	done();
}
