/*
 * Threads that multiply matrices of their own, all of the same size, at the same time.
 *
 *	memlamp record -o one.mlt ./team 1
 *	memlamp record -o two.mlt ./team 2
 *	memlamp ensemble -o share.mle one.mlt@multiply -m 'L1 {128..1920 +256} full 16B 3c | memory 300c'
 *	memlamp ensemble share.mle --second 2 --total 2K
 *	memlamp sim two.mlt -m 'cores 2 | L1 2K full 16B shared 3c | memory 300c'
 *
 * Layout: each thread has three matrices of 16 by 16 floats from the start of a page.
 *
 * What to look at: what one thread does in caches of many sizes (the ensemble) models
 * what several do that share one: some have more of it, some less. `sim` of the real
 * threads says whether the model is right.
 *
 * volatile keeps the compiler from joining or reordering the accesses.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "memlamp.h"

enum { N = 16, ROUNDS = 4, THREADS_MOST = 8, PAGE = 4096 };

struct member {
	_Alignas(PAGE) volatile float A[N][N];
	_Alignas(PAGE) volatile float B[N][N];
	_Alignas(PAGE) volatile float C[N][N];
};

static struct member team[THREADS_MOST];

static void multiply(struct member *m)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += m->A[i][k] * m->B[k][j];
			m->C[i][j] = sum;
		}
}

static void *work(void *member)
{
	for (int i = 0; i < ROUNDS; i++)
		multiply(member);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t threads[THREADS_MOST];

	if (count < 1 || count > THREADS_MOST)
		return 2;
	MEMLAMP_BEGIN("multiply");
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, &team[i]))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	MEMLAMP_END("multiply");
	printf("%g\n", (double)team[0].C[N - 1][N - 1]);
	return 0;
}
