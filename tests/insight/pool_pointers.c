/* kind: nodes
 * region: *
 * An array of pointers to numbers, each allocated alone; they point into one pool when
 * mended. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 120 : 12000 };
static double *value[N];

__attribute__((noinline)) static double sum(double by)
{
	double s = 0;

	for (int i = 0; i < N; i++)
		s += *value[i] * by; /* HERE */
	return s;
}

int main(void)
{
	double s = 0, *pool = NULL;

	if (V == 1)
		pool = malloc(N * sizeof(*pool));
	for (int i = 0; i < N; i++) {
		value[i] = V == 1 ? &pool[i] : malloc(sizeof(double));
		*value[i] = i % 13;
	}
	for (int r = 0; r < (V == 2 ? 3000 : 120); r++)
		s += sum(r);
	printf("%g\n", s);
}
