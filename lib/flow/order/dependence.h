/*
 * Exact dependences of a flow, for all sizes at once, by integer sets (isl.h): which
 * loops carry a dependence from one iteration to another, and whether another order of
 * loops keeps all of them. legality.h finds the second by trying; both must agree.
 *
 * Two computations depend on each other if both access an element and one writes it,
 * unless both update it with the same operator. Elements are those of arrays, of structures
 * and of scalars of any type (scalars.h says which of them each iteration has its own), and
 * whether a loop goes on is an element that its iterations read and may write.
 * Sizes are at least 1. What is not affine is taken to touch anything, and a computation
 * of which not all accesses are known depends on all others, so NONE and LEGAL are always
 * right, and where such an access is involved the answer is OPEN instead of a conflict.
 * Subscripts of one array are taken to stay within their dimensions.
 * Held by tests/flow/test_flow_dependence.c and, by running, tests/flow/test_flow_oracle.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/flow/order/legality_kind.h"

struct ml_flow;

/* What a loop carries from one iteration to another. */
enum ml_carried {
	ML_CARRIED_NONE,    /* nothing: its iterations are independent */
	ML_CARRIED_UPDATES, /* only updates such as s += x: a reduction */
	ML_CARRIED,
	ML_CARRIED_OPEN, /* data decide, or it took too long to find out */
};

extern const char *const ml_carried_names[]; /* "parallel", "reduction"... */

struct ml_dependences;

/* NULL with a sentence: isl is missing, or the flow is too large. */
struct ml_dependences *ml_dependences_open(const struct ml_flow *f, struct ml_err *err);
void ml_dependences_close(struct ml_dependences *d);

enum ml_carried ml_dependences_carried(struct ml_dependences *d, uint32_t loop);
/* Whether a changed flow (transform.h) keeps all dependences. */
enum ml_legality_kind ml_dependences_keep(struct ml_dependences *d,
					  const struct ml_flow *changed);
/* Why the last answer of one of the two is not NONE or LEGAL: "the write of c in line 4
 * would come before the read of c in line 4, which must come first"; NULL: there is
 * nothing to say. */
const char *ml_dependences_why(const struct ml_dependences *d);
