/*
 * The loop interchange of a textbook: a small matrix read down its columns, then
 * along its rows.
 *
 *	memlamp record ./stride
 *	memlamp sim stride.mlt --machine tiny-2levels
 *
 * Machine: tiny-2levels, lines of 16 bytes, 4 in L1 and 8 in L2. Layout: 32 rows of
 * four floats, so that a row is one line; the matrix starts on a line of any size up
 * to a page.
 *
 * What to look at: the phase "bad stride" misses both levels with every one of its
 * 128 reads, because 32 lines pass before one of them is wanted again. The phase
 * "good stride" misses with a quarter, the first read of each line. With L1 grown to
 * 512 bytes (--machine 'tiny-2levels | L1 512 full') they are the same.
 *
 * volatile keeps the compiler from joining or reordering the accesses.
 */
#include <stdio.h>

#include "memlamp.h"

enum { ROWS = 32, COLS = 4 };

static volatile _Alignas(4096) float A[ROWS][COLS];

static double bad_stride(void)
{
	double sum = 0;

	for (int j = 0; j < COLS; j++)
		for (int i = 0; i < ROWS; i++)
			sum += A[i][j];
	return sum;
}

static double good_stride(void)
{
	double sum = 0;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			sum += A[i][j];
	return sum;
}

int main(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			A[i][j] = (float)(i + j);
	MEMLAMP_BEGIN("bad stride");
	double bad = bad_stride();
	MEMLAMP_END("bad stride");
	MEMLAMP_BEGIN("good stride");
	double good = good_stride();
	MEMLAMP_END("good stride");
	printf("%g %g\n", bad, good);
	return 0;
}
