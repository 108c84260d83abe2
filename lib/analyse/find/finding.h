/*
 * One finding: a change that would save cycles, with its evidence. findings.h makes them;
 * find_spots.h has the functions by which a finder fills one in.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One number (or name) of the evidence, for programs. */
struct ml_fact {
	const char *key;
	const char *text; /* NULL: the fact is a number */
	double number;
};

/*
 * How the page plays misses of a kind of finding. In `miss`, words in braces are filled
 * in: {line} bytes of a line, {thread} that misses, a fact of the finding by its key, or
 * a sentence that depends on the miss: {step} how far it is from the one before, {far}
 * the same where no order is to be seen, {set} that is full, {back} when its line was
 * used last, and of the other thread that used the line {sharer}, {copy} and {toucher}.
 */
struct ml_finding_view {
	const char *name;  /* view of the page: regions, rings, plane, space, eventmap */
	const char *cause; /* misses with this cause; NULL: with any */
	bool again;        /* captions compare a miss with the last touch of its line */
	bool threads;      /* captions name the thread that misses */
	const char *miss;  /* what to say of a miss; NULL: nothing special */
};

enum { ML_FINDING_FACTS = 16, ML_FINDING_SAYS = 6 };

struct ml_finding {
	const char *kind; /* "stride", "padding": of its finder */
	const char *rule; /* its kind in a sentence */
	const struct ml_finding_view *view;
	const char *title;                 /* "matrix is walked down its columns" */
	const char *says[ML_FINDING_SAYS]; /* the evidence in sentences; ends with NULL */
	const char *advice;                /* "exchange the two loops" */
	const char *region;                /* name of the region; "": it is about none */
	const char *file, *func; /* of the line with the most excess; "": unknown */
	uint32_t line;           /* 0: unknown */
	double cost; /* share of all cycles that the misses of the finding cost */
	double gain; /* share of all cycles that the change would save */
	/* bounds of the gain; equal to it if the change was simulated on the whole run */
	double low, high;
	bool simulated; /* the change was simulated; false: estimated from counts */
	bool vague;     /* no certain remedy is known; such findings come last */
	struct ml_fact facts[ML_FINDING_FACTS]; /* ends with a NULL key */
	const struct ml_finding *other; /* another remedy for the same misses, or NULL */
};
