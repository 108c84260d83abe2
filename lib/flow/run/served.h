/*
 * A flow at chosen sizes on a simulated machine (lib/cache): which level served each
 * access of the program, and why lines were missed. locality.h has the same for a fully
 * associative cache of any size; this one knows sets, ways and several levels.
 *
 * Levels count from 1, as in lib/cache; the one behind the last is memory. An access
 * served by level 3 missed in levels 1 and 2. One core makes all accesses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/machine/machine.h"
#include "lib/flow/run/walk.h"

/* Accesses by the level that served them (served[0] is level 1), and those that missed
 * the first level by cause. */
struct ml_served_counts {
	uint64_t served[ML_LEVELS + 1];
	uint64_t cause[ML_CAUSES];
};

struct ml_served {
	/* set flow, container, value, known, line; max, work, placed */
	struct ml_flow_walk walk;
	struct ml_machine machine;
	bool causes;    /* also say why: takes several times as long */
	uint64_t calls; /* runs of the program, one after another; 0: one */
	bool each;      /* simulate every access, no groups (walk.h): slow and obvious */
	bool keep;      /* remember the level of each access, as each has to be set */
	/* results */
	size_t accesses;                    /* of the flow, numbered as in a batch */
	struct ml_served_counts *by_access; /* from walk.arena, and the next */
	struct ml_served_counts *by_container;
	struct ml_served_counts all;
	uint8_t *level; /* kept, from 1, in the order of the walk */
	size_t kept;
	/* private */
	size_t kept_cap;
	struct ml_engine *engine;
	uint16_t *outcome;
	size_t outcome_cap;
};

/* Places the containers, unless walk.placed has them. Fails on a machine with a policy
 * that needs to know the future. */
bool ml_served_run(struct ml_served *s, struct ml_err *err);
void ml_served_release(struct ml_served *s);

/* Accesses that missed a level, from 1. */
uint64_t ml_served_missed(const struct ml_served *s, const struct ml_served_counts *c,
			  unsigned level);
/* Cycles of all accesses if each waits for the one before; 0: the machine has no
 * latencies. */
uint64_t ml_served_cycles(const struct ml_served *s, const struct ml_served_counts *c);
