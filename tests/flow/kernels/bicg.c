/* s = A^T r, q = A p */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double A[n][n], double s[n], double q[n], double p[n], double r[n])
{
	for (int i = 0; i < n; i++)
		s[i] = 0;
	for (int i = 0; i < n; i++) {
		q[i] = 0;
		for (int j = 0; j < n; j++) {
			s[j] = s[j] + r[i] * A[i][j];
			q[i] = q[i] + A[i][j] * p[j];
		}
	}
}

static double A[N][N] __attribute__((aligned(64)));
static double s[N] __attribute__((aligned(64)));
static double q[N] __attribute__((aligned(64)));
static double p[N] __attribute__((aligned(64)));
static double r[N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)s, sizeof(s));
	fill_double((void *)q, sizeof(q));
	fill_double((void *)p, sizeof(p));
	fill_double((void *)r, sizeof(r));
	kernel(N, A, s, q, p, r);
	show(A, sizeof(A));
	show(s, sizeof(s));
	show(q, sizeof(q));
	show(p, sizeof(p));
	show(r, sizeof(r));
	return 0;
}
