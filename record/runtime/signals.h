/*
 * Handlers of signals run between the instructions of a hook as anywhere else. This
 * stands between the program and its handlers: it lets an interrupted hook start anew,
 * and puts handlers off that come while the runtime holds the slot.
 */
#pragma once

#include <stdint.h>

/* Hooks lie in [low, high), 64 bytes apart. */
void signals_hooks(uint64_t low, uint64_t high);
/* Finds the jumps of the C library, which handlers must not look for themselves. */
void jumps_find(void);
