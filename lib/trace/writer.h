/*
 * Writes a trace file. Everything goes in in time order: tables and block
 * events are written before the first reference chunk that needs them, so each
 * prefix of the file is a trace of a shorter run.
 *
 * References enter in one of two ways: recorders that see whole superblocks
 * declare shapes and then say which shape ran with which base addresses
 * (shape.h); everyone else adds references one by one. Both may be mixed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/trace/ref.h"
#include "lib/trace/tables.h"

struct ml_encode_pace;
struct ml_shape;
struct ml_shapes;
struct ml_step;
struct ml_steps;
struct ml_writer;

/* Makes path (over an older file of that name) and writes its header. */
bool ml_writer_open(struct ml_writer **w, const char *path, struct ml_err *err);
/*
 * How encoding shares the machine with the recorded program (encode_queue.h). Call it
 * before the first reference; without it the encoders run at the caller's priority.
 */
void ml_writer_pace(struct ml_writer *w, const struct ml_encode_pace *pace);
/* From now on the background crew encodes chunks, or the foreground crew does. */
void ml_writer_background(struct ml_writer *w, bool background);
/* Writes what is pending and the index, and frees w, also when it fails. */
bool ml_writer_close(struct ml_writer *w, struct ml_err *err);
/* Frees w and leaves the file as it is on disk: a readable prefix. */
void ml_writer_abandon(struct ml_writer *w);

struct ml_tables *
ml_writer_tables(struct ml_writer *w); /* add sites, regions, ... here */
uint64_t
ml_writer_time(const struct ml_writer *w); /* references so far = time of the next */
uint64_t ml_writer_bytes(const struct ml_writer *w); /* file size so far */

bool ml_writer_ref(struct ml_writer *w, const struct ml_ref *ref,
		   struct ml_err *err); /* ref->time is ignored */

/* A new shape; the sites of its slots must be in the tables. */
uint32_t ml_writer_shape(struct ml_writer *w, const struct ml_shape *shape);
/* The shape of that number as the trace has it: with its first path, and the states of
 * its bases. */
const struct ml_shape *ml_writer_shape_at(const struct ml_writer *w, uint32_t shape);
/* The path of a shape that wrote so many of its bases, UINT32_MAX if there is none. */
uint32_t ml_writer_path(const struct ml_writer *w, uint32_t shape, size_t bases);
/*
 * Steps on the current thread, in order: paths with the values of their bases. Values of
 * "maybe" slots are 0 when the access did not happen.
 */
bool ml_writer_steps(struct ml_writer *w, const struct ml_step *steps, size_t count,
		     struct ml_err *err);
/*
 * For whoever joins steps himself: the shapes, and the chunk that is being collected
 * (chunk.h), to which joined steps may be added. When it is full it must be sent, which
 * begins another.
 */
struct ml_shapes *ml_writer_shapes(struct ml_writer *w);
struct ml_steps *ml_writer_now(struct ml_writer *w);
bool ml_writer_send(struct ml_writer *w, struct ml_err *err);
void ml_writer_thread(struct ml_writer *w,
		      uint16_t thread); /* of the steps that follow */

/* Block events, at the present time. */
void ml_writer_alloc(struct ml_writer *w, uint32_t region, uint64_t addr, uint64_t size);
/*
 * The same for a block that was there before anyone said so: from the time `since` on, if
 * no event came in between, and as far as the chunk goes back.
 */
void ml_writer_alloc_since(struct ml_writer *w, uint32_t region, uint64_t addr,
			   uint64_t size, uint64_t since);
void ml_writer_free(struct ml_writer *w, uint64_t addr);
/* The same for registered regions, which lie over the others. */
void ml_writer_register(struct ml_writer *w, uint32_t region, uint64_t addr,
			uint64_t size);
void ml_writer_unregister(struct ml_writer *w, uint64_t addr);

void ml_writer_mark(struct ml_writer *w, enum ml_mark_kind kind, const char *name);
void ml_writer_state(struct ml_writer *w, const char *name, int64_t value);
/* References are missing here; batches will not span it. Costs a few bytes. */
void ml_writer_gap(struct ml_writer *w, uint64_t count, enum ml_gap_reason reason);
/* Keeps the text of a source file (by the path that sites use). */
void ml_writer_source(struct ml_writer *w, const char *path, const void *text,
		      size_t size);
