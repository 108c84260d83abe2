/* The LRU simulator that explains, with AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#include "lib/cache/lru/explain_lru_body.h"

INLINE uint32_t find_line(const uint64_t *row, unsigned lanes, uint64_t line)
{
	__m256i key = _mm256_set1_epi64x((long long)line);
	uint32_t m = 0;

	for (unsigned i = 0; i < lanes; i += 4) {
		__m256i same = _mm256_cmpeq_epi64(
			_mm256_load_si256((const __m256i *)(row + i)), key);

		m |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(same)) << i;
	}
	return m;
}

INLINE uint32_t find_equal(const uint32_t *row, unsigned lanes, __m256i key)
{
	uint32_t m = 0;

	for (unsigned i = 0; i < lanes; i += 8) {
		__m256i same = _mm256_cmpeq_epi32(
			_mm256_load_si256((const __m256i *)(row + i)), key);

		m |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)) << i;
	}
	return m;
}

INLINE uint32_t find_number(const uint32_t *row, unsigned lanes, uint32_t number)
{
	return find_equal(row, lanes, _mm256_set1_epi32((int)number));
}

INLINE unsigned oldest(const uint32_t *times, unsigned lanes)
{
	__m256i low = _mm256_load_si256((const __m256i *)times);

	for (unsigned i = 8; i < lanes; i += 8)
		low = _mm256_min_epu32(low,
				       _mm256_load_si256((const __m256i *)(times + i)));
	low = _mm256_min_epu32(low, _mm256_permute2x128_si256(low, low, 1));
	low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0x4e));
	low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0xb1));
	return (unsigned)__builtin_ctz(find_equal(times, lanes, low));
}

/* The lanes of eight numbers that are lower than a bound. */
INLINE uint32_t find_below(const uint32_t *row, uint32_t bound)
{
	__m256i v = _mm256_load_si256((const __m256i *)row);
	__m256i high = _mm256_max_epu32(v, _mm256_set1_epi32((int)bound));

	return ~(uint32_t)_mm256_movemask_ps(
		       _mm256_castsi256_ps(_mm256_cmpeq_epi32(v, high))) &
	       0xff;
}

#include "lib/cache/lru/chain_lru_body.h"

const struct chain_lru_ops ml_chain_lru_ops_avx2 = { chain_front, chain_explain,
						     chain_level };
const struct explain_lru_ops ml_explain_lru_ops_avx2 = { &ml_chain_lru_ops_avx2, front,
							 back };
#endif
