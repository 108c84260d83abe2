#include "lib/trace/chunk/predictor_choice.h"

#include <string.h>

/* A model with a lag must lead by more than one point for each MARGIN values. */
enum { MARGIN = 2 };

void ml_predictor_choice_release(struct ml_predictor_choice *b)
{
	ml_free(b->trials);
	*b = (struct ml_predictor_choice){ 0 };
}

void ml_predictor_choice_start(struct ml_predictor_choice *b, size_t states)
{
	b->trials = ml_grow(b->trials, &b->cap, states, sizeof(*b->trials));
	b->chunk++;
}

static inline uint32_t worth(uint64_t residual)
{
	return (residual ? 0u : ML_WORTH_NOTHING) +
	       (residual + 0x8000 < 0x10000 ? ML_WORTH_LITTLE : 0u);
}

static void compare(struct ml_predictor_trial *t, const uint64_t *v)
{
	uint64_t delta = *v - t->value;

	t->alone += worth(delta - t->stride);
	ml_predictor_vote(t, delta);
	for (int i = 0; i < ML_LAGS; i++) {
		uint64_t moved = v[i - ML_LAGS] - t->before[i];

		for (int shift = 0; shift < ML_LAG_SHIFTS; shift++)
			t->with[shift][i] += worth(delta - (moved << shift));
	}
	t->count++;
}

void ml_predictor_choice_try_plain(struct ml_predictor_choice *b, const uint32_t *state,
				   const uint64_t *v, size_t count)
{
	for (size_t i = 0; i < count; i++, v++) {
		struct ml_predictor_trial *t = &b->trials[state[i]];

		if (t->chunk == b->chunk)
			compare(t, v);
		else
			*t = (struct ml_predictor_trial){ .chunk = b->chunk };
		t->value = *v;
		memcpy(t->before, v - ML_LAGS, sizeof(t->before));
	}
}

ml_predictor_choice_trier *ml_predictor_choice_best_trier(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
		return ml_predictor_choice_try_avx512;
#endif
	return ml_predictor_choice_try_plain;
}

unsigned ml_predictor_choice_best(const struct ml_predictor_choice *b, uint32_t state,
				  uint64_t *stride)
{
	const struct ml_predictor_trial *t = &b->trials[state];
	unsigned model = 0;

	*stride = 0;
	if (t->chunk != b->chunk)
		return 0;
	uint32_t best = t->alone;
	for (unsigned lag = 1; lag <= ML_LAGS; lag++)
		for (unsigned shift = 0; shift < ML_LAG_SHIFTS; shift++)
			if (t->with[shift][ML_LAGS - lag] > best + t->count / MARGIN) {
				best = t->with[shift][ML_LAGS - lag];
				model = lag | shift << ML_PREDICT_SHIFT;
			}
	if (model || !t->stride)
		return model;
	*stride = t->stride;
	return ML_PREDICT_STRIDE;
}
