/*
 * Links by rows of bits: one bit for each pair of points. For complexes in which a good
 * share of all pairs are edges.
 */
#include "lib/analyse/cycles/rips_parts.h"

void rips_bits_begin(struct rips_walk *w)
{
	size_t points = w->r->edges->points;

	w->words = (points + 63) / 64;
	size_t row = w->words * sizeof(uint64_t) + sizeof(uint64_t);

	w->rows = ml_arena_alloc(&w->arena, points * row);
	w->nonzero = ml_arena_alloc(&w->arena, points * row);
	w->todo = ml_arena_alloc(&w->arena, row);
	w->front = ml_arena_alloc(&w->arena, row);
}

static void set_bit(uint64_t *rows, size_t words, uint32_t x, uint32_t y)
{
	rows[x * words + y / 64] |= (uint64_t)1 << (y & 63);
	rows[y * words + x / 64] |= (uint64_t)1 << (x & 63);
}

static void set_edge(struct rips_walk *w, uint32_t u, uint32_t v, uint32_t node)
{
	set_bit(w->rows, w->words, u, v);
	if (!node)
		return;
	set_bit(w->nonzero, w->words, u, v);
	rips_set_leaf(w->r, u, v, node);
}

/* Zero, unless the bit says that it may be something else. */
static uint32_t leaf(const struct rips_walk *w, uint32_t x, uint32_t y)
{
	if (!(w->nonzero[x * w->words + y / 64] >> (y & 63) & 1))
		return 0;
	return x > y ? ml_rips_leaf(w->r, x, y) : ml_rips_leaf(w->r, y, x);
}

static struct rips_detour detour(const struct rips_walk *w, uint32_t u, uint32_t v,
				 uint32_t x)
{
	return rips_detour_of(u, v, x, leaf(w, x, u), leaf(w, x, v));
}

/*
 * Moves the points that hang together with x out of w->todo. A point that all others are
 * joined to, which is usual, is found by the first step; w->todo is then empty.
 */
static bool remove_component(struct rips_walk *w, uint32_t x, size_t low, size_t high)
{
	uint64_t *todo = w->todo, *front = w->front, left = 0;
	const uint64_t *row = w->rows + x * w->words;

	todo[x / 64] &= ~((uint64_t)1 << (x & 63));
	for (size_t i = low; i < high; i++) {
		front[i] = todo[i] & row[i];
		todo[i] &= ~row[i];
		left |= todo[i];
	}
	for (size_t i = low; i < high && left;) {
		if (!front[i]) {
			i++;
			continue;
		}
		uint32_t y = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(front[i]);
		uint64_t found = 0;
		size_t first = i;

		front[i] &= front[i] - 1;
		row = w->rows + y * w->words;
		left = 0;
		for (size_t k = low; k < high; k++) {
			uint64_t reached = todo[k] & row[k];

			todo[k] &= ~reached;
			front[k] |= reached;
			left |= todo[k];
			if (reached && !found) {
				found = 1;
				first = k < first ? k : first;
			}
		}
		i = first;
	}
	return left != 0;
}

static uint32_t first_point(const uint64_t *row, size_t low, size_t high)
{
	for (size_t i = low; i < high; i++)
		if (row[i])
			return (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(row[i]);
	return RIPS_NONE;
}

/* A common neighbour over which the detour is zero for certain, else any. */
static uint32_t cheap_point(const struct rips_walk *w, uint32_t u, uint32_t v, size_t low,
			    size_t high)
{
	const uint64_t *nu = w->nonzero + u * w->words, *nv = w->nonzero + v * w->words;

	for (size_t i = low; i < high; i++) {
		uint64_t zero = w->todo[i] & ~nu[i] & ~nv[i];

		if (zero)
			return (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(zero);
	}
	return first_point(w->todo, low, high);
}

static void insert(struct rips_walk *w, uint32_t u, uint32_t v)
{
	const uint64_t *ru = w->rows + u * w->words, *rv = w->rows + v * w->words;
	size_t low = 0, high = w->words;
	uint64_t any = 0;

	for (size_t i = 0; i < w->words; i++) {
		w->todo[i] = ru[i] & rv[i];
		any |= w->todo[i];
	}
	if (!any) {
		set_edge(w, u, v, rips_first_edge(w, u, v));
		return;
	}
	while (!w->todo[low])
		low++;
	while (!w->todo[high - 1])
		high--;

	uint32_t x = cheap_point(w, u, v, low, high), start = w->apex;
	uint32_t node = rips_node(w, detour(w, u, v, x));

	if (start / 64 < low || start / 64 >= high ||
	    !(w->todo[start / 64] >> (start & 63) & 1))
		start = x;
	bool more = remove_component(w, start, low, high);

	w->apex = start;
	set_edge(w, u, v, node);
	/* the component of x may be another than the one that was removed */
	if (more && start != x)
		rips_relate(w, detour(w, u, v, start), node);
	while (more) {
		x = cheap_point(w, u, v, low, high);
		more = remove_component(w, x, low, high);
		rips_relate(w, detour(w, u, v, x), node);
	}
}

void rips_bits_run(struct rips_walk *w, uint32_t u, const uint32_t *ends, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		insert(w, u, ends[i]);
}
