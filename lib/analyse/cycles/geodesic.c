#include "lib/analyse/cycles/geodesic.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"

struct arm {
	uint32_t point;
	double length;
};

/* The graph of near points: the arms of point i are [start[i], start[i + 1]). */
struct graph {
	uint32_t count;
	size_t *start;
	struct arm *arms;
};

static int nearest_first(const void *x, const void *y)
{
	const struct arm *a = x, *b = y;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

static void join(bool *joined, uint32_t n, uint32_t i, uint32_t k)
{
	joined[(size_t)i * n + k] = joined[(size_t)k * n + i] = true;
}

static void join_nearest(bool *joined, const double *d, uint32_t n, uint32_t near,
			 struct ml_arena *a)
{
	struct arm *others = ml_arena_alloc(a, n * sizeof(*others));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t count = 0;

		for (uint32_t k = 0; k < n; k++)
			if (k != i)
				others[count++] = (struct arm){ k, d[(size_t)i * n + k] };
		qsort(others, count, sizeof(*others), nearest_first);
		for (uint32_t k = 0; k < count && k < near; k++)
			join(joined, n, i, others[k].point);
	}
}

/* The edges of a shortest spanning tree (Prim). */
static void join_tree(bool *joined, const double *d, uint32_t n, struct ml_arena *a)
{
	double *length = ml_arena_alloc(a, n * sizeof(*length));
	uint32_t *from = ml_arena_alloc(a, n * sizeof(*from));
	bool *in = ml_arena_alloc(a, n * sizeof(*in));

	for (uint32_t i = 0; i < n; i++)
		length[i] = i ? d[i] : 0;
	in[0] = true;
	for (uint32_t step = 1; step < n; step++) {
		uint32_t next = 0;
		double min = INFINITY;

		for (uint32_t i = 0; i < n; i++)
			if (!in[i] && length[i] < min) {
				next = i;
				min = length[i];
			}
		in[next] = true;
		join(joined, n, next, from[next]);
		for (uint32_t i = 0; i < n; i++)
			if (!in[i] && d[(size_t)next * n + i] < length[i]) {
				length[i] = d[(size_t)next * n + i];
				from[i] = next;
			}
	}
}

static void make_graph(struct graph *g, const double *d, uint32_t n, uint32_t near,
		       struct ml_arena *a)
{
	size_t pairs = (size_t)n * n, count = 0;
	bool *joined = ml_arena_alloc(a, pairs * sizeof(*joined));

	join_nearest(joined, d, n, near, a);
	join_tree(joined, d, n, a);
	for (size_t i = 0; i < pairs; i++)
		count += joined[i];
	g->count = n;
	g->start = ml_arena_alloc(a, (n + 1) * sizeof(*g->start));
	g->arms = ml_arena_alloc(a, (count + 1) * sizeof(*g->arms));
	count = 0;
	for (uint32_t i = 0; i < n; i++) {
		g->start[i] = count;
		for (uint32_t k = 0; k < n; k++)
			if (joined[(size_t)i * n + k])
				g->arms[count++] = (struct arm){ k,
								 d[(size_t)i * n + k] };
	}
	g->start[n] = count;
}

/* A heap of points by their length; a point may be in it more than once. */
struct heap {
	struct arm *at;
	size_t count, cap;
};

static void push(struct heap *h, struct arm x)
{
	h->at = ml_grow(h->at, &h->cap, h->count + 1, sizeof(*h->at));
	size_t i = h->count++;

	for (; i && h->at[(i - 1) / 2].length > x.length; i = (i - 1) / 2)
		h->at[i] = h->at[(i - 1) / 2];
	h->at[i] = x;
}

static struct arm pop(struct heap *h)
{
	struct arm top = h->at[0], last = h->at[--h->count];
	size_t i = 0;

	for (size_t child; (child = 2 * i + 1) < h->count; i = child) {
		child += child + 1 < h->count &&
			 h->at[child + 1].length < h->at[child].length;
		if (h->at[child].length >= last.length)
			break;
		h->at[i] = h->at[child];
	}
	h->at[i] = last;
	return top;
}

/* Shortest ways from one point (Dijkstra). */
static void walk_from(const struct graph *g, uint32_t from, double *length,
		      struct heap *heap)
{
	for (uint32_t i = 0; i < g->count; i++)
		length[i] = INFINITY;
	length[from] = 0;
	push(heap, (struct arm){ from, 0 });
	while (heap->count) {
		struct arm x = pop(heap);

		if (x.length > length[x.point])
			continue;
		for (size_t i = g->start[x.point]; i < g->start[x.point + 1]; i++) {
			const struct arm *arm = &g->arms[i];
			double way = x.length + arm->length;

			if (way < length[arm->point]) {
				length[arm->point] = way;
				push(heap, (struct arm){ arm->point, way });
			}
		}
	}
}

void ml_geodesics(double *distance, uint32_t n, uint32_t near)
{
	struct ml_arena a = { 0 };
	struct heap heap = { 0 };
	struct graph g;

	if (n < 2)
		return;
	make_graph(&g, distance, n, near, &a);
	for (uint32_t i = 0; i < n; i++)
		walk_from(&g, i, distance + (size_t)i * n, &heap);
	ml_free(heap.at);
	ml_arena_release(&a);
}
