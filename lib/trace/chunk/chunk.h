/*
 * A chunk holds about a million references. A reader that knows the shapes can decode
 * each chunk alone. The encoder predicts each step (predict.h) and stores two bits that
 * tell whether the prediction was right, which compress well because it nearly always
 * is. Where it was wrong, the encoder stores the difference. Each kind of number has its
 * own column (columns.h). docs/format.md has the layout.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/trace/ref.h"
#include "lib/trace/shape.h"

enum {
	ML_CHUNK = 1 << 20, /* references, steps or values after which a chunk is full */
	ML_CHUNK_MAX = ML_CHUNK + ML_SLOTS_MAX,
};

/* The steps of a chunk before it is encoded: thread, path and base values of each. */
struct ml_steps {
	struct ml_told {
		uint32_t path, caller;
	} * at;          /* by step */
	uint64_t *value; /* of the bases of all steps, one after the other */
	struct ml_turn {
		size_t step; /* the first step of the turn */
		uint16_t thread;
	} * turn; /* runs of steps of one thread; the first begins at step 0 */
	size_t count, values, turns, turn_cap;
	uint64_t refs; /* number of references of all steps */
};

void ml_steps_init(struct ml_steps *s); /* reserves room for a chunk */
void ml_steps_release(struct ml_steps *s);
/* Removes all steps; the next ones are of this thread. */
void ml_steps_clear(struct ml_steps *s, uint16_t thread);
/* The steps added from now on are of this thread. */
void ml_steps_thread(struct ml_steps *s, uint16_t thread);

/* Number of references among the first slots of a shape with conditional slots. */
uint64_t ml_steps_happened(const struct ml_shape *shape, unsigned slots,
			   const uint64_t *value);

/* Adds a step; the caller has checked ml_steps_full. */
static inline void ml_steps_add(struct ml_steps *s, const struct ml_shapes *shapes,
				const struct ml_step *step)
{
	const struct ml_path *path = &shapes->path[step->path];

	s->at[s->count++] = (struct ml_told){ step->path, step->caller };
	for (unsigned i = 0; i < path->bases; i++)
		s->value[s->values++] = step->value[i];
	s->refs += __builtin_expect(path->maybe, 0)
			   ? ml_steps_happened(&shapes->at[path->shape], path->slots,
					       step->value)
			   : path->slots;
}

static inline bool ml_steps_full(const struct ml_steps *s)
{
	return s->refs >= ML_CHUNK || s->count >= ML_CHUNK || s->values >= ML_CHUNK;
}

struct ml_encoder;

/* level: of zstd. */
struct ml_encoder *ml_encoder_open(int level);
void ml_encoder_close(struct ml_encoder *e);
/* Appends the encoded chunk to out. hurry: encode faster and larger. */
void ml_encoder_chunk(struct ml_encoder *e, const struct ml_shapes *shapes,
		      const struct ml_steps *steps, bool hurry, struct ml_buf *out);

struct ml_decoder;

/* sites: number of sites, against which the decoder checks callers. */
struct ml_decoder *ml_decoder_open(const struct ml_shapes *shapes, size_t sites);
void ml_decoder_close(struct ml_decoder *d);
/* Begins a chunk. The bytes must stay valid while it is decoded. count: the number of
 * references that it must have. */
bool ml_decoder_start(struct ml_decoder *d, const uint8_t *data, size_t size,
		      uint64_t count, struct ml_err *err);
/*
 * Writes the next references, at most `room`, to the columns. `room` is at least twice
 * ML_SLOTS_MAX, and the columns have room for four more. *count is 0 at the end of the
 * chunk.
 */
struct ml_columns {
	uint64_t *addr;
	uint32_t *site, *caller;
	uint16_t *thread, *what;
	/* The steps that the references are of, as many as `room`; NULL: not wanted. */
	struct ml_step_at {
		uint32_t path;
		uint16_t thread;
		uint32_t first; /* index of its first reference */
	} * step;
	size_t steps;
};
bool ml_decoder_next(struct ml_decoder *d, struct ml_columns *out, size_t room,
		     size_t *count, struct ml_err *err);

/*
 * The same without references: the paths and threads of the steps, which decode in a
 * fraction of the time. ml_decoder_paths writes all steps of the chunk to an array with
 * room for ML_CHUNK_MAX.
 */
bool ml_decoder_start_paths(struct ml_decoder *d, const uint8_t *data, size_t size,
			    uint64_t count, struct ml_err *err);
bool ml_decoder_paths(struct ml_decoder *d, struct ml_step_at *out, size_t *count,
		      struct ml_err *err);
