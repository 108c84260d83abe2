/*
 * Enumerates the accesses of a flow at chosen sizes, in the order of execution, with the
 * addresses that a layout gives them.
 *
 * Containers stand one after another in the order of the flow. Each begins at a multiple
 * of its alignment (64 bytes where none is said, and at least a line), so no line holds
 * elements of two containers. Scalars are in registers and make no accesses. An access
 * whose place depends on data is counted as unplaced and gets no address. A guard that
 * depends on data counts as true.
 *
 * Groups. Neighbouring iterations of an innermost loop often touch the same lines in the
 * same order. Under LRU such iterations repeat each other: the order of recency after
 * two of them is that after one, so what the second one finds, all later ones find. With
 * `group` the walk passes on only the first `warm` iterations of such a group; the last
 * of those stands for itself and the rest, and `times` says for how many.
 * Held by tests/flow/test_walk.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/work.h"

struct ml_flow;
struct ml_flow_container;

struct ml_flow_batch {
	size_t count;
	const uint64_t *addr;
	const uint16_t *what; /* kind << 14 | bytes: lib/cache/machine/access.h */
	const uint32_t *container;
	const uint32_t *access;   /* number among all accesses of the flow */
	const uint64_t *instance; /* the execution of a computation that it belongs to */
	const uint32_t *times;    /* accesses that it stands for; NULL: 1 each */
};

struct ml_flow_placed {
	int64_t low, high; /* elements of storage that exist or are accessed; low > high:
			      none */
	uint64_t base;     /* address of element 0 */
	uint64_t unplaced; /* accesses whose place depends on data */
};

struct ml_flow_walk {
	const struct ml_flow *flow;
	const struct ml_flow_container *container; /* with their layouts */
	const int64_t *value;                      /* of parameters, by symbol */
	const bool *known;                         /* which have one */
	uint64_t line;                             /* bytes */
	uint64_t max;   /* fail beyond so many accesses; 0: never */
	uint32_t root;  /* the node to walk; 0: all */
	uint64_t group; /* bytes of a line: iterations that touch the same lines form a
			   group; 0: pass on each */
	uint32_t warm;  /* iterations of a group that are passed on; at least 1 */
	const struct ml_work *work;
	bool (*take)(void *arg, const struct ml_flow_batch *b, struct ml_err *err);
	void *arg;
	/* results */
	struct ml_flow_placed *placed; /* by container; from the arena */
	uint64_t count, instances;
	uint64_t uncertain; /* guards that depend on data and were taken */
	struct ml_arena arena;
};

/* Places the containers; then the results but the counts are valid. Fails where a
 * parameter that matters has no value. */
bool ml_flow_walk_place(struct ml_flow_walk *w, struct ml_err *err);
/* Takes the places of another walk of the same containers instead, so that addresses of
 * both compare. */
void ml_flow_walk_place_as(struct ml_flow_walk *w, const struct ml_flow_walk *other);
/* Runs it, after one of those. */
bool ml_flow_walk_run(struct ml_flow_walk *w, struct ml_err *err);
void ml_flow_walk_release(struct ml_flow_walk *w);
