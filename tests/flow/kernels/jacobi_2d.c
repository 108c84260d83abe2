/* two grids in turn */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int t, int n, double A[n][n], double B[n][n])
{
	for (int s = 0; s < t; s++) {
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] +
						 A[i + 1][j] + A[i - 1][j]);
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] +
						 B[i + 1][j] + B[i - 1][j]);
	}
}

static double A[N][N] __attribute__((aligned(64)));
static double B[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)B, sizeof(B));
	kernel(3, N, A, B);
	show(A, sizeof(A));
	show(B, sizeof(B));
	return 0;
}
