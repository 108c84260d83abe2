/*
 * Shows references with their outcomes to finders (the see of whatif.h). Pieces of a
 * batch go through stages on all processors (relay.h): the simulation, the stack
 * distances, and both sees. So finders look at one piece while the next ones are
 * simulated. They see pieces in order, one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/trial/seen.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/relay.h"
#include "lib/cache/distance/distance.h"

enum { ML_SHOW_PIECE = 4096, ML_SHOW_SLOTS = 8 };

/* A piece and all that is shown of it. */
struct ml_shown {
	/* from the caller; the columns of refs stay until ml_show_wait */
	struct ml_batch refs;
	uint32_t region[ML_SHOW_PIECE];
	uint64_t offset[ML_SHOW_PIECE], block[ML_SHOW_PIECE];
	uint16_t core[ML_SHOW_PIECE];
	/* from the simulation */
	uint8_t served[ML_SHOW_PIECE], paged[ML_SHOW_PIECE];
	/* from the stage of distances */
	uint64_t line[ML_SHOW_PIECE];
	uint32_t distance[ML_SHOW_PIECE];
	/* from see, for see_then */
	const struct ml_spot *spot[ML_SHOW_PIECE];
};

struct ml_show {
	/* set by the caller */
	/* fills in `served`, and `paged` if finders see it */
	bool (*simulate)(void *arg, struct ml_shown *x, struct ml_err *err);
	void *simulator;
	void (*see)(void *arg, const struct ml_seen *s);
	void (*see_then)(void *arg, const struct ml_seen *s); /* or NULL */
	void *finders;                                        /* their argument */
	uint32_t line; /* bytes of the lines of stack distances; 0: none */
	bool paged;    /* finders see which TLB knew the page */

	struct ml_distance *distance; /* or NULL */
	struct ml_relay relay;
	struct ml_shown *shown; /* [ML_SHOW_SLOTS] */
	bool failed;            /* of the first stage: the simulation has, for `err` */
	struct ml_err err;
};

void ml_show_init(struct ml_show *s, struct ml_arena *a);
void ml_show_release(struct ml_show *s); /* waits, too */
/* The next piece goes here. */
struct ml_shown *ml_show_next(struct ml_show *s);
/* Shows the piece that was put there. */
void ml_show_pass(struct ml_show *s);
/* Waits until all pieces were seen. Fails if the simulation has failed. */
bool ml_show_wait(struct ml_show *s, struct ml_err *err);
