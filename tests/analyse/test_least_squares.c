#include "tests/test.h"

#include "lib/analyse/cycles/least_squares.h"
#include "lib/base/work.h"

static struct ml_err err;

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* Where the sum of squares is smallest, its slope is 0 at every point. */
static void check_slope(double (*f)[ML_SIDES], uint32_t points, const struct ml_strut *s,
			size_t count)
{
	for (int side = 0; side < ML_SIDES; side++) {
		double slope[64] = { 0 }, scale[64] = { 0 };

		for (size_t i = 0; i < count; i++) {
			double x = s[i].weight * (s[i].value[side] + f[s[i].to][side] -
						  f[s[i].from][side]);

			slope[s[i].to] += x;
			slope[s[i].from] -= x;
			scale[s[i].to] += s[i].weight;
			scale[s[i].from] += s[i].weight;
		}
		for (uint32_t i = 0; i < points; i++)
			CHECK_NEAR(slope[i], 0, 1e-6 * (1 + scale[i]));
	}
}

TEST(the_slope_is_zero_on_random_graphs)
{
	for (uint64_t graph = 0; graph < 300; graph++) {
		seed = graph;
		uint32_t points = 2 + draw(60), count = draw(3 * points);
		uint32_t sides = 1 + draw(ML_SIDES);
		struct ml_strut s[200];
		double f[64][ML_SIDES];

		for (uint32_t i = 0; i < count; i++) {
			s[i] = (struct ml_strut){ .from = draw(points),
						  .to = draw(points),
						  .weight = 0.01 + draw(1000) };
			for (uint32_t k = 0; k < sides; k++)
				s[i].value[k] = (int32_t)draw(5) - 2;
		}
		CHECK_OK(ml_least_squares(f, points, s, count, NULL, NULL, &err), &err);
		check_slope(f, points, s, count);
	}
}

TEST(chains_and_rings_need_no_iteration)
{
	struct ml_strut s[64];
	double f[64][ML_SIDES];
	size_t iterations;

	for (uint32_t i = 0; i < 63; i++)
		s[i] = (struct ml_strut){ i, i + 1, 1 + i, { 1 } };
	s[63] = (struct ml_strut){ 63, 10, 2, { 0 } };
	CHECK_OK(ml_least_squares(f, 64, s, 64, &iterations, NULL, &err), &err);
	CHECK_EQ(iterations, 0);
	check_slope(f, 64, s, 64);
}

static bool withdrawn(void *arg)
{
	(void)arg;
	return true;
}

TEST(smoothing_ends_when_it_is_cancelled)
{
	struct ml_strut s[] = { { 0, 1, 1, { 1 } },
				{ 1, 2, 1, { 1 } },
				{ 2, 0, 1, { 0 } } };
	struct ml_work work = { .cancelled = withdrawn };
	double f[3][ML_SIDES];

	CHECK_FAILS(ml_least_squares(f, 3, s, 3, NULL, &work, &err), &err, "stopped");
}
