/*
 * The simulation of a trace on a machine: the result that an earlier run kept, or else a
 * replay, whose result is kept for the next run. All commands and the page obtain theirs
 * here, so that these words mean the same everywhere:
 *
 * - damage: a part of the trace cannot be read. The counts are of the references before
 *   that part.
 * - stopped: the caller withdrew the work. The counts are of the references until then.
 *   A caller that cannot use a part gets a sentence instead (ML_STOPPED).
 * - unkept: the result could not be kept, as the disk is full. That is a note and no
 *   failure: all else is as if it had been kept.
 *
 * The result of a part of what was asked for is never kept.
 *
 *	struct ml_simulation s;
 *
 *	if (!ml_simulation_obtain(&s, &trace, &options, err))
 *		return false;
 *	print(s.profile);
 *	ml_simulation_release(&s);
 *
 * Held by tests/analyse/test_simulation.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/replay_options.h"
#include "lib/analyse/result/result.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"

struct ml_pass;
struct ml_trace;

enum { ML_SIMULATION_PASSES = 4 };

struct ml_simulation_options {
	struct ml_replay_options replay;
	/* further passes of a replay; a kept result runs none */
	struct ml_pass *passes; /* ML_SIMULATION_PASSES at most */
	size_t pass_count;
	bool replays;       /* use no kept result, since a further pass has to run */
	bool no_cache;      /* use no kept result, and keep none */
	const char *output; /* a file for the result, in place of the cache; or NULL */
	bool outcomes; /* the caller reads the result; the profile alone will not do */
	bool partial;  /* the caller can use the counts of a part, if it is stopped */
};

struct ml_simulation {
	const struct ml_profile *profile; /* `own`, or that of the result */
	struct ml_result result;
	bool has_result; /* of a kept one, and wherever `outcomes` were asked for */
	bool stopped;
	const char *damage; /* a sentence, or NULL */
	const char *unkept; /* a sentence, or NULL */
	/* Progress (struct ml_work) can look at the counts of a replay so far. */
	struct ml_profile own;
	struct ml_arena arena;
};

/* On false there is nothing to release. */
bool ml_simulation_obtain(struct ml_simulation *s, struct ml_trace *t,
			  const struct ml_simulation_options *o, struct ml_err *err);
void ml_simulation_release(struct ml_simulation *s);
