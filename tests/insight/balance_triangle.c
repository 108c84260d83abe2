/* kind: imbalance
 * region: *
 * machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
 * Rows of a triangle, divided by their number; by turns when mended. */
#include <pthread.h>
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { N = 400 };
static float triangle[N][N];

static void *work(void *arg)
{
	long me = (long)arg;

	for (int k = 0; k < N / 4; k++) {
		int row = V == 1 ? k * 4 + (int)me : (int)me * (N / 4) + k;

		for (int j = 0; j < (V == 2 ? N / 2 : row); j++) /* HERE */
			triangle[row][j] = triangle[row][j] * 0.5f + j; /* HERE */
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%g\n", triangle[N - 1][0]);
}
