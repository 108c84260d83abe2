/* means and products of columns */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double A[n][n], double C[n][n], double m[n])
{
	for (int j = 0; j < n; j++) {
		m[j] = 0;
		for (int i = 0; i < n; i++)
			m[j] += A[i][j];
		m[j] /= n;
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			A[i][j] -= m[j];
	for (int i = 0; i < n; i++)
		for (int j = i; j < n; j++) {
			C[i][j] = 0;
			for (int k = 0; k < n; k++)
				C[i][j] += A[k][i] * A[k][j];
			C[i][j] /= n - 1.0;
			C[j][i] = C[i][j];
		}
}

static double A[N][N] __attribute__((aligned(64)));
static double C[N][N] __attribute__((aligned(64)));
static double m[N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)C, sizeof(C));
	fill_double((void *)m, sizeof(m));
	kernel(N, A, C, m);
	show(A, sizeof(A));
	show(C, sizeof(C));
	show(m, sizeof(m));
	return 0;
}
