#include "lib/trace/chunk/residuals.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,bmi2,popcnt")))

/* The lanes of x in mask, moved to the low end. */
#define LANES(mask, x) _mm512_maskz_compress_epi64(mask, x)

static TARGET void put(struct ml_residuals *out, const int64_t *residual, size_t count)
{
	struct ml_residuals r =
		*out; /* a copy stays in registers: *out may alias stores */
	const __m512i min = _mm512_set1_epi64(INT32_MIN);

	for (size_t i = 0; i < count; i += 8) {
		__m512i x = _mm512_loadu_si512(residual + i);
		__m512i as1 = _mm512_cvtepi8_epi64(_mm512_cvtepi64_epi8(x));
		__m512i as2 = _mm512_cvtepi16_epi64(_mm512_cvtepi64_epi16(x));
		__m512i as4 = _mm512_cvtepi32_epi64(_mm512_cvtepi64_epi32(x));
		unsigned some = _mm512_test_epi64_mask(x, x);
		unsigned over1 = _mm512_cmpneq_epi64_mask(x, as1);
		__mmask8 d4 = _mm512_cmpneq_epi64_mask(x, as2);
		__mmask8 far = _mm512_cmpneq_epi64_mask(x, as4) |
			       _mm512_cmpeq_epi64_mask(x, min);
		__mmask8 d1 = (__mmask8)(some & ~over1), d2 = (__mmask8)(over1 & ~d4);
		uint32_t codes = _pdep_u32(d1 | d4, 0x5555) | _pdep_u32(d2 | d4, 0xaaaa);

		memcpy(r.codes, &codes, 2);
		r.codes += 2;
		_mm_storel_epi64((void *)r.d1, _mm512_cvtepi64_epi8(LANES(d1, x)));
		r.d1 += __builtin_popcount(d1);
		_mm_storeu_si128((void *)r.d2, _mm512_cvtepi64_epi16(LANES(d2, x)));
		r.d2 += 2 * __builtin_popcount(d2);
		if (__builtin_expect(far, 0)) {
			_mm512_storeu_si512(r.d8, LANES(far, x));
			r.d8 += 8 * __builtin_popcount(far);
			x = _mm512_mask_mov_epi64(x, far, min);
		}
		_mm256_storeu_si256((void *)r.d4, _mm512_cvtepi64_epi32(LANES(d4, x)));
		r.d4 += 4 * __builtin_popcount(d4);
	}
	*out = r;
}

static TARGET void get(struct ml_residuals *in, int64_t *residual, size_t count)
{
	struct ml_residuals r = *in;
	const __m512i min = _mm512_set1_epi64(INT32_MIN);

	for (size_t i = 0; i < count; i += 8) {
		uint16_t codes;

		memcpy(&codes, r.codes, 2);
		r.codes += 2;
		unsigned low = _pext_u32(codes, 0x5555), high = _pext_u32(codes, 0xaaaa);
		__mmask8 d1 = (__mmask8)(low & ~high), d2 = (__mmask8)(high & ~low);
		__mmask8 d4 = (__mmask8)(low & high);
		__m512i x = _mm512_maskz_expand_epi64(
			d1, _mm512_cvtepi8_epi64(_mm_loadl_epi64((void *)r.d1)));
		x = _mm512_mask_expand_epi64(
			x, d2, _mm512_cvtepi16_epi64(_mm_loadu_si128((void *)r.d2)));
		x = _mm512_mask_expand_epi64(
			x, d4, _mm512_cvtepi32_epi64(_mm256_loadu_si256((void *)r.d4)));
		__mmask8 far = _mm512_mask_cmpeq_epi64_mask(d4, x, min);
		if (__builtin_expect(far, 0)) {
			x = _mm512_mask_expand_epi64(x, far, _mm512_loadu_si512(r.d8));
			r.d8 += 8 * __builtin_popcount(far);
		}
		_mm512_storeu_si512(residual + i, x);
		r.d1 += __builtin_popcount(d1);
		r.d2 += 2 * __builtin_popcount(d2);
		r.d4 += 4 * __builtin_popcount(d4);
	}
	*in = r;
}

const struct ml_residuals_ops ml_residuals_avx512 = { put, get };
#endif
