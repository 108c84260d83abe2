/* by exchanges */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, int v[n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n - 1 - i; j++)
			if (v[j] > v[j + 1]) {
				int t = v[j];
				v[j] = v[j + 1];
				v[j + 1] = t;
			}
}

static int v[N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_int((void *)v, sizeof(v));
	kernel(N, v);
	show(v, sizeof(v));
	return 0;
}
