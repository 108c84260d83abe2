/*
 * Changes are tried in rounds. The first round, on a small part of the references,
 * decides most trials: those of changes that clearly help or clearly do not. Only what it
 * leaves open is tried on more. A trial that the first round decides has its bounds from
 * there.
 *
 * The first round decides a trial if all of this holds:
 * - two standard errors of what the change saves are small;
 * - the references that the change concerns wait in the part as they do in the whole run,
 *   which the profile knows: the part stands for the run;
 * - with the change, few references miss a cache that is too large to be full after a
 *   slice: they might hit in the whole run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/trial/slices.h"
#include "lib/analyse/trial/whatif.h"

struct ml_find;

struct ml_round {
	struct ml_slices slices; /* the references that changes were tried on */
	uint64_t refs;           /* their number */
	size_t *numbers;         /* [count] of the changes, in f->tried */
	struct ml_change *changes;
	size_t count;
	struct ml_trial *trials, *parts; /* as in struct ml_whatif */
	uint64_t served[ML_SERVED];      /* without a change */
};

/*
 * The number of changes that no round has decided and that have an effect; part: without
 * those that no small part can decide.
 */
size_t ml_round_open(const struct ml_find *f, bool part);
/* Makes a round of these. */
struct ml_round *ml_round_make(struct ml_find *f, const struct ml_slices *slices,
			       bool part);
/* After its simulation: the trials of the round are those of its changes. */
void ml_round_end(struct ml_find *f, struct ml_round *r);
/* Marks the changes that need no further round. True if it decides some. */
bool ml_round_decide(struct ml_find *f, const struct ml_round *r);
