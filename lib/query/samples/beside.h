/*
 * Samples beside a simulation of the same program: what the machine measured and what the
 * simulated caches say, for each line and each data object. Both sides are made
 * comparable by shares: the part that a line has of all cycles on its side. A sampler
 * with a latency threshold sees slow accesses only, so absolute means differ; where the
 * shares differ, one of the two is wrong about this line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_profile_rows;
struct ml_samples;
struct ml_selection;

struct ml_beside_row {
	const char *name; /* "matmul.c:33", or a data object */
	const char *file; /* of a line, as the samples or else the trace name it */
	uint32_t line;    /* 0: a data object */
	/* measured: */
	uint64_t samples, timed, cycles;
	uint64_t known, beyond; /* samples with a known level; those that L1 did not serve
				 */
	/* simulated: */
	uint64_t references, missed; /* missed: that L1 did not serve */
	double sim_cycles;
	/* parts of all that is sampled, and of all that is simulated */
	double share, sim_share;
};

struct ml_beside {
	struct ml_beside_row *list; /* the largest difference of shares first */
	size_t count;
	bool by_cycles; /* shares of measured cycles; else of samples: no latencies */
};

/* Files match by their last names and lines, data objects by their names. */
void ml_beside_lines(struct ml_beside *b, const struct ml_samples *s,
		     const struct ml_selection *sel, const struct ml_profile_rows *p,
		     struct ml_arena *a);
void ml_beside_objects(struct ml_beside *b, const struct ml_samples *s,
		       const struct ml_selection *sel, const struct ml_profile_rows *p,
		       struct ml_arena *a);
