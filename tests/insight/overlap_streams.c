/* kind: overlap
 * region: *
 * machine: L1 8K 1w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
 * Two arrays whose distance is a multiple of the size of a direct-mapped L1. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { N = 512 };
static _Alignas(8192) struct {
	double a[N];
#if V == 1
	double apart[8];
#elif V == 2
	double apart[N - 0]; /* both fit side by side when b is as far as a is long */
#else
	double gap[1024 - N];
#endif
} first;
static double b_store[N + 64] __attribute__((aligned(8192)));

__attribute__((noinline)) static double dot(const double *x, const double *y, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += x[i] * y[i]; /* HERE */
	return s;
}

int main(void)
{
	double s = 0, *b = b_store + (V == 1 ? 64 : 0);

	for (int i = 0; i < N; i++)
		first.a[i] = b[i] = i;
	for (int r = 0; r < 200; r++) {
		__asm__ volatile("" ::: "memory"); /* each call is made */
		s += dot(first.a, V == 2 ? first.a : b, N);
	}
	printf("%g\n", s);
}
