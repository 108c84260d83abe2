/* Distances along near points, against points on a circle and a slow computation. */
#include "lib/analyse/cycles/geodesic.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/test.h"

enum { MAX = 24 };

TEST(around_a_circle_the_way_leads_over_the_neighbours)
{
	double d[12 * 12], step = 2 * sin(M_PI / 12);

	for (int i = 0; i < 12; i++)
		for (int k = 0; k < 12; k++)
			d[i * 12 + k] = fabs(2 * sin(M_PI * (i - k) / 12));
	ml_geodesics(d, 12, 2);
	for (int i = 0; i < 12; i++)
		for (int k = 0; k < 12; k++) {
			int apart = abs(i - k) < 6 ? abs(i - k) : 12 - abs(i - k);

			CHECK_NEAR(d[i * 12 + k], apart * step, 1e-9);
		}
}

TEST(two_clusters_are_joined_by_their_shortest_gap)
{
	const double at[] = { 0, 1, 2, 10, 11, 12 };
	double d[36];

	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 6; k++)
			d[i * 6 + k] = fabs(at[i] - at[k]);
	ml_geodesics(d, 6, 1);
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 6; k++)
			CHECK_NEAR(d[i * 6 + k], fabs(at[i] - at[k]), 1e-9);
}

/* Whether k is one of the `near` nearest of i. */
static bool is_near(const double *d, int n, int i, int k, int near)
{
	int nearer = 0;

	for (int j = 0; j < n; j++)
		nearer += j != i && j != k && d[i * n + j] < d[i * n + k];
	return nearer < near;
}

/* An edge is in the shortest spanning tree if no way over shorter edges joins its ends:
 * the longest edge of the best way, by the rule of Floyd. */
static void slow_geodesics(double *d, int n, int near)
{
	double narrow[MAX * MAX], way[MAX * MAX];

	for (int i = 0; i < n * n; i++)
		narrow[i] = d[i];
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			for (int k = 0; k < n; k++)
				narrow[i * n + k] =
					fmin(narrow[i * n + k],
					     fmax(narrow[i * n + j], narrow[j * n + k]));
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			way[i * n + k] = i == k ? 0
					 : is_near(d, n, i, k, near) ||
							 is_near(d, n, k, i, near) ||
							 narrow[i * n + k] == d[i * n + k]
						 ? d[i * n + k]
						 : INFINITY;
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			for (int k = 0; k < n; k++)
				way[i * n + k] = fmin(way[i * n + k],
						      way[i * n + j] + way[j * n + k]);
	for (int i = 0; i < n * n; i++)
		d[i] = way[i];
}

TEST(ways_are_those_of_the_slow_computation)
{
	for (int round = 0; round < 100; round++) {
		int n = 2 + rand() % (MAX - 2), near = 1 + rand() % 4;
		double fast[MAX * MAX], slow[MAX * MAX];

		for (int i = 0; i < n; i++)
			for (int k = 0; k <= i; k++)
				fast[i * n + k] = fast[k * n + i] = slow[i * n + k] =
					slow[k * n + i] = i == k ? 0 : 1 + (double)rand();
		ml_geodesics(fast, (uint32_t)n, (uint32_t)near);
		slow_geodesics(slow, n, near);
		for (int i = 0; i < n * n; i++)
			CHECK_NEAR(fast[i], slow[i], 1e-3);
	}
}
