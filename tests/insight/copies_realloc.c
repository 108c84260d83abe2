/* kind: copies
 * region: items
 * An array that grows by a constant number of elements, and is copied each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef V
#define V 0
#endif
static long *grow(long *old, int count, int cap)
{
	long *items = malloc(cap * sizeof(*items)); /* HERE */

	if (count)
		memcpy(items, old, count * sizeof(*items)); /* HERE */
	free(old);
	return items;
}

int main(void)
{
	long sum = 0;

	for (int r = 0; r < 8; r++) {
		int cap = V ? 8000 : 400;
		long *items = grow(NULL, 0, cap);

		for (int i = 0; i < 8000; i++) {
			if (i == cap)
				items = grow(items, i, cap += 400); /* HERE */
			items[i] = i;
		}
		for (int i = 0; i < 8000; i++)
			sum += items[i];
		free(items);
	}
	printf("%ld\n", sum);
}
