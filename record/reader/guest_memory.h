/*
 * The memory that a recorded process allocates, maps and registers. Each call stack that
 * allocates becomes a region of the trace, and so does each that maps; their blocks
 * become events of the trace. Live blocks are remembered, because a forked child
 * inherits them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "record/reader/live_memory.h"
#include "record/ring.h"

struct ml_buf;
struct ml_objects;
struct ml_region_parts;
struct ml_writer;

struct ml_guest_memory {
	struct ml_objects *objects;
	struct ml_writer *writer;
	struct ml_guest_stack {
		uint64_t *ip;
		uint32_t count;
		uint32_t heap, mmap; /* regions of its blocks; 0: not made yet */
		uint32_t sizes;      /* regions of large blocks of one size */
		struct ml_region_parts *parts; /* of blocks of one size, or NULL */
	} * stacks;                            /* by the guest's number */
	size_t stack_count, stack_cap;
	struct ml_guest_mapped {
		uint64_t low, high;
		uint32_t stack;
	} * mapped; /* by the program itself and still mapped; in no order */
	size_t mapped_count, mapped_cap;
	struct ml_live_memory heap;       /* number: of the stack */
	struct ml_live_memory registered; /* number: of the region */
	struct ml_map numbers;            /* stack number + 1 by hash of its addresses */
	struct ml_map sized;              /* regions of large blocks, by stack and size */
	struct ml_arena arena;
};

/* An allocation of a thread that has begun (ML_WORD_ALLOCATING). Zeros: none has. */
struct ml_guest_allocation {
	uint64_t since;       /* time + 1 of its begin */
	uint64_t old, serial; /* the block that it replaces; serial 0: none */
};

void ml_guest_memory_init(struct ml_guest_memory *g, struct ml_objects *objects,
			  struct ml_writer *writer);
void ml_guest_memory_release(struct ml_guest_memory *g);

void ml_guest_memory_add_stack(struct ml_guest_memory *g, uint32_t id,
			       const uint64_t *ips, size_t count);
/* A message ML_WORD_ALLOCATING. */
void ml_guest_memory_allocating(struct ml_guest_memory *g, struct ml_guest_allocation *m,
				enum ml_allocating what, uint64_t old);
/* A new block; it completes the allocation that the thread had begun, if any. */
void ml_guest_memory_alloc(struct ml_guest_memory *g, struct ml_guest_allocation *m,
			   uint32_t stack, uint64_t addr, uint64_t size);
void ml_guest_memory_free(struct ml_guest_memory *g, uint64_t addr);
void ml_guest_memory_mmap(struct ml_guest_memory *g, uint32_t stack, uint64_t addr,
			  uint64_t size);
/* The number of a call stack, for guests that send the stack with each block. */
uint32_t ml_guest_memory_find_stack(struct ml_guest_memory *g, const uint64_t *ips,
				    size_t count);
/* The mappings of the program lose [low, high); their parts outside of it stay. */
void ml_guest_memory_unmap(struct ml_guest_memory *g, uint64_t low, uint64_t high);

/* The payload of ML_WORD_REGION; `stack` is its argument. */
void ml_guest_memory_register(struct ml_guest_memory *g, bool stack,
			      const uint64_t *payload, const char *name);
void ml_guest_memory_unregister(struct ml_guest_memory *g, uint64_t addr);

/*
 * Appends messages of ring.h that recreate all live memory in the child of a fork by
 * `thread`. To the child the stacks of the other threads are plain memory.
 */
void ml_guest_memory_report(const struct ml_guest_memory *g, uint32_t thread,
			    struct ml_buf *out);
