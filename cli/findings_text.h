/* Findings as a person reads them, for every command that has them. */
#pragma once

struct ml_finding;
struct ml_findings;
struct ml_profile;
struct ml_trace;
struct say;

/*
 * All of them, the one that saves most first, with the source lines that the trace
 * carries; or in one honest sentence why there are none.
 */
void findings_print(const struct ml_findings *f, struct ml_trace *t,
		    const struct ml_profile *p, struct say *s);

/* "interchange.c:44 in down_columns"; "" where nothing is known. */
const char *findings_where(const struct ml_finding *n, struct say *s);
