/*
 * The recorded process: its mappings, its start, fork, exec and end.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_ring;

enum { STACK_DEPTH = 16 };

/*
 * The call stack of an interposed function, by frame pointers from its frame on: return
 * addresses minus one, its own first. Returns how many.
 */
size_t process_stack(const void *frame, uint64_t ips[STACK_DEPTH]);
/* Reports the thread of the slot as a new one. */
void process_thread(struct ml_ring *slot, uint32_t parent);
