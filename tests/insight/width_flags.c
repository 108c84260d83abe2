/* kind: value width
 * region: flags
 * options: --values
 * A flag for each number takes four bytes; one when mended. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
#if V == 1
typedef uint8_t flag;
#else
typedef int flag;
#endif
enum { N = V == 2 ? 1000 : 60000 };

__attribute__((noinline)) static void sieve(flag *flags)
{
	for (int i = 0; i < N; i++) /* HERE */
		flags[i] = 1; /* HERE */
	for (int p = 2; p * p < N; p++)
		for (int i = p * p; i < N; i += p) /* HERE */
			flags[i] = 0; /* HERE */
}

int main(void)
{
	flag *flags = malloc(N * sizeof(*flags));
	long sum = 0;

	sieve(flags);
	for (int i = 0; i < N; i++)
		sum += flags[i];
	printf("%ld\n", sum);
	free(flags);
}
