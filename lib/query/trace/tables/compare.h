/*
 * Two analysed traces side by side: changes of the whole run, of each line of code and of
 * each region, and findings that appeared or disappeared. Lines are matched by file,
 * function and source text, so that a line that only moved is the same line. Without
 * source text, lines are matched by number. Regions are matched by name.
 * Held by tests/query/test_compare.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/findings.h"
#include "lib/base/arena.h"
#include "lib/query/trace/tables/profile_rows.h"

struct ml_analysed_trace;

/* One figure of the whole run. */
struct ml_compare_total {
	const char *key;  /* "L1.misses", as in --fail-if */
	const char *name; /* "misses of L1" */
	bool real;        /* a and b are no counts */
	double a, b;
};

struct ml_compare_row {
	const char *name; /* name of the region, or "main.c:12"; b's line if b has it */
	const char *file, *func, *text; /* of lines only; text is the source, or NULL */
	uint32_t line_a, line_b; /* of lines only; 0: missing on that side, or unknown */
	bool in_a, in_b;
	struct ml_profile_count a, b;
};

enum ml_compare_state { ML_COMPARE_NEW, ML_COMPARE_GONE, ML_COMPARE_STAYED };

struct ml_compare_finding {
	enum ml_compare_state state;
	const struct ml_finding *a, *b; /* NULL: missing on that side */
};

struct ml_compare {
	struct ml_analysed_trace *a, *b;
	ML_ROWS(struct ml_compare_total) totals;
	ML_ROWS(struct ml_compare_row)
	lines; /* the largest change of lost cycles first */
	ML_ROWS(struct ml_compare_row) regions;
	ML_ROWS(struct ml_compare_finding) findings; /* new, gone, stayed */
	struct ml_arena arena;
};

/* a and b must outlive the comparison. */
void ml_compare_make(struct ml_compare *c, struct ml_analysed_trace *a,
		     struct ml_analysed_trace *b);
void ml_compare_release(struct ml_compare *c);

/* (b - a) / a; 0 if both are 0, infinite if only a is. */
double ml_compare_change(double a, double b);
