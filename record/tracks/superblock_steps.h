/*
 * From the steps of a program under Valgrind (record/ring.h) to those of a trace.
 *
 * A superblock at which steps keep beginning is the head of a track: what ran behind it
 * is expected to run behind it again. Following a track (superblock_track.h) is a
 * comparison of words, whatever superblocks they tell of, and all that went along the
 * track is one step of the trace. superblock_heads.h decides which tracks there are.
 * Held by tests/record/test_superblock_steps.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "record/tracks/superblock_heads.h"
#include "record/tracks/superblocks.h"

struct ml_callers;
struct ml_shape;
struct ml_writer;

struct ml_superblock_steps {
	struct ml_writer *writer;
	struct ml_superblock_heads heads;
	bool fast; /* tracks are followed by record/tracks/superblock_follow.h */
};

void ml_superblock_steps_init(struct ml_superblock_steps *g, struct ml_writer *writer);
void ml_superblock_steps_release(struct ml_superblock_steps *g);
/* Adds the superblock that the guest calls id, or puts it in the place of another. The
 * caller has checked that a brief one can be brief (record/ring.h). */
struct ml_superblock *ml_superblock_steps_add(struct ml_superblock_steps *g, uint32_t id,
					      const struct ml_shape *shape,
					      const uint32_t *call, bool brief);

/*
 * Takes steps, all of one thread, that stay within the user's code or outside of it, up
 * to the first word that tells of something else; *at moves on. False: the trace cannot
 * be written.
 */
bool ml_superblock_steps_take(struct ml_superblock_steps *g, struct ml_callers *c,
			      uint32_t caller, const uint64_t **at, const uint64_t *end,
			      struct ml_err *err);

/* The superblocks that the guest has declared. */
static inline const struct ml_superblocks *
ml_superblock_steps_known(const struct ml_superblock_steps *g)
{
	return &g->heads.known;
}
