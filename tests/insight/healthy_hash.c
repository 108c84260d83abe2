/* kind: none
 * Strings of a text are inserted into a hash table as deflate does. The order of insertions is that
 * of the text, and each is made once: nothing can be sorted. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 120000, BITS = 15 };

struct state {
	uint8_t *window;
	uint16_t *head, *prev;
};

__attribute__((noinline)) static unsigned insert_all(struct state *s)
{
	unsigned hash = 0, found = 0;

	for (unsigned i = 0; i < N - 2; i++) {
		hash = ((hash << 5) ^ s->window[i + 2]) & ((1 << BITS) - 1);
		unsigned at = s->head[hash];

		s->head[hash] = (uint16_t)i;
		s->prev[i & 0x7fff] = (uint16_t)at;
		found += s->prev[at & 0x7fff];
	}
	return found;
}

int main(void)
{
	struct state s;
	unsigned x = 1;

	s.window = malloc(N);
	s.head = malloc(2 << BITS);
	s.prev = malloc(2 << BITS);
	for (unsigned i = 0; i < 1 << BITS; i++)
		s.head[i] = s.prev[i] = 0;
	for (unsigned i = 0; i < N; i++)
		s.window[i] = (x = x * 1664525 + 1013904223) >> 26;
	printf("%u\n", insert_all(&s));
}
