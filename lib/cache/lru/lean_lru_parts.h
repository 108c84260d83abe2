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
	unsigned depth;
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
	struct lean_cache cache[ML_LEVELS], icache;
	struct ml_tlb_lru *tlbs; /* or NULL */
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
