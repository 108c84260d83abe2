/* Prints findings for people, in every command that has findings. */
#pragma once

struct ml_finding;
struct ml_findings;
struct ml_profile;
struct ml_trace;
struct ml_say;

/*
 * Prints all findings, the one that saves most first, with the source lines of the trace;
 * or one sentence that explains why there are none.
 */
void ml_findings_print(const struct ml_findings *f, struct ml_trace *t,
		       const struct ml_profile *p, struct ml_say *s);

/* "interchange.c:44 in down_columns"; "" if the place is unknown. */
const char *ml_findings_where(const struct ml_finding *n, struct ml_say *s);
