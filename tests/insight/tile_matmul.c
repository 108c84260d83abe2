/* kind: tile
 * region: b
 * A matrix product that reads all of b for each row of c; in tiles it keeps a part of b. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { N = 120, T = V == 2 ? 24 : N };
static double a[N][N], b[N][N], c[N][N];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < T; i++)
		for (int j = 0; j < T; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
#if V == 1
	for (int kk = 0; kk < N; kk += 24)
		for (int jj = 0; jj < N; jj += 24)
			for (int i = 0; i < N; i++)
				for (int k = kk; k < kk + 24; k++)
					for (int j = jj; j < jj + 24; j++)
						c[i][j] += a[i][k] * b[k][j];
#else
	for (int r = 0; r < N / T * N / T; r++)
		for (int i = 0; i < T; i++)
			for (int k = 0; k < T; k++)
				for (int j = 0; j < T; j++)
					c[i][j] += a[i][k] * b[k][j]; /* HERE */
#endif
	for (int i = 0; i < T; i++)
		for (int j = 0; j < T; j++)
			sum += c[i][j];
	printf("%g\n", sum);
}
