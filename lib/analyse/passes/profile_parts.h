/*
 * The pass that fills a profile, while it runs: shared by profile_pass.c (references),
 * profile_lines.c (misses, lines that leave, lines that bounce) and profile_keep.c (the
 * end).
 */
#pragma once

#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/map.h"
#include "lib/cache/machine/event_sums.h"
#include "lib/trace/trace.h"

enum {
	ML_PROFILE_BINS = 4096,
	ML_PROFILE_BIN = 256, /* references of a bin at first */
	ML_PROFILE_LASTS = 4, /* threads whose last address a cell remembers */
	ML_PROFILE_BOUNCES = 1 << 16,
	ML_PROFILE_PLANES = ML_SERVED * 4, /* serving level * 4 + kind */
	ML_PROFILE_HELD = (1 << 24) - 1,
};

/* The sum of `what` of ML_PROFILE_HELD references stays below ML_PROFILE_ONE. */
#define ML_PROFILE_ONE ((uint64_t)1 << 40)

/* The last reference of a thread in a cell. */
struct ml_profile_last {
	uint64_t addr;
	uint32_t epoch; /* epoch of the profiler; a gap begins a new one */
	uint16_t thread;
};

/* References of a cell. */
struct ml_profile_sum {
	uint64_t bytes, served[ML_SERVED], kind[4], fetched;
};

/*
 * What nearly every reference of a cell needs, in 32 bytes: its last reference, and its
 * most frequent stride. Both are copies of what `last` and `stride` below have, and
 * newer.
 */
struct ml_profile_step {
	struct ml_profile_last last;
	struct ml_profile_stride stride;
};

/* Strides and causes of a cell. */
struct ml_profile_work {
	uint64_t firsts; /* references that make no step, as none came before */
	uint32_t strides;
	/* by thread modulo ML_PROFILE_LASTS */
	struct ml_profile_last last[ML_PROFILE_LASTS];
	/*
	 * The most frequent strides by Space-saving (Metwally et al. 2005): a stride that
	 * is not in the list takes the place and the count of the rarest one. `over` is
	 * the count that it inherited, so count - over is a lower bound.
	 */
	struct ml_profile_stride stride[ML_STRIDES];
	uint64_t over[ML_STRIDES];
	uint64_t cause[ML_LEVELS][ML_CAUSES];
};

struct ml_profiler {
	struct ml_profile *p;
	bool started, full; /* full: count strides and causes too, if any option is set */
	/*
	 * References and their bytes, by serving level and kind (a plane) and by cell, in
	 * one number: each reference adds ML_PROFILE_ONE plus its `what`. So a reference
	 * is one addition. Nearly all references of a cell are of one plane, so each of
	 * the thousands of cells in use takes 8 bytes of the host's cache.
	 */
	uint64_t *plane[ML_PROFILE_PLANES];
	size_t plane_cap[ML_PROFILE_PLANES];
	size_t cells, kinds; /* cells and kinds that the planes have room for */
	uint64_t held;       /* references in the planes, at most ML_PROFILE_HELD */
	uint64_t max;        /* ML_PROFILE_HELD, or less in tests */
	/* by cell: references that are no longer in the planes */
	struct ml_profile_sum *sums;
	struct ml_profile_step *steps; /* by cell; if full */
	struct ml_profile_work *work;  /* the same */
	size_t sum_cap, step_cap, work_cap;
	struct ml_surcharge *surcharges; /* by cell, without fetches */
	size_t surcharge_cap;
	bool fetches;          /* the batch has some */
	uint8_t key[ML_BATCH]; /* planes of the references of a batch */
	uint32_t epoch;        /* from 1 */
	size_t segment;        /* segment of the previous reference */
	uint32_t *thread_row;  /* row + 1 by thread */
	uint64_t end;          /* position at which the last bin ends */

	struct ml_event_sums line_sums; /* misses and leaving lines */
	struct ml_map bounce_row;       /* row of a line, hashed with the cores */
	struct ml_arena arena;
};

/*
 * To be called before anything is counted, as misses come before the batch they belong
 * to.
 */
void ml_profile_start(struct ml_profiler *x, const struct ml_replay *r);
void ml_profile_miss(void *arg, const struct ml_events *e, const struct ml_miss *m);
void ml_profile_leave(void *arg, const struct ml_events *e, const struct ml_leave *l);
void ml_profile_bounced(void *arg, const struct ml_events *e, const struct ml_bounce *b);
void ml_profile_lines_end(struct ml_profiler *x);
/* Adds up what the planes hold of a cell, and empties them. */
void ml_profile_take(struct ml_profiler *x, size_t cell, struct ml_profile_sum *sum);
