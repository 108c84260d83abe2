/*
 * A draft collects runs from a head (head.h): what the recorded program did the times
 * that it came by. When the draft is full, course.h finds the course that most runs took.
 *
 * A run is a row of parts. Each part has a symbol that says what ran, and the values of
 * its bases. The recorders choose what a part is: a superblock, or a reference.
 *
 * The number of drafts is limited. A head whose runs stop coming loses its draft to
 * another.
 * Held by tests/record/test_draft.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "record/tracks/join.h"

struct ml_head;

enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	ML_DRAFT_RUNS = 4, /* inputs of fuzzers are short */
#else
	ML_DRAFT_RUNS = ML_JOIN_RUNS,
#endif
	ML_DRAFTS = 128, /* at the same time */
};

struct ml_run {
	unsigned parts;
	uint64_t symbol[ML_JOIN_PARTS];
	uint16_t values[ML_JOIN_PARTS]; /* up to and with each part */
	uint64_t value[ML_JOIN_SLOTS];
};

struct ml_draft {
	uint64_t owner;    /* the key of its head; 0: the draft is free */
	const void *track; /* under review; NULL: the head has no track */
	uint64_t seen;     /* time (struct ml_drafts) of its last run */
	unsigned runs;
	struct ml_run run[ML_DRAFT_RUNS];
};

/* The drafts of a recorded process. All zero: there are none yet. */
struct ml_drafts {
	struct ml_draft *at[ML_DRAFTS];
	unsigned count;
	uint8_t free[ML_DRAFTS]; /* numbers of free ones; the last is still in the cache
				  */
	unsigned frees;
	unsigned next; /* where the search for one without runs goes on */
	uint64_t time; /* runs of all drafts, and requests in vain */
	struct ml_arena arena;
};

void ml_drafts_release(struct ml_drafts *all);
/*
 * The draft of a head for the review of a track, or for its first track (NULL). Returns
 * NULL while the head reviews another track or all drafts are in use, and for good once
 * the head has had its tries. Keys tell heads apart, and are not 0.
 */
struct ml_draft *ml_drafts_get(struct ml_drafts *all, struct ml_head *head, uint64_t key,
			       const void *track);
/* Takes its draft, if there is one, from the head. */
void ml_drafts_drop(struct ml_drafts *all, struct ml_head *head, uint64_t key);
/* Takes their drafts from all heads. */
void ml_drafts_clear(struct ml_drafts *all);

/* The run to be filled in next, then added by ml_draft_add. */
static inline struct ml_run *ml_draft_next(struct ml_draft *d)
{
	return &d->run[d->runs];
}

/* Adds the run. True: the draft is full. */
static inline bool ml_draft_add(struct ml_draft *d)
{
	return ++d->runs == ML_DRAFT_RUNS;
}
