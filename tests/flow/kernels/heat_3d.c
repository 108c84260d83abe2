/* two grids of three dimensions */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int t, int n, double A[n][n][n], double B[n][n][n])
{
	for (int s = 1; s <= t; s++) {
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				for (int k = 1; k < n - 1; k++)
					B[i][j][k] = A[i + 1][j][k] - A[i - 1][j][k] +
						     A[i][j + 1][k] + A[i][j][k];
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				for (int k = 1; k < n - 1; k++)
					A[i][j][k] = B[i + 1][j][k] - B[i - 1][j][k] +
						     B[i][j][k - 1] + B[i][j][k];
	}
}

static double A[N][N][N] __attribute__((aligned(64)));
static double B[N][N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)B, sizeof(B));
	kernel(2, N, A, B);
	show(A, sizeof(A));
	show(B, sizeof(B));
	return 0;
}
