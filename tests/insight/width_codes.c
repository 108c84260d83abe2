/* kind: value width
 * region: table
 * options: --values
 * machine: L1 32K 8w 64B 4c | L2 512K 8w 14c | L3 8M 16w 40c | memory 200c | TLB 64e 4w 4K | TLB2 1024e 8w 7c | walk 60c
 * A hash table of codes as in compress: its keys need 4 bytes of 8. It is smaller than a large
 * page, so large pages are no remedy. Narrower when mended. */
#include <stdint.h>
#include <stdio.h>
#ifndef V
#define V 0
#endif
#if V == 1
typedef int32_t key;
#else
typedef int64_t key;
#endif
enum { N = V == 2 ? 500 : 69001 };
static key table[N];

__attribute__((noinline)) static int look(unsigned code)
{
	unsigned at = code * 2654435761u % N;

	if (table[at] == (key)code) /* HERE */
		return 1;
	table[at] = (key)code; /* HERE */
	return 0;
}

int main(void)
{
	unsigned x = 1, found = 0;

	for (int i = 0; i < 300000; i++) {
		x = x * 1664525 + 1013904223;
		found += look(x >> 8 | 70000 * 16);
	}
	printf("%u\n", found);
}
