/* What every text about a simulated trace says: the machine, and what is missing. */
#pragma once

#include <stdint.h>

struct ml_machine;
struct ml_profile;
struct ml_say;
struct ml_trace;

/* "on skylake: L1 32.0 KiB, L2 1.0 MiB" */
void ml_say_machine(struct ml_say *s, const struct ml_machine *m);

/*
 * Writes a line for each kind of damage and gap of a trace; nothing if the trace is
 * whole. `damage` tells why only `done` references could be read, or is NULL.
 */
void ml_say_missing(struct ml_say *s, const struct ml_trace *t, const char *damage,
		    uint64_t done);

/* Writes a line that a signal stopped the simulation of the window of p. */
void ml_say_stopped(struct ml_say *s, const struct ml_profile *p);
