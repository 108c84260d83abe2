/*
 * An open simulation: one trace on one machine, a job of the workspace. A simulation
 * whose result an earlier run kept is ready at once. Positions are those of the simulated
 * order (replay.h).
 */
#pragma once

#include "lib/analyse/find/findings.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/result/simulation.h"
#include "lib/query/workspace/job.h"
#include "lib/query/trace/open/open_trace.h"

struct ml_request;

enum { ML_OPEN_SIM_ATTACHMENTS = 4 };

struct ml_open_sim {
	struct ml_job job;
	struct ml_open_trace *trace;
	struct ml_machine machine;
	const char *text; /* canonical */
	uint64_t interleave;

	/* Under the workspace's lock: */
	struct ml_profile_bin *partial; /* while it runs: the profile's bins so far */
	size_t partial_count, partial_cap;
	uint64_t partial_bin;
	bool found; /* the findings are complete, or failed: */
	struct ml_err not_found;

	/* When it is ready: */
	pthread_mutex_t lock;            /* of the result's reader, and of attachments */
	struct ml_simulation simulation; /* with its result */
	struct ml_findings findings;
	struct ml_attachment {
		const char *owner; /* NULL: free */
		void *data;
		void (*close)(void *data);
	} attached[ML_OPEN_SIM_ATTACHMENTS];
	struct ml_arena arena;
};

/* Starts a simulation of trace number `trace`, or finds the same one. */
bool ml_open_sim_start(struct ml_workspace *ws, uint64_t trace,
		       const struct ml_machine *m, uint64_t interleave, uint32_t *sim,
		       struct ml_err *err);
/* Waits until it does not run any more; fails unless it is ready then. */
bool ml_open_sim_finish(struct ml_workspace *ws, uint64_t sim, struct ml_err *err);

/* The simulation with a number, in any state; NULL with a sentence. */
struct ml_open_sim *ml_open_sim(struct ml_workspace *ws, uint64_t number,
				struct ml_err *err);
/* One that is ready, or NULL with a sentence. */
struct ml_open_sim *ml_open_sim_ready(struct ml_workspace *ws, uint64_t number,
				      struct ml_err *err);
/* The number of cores that run a thread, of one that is ready: the first ones. */
uint32_t ml_open_sim_busy_cores(const struct ml_open_sim *s);
/* Waits for the findings. */
const struct ml_findings *ml_open_sim_findings(struct ml_open_sim *s, struct ml_err *err);
/* For struct ml_route: answers about a simulation that is ready stay the same. */
bool ml_open_sim_lasts(struct ml_workspace *ws, const struct ml_request *q);

/*
 * An attachment: data that a module keeps with this simulation from one request to the
 * next, such as players. The simulation closes its attachments when it is closed itself.
 * The first call makes the attachment by `make`, with the lock held.
 */
void *ml_open_sim_attach(struct ml_open_sim *s, const char *owner, void *(*make)(void),
			 void (*close)(void *data));

/* Reads from the result, under its lock: serving level and causes of [from, to). */
bool ml_open_sim_beyond(struct ml_open_sim *s, uint64_t from, uint64_t to,
			int32_t *cycles, struct ml_err *err);
bool ml_open_sim_outcomes(struct ml_open_sim *s, uint64_t from, uint64_t to,
			  uint16_t *outcome, struct ml_err *err);
