/*
 * The counts of a simulation of one trace on one machine: all that `memlamp sim` prints,
 * that findings are derived from and that `memlamp diff` compares. A profile is plain
 * arrays of plain numbers, so that a result file can store it (result.h). Names, lines
 * and functions are not here: they follow from the trace's tables.
 * Held by tests/analyse/test_profile.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/passes/profile_counts.h"
#include "lib/analyse/passes/surcharge.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"
#include "lib/trace/tables.h"

struct ml_replay;
struct ml_pass;

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
	/* average access time by the machine's latencies, with surcharge */
	double cycles;
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
