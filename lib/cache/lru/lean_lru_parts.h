/*
 * The inside of the LRU simulator that does not explain, which lean_lru.c and the loops
 * of each instruction set share.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"
#include "lib/cache/exact/holders.h"
#include "lib/cache/exact/prefetch.h"

enum { LEAN_LANES = 8 }; /* a row has a multiple of this many places */

/* A key is line + 1, shifted by LEAN_BITS, with these bits; 0 is an empty place. */
#define LEAN_BITS  2
#define LEAN_DIRTY ((uint64_t)1)
#define LEAN_AHEAD ((uint64_t)2) /* a prefetcher brought the line; no demand yet */
#define LEAN_FLAGS (LEAN_DIRTY | LEAN_AHEAD)

struct lean_cache {
	uint64_t *rows; /* [sets * lanes] keys; a row has the line used last first */
	uint32_t sets, ways, lanes;
	uint32_t mask; /* sets - 1 */
	bool modulo;   /* the number of sets is no power of two */
	bool inclusive, exclusive;
	bool tells; /* a clean line that leaves may be the first use of a copy outwards */
	bool coherent; /* it belongs to some of the cores only */
	unsigned depth;
	uint64_t cores; /* a bit for each of its cores */
	/* by depth: the caches around it, with those within of its first core */
	struct lean_cache *const *path;
	struct lean_cache **within; /* of an inclusive cache: all caches within... */
	unsigned within_count;      /* ...core by core, the first level first */
	struct ml_level_counts *counts;
	struct ml_prefetch *prefetcher; /* or NULL */
};

struct lean_prefetch { /* a line that a prefetcher wants */
	struct lean_cache *into;
	uint64_t line;
};

struct ml_lean_lru {
	const struct lean_lru_ops *ops;
	struct ml_machine machine;
	unsigned levels, bits; /* log2 of the line size */
	uint64_t accesses;
	bool gap; /* for saved states; it tells no causes */
	bool split;
	bool strides; /* a first level has a prefetcher that sees hits, too */
	unsigned cores;
	/* by core: the caches that it asks in turn, by depth; for data, and for fetches */
	struct lean_cache *(*paths)[2][ML_LEVELS];
	uint64_t **first_rows;                /* by core: the rows of its first level */
	struct lean_cache *caches[ML_LEVELS]; /* by depth; by instance */
	struct lean_cache *icaches;           /* by instance; if split */
	struct ml_holders holders;            /* of several cores */
	struct ml_tlb_lru *tlbs;              /* or NULL */
	struct ml_level_counts counts[ML_LEVELS + 1];
	struct ml_observer observer;
	struct lean_prefetch *queue;
	size_t queued, queue_cap;
	struct ml_arena arena;
};

struct lean_lru_ops {
	/* served may be NULL */
	void (*run)(struct ml_lean_lru *x, const struct ml_accesses *a, uint16_t *served);
};

extern const struct lean_lru_ops ml_lean_lru_ops_plain, ml_lean_lru_ops_avx2;
