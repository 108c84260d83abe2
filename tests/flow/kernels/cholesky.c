/* the lower factor of a positive matrix */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double A[n][n])
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < i; j++) {
			for (int k = 0; k < j; k++)
				A[i][j] -= A[i][k] * A[j][k];
			A[i][j] /= A[j][j];
		}
		for (int k = 0; k < i; k++)
			A[i][i] -= A[i][k] * A[i][k];
		A[i][i] = sqrt(A[i][i]);
	}
}

static double A[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	for (int i = 0; i < N; i++)
		A[i][i] += 100000;
	kernel(N, A);
	show(A, sizeof(A));
	return 0;
}
