/*
 * Compares the references of a program built by `memlamp cc`, pairs of place and address
 * (record/ring.h), with those that a track expects. Each place must be the one expected.
 * An address follows from earlier ones, or is a base and may be anything.
 *
 * ml_reference_follow_plain is the definition; ml_reference_follow_eights compares eight
 * references at a time where the processor can.
 * Held by tests/record/test_reference_follow.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/tracks/join.h"
#include "record/tracks/lanes.h"

enum {
	ML_REFERENCE_PARTS =
		ML_JOIN_PARTS, /* references at most; a byte can count them */
	ML_REFERENCE_LINE = 64,
};

/*
 * What is expected of a reference: its place, and the address of the reference `from`,
 * plus delta, plus the distance of `as` from `since` times a power of two. All three come
 * before it in the track. A base follows from itself.
 */
struct ml_reference_expected {
	uint64_t word; /* the place */
	uint64_t delta;
	uint8_t from, as, since, shift;
	bool base, drift;
};

/* Eight of them for vectors. They are aligned: a load that spans two cache lines costs
 * two. */
struct ml_reference_follow {
	_Alignas(ML_REFERENCE_LINE) uint64_t word[8];
	uint64_t delta[8];
	uint8_t from[8];  /* lanes (lanes.h); if far, indices of references */
	uint8_t bases;    /* mask */
	bool drifts, far; /* are there any? */
	uint8_t as[8], since[8], shift[8]; /* of drifts: lanes or indices, as from */
};

/* Where a track is left. */
struct ml_reference_left {
	unsigned count; /* references that went along it */
	bool wrong;     /* the next one has its place, but another address */
};

/* How many references are read to compare so many by eights. */
static inline size_t ml_reference_follow_reads(size_t count)
{
	return (count + 7) & ~(size_t)7;
}
void ml_reference_follow_make(struct ml_reference_follow *out,
			      const struct ml_reference_expected *ref, size_t count);

/*
 * How far the words go along the track; the first `first` references are known to. The
 * addresses of bases from there on go to value.
 */
static inline struct ml_reference_left
ml_reference_follow_plain(const struct ml_reference_expected *ref, size_t first,
			  size_t count, const uint64_t *w, uint64_t *value)
{
	for (size_t i = first; i < count; i++) {
		const struct ml_reference_expected *r = &ref[i];
		uint64_t moved = w[2 * r->as + 1] - w[2 * r->since + 1];

		if (w[2 * i] != r->word)
			return (struct ml_reference_left){ (unsigned)i, false };
		if (w[2 * i + 1] != w[2 * r->from + 1] + r->delta + (moved << r->shift))
			return (struct ml_reference_left){ (unsigned)i, true };
		if (r->base)
			*value++ = w[2 * i + 1];
	}
	return (struct ml_reference_left){ (unsigned)count, false };
}

#if defined(__x86_64__)
/* The same, reading ml_reference_follow_reads(count) references. value has room for seven
 * more. */
ML_LANES_TARGET static inline struct ml_reference_left
ml_reference_follow_eights(const struct ml_reference_follow *f, size_t count,
			   const uint64_t *w, uint64_t *value)
{
	const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
	const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
	__m512i before = _mm512_setzero_si512();

	for (size_t i = 0; i < count; i += 8, f++) {
		__m512i low = _mm512_loadu_si512(w + 2 * i);
		__m512i high = _mm512_loadu_si512(w + 2 * i + 8);

		/* else compilers load both twice */
		__asm__("" : "+v"(low), "+v"(high));
		__m512i word = _mm512_permutex2var_epi64(low, even, high);
		__m512i addr = _mm512_permutex2var_epi64(low, odd, high);
		__m512i expected = _mm512_load_si512(f->word);
		__m512i want = ml_lanes(f->from, f->far, before, addr, w + 1, 1);

		want = _mm512_add_epi64(want, _mm512_load_si512(f->delta));
		if (f->drifts) {
			__m512i as = ml_lanes(f->as, f->far, before, addr, w + 1, 1);
			__m512i since = ml_lanes(f->since, f->far, before, addr, w + 1,
						 1);

			want = _mm512_add_epi64(want,
						ml_lanes_ahead(as, since, f->shift));
		}
		/* wrong bits of place and address together: one comparison for both */
		__m512i wrong = _mm512_ternarylogic_epi64(
			word, expected, _mm512_xor_si512(addr, want), 0xbe);
		__mmask8 differ = _mm512_test_epi64_mask(wrong, wrong);

		_mm512_storeu_si512(value, _mm512_maskz_compress_epi64(f->bases, addr));
		if (differ) {
			unsigned n = (unsigned)i + (unsigned)__builtin_ctz(differ);
			__mmask8 other = _mm512_cmpneq_epi64_mask(word, expected);

			return (struct ml_reference_left){
				n, !(other & differ & -differ) && n < count
			};
		}
		value += __builtin_popcount(f->bases);
		before = addr;
	}
	return (struct ml_reference_left){ (unsigned)count, false };
}
#endif
