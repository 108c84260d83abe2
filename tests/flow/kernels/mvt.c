/* two products with a matrix and its transpose */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double u1[n], double u2[n], double w1[n], double w2[n],
	      double A[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			u1[i] = u1[i] + A[i][j] * w1[j];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			u2[i] = u2[i] + A[j][i] * w2[j];
}

static double A[N][N] __attribute__((aligned(64)));
static double u1[N] __attribute__((aligned(64)));
static double u2[N] __attribute__((aligned(64)));
static double w1[N] __attribute__((aligned(64)));
static double w2[N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)u1, sizeof(u1));
	fill_double((void *)u2, sizeof(u2));
	fill_double((void *)w1, sizeof(w1));
	fill_double((void *)w2, sizeof(w2));
	kernel(N, u1, u2, w1, w2, A);
	show(A, sizeof(A));
	show(u1, sizeof(u1));
	show(u2, sizeof(u2));
	show(w1, sizeof(w1));
	show(w2, sizeof(w2));
	return 0;
}
