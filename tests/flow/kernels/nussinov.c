/* folding of a sequence */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, int s[n], int T[n][n])
{
	for (int i = n - 1; i >= 0; i--)
		for (int j = i + 1; j < n; j++) {
			if (T[i][j] < T[i][j - 1])
				T[i][j] = T[i][j - 1];
			if (s[i] + s[j] == 3)
				T[i][j] = T[i][j] + 1;
			for (int k = i + 1; k < j; k++)
				T[i][j] += T[i][k] & T[k + 1][j];
		}
}

static int s[N] __attribute__((aligned(64)));
static int T[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_int((void *)s, sizeof(s));
	fill_int((void *)T, sizeof(T));
	kernel(N, s, T);
	show(s, sizeof(s));
	show(T, sizeof(T));
	return 0;
}
