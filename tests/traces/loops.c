/* loops N: writes 10,000 numbers N times, slowly enough to be interfered with. */
#include <stdio.h>
#include <stdlib.h>

static volatile long work[10000];

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;

	puts("ready");
	fflush(stdout);
	for (long k = 0; k < n; k++)
		for (int i = 0; i < 10000; i++)
			work[i] = k;
	printf("done %ld\n", work[9999]);
	return 0;
}
