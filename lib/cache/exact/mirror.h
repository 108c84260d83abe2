/*
 * The exact simulator as the written form of other engines. An engine that saves its
 * state shows it to a mirror, an exact simulator of the same machine, and the mirror
 * writes it. An engine that restores a state looks at the mirror that has read it. These
 * functions are for caches whose sets are rows in order of recency.
 */
#pragma once

#include <stdint.h>

#include "lib/cache/exact/sim_data.h"

/*
 * Shows a set: line + 1 of each way, the one used last first, 0 for an empty way; and the
 * flags of each (enum ml_cache_flag).
 */
void ml_mirror_show(struct ml_cache *to, uint32_t set, const uint64_t *row,
		    const uint8_t *flags);
/*
 * The places of a set that hold lines, that of the line used last first. Returns how many
 * there are; places has room for all ways.
 */
uint32_t ml_mirror_places(const struct ml_cache *from, uint32_t set, size_t *places);
