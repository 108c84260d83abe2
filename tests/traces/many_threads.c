/*
 * many_threads AT_ONCE ROUNDS: threads by the AT_ONCE, of which all live at the same time,
 * ROUNDS times. Each writes its own cell three times.
 */
#include <pthread.h>
#include <stdlib.h>

enum { CELLS = 10000 };
static volatile long cell[CELLS];
static pthread_barrier_t all_live;

static void *work(void *arg)
{
	long i = (long)arg;

	cell[i] = 1;
	pthread_barrier_wait(&all_live);
	cell[i] = 2;
	cell[i] = 3;
	return NULL;
}

int main(int argc, char **argv)
{
	long at_once = argc > 2 ? atol(argv[1]) : 1, rounds = argc > 2 ? atol(argv[2]) : 1;
	static pthread_t thread[CELLS];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all_live, NULL, (unsigned)at_once);
	for (long i = 0; i < rounds * at_once; i += at_once) {
		for (long k = 0; k < at_once; k++)
			if (pthread_create(&thread[k], &small, work, (void *)(i + k)))
				return 1;
		for (long k = 0; k < at_once; k++)
			pthread_join(thread[k], NULL);
	}
	return 0;
}
