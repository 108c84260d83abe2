/* The first level of the simulator for plain machines (chain_lru_parts.h). */
#pragma once

#include <stdint.h>

#include "lib/base/arena.h"

enum { CHAIN_FIRST_LANES = 8 };

struct chain_use {
	uint64_t read, written; /* use masks; the line is dirty if it was written */
};

/* Ghosts of the first level, in buckets of eight. A slot is free if its time is dead. */
struct chain_ghosts {
	uint64_t *lines; /* [buckets][8]: line + 1; 0: none */
	uint32_t *times; /* [buckets][8] */
	uint32_t mask;   /* buckets - 1 */
	struct ml_arena arena;
};

/* The first level, as the first stage sees it. */
struct chain_first {
	uint32_t sets, ways, mask;
	uint64_t *lines; /* [sets][8]: line + 1, 0 is empty */
	uint32_t *times; /* [sets][8] */
	struct chain_use *uses;
	uint8_t *live;         /* by time */
	uint32_t room;         /* times that fit */
	uint32_t begin, clock; /* times of the shadow: from begin to clock */
	uint32_t held, listed; /* lines of the shadow: at most, and now */
	struct chain_ghosts ghosts;
	uint64_t asked[3]; /* requests, by kind */
};

static inline uint32_t chain_ghost_bucket(const struct chain_ghosts *g, uint64_t line)
{
	return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 40) & g->mask;
}

/* Times of the first level run out: numbers them anew. */
void ml_chain_first_renumber(struct chain_first *f);
/* A bucket of the ghosts is full: twice as many buckets, at least. */
void ml_chain_ghosts_widen(struct chain_first *f);
