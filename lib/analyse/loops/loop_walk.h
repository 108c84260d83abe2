/*
 * The walk over the steps of a trace that finds what ran (loop_tree.h).
 *
 * A thread is somewhere: in a node of the tree, behind a block. What a path does from
 * there is worked out once and kept (a transition): which loops it enters, goes round and
 * leaves, which functions it calls, and how many references belong to which node. Each
 * further step is one look-up. Only what depends on the run is done again: iterations of
 * the loops that are active, and where a return goes.
 *
 * The path between two references is not recorded where it makes none. The shortest way
 * through code without references is assumed, so iterations that make no reference are
 * not seen.
 * Held by tests/analyse/test_loops.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/loops/code_function.h"
#include "lib/analyse/loops/code_graph.h"
#include "lib/analyse/loops/loop_tree.h"
#include "lib/base/err.h"

struct ml_loop_accesses;
struct ml_trace;
struct ml_work;
struct ml_loop_walk;

/* References that follow each other and belong to one node. */
struct ml_loop_run {
	uint32_t node;
	uint32_t count;
};

struct ml_loop_runs {
	uint64_t time; /* of the first reference */
	uint64_t refs;
	struct ml_loop_run *run;
	size_t count, cap;
};

/* Looks through the trace once for what follows what. NULL: err says why not. */
struct ml_loop_walk *ml_loop_walk_open(const struct ml_trace *t,
				       const struct ml_work *work, struct ml_err *err);
/* The same for a walk that also finds how accesses move (loop_accesses.h), for which it
 * decodes all references. */
struct ml_loop_walk *ml_loop_walk_open_accesses(const struct ml_trace *t,
						const struct ml_work *work,
						struct ml_err *err);
/*
 * Walks on; some references further. runs, unless NULL: the nodes of these references.
 * False at the end, where err->kind is ML_OK, or at damage.
 */
bool ml_loop_walk_next(struct ml_loop_walk *w, struct ml_loop_runs *runs,
		       struct ml_err *err);
/* Ends what is still active, and fills the counts of the tree in. */
void ml_loop_walk_finish(struct ml_loop_walk *w);
/* Valid until the walk is closed; its counts once it is finished. */
const struct ml_loop_tree *ml_loop_walk_tree(const struct ml_loop_walk *w);
const struct ml_loop_accesses *ml_loop_walk_accesses(const struct ml_loop_walk *w);
const struct ml_code_function *ml_loop_walk_function(const struct ml_loop_walk *w,
						     uint32_t function);
const struct ml_code_graph *ml_loop_walk_graph(const struct ml_loop_walk *w);
void ml_loop_walk_close(struct ml_loop_walk *w);
