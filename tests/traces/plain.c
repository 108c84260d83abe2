/* An ordinary program: globals, heap, a hot function; for builds without any symbols. */
#include <stdio.h>
#include <stdlib.h>

static int table[256];
static const int primes[] = { 2, 3, 5, 7, 11, 13 };

static __attribute__((noinline)) long sum(const long *numbers, int n)
{
	long s = 0;

	for (int i = 0; i < n; i++)
		s += numbers[i] * primes[i % 6] + table[i & 255];
	return s;
}

int main(void)
{
	long *numbers = malloc(10000 * sizeof(*numbers));

	for (int i = 0; i < 10000; i++) {
		numbers[i] = i;
		table[i & 255] += i;
	}
	printf("%ld\n", sum(numbers, 10000));
	free(numbers);
	return 0;
}
