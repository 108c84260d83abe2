#include "lib/flow/run/locality.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cache/distance/distance.h"
#include "lib/flow/flow.h"

static void keep(struct ml_locality *l, const struct ml_flow_batch *b, size_t i,
		 uint32_t distance)
{
	size_t n = l->kept++;

	l->addr = ml_grow(l->addr, &l->cap[0], n + 1, sizeof(*l->addr));
	l->instance = ml_grow(l->instance, &l->cap[1], n + 1, sizeof(*l->instance));
	l->of = ml_grow(l->of, &l->cap[2], n + 1, sizeof(*l->of));
	l->distance = ml_grow(l->distance, &l->cap[3], n + 1, sizeof(*l->distance));
	l->access = ml_grow(l->access, &l->cap[4], n + 1, sizeof(*l->access));
	l->addr[n] = b->addr[i];
	l->instance[n] = b->instance[i];
	l->of[n] = b->container[i];
	l->distance[n] = distance;
	l->access[n] = b->access[i];
}

/* The lines of a batch, in the order in which they are touched. */
static size_t find_lines(struct ml_locality *l, const struct ml_flow_batch *b)
{
	uint64_t line = l->walk.line;
	int shift = l->shift;
	size_t n = 0;

	l->touched = ml_grow(l->touched, &l->touched_cap, b->count, sizeof(*l->touched));
	for (size_t i = 0; i < b->count; i++) {
		uint64_t size = b->what[i] & 0x3fff, end;
		uint64_t first, last;

		end = b->addr[i] + (size ? size : 1) - 1;
		first = shift >= 0 ? b->addr[i] >> shift : b->addr[i] / line;
		last = shift >= 0 ? end >> shift : end / line;
		/* room for these, and for one line of each access behind them */
		if (n + (last - first) + b->count - i > l->line_cap)
			l->lines = ml_grow(l->lines, &l->line_cap,
					   n + (last - first) + b->count - i,
					   sizeof(*l->lines));
		l->touched[i] = (uint32_t)(last - first + 1);
		for (; first <= last; first++)
			l->lines[n++] = first;
	}
	return n;
}

/* What one access found: the farthest of its lines. */
static uint32_t count(struct ml_locality *l, struct ml_locality_container *c,
		      const uint32_t *found, uint32_t touches, uint64_t times)
{
	uint32_t farthest = 0;

	c->touches += touches * times;
	for (uint32_t i = 0; i < touches; i++) {
		uint32_t d = found[i];

		farthest = d > farthest ? d : farthest;
		if (d == ML_NEVER) {
			c->cold += times;
			continue;
		}
		c->misses += d >= l->threshold ? times : 0;
		*(d < ML_LOCALITY_NEAR ? &c->near[d]
				       : ml_map_add(&c->far, d, NULL)) += times;
	}
	return farthest;
}

static bool take(void *arg, const struct ml_flow_batch *b, struct ml_err *err)
{
	struct ml_locality *l = arg;
	size_t n = find_lines(l, b);

	(void)err;
	l->found = ml_grow(l->found, &l->found_cap, n, sizeof(*l->found));
	ml_distance_run(l->stack, l->lines, n, l->found);
	n = 0;
	for (size_t i = 0; i < b->count; i++) {
		struct ml_locality_container *c = &l->container[b->container[i]];
		uint64_t times = b->times ? b->times[i] : 1;

		if (!c->near)
			c->near = ml_arena_alloc(&l->walk.arena,
						 ML_LOCALITY_NEAR * sizeof(*c->near));
		*(b->what[i] >> 14 ? &c->writes : &c->reads) += times;
		uint32_t farthest = count(l, c, l->found + n, l->touched[i], times);
		n += l->touched[i];
		if (l->keep)
			keep(l, b, i, farthest);
	}
	return true;
}

bool ml_locality_run(struct ml_locality *l, struct ml_err *err)
{
	l->walk.take = take;
	l->walk.arg = l;
	/* what is kept is kept one by one; a group repeats itself from the second
	 * iteration on */
	l->walk.group = l->keep ? 0 : l->walk.line;
	l->walk.warm = 2;
	l->shift = l->walk.line & (l->walk.line - 1) ? -1 : __builtin_ctzll(l->walk.line);
	if (!l->walk.placed && !ml_flow_walk_place(&l->walk, err))
		return false;
	l->container = ml_arena_alloc(&l->walk.arena, (l->walk.flow->container_count +
						       1) * sizeof(*l->container));
	l->stack = ml_distance_open();
	return ml_flow_walk_run(&l->walk, err);
}

void ml_locality_release(struct ml_locality *l)
{
	for (size_t i = 0; l->container && i < l->walk.flow->container_count; i++)
		ml_map_release(&l->container[i].far);
	if (l->stack)
		ml_distance_close(l->stack);
	ml_free(l->lines);
	ml_free(l->found);
	ml_free(l->touched);
	ml_free(l->addr);
	ml_free(l->instance);
	ml_free(l->of);
	ml_free(l->distance);
	ml_free(l->access);
	ml_flow_walk_release(&l->walk);
}

static int by_first(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

size_t ml_locality_distances(const struct ml_locality_container *c, uint64_t (**pair)[2])
{
	const struct ml_map_cell *cell;
	size_t n = 0;

	*pair = ml_resize(NULL, (c->far.count + ML_LOCALITY_NEAR) * sizeof(**pair));
	for (size_t i = 0; c->near && i < ML_LOCALITY_NEAR; i++)
		if (c->near[i]) {
			(*pair)[n][0] = i;
			(*pair)[n++][1] = c->near[i];
		}
	for (size_t at = 0; (cell = ml_map_next(&c->far, &at));) {
		(*pair)[n][0] = cell->key;
		(*pair)[n++][1] = cell->value;
	}
	qsort(*pair, n, sizeof(**pair), by_first);
	return n;
}
