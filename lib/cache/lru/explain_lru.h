/*
 * The LRU simulator that explains: besides the serving level of each access it yields the
 * causes of misses and the used bytes of lines, several times as fast as sim.h. It takes
 * machines with one core, LRU, write-back and write-allocate in all levels and one line
 * size; levels may be inclusive or exclusive, have prefetchers and a split first level,
 * and there may be lru TLBs. Both simulators agree in outcomes, counters, events and
 * saved states; tests/cache/test_explain_lru.c compares them.
 *
 * sim.h keeps what it knows of a line in many arrays, and asks a shadow cache about each
 * hit. Here a set is two rows, numbers of lines and times, that vector instructions
 * search; the time of a line is its order in the set and its place in the shadow too
 * (first_shadow.h, shadow.h); and all that is kept of lines outside the caches is a
 * packed record (line_book.h).
 * Held by tests/cache/test_explain_lru.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"

struct ml_buf;
struct ml_event_sums;
struct ml_explain_events;
struct ml_explain_lru;

/* NULL, or the reason why this machine needs ml_sim ("L2 is not lru"). */
const char *ml_explain_lru_refuses(const struct ml_machine *m);

enum ml_explain_lru_how {
	ML_EXPLAIN_LRU_BEST,
	ML_EXPLAIN_LRU_PLAIN,
	ML_EXPLAIN_LRU_AVX2,
	ML_EXPLAIN_LRU_AVX512,
};
bool ml_explain_lru_has(enum ml_explain_lru_how how); /* on this processor */

/*
 * The machine is not refused, or has several cores of which only the first makes
 * accesses and is not refused with one core.
 */
struct ml_explain_lru *ml_explain_lru_open(const struct ml_machine *m,
					   enum ml_explain_lru_how how,
					   struct ml_err *err);
void ml_explain_lru_close(struct ml_explain_lru *x);
/*
 * Called at most once, before the first run. Misses and leaving lines are added to sums,
 * too, unless that is NULL. Plain machines are simulated faster if only sums want them
 * (chain_lru.h).
 */
void ml_explain_lru_observe(struct ml_explain_lru *x, const struct ml_observer *o,
			    struct ml_event_sums *sums);

/* As the functions of ml_sim, opened with ML_SIM_CAUSES and ML_SIM_USE. */
void ml_explain_lru_run(struct ml_explain_lru *x, const struct ml_accesses *a,
			uint16_t *outcome);
/*
 * The same in stages, from 0, which may run on different threads: each stage for each run
 * of accesses in order, after the stage before it. The other functions need all stages at
 * the same run. Pages (TLBs) are apart, because they do not depend on the caches.
 */
struct ml_explain_events *ml_explain_events_open(void);
void ml_explain_events_close(struct ml_explain_events *e);
unsigned ml_explain_lru_stages(struct ml_explain_lru *x); /* at most ML_LEVELS + 1 */
void ml_explain_lru_stage(struct ml_explain_lru *x, unsigned stage,
			  const struct ml_accesses *a, struct ml_explain_events *events,
			  uint16_t *outcome);
void ml_explain_lru_pages(struct ml_explain_lru *x, const struct ml_accesses *a);
void ml_explain_lru_gap(struct ml_explain_lru *x);
void ml_explain_lru_flush(struct ml_explain_lru *x);
/* Valid until the next call. */
const struct ml_level_counts *ml_explain_lru_counts(struct ml_explain_lru *x,
						    unsigned level);
const struct ml_level_counts *ml_explain_lru_tlb_counts(const struct ml_explain_lru *x,
							unsigned tlb);
void ml_explain_lru_save(struct ml_explain_lru *x, struct ml_buf *out);
