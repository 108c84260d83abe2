/*
 * A trace with its simulation on a machine (with causes and used bytes), the rows of its
 * tables, and its findings. `memlamp run` prints one; `memlamp diff` compares two.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/find/findings.h"
#include "lib/analyse/result/simulation.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/query/trace/tables/profile_rows.h"
#include "lib/trace/trace.h"

struct ml_analysed_trace_options {
	struct ml_machine machine;  /* for traces; a result has its own machine */
	uint64_t interleave;        /* see struct ml_replay_options */
	uint64_t window;            /* see struct ml_findings_options */
	bool no_cache;              /* see struct ml_simulation_options */
	const struct ml_work *work; /* may be NULL */
	/* if stopped: the counts until then, and findings without changes that were not
	 * tried */
	bool partial;
};

struct ml_analysed_trace {
	struct ml_trace trace;
	struct ml_simulation simulation;
	struct ml_profile_rows rows;
	struct ml_findings findings;
};

/*
 * Opens a trace or, if the path ends in .mls, a result. The trace of a result, which has
 * the same id, must be beside the result or in the current folder.
 */
bool ml_analysed_trace_open(struct ml_analysed_trace *s, const char *path,
			    const struct ml_analysed_trace_options *o,
			    struct ml_err *err);
void ml_analysed_trace_close(struct ml_analysed_trace *s);
