/*
 * How a line is found in a cache (level.h).
 *
 * A set has a row of digests, one byte for each way. A search compares 16 digests at a
 * time, so most misses are found without reading a tag. (The tags of a large simulated
 * cache do not fit into the host's caches; its digests mostly do.)
 */
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "lib/cache/exact/level.h"
#include "lib/cache/exact/wide_set.h"

static inline uint8_t ml_cache_digest(uint64_t line)
{
	return (uint8_t)(line * 0x9e3779b97f4a7c15u >> 56 | 1);
}

/* A bit for each of the next 16 digests that equals this one. */
static inline uint32_t ml_cache_match(const uint8_t *digests, uint8_t digest)
{
#ifdef __SSE2__
	__m128i all = _mm_loadu_si128((const __m128i *)digests);

	return (uint32_t)_mm_movemask_epi8(
		_mm_cmpeq_epi8(all, _mm_set1_epi8((char)digest)));
#else
	uint32_t match = 0;

	for (unsigned i = 0; i < ML_DIGESTS; i++)
		match |= (uint32_t)(digests[i] == digest) << i;
	return match;
#endif
}

/* The place of a line, or ML_NOWHERE. */
static inline size_t ml_cache_find(const struct ml_cache *c, uint64_t line)
{
	uint32_t set = ml_cache_set(c, line);
	const uint8_t *row = c->digests + (size_t)set * c->row;
	size_t first = (size_t)set * c->ways;
	uint8_t digest = ml_cache_digest(line);

	if (__builtin_expect(c->wide != NULL, 0)) {
		uint32_t way = ml_wide_set_find(c->wide, line);

		return way == UINT32_MAX ? ML_NOWHERE : way;
	}
	for (uint32_t way = 0; way < c->row; way += ML_DIGESTS)
		for (uint32_t m = ml_cache_match(row + way, digest); m; m &= m - 1) {
			size_t at = first + way + (size_t)__builtin_ctz(m);

			if (c->tags[at] == line + 1)
				return at;
		}
	return ML_NOWHERE;
}

/*
 * The same, for a cache that likely hits. Programs stay with a line for a while, so this
 * looks first where the line was found last (a third faster than a search from way 0;
 * more in a TLB with one set of 72 ways).
 */
static inline size_t ml_cache_look(struct ml_cache *c, uint64_t line)
{
	uint32_t *recent = &c->recent[line & c->recent_mask];
	size_t at = *recent;

	if (c->tags[at] == line + 1)
		return at;
	at = ml_cache_find(c, line);
	if (at != ML_NOWHERE)
		*recent = (uint32_t)at;
	return at;
}
