#include "tests/test.h"

#include "lib/analyse/cycles/least_squares.h"

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* Where the sum of squares is smallest, its slope is 0 at every point. */
static void check_slope(const double *f, uint32_t points, const struct ml_strut *s,
			size_t count)
{
	double slope[64] = { 0 }, scale[64] = { 0 };

	for (size_t i = 0; i < count; i++) {
		double x = s[i].weight * (s[i].value + f[s[i].to] - f[s[i].from]);

		slope[s[i].to] += x;
		slope[s[i].from] -= x;
		scale[s[i].to] += s[i].weight;
		scale[s[i].from] += s[i].weight;
	}
	for (uint32_t i = 0; i < points; i++)
		CHECK_NEAR(slope[i], 0, 1e-6 * (1 + scale[i]));
}

TEST(the_slope_is_zero_on_random_graphs)
{
	for (uint64_t graph = 0; graph < 300; graph++) {
		seed = graph;
		uint32_t points = 2 + draw(60), count = draw(3 * points);
		struct ml_strut s[200];
		double f[64];

		for (uint32_t i = 0; i < count; i++)
			s[i] = (struct ml_strut){ draw(points), draw(points),
						  0.01 + draw(1000),
						  (double)draw(5) - 2 };
		ml_least_squares(f, points, s, count);
		check_slope(f, points, s, count);
	}
}

TEST(chains_and_rings_need_no_iteration)
{
	struct ml_strut s[64];
	double f[64];

	for (uint32_t i = 0; i < 63; i++)
		s[i] = (struct ml_strut){ i, i + 1, 1 + i, 1 };
	s[63] = (struct ml_strut){ 63, 10, 2, 0 };
	CHECK_EQ(ml_least_squares(f, 64, s, 64), 0);
	check_slope(f, 64, s, 64);
}
