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

struct ml_encoder;

struct ml_encoder *ml_encoder_open(const struct ml_shapes *shapes, int level);
void ml_encoder_close(struct ml_encoder *e);
void ml_encoder_shapes(struct ml_encoder *e); /* shapes were added */
void ml_encoder_thread(struct ml_encoder *e, uint16_t thread); /* of the steps that follow */
/* Encodes steps until the chunk is full; returns how many. */
size_t ml_encoder_steps(struct ml_encoder *e, const struct ml_step *steps, size_t count);
bool ml_encoder_full(const struct ml_encoder *e);
uint64_t ml_encoder_count(const struct ml_encoder *e); /* references in the chunk so far */
/* Appends the chunk to out and starts an empty one. */
void ml_encoder_take(struct ml_encoder *e, struct ml_buf *out);

struct ml_decoder;

/* sites: how many there are; callers are checked against it. */
struct ml_decoder *ml_decoder_open(const struct ml_shapes *shapes, size_t sites);
void ml_decoder_close(struct ml_decoder *d);
/* Begins a chunk; the bytes must stay until it is done. count: references it must yield. */
bool ml_decoder_start(struct ml_decoder *d, const uint8_t *data, size_t size, uint64_t count,
		      struct ml_err *err);
/*
 * The next references, at most `room` (at least twice ML_SLOTS_MAX), into columns that have room
 * for four more. *count is 0 at the end of the chunk.
 */
struct ml_columns {
	uint64_t *addr;
	uint32_t *site, *caller;
	uint16_t *thread, *what;
};
bool ml_decoder_next(struct ml_decoder *d, struct ml_columns *out, size_t room, size_t *count,
		     struct ml_err *err);
