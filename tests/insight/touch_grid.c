/* kind: first touch
 * region: grid
 * machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c | remote 320c
 * The main thread fills what four threads work on; each fills its part when mended. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 4000 : 320000, PART = N / 4 };
static double *grid;

static void fill(int from, int to)
{
	for (int i = from; i < to; i++)
		grid[i] = i; /* HERE */
}

static void *work(void *arg)
{
	int from = (int)(long)arg * PART;
	double sum = 0;

	if (V == 1)
		fill(from, from + PART);
	for (unsigned i = 0, at = 7; i < 60000; i++) { /* any order, so nothing else helps */
		at = at * 1664525u + 1013904223u;
		sum += grid[from + (at >> 8) % PART];
	}
	return sum < 0 ? arg : NULL;
}

int main(void)
{
	pthread_t t[4];

	grid = malloc(N * sizeof(*grid));
	if (V != 1)
		fill(0, N);
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	free(grid);
}
