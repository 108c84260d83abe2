/*
 * Compares the words of a guest under Valgrind with those that a track expects, eight at
 * a time. Each word is a header (record/ring.h), or a value, or both. A value follows by
 * a constant from that of an earlier word, or from itself (then it may be anything), or
 * has drifted from an earlier one as far as two others are apart, times a power of two.
 * The values of bases are picked out on the way.
 * Held by tests/record/test_superblock_follow.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/tracks/lanes.h"
#include "record/ring.h"

enum { ML_SUPERBLOCK_FOLLOW_WORDS = 256 /* of a track at most: an index is a byte */ };

struct ml_superblock_follow {
	uint64_t delta[8];            /* with the header */
	uint8_t from[8];              /* lanes (lanes.h); if far, indices of words */
	uint8_t values, bases, heads; /* masks */
	uint8_t before;               /* headers before these eight */
	uint8_t done;                 /* bases before these eight */
	bool far, drifts;
	uint8_t as[8], since[8], shift[8]; /* of drifts: lanes or indices, as from */
};

/* What is expected of a word. */
struct ml_superblock_follow_word {
	uint64_t head;              /* or 0 */
	uint64_t delta;             /* of the value from that of root */
	uint16_t root;              /* the word that it follows from */
	bool constant, base, drift; /* constant: there is no value */
	uint8_t as, since, shift;   /* a drift: by as - since, shifted */
};

/* Prepares the words of a track. out has room for ml_superblock_follow_reads(count) / 8.
 */
void ml_superblock_follow_make(struct ml_superblock_follow *out,
			       const struct ml_superblock_follow_word *word,
			       size_t count);

/* How many words are read to follow a track of so many. */
static inline size_t ml_superblock_follow_reads(size_t count)
{
	return (count + 7) & ~(size_t)7;
}

#if defined(__x86_64__)
/*
 * How many of the words are as expected; those before `from` are known to be, and their
 * bases are at `bases` already. The other bases are put behind them, and perhaps up to
 * seven more words, for which there must be room.
 */
ML_LANES_TARGET static inline size_t
ml_superblock_follow_on(const struct ml_superblock_follow *f, const uint64_t *w,
			size_t from, size_t count, uint64_t *bases)
{
	__m512i before = _mm512_setzero_si512();
	__m512i low = _mm512_set1_epi64(ML_WORD_VALUE(INT64_MAX));
	size_t i = from & ~(size_t)7;

	f += i / 8;
	if (i) {
		before = _mm512_loadu_si512(w + i - 8);
		bases += f->done;
	}
	for (; i < count; i += 8, f++) {
		__m512i now = _mm512_loadu_si512(w + i);
		__m512i root = ml_lanes(f->from, f->far, before, now, w, 0);
		__m512i value = _mm512_maskz_and_epi64(f->values, root, low);
		unsigned beyond = 0;
		if (f->drifts) {
			__m512i as = ml_lanes(f->as, f->far, before, now, w, 0);
			__m512i since = ml_lanes(f->since, f->far, before, now, w, 0);

			value = _mm512_add_epi64(
				value,
				ml_lanes_ahead(_mm512_and_si512(as, low),
					       _mm512_and_si512(since, low), f->shift));
			beyond = _mm512_cmpgt_epu64_mask(value, low);
		}
		__m512i want = _mm512_add_epi64(value, _mm512_loadu_si512(f->delta));
		unsigned differ = _mm512_cmpneq_epi64_mask(now, want) | beyond;

		_mm512_storeu_si512(bases, _mm512_maskz_compress_epi64(
						   f->bases, _mm512_and_si512(now, low)));
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
static inline size_t ml_superblock_follow_on(const struct ml_superblock_follow *f,
					     const uint64_t *w, size_t from, size_t count,
					     uint64_t *bases)
{
	(void)f, (void)w, (void)from, (void)count, (void)bases;
	return 0;
}
#endif
