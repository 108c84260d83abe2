/*
 * The recorded process: its mappings, its start, fork, exec and end.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_ring;

enum { STACK_DEPTH = 16 };

/*
 * The call stack from the frame of an interposed function on (its own return address
 * first), by frame pointers: return addresses minus one. Returns how many.
 */
size_t process_stack(const void *frame, uint64_t ips[STACK_DEPTH]);
/* Tells the new thread that owns the slot. */
void process_thread(struct ml_ring *slot, uint32_t parent);
