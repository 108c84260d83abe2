/*
 * The stacks of all threads of a trace, found by address. A trace may have ten thousand
 * threads, most of which had the same stack one after the other, so a question takes the
 * logarithm of their number.
 * Held by tests/trace/test_stack_index.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_tables;
struct ml_thread;

struct ml_stack_index {
	const struct ml_thread *threads; /* entries of the tables */
	size_t count;
	/* The edges of all stacks, ascending; stacks differ only there. */
	uint64_t *edge;
	uint32_t
		*owner; /* of [edge[i], edge[i + 1]): the last entry that covers it + 1 */
	size_t edges;
	uint64_t *low, *high; /* the lower and upper ends of all stacks, ascending */
	uint32_t *last_of;    /* by thread: its last entry + 1 */
	uint32_t *before;     /* by entry: the entry of the same thread before it + 1 */
};

/* t stays as it is as long as the index is used. */
void ml_stack_index_init(struct ml_stack_index *x, const struct ml_tables *t);
void ml_stack_index_release(struct ml_stack_index *x);

/* The lowest address that may belong to the thread's stack. */
uint64_t ml_stack_low(const struct ml_thread *t);
/* The thread whose stack holds addr; NULL: none. Threads may reuse stacks: `thread` comes
 * first, then the last entry. */
const struct ml_thread *ml_stack_index_find(const struct ml_stack_index *x, uint64_t addr,
					    uint16_t thread);
/* Narrows [*low, *high) around addr to where no stack of any thread begins or ends. */
void ml_stack_index_cut(const struct ml_stack_index *x, uint64_t addr, uint64_t *low,
			uint64_t *high);
/* The same with the stacks of one thread. */
void ml_stack_index_cut_own(const struct ml_stack_index *x, uint64_t addr,
			    uint16_t thread, uint64_t *low, uint64_t *high);
