/*
 * A signal handler may interrupt a hook between any two instructions. This module wraps
 * the handlers of the program: it makes an interrupted hook start again, and defers
 * signals that arrive while the runtime holds the slot.
 */
#pragma once

#include <stdint.h>

/* Registers the hooks of a program or library: they lie in [low, high), each at a
 * multiple of 64 bytes. */
void signals_hooks(uint64_t low, uint64_t high);
/* Looks up longjmp and its kin in libc (jumps.c); a handler must not call dlsym. */
void jumps_find(void);
