/* Stack distance with AVX-512: the front is two vectors, which stay in registers. */
#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")))
#include "lib/cache/distance_body.h"

TARGET static void differ(struct ml_distance *d, const uint64_t *line, size_t count)
{
	size_t n = 0, i = 0;
	__m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	__m512i last = _mm512_set1_epi64((long long)(d->last - 1));
	__mmask8 any = d->last ? 0 : 1; /* the very first differs from nothing */

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

/*
 * The two lines used last are kept apart, in `now` and `before`: loops go to and fro
 * between two lines so often that a branch is worth while, and the vectors, in which
 * each step waits for the one before, need not be touched then. Their lanes 0 and 1 mean
 * nothing. (What differ left is never the line used last.)
 */
TARGET static void front(struct ml_distance *d, uint32_t *distance)
{
	enum { BEFORE = 1 << 1, OTHERS = 0xfffc }; /* lanes */
	__m512i near = _mm512_loadu_si512(d->front),
		far = _mm512_loadu_si512(d->front + 16);
	uint32_t now = d->front[0], before = d->front[1];
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++) {
		uint32_t slot = d->slot[i], at = d->at[i];

		if (slot == before) {
			before = now;
			now = slot;
			d->front_hits[1]++;
			if (distance)
				distance[at] = 1;
			continue;
		}
		near = _mm512_mask_set1_epi32(near, BEFORE, (int)before);
		__m512i want = _mm512_set1_epi32((int)slot);
		/* in mask registers: each step waits for the one before, and moving to
		 * others and back takes longer */
		__mmask32 m =
			_mm512_kunpackw(_mm512_cmpeq_epi32_mask(far, want),
					_mm512_mask_cmpeq_epi32_mask(OTHERS, near, want));
		__mmask32 move = _kxor_mask32(m, _kadd_mask32(m, UINT32_MAX));
		unsigned found = (unsigned)__builtin_ctzll(m | (uint64_t)1
								       << DISTANCE_FRONT);
		uint32_t fallen =
			(uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(far, 3), 3);

		far = _mm512_mask_alignr_epi32(far, (__mmask16)_kshiftri_mask32(move, 16),
					       far, near, 15);
		near = _mm512_mask_alignr_epi32(near, (__mmask16)move, near, want, 15);
		before = now;
		now = slot;
		d->front_hits[found]++;
		d->asks[n] = (struct distance_ask){ slot, fallen, at, 0 };
		n += found == DISTANCE_FRONT;
		if (distance)
			distance[at] = found; /* of a miss this changes later */
	}
	_mm512_storeu_si512(d->front, near);
	_mm512_storeu_si512(d->front + 16, far);
	d->front[0] = now;
	d->front[1] = before;
	d->ask_count = n;
}

const struct distance_ops distance_avx512 = { differ, front, ask };
#endif
