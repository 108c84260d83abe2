/*
 * Replays a trace through a machine. The replay decodes ahead on other threads, finds the
 * region of each reference, simulates, and hands batches with their outcomes to passes. A
 * pass sees batches and events; it never sees files. Passes may run on other threads
 * than the one that called ml_replay_run, and so may parts of the simulator. All calls of
 * a pass come from one thread at a time, in order. All passes that observe single events
 * run together; they are the first stage. All others of one stage run together. A piece
 * of the trace goes through the stages one after the other, and stages with different
 * pieces run at the same time.
 *
 * Threads become cores in the order of their numbers (thread_cores.h). If the machine has
 * several cores and the trace is a recording of ours, references of different threads
 * are interleaved (interleave.h). The simulated order is
 * then a permutation of the trace within blocks: positions count in the simulated order,
 * and batches carry the recorded time of each reference.
 * Held by tests/analyse/test_replay.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/passes/replay_options.h"
#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/observer.h"
#include "lib/trace/ref.h"

struct ml_buf;
struct ml_charge;
struct ml_event_sums;
struct ml_gap;
struct ml_interleaved;
struct ml_replay;
struct ml_region_lookup;
struct ml_trace;

struct ml_events {
	struct ml_replay *replay;
	uint64_t position; /* position of the first reference, in simulated order */
	const struct ml_batch *refs; /* refs->time is the time of the first reference if
					`time` is NULL */
	const uint64_t *time; /* of each reference if they are interleaved, else NULL */
	/* the block in which they were merged (interleave.h); NULL: they are as recorded */
	const struct ml_interleaved *merged;
	const uint32_t *cell; /* cells of the region lookup */
	size_t cells;         /* cells that there are by now */
	/* regions of these cells; NULL if all passes set no_region, and none hears of
	 * bounces */
	const uint32_t *region;
	const uint64_t *block,
		*offset; /* with places, as in struct ml_place; else NULL */
	void *along;     /* memory that the piece carries from pass to pass; NULL: none */
	const uint16_t *core;    /* NULL: all 0 */
	const uint16_t *outcome; /* access.h; without ML_SIM_CAUSES the causes are 0 */
	const struct ml_charge *charges; /* of passes with `charges`; surcharge.h */
	size_t charge_count;
};

/*
 * A pass: functions and their argument. Each function may be NULL. miss and leave need
 * an option (want). miss, leave, bounce and page are called before the batch
 * that they belong to, with indices into it.
 */
struct ml_pass {
	void *arg;
	bool (*batch)(void *arg, const struct ml_events *e, struct ml_err *err);
	void (*miss)(void *arg, const struct ml_events *e, const struct ml_miss *m);
	void (*leave)(void *arg, const struct ml_events *e, const struct ml_leave *l);
	void (*bounce)(void *arg, const struct ml_events *e, const struct ml_bounce *b);
	void (*page)(void *arg, const struct ml_events *e, const struct ml_page *p);
	/*
	 * If not NULL, the replay opens these sums, and a simulator that can adds misses
	 * and leaving lines to them instead of calling miss and leave. A pass that
	 * hands its events on to another pass opens the sums of that pass itself.
	 */
	struct ml_event_sums *sums;
	void (*gap)(void *arg,
		    const struct ml_gap *gap); /* before the batch that follows the gap */
	/*
	 * The position from which on `batch` will call ml_replay_save. NULL: it never
	 * does. Asked before the run, and after each batch that ends there or later.
	 */
	uint64_t (*saves)(void *arg);
	unsigned stage;    /* of passes that do not observe single events, from 0 */
	bool no_region;    /* batch uses cells and no regions */
	bool needs_lookup; /* batch calls the region lookup */
	bool charges; /* batch wants charges; needs an option that makes ml_sim run */
};

bool ml_replay_open(struct ml_replay **r, struct ml_trace *t,
		    const struct ml_replay_options *o, struct ml_err *err);
/*
 * Runs to the end (or `to`), then reports all lines that are still cached (ml_engine_flush).
 */
bool ml_replay_run(struct ml_replay *r, const struct ml_pass *passes, size_t count,
		   struct ml_err *err);
/* The same over batches that are decoded already: those of the window, in order. */
bool ml_replay_run_batches(struct ml_replay *r, const struct ml_pass *passes,
			   size_t count, const struct ml_batch *batches,
			   size_t batch_count, struct ml_err *err);
void ml_replay_close(struct ml_replay *r);

/* For passes, and after the run. */
const struct ml_machine *ml_replay_machine(const struct ml_replay *r);
struct ml_trace *ml_replay_trace(const struct ml_replay *r);
struct ml_region_lookup *ml_replay_lookup(const struct ml_replay *r);
/* Counters of a level (0: L1i), of the simulator that ran. */
void ml_replay_counts(const struct ml_replay *r, unsigned level,
		      struct ml_level_counts *c);
void ml_replay_tlb_counts(const struct ml_replay *r, unsigned tlb,
			  struct ml_level_counts *c);
/* The state after the last batch, as ml_engine_save. */
void ml_replay_save(const struct ml_replay *r, struct ml_buf *out);
uint64_t ml_replay_interleave(const struct ml_replay *r); /* 0: as recorded */
unsigned ml_replay_want(const struct ml_replay *r);
/* The window as times, with the end of the trace filled in. */
uint64_t ml_replay_from(const struct ml_replay *r);
uint64_t ml_replay_to(const struct ml_replay *r);
