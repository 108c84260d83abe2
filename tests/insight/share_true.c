/* kind: true sharing
 * region: total
 * machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
 * Four threads add to one counter; each has its own when mended. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#ifndef V
#define V 0
#endif
static _Alignas(64) atomic_long total;

static void *count(void *arg)
{
	long mine = (long)arg, n = 0;

	for (int i = 0; i < 40000; i++) {
		if (V == 0)
			atomic_fetch_add(&total, i & mine); /* HERE */
		else
			n += i & mine;
	}
	if (V)
		atomic_fetch_add(&total, n);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, count, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", (long)total);
}
