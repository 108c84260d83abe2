/*
 * Spreads the members of an ensemble over ranks (lib/base/ranks.h), and collects the
 * results on rank 0.
 */
#pragma once

#include <stdbool.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/ranks.h"

/* The members of this rank; NULL: all, because there is one rank. Lives in a. */
const bool *ensemble_share(const struct ml_ensemble *e, const struct ml_ranks *r,
			   struct ml_arena *a);
/*
 * Sends the ensemble of rank 0 to all ranks. `ok` counts on rank 0 only: false ends the
 * other ranks too.
 */
bool ensemble_tell(struct ml_ensemble *e, struct ml_ranks *r, bool ok,
		   struct ml_err *err);
/*
 * Collects the results of all ranks on rank 0. `ok` and `err` tell how this rank ended.
 * Returns on rank 0 whether all ranks succeeded, on other ranks `ok`.
 */
bool ensemble_collect(struct ml_ensemble *e, struct ml_ranks *r, bool ok,
		      struct ml_err *err);
