/*
 * A player is a simulator that stands at some position of the trace, to show the contents
 * of caches and the movements of data. It gets to a position from the nearest checkpoint
 * of the result. Two players stay attached to a simulation, so that a request a little
 * further on costs only the references between the two positions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/engine.h"

struct ml_work;
struct ml_open_sim;
struct ml_walk_events;

/*
 * The simulator in its state before the reference at a position; NULL with a sentence. No
 * other request uses it until the caller gives it back.
 */
struct ml_engine *ml_player_take(struct ml_open_sim *s, const struct ml_work *work,
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
 * Watches the simulation of a window. A simulator of its own starts in the state before
 * the window. The player calls `begin` in that state, `now` before each batch of
 * references, and the observer for each movement of a line. At the end all lines leave
 * (ml_engine_flush).
 */
struct ml_player_watch {
	void *arg; /* of all */
	void (*begin)(void *arg, const struct ml_engine *engine);
	void (*now)(void *arg, const struct ml_walk_events *w);
	struct ml_observer observer;
};
bool ml_player_watch(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
		     uint64_t to, const struct ml_player_watch *w, struct ml_err *err);
