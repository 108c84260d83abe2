/* The LRU simulator that explains, with AVX-512: a row of 16 numbers is one vector. */
#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")))
#include "lib/cache/lru/explain_lru_body.h"

/*
 * A mask as a number. gcc 12 may spill a mask as one byte and then read four as the
 * number (seen at -O1 with sanitizers), so the instruction is given here.
 */
INLINE uint32_t bits_of_8(__mmask8 k)
{
	uint32_t bits;

	__asm__("kmovb %1, %0" : "=r"(bits) : "k"(k));
	return bits;
}

INLINE uint32_t bits_of_16(__mmask16 k)
{
	uint32_t bits;

	__asm__("kmovw %1, %0" : "=r"(bits) : "k"(k));
	return bits;
}

INLINE uint32_t find_line(const uint64_t *row, unsigned lanes, uint64_t line)
{
	__m512i key = _mm512_set1_epi64((long long)line);
	uint32_t m = bits_of_8(_mm512_cmpeq_epi64_mask(_mm512_load_si512(row), key));

	for (unsigned i = 8; i < lanes; i += 8)
		m |= bits_of_8(_mm512_cmpeq_epi64_mask(_mm512_load_si512(row + i), key))
		     << i;
	return m;
}

INLINE uint32_t find_number(const uint32_t *row, unsigned lanes, uint32_t number)
{
	if (lanes == 8)
		return bits_of_8(
			_mm256_cmpeq_epi32_mask(_mm256_load_si256((const __m256i *)row),
						_mm256_set1_epi32((int)number)));
	__m512i key = _mm512_set1_epi32((int)number);
	uint32_t m = bits_of_16(_mm512_cmpeq_epi32_mask(_mm512_load_si512(row), key));

	for (unsigned i = 16; i < lanes; i += 16)
		m |= bits_of_16(_mm512_cmpeq_epi32_mask(_mm512_load_si512(row + i), key))
		     << i;
	return m;
}

/* The lowest of eight numbers, in all lanes. */
INLINE __m256i lowest(__m256i low)
{
	low = _mm256_min_epu32(low, _mm256_permute2x128_si256(low, low, 1));
	low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0x4e));
	return _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0xb1));
}

INLINE unsigned oldest(const uint32_t *times, unsigned lanes)
{
	__m256i low = _mm256_load_si256((const __m256i *)times);

	for (unsigned i = 8; i < lanes; i += 8)
		low = _mm256_min_epu32(low,
				       _mm256_load_si256((const __m256i *)(times + i)));
	uint32_t time = (uint32_t)_mm256_extract_epi32(lowest(low), 0);
	return (unsigned)__builtin_ctz(find_number(times, lanes, time));
}

/* The lanes of eight numbers that are lower than a bound. */
INLINE uint32_t find_below(const uint32_t *row, uint32_t bound)
{
	return bits_of_8(_mm256_cmplt_epu32_mask(_mm256_load_si256((const __m256i *)row),
						 _mm256_set1_epi32((int)bound)));
}

#include "lib/cache/lru/chain_lru_body.h"

const struct chain_lru_ops ml_chain_lru_ops_avx512 = { chain_front, chain_explain,
						       chain_level };
const struct explain_lru_ops ml_explain_lru_ops_avx512 = { &ml_chain_lru_ops_avx512,
							   front, back };
#endif
