/*
 * The fast LRU simulator with AVX2: as fast_lru_avx512.c, but masks are vectors, and the
 * masks of the lanes up to a hit come from a table.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#include "lib/cache/lru/fast_lru_body.h"

/* From element 32 - n on: n lanes of ones, then zeros. */
static const int32_t lanes_up_to[64] = {
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};

/* Bits of the 32-bit lanes of v that hold the line. */
INLINE uint32_t match(__m256i v, __m256i key_dirty)
{
	__m256i same = _mm256_cmpeq_epi32(_mm256_or_si256(v, _mm256_set1_epi32(1)),
					  key_dirty);

	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
}

/* Short sets of 32-bit keys. */
INLINE struct touched touch_narrow(uint32_t *way, uint32_t key, uint32_t ways,
				   unsigned lanes)
{
	unsigned count = lanes / 8;
	__m256i v[4], dirty = _mm256_set1_epi32((int)(key | 1));
	__m256i from = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
	uint32_t victim = way[ways - 1], m = 0;

	for (unsigned i = 0; i < count; i++) {
		v[i] = _mm256_load_si256((const __m256i *)way + i);
		m |= match(v[i], dirty) << 8 * i;
	}
	uint32_t move = m ? (uint32_t)__builtin_ctz(m) + 1 : ways;
	uint32_t first = key | (way[move - 1] & (m != 0));

	__m256i before = _mm256_set1_epi32((int)first);
	for (unsigned i = 0; i < count; i++) {
		const int32_t *mask = lanes_up_to + 32 - move + 8 * i;
		__m256i turned = _mm256_permutevar8x32_epi32(v[i], from);
		__m256i new = _mm256_blend_epi32(turned, before, 1);

		before = turned;
		_mm256_store_si256(
			(__m256i *)way + i,
			_mm256_blendv_epi8(v[i], new,
					   _mm256_loadu_si256((const __m256i *)mask)));
	}
	return (struct touched){ m != 0, victim };
}

/*
 * Long sets and wide sets: vectors find the lane, and the ways before it are moved one by
 * one.
 */
INLINE int32_t lane_of(const void *set, uint64_t key, uint32_t ways, bool wide)
{
	unsigned per = wide ? 4 : 8;

	for (uint32_t at = 0; at < ways; at += per) {
		__m256i v = _mm256_load_si256(
			(const __m256i *)((const char *)set + at * (wide ? 8u : 4u)));
		uint32_t m;

		if (wide) {
			__m256i same = _mm256_cmpeq_epi64(
				_mm256_or_si256(v, _mm256_set1_epi64x(1)),
				_mm256_set1_epi64x((long long)(key | 1)));

			m = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(same));
		} else {
			m = match(v, _mm256_set1_epi32((int)(uint32_t)(key | 1)));
		}
		if (m)
			return (int32_t)at + __builtin_ctz(m);
	}
	return -1;
}

INLINE struct touched touch(void *set, uint64_t key, uint32_t ways, unsigned lanes,
			    bool wide)
{
	if (lanes && !wide)
		return touch_narrow(set, (uint32_t)key, ways, lanes);
	return touch_lane(set, key, ways, lane_of(set, key, ways, wide), wide);
}

INLINE bool mark(void *set, uint64_t key, uint32_t ways, unsigned lanes, bool wide)
{
	return mark_lane(set, lane_of(set, key, lanes ? lanes : ways, wide), wide);
}

/* As in fast_lru_avx512.c, eight keys at a time. */
TARGET static void keep(struct ml_fast_lru *q)
{
	struct fast_lru_events *out = &q->stream[0];
	size_t n = 0, count = q->keys;
	const uint32_t *keys = q->narrow_key;
	__m256i same_set = _mm256_set1_epi32((int)(uint32_t)q->same_set);
	__m256i zero = _mm256_setzero_si256();

	if (q->wide) {
		keep_plain(q);
		return;
	}
	for (size_t i = 0; i < count; i += 8) {
		__builtin_prefetch(q->next_addr + i);
		__builtin_prefetch(q->next_what + i);
		__m256i key = _mm256_loadu_si256((const __m256i *)(keys + i));
		__m256i bits = _mm256_or_si256(_mm256_set1_epi32(~1), key);
		__m256i drop = zero, closed = zero;

		for (int back = 1; back <= FAST_LRU_BACK / 2; back++) {
			__m256i before = _mm256_loadu_si256(
				(const __m256i *)(keys + (ptrdiff_t)i - back));
			__m256i differ = _mm256_xor_si256(key, before);
			__m256i same = _mm256_cmpeq_epi32(_mm256_and_si256(differ, bits),
							  zero);

			drop = _mm256_or_si256(drop, _mm256_andnot_si256(closed, same));
			closed = _mm256_or_si256(
				closed,
				_mm256_cmpeq_epi32(_mm256_and_si256(differ, same_set),
						   zero));
		}
		unsigned kept = ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(drop));
		size_t end = count - i < 8 ? count - i : 8;

		for (size_t k = 0; k < end; k++) {
			event_put(out->key, out->at, n,
				  (struct event){ keys[i + k], q->at[i + k] }, false);
			n += kept >> k & 1;
		}
	}
	out->count = n;
}

const struct fast_lru_ops ml_fast_lru_ops_avx2 = { lines_plain, keep, level };
#endif
