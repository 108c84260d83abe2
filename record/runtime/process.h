/*
 * The recorded process: its mappings, its start, fork, exec and end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_ring;

/* Tells what is mapped where, as it is now; all of it, or files only. */
void process_maps(struct ml_ring *slot, bool all);
/* Is there code at this address, as far as the last process_maps saw? */
bool process_is_code(uint64_t address);

enum { STACK_DEPTH = 16 };

/*
 * The call stack from the frame of an interposed function on (its own return address
 * first), by frame pointers: return addresses minus one. Returns how many.
 */
size_t process_stack(const void *frame, uint64_t ips[STACK_DEPTH]);
/* Tells the new thread that owns the slot. */
void process_thread(struct ml_ring *slot, uint32_t parent);
