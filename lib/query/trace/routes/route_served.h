/*
 * References in an answer: `served`, their numbers by serving level, and `waiting`, the
 * cycles that they wait (waiting.h) by the same levels, then those of the surcharge.
 * Held by tests/query/test_route_served.c.
 */
#pragma once

#include <stdint.h>

#include "lib/analyse/passes/profile_counts.h"

struct ml_answer;
struct ml_machine;

void ml_route_served(struct ml_answer *a, const struct ml_machine *m,
		     const uint64_t served[ML_SERVED], double beyond);
