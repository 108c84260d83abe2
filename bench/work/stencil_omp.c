/* A stencil by OpenMP: each thread sweeps rows of its own, and the sums of all threads
 * share a line. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 256 };
static double now[N][N], next[N][N], sum[16];
int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 4, threads = argc > 2 ? atoi(argv[2]) : 4;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			now[i][j] = i ^ j;
#pragma omp parallel num_threads(threads)
	for (int r = 0; r < rounds; r++) {
#pragma omp for
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++) {
				next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] +
						     now[i][j - 1] + now[i][j + 1]);
				sum[omp_get_thread_num()] += next[i][j];
			}
#pragma omp for
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				now[i][j] = next[i][j];
	}
	printf("%g\n", sum[0]);
	return 0;
}
