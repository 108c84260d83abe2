/*
 * States of a simulator along a trace, so that any moment is reached from one nearby. A
 * state is bytes (ml_sim_save). Each is stored as its difference from the one before, and
 * every ML_CHECKPOINT_CHAIN-th as a whole, so that a state is put together from few
 * pieces.
 *
 * The distance between checkpoints follows from the length of the trace, from the size of
 * a state (saving must not cost more than simulating) and from a limit of memory: when
 * that is exceeded, every second checkpoint is dropped, and from then on they come half
 * as often.
 * Held by tests/analyse/test_checkpoint.c.
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
	ML_CHECKPOINT_APART = 1 << 20, /* references between checkpoints, at least */
	ML_CHECKPOINT_SHARE = 256,     /* checkpoints in a trace, at least */
	ML_CHECKPOINT_BYTES =
		8, /* bytes of a state that may be saved for each reference */
	/* with several cores, a reference takes several times as long to simulate: */
	ML_CHECKPOINT_APART_CORES = 1 << 18,
	ML_CHECKPOINT_BYTES_CORES = 24,
	ML_CHECKPOINT_LIMIT = 64 << 20, /* bytes of all checkpoints together */
	ML_CHECKPOINT_STATE = 1 << 28,  /* bytes of a state; larger ones are not kept */
};

struct ml_checkpoint {
	uint64_t position;
	size_t size;    /* size of the state */
	bool whole;     /* the piece is a whole state, not a difference */
	uint8_t *piece; /* made by ml_checkpoint_put */
	size_t piece_size;
};

struct ml_checkpoints {
	struct ml_checkpoint *at; /* by position */
	size_t count, cap;
	uint64_t apart, next; /* references between checkpoints; position at which the
				 next is due */
	uint64_t bytes, limit;
	unsigned pace;      /* bytes of a state that may be saved for each reference */
	struct ml_buf last; /* the state of the last checkpoint */
	struct ml_packer packer;
	struct ml_unpacker unpacker;
};

/*
 * refs: the expected number of references; cores: of the machine; apart, limit: 0 for the
 * defaults above.
 */
void ml_checkpoints_init(struct ml_checkpoints *c, uint64_t refs, uint32_t cores,
			 uint64_t apart, uint64_t limit);
void ml_checkpoints_release(struct ml_checkpoints *c);

/* Whether a state should be added now, after `position` references. */
static inline bool ml_checkpoints_due(const struct ml_checkpoints *c, uint64_t position)
{
	return position >= c->next;
}
void ml_checkpoints_add(struct ml_checkpoints *c, uint64_t position,
			const struct ml_buf *state);
/* No state is due before this position, if one of this size is added at `position`. */
uint64_t ml_checkpoints_after(const struct ml_checkpoints *c, uint64_t position,
			      size_t size);

/*
 * Appends a piece to out: the difference that turns state `old` (empty: of zero length)
 * into `now`. ml_checkpoint_get applies it: state is old and becomes one of `size` bytes.
 * It fails on a damaged piece, and leaves state unusable then.
 */
void ml_checkpoint_put(struct ml_packer *p, const struct ml_buf *old,
		       const struct ml_buf *now, struct ml_buf *out);
bool ml_checkpoint_get(struct ml_unpacker *u, const uint8_t *piece, size_t piece_size,
		       size_t size, struct ml_buf *state, struct ml_err *err);
