/*
 * The cycles of a member beyond those of its serving levels (surcharge.h), by bin: TLBs,
 * transfers between cores, fetches that L1i serves. One of these listens to a simulator
 * and adds them up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/machine/observer.h"

struct ml_machine;

struct ml_ensemble_surcharge {
	/* set by the caller */
	const struct ml_machine *machine;
	int64_t *beyond;   /* cycles by bin */
	unsigned bits;     /* a bin has 1 << bits references */
	uint64_t position; /* of the first access of the batch */

	uint32_t *moved; /* accesses of the batch for which another core gave up a line */
	size_t moved_count, moved_cap;
};

/* Whether a machine can have any. */
bool ml_ensemble_surcharged(const struct ml_machine *m);
/* Events of the batch, then the batch itself. */
void ml_ensemble_surcharge_page(struct ml_ensemble_surcharge *x, const struct ml_page *p);
void ml_ensemble_surcharge_bounce(struct ml_ensemble_surcharge *x,
				  const struct ml_bounce *b);
void ml_ensemble_surcharge_batch(struct ml_ensemble_surcharge *x, const uint16_t *what,
				 const uint16_t *outcome, size_t count);
void ml_ensemble_surcharge_release(struct ml_ensemble_surcharge *x);
