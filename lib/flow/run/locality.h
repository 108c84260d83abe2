/*
 * Simulates a flow at chosen sizes: stack distances in lines, cold misses, misses at a
 * threshold, bytes moved; by container, and on demand for every access.
 *
 * A miss is a touch of a line whose distance (the number of other lines touched since) is
 * at least the threshold: an LRU cache of `threshold` lines misses exactly there. An
 * access that overlaps two lines touches both; its distance is the larger one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"
#include "lib/flow/run/walk.h"

struct ml_locality_container {
	uint64_t reads, writes; /* accesses */
	uint64_t touches;       /* of lines */
	uint64_t cold, misses;  /* touches: the first of a line; distance >= threshold */
	/* touches by distance, without cold ones: near ones, and a map of the others */
	uint64_t *near; /* ML_LOCALITY_NEAR; NULL: no access */
	struct ml_map far;
};

enum { ML_LOCALITY_NEAR = 1024 };

struct ml_locality {
	/* set flow, container, value, known, line; max, work, placed */
	struct ml_flow_walk walk;
	uint64_t threshold; /* lines */
	bool keep;          /* keep every access, for views */
	/* results */
	struct ml_locality_container *container; /* from walk.arena */
	size_t kept, cap[5];
	uint64_t *addr, *instance;
	uint32_t *of, *distance, *access; /* container; ML_NEVER: cold */
	/* private */
	struct ml_distance *stack;
	uint64_t *lines;
	uint32_t *found, *touched; /* by line touched; by access: lines that it touches */
	size_t line_cap, found_cap, touched_cap;
	int shift; /* addr >> shift is the line; -1: lines are no power of two */
};

/* Places the containers, unless walk.placed has them. */
bool ml_locality_run(struct ml_locality *l, struct ml_err *err);
void ml_locality_release(struct ml_locality *l);

/* Distances of a container, ascending: pairs of distance and touches, to be released by
 * ml_free. */
size_t ml_locality_distances(const struct ml_locality_container *c, uint64_t (**pair)[2]);

/* Of one element, by the accesses kept; sets *count to the number of its accesses. */
struct ml_locality_element {
	uint64_t count, cold, misses;
	uint32_t min, median, max; /* distances without cold ones; ML_NEVER: none */
};
