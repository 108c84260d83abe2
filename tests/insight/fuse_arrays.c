/* kind: fuse
 * region: x
 * Two loops over the same arrays, one after the other, many times with new data. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 300 : 12000, R = V == 2 ? 800 : 20 };
static double x[R][N];
static double low[R], high[R];

__attribute__((noinline)) static void statistics(double *p, int r)
{
	double s = 0, q = 0;
#if V == 1
	for (int i = 0; i < N; i++) {
		s += p[i];
		q += p[i] * p[i];
	}
#else
	for (int i = 0; i < N; i++)
		s += p[i];
	for (int i = 0; i < N; i++)
		q += p[i] * p[i]; /* HERE */
#endif
	low[r] = s;
	high[r] = q;
}

int main(void)
{
	double sum = 0;

	int file = open("/dev/zero", O_RDONLY);

	for (int r = 0; r < R; r++) {
		if (read(file, x[r], sizeof(x[r])) < 0)
			return 1;
		statistics(x[r], r);
	}
	for (int r = 0; r < R; r++)
		sum += high[r] - low[r];
	printf("%g\n", sum);
}
