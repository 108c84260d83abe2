/*
 * Whether a program with its loops in another order still computes the same: every pair
 * of accesses to one element, of which one is a write, must keep its order. This is
 * checked exactly, by executing both orders at given sizes and comparing, for each
 * element, which computation wrote it and which ones read it in between. At other sizes
 * the answer is a strong hint and no proof.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/flow/order/legality_kind.h"

struct ml_arena;
struct ml_flow;
struct ml_work;

struct ml_legality {
	enum ml_legality_kind kind;
	bool all_sizes;   /* proved; else tried... */
	bool smaller;     /* ...at smaller sizes and tiles than those given */
	const char *said; /* sentences, from the arena: what was found or must hold */
	const char
		*why; /* why it is not plainly legal; NULL: it is, or nothing is known */
};

/* tile and order as transform.h has them; both fit the flow. value and known by symbol.
 */
bool ml_legality_check(struct ml_legality *l, const struct ml_flow *f, const char *tile,
		       const char *order, const int64_t *value, const bool *known,
		       const struct ml_work *work, struct ml_arena *a,
		       struct ml_err *err);
/* The same without integer sets: by execution only. */
bool ml_legality_try(struct ml_legality *l, const struct ml_flow *f, const char *tile,
		     const char *order, const int64_t *value, const bool *known,
		     const struct ml_work *work, struct ml_arena *a, struct ml_err *err);
