/*
 * Numbers for the elements of arrays, from 1 on, in the order in which they are added.
 * The key of an element is that of ml_change_element, so neighbours have neighbouring
 * keys. Their numbers lie side by side: code that walks over an array finds them in the
 * host's caches, where a hash map of elements would miss them for nearly each.
 * Held by tests/analyse/test_elements.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"

enum { ML_ELEMENTS_BITS = 4 }; /* log2 of the keys of a stretch: a line of the host */

/* Zero bytes are ready for use. */
struct ml_elements {
	struct ml_map stretch; /* key / 16: its place in `number`, / 16 */
	uint32_t *number;      /* 0: not added */
	size_t stretches, cap;
	uint32_t count;
};

static inline uint32_t ml_elements_find(const struct ml_elements *e, uint64_t key)
{
	const uint64_t *at = ml_map_find(&e->stretch, key >> ML_ELEMENTS_BITS);
	uint64_t within = key & ((1u << ML_ELEMENTS_BITS) - 1);

	return at ? e->number[(*at << ML_ELEMENTS_BITS) + within] : 0;
}

/* The number of an element, which is e->count if it is new. */
uint32_t ml_elements_add(struct ml_elements *e, uint64_t key);
void ml_elements_release(struct ml_elements *e);
