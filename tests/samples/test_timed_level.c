/* Levels out of times: measured times are made up, so the right answers are known. */
#include "tests/test.h"

#include "lib/base/arena.h"
#include "lib/samples/data_source.h"
#include "lib/samples/timed_level.h"

enum { COUNT = 100 };

static const char *const names[] = { "L1", "L2", "L3", "RAM" };

/* part[i] of each hundred times are steps[i] long. */
static void fill(uint64_t ticks[COUNT], const uint64_t *steps, const int *part)
{
	size_t n = 0;

	for (size_t i = 0; n < COUNT; i++)
		for (int k = 0; k < part[i]; k++)
			ticks[n++] = steps[i];
}

static const char *level_at(const struct ml_timed_levels *t, uint64_t ticks,
			    struct ml_arena *a)
{
	return ml_timed_level_name(ml_timed_levels_find(t, ticks), names, a);
}

TEST(a_coarse_clock_cannot_tell_l1_from_l2_but_l3_from_memory)
{
	/* what a clock with steps of 26 showed of an AMD EPYC, rounded */
	static const uint64_t steps[] = { 52, 78, 104, 130, 390, 416, 442 };
	static const int l1[] = { 58, 42 }, l2[] = { 37, 63 }, l3[] = { 3, 18, 70, 9 },
			 ram[] = { 0, 0, 0, 0, 30, 40, 30 };
	uint64_t ticks[4][COUNT];
	const uint64_t *all[] = { ticks[0], ticks[1], ticks[2], ticks[3] };
	size_t counts[] = { COUNT, COUNT, COUNT, COUNT };
	struct ml_arena a = { 0 };
	struct ml_timed_levels t;

	fill(ticks[0], steps, l1);
	fill(ticks[1], steps, l2);
	fill(ticks[2], steps, l3);
	fill(ticks[3], steps, ram);
	ml_timed_levels_init(&t, all, counts, 4, &a);
	CHECK_STR(level_at(&t, 52, &a), "L1 or L2");
	CHECK_STR(level_at(&t, 78, &a), "L1 or L2"); /* L3 has 18 of 123 votes */
	CHECK_STR(level_at(&t, 104, &a), "L3");
	CHECK_STR(level_at(&t, 416, &a), "RAM");
	CHECK_STR(level_at(&t, 0, &a), "L1 or L2");
	CHECK_STR(level_at(&t, 5000, &a), "RAM");
	CHECK_STR(level_at(&t, 182, &a), "L3"); /* nearer to 130 than to 390 */
	CHECK_STR(level_at(&t, 364, &a), "RAM");
	ml_arena_release(&a);
}

TEST(a_fine_clock_tells_all_levels_apart)
{
	static const uint64_t steps[] = { 4, 14, 60, 300 };
	static const int part[4][4] = {
		{ 100 }, { 0, 100 }, { 0, 0, 100 }, { 0, 0, 0, 100 }
	};
	uint64_t ticks[4][COUNT];
	const uint64_t *all[] = { ticks[0], ticks[1], ticks[2], ticks[3] };
	size_t counts[] = { COUNT, COUNT, COUNT, COUNT };
	struct ml_arena a = { 0 };
	struct ml_timed_levels t;

	for (size_t i = 0; i < 4; i++)
		fill(ticks[i], steps, part[i]);
	ml_timed_levels_init(&t, all, counts, 4, &a);
	for (size_t i = 0; i < 4; i++)
		CHECK_STR(level_at(&t, steps[i] + 1, &a), names[i]);
	ml_arena_release(&a);
}

TEST(levels_with_fewer_times_have_as_many_votes)
{
	static const uint64_t near[COUNT] = { 0 };
	uint64_t far[10] = { 0 };
	const uint64_t *all[] = { near, far };
	size_t counts[] = { COUNT, 10 };
	struct ml_arena a = { 0 };
	struct ml_timed_levels t;

	/* all times are equal: nothing can be told */
	ml_timed_levels_init(&t, all, counts, 2, &a);
	struct ml_timed_level l = ml_timed_levels_find(&t, 0);
	CHECK_EQ(l.first, 0);
	CHECK_EQ(l.last, 1);
	ml_arena_release(&a);
}

TEST(combined_levels_have_names_that_the_hardware_tree_knows)
{
	struct ml_arena a = { 0 };
	struct ml_timed_level pair = { 0, 1 }, outer = { 1, 2 }, three = { 0, 2 },
			      last = { 2, 3 };

	CHECK_EQ(ml_level_of_name(ml_timed_level_name(pair, names, &a)),
		 ML_LEVEL_L1_OR_L2);
	CHECK_EQ(ml_level_of_name(ml_timed_level_name(outer, names, &a)),
		 ML_LEVEL_L2_OR_L3);
	CHECK_EQ(ml_level_of_name(ml_timed_level_name(three, names, &a)),
		 ML_LEVEL_L1_TO_L3);
	CHECK_EQ(ml_level_of_name(ml_timed_level_name(last, names, &a)),
		 ML_LEVEL_L3_OR_RAM);
	ml_arena_release(&a);
}
