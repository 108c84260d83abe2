/* kind: probes
 * region: table
 * Binary searches in a sorted table whose hot elements lie far apart. When mended, every 16th
 * element, which most steps of a search visit, stands in a table of its own. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { LOG = V == 2 ? 8 : 16, N = (1 << LOG) - 1, M = 90000 };
static int table[N + 1];

#if V == 1
static int hot[N / 16 + 1];

__attribute__((noinline)) static int find(int key)
{
	int low = 0, high = (N + 1) / 16;

	while (low < high) {
		int mid = (low + high) / 2;

		if (hot[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	high = low = low * 16;
	for (high += 15; low < high;) {
		int mid = (low + high) / 2;

		if (table[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
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

	for (int i = 0; i < N; i++)
		table[i] = i * 3;
#if V == 1
	for (int i = 0; i < (N + 1) / 16; i++)
		hot[i] = table[i * 16 + 15];
#endif
	for (int i = 0; i < M; i++)
		sum += find((int)(((x = x * 1664525 + 1013904223) >> 4) % (3 * N)));
	printf("%ld\n", sum);
}
