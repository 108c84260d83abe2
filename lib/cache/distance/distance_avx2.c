/* Stack distance with AVX2: the window is two vectors. */
#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#include "lib/cache/distance/distance_body.h"

/* A bit for each use of half a window whose gap is large enough. */
TARGET static inline uint64_t reaching(const uint8_t *gaps, const uint8_t *min_gap)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)gaps);
	__m256i l = _mm256_load_si256((const __m256i *)min_gap);

	return (uint32_t)_mm256_movemask_epi8(
		_mm256_cmpeq_epi8(_mm256_max_epu8(v, l), v));
}

TARGET static void window(struct ml_distance *d)
{
	const uint8_t *gaps = d->gap;

	for (size_t i = 0; i < d->count; i++) {
		uint32_t gap = gaps[DISTANCE_WINDOW + i];
		const uint8_t *min_gap = d->min_gap + (size_t)DISTANCE_WINDOW * gap;
		uint64_t m = reaching(gaps + i, min_gap) |
			     reaching(gaps + i + 32, min_gap + 32) << 32;
		uint32_t near = (uint32_t)__builtin_popcountll(m);

		d->near[i] = (uint8_t)near;
		d->near_hits[i % DISTANCE_TABLES][near_place(gap, near)]++;
	}
}

const struct distance_ops distance_avx2 = { differ_plain, trace_plain, window, push_plain,
					    ask };
#endif
