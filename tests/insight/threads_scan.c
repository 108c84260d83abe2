/* kind: same lines
 * region: items
 * machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
 * Each of four threads reads all items to find its own; sorted by thread when mended. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 400 : 40000, ROUNDS = V == 2 ? 100 : 1 };
struct item {
	int owner, value;
};
static struct item *items;
static long sums[4 * 8];

static void *work(void *arg)
{
	int me = (int)(long)arg, from = V == 1 ? me * (N / 4) : 0;
	int to = V == 1 ? from + N / 4 : N;
	long sum = 0;

	for (int r = 0; r < ROUNDS; r++)
		for (int i = from; i < to; i++) /* HERE */
			if (items[i].owner == me) /* HERE */
				sum += items[i].value; /* HERE */
	sums[me * 8] = sum;
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	items = malloc(N * sizeof(*items));
	for (int i = 0; i < N; i++)
		items[i] = (struct item){ V == 1 ? i / (N / 4) : i % 4, i };
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", sums[0] + sums[8] + sums[16] + sums[24]);
}
