/*
 * What opt and pes levels must know of the future: for each line asked for at such
 * a level the request that asks for it next. The first level is asked what the
 * trace says; a level further out is asked what the levels before it miss, so those
 * are simulated first, with hints of their own. Takes temporary files (next_use.h),
 * and memory for every line touched. One core only.
 *
 *	if (ml_future_needed(&o.machine)) {
 *		if (!ml_future_open(&f, trace, &o, err))
 *			return false;
 *		ml_future_attach(f, sim);
 *	}
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine.h"

struct ml_future;
struct ml_replay_options;
struct ml_sim;
struct ml_trace;

/* Whether a level of the machine has a policy that wants hints. */
bool ml_future_needed(const struct ml_machine *m);

/*
 * Reads references [o->from, o->to) of the trace; a simulation that is given these
 * hints starts at o->from, empty. Of o also machine and work count; the
 * progress of the preparation starts from 0 for each level.
 */
bool ml_future_open(struct ml_future **f, struct ml_trace *t,
		    const struct ml_replay_options *o, struct ml_err *err);
/*
 * Gives s the hints of all levels that want them, from ml_sim_requests of each level
 * on: of a simulator of the same machine that is new, or was restored to a state that
 * a simulation from o->from had. To be called again after each ml_sim_restore; the
 * hints that s got before are dropped.
 */
void ml_future_attach(struct ml_future *f, struct ml_sim *s);
/*
 * The hints of a level (from 1) themselves, for whoever feeds several simulators: from
 * a request on, then one piece after the other, each valid until the next call. Seeking
 * is false where there are not so many.
 */
bool ml_future_seek(struct ml_future *f, unsigned level, uint64_t request);
bool ml_future_next(struct ml_future *f, unsigned level, const uint64_t **hints,
		    size_t *count, struct ml_err *err);
/* s must not run any more. */
void ml_future_close(struct ml_future *f);
