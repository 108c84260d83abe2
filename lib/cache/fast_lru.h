/*
 * The quick simulator: one core, LRU everywhere, write-back and write-allocate, one
 * line size, neither inclusive nor exclusive, no prefetching, no TLB; counters and
 * the serving level of each access. That is what most people simulate most of the
 * time, and here a set is an array in order of recency, so that a SIMD comparison
 * finds a line and a SIMD shuffle moves it to the front. The instructions are chosen
 * when the program starts (AVX-512, AVX2, NEON, or plain C).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/access.h"
#include "lib/cache/machine.h"
#include "lib/cache/sim.h"

struct ml_quick;

/* NULL, or why this machine needs ml_sim ("L2 is not lru"). */
const char *ml_quick_refuses(const struct ml_machine *m);

enum ml_quick_how {
	ML_QUICK_BEST,
	ML_QUICK_PLAIN,
	ML_QUICK_AVX2,
	ML_QUICK_AVX512,
	ML_QUICK_NEON
};
bool ml_quick_has(enum ml_quick_how how); /* this processor can */

/* m is one that is not refused; how is one that it has. */
struct ml_quick *ml_quick_open(const struct ml_machine *m, enum ml_quick_how how);
void ml_quick_close(struct ml_quick *q);
/* served, if not NULL, receives the serving level of each access (1..levels + 1). */
void ml_quick_run(struct ml_quick *q, const struct ml_accesses *a, uint8_t *served);
/* asked, missed, fills, evictions and write_backs; the rest is 0. */
void ml_quick_counts(const struct ml_quick *q, unsigned level, struct ml_level_counts *c);
/* As ml_sim_save: ml_sim_restore of the same machine goes on from there. */
void ml_quick_save(const struct ml_quick *q, struct ml_buf *out);
