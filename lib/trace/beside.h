/*
 * Which of the values before it a base is best compared with (predict.h): tried on
 * samples of the chunk that is to be encoded, so that a chunk comes out the same
 * whatever was encoded before it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/trace/predict.h"

struct ml_trial;

struct ml_beside {
	struct ml_trial *trials; /* by state */
	size_t cap;
	uint32_t chunk; /* in which they count */
};

void ml_beside_release(struct ml_beside *b);
/* Forgets what was tried. */
void ml_beside_start(struct ml_beside *b, size_t states);
/* Tries all models on values, whose states are given; v[-ML_LAGS] can be read. */
void ml_beside_try(struct ml_beside *b, const uint32_t *state, const uint64_t *v,
		    size_t count);
/* The model that left least, or for a state that was not tried comparing with nothing. */
unsigned ml_beside_best(const struct ml_beside *b, uint32_t state);
