/*
 * States of a simulator along a trace, so that any moment is reached from one
 * nearby. States are bytes (ml_sim_save). Each is kept as its difference from the
 * one before, and every ML_CHECKPOINT_CHAIN-th whole, so that a state is put
 * together from few pieces.
 *
 * How far they are apart follows from the length of the trace, from the size of a
 * state (saving must not cost more than simulating) and from the memory that they
 * may take: whenever that is exceeded every second one is dropped, and from there
 * on they come half as often.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/pack.h"

enum {
	ML_CHECKPOINT_CHAIN = 16,
	ML_CHECKPOINT_APART = 1 << 20, /* references, at least */
	ML_CHECKPOINT_SHARE = 256,     /* of the trace, at the least */
	ML_CHECKPOINT_BYTES = 8, /* of a state that may be saved for each reference */
	ML_CHECKPOINT_LIMIT = 64 << 20, /* bytes of all together */
	ML_CHECKPOINT_STATE = 1 << 28,  /* bytes of a state; larger ones are not kept */
};

struct ml_checkpoint {
	uint64_t position;
	size_t size;    /* of the state */
	bool whole;     /* not a difference */
	uint8_t *piece; /* as ml_checkpoint_put makes it */
	size_t piece_size;
};

struct ml_checkpoints {
	struct ml_checkpoint *at; /* by position */
	size_t count, cap;
	uint64_t apart, next; /* references from one to the next; when that is due */
	uint64_t bytes, limit;
	struct ml_buf last; /* the state of the last one */
	struct ml_packer packer;
	struct ml_unpacker unpacker;
};

/* refs: how many are expected; apart, limit: 0 for the ones above. */
void ml_checkpoints_init(struct ml_checkpoints *c, uint64_t refs, uint64_t apart,
			 uint64_t limit);
void ml_checkpoints_release(struct ml_checkpoints *c);

/* Whether a state should be added now, position references having been simulated. */
static inline bool ml_checkpoints_due(const struct ml_checkpoints *c, uint64_t position)
{
	return position >= c->next;
}
void ml_checkpoints_add(struct ml_checkpoints *c, uint64_t position,
			const struct ml_buf *state);
/* The last one at or before a position, or NULL: start from nothing. */
const struct ml_checkpoint *ml_checkpoints_find(const struct ml_checkpoints *c,
						uint64_t position);
/* Its state, in place of what out has. */
void ml_checkpoints_state(struct ml_checkpoints *c, const struct ml_checkpoint *which,
			  struct ml_buf *out);

/*
 * One piece: what turns state `old` (empty: of zero length) into `now`. Appended to
 * out. ml_checkpoint_get applies it: state is old and becomes one of `size` bytes. It
 * fails on damage, and then state is of no use.
 */
void ml_checkpoint_put(struct ml_packer *p, const struct ml_buf *old,
		       const struct ml_buf *now, struct ml_buf *out);
bool ml_checkpoint_get(struct ml_unpacker *u, const uint8_t *piece, size_t piece_size,
		       size_t size, struct ml_buf *state, struct ml_err *err);
