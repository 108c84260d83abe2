/*
 * The order of the references of one block if its threads had run at the same time.
 * interleave.h says what the order respects, and cuts a trace into blocks. Apart from the
 * block itself the order depends only on the threads that appeared earlier, so a block
 * can be put in order alone once the order in which threads appear is known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_tables;
struct ml_turns;

struct ml_turns_life {
	uint64_t from, until;
	uint16_t parent;
	bool known; /* the tables have this thread */
};

/* turn: references of a thread in turn. */
struct ml_turns *ml_turns_open(const struct ml_tables *t, uint64_t turn);
void ml_turns_close(struct ml_turns *x);

const struct ml_turns_life *ml_turns_life(const struct ml_turns *x, uint16_t thread);
/* Notes that a thread appears: threads take turns in the order of these calls. */
void ml_turns_meet(struct ml_turns *x, uint16_t thread);
/* The threads that have appeared, in that order. */
const uint16_t *ml_turns_threads(const struct ml_turns *x, size_t *count);

/*
 * Puts a block in order: its references were recorded from time `base` on, and all its
 * threads are among the first `threads` that appeared. Entry i of the answer is the index
 * of the reference that comes i-th. It is valid until the next call.
 */
const uint32_t *ml_turns_order(struct ml_turns *x, size_t threads, uint64_t base,
			       const uint16_t *thread, const uint32_t *site,
			       size_t count);
