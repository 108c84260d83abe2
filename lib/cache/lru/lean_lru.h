/*
 * The LRU simulator that counts without explaining: counters and the serving level of
 * each access, for machines of any number of cores (LRU, write-back and write-allocate in
 * all levels, one line size; inclusive and exclusive levels, prefetchers, a split first
 * level, TLBs). fast_lru.h is faster still, but takes only machines without all these
 * parts. It agrees with sim.h; tests/cache/test_lean_lru.c compares them.
 *
 * A set is a row of keys in order of recency. A key has the line and two bits: dirty, and
 * brought in ahead of any demand. With several cores, a table has for each line the cores
 * that may hold it, and only their caches are looked into.
 * Held by tests/cache/test_lean_lru.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine/access.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"

struct ml_lean_lru;

/* NULL, or the reason why this machine needs ml_sim ("a level is not lru"). */
const char *ml_lean_lru_refuses(const struct ml_machine *m);

enum ml_lean_lru_how { ML_LEAN_LRU_BEST, ML_LEAN_LRU_PLAIN, ML_LEAN_LRU_AVX2 };
bool ml_lean_lru_has(enum ml_lean_lru_how how); /* on this processor */

/* The machine is not refused, and the processor has `how`. */
struct ml_lean_lru *ml_lean_lru_open(const struct ml_machine *m,
				     enum ml_lean_lru_how how);
void ml_lean_lru_close(struct ml_lean_lru *x);
/* The observer hears of pages and bounces only. */
void ml_lean_lru_observe(struct ml_lean_lru *x, const struct ml_observer *o);
/* served, unless NULL, receives the serving level of each access (1..levels + 1). */
void ml_lean_lru_run(struct ml_lean_lru *x, const struct ml_accesses *a, uint8_t *served);
/* The counters that ml_sim has without options; level 0 is L1i. */
const struct ml_level_counts *ml_lean_lru_counts(const struct ml_lean_lru *x,
						 unsigned level);
const struct ml_level_counts *ml_lean_lru_tlb_counts(const struct ml_lean_lru *x,
						     unsigned tlb);
