/*
 * A set with many ways in order of recency, as a fully associative TLB is: a list of the
 * lines in that order, and a hash table that finds a line in it. A row (lean_lru.h) is
 * better for few ways.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"

enum { ML_LRU_LIST_WAYS = 1 << 15 }; /* at most so many ways */

struct ml_lru_list {
	uint32_t ways, used;
	struct ml_lru_list_way {
		uint64_t line;
		uint16_t newer, older; /* ways; 0 stands for the ends */
		uint16_t chain;        /* the next way of the same bucket; 0: none */
	} * at;                        /* [ways + 1]; the first is no way */
	uint16_t *bucket;              /* the first way by hash of the line; 0: none */
	unsigned shift;                /* 64 - log2 of the buckets */
};

static inline struct ml_lru_list *ml_lru_list_make(uint32_t ways, struct ml_arena *a)
{
	struct ml_lru_list *l = ml_arena_alloc(a, sizeof(*l));

	l->ways = ways;
	for (l->shift = 63; (uint64_t)1 << (64 - l->shift) < 4 * (uint64_t)ways;)
		l->shift--;
	l->bucket = ml_arena_alloc(a, sizeof(*l->bucket) << (64 - l->shift));
	l->at = ml_arena_alloc(a, (ways + 1) * sizeof(*l->at));
	return l;
}

static inline uint16_t *ml_lru_list_bucket(struct ml_lru_list *l, uint64_t line)
{
	return &l->bucket[line * 0x9e3779b97f4a7c15u >> l->shift];
}

static inline void ml_lru_list_take(struct ml_lru_list *l, uint16_t way)
{
	const struct ml_lru_list_way *w = &l->at[way];

	l->at[w->newer].older = w->older;
	l->at[w->older].newer = w->newer;
}

/* The end of the list has the newest way as its `older`, and the oldest as its `newer`.
 */
static inline void ml_lru_list_put_first(struct ml_lru_list *l, uint16_t way)
{
	uint16_t second = l->at[0].older;

	l->at[way].newer = 0;
	l->at[way].older = second;
	l->at[second].newer = way;
	l->at[0].older = way;
}

static inline void ml_lru_list_unhash(struct ml_lru_list *l, uint16_t way)
{
	uint16_t *link = ml_lru_list_bucket(l, l->at[way].line);

	while (*link != way)
		link = &l->at[*link].chain;
	*link = l->at[way].chain;
}

/* Uses a line if it is there: it is the newest then. */
static inline bool ml_lru_list_use(struct ml_lru_list *l, uint64_t line)
{
	uint16_t way = *ml_lru_list_bucket(l, line);

	while (way && l->at[way].line != line)
		way = l->at[way].chain;
	if (way && l->at[0].older != way) {
		ml_lru_list_take(l, way);
		ml_lru_list_put_first(l, way);
	}
	return way;
}

/* Brings in a line that is not there. Returns whether the oldest line had to leave. */
static inline bool ml_lru_list_fill(struct ml_lru_list *l, uint64_t line)
{
	bool full = l->used == l->ways;
	uint16_t way = full ? l->at[0].newer : (uint16_t)++l->used;
	uint16_t *bucket = ml_lru_list_bucket(l, line);

	if (full) {
		ml_lru_list_take(l, way);
		ml_lru_list_unhash(l, way);
	}
	l->at[way].line = line;
	l->at[way].chain = *bucket;
	*bucket = way;
	ml_lru_list_put_first(l, way);
	return full;
}
