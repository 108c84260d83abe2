/*
 * Two named threads; each writes its own array once and reads it three times, then
 * ends. A third, started after both are gone, may get their stack and thread number.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

enum { COUNT = 1000 };

static volatile int first[COUNT], second[COUNT], third[COUNT];

static void use(volatile int *array)
{
	for (int i = 0; i < COUNT; i++)
		array[i] = i;
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < COUNT; i++)
			(void)array[i];
}

static void *run_first(void *unused)
{
	pthread_setname_np(pthread_self(), "first one");
	use(first);
	return unused;
}

static void *run_second(void *unused)
{
	use(second);
	return unused;
}

static void *run_third(void *unused)
{
	use(third);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, run_first, NULL);
	pthread_create(&b, NULL, run_second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_create(&a, NULL, run_third, NULL);
	pthread_join(a, NULL);
	puts("joined");
	return 0;
}
