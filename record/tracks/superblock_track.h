/*
 * A track: what is expected to run behind a superblock, known as the words that the
 * guest will write. Each is the one expected, or follows from an earlier one, or is the
 * value of a base and may be anything. What is followed as far as its n-th part is one
 * step of the trace.
 *
 * What each step needs lies together; what tracks are made from, elsewhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/tracks/superblock_follow.h"
#include "record/tracks/superblock_draft.h"
#include "record/tracks/superblock_steps.h"
#include "record/ring.h"

enum { ML_GUEST_NO_SP = UINT8_MAX };

/* Where a track may be left: behind each part. */
struct ml_guest_end {
	uint8_t words, bases, slots; /* up to here */
	uint8_t sp;                  /* word that tells the stack pointer */
	uint16_t next; /* the header of the next part if it is brief, or 0 */
	bool returns : 1, early : 1;
	bool side : 1; /* there are side tracks */
	int32_t sp_delta;
	uint32_t call; /* last call in the user's code; 0: none */
};

/*
 * Another track that goes on where one is left. It has the same parts up to there,
 * joined in the same way, and is followed instead if its next superblock comes.
 */
struct ml_guest_side {
	struct ml_superblock_track
		*track; /* or NULL; a third is at the side of that one */
	uint64_t head;  /* of its part behind there */
};

/* What is known of a word: its header, and that its value is the one at `from` (which may
 * be itself) plus delta, or that it has none. */
struct ml_guest_link {
	uint64_t delta; /* with the header */
	uint16_t from;
	bool head, constant;
};

/* A word that drifts as others do, by the words of the bases of a struct ml_drift. */
struct ml_guest_drift {
	uint8_t at, like, as, from, shift;
};

struct ml_superblock_track {
	uint64_t head;
	uint32_t path;      /* of its first exit; path + k has k + 1 parts */
	uint32_t used, due; /* times since it was looked at, and when it will be next */
	uint16_t words;
	uint8_t last_words; /* when it was left the last time, */
	uint8_t last;       /* behind how many parts; 0: that takes more than the words */
	uint8_t parts, drifts, bases;
	uint8_t where;   /* enum ml_guest_where */
	uint8_t shared;  /* parts that are as in the track at whose side it is */
	uint8_t looks;   /* so far */
	uint8_t watched; /* parts behind which others are looked for; 0: none */
	struct ml_guest_end *end;
	const struct ml_guest_drift *drift;
	uint16_t *left; /* how often it was left for the value of each word, and then:
			   how often behind no part, one, two, ... */
	struct ml_guest_side *side;         /* of each end */
	struct ml_superblock_track **place; /* where it is held */
	struct ml_guest_start *start;
	struct ml_guest_course *course;
	const struct ml_guest_link *link; /* the same as eight, for machines without */
	const uint8_t *base;              /* word that each base is */
	const struct ml_link *join;       /* how it was joined: its links */
	const struct ml_drift *moves;     /* and drifts */
	uint32_t gap;                     /* uses from one look to the next */
	struct ml_superblock_follow eight[];
};

/* A track of the course of which the draft has runs, with the first `same` parts joined
 * as those of another are. */
struct ml_superblock_track *ml_superblock_track_make(struct ml_superblock_steps *g,
						     const struct ml_superblock_draft *d,
						     const struct ml_guest_course *c,
						     const struct ml_superblock_track *as,
						     unsigned same);
/* How many counts it has of where it was left. */
static inline size_t ml_superblock_track_leavings(const struct ml_superblock_track *t)
{
	return t->words + t->parts + 1u;
}
/* Words that often were not what they should follow from are free. Returns the parts
 * before the first of them. */
unsigned ml_superblock_track_learn(struct ml_superblock_track *t);
/* How many words are as the track has them; the bases among them go to value. */
size_t ml_superblock_track_words(const struct ml_superblock_track *t, const uint64_t *w,
				 size_t room, uint64_t *value);

/* How many parts that is. One that should be left early must have been. */
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
 * The same, if there are all these words to be read. Often it is left where it was the
 * last time. That is asked by a branch, so that the machine guesses it, and is at the
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
 * What to count when it is left behind n parts (t->left): the value of a word, if only
 * that is another; one that is not there, as its superblock was left early, is not.
 */
static inline uint16_t *ml_superblock_track_left(const struct ml_superblock_track *t,
						 size_t n, const uint64_t *w,
						 size_t words, size_t room)
{
	bool header = words >= t->words || (words < room && w[words] >> 63);
	bool same = n && words < room && w[words] >> ML_BRIEF_SHIFT == t->end[n - 1].next;

	return &t->left[header && !same ? t->words + n : words];
}

/* The track that goes on as w does where this one is left, behind n parts; or NULL. */
static inline struct ml_superblock_track *
ml_superblock_track_side(const struct ml_superblock_track *t, size_t n, const uint64_t *w,
			 size_t room)
{
	size_t words = t->end[n - 1].words;

	if (!t->end[n - 1].side || words >= room)
		return NULL;
	const struct ml_guest_side *s = &t->side[n - 1];
	while (s->track && s->head != ml_word_head(w[words]))
		s = &s->track->side[n - 1];
	return s->track;
}
