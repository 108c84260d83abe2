/* the lower half of C = alpha A A^T + beta C */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double alpha, double beta, double C[n][n], double A[n][n])
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j <= i; j++)
			C[i][j] *= beta;
		for (int k = 0; k < n; k++)
			for (int j = 0; j <= i; j++)
				C[i][j] += alpha * A[i][k] * A[j][k];
	}
}

static double A[N][N] __attribute__((aligned(64)));
static double C[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)C, sizeof(C));
	kernel(N, 2, 3, C, A);
	show(A, sizeof(A));
	show(C, sizeof(C));
	return 0;
}
