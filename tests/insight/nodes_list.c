/* kind: nodes
 * region: node
 * A list whose nodes were allocated in another order than it links them. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 100 : 10000, R = V == 2 ? 4000 : 70 };
struct node {
	struct node *next;
	long value;
};

static struct node *build(void)
{
	static struct node *all[N];
	static int at[N];
	unsigned x = 1;

	for (int i = 0; i < N; i++)
		at[i] = i;
	for (int i = N - 1; i > 0; i--) {
		int k = (int)(((x = x * 1103515245 + 12345) >> 8) % (unsigned)(i + 1)), t = at[i];
		at[i] = at[k];
		at[k] = t;
	}
	for (int i = 0; i < N; i++) { /* mended: in the order of the list */
		struct node *node = malloc(sizeof(*node));
		node->value = i;
		all[V == 1 ? at[i] : i] = node;
	}
	for (int i = 0; i < N; i++)
		all[at[i]]->next = i + 1 < N ? all[at[i + 1]] : NULL;
	return all[at[0]];
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
