/*
 * What may become a track: some runs from a superblock that often begins something, and
 * the course that most of them took. Where they part ways, the more frequent one is
 * followed, so a track fits many runs to some length and not just one to its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/tracks/join.h"

struct ml_guest_start;
struct ml_superblock_steps;
struct ml_superblock_track;

enum {
	ML_GUEST_PARTS = ML_JOIN_PARTS, /* superblocks of a track at most */
	ML_GUEST_WORDS = ML_GUEST_PARTS + ML_JOIN_SLOTS,
	ML_DRAFTS_AT_ONCE = 256, /* that are being made at once */
};

struct ml_guest_run {
	unsigned parts;
	uint32_t path[ML_GUEST_PARTS], id[ML_GUEST_PARTS];
	uint16_t end[ML_GUEST_PARTS]; /* words up to and with each part */
	uint64_t word[ML_GUEST_WORDS];
};

struct ml_superblock_draft {
	struct ml_guest_start *of;         /* NULL: free for another */
	struct ml_superblock_track *track; /* that is looked at, or NULL */
	uint64_t time;                     /* in runs of all drafts: when it began */
	unsigned runs;
	struct ml_guest_run run[ML_JOIN_RUNS];
};

/* Drafts are used again and again. */
struct ml_superblock_drafts {
	struct ml_superblock_draft *at[ML_DRAFTS_AT_ONCE];
	unsigned count;
	uint64_t time;
};

/* What a track is made of. */
struct ml_guest_course {
	unsigned parts;
	uint32_t path[ML_GUEST_PARTS], id[ML_GUEST_PARTS];
	uint16_t end[ML_GUEST_PARTS];
	uint8_t free[ML_GUEST_WORDS]; /* enum ml_join_free, of each word */
};

/* Begins s->draft, for a track of it or NULL. False: all are in use, or s has one. */
bool ml_superblock_draft_begin(struct ml_superblock_steps *g, struct ml_guest_start *s,
			       struct ml_superblock_track *t);
void ml_superblock_draft_end(struct ml_superblock_draft *d);
/* Adds the run at w, of which ML_GUEST_WORDS can be read, if it begins as the track
 * does. True: there are enough. */
bool ml_superblock_draft_look(struct ml_superblock_draft *d,
			      struct ml_superblock_steps *g, const uint64_t *w);
/* The course that most runs took, as far as two did. */
void ml_superblock_draft_course(const struct ml_superblock_draft *d,
				struct ml_guest_course *out);
/* How many parts of the course a run went. */
unsigned ml_guest_run_along(const struct ml_guest_run *r,
			    const struct ml_guest_course *c);
