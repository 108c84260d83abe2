/* kind: probes
 * region: table
 * Binary searches in a sorted table whose hot elements lie far apart. When mended, the elements
 * that every search meets lie together (Eytzinger's order). */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { LOG = V == 2 ? 8 : 16, N = (1 << LOG) - 1, M = 90000 };
static int table[N + 1];

#if V == 1
static int fill(int i, int k)
{
	if (k > N)
		return i;
	i = fill(i, 2 * k);
	table[k] = i++ * 3;
	return fill(i, 2 * k + 1);
}

__attribute__((noinline)) static int find(int key)
{
	int k = 1;

	while (k <= N)
		k = 2 * k + (table[k] < key);
	return k;
}
#else
__attribute__((noinline)) static int find(int key)
{
	int low = 0, high = N;

	while (low < high) {
		int mid = (low + high) / 2;

		if (table[mid] < key) /* HERE */
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
#endif

int main(void)
{
	unsigned x = 5;
	long sum = 0;

#if V == 1
	fill(0, 1);
#else
	for (int i = 0; i < N; i++)
		table[i] = i * 3;
#endif
	for (int i = 0; i < M; i++)
		sum += find((int)(((x = x * 1664525 + 1013904223) >> 4) % (3 * N)));
	printf("%ld\n", sum);
}
