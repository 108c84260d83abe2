#include "lib/analyse/passes/temperature.h"
#include "tests/test.h"

static struct ml_err err;

static void run(struct ml_temperature *t, const struct ml_temperature_options *o,
		unsigned levels, const uint16_t *served, size_t count)
{
	struct ml_thermometer *x = ml_thermometer_open(o);

	for (size_t i = 0; i < count; i++)
		ml_thermometer_run(x, levels, served + i, 1);
	ml_thermometer_close(x, t);
}

TEST(the_default_scores_make_a_walk_through_doubles_neutral)
{
	struct ml_temperature_options o = ml_temperature_default();

	/* one miss and seven hits */
	CHECK_NEAR(o.miss[0] + 7 * o.hit[0], 0, 0);
	CHECK(o.miss[0] < o.miss[1] && o.miss[1] < o.miss[2]);
}

TEST(hits_misses_and_levels_that_are_not_asked_are_averaged)
{
	struct ml_temperature_options o = {
		.last = 4, .hit = { 1, 1 }, .miss = { -7, -3 }, .points = 100
	};
	/* levels that served: memory, L2, L1, L1, L1, L1, L1 */
	static const uint16_t served[] = { 3, 2, 1, 1, 1, 1, 1 };
	static const double l1[] = {
		-7, -7, -13 / 3.0, (-14 + 2) / 4.0, -7 / 4.0 + 3 / 4.0, 1, 1
	};
	static const double l2[] = {
		-3, (-3 + 1) / 2.0, -2 / 3.0, -2 / 4.0, 1 / 4.0, 0, 0
	};
	struct ml_temperature t;

	run(&t, &o, 2, served, 7);
	CHECK_EQ(t.count, 7);
	CHECK_EQ(t.step, 1);
	CHECK_EQ(t.levels, 2);
	for (size_t i = 0; i < 7; i++) {
		CHECK_NEAR(t.series[2 * i], l1[i], 1e-12);
		CHECK_NEAR(t.series[2 * i + 1], l2[i], 1e-12);
	}
	ml_temperature_release(&t);
}

TEST(a_long_series_keeps_every_other_point)
{
	struct ml_temperature_options o = {
		.last = 1, .hit = { 1 }, .miss = { -1 }, .points = 4
	};
	uint16_t served[37];
	struct ml_temperature t;

	/* a hit at each multiple of 16, counted from 1 */
	for (size_t i = 0; i < 37; i++)
		served[i] = (i + 1) % 16 ? 2 : 1;
	run(&t, &o, 1, served, 37);
	CHECK_EQ(t.step, 8); /* 37 / 8 is 4 */
	CHECK_EQ(t.count, 4);
	CHECK_NEAR(t.series[0], -1, 0);
	CHECK_NEAR(t.series[1], 1, 0);
	CHECK_NEAR(t.series[2], -1, 0);
	CHECK_NEAR(t.series[3], 1, 0);
	ml_temperature_release(&t);
}

TEST(the_bits_of_causes_do_not_matter)
{
	struct ml_temperature_options o = {
		.last = 2, .hit = { 1 }, .miss = { -1 }, .points = 4
	};
	uint16_t served[2] = { ml_outcome_with(2, 1, ML_CAUSE_CONFLICT), 1 };
	struct ml_temperature t;

	run(&t, &o, 1, served, 2);
	CHECK_NEAR(t.series[0], -1, 0);
	CHECK_NEAR(t.series[1], 0, 0);
	ml_temperature_release(&t);
}

TEST(nothing_has_no_temperature)
{
	struct ml_temperature_options o = ml_temperature_default();
	struct ml_temperature t;

	run(&t, &o, 0, NULL, 0);
	CHECK_EQ(t.count, 0);
	ml_temperature_release(&t);
}

TEST(it_depends_on_who_served_and_on_the_scores_only)
{
	struct ml_temperature_options o = ml_temperature_default();
	uint64_t served[] = { 0, 60, 30, 10 }; /* by L1, L2 and memory */
	double t[2];

	ml_temperature_of(&o, 2, served, t);
	CHECK_NEAR(t[0], (60 - 7 * 40) / 100.0, 1e-12);
	CHECK_NEAR(t[1], (30 - 3 * 10) / 100.0, 1e-12);
	CHECK_OK(ml_temperature_scores(&o, "2", "-1,-0.5", &err), &err);
	ml_temperature_of(&o, 2, served, t);
	CHECK_NEAR(t[0], (2 * 60 - 40) / 100.0, 1e-12);
	CHECK_NEAR(t[1], (30 - 0.5 * 10) / 100.0, 1e-12);
}

TEST(scores_that_are_no_numbers_are_said)
{
	struct ml_temperature_options o = ml_temperature_default();

	CHECK_OK(ml_temperature_scores(&o, NULL, NULL, &err), &err);
	CHECK_OK(ml_temperature_scores(&o, "", "1,2,3,4", &err), &err);
	CHECK_NEAR(o.miss[3], 4, 0);
	CHECK(!ml_temperature_scores(&o, "1;2", NULL, &err));
	CHECK(!ml_temperature_scores(&o, NULL, "1,,2", &err));
	CHECK(!ml_temperature_scores(&o, "nan", NULL, &err));
	CHECK(!ml_temperature_scores(&o, "1,2,3,4,5", NULL, &err));
	CHECK(strstr(err.text, "more than 4") != NULL);
}
