/*
 * Findings: what could be changed in a program so that it waits less for memory,
 * in plain words, each with its evidence and with what the change would save. They
 * are derived from a profile with causes and use (profile.h) and from further
 * passes over the trace that look closer at what costs most (whatif.h).
 *
 * A kind of finding is a struct ml_finder in find_KIND.c, listed in findings.c.
 * Several kinds may speak of the same misses: then the one that saves most stays,
 * and the others become other ways to mend the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/finding.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/work.h"

struct ml_json;
struct ml_profile;
struct ml_trace;

struct ml_findings {
	struct ml_finding *at; /* the one that saves most first */
	size_t count;
	double cycles;       /* of all references, by the latencies of the machine */
	double waiting;      /* share of these beyond what L1 would take */
	double cold;         /* share that first touches take, which no layout spares */
	uint64_t tried, of;  /* changes were simulated on so many references of so many */
	const char *untried; /* why changes were not simulated, or NULL */
	struct ml_arena arena;
};

struct ml_findings_options {
	uint64_t window; /* references that changes are tried on at most; 0: 40 million */
	double min_share; /* share of all cycles that is worth a word; 0: 0.02 */
	const struct ml_work *work; /* may be NULL */
};

/* p is of t. Where causes or use are not in it, what needs them is not found. */
bool ml_findings_make(struct ml_findings *f, struct ml_trace *t,
		      const struct ml_profile *p, const struct ml_findings_options *o,
		      struct ml_err *err);
void ml_findings_release(struct ml_findings *f);

/* An array of findings as the next value of the writer, with all their facts. */
void ml_findings_json(const struct ml_findings *f, struct ml_json *w);
