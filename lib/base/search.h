/*
 * Binary search in an array that is sorted by a uint64_t: elements of `size` bytes, each
 * with its key `offset` bytes from its start. With both constant, a call compiles to the
 * loop that one would write by hand.
 *
 *	size_t i = ml_search_above(list, count, sizeof(*list),
 *				   offsetof(struct piece, low), addr);
 *
 * Held by tests/base/test_search.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Index of the first element whose key is above `key`; count: none is. */
static inline size_t ml_search_above(const void *array, size_t count, size_t size,
				     size_t offset, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const void *at = (const char *)array + mid * size + offset;

		if (*(const uint64_t *)at <= key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Index of the first element whose key is at least `key`; count: none is. */
static inline size_t ml_search_from(const void *array, size_t count, size_t size,
				    size_t offset, uint64_t key)
{
	return key ? ml_search_above(array, count, size, offset, key - 1) : 0;
}

/* Index of the last element whose key is at most `key`; 0 if none is. */
static inline size_t ml_search_last(const void *array, size_t count, size_t size,
				    size_t offset, uint64_t key)
{
	size_t above = ml_search_above(array, count, size, offset, key);

	return above ? above - 1 : 0;
}
