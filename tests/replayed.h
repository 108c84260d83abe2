/* A text trace, replayed through a machine, and its profile; for tests. */
#pragma once

#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/replay.h"
#include "lib/query/trace/tables/profile_rows.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

struct replayed {
	struct ml_trace trace;
	struct ml_profile p;
	struct ml_profile_rows rows;
};

static inline void replayed_write(const char *text)
{
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
}

static inline struct ml_replay_options replayed_options(const char *machine)
{
	struct ml_replay_options o = { .want = ML_SIM_CAUSES | ML_SIM_USE };
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&o.machine, machine, &err), &err);
	return o;
}

/* Replays the trace that was written, with one more pass if extra is not NULL. */
static inline void replayed_run(struct replayed *x, const struct ml_replay_options *o,
				const struct ml_pass *extra)
{
	struct ml_replay *r;
	struct ml_err err;

	CHECK_OK(ml_trace_open(&x->trace, scratch(), &err), &err);
	CHECK_OK(ml_replay_open(&r, &x->trace, o, &err), &err);
	struct ml_profiler *profiler = ml_profiler_open(&x->p);
	struct ml_pass passes[2] = { ml_profiler_pass(profiler) };
	if (extra)
		passes[1] = *extra;
	CHECK_OK(ml_replay_run(r, passes, extra ? 2 : 1, &err), &err);
	ml_profiler_close(profiler, r);
	ml_replay_close(r);
	ml_profile_rows_make(&x->rows, &x->trace, &x->p);
}

static inline void replayed_release(struct replayed *x)
{
	ml_profile_rows_release(&x->rows);
	ml_profile_release(&x->p);
	ml_trace_close(&x->trace);
}
