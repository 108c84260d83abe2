/*
 * Words of the guest against a track (superblock_track.h): how far they go along it, and
 * where they go on.
 */
#pragma once

#include "record/tracks/superblock_track.h"

/* How many words are as the track has them; the bases among them go to value. */
size_t ml_superblock_track_words(const struct ml_superblock_track *t, const uint64_t *w,
				 size_t room, uint64_t *value);

/* How many parts the words are. A part that is left early must be left there. */
static inline size_t ml_superblock_track_parts(const struct ml_superblock_track *t,
					       const uint64_t *w, size_t words,
					       size_t room)
{
	const struct ml_superblock_follow *f = &t->eight[words / 8];
	size_t n = t->parts;

	/* the part that it is left in, or at the header of, does not count */
	if (words < t->words)
		n = f->before +
		    (size_t)__builtin_popcount(f->heads & ((2u << words % 8) - 1)) - 1;
	if (n && t->end[n - 1].early && words == t->end[n - 1].words && words < room &&
	    !(w[words] >> 63))
		n--;
	return n;
}

/*
 * The same, if all words of the track can be read. Often a track is left where it was
 * left the last time. A branch asks for that: the processor guesses it, and is at the
 * next step before it knows where this one ended.
 */
static inline size_t ml_superblock_track_again(struct ml_superblock_track *t,
					       const uint64_t *w, size_t *words)
{
	if (*words == t->last_words && t->last) {
		*words = t->last_words;
		__asm__ volatile("" : "+r"(*words)); /* no select instead of a branch */
		return t->last;
	}
	size_t n = ml_superblock_track_parts(t, w, *words, SIZE_MAX);
	bool early = (n && t->end[n - 1].early) ||
		     (n < t->parts && t->end[n].words == *words);
	t->last_words = (uint8_t)*words;
	t->last = early ? 0 : (uint8_t)n;
	return n;
}

/*
 * The counter for leaving the track behind n parts (t->left): that of a word if only its
 * value was another. A word that is missing because its superblock was left early does
 * not count.
 */
static inline uint16_t *ml_superblock_track_left(const struct ml_superblock_track *t,
						 size_t n, const uint64_t *w,
						 size_t words, size_t room)
{
	bool header = words >= t->words || (words < room && w[words] >> 63);
	bool same = n && words < room && w[words] >> ML_BRIEF_SHIFT == t->end[n - 1].next;

	return &t->left[header && !same ? t->words + n : words];
}

/* The side track that goes on as w does behind n parts, or NULL. */
static inline struct ml_superblock_track *
ml_superblock_track_side(const struct ml_superblock_track *t, size_t n, const uint64_t *w,
			 size_t room)
{
	size_t words = t->end[n - 1].words;

	if (!t->end[n - 1].side || words >= room)
		return NULL;
	const struct ml_superblock_side *s = &t->side[n - 1];
	while (s->track && s->head != ml_word_head(w[words]))
		s = &s->track->side[n - 1];
	return s->track;
}
