/* B = alpha A^T B, A triangular */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double alpha, double A[n][n], double B[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			for (int k = i + 1; k < n; k++)
				B[i][j] += A[k][i] * B[k][j];
			B[i][j] = alpha * B[i][j];
		}
}

static double A[N][N] __attribute__((aligned(64)));
static double B[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)B, sizeof(B));
	kernel(N, 2, A, B);
	show(A, sizeof(A));
	show(B, sizeof(B));
	return 0;
}
