/* one grid in place */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int t, int n, double A[n][n])
{
	for (int s = 0; s < t; s++)
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] +
					   A[i][j + 1] + A[i + 1][j]) /
					  5;
}

static double A[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	kernel(3, N, A);
	show(A, sizeof(A));
	return 0;
}
