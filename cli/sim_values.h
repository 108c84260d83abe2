/*
 * The numbers of a simulation by name, for --fail-if:
 *
 *	L1.miss_ratio  L2.misses  memory.served        of a level, counting lines asked
 *	region("A").L1.misses  line("a.c:12").L2.conflict  function("f").cycles
 *	thread(2).refs  phase("sweep").L1.miss_ratio   of a row, counting references
 *	cycles  refs  reads  writes                    of the whole
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct threshold_path;

/* The threshold_value of `memlamp sim`; arg is a struct ml_profile_view. */
bool sim_value(void *arg, const struct threshold_path *path, double *value,
	       struct ml_err *err);
