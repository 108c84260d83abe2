/* The LRU simulator that does not explain, with AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2")))
#include "lib/cache/lru/lean_lru_body.h"

INLINE unsigned equal4(const uint64_t *row, __m256i key)
{
	__m256i have = _mm256_andnot_si256(_mm256_set1_epi64x((long long)LEAN_FLAGS),
					   _mm256_load_si256((const __m256i *)row));

	return (unsigned)_mm256_movemask_pd(
		_mm256_castsi256_pd(_mm256_cmpeq_epi64(have, key)));
}

INLINE int find_key(const uint64_t *row, unsigned lanes, uint64_t key)
{
	__m256i wanted = _mm256_set1_epi64x((long long)key);

	for (unsigned i = 0; i < lanes; i += LEAN_LANES) {
		unsigned m = equal4(row + i, wanted) | equal4(row + i + 4, wanted) << 4;

		if (m)
			return (int)(i + (unsigned)__builtin_ctz(m));
	}
	return LEAN_NOWHERE;
}

/* Four places at a time, from the last: those behind `count` stay. */
INLINE void make_way(uint64_t *row, unsigned count)
{
	const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);

	for (unsigned i = count & ~3u;; i -= 4) {
		__m256i *to = (__m256i *)(row + i);
		__m256i left = _mm256_set1_epi64x((long long)(count - i));
		__m256i stays = _mm256_cmpgt_epi64(lanes, left);
		__m256i moved = _mm256_loadu_si256((const __m256i *)(row + i - 1));

		_mm256_store_si256(
			to, _mm256_blendv_epi8(moved, _mm256_load_si256(to), stays));
		if (!i)
			return;
	}
}

const struct lean_lru_ops ml_lean_lru_ops_avx2 = { run };
#endif
