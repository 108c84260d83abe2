/*
 * Tuning by simulation: the members of an ensemble whose parameters are those of a search
 * space, as variants of the space with what the simulated machine says about them. A
 * space and its ensemble know each other by the names of parameters only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

struct ml_ensemble;
struct ml_json;
struct ml_search;

struct ml_tuned_row {
	int64_t *values; /* one for each parameter of the space */
	uint32_t mask;   /* what the variant fails */
	uint32_t member; /* of the ensemble */
	double cycles;   /* of all its references; less is better */
	uint64_t references;
};

struct ml_tuned {
	const char *machine;       /* all rows are of this one */
	struct ml_tuned_row *rows; /* the best first */
	size_t count;
};

/* A soft constraint and the best variants. */
struct ml_tuned_removal {
	size_t constraint;
	size_t removed; /* of the `best` best, it eliminates so many */
	size_t first;   /* rank of the best that it eliminates, from 1; 0: none */
};

/*
 * The members that are done, of the `machine`-th machine of the ensemble among those that
 * have such members. None: count is 0.
 */
void ml_tuned_read(struct ml_tuned *t, const struct ml_search *s,
		   const struct ml_ensemble *e, size_t machine, struct ml_arena *a);
/* Soft constraints and the `best` best rows, those that remove most first; at has room
 * for all constraints. Returns how many there are. */
size_t ml_tuned_removals(const struct ml_tuned *t, const struct ml_search *s, size_t best,
			 struct ml_tuned_removal *at);
/* The least cycles among the rows that agree with want in the bits of care; NAN: none. */
double ml_tuned_best(const struct ml_tuned *t, uint32_t care, uint32_t want);
/* Keys of the object that the writer is in; at most `top` rows. */
void ml_tuned_json(struct ml_json *w, const struct ml_tuned *t, const struct ml_search *s,
		   size_t top, size_t best, struct ml_arena *a);
