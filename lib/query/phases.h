/*
 * Phases, marks and state variables of a trace, summed up by name. Phases nest;
 * a name inside different phases is a row for each. Threads have their own
 * nesting; time that several spend in the same phase at once counts once.
 */
#pragma once

struct ml_summary;

/* Adds the rows to s, whose trace is set. */
void ml_phases_make(struct ml_summary *s);
