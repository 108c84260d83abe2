/*
 * A team of OpenMP: twenty parallel regions, in each of which every thread counts in its
 * own element. The elements lie in one line.
 */
#include <omp.h>
#include <stdio.h>

static _Alignas(64) volatile long hits[8];

int main(void)
{
	for (int round = 0; round < 20; round++) {
#pragma omp parallel for num_threads(4)
		for (int i = 0; i < 2000; i++)
			hits[omp_get_thread_num()] += i & 3; /* HERE */
	}
	printf("%ld\n", hits[0] + hits[3]);
	return 0;
}
