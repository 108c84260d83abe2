/* D = A B C, by a product in between */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double T[n][n], double A[n][n], double B[n][n], double C[n][n],
	      double D[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			T[i][j] = 0;
			for (int k = 0; k < n; k++)
				T[i][j] += A[i][k] * B[k][j];
		}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			D[i][j] *= 2;
			for (int k = 0; k < n; k++)
				D[i][j] += T[i][k] * C[k][j];
		}
}

static double A[N][N] __attribute__((aligned(64)));
static double B[N][N] __attribute__((aligned(64)));
static double C[N][N] __attribute__((aligned(64)));
static double T[N][N] __attribute__((aligned(64)));
static double D[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)B, sizeof(B));
	fill_double((void *)C, sizeof(C));
	fill_double((void *)T, sizeof(T));
	fill_double((void *)D, sizeof(D));
	kernel(N, T, A, B, C, D);
	show(A, sizeof(A));
	show(B, sizeof(B));
	show(C, sizeof(C));
	show(T, sizeof(T));
	show(D, sizeof(D));
	return 0;
}
