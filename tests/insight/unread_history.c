/* kind: never read
 * region: history
 * advice: do not store
 * Each step stores what it did in a history that nobody looks at. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = 400, STEPS = 120 };

__attribute__((noinline)) static double step(double *x, double *history)
{
	double sum = 0;

	for (int i = 0; i < N; i++) {
		x[i] = x[i] * 0.5 + i;
		sum += x[i];
	}
	if (V != 1)
		for (int i = 0; i < N; i++) /* HERE */
			history[i] = sum - i; /* HERE */
	return sum;
}

int main(void)
{
	double *x = calloc(N, sizeof(*x)), sum = 0;
	double *history = malloc(STEPS * N * sizeof(*history));

	for (int t = 0; t < STEPS; t++) {
		sum += step(x, history + (V == 2 ? 0 : t * N));
		for (int i = 0; V == 2 && i < N; i++) /* small, and it is read */
			sum += history[i];
	}
	printf("%g\n", sum);
	free(x);
	free(history);
}
