/*
 * The inside of a ring reader, which its three files share: ring_reader.c feeds it and
 * finishes the trace, ring_reader_steps.c reads references, ring_reader_messages.c reads
 * all other messages.
 */
#pragma once

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/trace/address_ranges.h"
#include "lib/trace/stored_values.h"
#include "lib/trace/writer.h"
#include "record/reader/filter.h"
#include "record/reader/fork_state.h"
#include "record/reader/guest_code.h"
#include "record/reader/guest_memory.h"
#include "record/reader/guest_phases.h"
#include "record/reader/only_in.h"
#include "record/reader/partial_steps.h"
#include "record/reader/ring_reader.h"
#include "record/reader/spin.h"
#include "record/reader/sync_order.h"
#include "record/symbols/objects.h"
#include "record/tracks/callers.h"
#include "record/tracks/reference_steps.h"
#include "record/tracks/superblock_steps.h"

struct ml_ring_thread {
	struct ml_callers callers;
	uint64_t stack_low, stack_high;
	struct ml_guest_allocation allocation;
	struct ml_only_in_thread only_in;
	struct ml_spin spin;
};

struct ml_ring_reader {
	struct ml_writer *writer;
	struct ml_tables *tables; /* the writer's */
	const struct ml_record_options *options;
	struct ml_objects objects;
	struct ml_filter filter;
	struct ml_partial_steps partial;
	struct ml_arena arena;
	struct ml_superblock_steps steps;
	struct ml_guest_code code;
	struct ml_ring_thread *threads; /* by number */
	size_t thread_cap;
	struct ml_ring_thread *thread; /* the running one */
	uint32_t thread_number;
	uint32_t caller; /* of the next steps: the site of the user's code that called the
			    library; 0: the user's code itself runs */
	bool mapped;     /* there are new mappings since the last step */
	bool limit_noted;
	uint64_t exec;   /* time + 1 of the last exec, 0: none */
	bool unrecorded; /* that program cannot be recorded */
	struct ml_guest_memory memory;
	struct ml_guest_phases phases;
	struct ml_buf values; /* that sites stored, as text */
	struct ml_address_ranges system_read, system_wrote; /* by system calls */
	struct ml_sync_order sync;
	struct ml_only_in only_in;
	struct ml_fork_state *forks; /* or NULL */
	bool idle; /* atomic: the machine is idle apart from the recording */
	struct ml_reference_steps refs;
	struct ml_buf timed; /* struct ml_timed_ref of each timed reference */
	bool exited;
	const char *command; /* as the process sent it */
	const char *uninstrumented;
	struct ml_ring_reader_count count; /* for other threads: atomics */
	uint64_t bad;                      /* malformed words */
	uint32_t slotless;                 /* threads that are not recorded */
	char warning[200];
};

/* The thread with a number; the array of threads may move. */
struct ml_ring_thread *ml_ring_reader_thread_of(struct ml_ring_reader *r,
						uint32_t number);
/* The next words are those of this thread. */
void ml_ring_reader_switch(struct ml_ring_reader *r, uint32_t number);

/* A message ML_WORD_SHAPE. False: it is malformed. */
bool ml_ring_reader_shape(struct ml_ring_reader *r, uint32_t id, const uint64_t *w,
			  size_t count);
/*
 * Reads the step at w, or more steps where the filter keeps all. Returns how many words
 * were read; 0: the trace cannot be written.
 */
size_t ml_ring_reader_step(struct ml_ring_reader *r, const uint64_t *w,
			   const uint64_t *end, struct ml_err *err);
/* Reads pairs of `memlamp cc`; *at moves on. False: the trace cannot be written. */
bool ml_ring_reader_refs(struct ml_ring_reader *r, const uint64_t **at,
			 const uint64_t *end, struct ml_err *err);
/* A message ML_WORD_TIMED: a reference of its own and its measurement. */
bool ml_ring_reader_timed_ref(struct ml_ring_reader *r, const uint64_t *w, size_t count,
			      struct ml_err *err);
/* Reads a message with `count` words of payload behind its header at w. */
void ml_ring_reader_message(struct ml_ring_reader *r, const uint64_t *w, size_t count);
