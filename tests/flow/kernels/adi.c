/* alternating directions */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int t, int n, double u[n][n], double v[n][n], double p[n][n],
	      double q[n][n])
{
	for (int s = 1; s <= t; s++) {
		for (int i = 1; i < n - 1; i++) {
			v[0][i] = 1;
			p[i][0] = 0;
			q[i][0] = v[0][i];
			for (int j = 1; j < n - 1; j++) {
				p[i][j] = -0.5 / (0.25 * p[i][j - 1] + 2);
				q[i][j] = (u[j][i - 1] + u[j][i] - q[i][j - 1]) /
					  (0.25 * p[i][j - 1] + 2);
			}
			v[n - 1][i] = 1;
			for (int j = n - 2; j >= 1; j--)
				v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
		}
	}
}

static double u[N][N] __attribute__((aligned(64)));
static double v[N][N] __attribute__((aligned(64)));
static double p[N][N] __attribute__((aligned(64)));
static double q[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)u, sizeof(u));
	fill_double((void *)v, sizeof(v));
	fill_double((void *)p, sizeof(p));
	fill_double((void *)q, sizeof(q));
	kernel(3, N, u, v, p, q);
	show(u, sizeof(u));
	show(v, sizeof(v));
	show(p, sizeof(p));
	show(q, sizeof(q));
	return 0;
}
