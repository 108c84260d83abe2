/*
 * The counts of which a profile (profile.h) has columns: by cell, region, pair of regions,
 * set, thread, segment, bin, line that bounces, level.
 */
#pragma once

#include <stdint.h>

#include "lib/analyse/passes/surcharge.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/machine.h"

/* entries by serving level, 1 to levels + 1; entry 0 stays empty */
enum { ML_SERVED = ML_LEVELS + 2 };
enum { ML_STRIDES = 4 };

struct ml_profile_stride {
	int64_t bytes;  /* from one reference of this cell to its next one */
	uint64_t count; /* number of such steps, at least */
};

/* All references of one site on behalf of one caller to one region. */
struct ml_profile_cell {
	uint32_t site, caller, region, strides;
	uint64_t kind[3]; /* by enum ml_kind */
	uint64_t bytes;
	uint64_t served[ML_SERVED];
	uint64_t cause[ML_LEVELS][ML_CAUSES];
	struct ml_surcharge surcharge;
	uint64_t steps; /* references with an earlier reference in this cell */
	struct ml_profile_stride stride[ML_STRIDES]; /* the most frequent first */
};

/* The lines of one region in one level, and what was used of them. */
struct ml_profile_use {
	uint32_t region, level;
	uint64_t lines; /* lines that came in */
	uint64_t bytes; /* lines * line size */
	/* bytes that were read or written (used), read, written */
	uint64_t used, read, written;
	uint64_t write_first; /* lines that a write brought in... */
	uint64_t never_read;  /* ...and of which no byte was read */
	uint64_t in_vain;     /* prefetched lines that no demand used */
};

struct ml_profile_pair { /* misses of region `loser` after region `winner` evicted its
			    lines */
	uint32_t level, loser, winner, pad;
	uint64_t conflict, capacity; /* misses by cause */
};

struct ml_profile_set {
	uint64_t missed, conflict;
	uint64_t lines; /* lines that came in */
};

struct ml_profile_thread {
	uint32_t thread, core;
	uint64_t refs, served[ML_SERVED];
	struct ml_surcharge surcharge;
};

/* References from one mark (of any kind) to the next. */
struct ml_profile_segment {
	uint64_t from; /* time; the first segment starts where the window does */
	uint64_t served[ML_SERVED];
	struct ml_surcharge surcharge;
};

struct ml_profile_bin {
	uint64_t served[ML_SERVED];
};

struct ml_profile_bounce { /* a line that cores take from each other */
	uint64_t line;
	uint32_t region, from, to; /* cores */
	/* sites of the last such access on either side; 0: unknown */
	uint32_t site_from, site_to;
	uint64_t count, sharing, false_sharing;
};

/*
 * Regions that the region lookup made up (region_lookup.h: stacks, anonymous memory).
 * Their numbers follow those of the tables, in the order in which they were met. A
 * profile has them because a result that is read from a file has no region lookup.
 */
struct ml_profile_region {
	uint32_t kind; /* enum ml_region_kind */
	uint32_t func, thread;
	uint32_t name; /* its start in names */
};

struct ml_profile_level {
	struct ml_level_counts counts;
	uint64_t bytes_in, bytes_out; /* bytes over the link to the next level outwards */
	uint32_t sets, pad;
	/* [sets]; of all instances together; NULL without ML_SIM_CAUSES */
	struct ml_profile_set *set;
};
