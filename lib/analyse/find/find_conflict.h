/*
 * What the finders of conflict misses share (find_padding.c, find_overlap.c). Their
 * remedy moves data by some lines; the number of lines is found by trying several.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/find_spots.h"

enum { ML_CONFLICT_TRIALS = 4, ML_CONFLICT_MAX = 2 };

struct ml_conflict_remedy;

struct ml_conflict {
	const void *about;       /* what the finder knows of it */
	uint32_t a, b;           /* the regions that lose lines; one region: a == b */
	struct ml_change change; /* the remedy, without its pad */
	const unsigned *lines;   /* the pads to try, in lines, ascending... */
	size_t count;            /* ...and how many */
	size_t trial[ML_CONFLICT_TRIALS];
};

/* The smallest remedy that does nearly as well as the best one. */
struct ml_conflict_remedy {
	uint64_t pad; /* bytes */
	double saved; /* cycles of the whole run */
	size_t trial;
};

/* What a finder of conflicts has found; the first member of its own state. */
struct ml_conflicts {
	struct ml_conflict at[ML_CONFLICT_MAX];
	size_t count;
	void (*tell)(struct ml_find *f, const struct ml_conflict *x,
		     const struct ml_conflict_remedy *r);
};

/* The spot of these regions whose conflict misses cost most; NULL: there is none. */
const struct ml_spot *ml_conflict_worst(const struct ml_find *f, uint32_t a, uint32_t b);
/* In try: adds a conflict and tries all pads. */
void ml_conflict_try(struct ml_find *f, struct ml_conflicts *all,
		     const struct ml_conflict *x);
/* The conclude of both finders: tells of each conflict that a pad mends. */
void ml_conflict_conclude(struct ml_find *f, void *mine);
/* In conclude: a finding about the region that moves, which claims all conflict misses.
 */
struct ml_candidate *ml_conflict_add(struct ml_find *f, const struct ml_conflict *x,
				     const struct ml_conflict_remedy *r);
