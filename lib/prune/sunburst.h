/*
 * The rings of the paper's picture (section IV): ring r divides each sector of the ring
 * inside it by constraint r of an order, the variants that pass first, clockwise from 12
 * o'clock. Positions are numbers of variants, from 0 to the total of what is shown.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/prune/combos.h"

struct ml_sector {
	uint8_t ring;    /* from 0, the innermost */
	uint64_t from;   /* position */
	uint64_t count;  /* variants */
	uint64_t failed; /* of these, the ones that fail the constraint of the ring */
	uint32_t want;   /* mask of the constraints of rings 0 to `ring` that fail */
	uint32_t joined; /* sectors that are joined here; then failed is their sum, and
			    want is that of the first */
};

struct ml_sunburst {
	uint64_t total;
	struct ml_sector *at; /* ring by ring, clockwise */
	size_t count;
};

/*
 * The picture of the variants whose mask agrees with `want` in the bits of `care`.
 * Neighbours in a ring that are thinner than 1/cells of it are joined, so that a ring has
 * at most 2 * cells sectors.
 */
void ml_sunburst(struct ml_sunburst *s, const struct ml_combos *t, const uint8_t *order,
		 size_t rings, uint32_t care, uint32_t want, size_t cells,
		 struct ml_arena *a);
