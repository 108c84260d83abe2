/*
 * Two matrices of 16 by 16 floats multiplied in three ways: by the formula, with the
 * right one transposed, and in blocks of 4 by 4. Rows can be padded.
 *
 *	memlamp record ./matmul16	(or ./matmul16 4: rows are 4 floats longer)
 *	memlamp sim matmul16.mlt --machine tiny-4sets
 *
 * Machine: tiny-4sets, lines of 16 bytes, 4 sets of 4 ways in L1. Layout: each matrix
 * starts on a page; a row is 4 lines, and more with padding.
 *
 * What to look at: "naive" misses with every read of B, whose column lies in one set;
 * "transposed" with every fourth. "blocked", which should be good, is not: the four
 * rows of a block are 4 lines apart, all in one set, and a product of two blocks uses
 * one or two of the four sets. Padded by 4 floats, one line, the rows of a block fall
 * into different sets, and it misses as seldom as a fully associative cache
 * (--machine 'tiny-4sets | L1 full').
 *
 * volatile keeps the compiler from joining or reordering the accesses.
 */
#include <stdio.h>
#include <stdlib.h>

#include "memlamp.h"

enum { N = 16, BLOCK = 4, PAD_MOST = 15 };

static volatile _Alignas(4096) float A[N * (N + PAD_MOST)];
static volatile _Alignas(4096) float B[N * (N + PAD_MOST)];
static volatile _Alignas(4096) float C[N * (N + PAD_MOST)];

static void fill(int row)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			A[i * row + j] = (float)(i + j);
			B[i * row + j] = (float)(i - j);
			C[i * row + j] = 0;
		}
}

static void naive(int row)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += A[i * row + k] * B[k * row + j];
			C[i * row + j] = sum;
		}
}

/* B holds its transpose: what was a column is a row. */
static void transposed(int row)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += A[i * row + k] * B[j * row + k];
			C[i * row + j] = sum;
		}
}

/* Not inlined: with fewer variables at once, all of them stay in registers. */
static __attribute__((noinline)) void multiply_block(const volatile float *a,
						     const volatile float *b,
						     volatile float *c, int row)
{
	for (int i = 0; i < BLOCK; i++, a += row, c += row)
		for (int j = 0; j < BLOCK; j++) {
			const volatile float *column = b + j;
			float sum = c[j];

			for (int k = 0; k < BLOCK; k++, column += row)
				sum += a[k] * *column;
			c[j] = sum;
		}
}

static void blocked(int row)
{
	for (int i = 0; i < N; i += BLOCK)
		for (int j = 0; j < N; j += BLOCK)
			for (int k = 0; k < N; k += BLOCK)
				multiply_block(&A[i * row + k], &B[k * row + j],
					       &C[i * row + j], row);
}

int main(int argc, char **argv)
{
	int pad = argc > 1 ? atoi(argv[1]) : 0;
	int row = N + pad;

	if (pad < 0 || pad > PAD_MOST)
		return 2;
	fill(row);
	MEMLAMP_BEGIN("naive");
	naive(row);
	MEMLAMP_END("naive");
	float last = C[(N - 1) * row + N - 1];
	MEMLAMP_BEGIN("transposed");
	transposed(row);
	MEMLAMP_END("transposed");
	fill(row);
	MEMLAMP_BEGIN("blocked");
	blocked(row);
	MEMLAMP_END("blocked");
	printf("%g %g\n", (double)last, (double)C[(N - 1) * row + N - 1]);
	return last != C[(N - 1) * row + N - 1];
}
