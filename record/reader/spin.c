#include "record/reader/spin.h"

bool ml_spin_step(struct ml_spin *s, uint64_t step, bool writes)
{
	bool waits = false;

	if (writes) {
		*s = (struct ml_spin){ .steps = 0 };
		return false;
	}
	for (uint64_t n = 1; n <= ML_SPIN_STEPS; n++) {
		bool equal = n <= s->steps &&
			     s->past[(s->steps - n) % ML_SPIN_STEPS] == step;

		s->equal[n] = equal ? s->equal[n] + 1 : 0;
		waits |= s->equal[n] > (ML_SPIN_ROUNDS - 1) * n;
	}
	s->past[s->steps++ % ML_SPIN_STEPS] = step;
	return waits;
}
