/* kind: cleared or never read
 * region: buffer
 * Each request clears a large buffer and then uses only its start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef V
#define V 0
#endif
enum { SIZE = V == 2 ? 256 : 40000 };

__attribute__((noinline)) static unsigned answer(char *buffer, int request)
{
	unsigned sum = 0;

	if (V != 1)
		memset(buffer, 0, SIZE); /* HERE */
	for (int i = 0; i < 200; i++)
		buffer[i] = (char)(request + i);
	for (int i = 0; i < 200; i++)
		sum += (unsigned char)buffer[i];
	return sum;
}

int main(void)
{
	char *buffer = malloc(SIZE);
	unsigned sum = 0;

	for (int r = 0; r < 300; r++)
		sum += answer(buffer, r);
	printf("%u\n", sum);
}
