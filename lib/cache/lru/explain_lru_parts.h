/*
 * The inside of the LRU simulator that explains, which explain_lru.c and the loops of
 * each instruction set share.
 *
 * The simulator has two halves, which may run on two threads. The front simulates the
 * inner levels: where lines are, and which bytes of them are used. It writes what happens
 * there as a list of events. The back reads the list in order. It finds the causes of
 * misses and the evictors of lines, adds up all events, and simulates the outer levels.
 * A level is an outer one if no level within can notice what happens there: it and all
 * levels behind it are neither inclusive nor exclusive and have no prefetcher.
 *
 * The back knows all events of a run ahead of time, so it fetches what they need into the
 * host's caches early. Large simulated caches do not fit into those of the host.
 *
 * A set has `lanes` places, of which the first `ways` are ways; the others fill vectors.
 * Depth is the distance from the core, as in sim_data.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/lru/chain_lru_parts.h"
#include "lib/cache/lru/event_sums.h"
#include "lib/cache/lru/first_shadow.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/lru/line_book.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"
#include "lib/cache/lru/shadow.h"

struct ml_prefetch;
struct ml_sim;
struct ml_tlb_lru;

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

/*
 * Something that happened in the inner levels. It has up to two parts: a request for a
 * line, and then a line that leaves a cache.
 */
struct explain_event {
	uint64_t line;          /* that is requested */
	uint64_t read, written; /* use masks of the leaving line */
	uint32_t number;        /* of the requested line */
	uint32_t left;          /* number of the leaving line */
	uint32_t owner;         /* of the leaving line */
	uint32_t access;        /* index in the run */
	uint8_t request;        /* 0: no request, else flags */
	uint8_t leave;          /* 0: no line leaves, else flags */
	uint8_t depth;          /* depth that had the requested line; or x->inner */
	uint8_t level;          /* that the leaving line leaves */
};

/* flags of a request */
enum {
	EXPLAIN_REQUEST = 1,
	EXPLAIN_DEMAND = 2,
	EXPLAIN_HELD = 4,  /* the shadow of the first level held the line */
	EXPLAIN_FETCH = 8, /* the first level is L1i */
	EXPLAIN_KIND = 16, /* the kind of the access, times this */
};

/* flags of a leaving line */
enum {
	EXPLAIN_LEAVE = 1,
	EXPLAIN_EVICTED = 2,     /* by the owner of the access */
	EXPLAIN_TO_OUTER = 4,    /* no inner level has a copy that takes its use masks */
	EXPLAIN_WRITES_BACK = 8, /* to outer levels */
	EXPLAIN_DIRTY = 16,
	EXPLAIN_PREFETCHED = 32,
	EXPLAIN_WRITE_FIRST = 64,
};

/* The events of a run. Zero bytes are an empty list. */
struct ml_explain_events {
	struct explain_event *at;
	size_t count, cap;
	struct chain_events chain; /* of plain machines, instead */
	uint16_t *outcome;         /* where the caller wants none */
	size_t outcome_cap;
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

struct explain_prefetch { /* a line that a prefetcher wants */
	struct explain_cache *into;
	uint64_t line;
};

struct ml_explain_lru {
	const struct explain_lru_ops *ops;
	/* simulates plain machines of which nobody observes single events; or NULL, and
	 * then all that follows is in use */
	struct ml_chain_lru *chain;
	bool ready;                /* the choice is made, and caches are there */
	struct ml_machine machine; /* as the caller gave it */
	unsigned levels, inner;    /* levels, and how many of them the front simulates */
	unsigned bits;             /* log2 of the line size */
	uint64_t within;           /* mask of the offset in a line */
	unsigned granule;          /* log2 of the bytes of a bit in a use mask */
	struct explain_cache cache[ML_LEVELS], icache;
	bool split;
	char apart_1[EXPLAIN_APART];

	/* of the front */
	struct ml_level_counts counts[ML_LEVELS + 1];
	struct ml_line_book book;
	uint64_t accesses; /* before the current run */
	bool prefetches;   /* a level has a prefetcher */
	bool strides;      /* ...and the first level has one that sees hits too */
	bool far;          /* the last run often missed all inner levels but one */
	struct explain_prefetch *queue;
	size_t queued, queue_cap;
	char apart_2[EXPLAIN_APART];

	/* of the back */
	struct ml_level_counts back_counts[ML_LEVELS + 1];
	struct ml_line_records records, fetch_records;
	uint64_t *page_of; /* as in the book: of lines that were requested */
	size_t page_cap;
	struct ml_observer observer;
	struct ml_event_sums *sums; /* or NULL */
	uint64_t back_accesses;     /* before the current run */
	bool gap;
	bool back_far;           /* the last run often reached a level of many lines */
	struct ml_tlb_lru *tlbs; /* or NULL */

	struct ml_sim *mirror; /* saves states */
	bool hurried;          /* struct ml_engine_job */
	struct ml_arena arena;
};

struct explain_lru_ops {
	const struct chain_lru_ops *chain;
	void (*front)(struct ml_explain_lru *x, const struct ml_accesses *a,
		      struct ml_explain_events *events);
	void (*back)(struct ml_explain_lru *x, const struct ml_accesses *a,
		     const struct ml_explain_events *events, uint16_t *outcome);
};

extern const struct explain_lru_ops ml_explain_lru_ops_plain, ml_explain_lru_ops_avx2,
	ml_explain_lru_ops_avx512;

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

/* The line at a place, while no half runs. */
static inline uint64_t explain_line(const struct ml_explain_lru *x,
				    const struct explain_cache *c, size_t at)
{
	return c->depth == EXPLAIN_FIRST
		       ? c->lines[at] - 1
		       : ml_line_book_line(&x->book, c->notes[at].number);
}

/* The same as ml_line_book_line, for the back. */
static inline uint64_t explain_line_of(const struct ml_explain_lru *x, uint32_t number)
{
	return x->page_of[number >> ML_LINE_PAGE_BITS] << ML_LINE_PAGE_BITS |
	       (number & (ML_LINE_PAGE - 1));
}

/* Makes room in page_of and in the records of data for this number. */
void ml_explain_lru_reach(struct ml_explain_lru *x, uint32_t number);
