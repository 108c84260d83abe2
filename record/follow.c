#include "record/follow.h"

#include <string.h>

/* The word nearest before i that follows from the same base: near ones are cheap. */
static size_t nearest(const struct ml_follow_word *word, size_t i)
{
	for (size_t k = i; k-- > 0;)
		if (!word[k].constant && word[k].root == word[i].root)
			return k;
	return i;
}

void ml_follow_make(struct ml_follow *out, const struct ml_follow_word *word,
		    size_t count)
{
	for (size_t i = 0; i < ml_follow_reads(count); i++) {
		struct ml_follow *f = &out[i / 8];
		unsigned lane = i % 8;

		if (!lane)
			memset(f, 0, sizeof(*f));
		/* behind the end: what no guest says */
		f->delta[lane] = i < count ? word[i].delta : UINT64_MAX;
		if (i >= count || word[i].constant)
			continue;
		size_t from = nearest(word, i);
		f->values |= (uint8_t)(1u << lane);
		f->bases |= (uint8_t)(word[i].base << lane);
		f->delta[lane] = from == i ? 0 : word[i].delta - word[from].delta;
		f->from[lane] = (uint8_t)from;
		f->far |= from / 8 + 1 < i / 8;
	}
	for (size_t i = 0; i < count; i++) {
		struct ml_follow *f = &out[i / 8];

		if (!f->far && f->values >> i % 8 & 1)
			f->from[i % 8] = (uint8_t)(f->from[i % 8] + 8 - i / 8 * 8);
	}
}

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq,bmi,popcnt")))

bool ml_follow_can(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("bmi");
}

TARGET size_t ml_follow(const struct ml_follow *f, const uint64_t *w, size_t count,
			uint64_t *bases)
{
	__m512i before = _mm512_setzero_si512();
	__m512i low = _mm512_set1_epi64(INT64_MAX);

	for (size_t i = 0; i < count; i += 8, f++) {
		__m512i now = _mm512_loadu_si512(w + i);
		__m512i at = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)f->from));
		__m512i from = __builtin_expect(f->far, 0)
				       ? _mm512_i64gather_epi64(at, w, 8)
				       : _mm512_permutex2var_epi64(before, at, now);
		/* a value's highest bit is off, so that a header is none */
		__m512i want =
			_mm512_add_epi64(_mm512_maskz_and_epi64(f->values, from, low),
					 _mm512_loadu_si512(f->delta));
		unsigned differ = _mm512_cmpneq_epi64_mask(now, want);

		_mm512_storeu_si512(bases, _mm512_maskz_compress_epi64(f->bases, now));
		if (differ) {
			i += (size_t)__builtin_ctz(differ);
			return i < count ? i : count;
		}
		bases += __builtin_popcount(f->bases);
		before = now;
	}
	return count;
}
#else
bool ml_follow_can(void)
{
	return false;
}

size_t ml_follow(const struct ml_follow *f, const uint64_t *w, size_t most,
		 uint64_t *bases)
{
	(void)f, (void)w, (void)most, (void)bases;
	return 0;
}
#endif
