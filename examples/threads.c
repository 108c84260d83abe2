/*
 * Two threads that share nothing but a cache line.
 *
 *	memlamp record ./threads
 *	memlamp info threads.mlt
 *	memlamp dump --region hits --count 10 threads.mlt
 *
 * What to look at: each thread reads its own array, `left` or `right`, and counts
 * in its own element of `hits`. But the two elements are neighbours in one cache
 * line, which on a real machine travels between two cores all the time.
 */
#include <pthread.h>
#include <stdio.h>

enum { COUNT = 100000 };

static int left[COUNT], right[COUNT];
static volatile long hits[2]; /* volatile: counted in memory and not in a register */

static void *count_left(void *unused)
{
	(void)unused;
	for (int i = 0; i < COUNT; i++)
		if (left[i] == 0)
			hits[0]++;
	return NULL;
}

static void *count_right(void *unused)
{
	(void)unused;
	for (int i = 0; i < COUNT; i++)
		if (right[i] == 0)
			hits[1]++;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	for (int i = 0; i < COUNT; i++) {
		left[i] = i % 2;
		right[i] = i % 4;
	}
	if (pthread_create(&a, NULL, count_left, NULL) ||
	    pthread_create(&b, NULL, count_right, NULL))
		return 1;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld and %ld zeros\n", hits[0], hits[1]);
	return 0;
}
