/*
 * Is what a guest writes what a track expects? Eight words at a time. Each word is a
 * constant, or follows by a constant from an earlier one (perhaps itself: then it may be
 * anything), or has drifted from an earlier one as far as two others are apart, times a
 * power of two. The words of bases are picked out on the way.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/lanes.h"

enum { ML_FOLLOW_WORDS = 256 /* of a track at most: an index is a byte */ };

struct ml_follow {
	uint64_t delta[8];
	uint8_t from[8]; /* lane of the eight before and these; if far, the word's index
			  */
	uint8_t values;  /* mask: no constants; the highest bit is never set */
	uint8_t bases;   /* mask */
	uint8_t before;  /* constants before these eight */
	uint8_t done;    /* bases before them */
	bool far, drifts;
	uint8_t as[8], since[8], shift[8]; /* lanes, or indices, of what drifts */
};

/* What is known of a word, as whoever makes a track finds it. */
struct ml_follow_word {
	uint64_t delta; /* or the constant itself */
	uint16_t root;  /* the base that it follows from */
	bool constant, base, drift;
	uint8_t as, since, shift; /* it has drifted by as - since, shifted */
};

/* For so many words; out has room for all. */
void ml_follow_make(struct ml_follow *out, const struct ml_follow_word *word,
		    size_t count);

/* How many words are read for a track of so many. */
static inline size_t ml_follow_reads(size_t count)
{
	return (count + 7) & ~(size_t)7;
}

#if defined(__x86_64__)
/*
 * How many of the words are as expected, of which those before `from` are known to be.
 * The bases among them, and perhaps some words behind, are at bases then, which has room
 * for seven more; those before `from` must be there already.
 */
ML_LANES_TARGET static inline size_t ml_follow_on(const struct ml_follow *f,
						  const uint64_t *w, size_t from,
						  size_t count, uint64_t *bases)
{
	__m512i before = _mm512_setzero_si512();
	__m512i low = _mm512_set1_epi64(INT64_MAX);
	size_t i = from & ~(size_t)7;

	f += i / 8;
	if (i) {
		before = _mm512_loadu_si512(w + i - 8);
		bases += f->done;
	}
	for (; i < count; i += 8, f++) {
		__m512i now = _mm512_loadu_si512(w + i);
		__m512i root = ml_lanes(f->from, f->far, before, now, w, 0);
		/* a value's highest bit is off, so that a header is none */
		__m512i want =
			_mm512_add_epi64(_mm512_maskz_and_epi64(f->values, root, low),
					 _mm512_loadu_si512(f->delta));
		unsigned headers = 0;
		if (f->drifts) {
			__m512i as = ml_lanes(f->as, f->far, before, now, w, 0);
			__m512i since = ml_lanes(f->since, f->far, before, now, w, 0);

			want = _mm512_add_epi64(want,
						ml_lanes_ahead(as, since, f->shift));
			headers = _mm512_movepi64_mask(now) & (unsigned)f->values;
		}
		unsigned differ = _mm512_cmpneq_epi64_mask(now, want) | headers;

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
static inline size_t ml_follow_on(const struct ml_follow *f, const uint64_t *w,
				  size_t from, size_t count, uint64_t *bases)
{
	(void)f, (void)w, (void)from, (void)count, (void)bases;
	return 0;
}
#endif
