/* orthogonal columns */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double A[n][n], double R[n][n], double Q[n][n])
{
	double norm;

	for (int k = 0; k < n; k++) {
		norm = 0;
		for (int i = 0; i < n; i++)
			norm += A[i][k] * A[i][k];
		R[k][k] = sqrt(norm);
		for (int i = 0; i < n; i++)
			Q[i][k] = A[i][k] / R[k][k];
		for (int j = k + 1; j < n; j++) {
			R[k][j] = 0;
			for (int i = 0; i < n; i++)
				R[k][j] += Q[i][k] * A[i][j];
			for (int i = 0; i < n; i++)
				A[i][j] = A[i][j] - Q[i][k] * R[k][j];
		}
	}
}

static double A[N][N] __attribute__((aligned(64)));
static double R[N][N] __attribute__((aligned(64)));
static double Q[N][N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)A, sizeof(A));
	fill_double((void *)R, sizeof(R));
	fill_double((void *)Q, sizeof(Q));
	kernel(N, A, R, Q);
	show(A, sizeof(A));
	show(R, sizeof(R));
	show(Q, sizeof(Q));
	return 0;
}
