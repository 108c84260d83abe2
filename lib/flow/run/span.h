/*
 * Depth and parallelism of a flow (work and span). The work is the number of operations;
 * the depth is the number of operations on the longest chain of which each needs the one
 * before it, so work / depth processors could be busy on average.
 *
 * Iterations of a loop that carries nothing run at the same time; those of other loops
 * one after another, reductions too (a tree of additions would be shorter). Computations
 * that follow each other run at the same time if neither writes what the other one
 * accesses. The operations of one computation run one after another; those of a library
 * call all at once, but for the operations of one element. The result is an upper bound
 * of the depth.
 */
#pragma once

#include "lib/base/arena.h"
#include "lib/flow/count/count.h"
#include "lib/flow/order/dependence.h"

struct ml_flow;
struct ml_json;

struct ml_flow_span {
	struct ml_arena arena;
	enum ml_carried *carried; /* by node: of loops */
	const char *
		*why; /* by node: what a loop carries; NULL: there is nothing to say */
	struct ml_flow_count *depth; /* by node: of one execution; node 0 is all */
	const char *missing; /* why loops of C are taken to run in order; NULL: they are
				not */
};

/* c has the counts of f; conditions of the sums are added to it. */
void ml_flow_span_make(struct ml_flow_span *s, struct ml_flow *f,
		       struct ml_flow_counts *c);
void ml_flow_span_release(struct ml_flow_span *s);
/* Keys and values of the object that is open: depth, parallelism, loops. */
void ml_flow_span_json(const struct ml_flow_span *s, const struct ml_flow *f,
		       const struct ml_flow_counts *c, struct ml_json *w);
