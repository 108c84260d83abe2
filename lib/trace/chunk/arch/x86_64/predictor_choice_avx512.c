#include "lib/trace/chunk/predictor_choice.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512vl")))

_Static_assert(ML_LAGS == 8, "a vector holds the values of all lags");

/* As in predictor_choice.c, with all lags in one vector. */
static inline TARGET void compare(struct ml_predictor_trial *t, const uint64_t *v)
{
	const __m512i half = _mm512_set1_epi64(0x8000),
		      range = _mm512_set1_epi64(0x10000);
	uint64_t delta = *v - t->value, residual = delta - t->stride;
	__m512i deltas = _mm512_set1_epi64((int64_t)delta);
	__m512i moved = _mm512_sub_epi64(_mm512_loadu_si512(v - ML_LAGS),
					 _mm512_loadu_si512(t->before));

	t->alone += (uint32_t)(residual == 0) * ML_WORTH_NOTHING +
		    (uint32_t)(residual + 0x8000 < 0x10000) * ML_WORTH_LITTLE;
	ml_predictor_vote(t, delta);
	for (int shift = 0; shift < ML_LAG_SHIFTS; shift++) {
		__m512i left = _mm512_sub_epi64(deltas, moved);
		__mmask8 nothing = _mm512_testn_epi64_mask(left, left);
		__mmask8 little = _mm512_cmplt_epu64_mask(_mm512_add_epi64(left, half),
							  range);
		__m256i with = _mm256_loadu_si256((const void *)t->with[shift]);

		with = _mm256_mask_add_epi32(with, nothing, with,
					     _mm256_set1_epi32(ML_WORTH_NOTHING));
		with = _mm256_mask_add_epi32(with, little, with,
					     _mm256_set1_epi32(ML_WORTH_LITTLE));
		_mm256_storeu_si256((void *)t->with[shift], with);
		moved = _mm512_add_epi64(moved, moved); /* the next shift */
	}
	t->count++;
}

TARGET void ml_predictor_choice_try_avx512(struct ml_predictor_choice *b,
					   const uint32_t *state, const uint64_t *v,
					   size_t count)
{
	for (size_t i = 0; i < count; i++, v++) {
		struct ml_predictor_trial *t = &b->trials[state[i]];

		if (__builtin_expect(t->chunk == b->chunk, 1))
			compare(t, v);
		else
			*t = (struct ml_predictor_trial){ .chunk = b->chunk };
		t->value = *v;
		_mm512_storeu_si512(t->before, _mm512_loadu_si512(v - ML_LAGS));
	}
}
#endif
