/* kind: value width
 * region: slots
 * options: --values
 * A ring holds codes below 200 in eight bytes each; in one byte when mended. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
#if V == 1
typedef uint8_t code;
#else
typedef long code;
#endif
enum { SIZE = V == 2 ? 512 : 32768, BURST = 100 };

struct ring {
	code *slots;
	unsigned head, tail;
};

__attribute__((noinline)) static void produce(struct ring *r, unsigned *seed)
{
	unsigned x = *seed, head = r->head;
	code *slots = r->slots;

	for (int i = 0; i < BURST; i++) {
		x = x * 1664525 + 1013904223;
		slots[head++ % SIZE] = (code)((x >> 16) % 200); /* HERE */
	}
	r->head = head;
	*seed = x;
}

__attribute__((noinline)) static long consume(struct ring *r)
{
	unsigned tail = r->tail;
	const code *slots = r->slots;
	long sum = 0;

	for (int i = 0; i < BURST; i++)
		sum += slots[tail++ % SIZE]; /* HERE */
	r->tail = tail;
	return sum;
}

int main(void)
{
	struct ring r = { calloc(SIZE, sizeof(code)), 0, 0 };
	unsigned seed = 3;
	long sum = 0;

	while (r.head + 2 * BURST < SIZE)
		produce(&r, &seed);
	for (int i = 0; i < 1500; i++) {
		produce(&r, &seed);
		sum += consume(&r);
	}
	printf("%ld\n", sum);
	free(r.slots);
}
