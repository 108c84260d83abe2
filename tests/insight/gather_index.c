/* kind: gather
 * region: x
 * Elements are fetched through an index array in random order; sorted when mended. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 500 : 40000, M = V == 2 ? 800 : 20000, R = V == 2 ? 250 : 10 };
static double x[N];
static int at[M];

__attribute__((noinline)) static double collect(void)
{
	double s = 0;

	for (int i = 0; i < M; i++)
		s += x[at[i]]; /* HERE */
	return s;
}

int main(void)
{
	unsigned r = 7;
	double sum = 0;

	for (int i = 0; i < N; i++)
		x[i] = i;
	for (int i = 0; i < M; i++) {
		r = r * 1664525 + 1013904223;
		at[i] = V == 1 ? 2 * i + (r >> 9 & 1) : (int)((r >> 5) % N);
	}
	for (int k = 0; k < R * 4; k++) {
		x[k % N]++; /* or else one call would do for all */
		sum += collect();
	}
	printf("%g\n", sum);
}
