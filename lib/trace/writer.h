/*
 * The writer of trace files. Callers add everything in time order. The writer puts tables
 * and block events before the first chunk of references that needs them, so that each
 * prefix of the file is a trace of a shorter run.
 *
 * There are two ways to add references. A recorder that sees whole superblocks declares
 * shapes (shape.h) and adds steps. Other callers add references one by one. A caller may
 * mix both.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/trace/ref.h"
#include "lib/trace/tables.h"

struct ml_control;
struct ml_encode_pace;
struct ml_shape;
struct ml_shapes;
struct ml_step;
struct ml_steps;
struct ml_writer;

/* Creates the file and writes its header. An older file of that name stays until the new
 * one has references or is complete (growfile.h). */
bool ml_writer_open(struct ml_writer **w, const char *path, struct ml_err *err);
/* The same for a trace that is of no use until it is complete: only then it has a name. */
bool ml_writer_open_whole(struct ml_writer **w, const char *path, struct ml_err *err);
/*
 * How encoding shares the machine with the recorded program (encode_queue.h). Call it
 * before the first reference; without it the encoders run at the caller's priority.
 */
void ml_writer_pace(struct ml_writer *w, const struct ml_encode_pace *pace);
/* From now on the background crew encodes chunks, or the foreground crew does. */
void ml_writer_background(struct ml_writer *w, bool background);
/* Writes the remaining data and the index; frees w in any case. */
bool ml_writer_close(struct ml_writer *w, struct ml_err *err);
/* Frees w. The file stays as it is on disk: a readable prefix. */
void ml_writer_abandon(struct ml_writer *w);

/* The tables, to which the caller adds sites, regions and so on. */
struct ml_tables *ml_writer_tables(struct ml_writer *w);
/* References so far, which is the time of the next one. */
uint64_t ml_writer_time(const struct ml_writer *w);
uint64_t ml_writer_bytes(const struct ml_writer *w); /* file size so far */

/* Adds a reference; ref->time is ignored. */
bool ml_writer_ref(struct ml_writer *w, const struct ml_ref *ref, struct ml_err *err);
/*
 * Adds a reference of any size; ref->what is ignored. A large one is cut into several, at
 * multiples of 8 KiB.
 */
bool ml_writer_large_ref(struct ml_writer *w, const struct ml_ref *ref, enum ml_kind kind,
			 uint64_t size, struct ml_err *err);

/* Adds a shape; the sites of its slots must be in the tables. Returns its number. */
uint32_t ml_writer_shape(struct ml_writer *w, const struct ml_shape *shape);
/* The shape of a number, with its first path and the states of its bases. */
const struct ml_shape *ml_writer_shape_at(const struct ml_writer *w, uint32_t shape);
/* The path of a shape whose exit comes after `bases` bases; UINT32_MAX: none. */
uint32_t ml_writer_path(const struct ml_writer *w, uint32_t shape, size_t bases);
/* What the recorder knows about the flow of control, to which it adds (control.h). */
struct ml_control *ml_writer_control(struct ml_writer *w);
/*
 * Adds steps of the current thread, in order. The base value of a conditional slot is 0
 * when the access did not happen.
 */
bool ml_writer_steps(struct ml_writer *w, const struct ml_step *steps, size_t count,
		     struct ml_err *err);
/*
 * For recorders that join steps themselves: the shapes, and the chunk that is being
 * collected (chunk.h), to which the recorder adds steps. When the chunk is full, the
 * recorder calls ml_writer_send, which begins another one.
 */
struct ml_shapes *ml_writer_shapes(struct ml_writer *w);
struct ml_steps *ml_writer_collected(struct ml_writer *w);
bool ml_writer_send(struct ml_writer *w, struct ml_err *err);
/*
 * Bounds in time what is lost when this process is killed: writes the chunks that are
 * encoded, and sends the one that is being collected if the last was sent longer than
 * `age` nanoseconds ago. Call it a few times a second.
 */
bool ml_writer_flush(struct ml_writer *w, uint64_t age, struct ml_err *err);
/* The steps and events added from now on are of this thread. */
void ml_writer_thread(struct ml_writer *w, uint16_t thread);

/* A heap block begins now. */
void ml_writer_alloc(struct ml_writer *w, uint32_t region, uint64_t addr, uint64_t size);
/*
 * A heap block began at the time `since`, and the recorder learns of it only now. The
 * writer moves the time forward to the last event or to the start of the chunk, if these
 * are later.
 */
void ml_writer_alloc_since(struct ml_writer *w, uint32_t region, uint64_t addr,
			   uint64_t size, uint64_t since);
void ml_writer_free(struct ml_writer *w, uint64_t addr); /* the block at addr ends */
/* The same for registered blocks, which hide the heap blocks that they overlap. */
void ml_writer_register(struct ml_writer *w, uint32_t region, uint64_t addr,
			uint64_t size);
void ml_writer_unregister(struct ml_writer *w, uint64_t addr);

void ml_writer_mark(struct ml_writer *w, enum ml_mark_kind kind, const char *name);
void ml_writer_state(struct ml_writer *w, const char *name, int64_t value);
/* References are missing here. Batches will not span the gap. Costs a few bytes. */
void ml_writer_gap(struct ml_writer *w, uint64_t count, enum ml_gap_reason reason);
/* Stores the text of a source file, by the path that sites use. */
void ml_writer_source(struct ml_writer *w, const char *path, const void *text,
		      size_t size);
