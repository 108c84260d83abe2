/* Measures over time, by hand on few references and against slow, obvious code. */
#include "lib/analyse/ensemble/curve.h"

#include <math.h>
#include <pthread.h>

#include "tests/by_hand.h"
#include "tests/test.h"

static struct ml_ensemble e;
static struct ml_curves *c;
static struct ml_err err;

/* 32 references in bins of 8; a hit costs 1 cycle, a miss 9: 1, 2, 9 and 1 on average */
static const uint32_t some[] = { 0, 1, 8, 0 };

static void one_member(void)
{
	ml_ensemble_init(&e);
	hand_trace(&e, "t", 32, 3);
	hand_member(&e, 0, "L1 1K 1c | memory 9c", some);
	c = ml_curves_open(&e);
}

static void done(void)
{
	ml_curves_close(c);
	ml_ensemble_release(&e);
}

static const struct ml_curve_options plain = { .against = SIZE_MAX };

TEST(the_mean_of_a_cell_is_its_cycles_over_its_references)
{
	double mean[4], low[4], high[4];

	one_member();
	ml_curve(c, 0, &plain, 0, 32, 4, mean, low, high, NULL);
	static const double want[] = { 1, 2, 9, 1 };
	for (size_t i = 0; i < 4; i++) {
		CHECK_NEAR(mean[i], want[i], 1e-12);
		CHECK_NEAR(low[i], want[i], 1e-12);
		CHECK_NEAR(high[i], want[i], 1e-12);
	}
	ml_curve(c, 0, &plain, 0, 32, 2, mean, low, high, NULL);
	CHECK_NEAR(mean[0], 1.5, 1e-12);
	CHECK_NEAR(low[0], 1, 1e-12);
	CHECK_NEAR(high[0], 2, 1e-12);
	CHECK_NEAR(mean[1], 5, 1e-12);
	CHECK_NEAR(low[1], 1, 1e-12);
	CHECK_NEAR(high[1], 9, 1e-12);
	done();
}

TEST(the_moving_average_takes_bins_on_both_sides_and_is_cut_at_the_ends)
{
	double mean[4], low[4], high[4];
	struct ml_curve_options o = plain;

	one_member();
	o.window = 24; /* three bins */
	ml_curve(c, 0, &o, 0, 32, 4, mean, low, high, NULL);
	CHECK_NEAR(mean[0], (1 + 2) / 2.0, 1e-12);
	CHECK_NEAR(mean[1], (1 + 2 + 9) / 3.0, 1e-12);
	CHECK_NEAR(mean[2], (2 + 9 + 1) / 3.0, 1e-12);
	CHECK_NEAR(mean[3], (9 + 1) / 2.0, 1e-12);
	CHECK_NEAR(low[1], mean[1], 1e-12);
	/* one cell over all four: the least and greatest of these */
	ml_curve(c, 0, &o, 0, 32, 1, mean, low, high, NULL);
	CHECK_NEAR(mean[0], 13 / 4.0, 1e-12);
	CHECK_NEAR(low[0], 1.5, 1e-12);
	CHECK_NEAR(high[0], 5, 1e-12);
	done();
}

TEST(every_measure_follows_from_the_counts)
{
	struct ml_curve_options o = plain;

	one_member();
	CHECK_NEAR(ml_curve_total(c, 0, &o, 0, 32), 13 / 4.0, 1e-12);
	CHECK_NEAR(ml_curve_total(c, 0, &o, 16, 24), 9, 1e-12);
	o.measure = ML_MEASURE_SERVED;
	o.level = 1;
	CHECK_NEAR(ml_curve_total(c, 0, &o, 0, 32), 23 / 32.0, 1e-12);
	o.level = 2; /* memory */
	CHECK_NEAR(ml_curve_total(c, 0, &o, 8, 16), 1 / 8.0, 1e-12);
	o.measure = ML_MEASURE_MEMORY;
	CHECK_NEAR(ml_curve_total(c, 0, &o, 8, 16), 64 / 8.0, 1e-12);
	o.measure = ML_MEASURE_MISS;
	o.level = 1;
	CHECK_NEAR(ml_curve_total(c, 0, &o, 0, 32), 9 / 32.0, 1e-12);
	o.measure = ML_MEASURE_TEMPERATURE; /* a hit +1, a miss -7 */
	CHECK_NEAR(ml_curve_total(c, 0, &o, 8, 16), 0, 1e-12);
	CHECK_NEAR(ml_curve_total(c, 0, &o, 16, 24), -7, 1e-12);
	o.level = 2;
	CHECK(isnan(ml_curve_total(c, 0, &o, 0, 32))); /* there is no second level */
	done();
}

TEST(weights_replace_the_cycles_of_the_machine)
{
	struct ml_curve_options o = plain;

	one_member();
	o.weighted = true;
	o.weight[1] = 3;
	o.weight[2] = 15;
	o.weight[3] = 300;
	CHECK_NEAR(ml_curve_total(c, 0, &o, 8, 16), (7 * 3 + 15) / 8.0, 1e-12);
	o.memory = 3; /* of a list of weights for more levels: memory is its last */
	CHECK_NEAR(ml_curve_total(c, 0, &o, 8, 16), (7 * 3 + 300) / 8.0, 1e-12);
	done();
}

TEST(the_deviation_is_that_of_single_references)
{
	double deviation[4];
	struct ml_curve_options o = plain;

	one_member();
	ml_curve(c, 0, &o, 0, 32, 4, NULL, NULL, NULL, deviation);
	CHECK_NEAR(deviation[0], 0, 1e-12);
	/* seven of 1, one of 9, mean 2: (7 * 1 + 49) / 8 = 7 */
	CHECK_NEAR(deviation[1], sqrt(7), 1e-12);
	CHECK_NEAR(deviation[2], 0, 1e-12);
	o.measure = ML_MEASURE_MISS;
	o.level = 1;
	ml_curve(c, 0, &o, 0, 32, 4, NULL, NULL, NULL, deviation);
	CHECK_NEAR(deviation[1], sqrt(1 / 8.0 * 7 / 8.0), 1e-12);
	done();
}

TEST(there_is_nothing_behind_the_end_of_a_shorter_trace)
{
	double mean[4];

	ml_ensemble_init(&e);
	hand_trace(&e, "short", 12, 3); /* the last bin has 4 */
	hand_member(&e, 0, "L1 1K 1c | memory 9c", (const uint32_t[]){ 0, 4 });
	hand_trace(&e, "long", 32, 3);
	hand_member(&e, 1, "L1 1K 1c | memory 9c", some);
	c = ml_curves_open(&e);
	ml_curve(c, 0, &plain, 0, 32, 4, mean, NULL, NULL, NULL);
	CHECK_NEAR(mean[0], 1, 1e-12);
	/* four references, all missed; the window, a bin wide, has two before them */
	CHECK_NEAR(mean[1], (2 * 1 + 4 * 9) / 6.0, 1e-12);
	CHECK(isnan(mean[2]));
	CHECK(isnan(mean[3]));
	CHECK_NEAR(ml_curve_total(c, 0, &plain, 0, 32), (8 * 1 + 4 * 9) / 12.0, 1e-12);
	double across[2], spread[2], two[] = { 1, NAN, 3, 5 };
	ml_curve_spread(two, 2, 2, across, spread);
	CHECK_NEAR(across[0], 2, 0);
	CHECK_NEAR(spread[0], 1, 0);
	CHECK_NEAR(across[1], 5, 0); /* of the one that is there */
	CHECK_NEAR(spread[1], 0, 0);
	done();
}

TEST(a_difference_has_the_least_and_greatest_of_the_differences)
{
	static const uint32_t other[] = { 8, 1, 0, 0 };
	double mean[2], low[2], high[2];
	struct ml_curve_options o = plain;

	ml_ensemble_init(&e);
	hand_trace(&e, "t", 32, 3);
	hand_member(&e, 0, "L1 1K 1c | memory 9c", some);
	hand_member(&e, 0, "L1 2K 1c | memory 9c", other); /* 9, 2, 1, 1 */
	c = ml_curves_open(&e);
	o.against = 0;
	ml_curve(c, 1, &o, 0, 32, 2, mean, low, high, NULL);
	CHECK_NEAR(mean[0], 5.5 - 1.5, 1e-12);
	CHECK_NEAR(low[0], 0, 1e-12);
	CHECK_NEAR(high[0], 8, 1e-12);
	CHECK_NEAR(mean[1], 1 - 5, 1e-12);
	CHECK_NEAR(low[1], -8, 1e-12);
	CHECK_NEAR(high[1], 0, 1e-12);
	CHECK_NEAR(ml_curve_total(c, 1, &o, 0, 32), 0, 1e-12);
	ml_curve(c, 0, &o, 0, 32, 2, mean, low, high, NULL);
	CHECK_NEAR(mean[1], 0, 1e-12);
	o.measure = ML_MEASURE_MISS;
	o.level = 1;
	ml_curve(c, 1, &o, 0, 32, 2, mean, NULL, NULL, NULL);
	CHECK_NEAR(mean[0], 9 / 16.0 - 1 / 16.0, 1e-12);
	done();
}

TEST(matched_members_are_scaled_by_volume)
{
	struct ml_arena a = { 0 };
	struct ml_time_matching m;
	double mean[2];

	ml_ensemble_init(&e);
	/* long: half way at 24 of 32; short: at 8 of 16, all of them misses */
	hand_trace(&e, "long", 32, 3);
	hand_milestones(&e, "mark half", 1, (const uint64_t[]){ 24 });
	hand_member(&e, 0, "L1 1K 1c | memory 9c", (const uint32_t[]){ 0, 0, 0, 0 });
	hand_trace(&e, "short", 16, 3);
	hand_milestones(&e, "mark half", 1, (const uint64_t[]){ 8 });
	hand_member(&e, 1, "L1 1K 1c | memory 9c", (const uint32_t[]){ 8, 8 });
	c = ml_curves_open(&e);
	CHECK_OK(ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, NULL, 0, 0, &a, &err),
		 &err);
	struct ml_curve_options o = { .against = SIZE_MAX, .matching = &m };
	ml_curve(c, 1, &o, 0, 24, 2, mean, NULL, NULL, NULL);
	CHECK_NEAR(mean[0], 9, 1e-12);
	CHECK_NEAR(mean[1], 9, 1e-12);
	o.volume = true; /* 8 references for 24 of the base: a third */
	ml_curve(c, 1, &o, 0, 24, 2, mean, NULL, NULL, NULL);
	CHECK_NEAR(mean[0], 3, 1e-12);
	CHECK_NEAR(mean[1], 3, 1e-12);
	ml_curve(c, 1, &o, 24, 32, 1, mean, NULL, NULL, NULL);
	CHECK_NEAR(mean[0], 9, 1e-12); /* 8 for 8 */
	/* its 144 cycles in 32 references of the base */
	CHECK_NEAR(ml_curve_total(c, 1, &o, 0, 32), 144 / 32.0, 1e-12);
	o.against = 0;
	CHECK_NEAR(ml_curve_total(c, 1, &o, 0, 32), 144 / 32.0 - 1, 1e-12);
	ml_curve(c, 1, &o, 24, 32, 1, mean, NULL, NULL, NULL);
	CHECK_NEAR(mean[0], 9 - 1, 1e-12);
	ml_arena_release(&a);
	done();
}

/* The working set in four cells of 32 references, of the family by `size`. */
static bool working_set(const char *size, double *bytes)
{
	struct ml_arena a = { 0 };
	uint32_t *family;
	size_t count;
	bool ok = ml_curve_family(&e, size, NULL, &family, &count, &a, &err);

	if (ok)
		ml_curve_working_set(c, family, count, size, &plain, 0.05, 0, 32, 4,
				     bytes);
	ml_arena_release(&a);
	return ok;
}

TEST(the_working_set_is_the_least_size_from_which_on_all_agree)
{
	/* 1 K always misses, 2 K in bins 0 and 1, 4 K in bin 0, 8 K and 16 K never */
	static const uint32_t missed[5][4] = {
		{ 8, 8, 8, 8 }, { 8, 8 }, { 8 }, { 0 }, { 0 }
	};
	static const char *const machines[] = {
		"L1 1K 1c | memory 9c", "L1 2K 1c | memory 9c", "L1 4K 1c | memory 9c",
		"L1 8K 1c | memory 9c", "L1 16K 1c | memory 9c"
	};
	static const char *const values[] = { "1K", "2K", "4K", "8K", "16K" };
	double bytes[4];

	ml_ensemble_init(&e);
	hand_trace(&e, "t", 32, 3);
	for (unsigned i = 0; i < 5; i++)
		hand_param(&e, hand_member(&e, 0, machines[i], missed[i]), "L1 size",
			   values[i], 1024 << i);
	c = ml_curves_open(&e);
	CHECK_OK(working_set("L1 size", bytes), &err);
	CHECK_NEAR(bytes[0], 8192, 0);
	CHECK_NEAR(bytes[1], 4096, 0);
	CHECK_NEAR(bytes[2], 2048, 0);
	CHECK_NEAR(bytes[3], 2048, 0);
	/* without 16 K, 8 K has none that agrees with it in bin 0: larger than known */
	e.members[4].done = false;
	CHECK_OK(working_set("L1 size", bytes), &err);
	CHECK(isnan(bytes[0]));
	CHECK_NEAR(bytes[1], 4096, 0);
	CHECK_FAILS(working_set("L2 size", bytes), &err,
		    "parameters that are numbers: L1 size");
	done();
}

TEST(a_family_differs_by_one_parameter_alone)
{
	static const uint32_t none[4];
	struct ml_arena a = { 0 };
	uint32_t *family;
	size_t count;
	static const struct {
		const char *machine, *size, *policy;
		double number;
	} all[] = {
		{ "L1 1K lru | memory 9c", "1K", "lru", 1024 },
		{ "L1 4K fifo | memory 9c", "4K", "fifo", 4096 },
		{ "L1 1K fifo | memory 9c", "1K", "fifo", 1024 },
		{ "L1 2K fifo | memory 9c", "2K", "fifo", 2048 },
		{ "L1 2K lru | memory 9c", "2K", "lru", 2048 },
	};

	ml_ensemble_init(&e);
	hand_trace(&e, "t", 32, 3);
	for (size_t i = 0; i < 5; i++) {
		uint32_t m = hand_member(&e, 0, all[i].machine, none);

		hand_param(&e, m, "L1 size", all[i].size, all[i].number);
		hand_param(&e, m, "L1 policy", all[i].policy, NAN);
	}
	c = ml_curves_open(&e);
	CHECK_OK(ml_curve_family(&e, "L1 size", NULL, &family, &count, &a, &err), &err);
	CHECK_EQ(count, 3);
	CHECK_EQ(family[0], 2);
	CHECK_EQ(family[1], 3);
	CHECK_EQ(family[2], 1);
	static const bool lru[] = { true, false, false, false, true };
	CHECK_OK(ml_curve_family(&e, "L1 size", lru, &family, &count, &a, &err), &err);
	CHECK_EQ(count, 2);
	CHECK_EQ(family[1], 4);
	ml_arena_release(&a);
	done();
}

static void *ask_often(void *arg)
{
	static const double want[] = { 1, 2, 9, 1 };
	double mean[4], low[4], high[4], deviation[4];
	bool *same = arg;

	*same = true;
	for (unsigned i = 0; i < 300; i++) {
		ml_curve(c, 0, &plain, 0, 32, 4, mean, low, high, deviation);
		for (size_t k = 0; k < 4; k++)
			*same = *same && fabs(mean[k] - want[k]) < 1e-12;
	}
	return NULL;
}

TEST(many_may_ask_at_once)
{
	pthread_t thread[4];
	bool same[4];

	one_member();
	for (size_t i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, ask_often, &same[i]), 0);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		CHECK(same[i]);
	}
	done();
}

/* Numbers that look random and are the same on every machine. */
static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

enum { BINS = 1000, BITS = 4 };

/* Cycles a reference between two whole bins. */
static double slow_mean(size_t from, size_t to)
{
	double sum = 0, refs = 0;

	for (size_t b = from; b < to; b++) {
		sum += e.members[0].served[1][b] + 9.0 * e.members[0].served[2][b];
		refs += e.members[0].served[1][b] + e.members[0].served[2][b];
	}
	return sum / refs;
}

TEST(any_cells_and_any_window_are_those_of_slow_obvious_code)
{
	static uint32_t missed[BINS];
	static const size_t cells[] = { 1, 2, 5, 10, 125, 1000 },
			    halves[] = { 0, 1, 7, 200, 2000 };
	static double mean[BINS], low[BINS], high[BINS];
	uint32_t seed = 7;

	ml_ensemble_init(&e);
	hand_trace(&e, "t", BINS << BITS, BITS);
	for (size_t i = 0; i < BINS; i++)
		missed[i] = next_random(&seed) % (1 + 16 * (uint32_t)i / BINS);
	hand_member(&e, 0, "L1 1K 1c | memory 9c", missed);
	c = ml_curves_open(&e);
	for (size_t x = 0; x < 6; x++)
		for (size_t y = 0; y < 5; y++) {
			size_t n = cells[x], h = halves[y], each = BINS / n;
			struct ml_curve_options o = plain;

			o.window = (double)(2 * h + 1) * (1 << BITS);
			ml_curve(c, 0, &o, 0, BINS << BITS, n, mean, low, high, NULL);
			for (size_t i = 0; i < n; i++) {
				double least = INFINITY, most = 0;

				for (size_t b = i * each; b < (i + 1) * each; b++) {
					double v = slow_mean(b > h ? b - h : 0,
							     b + h + 1 < BINS ? b + h + 1
									      : BINS);

					least = fmin(least, v);
					most = fmax(most, v);
				}
				if (2 * h + 1 <= each)
					CHECK_NEAR(mean[i],
						   slow_mean(i * each, (i + 1) * each),
						   1e-9);
				CHECK_NEAR(low[i], fmin(least, mean[i]), 1e-9);
				CHECK_NEAR(high[i], fmax(most, mean[i]), 1e-9);
			}
		}
	/* a window within the run is the same as there in the whole */
	struct ml_curve_options o = plain;
	o.window = 15 << BITS;
	ml_curve(c, 0, &o, 300 << BITS, 400 << BITS, 10, mean, low, high, NULL);
	for (size_t i = 0; i < 10; i++) {
		size_t first = 300 + i * 10, last = first + 10;

		/* 15 bins around the middle of the cell: half bins at both ends */
		double wide = (slow_mean(first - 3, first - 2) +
			       slow_mean(last + 2, last + 3)) /
				      2 +
			      slow_mean(first - 2, last + 2) * 14;
		CHECK_NEAR(mean[i], wide / 15, 1e-9);
		CHECK(low[i] <= mean[i] && mean[i] <= high[i]);
	}
	CHECK_NEAR(ml_curve_total(c, 0, &plain, 130 << BITS, 777 << BITS),
		   slow_mean(130, 777), 1e-9);
	done();
}
