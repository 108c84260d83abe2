/*
 * Which of the values before it a base is best compared with, and by which stride it
 * moves (predict.h): tried on samples of the chunk that is to be encoded, so that a
 * chunk comes out the same whatever was encoded before it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/trace/predict.h"

/* How good each model of a state is, so far. Only the two ways to try look inside. */
struct ml_trial {
	uint64_t before[ML_LAGS]; /* the values before the last one, the nearest last */
	uint32_t with[ML_LAG_SHIFTS][ML_LAGS]; /* by the place in before */
	uint64_t value;
	uint64_t stride; /* that most have had so far, */
	uint32_t votes;  /* and by how many more than others */
	uint32_t chunk, count, alone;
};

enum {
	ML_WORTH_NOTHING = 2, /* of nothing left, beside */
	ML_WORTH_LITTLE = 1,  /* that of what fits two bytes */
};

struct ml_predictor_choice {
	struct ml_trial *trials; /* by state */
	size_t cap;
	uint32_t chunk; /* in which they count */
};

/*
 * The stride that more than half of a list have is what is left when each pair of
 * different ones is struck out (Boyer and Moore, 1981).
 */
static inline void ml_trial_vote(struct ml_trial *t, uint64_t delta)
{
	uint64_t none = (uint64_t)0 - (t->votes == 0);

	t->stride ^= (t->stride ^ delta) & none;
	t->votes += t->stride == delta ? 1u : UINT32_MAX;
}

typedef void ml_predictor_choice_trier(struct ml_predictor_choice *b,
				       const uint32_t *state, const uint64_t *v,
				       size_t count);

void ml_predictor_choice_release(struct ml_predictor_choice *b);
/* Forgets what was tried. */
void ml_predictor_choice_start(struct ml_predictor_choice *b, size_t states);
/* Tries all models on values, whose states are given; v[-ML_LAGS] can be read. */
extern ml_predictor_choice_trier ml_predictor_choice_try_plain,
	ml_predictor_choice_try_avx512;
/* The fastest that this machine can. */
ml_predictor_choice_trier *ml_predictor_choice_best_trier(void);
/*
 * The model that left least, or for a state that was not tried comparing with nothing;
 * *stride is 0 if it has none.
 */
unsigned ml_predictor_choice_best(const struct ml_predictor_choice *b, uint32_t state,
				  uint64_t *stride);
