/* Threads that share a cache, modelled by members whose counts are given. */
#include "lib/analyse/ensemble/shared_cache_model.h"

#include <math.h>

#include "tests/by_hand.h"
#include "tests/test.h"

static struct ml_ensemble e;
static struct ml_shared_cache s;
static struct ml_arena arena;
static struct ml_err err;

/*
 * 64 references in 8 bins of 8. With 1 K all miss in bins 0 to 3; with 2 K in bins 0
 * and 1; with 3 K in bin 0 (its first bin); with 4 K never. A hit costs 1, a miss 9.
 */
static void four_sizes(void)
{
	static const uint32_t missed[4][8] = { { 8, 8, 8, 8 }, { 8, 8 }, { 8 }, { 0 } };
	static const char *const machines[] = { "L1 1K 1c | memory 9c",
						"L1 2K 1c | memory 9c",
						"L1 3K full 1c | memory 9c",
						"L1 4K 1c | memory 9c" };
	static const char *const values[] = { "1K", "2K", "3K", "4K" };

	ml_ensemble_init(&e);
	arena = (struct ml_arena){ 0 };
	hand_trace(&e, "t", 64, 3);
	/* backwards: families are sorted by the number, not by order */
	for (unsigned i = 4; i-- > 0;)
		hand_param(&e, hand_member(&e, 0, machines[i], missed[i]), "L1 size",
			   values[i], 1024 * (i + 1.0));
}

static void done(void)
{
	ml_ensemble_release(&e);
	ml_arena_release(&arena);
}

enum { K4, K3, K2, K1 }; /* numbers of the members */

TEST(all_ways_to_share_out_a_total_are_found_once)
{
	four_sizes();
	CHECK_OK(ml_shared_cache_make(&s, &e, "L1 size", 2, 4096, &arena, &err), &err);
	CHECK_EQ(s.count, 2); /* 1 + 3, 2 + 2 */
	CHECK_EQ(s.at[0].member[0], K1);
	CHECK_EQ(s.at[0].member[1], K3);
	CHECK_EQ(s.at[0].starved, 1);
	CHECK_EQ(s.at[1].member[0], K2);
	CHECK_EQ(s.at[1].member[1], K2);
	CHECK_EQ(s.at[1].starved, 0);
	/* 8 as a sum of three from 1 to 4: 1+3+4, 2+2+4, 2+3+3 */
	CHECK_OK(ml_shared_cache_make(&s, &e, "L1 size", 3, 8192, &arena, &err), &err);
	CHECK_EQ(s.count, 3);
	/* 6 as a sum of four: 1+1+1+3, 1+1+2+2 */
	CHECK_OK(ml_shared_cache_make(&s, &e, "L1 size", 4, 6144, &arena, &err), &err);
	CHECK_EQ(s.count, 2);
	CHECK_EQ(s.at[0].starved, 3);
	CHECK_EQ(s.at[1].starved, 2);
	done();
}

TEST(a_total_that_no_members_add_up_to_fails_and_says_which_sizes_there_are)
{
	four_sizes();
	CHECK_FAILS(ml_shared_cache_make(&s, &e, "L1 size", 2, 16384, &arena, &err), &err,
		    "there are 1.0 KiB, 2.0 KiB, 3.0 KiB, 4.0 KiB");
	CHECK_FAILS(ml_shared_cache_make(&s, &e, "L2 size", 2, 4096, &arena, &err), &err,
		    "parameters that are numbers: L1 size");
	CHECK_FAILS(ml_shared_cache_make(&s, &e, "L1 size", 9, 4096, &arena, &err), &err,
		    "2 to 8 threads");
	done();
}

TEST(a_size_that_no_cache_can_have_is_refused)
{
	static const double sizes[] = { -1e306, 1e306, 0, 0.5 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint32_t missed[8] = { 8 };

		four_sizes();
		hand_param(&e, hand_member(&e, 0, "L1 5K 1c | memory 9c", missed),
			   "L1 size", "odd", sizes[i]);
		CHECK_FAILS(
			ml_shared_cache_make(&s, &e, "L1 size", 2, 1 << 20, &arena, &err),
			&err, "is no size of a cache");
		done();
	}
}

/* The curve of one way alone. */
static void one_way(const struct ml_curves *c, size_t which,
		    const struct ml_curve_options *o, double shift, double from,
		    double to, size_t cells, double *mean, double *low, double *high)
{
	struct ml_shared_cache one = s;

	one.at += which;
	one.count = 1;
	ml_shared_cache_curves(c, &one, o, shift, from, to, cells, mean, low, high);
}

TEST(references_are_pooled_as_if_of_one_run)
{
	four_sizes();
	struct ml_curves *c = ml_curves_open(&e);
	struct ml_curve_options o = { .against = SIZE_MAX };
	double mean[8], low[8], high[8];

	CHECK_OK(ml_shared_cache_make(&s, &e, "L1 size", 2, 4096, &arena, &err), &err);
	one_way(c, 0, &o, 0, 0, 64, 8, mean, low, high);
	/* 1 K and 3 K: both miss in bin 0, one in bins 1 to 3, none behind */
	static const double want[] = { 9, 5, 5, 5, 1, 1, 1, 1 };
	for (size_t i = 0; i < 8; i++) {
		CHECK_NEAR(mean[i], want[i], 1e-12);
		CHECK_NEAR(low[i], want[i], 1e-12);
		CHECK_NEAR(high[i], want[i], 1e-12);
	}
	/* 40 misses and 88 hits of 128 */
	CHECK_NEAR(ml_shared_cache_total(c, &s, 0, &o), (40 * 9 + 88) / 128.0, 1e-12);
	CHECK_NEAR(ml_shared_cache_total(c, &s, 1, &o), (32 * 9 + 96) / 128.0, 1e-12);
	ml_curves_close(c);
	done();
}

TEST(the_envelope_bounds_all_shifts_of_the_threads_against_each_other)
{
	four_sizes();
	struct ml_curves *c = ml_curves_open(&e);
	struct ml_curve_options o = { .against = SIZE_MAX };
	double mean[8], low[8], high[8];

	CHECK_OK(ml_shared_cache_make(&s, &e, "L1 size", 2, 4096, &arena, &err), &err);
	/* each by up to 8 references, a bin, either way */
	one_way(c, 0, &o, 16, 0, 64, 8, mean, low, high);
	static const double lows[] = { 5, 5, 5, 1, 1, 1, 1, 1 };
	static const double highs[] = { 9, 9, 5, 5, 5, 1, 1, 1 };
	for (size_t i = 0; i < 8; i++) {
		CHECK_NEAR(low[i], lows[i], 1e-12);
		CHECK_NEAR(high[i], highs[i], 1e-12);
	}
	ml_curves_close(c);
	done();
}

TEST(misses_are_pooled_over_those_that_ask)
{
	four_sizes();
	struct ml_curves *c = ml_curves_open(&e);
	struct ml_curve_options o = { .measure = ML_MEASURE_MISS,
				      .level = 1,
				      .against = SIZE_MAX };
	double mean[8];

	CHECK_OK(ml_shared_cache_make(&s, &e, "L1 size", 2, 4096, &arena, &err), &err);
	one_way(c, 0, &o, 0, 0, 64, 8, mean, NULL, NULL);
	CHECK_NEAR(mean[0], 1, 0);
	CHECK_NEAR(mean[1], 0.5, 0);
	CHECK_NEAR(mean[7], 0, 0);
	CHECK_NEAR(ml_shared_cache_total(c, &s, 0, &o), 40 / 128.0, 1e-12);
	ml_curves_close(c);
	done();
}

TEST(all_ways_at_once_are_those_one_by_one)
{
	four_sizes();
	struct ml_curves *c = ml_curves_open(&e);
	struct ml_curve_options o = { .against = SIZE_MAX, .window = 24 };
	double all[3][3 * 5], one[3][5];

	CHECK_OK(ml_shared_cache_make(&s, &e, "L1 size", 3, 8192, &arena, &err), &err);
	CHECK_EQ(s.count, 3);
	ml_shared_cache_curves(c, &s, &o, 6, 0, 64, 5, all[0], all[1], all[2]);
	for (size_t w = 0; w < 3; w++) {
		one_way(c, w, &o, 6, 0, 64, 5, one[0], one[1], one[2]);
		for (size_t k = 0; k < 3; k++)
			for (size_t i = 0; i < 5; i++)
				CHECK_NEAR(all[k][w * 5 + i], one[k][i], 0);
	}
	ml_curves_close(c);
	done();
}
