/*
 * Is what a guest writes what a track expects? Eight words at a time. Each word is a
 * constant, or follows by a constant from an earlier one (perhaps itself: then it may be
 * anything), and the words of bases are picked out on the way.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ML_FOLLOW_WORDS = 256 /* of a track at most: an index is a byte */ };

struct ml_follow {
	uint64_t delta[8];
	uint8_t from[8]; /* lane of the eight before and these; if far, the word's index
			  */
	uint8_t values;  /* mask: no constants; the highest bit is never set */
	uint8_t bases;   /* mask */
	bool far;
};

/* What is known of a word, as whoever makes a track finds it. */
struct ml_follow_word {
	uint64_t delta; /* or the constant itself */
	uint16_t root;  /* the base that it follows from */
	bool constant, base;
};

/* For so many words; out has room for all. */
void ml_follow_make(struct ml_follow *out, const struct ml_follow_word *word,
		    size_t count);

/* Can this machine do it? */
bool ml_follow_can(void);
/* How many words are read for a track of so many. */
static inline size_t ml_follow_reads(size_t count)
{
	return (count + 7) & ~(size_t)7;
}
/*
 * How many of the words are as expected. The bases among them, and perhaps some words
 * behind, are at bases then, which has room for seven more.
 */
size_t ml_follow(const struct ml_follow *f, const uint64_t *w, size_t count,
		 uint64_t *bases);
