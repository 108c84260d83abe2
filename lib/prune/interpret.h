/*
 * Walks over the variants of a space and computes its constraints, without a compiler.
 * The parameters are nested loops. Each node of the expressions is computed in the
 * outermost loop in which its inputs are known; the innermost loop is computed in lanes,
 * an operation at a time. A selection leaves a loop as soon as a constraint that is known
 * there has the wrong value.
 *
 * An interpreter belongs to one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/prune/space.h"

struct ml_work;

/*
 * A part of the space: one value of the first parameter, and a share of the values of the
 * second. With two parameters there are no shares, with one the part is the whole.
 */
struct ml_prune_part {
	uint64_t first;     /* index of the value */
	uint64_t share, of; /* those from share/of to (share + 1)/of */
};

/* What a walk does with the variants. */
struct ml_prune_walk {
	uint64_t *counts; /* by mask: counts all variants; NULL: selects */
	/* Selects those whose mask agrees with want in the bits of care. */
	uint32_t care, want;
	/* Gets one value for each parameter; false ends the walk. */
	bool (*row)(void *arg, const int64_t *values);
	void *arg;
	const struct ml_work *work; /* cancels the walk; NULL: nothing does */
};

enum ml_prune_end {
	ML_PRUNE_DONE,
	ML_PRUNE_ENDED,   /* row said so */
	ML_PRUNE_STOPPED, /* the work is cancelled */
	ML_PRUNE_DIVIDED, /* by zero */
};

struct ml_interpreter {
	const struct ml_space *s;
	uint32_t *nodes; /* of level l: nodes[start[l]] to nodes[start[l + 1] - 1] */
	size_t start[ML_SPACE_PARAMS + 1];
	uint32_t fixed; /* mask of the constraints that are constant and true */
	uint32_t known[ML_SPACE_PARAMS]; /* constraints computed in loop l */
	int64_t *value;                  /* of each node that is known now */
	int64_t *lanes;                  /* of each node of the innermost level */
	uint32_t *lane_of;               /* of a node: where its lanes begin */
	int64_t *list[ML_SPACE_PARAMS];  /* room for divisors and powers */
	const struct ml_prune_walk *walk;
	uint64_t share, of; /* of the part */
	uint32_t turns;     /* of loops, so that the work is asked now and then */
	struct ml_err *err; /* gets the sentence about a division by zero; may be NULL */
};

void ml_interpreter_init(struct ml_interpreter *i, const struct ml_space *s);
void ml_interpreter_release(struct ml_interpreter *i);

/* Values of the first parameter; 1 if it is the only one. */
uint64_t ml_interpreter_parts(struct ml_interpreter *i);
/* On ML_PRUNE_DIVIDED the sentence names place and values. */
enum ml_prune_end ml_interpreter_run(struct ml_interpreter *i,
				     const struct ml_prune_part *part,
				     const struct ml_prune_walk *walk,
				     struct ml_err *err);

/* The mask of one variant. False: a divisor is zero. */
bool ml_interpreter_mask(struct ml_interpreter *i, const int64_t *values, uint32_t *mask,
			 struct ml_err *err);
/* The value of a node, after ml_interpreter_mask. */
int64_t ml_interpreter_value(const struct ml_interpreter *i, uint32_t node);
/* Whether the values lie in their ranges; *param is the first that does not. */
bool ml_interpreter_contains(struct ml_interpreter *i, const int64_t *values,
			     size_t *param);
/* An estimate of the number of variants (Knuth 1975, random descents). */
double ml_interpreter_estimate(struct ml_interpreter *i);
