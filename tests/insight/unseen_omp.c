/* kind: false sharing
 * region: partial
 * machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
 * flags: -fopenmp
 * OpenMP threads with a partial sum each, side by side in one array. */
#include <omp.h>
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { N = 80000, STEP = V == 1 ? 8 : 1 };
static _Alignas(64) volatile double partial[4 * STEP];
static double x[N];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		x[i] = i % 7;
#pragma omp parallel num_threads(4)
	{
		int me = omp_get_thread_num();
		double mine = 0;
#pragma omp for
		for (int i = 0; i < N; i++)
			if (V == 2)
				mine += x[i];
			else
				partial[me * STEP] += x[i]; /* HERE */
		partial[me * STEP] += mine;
	}
	for (int i = 0; i < 4; i++)
		sum += partial[i * STEP];
	printf("%g\n", sum);
}
