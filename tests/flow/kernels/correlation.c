/* covariance of normalised columns */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double A[n][n], double C[n][n], double m[n], double d[n])
{
	for (int j = 0; j < n; j++) {
		m[j] = 0;
		for (int i = 0; i < n; i++)
			m[j] += A[i][j];
		m[j] /= n;
	}
	for (int j = 0; j < n; j++) {
		d[j] = 0;
		for (int i = 0; i < n; i++)
			d[j] += (A[i][j] - m[j]) * (A[i][j] - m[j]);
		d[j] = sqrt(d[j] / n);
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			A[i][j] -= m[j];
			A[i][j] /= sqrt(n) * d[j];
		}
	for (int i = 0; i < n - 1; i++) {
		C[i][i] = 1;
		for (int j = i + 1; j < n; j++) {
			C[i][j] = 0;
			for (int k = 0; k < n; k++)
				C[i][j] += A[k][i] * A[k][j];
			C[j][i] = C[i][j];
		}
	}
}

static double A[N][N] __attribute__((aligned(64)));
static double C[N][N] __attribute__((aligned(64)));
static double m[N] __attribute__((aligned(64)));
static double d[N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)C, sizeof(C));
	fill_double((void *)m, sizeof(m));
	fill_double((void *)d, sizeof(d));
	kernel(N, A, C, m, d);
	show(A, sizeof(A));
	show(C, sizeof(C));
	show(m, sizeof(m));
	show(d, sizeof(d));
	return 0;
}
