/* C = alpha A B + beta C */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double alpha, double beta, double C[n][n], double A[n][n],
	      double B[n][n])
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			C[i][j] *= beta;
		for (int k = 0; k < n; k++)
			for (int j = 0; j < n; j++)
				C[i][j] += alpha * A[i][k] * B[k][j];
	}
}

static double A[N][N] __attribute__((aligned(64)));
static double B[N][N] __attribute__((aligned(64)));
static double C[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)B, sizeof(B));
	fill_double((void *)C, sizeof(C));
	kernel(N, 2, 3, C, A, B);
	show(A, sizeof(A));
	show(B, sizeof(B));
	show(C, sizeof(C));
	return 0;
}
