/*
 * Loops in which a thread waits: it goes through the same few steps again and again, with
 * the same addresses, and writes nothing but its own stack. The first rounds are kept;
 * the others can be left out, as they tell nothing new.
 * Held by tests/record/test_spin.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	ML_SPIN_STEPS = 8,  /* of a round, at most */
	ML_SPIN_ROUNDS = 4, /* that are kept */
};

struct ml_spin {
	uint64_t past[ML_SPIN_STEPS]; /* the last steps; step n is at n % ML_SPIN_STEPS */
	uint64_t steps;
	/* by length of a round: the last steps that equal those one round before */
	uint64_t equal[ML_SPIN_STEPS + 1];
};

/*
 * The thread takes a step; `step` stands for its code and its addresses. `writes`: to
 * memory other than its stack. True: the thread waits, and the step is one of the rounds
 * that can be left out.
 */
bool ml_spin_step(struct ml_spin *s, uint64_t step, bool writes);
