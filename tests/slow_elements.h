/*
 * Statistics of elements of a container, the obvious way: element[i] is that of storage
 * place first + i. The simulation must have kept its accesses.
 */
#pragma once

#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/cache/distance/distance.h"
#include "lib/flow/run/locality.h"

static inline int slow_by_key(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* One access as element << 32 | distance, so that sorting groups elements. */
static inline void slow_elements(const struct ml_locality *l, uint32_t container,
				 int64_t first, struct ml_locality_element *element,
				 size_t count)
{
	uint64_t *key = ml_resize(NULL, (l->kept + 1) * sizeof(*key));
	uint32_t size = l->walk.container[container].element;
	uint64_t base = l->walk.placed[container].base;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		element[i] = (struct ml_locality_element){ .min = ML_NEVER,
							   .median = ML_NEVER,
							   .max = ML_NEVER };
	for (size_t i = 0; i < l->kept; i++) {
		/* addr may lie in front of base: the difference is signed */
		int64_t bytes = (int64_t)(l->addr[i] - base);
		int64_t place = bytes >= 0 ? bytes / size : -((-bytes + size - 1) / size);
		uint64_t at = (uint64_t)(place - first);

		if (l->of[i] == container && at < count && at < UINT32_MAX)
			key[n++] = at << 32 | l->distance[i];
	}
	qsort(key, n, sizeof(*key), slow_by_key);
	for (size_t i = 0; i < n;) {
		struct ml_locality_element *e = &element[key[i] >> 32];
		size_t from = i, warm = 0;

		for (; i < n && key[i] >> 32 == key[from] >> 32; i++) {
			uint32_t d = (uint32_t)key[i];

			e->count++;
			e->cold += d == ML_NEVER;
			warm += d != ML_NEVER;
			e->misses += d != ML_NEVER && d >= l->threshold;
		}
		if (!warm)
			continue;
		e->min = (uint32_t)key[from];
		e->max = (uint32_t)key[from + warm - 1];
		e->median = (uint32_t)key[from + (warm - 1) / 2];
	}
	ml_free(key);
}
