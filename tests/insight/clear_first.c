/* kind: cleared
 * region: out
 * calloc, and then every element is written anyway, again and again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef V
#define V 0
#endif
int main(void)
{
	enum { N = V == 2 ? 700 : 24000 };
	double *out = malloc(N * sizeof(*out)), sum = 0;

	for (int r = 0; r < (V == 2 ? 400 : 12); r++) {
		if (V == 0)
			memset(out, 0, N * sizeof(*out)); /* HERE */
		if (V == 2)
			memset(out, 0, N * sizeof(*out));
		for (int i = 0; i < N; i++)
			if (V == 2)
				out[i] += i * r;
			else
				out[i] = i * r;
		for (int i = 0; i < N; i++)
			sum += out[i];
	}
	printf("%g\n", sum);
}
