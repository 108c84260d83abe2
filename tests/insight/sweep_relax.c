/* kind: sweep
 * region: x
 * Sweeps over a vector that is larger than L2. Every other sweep goes backwards when mended. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
int main(void)
{
	int n = V == 2 ? 700 : 12000, sweeps = V == 2 ? 600 : 36;
	double *x = malloc(n * sizeof(*x)), sum = 0;

	for (int i = 0; i < n; i++)
		x[i] = i % 17;
	for (int t = 0; t < sweeps; t++) {
#if V == 1
		if (t & 1) {
			for (int i = n - 2; i > 0; i--)
				x[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
			continue;
		}
#endif
		for (int i = 1; i < n - 1; i++)
			x[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]; /* HERE */
	}
	for (int i = 0; i < n; i++)
		sum += x[i];
	printf("%g\n", sum);
}
