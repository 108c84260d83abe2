/* kind: sweep
 * region: d
 * All shortest paths by Floyd and Warshall: each step goes over the whole matrix. Every other
 * step goes backwards when mended. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 24 : 170 };
static float d[N][N];

__attribute__((noinline)) static void step(int k)
{
#if V == 1
	if (k & 1) {
		for (int i = N - 1; i >= 0; i--)
			for (int j = N - 1; j >= 0; j--)
				d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
		return;
	}
#endif
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j]; /* HERE */
}

int main(void)
{
	float s = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			d[i][j] = i == j ? 0 : (i * 31 + j * 17) % 97 + 1;
	for (int r = 0; r < (V == 2 ? 20 : 1); r++)
		for (int k = 0; k < (V == 2 ? N : 40); k++)
			step(k);
	for (int i = 0; i < N; i++)
		s += d[i][(i * 7) % N];
	printf("%g\n", s);
}
