/* What finders see of the references of a trace (whatif.h shows it). */
#pragma once

#include <stdint.h>

#include "lib/trace/ref.h"

struct ml_spot;

/* References without a change, and their outcomes, as columns. */
struct ml_seen {
	const struct ml_batch *refs;
	const uint32_t *region; /* the region that stands for it (same) */
	const uint64_t *offset; /* within the block or region */
	const uint64_t *block;  /* as in struct ml_place */
	const uint8_t *served;
	/* stack distance of the first line; NULL: not requested */
	const uint32_t *distance;
	/* the TLB that knows the page, from 1; behind the last: a walk; NULL: not
	 * requested */
	const uint8_t *paged;
	/* spots of the references, which see fills in for see_then (whatif.h) */
	const struct ml_spot **spot;
};
