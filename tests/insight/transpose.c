/* kind: stride
 * region: a
 * advice: tile
 * A transpose: exchanging the loops only exchanges the arrays that suffer. Tiles help both. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { N = 152, T = 8 };
static double a[N][N], b[N][N];

__attribute__((noinline)) static void turn(void)
{
#if V == 1
	for (int ii = 0; ii < N; ii += T)
		for (int jj = 0; jj < N; jj += T)
			for (int i = ii; i < ii + T; i++)
				for (int j = jj; j < jj + T; j++)
					b[i][j] = a[j][i];
#elif V == 2
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			b[i][j] = a[i][j];
#else
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) /* HERE */
			b[i][j] = a[j][i]; /* HERE */
#endif
}

int main(void)
{
	double s = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = i * 3 + j;
	for (int r = 0; r < (V == 2 ? 1 : 6); r++) {
		turn();
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j += 6) /* some of each line is used */
				s += b[i][j];
	}
	printf("%g\n", s);
}
