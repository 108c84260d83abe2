/*
 * A cross-section lookup as in Monte-Carlo transport codes, in three phases as XSBench
 * has them: energies are drawn into small blocks, the whole grid is sorted, and two
 * threads look up random energies in it.
 *
 *	memlamp cc -O1 -g -Iinclude -pthread examples/lookups.c -o lookups
 *	memlamp record -o lookups.mlt ./lookups
 *	memlamp import lookups.mlt --machine \
 *		'cores 2 | L1 2K 4w 4c | L2 32K 8w shared 14c | memory 200c'
 *	memlamp samples lookups.mlh --show clusters --tier machine \
 *		--clusters 4 --width 1000 --step 1000
 *
 * What to look at: nobody tells the samples about phases, and yet the clusters of windows
 * with similar latency along time are the phases. The first is cheap, the second walks
 * over data larger than L1, the third jumps over data that no prefetcher can guess.
 */
#include <pthread.h>
#include <stdio.h>

#include "memlamp.h"

enum { POINTS = 1 << 14, BLOCK = 64, DRAWS = 12, LOOKUPS = 6000, THREADS = 2 };

static double grid[POINTS], scratch[POINTS], cross_section[POINTS];
static double sums[THREADS];

static unsigned next_random(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* The mean of several draws a point, block by block: a block stays in L1. */
static void draw(void)
{
	unsigned state = 1;

	for (int at = 0; at < POINTS; at += BLOCK)
		for (int k = 0; k < DRAWS; k++)
			for (int i = at; i < at + BLOCK; i++) {
				grid[i] += next_random(&state) / (double)DRAWS;
				cross_section[i] = grid[i] / 2;
			}
}

/* Merge sort from the bottom: each round walks over the whole grid. Their number is even,
 * so the last one ends in the grid. */
static void sort(void)
{
	double *from = grid, *to = scratch;

	for (int width = 1; width < POINTS; width *= 2) {
		for (int at = 0; at < POINTS; at += 2 * width) {
			int i = at, j = at + width, k = at;

			while (i < at + width || j < at + 2 * width)
				if (j == at + 2 * width ||
				    (i < at + width && from[i] <= from[j]))
					to[k++] = from[i++];
				else
					to[k++] = from[j++];
		}
		double *swap = from;
		from = to;
		to = swap;
	}
}

static void *look_up(void *arg)
{
	int me = (int)(long)arg;
	unsigned state = 7u + (unsigned)me;
	double sum = 0;

	for (int n = 0; n < LOOKUPS; n++) {
		double energy = grid[next_random(&state) % POINTS];
		int low = 0, high = POINTS - 1;

		while (low < high) {
			int middle = (low + high) / 2;

			if (grid[middle] < energy)
				low = middle + 1;
			else
				high = middle;
		}
		sum += cross_section[low];
	}
	sums[me] = sum;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	double sum = 0;

	MEMLAMP_BEGIN("draw");
	draw();
	MEMLAMP_END("draw");
	MEMLAMP_BEGIN("sort");
	sort();
	MEMLAMP_END("sort");
	MEMLAMP_BEGIN("look up");
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, look_up, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += sums[i];
	}
	MEMLAMP_END("look up");
	printf("%.0f\n", sum / 1e6);
	return 0;
}
