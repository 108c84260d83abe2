/*
 * The memory that a recorded process allocates and maps: from its call stacks to
 * regions, one for each stack that allocates and each that maps, and from their
 * blocks to events of the trace.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"

struct ml_objects;
struct ml_writer;

struct ml_guest_blocks {
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
		uint32_t region;
	} * mapped; /* by the program itself, and not unmapped yet; in no order */
	size_t mapped_count, mapped_cap;
	struct ml_map numbers; /* of stacks that come with their blocks, by hash */
	struct ml_arena arena;
};

void ml_guest_blocks_init(struct ml_guest_blocks *b, struct ml_objects *objects,
			  struct ml_writer *writer);
void ml_guest_blocks_release(struct ml_guest_blocks *b);

void ml_guest_stack(struct ml_guest_blocks *b, uint32_t id, const uint64_t *ips,
		    size_t count);
/* since: the time from which on it counts, or UINT64_MAX: now. */
void ml_guest_alloc(struct ml_guest_blocks *b, uint32_t stack, uint64_t addr,
		    uint64_t size, uint64_t since);
void ml_guest_mmap(struct ml_guest_blocks *b, uint32_t stack, uint64_t addr,
		   uint64_t size);
/* The same two for guests that tell the stack with the block (mapped: it is no heap). */
void ml_guest_block(struct ml_guest_blocks *b, bool mapped, uint64_t addr, uint64_t size,
		    const uint64_t *ips, size_t count);
/* [low, high) is no longer what the program had mapped there; what lies around it is. */
void ml_guest_unmap(struct ml_guest_blocks *b, uint64_t low, uint64_t high);
