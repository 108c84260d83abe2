/*
 * What findings promised, beside what came true: A is the trace in which they were found,
 * B the trace after a change. Shares are of all access time of A.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ml_arena;
struct ml_buf;
struct ml_compare;
struct ml_finding;

struct ml_promise {
	const struct ml_finding *finding; /* of A */
	bool stays;                       /* B has the same finding still */
	bool has_region;                  /* it is about a region */
	double region; /* the references to its region take so much less in B */
};

struct ml_promises {
	const struct ml_promise *at; /* in the order of the findings of A */
	size_t count;
	double whole; /* all references take so much less in B */
};

/* The arena owns the promises; c must outlive them. */
struct ml_promises ml_promises_make(const struct ml_compare *c, struct ml_arena *a);
void ml_promises_json(const struct ml_promises *p, struct ml_buf *out);
