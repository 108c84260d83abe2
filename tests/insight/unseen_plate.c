/* kind: sweep
 * region: plate
 * Sweeps of Gauss and Seidel over a plate that is a little larger than the last cache;
 * every other one runs backwards when mended. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 22 : 270, SWEEPS = V == 2 ? 600 : 10 };

static inline double relaxed(const double *p)
{
	return p[0] + 0.25 * (p[-1] + p[1] + p[-N] + p[N] - 4 * p[0]); /* HERE */
}

__attribute__((noinline)) static void forwards(double *plate)
{
	for (int y = 1; y < N - 1; y++)
		for (int x = 1; x < N - 1; x++)
			plate[y * N + x] = relaxed(&plate[y * N + x]); /* HERE */
}

__attribute__((noinline)) static void backwards(double *plate)
{
	for (int y = N - 2; y > 0; y--)
		for (int x = N - 2; x > 0; x--)
			plate[y * N + x] = relaxed(&plate[y * N + x]);
}

int main(void)
{
	double *plate = malloc(N * N * sizeof(*plate));

	for (int i = 0; i < N * N; i++)
		plate[i] = i % N == 0 ? 100 : 0;
	for (int s = 0; s < SWEEPS; s++)
		if (V == 1 && s % 2)
			backwards(plate);
		else
			forwards(plate);
	printf("%g\n", plate[N * N / 2]);
	free(plate);
}
