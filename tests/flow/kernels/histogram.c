/* counts of values */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, int v[n], int count[16])
{
	for (int i = 0; i < n; i++) {
		int value = v[i];

		count[value] += 1;
	}
}

static int v[N] __attribute__((aligned(64)));
static int count[16] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_int((void *)v, sizeof(v));
	fill_int((void *)count, sizeof(count));
	kernel(N, v, count);
	show(v, sizeof(v));
	show(count, sizeof(count));
	return 0;
}
