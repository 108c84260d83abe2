/*
 * A chunk: about a million references, encoded so that it can be decoded alone
 * once the shapes are known. The steps of the recording are compared with what
 * predict.h expects; a chunk holds a byte for each step that says whether it was
 * as expected (nearly always zero, so it packs well) and what differed. Each kind
 * of number is a column, wide numbers are split into planes of equal bytes, and
 * each plane is compressed by itself. docs/format.md has the layout.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/trace/ref.h"
#include "lib/trace/shape.h"

enum {
	ML_CHUNK = 1 << 20, /* references (or steps) after which a chunk is full */
	ML_CHUNK_MAX = ML_CHUNK + ML_SLOTS_MAX,
};

/* The steps of a chunk, before it is encoded: who ran which path, with which bases. */
struct ml_steps {
	struct ml_told {
		uint32_t path, caller;
	} * at;
	uint64_t *value; /* of the bases of all steps, one after the other */
	struct ml_turn {
		size_t step; /* from here on */
		uint16_t thread;
	} * turn; /* at least one, at step 0 */
	size_t count, values, turns, turn_cap;
	uint64_t refs; /* that the steps stand for */
};

void ml_steps_init(struct ml_steps *s); /* with room for a chunk */
void ml_steps_release(struct ml_steps *s);
void ml_steps_clear(struct ml_steps *s, uint16_t thread);
void ml_steps_thread(struct ml_steps *s, uint16_t thread);

/* References of a step of which some may not have happened. */
uint64_t ml_steps_happened(const struct ml_shape *shape, unsigned slots,
			   const uint64_t *value);

/* Adds a step as it is; there must be room. */
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

struct ml_encoder *ml_encoder_open(int level);
void ml_encoder_close(struct ml_encoder *e);
/* Appends the encoded chunk to out. In a hurry less is tried to make it small. */
void ml_encoder_chunk(struct ml_encoder *e, const struct ml_shapes *shapes,
		      const struct ml_steps *steps, bool hurry, struct ml_buf *out);

struct ml_decoder;

/* sites: how many there are; callers are checked against it. */
struct ml_decoder *ml_decoder_open(const struct ml_shapes *shapes, size_t sites);
void ml_decoder_close(struct ml_decoder *d);
/* Begins a chunk; the bytes must stay until it is done. count: references it must yield.
 */
bool ml_decoder_start(struct ml_decoder *d, const uint8_t *data, size_t size,
		      uint64_t count, struct ml_err *err);
/*
 * The next references, at most `room` (at least twice ML_SLOTS_MAX), into columns that
 * have room for four more. *count is 0 at the end of the chunk.
 */
struct ml_columns {
	uint64_t *addr;
	uint32_t *site, *caller;
	uint16_t *thread, *what;
};
bool ml_decoder_next(struct ml_decoder *d, struct ml_columns *out, size_t room,
		     size_t *count, struct ml_err *err);
