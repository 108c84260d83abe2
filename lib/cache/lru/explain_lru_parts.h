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
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/event_sums.h"
#include "lib/cache/lru/explain_lru_cache.h"
#include "lib/cache/lru/explain_lru_events.h"
#include "lib/cache/lru/first_shadow.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/lru/line_book.h"
#include "lib/cache/lru/line_records.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"
#include "lib/cache/lru/shadow.h"

struct ml_prefetch;
struct ml_sim;
struct ml_tlb_lru;

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

static inline uint64_t explain_bytes(const struct ml_explain_lru *x, uint64_t addr,
				     uint64_t size)
{
	uint64_t offset = addr & x->within;
	unsigned first = (unsigned)(offset >> x->granule);
	unsigned last = (unsigned)((offset + size - 1) >> x->granule);

	return UINT64_MAX >> (63 - (last - first)) << first;
}

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
