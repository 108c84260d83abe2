/*
 * Reads a trace file. Opening maps it and reads its index and tables; the
 * references are decoded as a cursor asks for them, chunk by chunk.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/trace/ref.h"
#include "lib/trace/shape.h"
#include "lib/trace/tables.h"

struct ml_chunk {
	uint64_t offset;      /* of the block in the file */
	uint64_t time, count; /* first reference and number of references */
};

struct ml_trace {
	const char *path;
	const uint8_t *data; /* the mapped file */
	size_t size;
	uint32_t version;
	uint8_t id[16];
	uint64_t created; /* seconds since 1970 */
	uint64_t count;   /* references */
	bool whole;       /* has its index; false: the recording was cut off */
	uint64_t usable; /* bytes of the file that are valid; less than size if its end is
			    damaged */
	const char *damage; /* why the end is not usable, or NULL */

	struct ml_tables tables;
	struct ml_shapes shapes;
	struct ml_chunk *chunks; /* in time order, without holes */
	size_t chunk_count;
	struct ml_block
		*blocks; /* of all times, ordered by from; see ml_trace_load_blocks */
	size_t block_count, block_cap;
	bool blocks_loaded;
	struct ml_trace_part *parts; /* EVENTS and SOURCE blocks, read when asked for */
	size_t part_count, part_cap, chunk_cap;
	struct ml_arena arena;
};

/* Whether a file begins as a trace does. */
bool ml_trace_is(const char *path);
bool ml_trace_open(struct ml_trace *t, const char *path, struct ml_err *err);
void ml_trace_close(struct ml_trace *t);

/* Reads the block events into t->blocks, once; not from several threads at a time. */
bool ml_trace_load_blocks(struct ml_trace *t, struct ml_err *err);

/* The kept text of a source file, or NULL; it lives in a. */
const char *ml_trace_source(struct ml_trace *t, const char *path, size_t *size,
			    struct ml_arena *a);

/* The payload of the block at an offset, its checksum verified. */
struct ml_block_header;
bool ml_trace_payload(const struct ml_trace *t, uint64_t offset,
		      struct ml_block_header *h, const uint8_t **payload,
		      struct ml_err *err);

/* One walk over the references. Several cursors may walk one trace at once. */
struct ml_cursor;

struct ml_cursor *ml_cursor_open(const struct ml_trace *t, uint64_t from, uint64_t to);
/*
 * The next batch, of at most ML_BATCH references; its columns are valid until the
 * next call. False at the end (err->kind is ML_OK) or on damage.
 */
bool ml_cursor_next(struct ml_cursor *c, struct ml_batch *batch, struct ml_err *err);
/*
 * Walks over [from, to) from now on. Chunks are decoded from their beginning: going on
 * within one, from where the cursor is or a little before, is much faster than opening.
 */
void ml_cursor_seek(struct ml_cursor *c, uint64_t from, uint64_t to);
void ml_cursor_close(struct ml_cursor *c);

enum { ML_BATCH = 16 * 1024 };

/*
 * Calls fn with the batches of [from, to), in order, while `threads` other
 * threads decode ahead. fn returns false to stop early.
 */
typedef bool ml_batch_fn(void *arg, const struct ml_batch *batch, struct ml_err *err);
bool ml_trace_each(const struct ml_trace *t, uint64_t from, uint64_t to, unsigned threads,
		   ml_batch_fn *fn, void *arg, struct ml_err *err);
