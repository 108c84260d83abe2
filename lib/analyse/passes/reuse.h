/*
 * Reuse: how many other lines a program touches before it comes back to one. From
 * this follow the misses of fully associative LRU caches of every size, as a whole
 * and for each instruction and region. Exact, or estimated from a sample of lines
 * whose number does not grow with the trace.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/cells.h"
#include "lib/cache/distance.h"

struct ml_pass;

enum {
	ML_REUSE_BITS = 33,      /* distances are less than 2^32 */
	ML_REUSE_SAMPLE = 16384, /* lines that are followed when sampling */
};

/*
 * Touches of lines by all references of one site, caller and region. count[0] is of
 * distance 0, count[k] of 2^(k-1) to 2^k - 1: a cache of 2^k lines has those of
 * count[0] to count[k].
 */
struct ml_reuse_cell {
	struct ml_cell who;
	uint64_t cold;
	uint64_t count[ML_REUSE_BITS];
};

/* Of a fully associative LRU cache of so many lines. */
struct ml_reuse_point {
	uint64_t lines;
	double ratio; /* misses a touch */
	double error; /* standard error of it; 0 where it is exact */
};

struct ml_reuse {
	uint32_t line;    /* bytes */
	uint64_t touches; /* of lines: more than references where those overlap two */
	bool sampled;
	double rate;                  /* share of the lines that were followed */
	struct ml_reuse_point *curve; /* lines a power of two, until nothing changes */
	size_t points, point_cap;
	struct ml_reuse_cell **cells; /* none when sampled */
	size_t cell_count;
	struct ml_distances distances; /* all of them; empty when sampled */
	struct ml_cells found;         /* owns the cells */
};

/* Misses of a cell with a cache of 2^bits lines. */
uint64_t ml_reuse_misses(const struct ml_reuse_cell *c, unsigned bits);

/* A pass, and what closes it; `line` bytes, a power of two. */
struct ml_reuser;
struct ml_reuser *ml_reuser_open(uint32_t line, bool sampled);
struct ml_pass ml_reuser_pass(struct ml_reuser *x);
void ml_reuser_close(struct ml_reuser *x, struct ml_reuse *r);
void ml_reuse_release(struct ml_reuse *r);
