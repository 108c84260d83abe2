/* kind: copies
 * region: items
 * An array that grows by a constant number of elements: realloc copies it each time. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
static void *between[64];

int main(void)
{
	long sum = 0;

	for (int r = 0; r < 8; r++) {
		int n = 0, cap = V == 1 ? 8000 : 0;
		long *items = V == 1 ? malloc(cap * sizeof(*items)) : NULL;

		for (int i = 0; i < 8000; i++) {
			if (i == cap) {
				items = realloc(items, (cap += V == 2 ? 8000 : 400) * sizeof(*items)); /* HERE */
				between[n++] = malloc(100); /* what follows keeps the block from growing in place */
			}
			items[i] = i;
		}
		for (int i = 0; i < 8000; i++)
			sum += items[i];
		free(items);
		while (n)
			free(between[--n]);
	}
	printf("%ld %d\n", sum, between[0] != NULL);
}
