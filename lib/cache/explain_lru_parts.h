/*
 * The inside of the LRU simulator that explains, which explain_lru.c and the loops of
 * each instruction set share.
 *
 * A set has `lanes` places, of which the first `ways` are ways; the others fill vectors.
 * Depth is the distance from the core, as in sim_data.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/access.h"
#include "lib/cache/event_sums.h"
#include "lib/cache/first_shadow.h"
#include "lib/cache/level_counts.h"
#include "lib/cache/line_book.h"
#include "lib/cache/machine.h"
#include "lib/cache/observer.h"
#include "lib/cache/shadow.h"

struct ml_prefetch;
struct ml_sim;
struct ml_tlb_lru;

enum {
	EXPLAIN_LANES = 32, /* the most ways of a set */
	EXPLAIN_FIRST = 0,  /* depth of the first level */
	EXPLAIN_NOWHERE = -1,
};

#define EXPLAIN_NO_NUMBER (UINT32_MAX - 1) /* no row has it */

/* What a cache knows of a line that it holds. The line is dirty if `written` is not 0. */
struct explain_note {
	uint64_t read, written; /* use masks */
	uint64_t since : 62;    /* the access that filled the line */
	uint64_t write_first : 1, prefetched : 1;
	uint32_t owner, number; /* number of the line in the book */
};

struct explain_cache {
	const struct ml_level_spec *spec;
	struct ml_level_counts *counts;
	unsigned level, depth; /* level 0 is L1i */
	uint32_t sets, ways, lanes;
	uint32_t mask; /* sets - 1 */
	bool modulo;   /* the number of sets is no power of two */
	bool inclusive, exclusive;
	uint64_t *lines; /* [sets * lanes] of a first level: line + 1, 0 is empty */
	/* [sets * lanes] in outer levels, where the set has its numbers and then its
	 * times: number of the line, 0 is empty */
	uint32_t *numbers;
	uint32_t *times; /* of a first level: [sets * lanes] */
	struct explain_note *notes;
	struct ml_first_shadow first; /* of a first level */
	struct ml_shadow shadow;      /* of the others */
	uint32_t clock;               /* of the others: the last time */
	struct ml_line_records *records;
	unsigned evictor; /* which evictor of a record is that of this cache */
	struct ml_prefetch *prefetcher;
};

struct explain_prefetch { /* a line that a prefetcher wants */
	struct explain_cache *into;
	uint64_t line;
};

struct ml_explain_lru {
	const struct explain_lru_ops *ops;
	struct ml_machine machine; /* as the caller gave it */
	unsigned levels, bits;     /* log2 of the line size */
	uint64_t within;           /* mask of the offset in a line */
	unsigned granule;          /* log2 of the bytes of a bit in a use mask */
	struct explain_cache cache[ML_LEVELS], icache;
	bool split;
	struct ml_level_counts counts[ML_LEVELS + 1];
	struct ml_line_book book;
	struct ml_line_records records, fetch_records;
	struct ml_observer observer;
	struct ml_event_sums *sums; /* or NULL */
	uint64_t accesses;          /* before the current run */
	bool gap;
	bool prefetches; /* a level has a prefetcher */
	bool strides;    /* ...and the first level has one that sees hits too */
	bool misses;     /* the last run missed often */
	struct explain_prefetch *queue;
	size_t queued, queue_cap;
	struct ml_tlb_lru *tlbs; /* or NULL */
	struct ml_sim *mirror;   /* saves states */
	struct ml_arena arena;
};

struct explain_lru_ops {
	void (*run)(struct ml_explain_lru *x, const struct ml_accesses *a,
		    uint16_t *outcome);
};

extern const struct explain_lru_ops ml_explain_lru_ops_plain, ml_explain_lru_ops_avx2,
	ml_explain_lru_ops_avx512;

static inline uint32_t explain_set(const struct explain_cache *c, uint64_t line)
{
	return (uint32_t)(c->modulo ? line % c->sets : line & c->mask);
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

static inline uint64_t explain_bytes(const struct ml_explain_lru *x, uint64_t addr,
				     uint64_t size)
{
	uint64_t offset = addr & x->within;
	unsigned first = (unsigned)(offset >> x->granule);
	unsigned last = (unsigned)((offset + size - 1) >> x->granule);

	return UINT64_MAX >> (63 - (last - first)) << first;
}

/* The times of an outer level run out: numbers them anew, set by set. */
void ml_explain_lru_renumber(struct explain_cache *c);
static inline uint64_t explain_line(const struct ml_explain_lru *x,
				    const struct explain_cache *c, size_t at)
{
	return c->depth == EXPLAIN_FIRST
		       ? c->lines[at] - 1
		       : ml_line_book_line(&x->book, c->notes[at].number);
}

/* The number of a line, which has a record then. */
static inline uint32_t explain_number(struct ml_explain_lru *x, uint64_t line)
{
	uint32_t number = ml_line_book_find(&x->book, line);

	if (number >> ML_LINE_CHUNK_BITS >= x->records.chunks)
		ml_line_records_reach(&x->records, number);
	return number;
}
