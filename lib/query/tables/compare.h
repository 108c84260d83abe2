/*
 * Two studies side by side: what became better or worse in all, by line of code, by
 * region, and which findings appeared or went. Lines are matched by file, function and
 * source text, so that a line that only moved is still the same one; where a trace has no
 * source text, by number. Regions are matched by name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/findings.h"
#include "lib/base/arena.h"
#include "lib/query/tables/profile_rows.h"

struct ml_analysed_trace;

/* One figure of the whole run. */
struct ml_compare_total {
	const char *key;  /* "L1.misses", as of --fail-if */
	const char *name; /* "misses of L1" */
	bool real;        /* it is no count */
	double a, b;
};

struct ml_compare_row {
	const char *name; /* of the region; "main.c:12", as it is in b if there */
	const char *file, *func, *text; /* of a line; text is its source, or NULL */
	uint32_t line_a, line_b;        /* of a line; 0: not there, or unknown */
	bool in_a, in_b;
	struct ml_profile_count a, b;
};

enum ml_compare_state { ML_COMPARE_NEW, ML_COMPARE_GONE, ML_COMPARE_STAYED };

struct ml_compare_finding {
	enum ml_compare_state state;
	const struct ml_finding *a, *b; /* the one that is not there is NULL */
};

struct ml_compare {
	struct ml_analysed_trace *a, *b;
	ML_ROWS(struct ml_compare_total) totals;
	ML_ROWS(struct ml_compare_row)
	lines; /* largest change of waiting first */
	ML_ROWS(struct ml_compare_row) regions;
	ML_ROWS(struct ml_compare_finding) findings; /* new, gone, stayed */
	struct ml_arena arena;
};

/* Both must stay. */
void ml_compare_make(struct ml_compare *c, struct ml_analysed_trace *a,
		     struct ml_analysed_trace *b);
void ml_compare_release(struct ml_compare *c);

/* (b - a) / a: 0 where both are 0, infinite where only a is. */
double ml_compare_change(double a, double b);
