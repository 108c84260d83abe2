/*
 * A chase: a random cycle through memory, of which loads are timed. Each node holds the
 * number of the next one, so no load can begin before the load before it has ended. The
 * nodes hold numbers and not addresses: current processors prefetch what an array of
 * pointers points to, and a load from memory then looks like one from L1.
 *
 * Where the nodes lie decides what serves the loads: a cache that they fit; memory if
 * each was flushed before. On pages of their own they need more translations than a TLB
 * holds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_err;

enum ml_chase_kind {
	ML_CHASE_LINES, /* a node is a line, in large pages if the system gives them */
	ML_CHASE_SMALL, /* a node is a line, in small pages */
	ML_CHASE_PAGES, /* a node is a line on a small page of its own */
};

struct ml_chase {
	char *nodes;
	size_t stride; /* bytes from a node to the next in memory */
	unsigned bits; /* there are 2^bits nodes */
	uint64_t at;   /* number of the next node */
	void *map;
	size_t mapped; /* bytes */
};

/* Fails, with the reason, where loads cannot be timed at all. */
bool ml_chase_possible(struct ml_err *err);
/* Nodes with `bytes` of lines in all, rounded down to a power of two. Fails if there is
 * no memory for them. */
bool ml_chase_init(struct ml_chase *c, uint64_t bytes, enum ml_chase_kind kind,
		   struct ml_err *err);
void ml_chase_release(struct ml_chase *c);

/* Takes steps that are not timed: two rounds bring all nodes into the nearest cache that
 * they fit. */
void ml_chase_walk(struct ml_chase *c, uint64_t steps);
uint64_t ml_chase_nodes(const struct ml_chase *c);
uint64_t ml_chase_bytes(const struct ml_chase *c); /* of its lines */

/* Times `count` loads, and each after a few that are not timed. Gives the ticks of those
 * that stayed on one CPU, sorted, and their number. */
size_t ml_chase_time(struct ml_chase *c, uint64_t *ticks, size_t count);
/* The same for loads from memory: the lines of the next nodes are flushed first. */
size_t ml_chase_time_flushed(struct ml_chase *c, uint64_t *ticks, size_t count);
void ml_chase_sort(uint64_t *ticks, size_t count);

/* Bytes that can be allocated without harm to other programs. */
uint64_t ml_chase_available(void);
