/* kind: pages
 * region: table
 * machine: L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 8M 16w 50c | memory 200c | TLB 16e 4w 4K | TLB2 64e 4w 7c | walk 60c
 * One line of each page is used, of more pages than the TLB holds; densely when mended. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = 300, STEP = V == 1 ? 8 : 520 };

int main(void)
{
	double *table = aligned_alloc(4096, N * 520 * sizeof(*table)), s = 0;
	unsigned x = 1;

	for (int i = 0; i < N; i++)
		table[i * STEP] = i;
	for (int i = 0; i < 400000; i++) {
		x = x * 1664525 + 1013904223;
		s += table[(x >> 8) % (V == 2 ? 12 : N) * STEP]; /* HERE */
	}
	printf("%g\n", s);
}
