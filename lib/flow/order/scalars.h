/*
 * What becomes of a scalar, and of an array declared in a loop, from one iteration of a
 * loop to the next. legality.h, dependence.h and the texts ask here and nowhere else.
 *
 * A container is private to a loop if each iteration has its own: it is declared inside,
 * or it is a scalar that every iteration writes before it reads it, and that nothing reads
 * after the loop. A scalar that is not private is one cell of memory; what the loop does
 * with that cell is its kind.
 */
#pragma once

#include <stdint.h>

struct ml_flow;

enum ml_scalar_kind {
	ML_SCALAR_UNUSED,    /* the loop does not touch it */
	ML_SCALAR_INVARIANT, /* the loop only reads it */
	ML_SCALAR_PRIVATE,
	ML_SCALAR_REDUCTION, /* only updates with one operator */
	ML_SCALAR_LAST,      /* only written: the last write counts */
	ML_SCALAR_CARRIED,   /* an iteration reads what an earlier one wrote */
};

/* "an iteration reads what an earlier one wrote", to follow the name of the scalar. */
extern const char *const ml_scalar_kind_said[];

/* The innermost loop (a node) that a container is private to; it is private to the loops
 * around that one, too. ML_FLOW_NONE: to none. */
uint32_t ml_private_loop(const struct ml_flow *f, uint32_t container);
/*
 * The same in a changed flow (transform.h): an iteration of the loop has its own only where
 * no other loop of the original came between the loops around it, for the source of the
 * changed program has one variable.
 */
uint32_t ml_private_after(const struct ml_flow *f, const struct ml_flow *changed,
			  uint32_t private);
enum ml_scalar_kind ml_scalar_kind(const struct ml_flow *f, uint32_t container,
				   uint32_t loop);
