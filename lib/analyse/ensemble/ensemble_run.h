/*
 * Simulates the members of an ensemble that are not done. Members of one trace share its
 * decoding: one walk over the trace simulates them all, on all processors.
 *
 * Members share more where theory allows. A level that is LRU, allocates on writes, and
 * is neither inclusive nor exclusive depends only on the lines requested from it;
 * write-backs never change what hits (machine.h). So such machines are paths in a tree. A
 * stream of lines comes into a node. All sizes of fully associative caches (or all ways
 * for one number of sets) at this node share one stack pass over the stream, and the
 * misses of one of them are the stream of the level behind it. Levels of other policies
 * behind LRU levels are simulated from the same streams. Machines whose first level is
 * not LRU, or that have random policies, opt or pes, prefetchers, inclusive or exclusive
 * levels, run through ml_sim as a whole; first levels with opt or pes and the same line
 * share the preparation of hints. Each machine of several cores has a replay of its own.
 * All of this yields exactly what ml_sim does.
 * Held by tests/analyse/test_ensemble_run.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/work.h"

struct ml_ensemble_run {
	unsigned threads; /* 0: one for each processor */
	/* [members]: which members to simulate now; NULL: all */
	const bool *only;
	uint64_t interleave; /* for members of several cores; as in ml_replay_options */
	/*
	 * May be NULL. Progress counts member references. A cancelled run saves, then
	 * fails with ML_STOPPED.
	 */
	const struct ml_work *work;
	/*
	 * Called about every `every` seconds (0: never) with the ensemble in a state that
	 * can be saved and continued. False ends the run as cancelling does.
	 */
	unsigned every;
	bool (*save)(void *arg, const struct ml_ensemble *e, struct ml_err *err);
	void *save_arg;
};

/* The cost of a run, for --dry-run and for tests. */
struct ml_ensemble_cost {
	size_t members, passes; /* passes: stack passes and single simulators */
	uint64_t references;    /* references to be decoded */
};

/*
 * Opens the traces by their paths, and checks that they are the traces that were added.
 */
bool ml_ensemble_run(struct ml_ensemble *e, const struct ml_ensemble_run *o,
		     struct ml_err *err);
void ml_ensemble_cost(const struct ml_ensemble *e, const bool *only,
		      struct ml_ensemble_cost *c);

/*
 * Finds milestones and adds them to a trace of the ensemble: "marks" (all marks by name),
 * "phases" (beginning and end of each), or "file.c:12" (each visit to a line: a reference
 * on it, if the same thread's last reference in the same function was on another line).
 * Fails if there is none of that name.
 */
bool ml_ensemble_milestones(struct ml_ensemble *e, uint32_t trace,
			    const struct ml_trace *t, const char *what,
			    struct ml_err *err);
