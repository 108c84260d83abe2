/*
 * A simulator somewhere in the trace, for looking at what caches hold and how data
 * move: brought to any position from the nearest checkpoint of the result. Two of them
 * are attached to a simulation, so that going on from the position of the last request
 * costs only the references between.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/sim.h"

struct ml_work;
struct ml_open_sim;
struct ml_walk_events;

/*
 * The simulator as it is before the reference at a position; NULL with a sentence. No
 * other request uses it until the caller gives it back.
 */
struct ml_sim *ml_player_take(struct ml_open_sim *s, const struct ml_work *work,
			      uint64_t position, struct ml_err *err);
void ml_player_give(struct ml_open_sim *s);

/*
 * Simulates positions [from, to): fn is called with the movements of each batch; their
 * `access` counts from `from`.
 */
typedef void ml_player_fn(void *arg, const struct ml_move *moves, size_t count);
bool ml_player_moves(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
		     uint64_t to, ml_player_fn *fn, void *arg, struct ml_err *err);

/*
 * Looks on while a window is simulated, by a simulator of its own that starts in the
 * state before it. begin is called in that state, now before each batch of references,
 * and the observer with what its lines do; in the end all lines leave (ml_sim_flush).
 */
struct ml_player_watch {
	void *arg; /* of all */
	void (*begin)(void *arg, const struct ml_sim *sim);
	void (*now)(void *arg, const struct ml_walk_events *w);
	struct ml_observer observer;
};
bool ml_player_watch(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
		     uint64_t to, const struct ml_player_watch *w, struct ml_err *err);
