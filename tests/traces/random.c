/* random N: N reads of random places, of which a trace must keep every one. */
#include <stdio.h>
#include <stdlib.h>

static volatile long table[1 << 16];

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, x = 1, sum = 0;

	for (unsigned long i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		sum += (unsigned long)table[x >> 48];
	}
	printf("%lu\n", sum);
	return 0;
}
