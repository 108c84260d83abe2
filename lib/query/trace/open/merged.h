/*
 * References of interleaved threads in simulated order: one block of them (turns.h),
 * decoded and merged. The last few blocks stay with the simulation, so that a request
 * near an earlier one decodes nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_open_sim;
struct ml_result_stretch;
struct ml_work;

struct ml_merged {
	uint64_t from; /* position of the first reference, and the earliest time */
	size_t count;
	/* columns in simulated order; time counts from `from` */
	uint64_t *addr;
	uint32_t *site, *caller, *region, *time;
	uint16_t *thread, *what;
	unsigned users; /* requests that look at it; under the lock of all blocks */
	uint64_t used;  /* count of requests at its last use */
};

/*
 * The references of a block, which ml_result_merged has found; NULL with a sentence. The
 * caller gives them back.
 */
const struct ml_merged *ml_merged_take(struct ml_open_sim *s, const struct ml_work *work,
				       const struct ml_result_stretch *block,
				       struct ml_err *err);
void ml_merged_give(struct ml_open_sim *s, const struct ml_merged *m);
