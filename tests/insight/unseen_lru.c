/* kind: nodes or probes
 * region: *
 * Entries of a cache of pages hang in hash chains of malloc'ed nodes that were made in another
 * order; when mended they lie in the order of the chains. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { CHAINS = V == 2 ? 8 : 512, N = V == 2 ? 64 : 8192 };
struct page {
	struct page *next;
	unsigned key, uses;
};
static struct page *chain[CHAINS];

__attribute__((noinline)) static unsigned find(unsigned key)
{
	for (struct page *p = chain[key % CHAINS]; p; p = p->next) /* HERE */
		if (p->key == key) /* HERE */
			return ++p->uses; /* HERE */
	return 0;
}

static void add(unsigned key)
{
	struct page *p = calloc(1, sizeof(*p));

	p->key = key;
	p->next = chain[key % CHAINS];
	chain[key % CHAINS] = p;
}

int main(void)
{
	unsigned s = 0;

	for (unsigned i = 0; i < N; i++)
		add(V == 1 ? i / (N / CHAINS) + CHAINS * (i % (N / CHAINS)) : i);
	for (unsigned r = 0; r < (V == 2 ? 1000 : 8); r++)
		for (unsigned i = 0; i < N; i += 3)
			s += find((i * 7919 + r) % N);
	printf("%u\n", s);
}
