/*
 * From the steps of a guest under Valgrind (record/ring.h) to those of a trace.
 *
 * A superblock that often begins something is the head of a track: what ran behind
 * it is expected to run behind it again. Following a track (superblock_track.h) is a
 * comparison of words, whatever superblocks they tell of, and what went along the
 * track is one step. Tracks are made from some runs from the head (superblock_draft.h).
 * Which addresses follow from others is known from registers (record/tracks/join.h), and
 * from these runs; a constant that turns out to be none is taken back. Now and then
 * other runs are looked at, and a track that they do not follow far gives way.
 *
 * (Tracks are found as in Dynamo, Bala et al. 2000.)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/trace/shape.h"
#include "record/tracks/superblock_draft.h"
#include "record/ring.h"

struct ml_callers;
struct ml_superblock_track;
struct ml_writer;

enum ml_guest_where { ML_GUEST_UNDECLARED, ML_GUEST_LIBRARY, ML_GUEST_USER };

/* A step may begin a track: of each path of each superblock. */
struct ml_guest_start {
	struct ml_superblock_track *track; /* or NULL */
	struct ml_superblock_draft *draft; /* or NULL: of the track to be */
	uint32_t count;                    /* steps since the last decision */
	uint16_t tries;
};

/* A shape as the guest numbers it: what each step needs, in a cache line. */
struct ml_guest_known {
	uint32_t path; /* of the whole shape, in the trace; exits have the ones before */
	uint32_t call; /* site of its last call instruction in the user's code, 0 if none
			*/
	uint64_t head; /* of its steps (ml_word_head) */
	uint16_t bases, exits;
	int16_t sp_base, sp_end; /* bases that tell the stack pointer; -1: none */
	int32_t sp_before,
		sp_after; /* base + delta is the stack pointer at entry, at the end */
	const struct ml_exit *exit;
	struct ml_guest_start *start; /* by exit, then of the whole */
	uint8_t where;                /* enum ml_guest_where */
	bool returns, entry;          /* entry: of the function of --only-in */
	bool brief;                   /* its steps are (record/ring.h) */
	uint32_t number;              /* of the shape in the trace */
	const struct ml_shape *shape; /* for filters */
};

struct ml_superblock_steps {
	struct ml_writer *writer;
	struct ml_guest_known *shapes;      /* by the guest's number */
	struct ml_superblock_track **track; /* by number: that taken last, or NULL */
	size_t count, cap, track_cap;
	uint32_t most; /* slots of the largest shape */
	size_t tracks; /* made so far */
	struct ml_superblock_drafts drafts;
	struct ml_join *join;
	bool fast; /* tracks are followed by record/tracks/superblock_follow.h */
	struct ml_arena arena;
};

void ml_superblock_steps_init(struct ml_superblock_steps *g, struct ml_writer *writer);
void ml_superblock_steps_release(struct ml_superblock_steps *g);
/* Adds the shape that the guest calls id, or puts it in the place of another. Brief only
 * if it can be (record/ring.h). */
struct ml_guest_known *ml_superblock_steps_add(struct ml_superblock_steps *g, uint32_t id,
					       const struct ml_shape *shape, bool brief);

/*
 * Takes steps, all of one thread, that stay within the user's code or outside of it, up
 * to the first word that tells of something else; *at moves on. False: the trace cannot
 * be written.
 */
bool ml_superblock_steps_take(struct ml_superblock_steps *g, struct ml_callers *c,
			      uint32_t caller, const uint64_t **at, const uint64_t *end,
			      struct ml_err *err);

/* The shape that a word says ran, if it says so. */
static inline struct ml_guest_known *
ml_guest_known_at(const struct ml_superblock_steps *g, uint64_t word)
{
	uint32_t id = ml_word_shape(word);

	return id < g->count && g->shapes[id].where != ML_GUEST_UNDECLARED &&
			       g->shapes[id].head == ml_word_head(word)
		       ? &g->shapes[id]
		       : NULL;
}

/* Where the bases of a step begin. The first may have the header about it. */
static inline const uint64_t *ml_guest_bases(const struct ml_guest_known *k,
					     const uint64_t *w)
{
	return k->brief ? w : w + 1;
}

/*
 * How many exits before its end a step was left: a header stands where the exit has it,
 * which is the only place where it can stand. *bases is how many were written.
 */
static inline uint32_t ml_guest_left_at(const struct ml_guest_known *k,
					const uint64_t *value, size_t room, size_t *bases)
{
	*bases = k->bases;
	for (unsigned i = 0; i < k->exits; i++) {
		size_t at = k->exit[i].bases;

		if (at >= room || value[at] >> 63) {
			*bases = at;
			return k->exits - i;
		}
	}
	return 0;
}

/* Their values, as many as were written. */
static inline void ml_guest_values(const struct ml_guest_known *k, const uint64_t *w,
				   size_t bases, uint64_t *value)
{
	for (size_t i = 0; i < bases; i++)
		value[i] = ML_WORD_VALUE(ml_guest_bases(k, w)[i]);
}
/* The stack pointer before the step, and after it, if it was sp before. */
uint64_t ml_guest_sp_before(const struct ml_guest_known *k, const uint64_t *value,
			    size_t bases, uint64_t sp);
/* What remains to be known of who called, after a step. */
void ml_guest_stepped(const struct ml_guest_known *k, const uint64_t *value,
		      uint32_t back, uint64_t sp, struct ml_callers *c);
