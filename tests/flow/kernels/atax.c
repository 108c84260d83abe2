/* y = A^T (A x) */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double A[n][n], double x[n], double y[n], double t[n])
{
	for (int i = 0; i < n; i++)
		y[i] = 0;
	for (int i = 0; i < n; i++) {
		t[i] = 0;
		for (int j = 0; j < n; j++)
			t[i] = t[i] + A[i][j] * x[j];
		for (int j = 0; j < n; j++)
			y[j] = y[j] + A[i][j] * t[i];
	}
}

static double A[N][N] __attribute__((aligned(64)));
static double x[N] __attribute__((aligned(64)));
static double y[N] __attribute__((aligned(64)));
static double t[N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)x, sizeof(x));
	fill_double((void *)y, sizeof(y));
	fill_double((void *)t, sizeof(t));
	kernel(N, A, x, y, t);
	show(A, sizeof(A));
	show(x, sizeof(x));
	show(y, sizeof(y));
	show(t, sizeof(t));
	return 0;
}
