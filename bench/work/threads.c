/* A matrix product by threads: each computes every so many rows. ARGUMENTS: size,
 * threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 512 };
static float a[N][N], b[N][N], c[N][N];
static int threads, n;
static void *work(void *p)
{
	long me = (long)p;
	for (int i = (int)me; i < n; i += threads)
		for (int j = 0; j < n; j++) {
			float s = 0;
			for (int k = 0; k < n; k++)
				s += a[i][k] * b[k][j];
			c[i][j] = s;
		}
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t t[16];
	n = argc > 1 ? atoi(argv[1]) : 128;
	threads = argc > 2 ? atoi(argv[2]) : 4;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i][j] = b[i][j] = (float)(i + j);
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], 0);
	printf("%g\n", c[n - 1][n - 1]);
	return 0;
}
