/*
 * What inlined accessors touch counts for the line that calls them.
 * ">> FUNCTION": references of the line are made through that function, if it is inlined;
 * ">> -": by the line itself.
 */
#include <stdio.h>
#include <stdlib.h>

#include <accessors.h>

enum { N = 60 };

int weight[N], order[N];

int bad_index(const char *what)
{
	puts(what);
	return 1;
}

static inline int weight_of(int i)
{
	return weight[order[i % N]];
}

static inline void once(double *p)
{
	*p += 2; /* >> - */
}

static double __attribute__((noinline)) norms(struct matrix *A)
{
	double all = 0;

	for (int j = 0; j < N; j++) {
		double sum = 0;
		for (int i = 0; i < N; i++)
			sum += matrix_get(A, i, j) * matrix_get(A, i, j); /* >> matrix_get */
		all += sum * weight_of(j); /* >> weight_of */
	}
	for (int i = 0; i < N; i++)
		all += matrix_row_sum(A, i) + weight_of(i + 3); /* >> weight_of */
	return all;
}

int main(void)
{
	struct matrix A = { N, N, N, malloc(N * N * sizeof(double)) }; /* -> A double 8 */
	struct matrix B = { .rows = N,
			    .width = N,
			    .data = calloc(N, sizeof(double)) }; /* -> B.data? double 8 */

	for (int i = 0; i < N; i++)
		weight[i] = order[i] = i;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			matrix_set(&A, i, j, i + j); /* >> matrix_set */
	once(&A.data[3]);
	B.data[4] = norms(&A);
	return B.data[4] + B.data[5] < 0;
}
