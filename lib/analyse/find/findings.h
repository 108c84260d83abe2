/*
 * Findings: changes of a program by which it would wait less for memory, in plain words,
 * each with its evidence and with the cycles that it would save. They are derived from a
 * profile with causes and use (profile.h) and from further passes over the trace that
 * look closer at the costliest lines (whatif.h).
 *
 * A kind of finding is a struct ml_finder in find_KIND.c, listed in findings.c. If
 * several findings are about the same misses, the one that saves most wins, and the
 * others become its alternatives.
 * Held by tests/analyse/test_findings.c.
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
	/* the one with the largest gain first; vague ones behind the others; those about
	 * code that the user cannot change last */
	struct ml_finding *at;
	size_t count;
	double cycles;  /* of all references, by the latencies of the machine */
	double waiting; /* share of these cycles beyond the latency of L1 */
	double cold; /* share of these cycles for cold misses, which no layout avoids */
	uint64_t tried, of;  /* changes were simulated on `tried` of `of` references */
	unsigned phases;     /* of the run, which these are taken from (slices.h) */
	const char *untried; /* the reason why changes were not simulated, or NULL */
	/* why findings say nothing of the program where there are none, or NULL: it did
	 * not do all of its work, or not all of it was looked at */
	const char *no_verdict;
	struct ml_arena arena;
};

struct ml_findings_options {
	uint64_t window;  /* at most so many references are tried; 0: 20 million, or 40 */
	double min_share; /* the share of all cycles that a finding must save; 0: 0.02 */
	const struct ml_work *work; /* may be NULL */
	bool partial; /* if the work is cancelled, what is known by then is the answer */
};

/*
 * p is a profile of t. Without causes or use in it, finders that need these find nothing.
 */
bool ml_findings_make(struct ml_findings *f, struct ml_trace *t,
		      const struct ml_profile *p, const struct ml_findings_options *o,
		      struct ml_err *err);
void ml_findings_release(struct ml_findings *f);

/*
 * Writes all findings, with their facts, as an array: the next value of the writer;
 * views: with how the page plays them.
 */
void ml_findings_json(const struct ml_findings *f, struct ml_json *w, bool views);
