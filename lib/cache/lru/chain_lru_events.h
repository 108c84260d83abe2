/*
 * The lists of events that the levels of plain machines leave for each other
 * (chain_lru_parts.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/machine/access.h"

/*
 * What happened in a level: a request that it missed, and the line that left the place
 * where the requested line is now. A stray is the second half alone: a line that left a
 * level further within and had no copy in this one.
 */
struct chain_event {
	uint64_t line;          /* requested; of a stray: the line itself */
	uint64_t read, written; /* use masks of the line that left */
	uint32_t number;        /* of the requested line */
	uint32_t left;          /* number of the line that left; 0: none did */
	uint32_t access;        /* index in the run */
	uint32_t at;            /* place in the level */
	uint16_t outcome;       /* causes so far */
	uint8_t kind;           /* of the access */
	uint8_t flags;
};

enum {
	CHAIN_HELD = 1,   /* the shadow of the first level held the line */
	CHAIN_LEAVES = 2, /* a line leaves the first level; its number is not yet known */
	CHAIN_STRAY = 4,
};

/* Zero bytes are an empty list. */
struct chain_list {
	struct chain_event *at;
	size_t count, cap;
	uint32_t greatest; /* number of a line that was requested */
};

/* The lists that levels leave for the next ones, for one run of accesses. */
struct chain_events {
	uint64_t start; /* accesses before the run */
	struct chain_list list[ML_LEVELS];
};

static inline void chain_reserve(struct chain_list *l, size_t more)
{
	if (l->cap - l->count < more)
		l->at = ml_grow(l->at, &l->cap, l->count + more, sizeof(*l->at));
}
