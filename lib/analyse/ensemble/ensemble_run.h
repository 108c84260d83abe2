/*
 * Simulates the members of an ensemble that are not done. Members of one trace share
 * its decoding and take part in one walk over it, spread over the processors.
 *
 * Where theory allows, they share more. A level that is LRU, allocates, and is neither
 * inclusive nor exclusive depends on nothing but the lines that it is asked for;
 * write-backs never change what hits (machine.h). So such machines are paths in a tree: a
 * stream of lines comes into a node, all sizes of fully associative caches (or all ways
 * of one number of sets) at this node share one stack pass over it, and the lines that
 * one of them misses are the stream of the level behind it. Levels of other policies
 * behind such ones are simulated from the same stream. Machines whose first level is not
 * LRU, or that draw lots, look ahead, prefetch or enclose, run through ml_sim as a whole;
 * opt and pes in first levels with the same line share their knowledge of the future.
 * Machines of several cores have a replay of their own each. All of it yields exactly
 * what ml_sim does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/work.h"

struct ml_ensemble_run {
	unsigned threads; /* 0: one for each processor */
	/* Trace numbers and members to do now, by a bit for each member; NULL: all. */
	const bool *only;
	uint64_t interleave; /* of members of several cores: as ml_replay_options */
	/* May be NULL. Progress counts member references; a run that is cancelled saves,
	 * then ends with ML_STOPPED. */
	const struct ml_work *work;
	/*
	 * Now and then, with the ensemble in a state that can be saved and gone on from
	 * (about every `every` seconds; 0: never). False ends the run as cancelling does.
	 */
	unsigned every;
	bool (*save)(void *arg, const struct ml_ensemble *e, struct ml_err *err);
	void *save_arg;
};

/* What a run would share: for --dry-run and for tests. */
struct ml_ensemble_cost {
	size_t members, passes; /* stack passes and simulators of their own */
	uint64_t references;    /* to be decoded */
};

/* Opens the traces by their paths, and checks that they are those that were added. */
bool ml_ensemble_run(struct ml_ensemble *e, const struct ml_ensemble_run *o,
		     struct ml_err *err);
void ml_ensemble_cost(const struct ml_ensemble *e, const bool *only,
		      struct ml_ensemble_cost *c);

/*
 * Finds milestones and adds them to a trace of the ensemble: "marks" (all marks by
 * name), "phases" (beginning and end of each), or "file.c:12" (each visit to a line: a
 * reference of it, where the same thread's last reference in the same function was of
 * another line). Fails when there is none of that name.
 */
bool ml_ensemble_milestones(struct ml_ensemble *e, uint32_t trace,
			    const struct ml_trace *t, const char *what,
			    struct ml_err *err);
