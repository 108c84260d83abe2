/*
 * When a head gets a track, and when that track is reviewed: the same for both recorders.
 *
 * A head is a place of the program at which steps keep beginning (a trace head; Bala et
 * al. 2000, Dynamo). A step that begins at a head without a track heats it. Each further
 * step of a hot head is a run for its draft (draft.h), and a full draft gives the track.
 * A track is reviewed from time to time: some more runs are collected, spread over its
 * uses, and a better track may replace it (course.h). Reviews become rare while they
 * change nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	ML_HEAD_HOT = 3, /* inputs of fuzzers are short */
	ML_REVIEW_FIRST = 4,
	ML_REVIEW_APART = 1,
#else
	ML_HEAD_HOT = 100,     /* steps that begin at a head before it is hot */
	ML_REVIEW_FIRST = 256, /* uses of a new track before its first review */
	ML_REVIEW_APART = 7,   /* uses from one collected run to the next */
#endif
	ML_HEAD_TRIES = 24,        /* tracks of a head, one after the other */
	ML_HEAD_TRACKS = 1 << 15,  /* of all heads of a recorded process */
	ML_REVIEW_LATER = 8,       /* the gap grows so many times if nothing changed, */
	ML_REVIEW_LAST = 1 << 15,  /* up to so many uses */
	ML_REVIEW_PATIENCE = 1024, /* uses within which a review must have its runs */
};

struct ml_head {
	uint32_t count; /* steps without a track since the last decision */
	uint16_t tries; /* tracks so far, and drafts that showed none */
	uint16_t draft; /* number + 1 of the draft that it had last; 0: none yet */
};

/* When a track is reviewed. */
struct ml_review {
	uint32_t used; /* uses of the track since the last review */
	uint32_t due;  /* value of used at which the next run is collected */
	uint32_t gap;  /* uses from one review to the next */
};

/* A step begins at a head without a track. True: the step is a run for its draft. */
static inline bool ml_head_heat(struct ml_head *h)
{
	return ++h->count >= ML_HEAD_HOT;
}

/* The head is cold again: it has got a track, or its draft showed none, or (not tried) it
 * has to wait for a draft. */
static inline void ml_head_cool(struct ml_head *h, bool tried)
{
	h->count = 0;
	h->tries = (uint16_t)(h->tries + tried);
}

static inline void ml_review_init(struct ml_review *r)
{
	*r = (struct ml_review){ 0, ML_REVIEW_FIRST, ML_REVIEW_FIRST };
}

/* The track is used. True: this use is a run for its review. */
static inline bool ml_review_use(struct ml_review *r)
{
	return __builtin_expect(++r->used >= r->due, 0);
}

/* The review goes on after so many uses. False: it has taken too long. */
static inline bool ml_review_wait(struct ml_review *r, uint32_t uses)
{
	r->due = r->used + uses;
	return r->used < r->gap + ML_REVIEW_PATIENCE;
}

static inline void ml_review_end(struct ml_review *r, bool changed)
{
	if (!changed)
		r->gap = r->gap < ML_REVIEW_LAST / ML_REVIEW_LATER
				 ? r->gap * ML_REVIEW_LATER
				 : ML_REVIEW_LAST;
	r->used = 0;
	r->due = r->gap;
}
