/*
 * What each node of a loop tree costs on a machine: a pass of the replay that walks over
 * the loops beside it. All references count for exactly one node, so the sums are those
 * of the simulation.
 *
 *	struct ml_loop_costs *c = ml_loop_costs_open(walk);
 *	struct ml_pass pass = ml_loop_costs_pass(c);
 *	...                      replay with the pass
 *	const struct ml_loop_cost *cost = ml_loop_costs_at(c, node);
 *	ml_loop_costs_close(c);
 *
 * Held by tests/cli/analyse/loops.sh: the sums are those of sim.
 */
#pragma once

#include <stdint.h>

#include "lib/analyse/passes/profile_counts.h"
#include "lib/analyse/passes/surcharge.h"

struct ml_loop_costs;
struct ml_loop_walk;
struct ml_pass;

/* Of its own references, without those of its children. */
struct ml_loop_cost {
	uint64_t served[ML_SERVED];
	struct ml_surcharge surcharge;
};

/* walk: one that was opened, and is at the beginning. The pass moves it on. */
struct ml_loop_costs *ml_loop_costs_open(struct ml_loop_walk *walk);
struct ml_pass ml_loop_costs_pass(struct ml_loop_costs *c);
/* After the run; zeros for a node without references in the window. */
const struct ml_loop_cost *ml_loop_costs_at(struct ml_loop_costs *c, uint32_t node);
void ml_loop_costs_close(struct ml_loop_costs *c);
