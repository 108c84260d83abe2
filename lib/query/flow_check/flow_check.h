/*
 * A flow against reality: what the source of a function says that it does to its arrays,
 * beside what a recorded run of it did; by loop and array, in accesses, bytes and misses.
 *
 * Of the trace only references of the function's loops count: those of instructions whose
 * line is in them. Both sides go through the same machine with empty caches, so that the
 * rest of the program does not matter. An array of the source is found in the trace by
 * its name; an array without a namesake is the region that the same loops use and whose
 * number of accesses is nearest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"
#include "lib/query/flow_check/check_rows.h"

struct ml_experiment;
struct ml_flow;
struct ml_flow_counts;
struct ml_json;
struct ml_trace;
struct ml_work;

struct ml_flow_check {
	struct ml_machine machine;
	struct ml_flow_check_row *row; /* by loop, then by container */
	size_t count, cap;
	struct ml_flow_check_side predicted, recorded; /* of all arrays */
	/* by container: the region it is in the trace; NULL: none, or its namesake */
	const char **region;
	struct ml_arena arena;
};

/* The experiment ran f on a machine, without changes; c has the counts of f. */
bool ml_flow_check_run(struct ml_flow_check *k, const struct ml_flow *f,
		       const struct ml_flow_counts *c, const struct ml_experiment *x,
		       struct ml_trace *t, const struct ml_work *work,
		       struct ml_err *err);
void ml_flow_check_release(struct ml_flow_check *k);
/* Keys and values of the object that is open. */
void ml_flow_check_json(const struct ml_flow_check *k, const struct ml_flow *f,
			struct ml_json *w);
