/*
 * One cache of the LRU engine that explains (explain_lru_parts.h).
 *
 * A set has `lanes` places, of which the first `ways` are ways; the others fill vectors.
 * Depth is the distance from the core, as in sim_data.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/lru/first_shadow.h"
#include "lib/cache/lru/line_records.h"
#include "lib/cache/lru/shadow.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"

struct ml_prefetch;

enum {
	EXPLAIN_LANES = 32, /* the most ways of a set */
	EXPLAIN_FIRST = 0,  /* depth of the first level */
	EXPLAIN_NOWHERE = -1,
	/* bytes between data of the front and of the back, so that no line of the host's
	 * caches goes from core to core and back */
	EXPLAIN_APART = 128,
};

#define EXPLAIN_NO_NUMBER (UINT32_MAX - 1) /* no row has it */

/*
 * What a cache knows of a line that it holds: the bytes that are used, which change with
 * every hit of a first level, and the rest. The line is dirty if `written` is not 0.
 */
struct explain_use {
	uint64_t read, written; /* use masks */
};

struct explain_note {
	uint64_t since : 63; /* the access that filled the line */
	uint64_t write_first : 1;
	uint32_t owner, number; /* number of the line in the book */
};

struct explain_cache {
	const struct ml_level_spec *spec;
	/* of the front, and of the back; together they are those of the level */
	struct ml_level_counts *counts, *back_counts;
	unsigned level, depth; /* level 0 is L1i */
	uint32_t sets, ways, lanes;
	unsigned lane_bits; /* log2 of lanes */
	uint32_t mask;      /* sets - 1 */
	bool modulo;        /* the number of sets is no power of two */
	bool inclusive, exclusive;
	uint64_t *lines; /* [sets * lanes] of a first level: line + 1, 0 is empty */
	/* [sets * lanes] in outer levels, where the set has its numbers and then its
	 * times: number of the line, 0 is empty */
	uint32_t *numbers;
	uint32_t *times; /* of a first level: [sets * lanes] */
	/* [sets]: bits of the lanes whose line a prefetcher brought and no demand has
	 * used; apart from the notes, so that hits need none of these */
	uint32_t *fresh;
	struct explain_use *uses;
	struct explain_note *notes;
	struct ml_line_records *records;
	unsigned evictor; /* which evictor of a record is that of this cache */
	struct ml_prefetch *prefetcher;
	/* what is above never changes; what is below changes with nearly every request */
	char apart_1[EXPLAIN_APART];
	struct ml_first_shadow first; /* of a first level */
	uint32_t clock;               /* of the others: the last time */
	char apart_2[EXPLAIN_APART];
	struct ml_shadow shadow; /* of the others */
	char apart_3[EXPLAIN_APART];
};

static inline uint32_t explain_set(const struct explain_cache *c, uint64_t line)
{
	return (uint32_t)(c->modulo ? line % c->sets : line & c->mask);
}

/* Lanes are 8, 16 or 32. */
static inline bool explain_is_fresh(const struct explain_cache *c, size_t at)
{
	return c->fresh[at >> c->lane_bits] >> (at & (c->lanes - 1)) & 1;
}

static inline void explain_set_fresh(struct explain_cache *c, size_t at, bool fresh)
{
	uint32_t *bits = &c->fresh[at >> c->lane_bits];
	unsigned lane = (unsigned)at & (c->lanes - 1);

	*bits = (*bits & ~(1u << lane)) | (uint32_t)fresh << lane;
}

/* The numbers of a set of an outer level, and its times. */
static inline uint32_t *explain_numbers(const struct explain_cache *c, uint32_t set)
{
	return c->numbers + (size_t)set * 2 * c->lanes;
}

static inline uint32_t *explain_times(const struct explain_cache *c, uint32_t set)
{
	return c->depth == EXPLAIN_FIRST ? c->times + (size_t)set * c->lanes
					 : explain_numbers(c, set) + c->lanes;
}

/* The times of an outer level run out: numbers them anew, set by set. */
void ml_explain_lru_renumber(struct explain_cache *c);
