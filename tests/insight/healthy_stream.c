/* kind: none
 * Data that are made once and read once: nothing is used twice, so nothing can be saved. */
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	enum { N = 30000 };
	double *x = malloc(N * sizeof(*x)), s = 0;

	for (int i = 0; i < N; i++)
		x[i] = i * 0.5;
	for (int i = 0; i < N; i++)
		s += x[i];
	printf("%g\n", s);
}
