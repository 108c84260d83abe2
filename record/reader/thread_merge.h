/*
 * Merges the slots of a process whose threads have one each (record/ring.h) into one
 * order and feeds that to a ring reader.
 *
 * The merge works in rounds. A round reads the clock, then how far each thread has
 * written, and takes all words stamped up to that clock. So all words written before a
 * round come before those written after it, even if a thread writes nothing for a long
 * time. Within a round, pieces between two stamps are taken in order of the clock at
 * their beginning. Threads stamp around calls that synchronise threads, and each time
 * they have filled 4096 bytes. So the order across threads is right wherever the program
 * synchronises; elsewhere a reference may come up to 256 references of its own thread
 * too early.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_ring_reader;
struct ml_ring;
struct ml_ring_slots;

struct ml_thread_merge {
	struct ml_ring_reader *reader;
	struct ml_ring_slots *ring;
	struct ml_ring *first; /* the slot of the first thread */
	uint64_t birth;        /* of the process */
	uint32_t unrecorded;   /* threads without a slot that the reader knows of */
	uint32_t bell;         /* its value at the last search for new slots */
	struct ml_thread_merge_slot *slots;
	size_t count, cap;
	struct ml_thread_merge_slot **heap; /* those with a piece, earliest first */
	size_t heap_cap;
	uint64_t *unstamped; /* words of a piece without its stamps */
	size_t unstamped_cap;
};

/* first: the slot of the first thread. */
void ml_thread_merge_init(struct ml_thread_merge *s, struct ml_ring_slots *ring,
			  struct ml_ring *first, struct ml_ring_reader *reader);
void ml_thread_merge_release(struct ml_thread_merge *s);
/* One round. `last`: the process has ended. False: the trace cannot be written. */
bool ml_thread_merge_round(struct ml_thread_merge *s, bool last, struct ml_err *err);
/* Makes all threads stop writing, new ones included. */
void ml_thread_merge_stop(struct ml_thread_merge *s);
/* Frees the slots of all threads but the first, after the process has ended. */
void ml_thread_merge_free(struct ml_ring_slots *ring, uint64_t birth);
