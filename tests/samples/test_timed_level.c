/* Levels out of times: measured times are made up, so the right answers are known. */
#include "tests/test.h"

#include "lib/base/arena.h"
#include "lib/samples/data_source.h"
#include "lib/samples/timed_level.h"

enum { COUNT = 100, STEPS = 10 };

/* Of loads of one kind, part[i] of a hundred took step[i] ticks. */
struct kind {
	const char *name;
	int part[STEPS];
	uint64_t step[STEPS];
	bool misses_tlb;
};

/* One kind after another; a kind that misses the TLB is of the level before it. */
static void calibrate(struct ml_calibration *c, const struct kind *kinds, size_t count,
		      struct ml_arena *a)
{
	*c = (struct ml_calibration){ 0 };
	for (size_t k = 0; k < count; k++) {
		struct ml_calibrated *x = &c->kind[c->kinds++];

		c->levels += !kinds[k].misses_tlb;
		*x = (struct ml_calibrated){
			.level = (uint32_t)c->levels - 1,
			.misses_tlb = kinds[k].misses_tlb,
			.ticks = ml_arena_alloc(a, COUNT * sizeof(*x->ticks)),
		};
		strcpy(x->name, kinds[k].name);
		for (size_t i = 0; i < STEPS; i++)
			for (int n = 0; n < kinds[k].part[i]; n++) {
				x->mean += (double)kinds[k].step[i] / COUNT;
				x->ticks[x->count++] = kinds[k].step[i];
			}
	}
}

static const char *level_at(const struct ml_timed_levels *t, uint64_t ticks,
			    struct ml_arena *a)
{
	return ml_timed_level_name(t, ml_timed_levels_find(t, ticks), a);
}

/* What a clock with steps of 26 showed of an AMD EPYC, rounded. */
static const struct kind coarse[] = {
	{ "L1", { 58, 42 }, { 52, 78 }, false },
	{ "L2", { 37, 63 }, { 52, 78 }, false },
	{ "L3", { 3, 18, 70, 9 }, { 52, 78, 104, 130 }, false },
	{ "RAM", { 30, 40, 30 }, { 390, 416, 442 }, false },
};

TEST(a_coarse_clock_cannot_tell_l1_from_l2_but_l3_from_memory)
{
	struct ml_arena a = { 0 };
	struct ml_calibration c;
	struct ml_timed_levels t;
	struct ml_err err;

	calibrate(&c, coarse, 4, &a);
	CHECK_OK(ml_calibration_check(&c, &err), &err);
	ml_timed_levels_init(&t, &c, &a);
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
	static const struct kind kinds[] = {
		{ "L1", { 100 }, { 4 }, false },
		{ "L2", { 100 }, { 14 }, false },
		{ "L3", { 100 }, { 60 }, false },
		{ "RAM", { 100 }, { 300 }, false },
	};
	struct ml_arena a = { 0 };
	struct ml_calibration c;
	struct ml_timed_levels t;

	calibrate(&c, kinds, 4, &a);
	ml_timed_levels_init(&t, &c, &a);
	for (size_t i = 0; i < 4; i++)
		CHECK_STR(level_at(&t, kinds[i].step[0] + 1, &a), kinds[i].name);
	ml_arena_release(&a);
}

TEST(what_takes_longer_than_most_loads_from_memory_comes_from_memory)
{
	/* other programs took a part of L3: a third of its chase came from memory, and
	 * at 900 ticks there are more of those than of memory's own */
	static const struct kind kinds[] = {
		{ "L1", { 100 }, { 4 }, false },
		{ "L3", { 66, 34 }, { 60, 900 }, false },
		{ "RAM", { 60, 35, 5 }, { 300, 400, 900 }, false },
	};
	struct ml_arena a = { 0 };
	struct ml_calibration c;
	struct ml_timed_levels t;

	calibrate(&c, kinds, 3, &a);
	ml_timed_levels_init(&t, &c, &a);
	CHECK_STR(level_at(&t, 60, &a), "L3");
	CHECK_STR(level_at(&t, 300, &a), "RAM");
	CHECK_STR(level_at(&t, 900, &a), "RAM");
	CHECK_STR(level_at(&t, 100000, &a), "RAM");
	ml_arena_release(&a);
}

TEST(misses_of_the_tlb_are_said_apart_where_they_take_longer)
{
	/* of L3 only loads that hit the TLB were measured, so nothing is said of it */
	static const struct kind kinds[] = {
		{ "L1", { 100 }, { 38 }, false },
		{ "L2", { 100 }, { 46 }, false },
		{ "L2", { 100 }, { 82 }, true },
		{ "L3", { 100 }, { 126 }, false },
		{ "RAM", { 60, 40 }, { 400, 600 }, false },
		{ "RAM", { 10, 40, 50 }, { 400, 600, 800 }, true },
	};
	struct ml_arena a = { 0 };
	struct ml_calibration c;
	struct ml_timed_levels t;

	calibrate(&c, kinds, 6, &a);
	CHECK_EQ(c.levels, 4);
	c.kind[0].count--; /* an odd number, which two kinds share */
	ml_timed_levels_init(&t, &c, &a);
	CHECK_EQ(t.count, 2 * 99 + 2 * 98);
	CHECK_STR(level_at(&t, 46, &a), "L2");
	CHECK_STR(level_at(&t, 82, &a), "L2");
	CHECK_EQ(ml_timed_levels_find(&t, 38).tlb, ML_TIMED_TLB_HIT);
	CHECK_EQ(ml_timed_levels_find(&t, 46).tlb, ML_TIMED_TLB_HIT);
	CHECK_EQ(ml_timed_levels_find(&t, 82).tlb, ML_TIMED_TLB_MISS);
	CHECK_EQ(ml_timed_levels_find(&t, 126).tlb, ML_TIMED_TLB_UNKNOWN);
	CHECK_EQ(ml_timed_levels_find(&t, 400).tlb, ML_TIMED_TLB_HIT);
	CHECK_EQ(ml_timed_levels_find(&t, 600).tlb, ML_TIMED_TLB_UNKNOWN);
	CHECK_EQ(ml_timed_levels_find(&t, 800).tlb, ML_TIMED_TLB_MISS);
	ml_arena_release(&a);
}

TEST(a_calibration_is_trimmed_to_what_the_level_served)
{
	static const struct kind kinds[] = {
		{ "L1", { 98, 2 }, { 38, 400 }, false },
		{ "L2", { 10, 90 }, { 38, 46 }, false },
		{ "L2", { 100 }, { 44 }, true }, /* misses that cost nothing */
		{ "L3", { 25, 60, 15 }, { 46, 126, 500 }, false },
		{ "RAM", { 60, 40 }, { 400, 600 }, false },
	};
	struct ml_arena a = { 0 };
	struct ml_calibration c;

	calibrate(&c, kinds, 5, &a);
	ml_calibration_trim(&c);
	CHECK_EQ(c.kinds, 4);
	CHECK_EQ(c.kind[0].count, 98);
	CHECK_EQ(c.kind[1].count, 90);
	CHECK_NEAR(c.kind[2].mean, 126, 0.01);
	CHECK_EQ(c.kind[3].count, 100);
	/* the clock is too coarse to say which loads of L2's chase L1 served */
	calibrate(&c, coarse, 4, &a);
	ml_calibration_trim(&c);
	CHECK_EQ(c.kind[1].count, 100);
	CHECK_EQ(c.kind[2].count, 79); /* L3 without those that L2 may have served */
	ml_arena_release(&a);
}

TEST(levels_that_take_the_same_time_cannot_be_told)
{
	static const struct kind kinds[] = {
		{ "L1", { 100 }, { 0 }, false },
		{ "RAM", { 10 }, { 0 }, false }, /* fewer times have as many votes */
	};
	struct ml_arena a = { 0 };
	struct ml_calibration c;
	struct ml_timed_levels t;

	calibrate(&c, kinds, 2, &a);
	ml_timed_levels_init(&t, &c, &a);
	struct ml_timed_level l = ml_timed_levels_find(&t, 0);
	CHECK_EQ(l.first, 0);
	CHECK_EQ(l.last, 1);
	ml_arena_release(&a);
}

TEST(a_calibration_is_refused_with_its_numbers)
{
	/* what a virtual Xeon showed while the loads from memory were prefetched */
	static const struct kind prefetched[] = {
		{ "L1", { 100 }, { 38 }, false },
		{ "L2", { 100 }, { 46 }, false },
		{ "L3", { 100 }, { 128 }, false },
		{ "RAM", { 90, 10 }, { 38, 430 }, false },
	};
	/* other machines use L3 up */
	static const struct kind crowded[] = {
		{ "L1", { 100 }, { 38 }, false },
		{ "L2", { 100 }, { 46 }, false },
		{ "L3", { 40, 60 }, { 128, 420 }, false },
		{ "RAM", { 90, 10 }, { 400, 430 }, false },
		{ "RAM", { 100 }, { 600 }, true }, /* does not count */
	};
	static const struct kind disturbed[] = {
		{ "L1", { 100 }, { 138 }, false },
		{ "L2", { 100 }, { 46 }, false },
		{ "RAM", { 100 }, { 400 }, false },
	};
	struct ml_arena a = { 0 };
	struct ml_calibration c;
	struct ml_err err;

	calibrate(&c, prefetched, 4, &a);
	CHECK_FAILS(ml_calibration_check(&c, &err), &err,
		    "L1 38, L2 46, L3 128, RAM 77 ticks. L1: most loads");
	calibrate(&c, crowded, 5, &a);
	CHECK_FAILS(ml_calibration_check(&c, &err), &err,
		    "L3 303, RAM 403 ticks. L3: most loads that it should serve come "
		    "from memory");
	calibrate(&c, disturbed, 3, &a);
	CHECK_FAILS(ml_calibration_check(&c, &err), &err,
		    "L2: it is not slower than the level before");
	ml_arena_release(&a);
}

TEST(combined_levels_have_names_that_the_hardware_tree_knows)
{
	struct ml_timed_levels t = { .names = { "L1", "L2", "L3", "RAM" } };
	struct ml_timed_level pair = { 0, 1, 0 }, outer = { 1, 2, 0 },
			      three = { 0, 2, 0 }, last = { 2, 3, 0 };
	struct ml_arena a = { 0 };

	CHECK_EQ(ml_level_of_name(ml_timed_level_name(&t, pair, &a)), ML_LEVEL_L1_OR_L2);
	CHECK_EQ(ml_level_of_name(ml_timed_level_name(&t, outer, &a)), ML_LEVEL_L2_OR_L3);
	CHECK_EQ(ml_level_of_name(ml_timed_level_name(&t, three, &a)), ML_LEVEL_L1_TO_L3);
	CHECK_EQ(ml_level_of_name(ml_timed_level_name(&t, last, &a)), ML_LEVEL_L3_OR_RAM);
	ml_arena_release(&a);
}
