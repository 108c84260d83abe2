/*
 * Words of a guest by the number of a byte, eight at a time, for whoever compares them
 * with a track (record/tracks/superblock_follow.h, record/tracks/reference_track.h). Near ones are lanes of two vectors.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>

/* Whoever is compiled for the same has the functions within its own loop. */
#define ML_LANES_TARGET __attribute__((target("avx512f,avx512dq,bmi,popcnt")))

/* Can this machine do it? */
static inline bool ml_lanes_can(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("bmi");
}

/* Lanes of `before` and then of `now`; if far, what stands at word, number << shift. */
ML_LANES_TARGET static inline __m512i ml_lanes(const uint8_t *number, bool far,
					       __m512i before, __m512i now,
					       const uint64_t *word, unsigned shift)
{
	__m512i i = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)number));

	return __builtin_expect(far, 0)
		       ? _mm512_i64gather_epi64(_mm512_slli_epi64(i, shift), word, 8)
		       : _mm512_permutex2var_epi64(before, i, now);
}

/* How far the one is ahead of the other, shifted. */
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
