/*
 * The heads among the paths of superblocks, and their tracks: when they are made, when
 * better ones replace them, and where side tracks branch off.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "record/tracks/draft.h"
#include "record/tracks/head.h"
#include "record/tracks/superblocks.h"

struct ml_superblock_track;
struct ml_writer;

/* Any step may begin a track: there is one head for each path of each superblock. */
struct ml_superblock_head {
	struct ml_superblock_track *track; /* or NULL */
	struct ml_head head;
};

struct ml_superblock_heads {
	struct ml_writer *writer;
	struct ml_superblocks known;
	struct ml_superblock_track *
		*track; /* by superblock: that followed first, or NULL */
	size_t track_cap;
	size_t tracks; /* made so far */
	struct ml_drafts drafts;
	struct ml_join *join; /* one for all tracks: it is large */
	struct ml_arena arena;
};

void ml_superblock_heads_init(struct ml_superblock_heads *g, struct ml_writer *writer);
void ml_superblock_heads_release(struct ml_superblock_heads *g);
/* Makes the heads of a superblock that has its exits, in the place of any it had. */
void ml_superblock_heads_add(struct ml_superblock_heads *g, struct ml_superblock *k);
/* Forgets all tracks and drafts: a number means another superblock from now on. */
void ml_superblock_heads_forget(struct ml_superblock_heads *g);

/* A step begins at a head without a track; room words can be read at w. */
void ml_superblock_heads_heat(struct ml_superblock_heads *g, struct ml_superblock_head *s,
			      const uint64_t *w, size_t room);
/*
 * A use of the track is a run for its review: at w it was left behind n parts, for none
 * of its side tracks; n is 0 if it was left for one.
 */
void ml_superblock_heads_review(struct ml_superblock_heads *g,
				struct ml_superblock_track *t, const uint64_t *w,
				size_t room, unsigned n);
