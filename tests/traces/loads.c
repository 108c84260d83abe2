/*
 * Loads and stores of every width, atomics, string instructions and division, for
 * comparing totals. No gathers and no masked moves: those are counted differently
 * elsewhere.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint8_t b[100];
static uint16_t h[100];
static uint32_t w[100];
static uint64_t d[100];
static float f[100];
static double g[100];
static atomic_long counter;
static char text[1000], copy[1000];

int main(void)
{
	for (int i = 0; i < 100; i++) {
		b[i] = (uint8_t)i;
		h[i] = b[i];
		w[i] += h[i];
		d[i] = w[99 - i] / (uint64_t)(i + 1);
		f[i] = (float)d[i];
		g[i] += f[i];
		atomic_fetch_add(&counter, b[i]);
	}
	memset(text, 'a', sizeof(text) - 1);
	strcpy(copy, text);
	/* rep movsb: one load and one store for each byte */
	void *to = copy;
	const void *from = text;
	size_t n = 500;
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	long expected = 4950;
	atomic_compare_exchange_strong(&counter, &expected, 1);
	printf("%d %zu %ld\n", (int)g[99], strlen(copy), (long)counter);
	return 0;
}
