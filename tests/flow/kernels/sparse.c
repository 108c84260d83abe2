/* a product of a sparse matrix */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, int row[n + 1], int col[3 * n], double a[3 * n], double x[n],
	      double y[n])
{
	for (int i = 0; i < n; i++) {
		y[i] = 0;
		for (int k = row[i]; k < row[i + 1]; k++)
			y[i] += a[k] * x[col[k]];
	}
}

static double a[3 * N] __attribute__((aligned(64)));
static double x[N] __attribute__((aligned(64)));
static double y[N] __attribute__((aligned(64)));
static int row[N + 1] __attribute__((aligned(64)));
static int col[3 * N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)a, sizeof(a));
	fill_double((void *)x, sizeof(x));
	fill_double((void *)y, sizeof(y));
	fill_int((void *)row, sizeof(row));
	fill_int((void *)col, sizeof(col));
	for (int i = 0; i <= N; i++)
		row[i] = 3 * i;
	kernel(N, row, col, a, x, y);
	show(a, sizeof(a));
	show(x, sizeof(x));
	show(y, sizeof(y));
	show(row, sizeof(row));
	show(col, sizeof(col));
	return 0;
}
