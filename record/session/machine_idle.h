/*
 * Is the machine idle apart from the recording? Compares the time that all processors
 * worked with the time that the recording used of it.
 * Held by tests/record/test_machine_idle.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The last sample, in nanoseconds. */
struct ml_machine_idle {
	uint64_t busy, ours, at; /* time of all processors, of the recording, and of the
				  sample; at 0: there is none */
};

/* Time that all processors worked, from the text of /proc/stat; 0: unknown. */
uint64_t ml_machine_idle_busy(const char *stat);
/* Stores a sample. True: since the last sample the machine did next to nothing besides
 * the recording. */
bool ml_machine_idle_since(struct ml_machine_idle *q, uint64_t at, uint64_t busy,
			   uint64_t ours);
/* The same with a sample of this moment; the recording is this process and `other`. */
bool ml_machine_idle_look(struct ml_machine_idle *q, pid_t other);
