/* electric and magnetic fields */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int t, int n, double ex[n][n], double ey[n][n], double hz[n][n],
	      double f[t])
{
	for (int s = 0; s < t; s++) {
		for (int j = 0; j < n; j++)
			ey[0][j] = f[s];
		for (int i = 1; i < n; i++)
			for (int j = 0; j < n; j++)
				ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
		for (int i = 0; i < n; i++)
			for (int j = 1; j < n; j++)
				ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
		for (int i = 0; i < n - 1; i++)
			for (int j = 0; j < n - 1; j++)
				hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] +
							     ey[i + 1][j] - ey[i][j]);
	}
}

static double ex[N][N] __attribute__((aligned(64)));
static double ey[N][N] __attribute__((aligned(64)));
static double hz[N][N] __attribute__((aligned(64)));
static double f[N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)ex, sizeof(ex));
	fill_double((void *)ey, sizeof(ey));
	fill_double((void *)hz, sizeof(hz));
	fill_double((void *)f, sizeof(f));
	kernel(3, N, ex, ey, hz, f);
	show(ex, sizeof(ex));
	show(ey, sizeof(ey));
	show(hz, sizeof(hz));
	show(f, sizeof(f));
	return 0;
}
