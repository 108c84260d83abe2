/*
 * Simulations on the workspace: each runs in a thread of its own, can be asked how far
 * it is, and can be cancelled. A simulation that was kept from an earlier run is
 * ready at once. Positions are those of the simulated order (replay.h).
 */
#pragma once

#include "lib/analyse/find/findings.h"
#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/result/result.h"
#include "lib/query/workspace/workspace.h"

struct ml_buf;
struct ml_lasts;
struct ml_player;

enum ml_open_sim_state { ML_SIM_RUNNING, ML_SIM_READY, ML_SIM_FAILED, ML_SIM_CANCELLED };

struct ml_open_sim {
	struct ml_workspace *workspace;
	struct ml_open_trace *trace;
	uint32_t number;
	struct ml_machine machine;
	const char *text; /* canonical */
	uint64_t interleave;
	pthread_t thread;
	volatile bool stop;

	/* Under the workspace's lock: */
	enum ml_open_sim_state state;
	uint64_t version; /* grows with every change */
	uint64_t done, total;
	struct ml_err failed;
	struct ml_profile_bin *partial; /* while it runs: the profile's bins so far */
	size_t partial_count, partial_cap;
	uint64_t partial_bin;
	bool found; /* findings are there, or failed with: */
	struct ml_err not_found;

	/* When it is ready: */
	pthread_mutex_t lock; /* of result and players, which one thread uses at a time */
	struct ml_result result;
	struct ml_findings findings;
	struct ml_player *players[2]; /* simulators somewhere in the trace (player.h) */
	struct ml_lasts *lasts; /* last results of regions (route_last.h), or NULL */
	struct ml_arena arena;
};

/* Starts a simulation of trace number `trace`, or finds the same one. */
bool ml_open_sim_start(struct ml_workspace *d, uint64_t trace, const struct ml_machine *m,
		       uint64_t interleave, uint32_t *sim, struct ml_err *err);
bool ml_open_sim_cancel(struct ml_workspace *d, uint64_t sim, struct ml_err *err);
/* Waits until it does not run any more; fails unless it is ready then. */
bool ml_open_sim_finish(struct ml_workspace *d, uint64_t sim, struct ml_err *err);
/* Cancels and ends all of them. */
void ml_open_sims_close(struct ml_workspace *d);

/* In whatever state; NULL with a sentence. */
struct ml_open_sim *ml_open_sim(struct ml_workspace *d, uint64_t number,
				struct ml_err *err);
/* One that is ready, or NULL with a sentence. */
struct ml_open_sim *ml_open_sim_ready(struct ml_workspace *d, uint64_t number,
				      struct ml_err *err);
/* Waits for the findings. */
const struct ml_findings *ml_open_sim_findings(struct ml_open_sim *s, struct ml_err *err);

size_t ml_open_sim_count(struct ml_workspace *d);
/* Grows whenever what ml_open_sim_json says of it changes; from 1. */
uint64_t ml_open_sim_version(struct ml_workspace *d, size_t sim);
void ml_open_sim_json(struct ml_workspace *d, size_t sim, struct ml_buf *out);
