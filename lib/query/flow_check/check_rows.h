/* A row of the comparison of a flow with a trace: one array in one loop. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine/machine.h"

struct ml_flow_check_side {
	uint64_t reads, writes, bytes;
	uint64_t missed[ML_LEVELS]; /* accesses that missed each level */
};

struct ml_flow_check_row {
	uint32_t loop; /* node of the innermost loop; ML_FLOW_NONE: outside of loops */
	uint32_t container; /* ML_FLOW_NONE: memory that is no array of the source */
	const char *array;  /* name of the container, or of the region */
	struct ml_flow_check_side predicted, recorded;
	const char *why; /* a sentence about the difference */
	bool as_predicted;
};
