#include "lib/analyse/cycles/edges.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/arena.h"

void ml_edges_init(struct ml_edges *e, uint32_t points, uint32_t levels, uint32_t blocks)
{
	size_t lists = (size_t)levels * blocks;

	*e = (struct ml_edges){
		.points = points, .levels = levels, .blocks = blocks, .end = INFINITY
	};
	e->length = ml_resize(NULL, (levels + 1) * sizeof(*e->length));
	e->lists = ml_resize(NULL, (lists + 1) * sizeof(*e->lists));
	for (size_t i = 0; i < lists; i++)
		e->lists[i] = (struct ml_edge_list){ 0 };
}

void ml_edges_release(struct ml_edges *e)
{
	for (size_t i = 0; i < (size_t)e->levels * e->blocks; i++) {
		ml_free(e->lists[i].ends);
		ml_free(e->lists[i].runs);
	}
	ml_free(e->lists);
	ml_free(e->length);
	*e = (struct ml_edges){ 0 };
}

void ml_edge_list_add(struct ml_edge_list *l, uint32_t larger, uint32_t smaller)
{
	if (!l->run_count || l->runs[l->run_count - 1].point != larger) {
		l->runs = ml_grow(l->runs, &l->run_cap, l->run_count + 1,
				  sizeof(*l->runs));
		l->runs[l->run_count++] = (struct ml_edge_run){ larger, 0, l->count };
	}
	l->ends = ml_grow(l->ends, &l->cap, l->count + 1, sizeof(*l->ends));
	l->ends[l->count++] = smaller;
	l->runs[l->run_count - 1].count++;
}

void ml_edges_finish(struct ml_edges *e)
{
	e->count = 0;
	for (size_t i = 0; i < (size_t)e->levels * e->blocks; i++)
		e->count += e->lists[i].count;
}

struct pair {
	double length;
	uint32_t larger, smaller;
};

static int by_length(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	if (a->larger != b->larger)
		return a->larger < b->larger ? -1 : 1;
	return a->smaller < b->smaller ? -1 : a->smaller > b->smaller;
}

static double enclosing_radius(const double *triangle, uint32_t points)
{
	double *farthest = ml_resize(NULL, (points + 1) * sizeof(*farthest));
	double radius = INFINITY;
	size_t at = 0;

	for (uint32_t i = 0; i < points; i++)
		farthest[i] = 0;
	for (uint32_t i = 1; i < points; i++)
		for (uint32_t j = 0; j < i; j++, at++) {
			farthest[i] = fmax(farthest[i], triangle[at]);
			farthest[j] = fmax(farthest[j], triangle[at]);
		}
	for (uint32_t i = 0; i < points; i++)
		radius = fmin(radius, farthest[i]);
	ml_free(farthest);
	return radius;
}

void ml_edges_of_triangle(struct ml_edges *e, const double *triangle, uint32_t points,
			  double threshold)
{
	size_t pairs = (size_t)points * (points ? points - 1 : 0) / 2, count = 0, at = 0;
	struct pair *all = ml_resize(NULL, (pairs + 1) * sizeof(*all));
	double radius = enclosing_radius(triangle, points);
	double limit = fmin(threshold, radius);
	uint32_t levels = 0;

	for (uint32_t i = 1; i < points; i++)
		for (uint32_t j = 0; j < i; j++, at++)
			if (triangle[at] <= limit)
				all[count++] = (struct pair){ triangle[at], i, j };
	qsort(all, count, sizeof(*all), by_length);
	for (size_t i = 0; i < count; i++)
		levels += !i || all[i].length != all[i - 1].length;
	ml_edges_init(e, points, levels, 1);
	uint32_t level = 0;
	for (size_t i = 0; i < count; i++) {
		level += i && all[i].length != all[i - 1].length;
		e->length[level] = all[i].length;
		ml_edge_list_add(&e->lists[level], all[i].larger, all[i].smaller);
	}
	ml_free(all);
	ml_edges_finish(e);
}
