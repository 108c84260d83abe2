/*
 * Four threads count in neighbouring elements: false sharing. With -DAPART each has
 * a cache line of its own.
 *
 *	memlamp run --machine '4 cores | L1 32K | L2 1M | L3 32M' ./find_sharing
 *
 * What to look at: no thread touches what another one uses, and still nearly every
 * turn of a thread begins with a miss, because the line has been written elsewhere.
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, COUNT = 20000 };

struct counter {
#ifdef APART
	_Alignas(64)
#endif
		volatile long value; /* volatile: counted in memory and not in a register
				      */
};

static _Alignas(64) struct counter counters[THREADS];
static pthread_barrier_t start; /* so that they run at the same time */

static void *count(void *arg)
{
	struct counter *c = arg;

	pthread_barrier_wait(&start);
	for (int i = 0; i < COUNT; i++)
		c->value++;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	long sum = 0;

	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, count, &counters[i]))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		sum += counters[i].value;
	printf("%ld\n", sum);
	return 0;
}
