/* two arrays in turn */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int t, int n, double A[n], double B[n])
{
	for (int s = 0; s < t; s++) {
		for (int i = 1; i < n - 1; i++)
			B[i] = 0.25 * (A[i - 1] + A[i] + A[i + 1]);
		for (int i = 1; i < n - 1; i++)
			A[i] = 0.25 * (B[i - 1] + B[i] + B[i + 1]);
	}
}

static double A[N] __attribute__((aligned(64)));
static double B[N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)B, sizeof(B));
	kernel(5, N, A, B);
	show(A, sizeof(A));
	show(B, sizeof(B));
	return 0;
}
