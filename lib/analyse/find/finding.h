/*
 * One finding: a change that would save cycles, with its evidence. findings.h makes
 * them; find_spots.h has the verbs by which a finder fills one in.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One number (or name) of the evidence, for programs. */
struct ml_fact {
	const char *key;
	const char *text; /* NULL: it is a number */
	double number;
};

enum { ML_FINDING_FACTS = 16, ML_FINDING_SAYS = 6 };

struct ml_finding {
	const char *kind;                  /* "stride", "padding": of its finder */
	const char *title;                 /* "matrix is walked down its columns" */
	const char *says[ML_FINDING_SAYS]; /* the evidence in sentences; ends with NULL */
	const char *advice;                /* "exchange the two loops" */
	const char *region;                /* name; "" where it is about no region */
	const char *file, *func;           /* of the line that suffers most; "" unknown */
	uint32_t line;                     /* 0: unknown */
	double cost;    /* share of all cycles that goes to the misses that it is about */
	double gain;    /* share of all cycles that the change would save */
	bool simulated; /* the change was simulated; false: estimated from counts */
	struct ml_fact facts[ML_FINDING_FACTS]; /* ends with a NULL key */
	const struct ml_finding *other; /* another way to mend the same, or NULL */
};
