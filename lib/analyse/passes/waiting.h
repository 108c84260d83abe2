/*
 * Waiting: the cycles that references take beyond those that they would take if the first
 * level served all of them. It is the one measure of the page, of `sim`, of the report and
 * of findings: of these references, in these bytes and this time, with pages, transfers
 * and L1i (surcharge.h).
 * Held by tests/analyse/test_waiting.c.
 */
#pragma once

#include <stdint.h>

#include "lib/analyse/passes/profile_counts.h"

struct ml_machine;

/* Of one reference that a level (from 1, behind the last: memory) serves. */
double ml_waiting_price(const struct ml_machine *m, unsigned level);

/*
 * Of references by serving level with a surcharge of `beyond` cycles, at least 0. Its
 * parts, unless NULL: [k] is for level k, [0] the surcharge.
 */
double ml_waiting(const struct ml_machine *m, const uint64_t served[ML_SERVED],
		  double beyond, double parts[ML_SERVED]);

/*
 * What a cell of a picture shows: a rectangle of pixels that stands for a set of
 * references, in any view.
 */
struct ml_waiting_cell {
	uint8_t level; /* that costs most cycles, from 1; levels + 2: the surcharge does; 0:
			  no references */
	float cycles; /* a reference, waiting and all */
};
struct ml_waiting_cell ml_waiting_cell(const struct ml_machine *m,
				       const uint64_t served[ML_SERVED], double beyond);
