#include "lib/query/report/simulated_window.h"

#include "lib/analyse/passes/replay.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/tables/phases.h"
#include "lib/query/trace/text/trace_notes.h"

static bool find_window(struct ml_simulated_window *s, const struct ml_window_wish *w,
			const struct ml_trace *t, struct ml_err *err)
{
	s->from = w->from;
	s->to = w->to && w->to < t->count ? w->to : t->count;
	if (w->phase && (w->from || w->to))
		return ml_fail(err, ML_USAGE,
			       "--phase cannot be combined with --from or --to");
	if (w->to && w->to <= w->from)
		return ml_fail(err, ML_USAGE,
			       "--to %llu must be greater than --from %llu",
			       (unsigned long long)w->to, (unsigned long long)w->from);
	if (w->phase && !ml_phases_window(t, w->phase, &s->from, &s->to, err))
		return false;
	if (!t->count)
		return ml_fail(err, ML_USAGE, "%s has no references", t->path);
	if (s->from < s->to)
		return true;
	return w->phase ? ml_fail(err, ML_USAGE, "phase '%s' of %s has no references",
				  w->phase, t->path)
			: ml_fail(err, ML_USAGE,
				  "--from %llu is past the end: %s has %llu references",
				  (unsigned long long)w->from, t->path,
				  (unsigned long long)t->count);
}

/* Waits for the simulation and shows its progress. */
static bool finish(struct ml_simulated_window *s, struct ml_err *err)
{
	struct ml_workspace *ws = s->workspace;
	struct ml_job *j = &s->sim->job;
	uint64_t changes = 0;
	enum ml_job_state state;

	do {
		changes = ml_workspace_wait(ws, changes, 100);
		pthread_mutex_lock(&ws->lock);
		state = j->state;
		uint64_t done = j->done, total = j->total;
		if (state == ML_JOB_CANCELLED)
			*err = j->failed;
		pthread_mutex_unlock(&ws->lock);
		if (ml_work_cancelled(s->work))
			ml_workspace_job_cancel(j);
		else if (state == ML_JOB_RUNNING)
			ml_work_progress(s->work, "simulating", done, total);
	} while (state == ML_JOB_RUNNING);
	return state != ML_JOB_CANCELLED && ml_workspace_job_ready(j, err);
}

bool ml_simulated_window_run(struct ml_simulated_window *s, uint64_t trace,
			     const struct ml_machine *m, struct ml_err *err)
{
	uint32_t number;

	if (!ml_open_sim_start(s->workspace, trace, m, ML_INTERLEAVE_AUTO, &number, err))
		return false;
	s->sim = ml_open_sim(s->workspace, number, err);
	if (!finish(s, err))
		return false;
	ml_trace_note_simulation(&s->notes, s->command, &s->sim->simulation,
				 &s->sim->trace->trace);
	return true;
}

bool ml_simulated_window_open(struct ml_simulated_window *s,
			      const struct ml_window_wish *w, struct ml_err *err)
{
	struct ml_open_trace *t;
	bool ok = ml_workspace_open(s->workspace, w->trace, err) &&
		  (t = ml_open_trace(s->workspace, 0, err)) &&
		  find_window(s, w, &t->trace, err) &&
		  ml_simulated_window_run(s, 0, &s->workspace->machine, err);

	if (ok && s->to > s->sim->simulation.result.refs)
		s->to = s->sim->simulation.result.refs;
	return ok;
}

bool ml_simulated_window_is_part(const struct ml_simulated_window *s)
{
	return ml_trace_is_part(&s->sim->simulation, &s->sim->trace->trace);
}
