/*
 * Joins steps that keep following each other into one. A program's hot loops run
 * the same paths in the same order thousands of times; told as one long step they
 * cost the encoder and the decoder a third, and most of their bases follow from
 * the first few (a stack pointer that moves by constants, an index that grows by
 * one): those are checked here and not written at all.
 *
 * The join of paths is a shape like any other, with an exit behind each of its
 * parts, so a run that leaves the beaten track half-way is still one step. What
 * comes out stands for exactly the same references as what went in.
 *
 * How tracks are found (as in Dynamo, Bala et al. 2000): a path that has started
 * steps of its own often enough is the head of a track; what runs behind it the
 * next time is the track.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/trace/shape.h"

enum {
	ML_FUSE_PARTS = 16, /* paths of a track at most */
	ML_FUSE_HOT = 300,  /* steps after which a path is hot */
	ML_FUSE_TRACKS = 1 << 16,
};

struct ml_fuse {
	struct ml_shapes *shapes;
	struct ml_fuse_head {
		struct ml_track *track; /* or NULL */
		uint32_t count;         /* steps since the last decision */
		uint32_t tries;         /* tracks made for this head so far */
	} * heads;                      /* by path */
	size_t head_cap;
	size_t tracks;
	struct ml_arena arena;
};

void ml_fuse_init(struct ml_fuse *f, struct ml_shapes *shapes);
void ml_fuse_release(struct ml_fuse *f);

struct ml_steps;

/*
 * Appends what stands for `count` steps, all of one thread, to out, until that is full;
 * returns how many were taken. May add shapes.
 */
size_t ml_fuse_steps(struct ml_fuse *f, const struct ml_step *steps, size_t count,
		     struct ml_steps *out);
