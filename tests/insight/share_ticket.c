/* kind: true sharing
 * region: next
 * machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
 * Threads take one index at a time from a common counter; each takes its own share when
 * mended. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { N = 40000 };
static _Alignas(64) atomic_int next;
static _Alignas(64) long sums[4][8];

static long step(long x)
{
	for (int i = x & 3; i < 24; i++)
		x = x * 1103515245 + (x >> 7 & 1 ? 12345 : i);
	return x & 15;
}

static void *work(void *arg)
{
	long me = (long)arg, sum = 0;

#if V == 0
	for (int i; (i = atomic_fetch_add(&next, 1)) < N;) /* HERE */
		sum += step(i);
#else
	for (long i = me * (N / 4); i < (me + 1) * (N / 4); i++)
		sum += step(i);
#endif
	sums[me][0] = sum;
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", sums[0][0] + sums[1][0] + sums[2][0] + sums[3][0]);
}
