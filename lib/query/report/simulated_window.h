/*
 * A simulated trace and a window of it, for what draws one: the workspace opens the trace
 * as document 0, and simulates it on the machine of the workspace, or takes the result
 * that was kept.
 *
 *	struct ml_simulated_window s = { .workspace = &ws, .command = "plot",
 *					 .work = work };
 *
 *	bool ok = ml_simulated_window_open(&s, &wish, err) && draw(s.sim, s.from, s.to);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/query/workspace/workspace.h"

struct ml_open_sim;

/* The wishes of the user. Zero bytes: the whole trace. */
struct ml_window_wish {
	const char *trace, *phase;
	uint64_t from, to; /* positions; to 0: the end */
};

struct ml_simulated_window {
	struct ml_workspace *workspace;
	const char *command; /* notes begin with it */
	const struct ml_work *work;
	struct ml_buf notes; /* what is missing (trace_notes.h); the caller releases it */
	struct ml_open_sim *sim;
	uint64_t from, to; /* positions of the window; to > from */
};

bool ml_simulated_window_open(struct ml_simulated_window *s,
			      const struct ml_window_wish *w, struct ml_err *err);
/* Simulates a trace that is open in the workspace on a machine: s->sim. */
bool ml_simulated_window_run(struct ml_simulated_window *s, uint64_t trace,
			     const struct ml_machine *m, struct ml_err *err);
/* Whether the simulation is of a part only: damaged, or stopped. */
bool ml_simulated_window_is_part(const struct ml_simulated_window *s);
