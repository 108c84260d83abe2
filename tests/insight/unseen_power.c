/* kind: gather
 * region: x
 * Power iteration with a sparse matrix whose unknowns have random numbers; neighbours
 * have near numbers when mended. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 50 : 20000, BAND = 5, ROUNDS = V == 2 ? 1500 : 24 };

struct matrix {
	int *start, *column;
	double *value;
};

__attribute__((noinline)) static void multiply(const struct matrix *m, const double *x,
					       double *y)
{
	for (int i = 0; i < N; i++) {
		double s = 0;

		for (int e = m->start[i]; e < m->start[i + 1]; e++)
			s += m->value[e] * x[m->column[e]]; /* HERE */
		y[i] = s;
	}
}

int main(void)
{
	struct matrix m = { malloc((N + 1) * sizeof(int)), malloc(N * BAND * sizeof(int)),
			    malloc(N * BAND * sizeof(double)) };
	double *x = malloc(N * sizeof(*x)), *y = malloc(N * sizeof(*y));
	int *number = malloc(N * sizeof(int));
	unsigned r = 17;

	for (int i = 0; i < N; i++)
		number[i] = i;
	for (int i = N - 1; V == 0 && i > 0; i--) {
		int k = (int)(((r = r * 1664525 + 1013904223) >> 8) % (unsigned)(i + 1)),
		    t = number[i];

		number[i] = number[k];
		number[k] = t;
	}
	for (int i = 0; i <= N; i++)
		m.start[i] = i * BAND;
	for (int i = 0; i < N; i++) {
		x[i] = 1;
		for (int k = 0; k < BAND; k++) {
			m.column[number[i] * BAND + k] =
				number[(i + k - BAND / 2 + N) % N];
			m.value[number[i] * BAND + k] = 0.1 * (k + 1);
		}
	}
	free(number);
	for (int t = 0; t < ROUNDS; t++) {
		multiply(&m, x, y);
		for (int i = 0; i < N; i++)
			x[i] = 0.7 * y[i];
	}
	printf("%g\n", x[N / 2]);
}
