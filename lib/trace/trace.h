/*
 * The reader of trace files. ml_trace_open maps the file and reads its index and tables.
 * A cursor decodes the references chunk by chunk, as they are asked for.
 * Held by tests/trace/test_trace.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/trace/control.h"
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
	bool whole;       /* has an index; false: the recording was interrupted */
	uint64_t usable; /* valid bytes at the start of the file; below size if the end is
			    damaged */
	const char *damage; /* the reason why the end is not usable, or NULL */

	struct ml_tables tables;
	struct ml_shapes shapes;
	struct ml_control control;
	struct ml_chunk *chunks; /* by time, each begins where the last one ends */
	size_t chunk_count;
	struct ml_block *blocks; /* all, ordered by `from`; see ml_trace_load_blocks */
	size_t block_count, block_cap;
	bool blocks_loaded;
	struct ml_trace_part *parts; /* EVENTS and SOURCE blocks, read on demand */
	size_t part_count, part_cap, chunk_cap;
	struct ml_arena arena;
};

/* Whether a file begins as a trace does. */
bool ml_trace_is(const char *path);
bool ml_trace_open(struct ml_trace *t, const char *path, struct ml_err *err);
void ml_trace_close(struct ml_trace *t);

/* Reads the block events into t->blocks, the first time that it is called. Only one
 * thread may call it at a time. */
bool ml_trace_load_blocks(struct ml_trace *t, struct ml_err *err);

/* The text of a source file in the trace, allocated in a, or NULL. */
const char *ml_trace_source(struct ml_trace *t, const char *path, size_t *size,
			    struct ml_arena *a);

/* Header and payload of the block at an offset; verifies the checksums. */
struct ml_block_header;
bool ml_trace_payload(const struct ml_trace *t, uint64_t offset,
		      struct ml_block_header *h, const uint8_t **payload,
		      struct ml_err *err);

/* A walk over the references. Several cursors may walk one trace at the same time. */
struct ml_cursor;

struct ml_cursor *ml_cursor_open(const struct ml_trace *t, uint64_t from, uint64_t to);
/*
 * The next batch, of at most ML_BATCH references. Its columns are valid until the next
 * call. False at the end, where err->kind is ML_OK, or when a chunk is damaged.
 */
bool ml_cursor_next(struct ml_cursor *c, struct ml_batch *batch, struct ml_err *err);
/*
 * Continues the walk with [from, to). A cursor decodes each chunk from its beginning, so
 * a seek within the current chunk, forwards or a little back, is much faster than opening
 * another cursor.
 */
void ml_cursor_seek(struct ml_cursor *c, uint64_t from, uint64_t to);
void ml_cursor_close(struct ml_cursor *c);

enum { ML_BATCH = 16 * 1024 };

/*
 * Calls fn with the batches of [from, to), in order, while `threads` other threads decode
 * the chunks that follow. fn returns false to stop.
 */
typedef bool ml_batch_fn(void *arg, const struct ml_batch *batch, struct ml_err *err);
bool ml_trace_each(const struct ml_trace *t, uint64_t from, uint64_t to, unsigned threads,
		   ml_batch_fn *fn, void *arg, struct ml_err *err);
/*
 * The same for a caller that goes on using batches after fn has returned. `release` is
 * called before the columns of all batches so far become invalid.
 */
bool ml_trace_each_kept(const struct ml_trace *t, uint64_t from, uint64_t to,
			unsigned threads, ml_batch_fn *fn, void (*release)(void *arg),
			void *arg, struct ml_err *err);

/* Does the trace know which code ran (control.h)? False: err says so. */
bool ml_trace_knows_control(const struct ml_trace *t, struct ml_err *err);

/*
 * A walk over the steps of a trace from its beginning (shape.h): what ran, and not what it
 * touched. Where all references of a chunk happened the references are not decoded, which
 * takes a fraction of the time. Batches may span gaps.
 */
struct ml_step_batch {
	uint64_t time; /* of the first reference */
	uint64_t refs;
	const struct ml_step_at *step;
	size_t steps;
	const uint32_t *site; /* of the references; NULL: all of all paths happened */
	const uint64_t *addr; /* the same */
};

struct ml_step_cursor;
struct ml_step_cursor *ml_step_cursor_open(const struct ml_trace *t);
/* The same; the references are decoded in any case. */
struct ml_step_cursor *ml_step_cursor_open_refs(const struct ml_trace *t);
/* The next batch; false at the end, where err->kind is ML_OK, or at damage. */
bool ml_step_cursor_next(struct ml_step_cursor *c, struct ml_step_batch *b,
			 struct ml_err *err);
void ml_step_cursor_close(struct ml_step_cursor *c);
