/*
 * Reuse: the stack distances of a program. From them follow the misses of fully
 * associative LRU caches of every size, in total and for each instruction and region.
 * Exact, or estimated from a sample of lines whose number does not grow with the trace.
 * Held by tests/analyse/test_reuse.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/cells.h"
#include "lib/cache/distance/distance.h"

struct ml_pass;

enum {
	ML_REUSE_BITS = 33,      /* distances are less than 2^32 */
	ML_REUSE_SAMPLE = 16384, /* lines that are followed when sampling */
};

/*
 * Touches of lines by all references of one site, caller and region. count[0] has
 * distance 0, count[k] distances 2^(k-1) to 2^k - 1: a cache of 2^k lines hits those of
 * count[0] to count[k].
 */
struct ml_reuse_cell {
	struct ml_cell who;
	uint64_t cold;
	uint64_t count[ML_REUSE_BITS];
};

/* A point of the miss curve: a fully associative LRU cache of `lines` lines. */
struct ml_reuse_point {
	uint64_t lines;
	double ratio; /* misses per touch */
	double error; /* standard error of the ratio; 0: exact */
};

struct ml_reuse {
	uint32_t line;    /* bytes */
	uint64_t touches; /* of lines; more than references, as some overlap two lines */
	bool sampled;
	double rate; /* share of the lines that were followed */
	/* for powers of two, until the ratio no longer changes */
	struct ml_reuse_point *curve;
	size_t points, point_cap;
	struct ml_reuse_cell **cells; /* none when sampled */
	size_t cell_count;
	struct ml_distances distances; /* all distances; empty when sampled */
	struct ml_cells found;         /* owns the cells */
};

/* Misses of a cell with a cache of 2^bits lines. */
uint64_t ml_reuse_misses(const struct ml_reuse_cell *c, unsigned bits);

/* A pass; closed after the run. `line`: bytes, a power of two. */
struct ml_reuser;
struct ml_reuser *ml_reuser_open(uint32_t line, bool sampled);
struct ml_pass ml_reuser_pass(struct ml_reuser *x);
void ml_reuser_close(struct ml_reuser *x, struct ml_reuse *r);
void ml_reuse_release(struct ml_reuse *r);
