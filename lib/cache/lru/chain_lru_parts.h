/*
 * The inside of the simulator for plain machines (chain_lru.h), which chain_lru.c and the
 * loops of each instruction set share.
 *
 * A set has `lanes` places, of which the first `ways` are ways. The time of a line is
 * both its order in the set and its place in the shadow of the level: a fully associative
 * LRU cache that sees the same requests, to tell the causes of misses. The shadow holds
 * the lines whose last request has a time from `begin` on. `live` tells which times are
 * the last request for a line, so the oldest line of the shadow is the first live time.
 * A line that is in the shadow but not in the cache is a ghost: the first level keeps the
 * times of ghosts in a table, other levels keep them in the records of lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/lru/chain_lru_events.h"
#include "lib/cache/lru/chain_lru_first.h"
#include "lib/cache/machine/event_sums.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/lru/line_book.h"
#include "lib/cache/lru/line_records.h"
#include "lib/cache/machine/machine.h"

enum {
	CHAIN_LANES = 16, /* the most lanes of the other levels */
	/* bytes between data of different stages, so that no line of the host's caches
	 * goes from core to core and back */
	CHAIN_APART = 128,
};

/* What the second stage knows of a line in the first level. */
struct chain_held {
	uint64_t since : 63; /* the access that filled the line */
	uint64_t write_first : 1;
	uint32_t owner, number;
};

/* What another level knows of a line that it holds. */
struct chain_place {
	struct chain_use use;
	struct chain_held held;
};

/* A level behind the first one. */
struct chain_level {
	unsigned level; /* from 1 */
	bool large;     /* what is known of its lines does not fit a host's L1 */
	uint32_t sets, ways, lanes, mask;
	uint32_t *rows; /* [sets][2][lanes]: numbers of lines, 0 is empty; times */
	struct chain_place *places;
	/*
	 * By place of the level within: the place of its line here. While the level
	 * within holds a line, no request for it comes here. So the line is at this
	 * place, or this level has dropped it.
	 */
	uint32_t *copies;
	struct ml_line_records records; /* time and evictor of lines that have left */
	uint32_t greatest;              /* number of a line that was requested */
	uint64_t *live;                 /* a ring of bits, by time */
	struct ml_arena live_arena;     /* owns it */
	uint32_t room;                  /* bits in it, a power of two */
	uint32_t begin, clock, limit;   /* times stay below the limit */
	uint32_t held, listed;
	struct ml_level_counts counts;
	char apart[CHAIN_APART];
};

struct ml_chain_lru {
	const struct chain_lru_ops *ops;
	const struct ml_machine *machine;
	unsigned levels, bits; /* log2 of the line size */
	char apart_1[CHAIN_APART];
	struct chain_first first; /* of the first stage */
	uint64_t accesses;        /* so far */
	char apart_2[CHAIN_APART];
	/* of the second stage */
	struct chain_held *held;              /* [sets][8] of the first level */
	struct ml_line_records first_records; /* evictors of lines that left it */
	struct ml_level_counts counts;        /* of the first level, without `asked` */
	struct ml_line_book book;
	char apart_3[CHAIN_APART];
	/* from 1 on: those behind the first, of a stage each */
	struct chain_level level[ML_LEVELS];
	bool gap;
	struct ml_event_sums *sums;
	struct ml_arena arena;
};

struct chain_lru_ops {
	void (*front)(struct chain_first *f, unsigned bits, const struct ml_accesses *a,
		      struct chain_list *out);
	/* Finds the causes of the misses of the first level, and numbers for lines. */
	void (*explain)(struct ml_chain_lru *x, const struct ml_accesses *a,
			struct chain_events *events, uint16_t *outcome);
	/* Takes the events that the level within has left. */
	void (*level)(struct ml_chain_lru *x, struct chain_level *c,
		      const struct ml_accesses *a, struct chain_events *events,
		      uint16_t *outcome);
};

extern const struct chain_lru_ops ml_chain_lru_ops_plain, ml_chain_lru_ops_avx2,
	ml_chain_lru_ops_avx512;

static inline uint32_t *chain_numbers(const struct chain_level *c, uint32_t set)
{
	return c->rows + (size_t)set * 2 * c->lanes;
}

static inline uint32_t *chain_times(const struct chain_level *c, uint32_t set)
{
	return chain_numbers(c, set) + c->lanes;
}

/*
 * Evictors are stored plus 1, so that a line without a stored evictor has never left the
 * level. The owner may be ML_NO_OWNER.
 */
#define CHAIN_NEVER UINT32_MAX

static inline uint32_t chain_evictor(const struct ml_line_records *r,
				     const uint8_t *record)
{
	return ml_line_evictor(r, record, 0);
}

static inline void chain_set_evictor(const struct ml_line_records *r, uint8_t *record,
				     uint32_t owner)
{
	ml_line_set_evictor(r, record, 0, owner + 1);
}

/* The ring of live times is full, or times run out: numbers them anew. */
void ml_chain_level_renumber(struct chain_level *c);
