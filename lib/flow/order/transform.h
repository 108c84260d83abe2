/*
 * Loop experiments: the same program with its loops tiled and in another order. The
 * original stays as it is. Two texts say how it changes:
 *
 *	tile "i=32,k=32"     strips of 32 iterations of i and k. The loops over the strips,
 *	                     i_tile and k_tile, go outside of the nest, in its order.
 *	order "k,i,j"        the loops of a nest, the outermost first. The nest may have more
 *	                     loops around these, but none between them.
 *
 * Loops are named by their variables. A text applies to every nest that has all loops
 * that it names; "k,i,j@12" means the nest whose outermost named loop is in line 12. With
 * both texts, tiling comes first, and the order may name the loops over the strips.
 *
 * Between the loops that move there may be guards (they move inside) but no statement. A
 * bound that depends on a loop that moves inside becomes the widest one, and a guard
 * inside cuts it, so the iterations are always the same ones. Whether another order of
 * them is allowed is another question: legality.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_flow;

struct ml_transform {
	/* The changed program. It refers to expressions of the original, which must live
	 * as long. Symbols and containers keep their numbers, new symbols follow;
	 * computations keep their order, and so do the numbers of accesses. */
	struct ml_flow *flow;
	uint32_t *now;         /* by node of the original: where it is now */
	struct ml_flow *tiled; /* private: the step between */
};

/* One of tile and order may be NULL or empty. max_tile, unless 0, makes larger tiles smaller. */
bool ml_transform_make(struct ml_transform *t, const struct ml_flow *f, const char *tile,
		       const char *order, uint64_t max_tile, struct ml_err *err);
void ml_transform_release(struct ml_transform *t);
