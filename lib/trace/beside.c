#include "lib/trace/beside.h"

#include <string.h>

enum {
	NOTHING_LEFT = 7, /* what that is worth, against 1 for what fits two bytes */
	CLEARLY = 4,      /* one of so many: by how much a comparison must be better */
};

struct ml_trial {
	uint64_t value, before[ML_LAGS]; /* of the last one */
	int64_t stride, delta;
	uint32_t chunk, count;
	uint32_t alone, with[ML_LAGS][ML_LAG_SHIFTS]; /* how good each is */
};

void ml_beside_release(struct ml_beside *b)
{
	ml_free(b->trials);
	*b = (struct ml_beside){ 0 };
}

void ml_beside_start(struct ml_beside *b, size_t states)
{
	b->trials = ml_grow(b->trials, &b->cap, states, sizeof(*b->trials));
	b->chunk++;
}

static inline uint32_t worth(uint64_t rest)
{
	return (rest ? 0u : NOTHING_LEFT) + (rest + 0x8000 < 0x10000);
}

static void compare(struct ml_trial *t, const uint64_t *v)
{
	uint64_t delta = *v - t->value;

	t->alone += worth(delta - (uint64_t)t->stride);
	if ((int64_t)delta == t->delta)
		t->stride = (int64_t)delta;
	t->delta = (int64_t)delta;
	for (int lag = 0; lag < ML_LAGS; lag++) {
		uint64_t beside = v[-lag - 1] - t->before[lag];

		for (int shift = 0; shift < ML_LAG_SHIFTS; shift++)
			t->with[lag][shift] += worth(delta - (beside << shift));
	}
	t->count++;
}

void ml_beside_try(struct ml_beside *b, const uint32_t *state, const uint64_t *v,
		    size_t count)
{
	for (size_t i = 0; i < count; i++, v++) {
		struct ml_trial *t = &b->trials[state[i]];

		if (t->chunk == b->chunk)
			compare(t, v);
		else
			*t = (struct ml_trial){ .chunk = b->chunk };
		t->value = *v;
		for (int lag = 0; lag < ML_LAGS; lag++)
			t->before[lag] = v[-lag - 1];
	}
}

unsigned ml_beside_best(const struct ml_beside *b, uint32_t state)
{
	const struct ml_trial *t = &b->trials[state];
	unsigned model = 0;

	if (t->chunk != b->chunk)
		return 0;
	uint32_t best = t->alone;
	for (unsigned lag = 0; lag < ML_LAGS; lag++)
		for (unsigned shift = 0; shift < ML_LAG_SHIFTS; shift++)
			if (t->with[lag][shift] > best + t->count / CLEARLY) {
				best = t->with[lag][shift];
				model = (lag + 1) | shift << ML_MODEL_SHIFT;
			}
	return model;
}
