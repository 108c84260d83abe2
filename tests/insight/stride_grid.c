/* kind: stride
 * region: grid
 * The inner loop goes down a column. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { N = 300 };
static float grid[N][N];

__attribute__((noinline)) static double total(int r)
{
	double s = r;
#if V == 1
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			s += grid[i][j];
#elif V == 2
	for (int j = 0; j < N; j += 100)
		for (int i = 0; i < N; i++)
			s += grid[i][j];
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			s += grid[i][j];
#else
	for (int j = 0; j < N; j++)
		for (int i = 0; i < N; i++)
			s += grid[i][j]; /* HERE */
#endif
	return s;
}

int main(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			grid[i][j] = i ^ j;
	double s = 0;
	for (int r = 0; r < (V == 2 ? 1 : 5); r++)
		s += total(r);
	printf("%g\n", s);
}
