/*
 * Chooses the model (predict.h) of each state: which lag and shift, or which stride, give
 * the smallest residuals. The encoder tries all models on samples of the chunk itself, so
 * that the bytes of a chunk do not depend on the chunks before it.
 * Held by tests/trace/test_predictor_choice.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/trace/chunk/predict.h"

/* The scores of the models of a state. Only the two tryers use its fields. */
struct ml_predictor_trial {
	uint64_t before[ML_LAGS]; /* the values before the last one, the nearest last */
	uint32_t with[ML_LAG_SHIFTS][ML_LAGS]; /* scores with a lag, by index in before */
	uint64_t value;                        /* the last one */
	uint64_t stride; /* candidate for the most frequent stride */
	uint32_t votes;  /* its lead over the other strides */
	uint32_t chunk;  /* the chunk that is counted */
	uint32_t count;  /* of values compared */
	uint32_t alone;  /* score without a lag */
};

enum {
	/* Scores of a residual, which add up. */
	ML_WORTH_NOTHING = 2, /* it is 0 */
	ML_WORTH_LITTLE = 1,  /* it fits two bytes */
};

struct ml_predictor_choice {
	struct ml_predictor_trial *trials; /* by state */
	size_t cap;
	uint32_t chunk; /* the chunk that is tried, from 1 */
};

/* Majority vote (Boyer and Moore, 1981): finds a stride that more than half have. */
static inline void ml_predictor_vote(struct ml_predictor_trial *t, uint64_t delta)
{
	uint64_t none = (uint64_t)0 - (t->votes == 0);

	t->stride ^= (t->stride ^ delta) & none;
	t->votes += t->stride == delta ? 1u : UINT32_MAX;
}

typedef void ml_predictor_choice_trier(struct ml_predictor_choice *b,
				       const uint32_t *state, const uint64_t *v,
				       size_t count);

void ml_predictor_choice_release(struct ml_predictor_choice *b);
/* Begins a chunk. */
void ml_predictor_choice_start(struct ml_predictor_choice *b, size_t states);
/* Tries all models on values in a row; v[-ML_LAGS] is readable. */
extern ml_predictor_choice_trier ml_predictor_choice_try_plain,
	ml_predictor_choice_try_avx512;
/* The fastest of them that this processor can run. */
ml_predictor_choice_trier *ml_predictor_choice_best_trier(void);
/*
 * The model of a state with the best score; model 0 if no sample has the state. *stride
 * is 0 if the model has none.
 */
unsigned ml_predictor_choice_best(const struct ml_predictor_choice *b, uint32_t state,
				  uint64_t *stride);
