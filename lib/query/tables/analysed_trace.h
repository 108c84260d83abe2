/*
 * A trace studied on a machine: simulated with causes and use, in rows, with its
 * findings. What `memlamp run` prints and `memlamp diff` compares two of.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/find/findings.h"
#include "lib/analyse/passes/profile.h"
#include "lib/analyse/result/result.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/query/tables/profile_rows.h"
#include "lib/trace/trace.h"

struct ml_analysed_trace_options {
	struct ml_machine machine; /* of traces; results have theirs */
	uint64_t interleave;       /* as of struct ml_replay_options */
	uint64_t window;           /* as of struct ml_findings_options */
	bool keep; /* use results that were kept, and keep this one (result_cache.h) */
	const struct ml_work *work; /* may be NULL */
};

struct ml_analysed_trace {
	struct ml_trace trace;
	const struct ml_profile *profile;
	const char *damage; /* why only the references before some point count, or NULL */
	struct ml_profile_rows rows;
	struct ml_findings findings;
	struct ml_profile own; /* profile is this one or the result's */
	struct ml_result result;
	bool has_result;
	struct ml_arena arena;
};

/*
 * path is a trace or, ending in .mls, a result; the trace of a result is the one with
 * its id beside it or in the current folder.
 */
bool ml_analysed_trace_open(struct ml_analysed_trace *s, const char *path,
			    const struct ml_analysed_trace_options *o,
			    struct ml_err *err);
void ml_analysed_trace_close(struct ml_analysed_trace *s);
