/*
 * The pass that fills a profile, while it runs: shared by profile.c (references)
 * and profile_lines.c (misses, lines that leave, lines that bounce).
 */
#pragma once

#include "lib/analyse/cells.h"
#include "lib/analyse/profile.h"
#include "lib/analyse/replay.h"
#include "lib/base/map.h"

enum {
	ML_PROFILE_BINS = 4096,
	ML_PROFILE_BIN = 256, /* references of a bin at first */
	ML_PROFILE_LASTS = 4, /* threads whose last address a cell remembers */
	ML_PROFILE_BOUNCES = 1 << 16,
};

/* Where a thread's last reference of a cell went. */
struct ml_profile_last {
	uint64_t addr;
	uint32_t epoch; /* of the profiler: a gap begins a new one */
	uint16_t thread;
};

/*
 * Cells are 64-byte aligned (cells.h), and what nearly every reference touches, a hit
 * in the first level, stands in their first 64 bytes: a program has thousands of them,
 * and they compete for the cache of the machine that we run on.
 */
struct ml_profile_work {
	struct ml_cell who;
	uint32_t strides;
	uint64_t bytes;
	uint64_t count[ML_SERVED - 1][4]; /* by serving level - 1, and by kind */
	uint64_t steps; /* from here on only where strides and causes are counted */
	struct ml_profile_last last[ML_PROFILE_LASTS]; /* by thread modulo their number */
	/*
	 * Space-saving (Metwally et al. 2005): a step that is not among these takes the
	 * place and the count of the rarest; `over` is what it inherited, so that count -
	 * over is how often it has come at least.
	 */
	struct ml_profile_stride stride[ML_STRIDES];
	uint64_t over[ML_STRIDES];
	uint64_t cause[ML_LEVELS][ML_CAUSES];
};

struct ml_profiler {
	struct ml_profile *p;
	bool started, full; /* full: strides and causes too, where something is wanted */
	struct ml_cells cells;
	uint32_t epoch;       /* from 1 */
	size_t segment;       /* of the reference before */
	uint32_t *thread_row; /* row + 1 by thread */
	uint64_t end;         /* position at which the last bin ends */

	struct ml_map use_row;                 /* level and region -> row */
	struct ml_map pair_row[ML_LEVELS + 1]; /* loser and winner -> row */
	struct ml_map bounce_row;              /* line, hashed with the cores -> row */
	uint32_t unit[ML_LEVELS + 1];          /* bytes of a bit of ml_leave */
	struct ml_arena arena;
};

/* Before anything is counted; misses come before the batch they belong to. */
void ml_profile_start(struct ml_profiler *x, const struct ml_replay *r);
void ml_profile_miss(void *arg, const struct ml_events *e, const struct ml_miss *m);
void ml_profile_leave(void *arg, const struct ml_events *e, const struct ml_leave *l);
void ml_profile_bounced(void *arg, const struct ml_events *e, const struct ml_bounce *b);
void ml_profile_lines_end(struct ml_profiler *x);
