/*
 * Counts what a flow does, symbolically in its parameters: executions, elements moved,
 * operations.
 *
 * Loops with polynomial bounds are summed in closed form (Faulhaber); the result is right
 * where all `condition` polynomials are >= 0 (no loop runs backwards). Minimum, maximum
 * and division of parameters become atoms, symbols of their own, and stay exact. Where
 * they or guards depend on loop variables, the sum is evaluated exactly at small sizes, a
 * polynomial in parameters and atoms is fitted, and it is accepted only if it is right at
 * further sizes that the fit did not use.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/flow/poly.h"

struct ml_flow;
struct ml_buf;
struct ml_sym;

enum ml_flow_count_kind {
	ML_FLOW_CLOSED, /* summed exactly */
	ML_FLOW_FITTED, /* fitted, and right at all sizes tried */
	ML_FLOW_NO_FORM,
};

struct ml_flow_count {
	enum ml_flow_count_kind kind;
	bool bounded; /* an upper bound: a guard depends on data, a place is not certain
		       */
	struct ml_poly poly;
};

struct ml_flow_counts {
	struct ml_arena arena;
	struct ml_flow_count *runs;      /* executions, by node */
	struct ml_flow_count **elements; /* by node and access of it; NULL: no work */
	struct ml_flow_count *read, *written;    /* bytes, by container */
	struct ml_flow_count ops[6];             /* by enum ml_flow_op */
	struct ml_flow_count all_ops, all_bytes; /* bytes without scalars */
	struct ml_poly *condition;               /* each >= 0 */
	size_t condition_count, condition_cap;
	uint64_t tried; /* sizes at which fitted formulas were compared with exact counts
			 */
};

/* Adds atoms to the symbols of f. */
void ml_flow_counts_make(struct ml_flow_counts *c, struct ml_flow *f);
void ml_flow_counts_release(struct ml_flow_counts *c);
/* The sum of p over the iterations of one loop, in closed form; conditions go to c. Bad
 * where there is none. */
struct ml_poly ml_flow_counts_sum(struct ml_flow_counts *c, struct ml_flow *f,
				  struct ml_poly p, uint32_t loop);
/* The polynomial of an expression, with atoms for minimum, division and so on. */
struct ml_poly ml_flow_counts_poly(struct ml_flow_counts *c, struct ml_flow *f,
				   const struct ml_sym *e);
/* Prints a count; "no closed form" where there is none. Atoms are written out. */
void ml_flow_count_print(const struct ml_flow_count *x, const struct ml_flow *f,
			 struct ml_buf *out);
/* Fills in the values of atoms from those of parameters; false where one has none. */
bool ml_flow_count_atoms(const struct ml_flow *f, int64_t *value);
