/* kind: gather or probes
 * region: dist or target
 * A search through a graph whose vertices have random numbers; neighbours have near numbers
 * when mended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef V
#define V 0
#endif
/* the arrays of 250 vertices fit L1 */
enum { N = V == 2 ? 250 : 30000, D = 4, R = V == 2 ? 800 : 12 };

struct graph {
	int *first, *target;
};

static int *dist, *queue;

__attribute__((noinline)) static int search(const struct graph *g, int root)
{
	int head = 0, tail = 0;

	memset(dist, 255, N * sizeof(*dist));
	dist[root] = 0;
	queue[tail++] = root;
	while (head < tail) {
		int v = queue[head++];

		for (int e = g->first[v]; e < g->first[v + 1]; e++) {
			int w = g->target[e]; /* HERE */

			if (dist[w] < 0) { /* HERE */
				dist[w] = dist[v] + 1; /* HERE */
				queue[tail++] = w;
			}
		}
	}
	return dist[queue[tail - 1]];
}

int main(void)
{
	struct graph g;
	int *name = malloc(N * sizeof(int));
	unsigned x = 1;
	long sum = 0;

	g.first = malloc((N + 1) * sizeof(int));
	g.target = malloc(N * D * sizeof(int));
	dist = malloc(N * sizeof(int));
	queue = malloc(N * sizeof(int));
	for (int i = 0; i < N; i++)
		name[i] = i;
	for (int i = N - 1; V != 1 && i > 0; i--) {
		int k = (int)(((x = x * 1103515245 + 12345) >> 8) % (unsigned)(i + 1)), t = name[i];

		name[i] = name[k];
		name[k] = t;
	}
	for (int i = 0; i <= N; i++)
		g.first[i] = i * D;
	for (int i = 0; i < N; i++) { /* a grid of 150 vertices in a row */
		int near[D] = { i + 1, i - 1, i + 150, i - 150 };

		for (int k = 0; k < D; k++)
			g.target[name[i] * D + k] = name[(near[k] + N) % N];
	}
#if V == 1 /* numbers in the order of a search */
	search(&g, 0);
	for (int i = 0; i < N; i++)
		name[queue[i]] = i;
	for (int i = 0; i < N; i++) {
		int near[D] = { i + 1, i - 1, i + 150, i - 150 };

		for (int k = 0; k < D; k++)
			g.target[name[i] * D + k] = name[(near[k] + N) % N];
	}
#endif
	for (int r = 0; r < R; r++)
		sum += search(&g, name[0]);
	printf("%ld\n", sum);
}
