/*
 * The counts of a simulation of one trace on one machine: all that `memlamp sim` prints,
 * that findings are derived from and that `memlamp diff` compares. A profile is plain
 * arrays of plain numbers, so that a result file can store it (result.h). Names, lines
 * and functions are not here: they follow from the trace's tables.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/passes/surcharge.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/exact/sim.h"
#include "lib/trace/tables.h"

struct ml_replay;
struct ml_pass;

enum {
	ML_SERVED = ML_LEVELS + 2
}; /* entries by serving level, 1 to levels + 1; entry 0 stays empty */
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

struct ml_profile {
	struct ml_machine machine;
	unsigned want; /* options of the replay: they decide what is filled in */
	bool interleaved;
	uint64_t interleave; /* references of a thread in turn; 0: as recorded */
	uint64_t from, to;   /* the window that was simulated, as times */
	uint64_t refs, kind[3], served[ML_SERVED];
	uint64_t gaps, missing; /* gaps of the trace: their number, and references known
				   to be missing */
	struct ml_surcharge surcharge; /* of all references */
	double cycles; /* average access time by the machine's latencies, with surcharge
			*/
	struct ml_profile_level level[ML_LEVELS + 1]; /* [0] is L1i */
	struct ml_level_counts tlb[ML_TLBS];
	struct ml_profile_cell *cells;
	size_t cell_count, cell_cap;
	struct ml_profile_use *uses;
	size_t use_count, use_cap;
	struct ml_profile_pair *pairs;
	size_t pair_count, pair_cap;
	struct ml_profile_thread *threads;
	size_t thread_count, thread_cap;
	struct ml_profile_segment *segments;
	size_t segment_count, segment_cap;
	struct ml_profile_bounce *bounces;
	size_t bounce_count, bounce_cap;
	uint64_t bounces_left_out; /* bounces of lines that were too rare to be kept */
	/* number of the first one: regions.count of the tables */
	struct ml_profile_region *regions;
	size_t region_count, region_cap;
	char *names; /* names of these, each with its 0 byte */
	size_t names_size, names_cap;
	uint64_t bin; /* references a bin, by position in the simulated order */
	struct ml_profile_bin *bins;
	size_t bin_count, bin_cap;
};

/* The pass that fills a profile; closed after the run. */
struct ml_profiler;
struct ml_profiler *ml_profiler_open(struct ml_profile *p);
struct ml_pass ml_profiler_pass(struct ml_profiler *x);
void ml_profiler_close(struct ml_profiler *x, const struct ml_replay *r);
void ml_profile_release(struct ml_profile *p);

/* Name and kind of a region, of the tables or of the region lookup. */
const char *ml_profile_region_name(const struct ml_profile *p, const struct ml_tables *t,
				   uint32_t region);
enum ml_region_kind ml_profile_region_kind(const struct ml_profile *p,
					   const struct ml_tables *t, uint32_t region);

/* Average access time of references by serving level, with the latencies of m. */
double ml_profile_cycles(const struct ml_machine *m, const uint64_t served[ML_SERVED]);
/* The same of all references of p, with their surcharge. */
double ml_profile_average(const struct ml_profile *p);
