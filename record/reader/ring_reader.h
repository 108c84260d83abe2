/*
 * From the words of a ring (record/ring.h) to a trace: the companion's main work. One
 * ring reader serves one recorded process. It is fed the words of each segment in order,
 * and remembers the shapes, objects, threads and call stacks of the process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "record/reader/options.h"

struct ml_buf;

struct ml_ring_reader;
struct ml_encode_pace;
struct ml_fork_state;

/* Creates the trace at path. */
struct ml_ring_reader *ml_ring_reader_open(const char *path,
					   const struct ml_record_options *options,
					   struct ml_err *err);
/* Where forked children receive the state of their parents; without it they inherit
 * nothing. */
void ml_ring_reader_fork_state(struct ml_ring_reader *r, struct ml_fork_state *forks);
/* How the encoders share the machine. Call it before the first words are fed. */
void ml_ring_reader_pace(struct ml_ring_reader *r, const struct ml_encode_pace *pace);
/* Says whether the machine is idle apart from the recording; any thread may call it. */
void ml_ring_reader_idle(struct ml_ring_reader *r, bool idle);
/* Adds metadata of the trace: command, cwd, ... (tables.h) */
void ml_ring_reader_meta(struct ml_ring_reader *r, const char *key, const char *value);
/* Reads words. False: the trace cannot be written. */
bool ml_ring_reader_feed(struct ml_ring_reader *r, const uint64_t *words, size_t count,
			 struct ml_err *err);
/* Bounds what is lost when this process is killed (ml_writer_flush); call it a few times
 * a second. False: the trace cannot be written. */
bool ml_ring_reader_flush(struct ml_ring_reader *r, struct ml_err *err);
/* The words fed next are those of this thread. */
void ml_ring_reader_thread(struct ml_ring_reader *r, uint32_t number);
/* So many threads and children of the process go unrecorded, as no slot was free for
 * them. */
void ml_ring_reader_unrecorded(struct ml_ring_reader *r, uint32_t threads);
/* The process has sent its exit status. */
bool ml_ring_reader_exited(const struct ml_ring_reader *r);
/* The command line that the process sent, or NULL. Lives as long as r. */
const char *ml_ring_reader_command(const struct ml_ring_reader *r);
/* The references that no hook reports (uninstrumented.h), or NULL. Known once the trace
 * is finished. */
const char *ml_ring_reader_uninstrumented(const struct ml_ring_reader *r);
/* The measurements of the references that were timed (options.period), in the order of
 * the trace; as bytes, struct ml_timed_ref each. Known once the trace is finished. */
const struct ml_buf *ml_ring_reader_timed(const struct ml_ring_reader *r);
/* The filter keeps no more: the limit is reached or the last mark has passed. */
bool ml_ring_reader_full(const struct ml_ring_reader *r);
/* The last act of the process was to become another program. */
bool ml_ring_reader_replaced(const struct ml_ring_reader *r);
/* Finishes the trace: source texts, index. `cut`: the process was killed. */
bool ml_ring_reader_finish(struct ml_ring_reader *r, bool cut, struct ml_err *err);
/* Frees r; an unfinished trace stays on disk as it is. */
void ml_ring_reader_release(struct ml_ring_reader *r);

struct ml_ring_reader_count {
	uint64_t refs, bytes;
};

/* The contents of the trace so far; any thread may call it. */
struct ml_ring_reader_count ml_ring_reader_count(const struct ml_ring_reader *r);

/* A warning for the user after the recording, or NULL. Known once the trace is finished.
 */
const char *ml_ring_reader_warning(const struct ml_ring_reader *r);
