#include "cli/simulated.h"

#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/buf.h"
#include "lib/base/newfile.h"
#include "lib/cache/machine/machine.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/tables/phases.h"

static bool find_window(struct simulated *s, const struct simulated_wish *w,
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
static bool finish(struct simulated *s, struct ml_err *err)
{
	struct ml_workspace *ws = &s->workspace;
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
		if (ml_work_cancelled(&s->work.work))
			ml_workspace_job_cancel(j);
		else if (state == ML_JOB_RUNNING)
			ml_work_progress(&s->work.work, "simulating", done, total);
	} while (state == ML_JOB_RUNNING);
	return state != ML_JOB_CANCELLED && ml_workspace_job_ready(j, err);
}

bool simulated_run(struct simulated *s, const struct cmd *c, uint64_t trace,
		   const struct ml_machine *m, struct ml_err *err)
{
	uint32_t number;

	if (!ml_open_sim_start(&s->workspace, trace, m, ML_INTERLEAVE_AUTO, &number, err))
		return false;
	s->sim = ml_open_sim(&s->workspace, number, err);
	if (!finish(s, err))
		return false;
	ml_progress_end(&s->work.progress);
	cmd_warn_simulation(c, &s->sim->simulation, &s->sim->trace->trace);
	return true;
}

int simulated_status(const struct simulated *s)
{
	return cmd_is_part(&s->sim->simulation, &s->sim->trace->trace) ? EXIT_FAILED
								       : EXIT_DONE;
}

bool simulated_open(struct simulated *s, const struct simulated_wish *w,
		    struct ml_err *err)
{
	struct ml_machine machine;
	struct ml_open_trace *t;

	if (!machine_option(&machine, w->machine, &w->without, err))
		return false;
	ml_workspace_init(&s->workspace, ml_kinds, ml_common_routes, &machine);
	cmd_work_begin(&s->work);
	bool ok = ml_workspace_open(&s->workspace, w->trace, err) &&
		  (t = ml_open_trace(&s->workspace, 0, err)) &&
		  find_window(s, w, &t->trace, err) &&
		  simulated_run(s, w->cmd, 0, &machine, err);
	if (ok && s->to > s->sim->simulation.result.refs)
		s->to = s->sim->simulation.result.refs;
	if (!ok)
		simulated_close(s);
	return ok;
}

void simulated_close(struct simulated *s)
{
	cmd_work_end(&s->work);
	ml_workspace_close(&s->workspace);
}

bool simulated_write(const struct ml_work *work, const char *path,
		     const struct ml_buf *bytes, struct ml_err *err)
{
	struct ml_newfile f;

	if (!path || !strcmp(path, "-"))
		return (fwrite(bytes->data, 1, bytes->size, stdout) == bytes->size &&
			!fflush(stdout)) ||
		       ml_fail_errno(err, "standard output");
	if (!ml_newfile_open(&f, path, err))
		return false;
	bool ok = ml_newfile_write(&f, bytes->data, bytes->size, err);
	if (ok && ml_work_goes_on(work, err))
		return ml_newfile_close(&f, err);
	ml_newfile_abandon(&f);
	return false;
}
