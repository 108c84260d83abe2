/*
 * Has the machine anything to do but what we record? Told from the time that all its
 * processors worked and the time that a recording took of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Nanoseconds. */
struct ml_machine_idle {
	uint64_t busy, ours, at; /* when it was looked last; at 0: never */
};

/* Time that processors worked, from the text of /proc/stat. 0: not to be told. */
uint64_t ml_machine_idle_busy(const char *stat);
/* Takes note of how things are, and tells what they were since the last time: true if
 * there was next to nothing else. */
bool ml_machine_idle_since(struct ml_machine_idle *q, uint64_t at, uint64_t busy,
			   uint64_t ours);
/* The same for this process and another, as they are now. */
bool ml_machine_idle_look(struct ml_machine_idle *q, pid_t other);
