/*
 * The slots of a process whose threads have one each (record/ring.h), put together
 * into one order and fed to a drain.
 *
 * It goes in rounds. A round looks at the clock, then how far each thread has come, and
 * takes all that was stamped up to then. So what was done by the beginning of a round
 * stands before what was done after it, also where a thread does nothing for a long
 * time. Within a round the pieces between two stamps are taken by the clock at their
 * beginning. Threads stamp when they call
 * what makes others wait or go on, and each time they have filled 4096 bytes. So order
 * across threads is right wherever the program itself brings it about; where it does
 * not, a reference may stand up to 256 references of its own thread too early.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_ring_reader;
struct ml_ring;
struct ml_ring_control;

struct ml_thread_merge {
	struct ml_ring_reader *drain;
	struct ml_ring_control *control; /* the ring's memory begins here */
	uint32_t pid;
	uint32_t bell; /* as it was when new slots were last looked for */
	struct ml_thread_merge_slot *slots;
	size_t count, cap;
};

/* first: the slot of the first thread. */
void ml_thread_merge_init(struct ml_thread_merge *s, struct ml_ring_control *control,
			  struct ml_ring *first, struct ml_ring_reader *drain);
void ml_thread_merge_release(struct ml_thread_merge *s);
/* One round. False: the trace cannot be written. */
bool ml_thread_merge_round(struct ml_thread_merge *s, struct ml_err *err);
/* Tells the threads to write no more; new ones are found. */
void ml_thread_merge_stop(struct ml_thread_merge *s);
/* Frees the slots of all threads but the first: the process has ended. */
void ml_thread_merge_free(struct ml_ring_control *control, uint32_t pid);
