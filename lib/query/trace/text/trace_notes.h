/*
 * Every command says these notes beside its answer about a trace or its simulation: that a
 * result could not be kept, and warnings of a trace that is damaged or ends too early.
 */
#pragma once

#include <stdbool.h>

struct ml_buf;
struct ml_simulation;
struct ml_trace;

/* The end of the trace is missing or damaged. */
void ml_trace_note_end(struct ml_buf *notes, const char *command,
		       const struct ml_trace *trace);
/* The recorded program was ended by a signal: its figures say little beside those of a
 * whole run. */
void ml_trace_note_killed(struct ml_buf *notes, const char *command,
			  const struct ml_trace *trace);
/* Why the result of a simulation could not be kept, if so: no warning. */
void ml_trace_note_unkept(struct ml_buf *notes, const char *command,
			  const struct ml_simulation *s);
/* All that concerns a simulation whose counts are not printed. */
void ml_trace_note_simulation(struct ml_buf *notes, const char *command,
			      const struct ml_simulation *s,
			      const struct ml_trace *trace);
/* Whether it is of a part only, as it was stopped or the trace is damaged. */
bool ml_trace_is_part(const struct ml_simulation *s, const struct ml_trace *trace);
