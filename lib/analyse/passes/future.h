/*
 * The knowledge of the future that opt and pes levels need: for each line requested at
 * such a level, the next request for it. The references of the trace are the requests of
 * the first level. A level further out gets the misses of the levels before it, so those
 * are simulated first, with hints of their own. This takes temporary files (next_use.h),
 * and memory for every line touched. One core only.
 *
 *	if (ml_future_needed(&o.machine)) {
 *		if (!ml_future_open(&f, trace, &o, err))
 *			return false;
 *		ml_future_attach(f, sim, &err);
 *	}
 *
 * Held by tests/analyse/test_future.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"

struct ml_engine;
struct ml_future;
struct ml_replay_options;
struct ml_trace;

/* Whether a level of the machine has a policy that needs hints. */
bool ml_future_needed(const struct ml_machine *m);

/*
 * Reads references [o->from, o->to) of the trace. A simulation with these hints starts at
 * o->from, with empty caches. Of the other options only machine and work are read.
 * Progress starts from 0 for each level.
 */
bool ml_future_open(struct ml_future **f, struct ml_trace *t,
		    const struct ml_replay_options *o, struct ml_err *err);
/*
 * Gives an engine the hints of all levels that need them, starting behind the requests
 * that each level has had. The engine simulates the same machine and is new, or was
 * restored to a state that a simulation from o->from had. Call it again after each
 * ml_engine_restore; it replaces the hints that the engine had.
 */
bool ml_future_attach(struct ml_future *f, struct ml_engine *e, struct ml_err *err);
/*
 * The hints of a level (from 1), for callers that feed several simulators: seek moves to
 * a request, and each call of next returns the next piece, valid until the next call.
 * Seeking fails if there are fewer requests.
 */
bool ml_future_seek(struct ml_future *f, unsigned level, uint64_t request);
bool ml_future_next(struct ml_future *f, unsigned level, const uint64_t **hints,
		    size_t *count, struct ml_err *err);
/* The simulators must not run any more. */
void ml_future_close(struct ml_future *f);
