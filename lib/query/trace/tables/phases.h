/*
 * The phases of a trace, summed up by name. Phases nest; a name inside different phases
 * is a row for each. Threads have their own nesting; time that several threads spend in
 * the same phase at once counts once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_err;
struct ml_trace;

/* All times that a phase runs within the same outer phases. */
struct ml_phase {
	const char *name;
	uint32_t depth;       /* 0: outermost */
	uint64_t times, refs; /* how often begun; references between begin and end */
	bool open;            /* the trace ends before the phase does */
};

/*
 * Phases are numbered from 1 as they first begin. `spent` is called with each stretch of
 * time that some thread spends in a phase, then `row` with the sum of each phase, in the
 * order of a walk over the nesting. `spent` may be NULL.
 */
struct ml_phases_fn {
	void *arg;
	void (*spent)(void *arg, uint32_t phase, uint64_t from, uint64_t until);
	void (*row)(void *arg, uint32_t phase, const struct ml_phase *p);
};
void ml_phases_each(const struct ml_trace *t, const struct ml_phases_fn *fn);

/* The window of a phase: from its first beginning to the end that follows. */
bool ml_phases_window(const struct ml_trace *t, const char *name, uint64_t *from,
		      uint64_t *to, struct ml_err *err);
