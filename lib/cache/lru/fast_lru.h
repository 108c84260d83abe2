/*
 * The fast LRU simulator, for one core, LRU in all levels, write-back and write-allocate,
 * one line size, neither inclusive nor exclusive, no prefetching, no TLB. It yields
 * counters and the serving level of each access. Most simulations are of such machines. A
 * set is an array in order of recency, so that a SIMD comparison finds a line and a SIMD
 * shuffle moves it to the front. The instructions are chosen when the program starts
 * (AVX-512, AVX2, NEON, or plain C).
 * Held by tests/cache/test_fast_lru.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine/access.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/exact/sim.h"

struct ml_fast_lru;

/* NULL, or the reason why this machine needs ml_sim ("L2 is not lru"). */
const char *ml_fast_lru_refuses(const struct ml_machine *m);

enum ml_fast_lru_how {
	ML_FAST_LRU_BEST,
	ML_FAST_LRU_PLAIN,
	ML_FAST_LRU_AVX2,
	ML_FAST_LRU_AVX512,
	ML_FAST_LRU_NEON
};
bool ml_fast_lru_has(enum ml_fast_lru_how how); /* this processor has the instructions */

/* The machine is not refused, and the processor has `how`. */
struct ml_fast_lru *ml_fast_lru_open(const struct ml_machine *m,
				     enum ml_fast_lru_how how);
void ml_fast_lru_close(struct ml_fast_lru *q);
/* served, unless NULL, receives the serving level of each access (1..levels + 1). */
void ml_fast_lru_run(struct ml_fast_lru *q, const struct ml_accesses *a, uint8_t *served);
/* Sets asked, missed, fills, evictions, write_backs and past_bytes; the rest is 0. */
void ml_fast_lru_counts(const struct ml_fast_lru *q, unsigned level,
			struct ml_level_counts *c);
/*
 * The same bytes as ml_sim_save: ml_sim_restore of the same machine continues from them.
 */
void ml_fast_lru_save(const struct ml_fast_lru *q, struct ml_buf *out);
