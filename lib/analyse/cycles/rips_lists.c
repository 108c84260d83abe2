/*
 * Links by lists of neighbours, for complexes in which few pairs of points are edges. The
 * edges of one level from one point u come together; while they are inserted, nothing
 * changes among the neighbours of u. So these get numbers of their own, and rows of bits
 * over these numbers, made when first asked for, serve all edges of the run.
 */
#include "lib/analyse/cycles/rips_parts.h"

#include <string.h>

void rips_lists_begin(struct rips_walk *w)
{
	size_t points = (size_t)w->r->edges->points + 1;

	w->lists = ml_arena_alloc(&w->arena, points * sizeof(*w->lists));
	w->number = ml_arena_alloc(&w->arena, points * sizeof(*w->number));
}

void rips_lists_end(struct rips_walk *w)
{
	for (size_t i = 0; i < w->r->edges->points; i++)
		ml_free(w->lists[i].at);
	ml_free(w->near);
	ml_free(w->rows);
	ml_free(w->nonzero);
	ml_free(w->todo);
	ml_free(w->has_row);
}

static void add_neighbour(struct rips_list *l, uint32_t point, uint32_t node)
{
	if (l->count == l->cap) {
		l->cap = l->cap ? l->cap + l->cap / 2 : 8;
		l->at = ml_resize(l->at, l->cap * sizeof(*l->at));
	}
	l->at[l->count++] = (struct rips_neighbour){ .point = point & INT32_MAX,
						     .nonzero = node != 0 };
}

static void set_bit(uint64_t *row, uint32_t i)
{
	row[i / 64] |= (uint64_t)1 << (i & 63);
}

/* Row of the i-th near point: which near points are its neighbours. */
static const uint64_t *row_of(struct rips_walk *w, uint32_t i)
{
	uint64_t *row = w->rows + i * w->words, *nonzero = w->nonzero + i * w->words;

	if (w->has_row[i])
		return row;
	const struct rips_list *l = &w->lists[w->near[i]];

	memset(row, 0, w->words * sizeof(*row));
	memset(nonzero, 0, w->words * sizeof(*nonzero));
	/* points that are not near have the number 0, whose bit is cleared behind: a
	 * branch here would be missed half of the time */
	for (size_t k = 0; k < l->count; k++) {
		uint32_t number = w->number[l->at[k].point];

		row[number / 64] |= (uint64_t)1 << (number & 63);
		nonzero[number / 64] |= (uint64_t)l->at[k].nonzero << (number & 63);
	}
	row[0] &= ~(uint64_t)1;
	nonzero[0] &= ~(uint64_t)1;
	w->has_row[i] = true;
	return row;
}

static uint32_t leaf(const struct rips_walk *w, uint32_t x, uint32_t y)
{
	return x > y ? ml_rips_leaf(w->r, x, y) : ml_rips_leaf(w->r, y, x);
}

static struct rips_detour detour(const struct rips_walk *w, uint32_t u, uint32_t v,
				 uint32_t i)
{
	uint32_t x = w->near[i];

	return rips_detour_of(u, v, x, leaf(w, x, u), leaf(w, x, v));
}

/* Takes the near points that hang together with the i-th off w->todo; returns whether
 * some are left. */
static bool remove_component(struct rips_walk *w, uint32_t i)
{
	uint64_t *todo = w->todo, *front = w->front, left = 0;
	const uint64_t *row = row_of(w, i);

	todo[i / 64] &= ~((uint64_t)1 << (i & 63));
	for (size_t k = 0; k < w->words; k++) {
		front[k] = todo[k] & row[k];
		todo[k] &= ~row[k];
		left |= todo[k];
	}
	for (size_t at = 0; at < w->words && left;) {
		if (!front[at]) {
			at++;
			continue;
		}
		uint32_t next = (uint32_t)(at * 64) +
				(uint32_t)__builtin_ctzll(front[at]);
		size_t lowest = at;

		front[at] &= front[at] - 1;
		row = row_of(w, next);
		left = 0;
		for (size_t k = w->words; k-- > 0;) {
			uint64_t reached = todo[k] & row[k];

			todo[k] &= ~reached;
			front[k] |= reached;
			left |= todo[k];
			lowest = reached && k < lowest ? k : lowest;
		}
		at = lowest;
	}
	return left != 0;
}

/* A near point in w->todo over which the detour is zero for certain, else any. */
static uint32_t cheap_point(const struct rips_walk *w, const uint64_t *nonzero)
{
	uint32_t any = RIPS_NONE;

	for (size_t k = 0; k < w->words; k++) {
		uint64_t zero = w->todo[k] & ~nonzero[k] & ~w->nonzero_to_u[k];

		if (zero)
			return (uint32_t)(k * 64) + (uint32_t)__builtin_ctzll(zero);
		if (any == RIPS_NONE && w->todo[k])
			any = (uint32_t)(k * 64) + (uint32_t)__builtin_ctzll(w->todo[k]);
	}
	return any;
}

static bool is_in(const uint64_t *row, uint32_t i)
{
	return row[i / 64] >> (i & 63) & 1;
}

static void set_edge(struct rips_walk *w, uint32_t u, uint32_t v, uint32_t i,
		     uint32_t node)
{
	add_neighbour(&w->lists[u], v, node);
	add_neighbour(&w->lists[v], u, node);
	set_bit(w->joined_to_u, i);
	if (node)
		set_bit(w->nonzero_to_u, i);
	rips_set_leaf(w->r, u, v, node);
}

/* v is the i-th near point. */
static void insert(struct rips_walk *w, uint32_t u, uint32_t v, uint32_t i)
{
	const uint64_t *row = row_of(w, i), *nonzero = w->nonzero + i * w->words;
	uint64_t any = 0;

	for (size_t k = 0; k < w->words; k++) {
		w->todo[k] = row[k] & w->joined_to_u[k];
		any |= w->todo[k];
	}
	if (!any) {
		set_edge(w, u, v, i, rips_first_edge(w, u, v));
		return;
	}
	uint32_t x = cheap_point(w, nonzero), start = w->apex;
	/* zero for certain, without a look */
	bool zero = !is_in(nonzero, x) && !is_in(w->nonzero_to_u, x);
	uint32_t node = zero ? 0 : rips_node(w, detour(w, u, v, x));

	if (start > w->near_count || !is_in(w->todo, start))
		start = x;
	w->apex = start;
	bool more = remove_component(w, start);

	set_edge(w, u, v, i, node);
	/* the component of x may be another than the one that was removed */
	if (more && start != x)
		rips_relate(w, detour(w, u, v, start), node);
	while (more) {
		x = cheap_point(w, nonzero);
		more = remove_component(w, x);
		rips_relate(w, detour(w, u, v, x), node);
	}
}

/* Numbers the neighbours of u, those that it has and those that it gets. */
static void begin_run(struct rips_walk *w, uint32_t u, const uint32_t *ends,
		      uint32_t count)
{
	const struct rips_list *l = &w->lists[u];
	size_t n = l->count + count; /* numbered from 1 */

	w->near_count = (uint32_t)n;
	w->words = n / 64 + 1;
	if (n >= w->near_cap) {
		size_t cap = n + n / 2 + 1, words = cap / 64 + 1, row = words * 8;

		w->near_cap = cap;
		w->near = ml_resize(w->near, cap * sizeof(*w->near));
		w->has_row = ml_resize(w->has_row, cap);
		w->rows = ml_resize(w->rows, cap * row);
		w->nonzero = ml_resize(w->nonzero, cap * row);
		w->todo = ml_resize(w->todo, 4 * row);
		w->front = w->todo + words;
		w->joined_to_u = w->front + words;
		w->nonzero_to_u = w->joined_to_u + words;
	}
	memset(w->has_row, 0, n + 1);
	memset(w->joined_to_u, 0, w->words * sizeof(*w->joined_to_u));
	memset(w->nonzero_to_u, 0, w->words * sizeof(*w->nonzero_to_u));
	for (uint32_t i = 1; i <= n; i++) {
		bool old = i <= l->count;

		w->near[i] = old ? l->at[i - 1].point : ends[i - 1 - l->count];
		w->number[w->near[i]] = i;
		if (old)
			set_bit(w->joined_to_u, i);
		if (old && l->at[i - 1].nonzero)
			set_bit(w->nonzero_to_u, i);
	}
	w->apex = 0;
}

void rips_lists_run(struct rips_walk *w, uint32_t u, const uint32_t *ends, uint32_t count)
{
	uint32_t first = (uint32_t)w->lists[u].count + 1;

	begin_run(w, u, ends, count);
	for (uint32_t i = 0; i < count; i++)
		insert(w, u, ends[i], first + i);
	for (uint32_t i = 1; i <= w->near_count; i++)
		w->number[w->near[i]] = 0;
}
