/*
 * The inside of a simulator: its caches, and the requests that they serve. sim.c asks for
 * lines, motion.h moves them, coherence.h keeps the caches of several cores coherent.
 *
 * Depth is the distance from the core: 0 is L1 or L1i, `levels` is memory. The number of
 * a level is its depth + 1, and 0 for L1i.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/exact/holders.h"
#include "lib/cache/exact/level_parts.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/exact/miss_cause.h"
#include "lib/cache/machine/observer.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/exact/sharing.h"

#define ML_BODY static inline __attribute__((always_inline))

struct ml_sim_prefetch { /* a line that a prefetcher wants */
	struct ml_cache *into;
	uint64_t line;
};

/* The book that caches of the same cores share if their lines have the same size. */
struct ml_sim_book {
	struct ml_sim_book *next;
	unsigned bits;
	uint32_t share, instance;
	struct ml_book book;
};

struct ml_sim_hints {
	struct ml_hints from;
	const uint64_t *next;
	size_t left;
};

struct ml_sim {
	struct ml_machine machine;
	unsigned want;
	struct ml_arena arena;
	unsigned cores, levels;
	struct ml_cache *icaches; /* by instance; NULL if the machine is not split */
	struct ml_cache *caches[ML_LEVELS]; /* by depth; by instance */
	struct ml_cache *tlbs[ML_TLBS];
	uint64_t *last_page; /* by core: the page translated last, + 1; 0: unknown */
	bool same_page;      /* a second use of that page changes no TLB */
	/*
	 * By core: the caches that it asks in turn, by depth; for data, and for fetches.
	 */
	struct ml_cache *(*paths)[2][ML_LEVELS];
	struct ml_level_counts counts[ML_LEVELS + 1], tlb_counts[ML_TLBS];
	struct ml_sim_hints hints[ML_LEVELS + 1]; /* by level */
	struct ml_observer observer;
	uint64_t accesses; /* before the current run */
	bool gap; /* there was a gap: the first request for a line is no proof of a cold
		     miss */
	bool forgot;   /* the same, because a state was restored */
	bool fast;     /* a hit in the first level has no effect beyond that level */
	bool plain;    /* the simple case: no options; one core, write-back and
			write-allocate, neither inclusive nor exclusive, one line size; no
			prefetchers, no opt or pes */
	bool misses;   /* the last run often missed the second level too */
	bool inform;   /* a line that leaves passes its use mask or its first use to the
			copy outwards */
	bool coherent; /* some caches belong to some cores only... */
	unsigned unit_bits;        /* ...and this is log2 of the largest of their lines */
	struct ml_holders holders; /* by unit, if coherent */
	struct ml_sim_book *books; /* with ML_SIM_CAUSES */
	struct ml_sharing sharing; /* with ML_SIM_CAUSES */
	struct ml_move *moves;
	size_t move_count, move_cap;
	struct ml_sim_prefetch *prefetches;
	size_t prefetch_count, prefetch_cap;
	struct ml_err *err; /* of the current run */
	bool failed;
};

/* A request for bytes of one line of the first level. */
struct ml_request {
	struct ml_cache *const *path;
	uint64_t addr, size; /* the bytes that are wanted */
	uint32_t access, site, owner;
	unsigned core;
	enum ml_access_kind kind;
	bool demand;               /* false: a prefetcher asks */
	bool first;                /* this is the first line of its access */
	bool missed;               /* the first cache is already known to miss */
	uint64_t hint[ML_LEVELS];  /* by depth, for opt and pes */
	uint32_t entry[ML_LEVELS]; /* by depth: number in the book; 0: not looked up */
};

/* The data that comes with a line into a cache. */
struct ml_cargo {
	unsigned from; /* level */
	uint64_t hint;
	uint32_t entry;
	bool dirty, prefetched, write_first;
	uint32_t owner;
	uint64_t read, written;
};

static inline unsigned ml_cache_depth(const struct ml_cache *c)
{
	return c->level ? c->level - 1 : 0;
}

static inline unsigned ml_cache_core(const struct ml_cache *c)
{
	return c->instance * c->spec->share;
}

static inline struct ml_cache *ml_sim_cache(const struct ml_sim *s, unsigned core,
					    unsigned depth)
{
	return s->paths[core][0][depth];
}

struct ml_sim_place {
	struct ml_cache *cache;
	size_t at;
};

/* Appends a movement to the list. */
static inline struct ml_move *ml_motion_next(struct ml_sim *s)
{
	if (s->move_count == s->move_cap)
		s->moves = ml_grow(s->moves, &s->move_cap, s->move_count + 1,
				   sizeof(*s->moves));
	return &s->moves[s->move_count++];
}

/* The cause of a miss, by what the LRU cache beside a cache says. */
static inline enum ml_cause ml_sim_cause(const struct ml_sim *s,
					 enum ml_miss_cause_answer answer)
{
	switch (answer) {
	case ML_MISS_CAUSE_NEW:
		return s->gap || s->forgot ? ML_CAUSE_UNKNOWN : ML_CAUSE_COLD;
	case ML_MISS_CAUSE_HAS: return ML_CAUSE_CONFLICT;
	case ML_MISS_CAUSE_LOST: break;
	}
	return ML_CAUSE_CAPACITY;
}
