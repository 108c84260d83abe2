/*
 * Shows batches with their outcomes to finders (the see of whatif.h), on another thread
 * if there are two processors: finders look at one batch while the next one is simulated.
 * Batches are shown in order, one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/find/seen.h"
#include "lib/base/pool.h"
#include "lib/cache/distance.h"
#include "lib/trace/trace.h"

/* One batch and all that is shown of it. The simulation fills in the places. */
struct ml_shown {
	struct ml_show *show;
	uint32_t region[ML_BATCH];
	uint64_t offset[ML_BATCH], block[ML_BATCH];
	/* of ml_show_batch */
	struct ml_seen seen;
	struct ml_batch refs;
	uint64_t addr[ML_BATCH], line[ML_BATCH];
	uint32_t site[ML_BATCH], caller[ML_BATCH], distance[ML_BATCH];
	uint16_t thread[ML_BATCH], what[ML_BATCH];
	uint8_t served[ML_BATCH], paged[ML_BATCH];
};

struct ml_show {
	/* set by the caller */
	void (*see)(void *arg, const struct ml_seen *s); /* may be NULL */
	void *arg;
	uint32_t line; /* bytes of the lines of stack distances; 0: none */

	struct ml_distance *distance; /* or NULL */
	bool ahead;                   /* there is another thread */
	struct ml_pool pool;
	struct ml_shown shown[2];
	unsigned next; /* of the two, the one that is free */
};

/* What the caller does not set is zero. ahead: another thread shows. */
void ml_show_init(struct ml_show *s, bool ahead);
void ml_show_release(struct ml_show *s);
/* The places of the next batch go here. */
struct ml_shown *ml_show_next(struct ml_show *s);
/* Shows the batch whose places were filled in; paged may be NULL. Columns may change
 * when it returns. */
void ml_show_batch(struct ml_show *s, const struct ml_batch *b, const uint8_t *served,
		   const uint8_t *paged);
/* Waits until all batches were seen. */
void ml_show_wait(struct ml_show *s);
