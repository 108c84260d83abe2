/*
 * An ensemble's members spread over ranks (lib/base/ranks.h): who does which, and how
 * the results come back to rank 0.
 */
#pragma once

#include <stdbool.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/ranks.h"

/* The members of this rank; NULL when it is the only one, and does all. Lives in a. */
const bool *ensemble_share(const struct ml_ensemble *e, const struct ml_ranks *r,
			   struct ml_arena *a);
/* What rank 0 has becomes everybody's. ok is rank 0's: false ends the others too. */
bool ensemble_tell(struct ml_ensemble *e, struct ml_ranks *r, bool ok,
		   struct ml_err *err);
/*
 * Rank 0 gets what all have done. Returns whether all ranks did theirs; ok and err are
 * this rank's own. On ranks other than 0 the result is ok.
 */
bool ensemble_collect(struct ml_ensemble *e, struct ml_ranks *r, bool ok,
		      struct ml_err *err);
