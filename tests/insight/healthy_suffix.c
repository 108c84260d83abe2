/* kind: none
 * Suffixes of a text are put in the order of their first two letters, and then one more letter of
 * each is looked up, as bzip2 does. The order is the result and is used once: another order is no
 * remedy. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 60000, LETTERS = 8 };
static uint32_t start[LETTERS * LETTERS + 1];

__attribute__((noinline)) static void order(const uint8_t *block, uint32_t *ptr)
{
	for (int i = 0; i < LETTERS * LETTERS; i++)
		start[i + 1] += start[i];
	for (int i = 0; i < N; i++)
		ptr[start[block[i] * LETTERS + block[i + 1]]++] = (uint32_t)i;
}

__attribute__((noinline)) static unsigned look_up(const uint8_t *block, const uint32_t *ptr)
{
	unsigned sum = 0;

	for (int i = 0; i < N; i++)
		sum = sum * 31 + block[ptr[i] + 2];
	return sum;
}

int main(void)
{
	uint8_t *block = malloc(N + 2);
	uint32_t *ptr = malloc(N * sizeof(*ptr));
	unsigned x = 1, sum = 0;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i <= LETTERS * LETTERS; i++)
			start[i] = 0;
		block[0] = 0;
		for (int i = 0; i < N + 1; i++) {
			block[i + 1] = (x = x * 1664525 + 1013904223) >> 29;
			if (i < N)
				start[block[i] * LETTERS + block[i + 1] + 1]++;
		}
		order(block, ptr);
		sum += look_up(block, ptr);
	}
	printf("%u\n", sum);
}
