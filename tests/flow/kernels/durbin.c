/* Toeplitz systems */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double r[n], double y[n], double z[n])
{
	double alpha, beta, sum;

	y[0] = -r[0];
	beta = 1;
	alpha = -r[0];
	for (int k = 1; k < n; k++) {
		beta = (1 - alpha * alpha) * beta;
		sum = 0;
		for (int i = 0; i < k; i++)
			sum += r[k - i - 1] * y[i];
		alpha = -(r[k] + sum) / beta;
		for (int i = 0; i < k; i++)
			z[i] = y[i] + alpha * y[k - i - 1];
		for (int i = 0; i < k; i++)
			y[i] = z[i];
		y[k] = alpha;
	}
}

static double r[N] __attribute__((aligned(64)));
static double y[N] __attribute__((aligned(64)));
static double z[N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)r, sizeof(r));
	fill_double((void *)y, sizeof(y));
	fill_double((void *)z, sizeof(z));
	kernel(N, r, y, z);
	show(r, sizeof(r));
	show(y, sizeof(y));
	show(z, sizeof(z));
	return 0;
}
