/* Multiplies matrices in the order that the definition suggests. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
	double *A = malloc(n * n * sizeof(*A)), *B = malloc(n * n * sizeof(*B));
	double *C = calloc(n * n, sizeof(*C));

	for (size_t i = 0; i < n * n; i++) {
		A[i] = (double)i;
		B[i] = (double)(2 * i);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += A[i * n + k] * B[k * n + j];
			C[i * n + j] = sum;
		}
	printf("%f\n", C[n]);
	free(A);
	free(B);
	free(C);
	return 0;
}
