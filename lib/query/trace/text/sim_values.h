/*
 * The numbers of a simulation by name, for --fail-if:
 *
 *	L1.miss_ratio  L2.misses  memory.served        of a level, counting lines asked
 *	region("A").L1.misses  line("a.c:12").L2.conflict  function("f").cycles
 *	thread(2).references  phase("sweep").L1.miss_ratio  of a row, counting references
 *	cycles  total_cycles  references  reads  writes  memory  of the whole
 *
 * cycles are those of a reference on average. Where several rows have a name, its place
 * tells them apart: region("A@a.c:12"), function("f@a.c"). `memlamp diff` has the same
 * words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_machine;
struct ml_threshold_path;

/*
 * The ml_threshold_value of `memlamp sim`; arg is a struct ml_profile_view. A view without
 * a trace stands for a simulation to come: every row exists in it.
 */
bool ml_sim_value(void *arg, const struct ml_threshold_path *path, double *value,
		  struct ml_err *err);

/*
 * Checks expressions before long work: their syntax, and their names as far as the machine
 * and the options of the replay (`want`) decide which exist. Names of regions, lines,
 * functions, phases and threads are known only behind the simulation.
 */
bool ml_sim_values_check(const char *const *texts, size_t count,
			 const struct ml_machine *m, unsigned want, struct ml_err *err);
