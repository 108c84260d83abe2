/*
 * One walk over a trace for many members: references are decoded once, in blocks, and
 * every stack pass and every simulator of the walk takes each block. These units are
 * independent of each other, so they run on all threads; a slow unit may be some blocks
 * behind the others. The results do not depend on any of this.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/ensemble.h"

struct ml_buf;
struct ml_trace;
struct ml_work;

/* Members of one trace that are simulated from one position on. */
struct ml_ensemble_group {
	uint32_t trace;
	size_t *member; /* ascending */
	size_t count, cap;
	uint64_t position;   /* in the window */
	const uint8_t *data; /* the state at that position; NULL: at the start */
	size_t size;
};

struct ml_ensemble_walk_options {
	unsigned threads;           /* 0: one for each processor */
	unsigned every;             /* seconds until it is time to save; 0: never */
	const struct ml_work *work; /* may be NULL */
};

struct ml_ensemble_walk;

/*
 * The machine that is simulated for a trace: without parts that cannot change the serving
 * levels. t may be NULL if it is not known.
 */
struct ml_machine ml_ensemble_plain(const struct ml_machine *m, const struct ml_trace *t);

/* Fails on a state that was not saved by this version for these members. */
bool ml_ensemble_walk_open(struct ml_ensemble_walk **w, struct ml_ensemble *e,
			   struct ml_trace *t, const struct ml_ensemble_group *g,
			   const struct ml_ensemble_walk_options *o, struct ml_err *err);
/*
 * Runs until the end of the window, until it is cancelled or until it is time to save.
 * All units are at *position then.
 */
bool ml_ensemble_walk_run(struct ml_ensemble_walk *w, uint64_t *position,
			  struct ml_err *err);
/* At the end of the window: fills the series of the members. */
void ml_ensemble_walk_finish(struct ml_ensemble_walk *w);
/* Saves a state from which another walk of the same members can continue. */
void ml_ensemble_walk_save(const struct ml_ensemble_walk *w, struct ml_buf *out);
void ml_ensemble_walk_close(struct ml_ensemble_walk *w);
/* Sets the member references done before this walk, and their total, for progress. */
void ml_ensemble_walk_progress(struct ml_ensemble_walk *w, uint64_t before,
			       uint64_t total);
/* The number of stack passes and simulators of a group. */
size_t ml_ensemble_walk_units(const struct ml_ensemble *e,
			      const struct ml_ensemble_group *g);

/* The machine texts of the members of a state, in a; false if the bytes are no state. */
bool ml_ensemble_state_members(const struct ml_ensemble_state *s, struct ml_arena *a,
			       const char ***machine, size_t *count);
