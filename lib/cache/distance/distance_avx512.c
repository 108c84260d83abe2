/* Stack distance with AVX-512: the window is one vector. */
#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")))
#include "lib/cache/distance/distance_body.h"

TARGET static void differ(struct ml_distance *d, const uint64_t *line, size_t count)
{
	size_t n = 0, i = 0;
	__m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	__m512i last = _mm512_set1_epi64((long long)(d->last - 1));
	__mmask8 any = d->last ? 0 : 1; /* the very first line has none before it */

	for (; i + 8 <= count; i += 8) {
		__m512i v = _mm512_loadu_si512(line + i);
		__m512i before = _mm512_alignr_epi64(v, last, 7);
		__mmask8 kept = _mm512_cmpneq_epi64_mask(v, before) | any;

		_mm512_storeu_si512(d->kept + n, _mm512_maskz_compress_epi64(kept, v));
		_mm256_storeu_si256((__m256i *)(d->at + n),
				    _mm256_maskz_compress_epi32(kept, place));
		n += (unsigned)__builtin_popcount(kept);
		place = _mm256_add_epi32(place, _mm256_set1_epi32(8));
		last = v;
		any = 0;
	}
	if (i)
		d->last = line[i - 1] + 1;
	for (; i < count; i++) {
		d->kept[n] = line[i];
		d->at[n] = (uint32_t)i;
		n += line[i] + 1 != d->last;
		d->last = line[i] + 1;
	}
	d->count = n;
}

/* The scalar loops only load and store; vectors do all the rest. */
TARGET static void trace(struct ml_distance *d)
{
	__m512i place = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
					  14, 15);
	__m512i first = _mm512_set1_epi32((int)d->now);
	__m512i max = _mm512_set1_epi32(DISTANCE_WINDOW);
	__m512i none = _mm512_set1_epi32(
		DISTANCE_USES); /* an index of `again` that nothing reads */
	uint16_t *used = d->used;
	size_t n = 0, count = d->count;

	swap_uses(d);
	for (size_t i = 0; i < count; i += 16) {
		__mmask16 valid = (__mmask16)(count - i < 16 ? (1u << (count - i)) - 1
							     : UINT16_MAX);
		__m512i before = _mm512_loadu_si512(d->before + i);
		__m512i gap = _mm512_sub_epi32(_mm512_add_epi32(first, place), before);
		__mmask16 near = _mm512_mask_cmple_epu32_mask(valid, gap, max);
		__mmask16 far = _kandn_mask16(near, valid);
		__m512i use = _mm512_sub_epi32(_mm512_add_epi32(place, max), gap);

		gap = _mm512_mask_mov_epi32(gap, far, _mm512_set1_epi32(DISTANCE_FAR));
		_mm_storeu_si128((__m128i *)(d->gap + DISTANCE_WINDOW + i),
				 _mm512_cvtepi32_epi8(gap));
		_mm256_storeu_si256(
			(__m256i *)(used + i),
			_mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(none, near, use)));
		_mm512_storeu_si512(d->ask_place + n,
				    _mm512_maskz_compress_epi32(far, place));
		_mm512_storeu_si512(d->ask_when + n,
				    _mm512_maskz_compress_epi32(far, before));
		n += (unsigned)__builtin_popcount(far);
		place = _mm512_add_epi32(place, _mm512_set1_epi32(16));
	}
	for (size_t i = 0; i < count; i++)
		d->again[used[i]] = 1;
	d->ask_count = n;
}

TARGET static void window(struct ml_distance *d)
{
	const uint8_t *gaps = d->gap;

	for (size_t i = 0; i < d->count; i++) {
		uint32_t gap = gaps[DISTANCE_WINDOW + i];
		__m512i min_gap =
			_mm512_load_si512(d->min_gap + (size_t)DISTANCE_WINDOW * gap);
		__mmask64 m = _mm512_cmpge_epu8_mask(_mm512_loadu_si512(gaps + i),
						     min_gap);
		uint32_t near = (uint32_t)__builtin_popcountll(m);

		d->near[i] = (uint8_t)near;
		d->near_hits[i % DISTANCE_TABLES][near_place(gap, near)]++;
	}
}

TARGET static void push(struct ml_distance *d)
{
	uint32_t *slots = d->order.slots + d->order.now, n = 0;

	for (size_t from = 0; from < d->count; from += 64) {
		__m512i again = _mm512_loadu_si512(d->again + from);
		size_t some = d->count - from;
		uint64_t left = _mm512_testn_epi8_mask(again, again) &
				(some < 64 ? ((uint64_t)1 << some) - 1 : UINT64_MAX);

		d->left[from / 64] = left;
		d->left_before[from / 64] = n;
		for (size_t i = 0; i < 64; i += 16) {
			__mmask16 m = (__mmask16)(left >> i);
			__m512i slot = _mm512_loadu_si512(d->slot + from + i);

			_mm512_storeu_si512(slots + n,
					    _mm512_maskz_compress_epi32(m, slot));
			n += (uint32_t)__builtin_popcount(m);
		}
	}
	d->lefts = n;
	push_end(d);
}

const struct distance_ops distance_avx512 = { differ, trace, window, push, ask };
#endif
