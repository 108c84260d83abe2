/*
 * Heap blocks of all kinds. With an argument it only prints where three blocks of 1 MiB
 * lie, which recording must not change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
	double x, y;
	int id;
};

static volatile int sink;

static int by_id(const void *a, const void *b)
{
	return ((const struct point *)a)->id - ((const struct point *)b)->id;
}

static int *make(int n)
{
	int *part = malloc((size_t)n * sizeof(*part));

	for (int i = 0; i < n; i++)
		part[i] = i;
	return part;
}

int main(int argc, char **argv)
{
	char *one = malloc(1 << 20), *two = malloc(1 << 20), *three = malloc(1 << 20);

	(void)argv;
	if (argc > 1) {
		printf("%lx %lx %lx\n", (long)one & 4095, (long)two & 4095, (long)three & 4095);
		return 0;
	}
	struct point *points = calloc(10, sizeof(*points));
	for (int i = 0; i < 10; i++)
		points[i].id = 9 - i;
	qsort(points, 10, sizeof(*points), by_id); /* points */

	double *grown = malloc(10 * sizeof(*grown));
	grown[9] = 1;
	grown = realloc(grown, 1000 * sizeof(*grown)); /* moves: one lies behind it */
	grown[999] = 1;

	void *aligned;
	if (posix_memalign(&aligned, 4096, 100))
		return 1;
	*(volatile char *)aligned = 1;

	int *a = make(3), *b = make(3);
	sink = a[0] + b[0];
	free(a);
	free(b);

	/* the same address, most likely, by another line */
	volatile long *before = malloc(200);
	before[3] = 1;
	free((void *)before);
	volatile long *afterwards = malloc(200);
	afterwards[4] = 1;
	printf("%s\n", before == afterwards ? "reused" : "not reused");

	memset(one, 1, 4096); /* one */
	memcpy(two, one, 4096); /* one to two */
	return 0;
}
