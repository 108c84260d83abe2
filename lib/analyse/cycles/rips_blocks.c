/*
 * Links by rows of bits of which only the words that are not 0 are kept, for complexes in
 * which few pairs of points are edges. Windows that are near each other have numbers near
 * each other, so a word holds some five neighbours. The edges of one level from one point
 * u come together; while they are inserted, the row of u is spread out.
 */
#include "lib/analyse/cycles/rips_parts.h"

#include <string.h>

enum {
	SHORT = 8,    /* a row so many times shorter than another is looked up in it */
	FEW = 4,      /* words of w->todo, up to which its points are asked one by one */
	AHEAD = 3,    /* edges that are fetched into the cache before they are inserted */
	FETCHED = 16, /* blocks of each */
	LINE = 64,    /* bytes of the cache */
};

void rips_blocks_begin(struct rips_walk *w)
{
	size_t points = (size_t)w->r->edges->points + 1, words = points / 64 + 1;

	w->sparse = ml_arena_alloc(&w->arena, points * sizeof(*w->sparse));
	w->joined_to_u = ml_arena_alloc(&w->arena, words * sizeof(*w->joined_to_u));
	w->nonzero_to_u = ml_arena_alloc(&w->arena, words * sizeof(*w->nonzero_to_u));
	w->nonzero_to_v = ml_arena_alloc(&w->arena, words * sizeof(*w->nonzero_to_v));
	w->todo = ml_arena_alloc(&w->arena, words * sizeof(*w->todo));
	w->front = ml_arena_alloc(&w->arena, words * sizeof(*w->front));
	w->used = ml_arena_alloc(&w->arena, words * sizeof(*w->used));
	w->apex = RIPS_NONE;
}

void rips_blocks_end(struct rips_walk *w)
{
	for (size_t i = 0; i < w->r->edges->points; i++)
		ml_free(w->sparse[i].at);
}

/* The first block at or behind a word. */
static size_t block_at(const struct rips_row *r, uint32_t word)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->at[middle].word < word)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t bit_of(uint32_t point)
{
	return (uint64_t)1 << (point & 63);
}

static void add_neighbour(struct rips_row *r, uint32_t point, uint32_t node)
{
	uint32_t word = point / 64;
	size_t i = r->count && r->at[r->count - 1].word < word ? r->count
							       : block_at(r, word);

	if (i == r->count || r->at[i].word != word) {
		if (r->count == r->cap) {
			r->cap = r->cap ? r->cap + r->cap / 2 : 2;
			r->at = ml_resize(r->at, r->cap * sizeof(*r->at));
		}
		memmove(r->at + i + 1, r->at + i, (r->count - i) * sizeof(*r->at));
		r->at[i] = (struct rips_block){ .word = word };
		r->count++;
	}
	r->at[i].bits |= bit_of(point);
	if (node)
		r->at[i].nonzero |= bit_of(point);
}

static void set_edge(struct rips_walk *w, uint32_t u, uint32_t v, uint32_t node)
{
	add_neighbour(&w->sparse[u], v, node);
	add_neighbour(&w->sparse[v], u, node);
	w->joined_to_u[v / 64] |= bit_of(v);
	if (!node)
		return;
	w->nonzero_to_u[v / 64] |= bit_of(v);
	rips_set_leaf(w->r, u, v, node);
}

static void find_common(struct rips_walk *w, const struct rips_block *b)
{
	uint64_t common = b->bits & w->joined_to_u[b->word];

	if (!common)
		return;
	w->todo[b->word] = common;
	w->nonzero_to_v[b->word] = b->nonzero;
	w->used[w->used_count++] = b->word;
}

/* The common neighbours of u and v into w->todo, and their words into w->used. */
static void begin_link(struct rips_walk *w, uint32_t u, uint32_t v)
{
	const struct rips_row *near_u = &w->sparse[u], *near_v = &w->sparse[v];

	w->used_count = 0;
	if (near_u->count * SHORT >= near_v->count) {
		for (size_t i = 0; i < near_v->count; i++)
			find_common(w, &near_v->at[i]);
		w->left = w->used_count;
		return;
	}
	for (size_t i = 0; i < near_u->count; i++) {
		size_t k = block_at(near_v, near_u->at[i].word);

		if (k < near_v->count && near_v->at[k].word == near_u->at[i].word)
			find_common(w, &near_v->at[k]);
	}
	w->left = w->used_count;
}

/* Zero, unless the bit of x says that it may be something else. */
static uint32_t leaf(const struct rips_walk *w, const uint64_t *nonzero, uint32_t x,
		     uint32_t y)
{
	if (!(nonzero[x / 64] & bit_of(x)))
		return 0;
	return x > y ? ml_rips_leaf(w->r, x, y) : ml_rips_leaf(w->r, y, x);
}

static struct rips_detour detour(const struct rips_walk *w, uint32_t u, uint32_t v,
				 uint32_t x)
{
	return rips_detour_of(u, v, x, leaf(w, w->nonzero_to_u, x, u),
			      leaf(w, w->nonzero_to_v, x, v));
}

static void reach(struct rips_walk *w, const struct rips_block *b)
{
	uint64_t reached = w->todo[b->word] & b->bits;

	if (!reached)
		return;
	w->todo[b->word] &= ~reached;
	w->left -= !w->todo[b->word];
	w->front[b->word] |= reached;
}

/* Moves the neighbours of x from w->todo to w->front. */
static void reach_from(struct rips_walk *w, uint32_t x)
{
	const struct rips_row *r = &w->sparse[x];

	for (size_t i = 0; i < r->count; i++)
		reach(w, &r->at[i]);
}

static void move_to_front(struct rips_walk *w, uint32_t x)
{
	w->todo[x / 64] &= ~bit_of(x);
	w->left -= !w->todo[x / 64];
	w->front[x / 64] |= bit_of(x);
}

static bool joined_to_front(const struct rips_walk *w, uint32_t x)
{
	const struct rips_row *r = &w->sparse[x];

	for (size_t i = 0; i < r->count; i++)
		if (w->front[r->at[i].word] & r->at[i].bits)
			return true;
	return false;
}

/*
 * Moves the points of a word of w->todo to w->front that are joined to one there. While
 * there are many others, the neighbours of such a point go with it.
 */
static bool join_word(struct rips_walk *w, uint32_t word)
{
	bool some = false;

	for (uint64_t rest = w->todo[word]; rest;
	     rest &= rest - 1, rest &= w->todo[word]) {
		uint32_t x = word * 64 + (uint32_t)__builtin_ctzll(rest);

		if (!joined_to_front(w, x))
			continue;
		move_to_front(w, x);
		some = true;
		if (w->left > FEW)
			reach_from(w, x);
	}
	return some;
}

/*
 * Takes the points that hang together with x off w->todo; returns whether some are left.
 * Most points are joined to x. Each other one is asked whether it is joined to one that
 * was reached, which it usually is, and finds soon.
 */
static bool remove_component(struct rips_walk *w, uint32_t x)
{
	move_to_front(w, x);
	reach_from(w, x);
	for (bool some = true; some && w->left;) {
		some = false;
		for (size_t i = 0; i < w->used_count && w->left; i++)
			some |= join_word(w, w->used[i]);
	}
	for (size_t i = 0; i < w->used_count; i++)
		w->front[w->used[i]] = 0;
	return w->left != 0;
}

/* A point in w->todo over which the detour is zero for certain, else any. */
static uint32_t cheap_point(const struct rips_walk *w)
{
	uint32_t any = RIPS_NONE;

	for (size_t i = 0; i < w->used_count; i++) {
		uint32_t k = w->used[i];
		uint64_t zero = w->todo[k] & ~w->nonzero_to_v[k] & ~w->nonzero_to_u[k];

		if (zero)
			return k * 64 + (uint32_t)__builtin_ctzll(zero);
		if (any == RIPS_NONE && w->todo[k])
			any = k * 64 + (uint32_t)__builtin_ctzll(w->todo[k]);
	}
	return any;
}

/* Whether a point is in w->todo, of which only the words in use are valid. */
static bool is_common(const struct rips_walk *w, uint32_t x)
{
	return x != RIPS_NONE && w->todo[x / 64] & bit_of(x);
}

static void insert(struct rips_walk *w, uint32_t u, uint32_t v)
{
	begin_link(w, u, v);
	if (!w->used_count) {
		set_edge(w, u, v, rips_first_edge(w, u, v));
		return;
	}
	uint32_t x = cheap_point(w), start = is_common(w, w->apex) ? w->apex : x;
	uint32_t node = rips_node(w, detour(w, u, v, x));
	bool more = remove_component(w, start);

	w->apex = start;
	/* the component of x may be another than the one that was removed */
	if (more && start != x)
		rips_relate(w, detour(w, u, v, start), node);
	while (more) {
		x = cheap_point(w);
		more = remove_component(w, x);
		rips_relate(w, detour(w, u, v, x), node);
	}
	set_edge(w, u, v, node);
}

static void spread(struct rips_walk *w, uint32_t u)
{
	const struct rips_row *r = &w->sparse[u];

	for (size_t i = 0; i < r->count; i++) {
		w->joined_to_u[r->at[i].word] = r->at[i].bits;
		w->nonzero_to_u[r->at[i].word] = r->at[i].nonzero;
	}
}

static void clear(struct rips_walk *w, uint32_t u)
{
	const struct rips_row *r = &w->sparse[u];

	for (size_t i = 0; i < r->count; i++)
		w->joined_to_u[r->at[i].word] = w->nonzero_to_u[r->at[i].word] = 0;
}

/* Both are seldom in the cache, and insert() waits for them. */
static void fetch(const struct rips_walk *w, uint32_t u, uint32_t v)
{
	const struct rips_row *r = &w->sparse[v];

	for (size_t i = 0; i < r->count && i < FETCHED; i += LINE / sizeof(*r->at) + 1)
		__builtin_prefetch(&r->at[i]);
	rips_fetch_leaf(w->r, u, v);
}

void rips_blocks_run(struct rips_walk *w, uint32_t u, const uint32_t *ends,
		     uint32_t count)
{
	spread(w, u);
	for (uint32_t i = 0; i < count; i++) {
		if (i + 2 * AHEAD < count)
			__builtin_prefetch(&w->sparse[ends[i + 2 * AHEAD]]);
		if (i + AHEAD < count)
			fetch(w, u, ends[i + AHEAD]);
		insert(w, u, ends[i]);
	}
	clear(w, u);
}
