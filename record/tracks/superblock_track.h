/*
 * A track of superblocks: the words that the guest is expected to write from a head on.
 * Each word is the one expected, or follows from an earlier one, or is the value of a
 * base and may be anything. Words that follow the track as far as its n-th part are one
 * step of the trace.
 *
 * superblock_match.h compares words with a track. The fields that each step needs lie
 * together.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/ring.h"
#include "record/tracks/course.h"
#include "record/tracks/head.h"
#include "record/tracks/superblock_follow.h"
#include "record/tracks/superblocks.h"

enum {
	ML_SUPERBLOCK_PARTS = 56, /* superblocks of a track at most */
	ML_SUPERBLOCK_WORDS = ML_SUPERBLOCK_PARTS + ML_JOIN_SLOTS,
	ML_SUPERBLOCK_NO_SP = UINT8_MAX,
};

/* Where a track may be left: behind each part. */
struct ml_superblock_end {
	uint8_t words, bases, slots; /* up to here */
	uint8_t sp;                  /* word that tells the stack pointer */
	uint16_t next; /* the header of the next part if it is brief, or 0 */
	bool returns : 1, early : 1;
	bool side : 1; /* there are side tracks */
	int32_t sp_delta;
	uint32_t call; /* last call in the user's code; 0: none */
};

/*
 * A side track goes on where another track is often left (a side exit). It has the same
 * parts up to there, joined in the same way, and is followed if its next superblock
 * comes.
 */
struct ml_superblock_side {
	struct ml_superblock_track *track; /* or NULL; its own side is the next choice */
	uint64_t head;                     /* of its part behind the exit */
};

/* What is expected of a word: a header, and a value that is the one at `from` (which may
 * be itself) plus delta, or no value. */
struct ml_superblock_word {
	uint64_t delta; /* with the header */
	uint16_t from;
	bool head, constant; /* constant: there is no value */
};

/* A word whose value drifts as others do: a struct ml_drift by the words of its bases. */
struct ml_superblock_drift {
	uint8_t at, like, as, from, shift;
};

struct ml_superblock_track {
	uint64_t head;
	uint32_t path; /* of its first exit; path + k has k + 1 parts */
	struct ml_review review;
	uint16_t words;
	uint8_t last_words; /* words that went along it the last time, */
	uint8_t last;       /* and parts; 0: the words alone do not tell */
	uint8_t parts, drifts, bases;
	uint8_t where;   /* enum ml_superblock_where */
	uint8_t shared;  /* number of parts that it shares with the track that it branches
			    off */
	uint8_t reviews; /* so far */
	uint8_t watched; /* parts behind which the review seeks a side track; 0: none */
	struct ml_superblock_end *end;
	const struct ml_superblock_drift *drift;
	uint16_t *left; /* counters: by word, how often the track was left because of its
			   value; then how often behind 0, 1, 2, ... parts */
	struct ml_superblock_side *side; /* of each end */
	/* the pointer through which the head finds the track */
	struct ml_superblock_track **place;
	struct ml_superblock_head *start;
	struct ml_course course;
	const struct ml_superblock_word
		*link;       /* the words for machines without vectors */
	const uint8_t *base; /* word that each base is */
	struct ml_superblock_follow eight[];
};

/* The guest's number of a superblock, and its path, as the symbol of a part. */
static inline uint64_t ml_superblock_symbol(uint32_t id, uint32_t path)
{
	return (uint64_t)id << 32 | path;
}
static inline uint32_t ml_superblock_id(uint64_t symbol)
{
	return (uint32_t)(symbol >> 32);
}

/* A track of a joined course. Its path, head and place are still to be set. */
struct ml_superblock_track *ml_superblock_track_make(const struct ml_superblocks *known,
						     const struct ml_course *c,
						     struct ml_arena *arena);
/* Counters of where it was left. */
static inline size_t ml_superblock_track_leavings(const struct ml_superblock_track *t)
{
	return t->words + t->parts + 1u;
}
/* Frees the values that were often wrong, for later courses (ml_course_learn). */
unsigned ml_superblock_track_learn(struct ml_superblock_track *t);
