/*
 * Everything memlamp.h has to say. `before`, `inside` and `behind` are written 100
 * times each: before, in and after the phase "middle"; `hidden` while recording is
 * stopped. work() writes `own` 10 times a call, and calls helper(), which writes
 * `helped` 5 times; there are 4 calls.
 */
#include <stdlib.h>

#include "memlamp.h"

enum { ROWS = 6, COLS = 5 };

static volatile int before[100], inside[100], behind[100], hidden[100];
static volatile int own[10], helped[5];

static __attribute__((noinline)) void helper(void)
{
	for (int i = 0; i < 5; i++)
		helped[i] = i;
}

static __attribute__((noinline)) int work(int n)
{
	for (int i = 0; i < 10; i++)
		own[i] = n;
	helper();
	return own[0];
}

int main(void)
{
	volatile double *grid = malloc(ROWS * COLS * sizeof(*grid));
	volatile int *reused = malloc(40);
	int sum = 0;

	MEMLAMP_REGION((void *)grid, ROWS * COLS * sizeof(*grid), sizeof(*grid), "field",
		       ROWS, COLS);
	MEMLAMP_REGION((void *)reused, 20, 4, "half", 0, 0);
	for (int i = 0; i < 100; i++)
		before[i] = i;
	MEMLAMP_MARK("here");
	MEMLAMP_BEGIN("middle");
	for (int i = 0; i < 100; i++)
		inside[i] = i;
	MEMLAMP_END("middle");
	MEMLAMP_STOP();
	for (int i = 0; i < 100; i++)
		hidden[i] = i;
	MEMLAMP_START();
	for (int i = 0; i < 100; i++)
		behind[i] = i;
	for (int i = 0; i < 4; i++) {
		MEMLAMP_STATE("round", -i);
		sum += work(i);
	}
	grid[2 * COLS + 3] = 1;
	reused[1] = 1; /* registered */
	reused[7] = 1; /* the other half is not */
	MEMLAMP_UNREGION((void *)reused);
	reused[1] = 2;
	return sum - 6;
}
