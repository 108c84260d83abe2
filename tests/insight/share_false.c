/* kind: false sharing
 * region: hits
 * machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
 * Each thread has its own counter, but all lie in one line. */
#include <pthread.h>
#include <stdio.h>
#ifndef V
#define V 0
#endif
static _Alignas(64) struct {
	volatile long n;
#if V == 1
	char apart[56];
#endif
} hits[4];

static void *count(void *arg)
{
	long me = (long)arg, n = 0;

	for (int i = 0; i < 40000; i++)
		if (V == 2)
			n += i & 3;
		else
			hits[me].n += i & 3; /* HERE */
	hits[me].n += n;
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, count, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", hits[0].n + hits[3].n);
}
