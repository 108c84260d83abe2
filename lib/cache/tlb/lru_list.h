/*
 * A set with many ways in order of recency, as a fully associative TLB is: a list of the
 * lines in that order, and a hash table that finds a line in it. A row (lean_lru.c) is
 * better for few ways.
 *
 * Nearly all uses hit. So a use of a list that is not too long only notes its time, and
 * a way goes to its place when it is the oldest of the list: the list is in the order of
 * the times `queued`, and a way whose last use is later than that is not the oldest. This
 * takes half of the time that moving ways at each use takes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"

enum {
	ML_LRU_LIST_WAYS = 1 << 15, /* at most so many ways */
	ML_LRU_LIST_LAZY = 256,     /* with more ways, uses move them at once */
};

struct ml_lru_list {
	uint32_t ways, used;
	bool lazy;
	uint64_t now; /* uses and fills so far */
	struct ml_lru_list_way {
		uint64_t line;
		uint64_t last, queued; /* times: of its last use; of its place */
		uint16_t newer, older; /* ways; 0 stands for the ends */
		uint16_t chain;        /* the next way of the same bucket; 0: none */
	} * at;           /* [ways + 1]; the first is no way, its line is no line */
	uint16_t *bucket; /* the first way by hash of the line; 0: none */
	unsigned shift;   /* 64 - log2 of the buckets */
};

struct ml_lru_list *ml_lru_list_make(uint32_t ways, struct ml_arena *a);

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

/* Moves a way to its place by its last use. */
static inline void ml_lru_list_requeue(struct ml_lru_list *l, uint16_t way)
{
	uint64_t last = l->at[way].last;
	uint16_t newer;

	ml_lru_list_take(l, way);
	l->at[way].queued = last;
	if (last > l->at[l->at[0].older].queued) {
		ml_lru_list_put_first(l, way);
		return;
	}
	for (newer = l->at[0].newer; l->at[newer].queued < last;)
		newer = l->at[newer].newer;
	uint16_t older = l->at[newer].older;
	l->at[way].newer = newer;
	l->at[way].older = older;
	l->at[newer].older = way;
	l->at[older].newer = way;
}

/* Moves all ways to their places: the list is in order of recency then. */
static inline void ml_lru_list_settle(struct ml_lru_list *l)
{
	for (uint32_t way = 1; way <= l->used; way++)
		if (l->at[way].last != l->at[way].queued)
			ml_lru_list_requeue(l, (uint16_t)way);
}

/* The way used least recently. */
static inline uint16_t ml_lru_list_oldest(struct ml_lru_list *l)
{
	uint16_t way = l->at[0].newer;

	while (l->at[way].last != l->at[way].queued) {
		ml_lru_list_requeue(l, way);
		way = l->at[0].newer;
	}
	return way;
}

/* Uses a line if it is there: it is the newest then. */
static inline bool ml_lru_list_use(struct ml_lru_list *l, uint64_t line)
{
	uint16_t way = *ml_lru_list_bucket(l, line);

	while (l->at[way].line != line && way)
		way = l->at[way].chain;
	if (!way)
		return false;
	l->at[way].last = ++l->now;
	if (l->lazy)
		return true;
	l->at[way].queued = l->now;
	ml_lru_list_take(l, way);
	ml_lru_list_put_first(l, way);
	return true;
}

/* Brings in a line that is not there. Returns whether the oldest line had to leave. */
static inline bool ml_lru_list_fill(struct ml_lru_list *l, uint64_t line)
{
	bool full = l->used == l->ways;
	uint16_t way = full ? ml_lru_list_oldest(l) : (uint16_t)++l->used;
	uint16_t *bucket = ml_lru_list_bucket(l, line);

	if (full) {
		ml_lru_list_take(l, way);
		ml_lru_list_unhash(l, way);
	}
	l->at[way].line = line;
	l->at[way].chain = *bucket;
	l->at[way].last = l->at[way].queued = ++l->now;
	*bucket = way;
	ml_lru_list_put_first(l, way);
	return full;
}
