/*
 * The memory that a recorded process allocates, maps and registers: from its call stacks
 * to regions, one for each stack that allocates and each that maps, and from their blocks
 * to events of the trace. What lives is kept, so that a child of fork can be told.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "record/session/live_memory.h"
#include "record/ring.h"

struct ml_buf;
struct ml_objects;
struct ml_writer;

struct ml_guest_memory {
	struct ml_objects *objects;
	struct ml_writer *writer;
	struct ml_guest_stack {
		uint64_t *ip;
		uint32_t count;
		uint32_t heap,
			mmap; /* regions of what it allocates and maps; 0: not made yet */
	} * stacks;           /* by the guest's number */
	size_t stack_count, stack_cap;
	struct ml_guest_mapped {
		uint64_t low, high;
		uint32_t stack;
	} * mapped; /* by the program itself, and not unmapped yet; in no order */
	size_t mapped_count, mapped_cap;
	struct ml_live_memory heap;       /* number: the stack */
	struct ml_live_memory registered; /* number: the region */
	struct ml_map numbers;            /* of stacks by their hash */
	struct ml_arena arena;
};

/* A block that a thread is making. Zeros: it is making none. */
struct ml_guest_making {
	uint64_t since;       /* time + 1 when it began */
	uint64_t old, serial; /* the block whose place it takes; serial 0: of none */
};

void ml_guest_memory_init(struct ml_guest_memory *b, struct ml_objects *objects,
			  struct ml_writer *writer);
void ml_guest_memory_release(struct ml_guest_memory *b);

void ml_guest_stack(struct ml_guest_memory *b, uint32_t id, const uint64_t *ips,
		    size_t count);
/* What ML_WORD_ALLOCATING says. */
void ml_guest_make(struct ml_guest_memory *b, struct ml_guest_making *m,
		   enum ml_allocating what, uint64_t old);
/* A block is there, perhaps the one that was being made. */
void ml_guest_alloc(struct ml_guest_memory *b, struct ml_guest_making *m, uint32_t stack,
		    uint64_t addr, uint64_t size);
void ml_guest_free(struct ml_guest_memory *b, uint64_t addr);
void ml_guest_mmap(struct ml_guest_memory *b, uint32_t stack, uint64_t addr,
		   uint64_t size);
/* The number of a call stack, for guests that tell it with the block. */
uint32_t ml_guest_stack_of(struct ml_guest_memory *b, const uint64_t *ips, size_t count);
/* [low, high) is no longer what the program had mapped there; what lies around it is. */
void ml_guest_unmap(struct ml_guest_memory *b, uint64_t low, uint64_t high);

/* ML_WORD_REGION's payload, whose name is read already. */
void ml_guest_region(struct ml_guest_memory *b, bool stack, const uint64_t *payload,
		     const char *name);
void ml_guest_unregion(struct ml_guest_memory *b, uint64_t addr);

/*
 * All that lives, in messages of ring.h, for the child of a fork by `thread`: its own
 * stack comes along, the stacks of the others are memory like any other to it.
 */
void ml_guest_memory_tell(const struct ml_guest_memory *b, uint32_t thread,
			  struct ml_buf *out);
