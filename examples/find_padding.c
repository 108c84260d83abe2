/*
 * A matrix whose rows are 4096 bytes long, of which 16 are walked side by side: the
 * same column of all rows falls into one set of a cache with 64 sets. With -DPAD=8
 * rows are a cache line longer, and the conflicts are gone.
 *
 *	memlamp run ./find_padding
 *
 * What to look at: only 16 lines are in use at a time, and still each access misses
 * L1. The finding says how many bytes of padding help; diff shows that they do.
 */
#include <stdio.h>

#ifndef PAD
#define PAD 0
#endif

enum { ROWS = 16, COLS = 512, TIMES = 20 };

static _Alignas(4096) double grid[ROWS][COLS + PAD];

static double sum_of_columns(void)
{
	double sum = 0;

	for (int j = 0; j < COLS; j++)
		for (int i = 0; i < ROWS; i++)
			sum += grid[i][j] * j;
	return sum;
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			grid[i][j] = i ^ j;
	for (int t = 0; t < TIMES; t++)
		sum += sum_of_columns();
	printf("%g\n", sum);
	return 0;
}
