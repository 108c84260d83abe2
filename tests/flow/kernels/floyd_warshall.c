/* shortest paths */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, int P[n][n])
{
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				P[i][j] = P[i][j] < P[i][k] + P[k][j] ? P[i][j]
								      : P[i][k] + P[k][j];
}

static int P[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_int((void *)P, sizeof(P));
	kernel(N, P);
	show(P, sizeof(P));
	return 0;
}
