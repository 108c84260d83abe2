/* kind: nodes
 * region: node
 * A list whose nodes were allocated in another order than it links them. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 100 : 10000, R = V == 2 ? 4000 : 30 };
struct node {
	struct node *next;
	long value;
};

static struct node *build(void)
{
	struct node **all = malloc(N * sizeof(*all)), *first;
	unsigned x = 1;

	for (int i = 0; i < N; i++) {
		struct node *node = malloc(sizeof(*node));
		node->value = i;
		all[i] = node;
	}
	for (int i = N - 1; i > 0 && V != 1; i--) {
		int k = (int)((x = x * 1103515245 + 12345) >> 8) % (i + 1);
		struct node *t = all[i];
		k = k < 0 ? -k : k;
		all[i] = all[k];
		all[k] = t;
	}
	for (int i = 0; i < N; i++)
		all[i]->next = i + 1 < N ? all[i + 1] : NULL;
	first = all[0];
	free(all);
	return first;
}

int main(void)
{
	struct node *first = build();
	long sum = 0;

	for (int r = 0; r < R; r++)
		for (struct node *p = first; p; p = p->next)
			sum += p->value; /* HERE */
	printf("%ld\n", sum);
}
