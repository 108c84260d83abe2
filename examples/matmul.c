/*
 * Two matrices multiplied in the order that the formula suggests.
 *
 *	memlamp record ./matmul		(or ./matmul 100 for 100 x 100)
 *	memlamp info matmul.mlt
 *
 * What to look at: A, B and C are equally large, but almost all references go to
 * A and B, and almost all are made by one line. That line reads A along a row,
 * eight numbers from each cache line, and B down a column, one number from each:
 * see it with `memlamp dump --region B --site multiply -n 20`. The phases come from
 *memlamp.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "memlamp.h"

static void fill(double *A, double *B, int n)
{
	for (int i = 0; i < n * n; i++) {
		A[i] = i % 7;
		B[i] = i % 5;
	}
}

static void multiply(const double *A, const double *B, double *C, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int k = 0; k < n; k++)
				sum += A[i * n + k] * B[k * n + j];
			C[i * n + j] = sum;
		}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 400;

	if (n < 1 || n > 10000)
		return 2;
	size_t bytes = (size_t)n * (size_t)n * sizeof(double);
	double *A = malloc(bytes);
	double *B = malloc(bytes);
	double *C = malloc(bytes);

	if (!A || !B || !C)
		return 1;
	MEMLAMP_BEGIN("fill");
	fill(A, B, n);
	MEMLAMP_END("fill");
	MEMLAMP_BEGIN("multiply");
	multiply(A, B, C, n);
	MEMLAMP_END("multiply");
	printf("C[%d][%d] = %g\n", n - 1, n - 1, C[n * n - 1]);
	free(A);
	free(B);
	free(C);
	return 0;
}
