/*
 * Gathers eight words of the ring by their indices, for the two followers of tracks
 * (superblock_follow.h, reference_follow.h). An index is a byte. Words that are near, in
 * these eight or the eight before, are lanes of two vectors; far ones are loaded.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>

/* Functions with this attribute can inline those below. */
#define ML_LANES_TARGET __attribute__((target("avx512f,avx512dq,bmi,popcnt")))

/* Does this processor have the instructions? */
static inline bool ml_lanes_can(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("bmi");
}

/* Index 0 to 7: a lane of `before`; 8 to 15: of `now`. If far, index i means word[i <<
 * shift]. */
ML_LANES_TARGET static inline __m512i ml_lanes(const uint8_t *index, bool far,
					       __m512i before, __m512i now,
					       const uint64_t *word, unsigned shift)
{
	__m512i i = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)index));

	return __builtin_expect(far, 0)
		       ? _mm512_i64gather_epi64(_mm512_slli_epi64(i, shift), word, 8)
		       : _mm512_permutex2var_epi64(before, i, now);
}

/* (one - other) << shift, by lane. */
ML_LANES_TARGET static inline __m512i ml_lanes_ahead(__m512i one, __m512i other,
						     const uint8_t *shift)
{
	return _mm512_sllv_epi64(
		_mm512_sub_epi64(one, other),
		_mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)shift)));
}
#else
#define ML_LANES_TARGET

static inline bool ml_lanes_can(void)
{
	return false;
}
#endif
