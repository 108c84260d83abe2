/*
 * The order in which several threads would have made their references, had they run at
 * the same time. Valgrind runs one thread at a time, and on a busy computer threads of a
 * program built by `memlamp cc` do not overlap either: the recorded order depends on the
 * scheduler, and with it every count of lines that go from core to core. So recordings
 * are merged before several cores are simulated. The threads take turns, a few references
 * each, in the order in which they first appear. The merge respects what the trace tells
 * about threads that wait for each other:
 *
 *  - A thread starts after its parent created it: after the parent's last reference in
 *    clone before the thread's first one. If the trace knows no function clone, the
 *    thread starts after all that its parent did before the thread's first reference.
 *  - A parent that joins (its function is pthread_join or the like) does not overtake a
 *    child that had ended by then in recorded order. If the trace knows no function that
 *    joins, a parent overtakes no child that had ended.
 *
 *  - A thread waits where it did when it was recorded (struct ml_wait): at barriers,
 *    condition variables, semaphores and futexes, until the other thread has made all
 *    references that it had made before it woke this one.
 *
 * Locks are no such waits: which thread is first depends on the schedule. Threads that
 * wait in loops of their own are not recognised. Both are merged as if they did not wait.
 *
 * The merge works within blocks of recorded time, so memory is bounded. A block ends at a
 * gap, where one thread has been alone for a while, or when it is full, then at the last
 * change of threads in its second half. So the order is a permutation of the recorded one
 * within blocks.
 * Held by tests/analyse/test_interleave.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/trace/ref.h"

struct ml_tables;
struct ml_interleave;

enum {
	/*
	 * References of a thread in turn, on average. Real cores alternate all the time,
	 * but a core that has fetched a line keeps it for some accesses, until the other
	 * core's request is through (about a hundred cycles). Ten references are of that
	 * order, whereas one would make every access to a contended line a miss.
	 */
	ML_INTERLEAVE = 10,
	ML_INTERLEAVE_BLOCK = 4 * 1024 * 1024, /* references; 32 bytes each */
};

/*
 * Receives merged references: a batch, and the time and the cell (region_lookup.h) of
 * each reference.
 */
typedef bool ml_interleave_fn(void *arg, const struct ml_batch *refs,
			      const uint64_t *time, const uint32_t *cell,
			      struct ml_err *err);

/*
 * block: the most references that are merged at once. What fn receives stays valid for
 * `kept` further calls of fn; the columns of a thread that lives alone stay those of the
 * batch that was added.
 */
struct ml_interleave *ml_interleave_open(const struct ml_tables *t, uint64_t turn,
					 size_t block, size_t kept, ml_interleave_fn *fn,
					 void *arg);
void ml_interleave_close(struct ml_interleave *x);

/* Adds the next references as recorded, and their cells. */
bool ml_interleave_add(struct ml_interleave *x, const struct ml_batch *b,
		       const uint32_t *cell, struct ml_err *err);
/* At a gap or at the end: passes on all references that are held. */
bool ml_interleave_flush(struct ml_interleave *x, struct ml_err *err);

/* The block that the references passed on now belong to. */
struct ml_interleaved {
	uint64_t from, to; /* recorded times; equal: the references are as recorded */
	const uint16_t *threads; /* in the order of their turns, so far */
	size_t thread_count;
};
void ml_interleave_block(const struct ml_interleave *x, struct ml_interleaved *block);
