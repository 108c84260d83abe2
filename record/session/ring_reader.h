/*
 * From the words of one slot of the ring to a trace: the companion's work. One
 * drain serves one recorded process; it is fed the words of each segment in
 * order and keeps what it must know of the process: its shapes, objects,
 * threads, call stacks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "record/session/options.h"

struct ml_ring_reader;
struct ml_encode_pace;
struct ml_fork_state;

/* Makes the trace at path. */
struct ml_ring_reader *ml_ring_reader_open(const char *path,
					   const struct ml_record_options *options,
					   struct ml_err *err);
/* Where children of fork get what their parents knew; without it they get nothing. */
void ml_ring_reader_fork_state(struct ml_ring_reader *d, struct ml_fork_state *heritage);
/* How the encoders share the machine. Call it before the first words are fed. */
void ml_ring_reader_pace(struct ml_ring_reader *d, const struct ml_encode_pace *pace);
/* Says whether the machine is idle but for the recording. Any thread may call it. */
void ml_ring_reader_idle(struct ml_ring_reader *d, bool idle);
/* What the trace says of itself: command, cwd, ... (tables.h) */
void ml_ring_reader_meta(struct ml_ring_reader *d, const char *key, const char *value);
/* Takes words. False: the trace cannot be written, or nothing more is wanted. */
bool ml_ring_reader_feed(struct ml_ring_reader *d, const uint64_t *words, size_t count,
			 struct ml_err *err);
/* What is fed next is done by this thread. */
void ml_ring_reader_thread(struct ml_ring_reader *d, uint32_t number);
/* The process has told its exit status. */
bool ml_ring_reader_exited(const struct ml_ring_reader *d);
/* The command line as the process told it, or NULL. Lives as long as d. */
const char *ml_ring_reader_command(const struct ml_ring_reader *d);
/* What the trace cannot show by the way in which it was made, or NULL. Known once it is
 * finished. */
const char *ml_ring_reader_uninstrumented(const struct ml_ring_reader *d);
/* Nothing more is wanted: the limit was reached. */
bool ml_ring_reader_full(const struct ml_ring_reader *d);
/* The last that the process did was to become another program. */
bool ml_ring_reader_replaced(const struct ml_ring_reader *d);
/* Finishes the trace: source texts, index. `cut`: the process was killed. */
bool ml_ring_reader_finish(struct ml_ring_reader *d, bool cut, struct ml_err *err);
/* Frees d; a trace that was not finished stays as it is on disk. */
void ml_ring_reader_release(struct ml_ring_reader *d);

struct ml_ring_reader_count {
	uint64_t refs, bytes;
};

/* What is in the trace so far; may be asked from another thread. */
struct ml_ring_reader_count ml_ring_reader_count(const struct ml_ring_reader *d);

/* What a person should know after the recording, or NULL. Known once the trace is
 * finished. */
const char *ml_ring_reader_warning(const struct ml_ring_reader *d);
