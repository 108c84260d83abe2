#include "lib/query/prune/open_prune.h"

#include "lib/base/json.h"
#include "lib/base/work.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"

struct evaluation {
	struct ml_job job;
	struct ml_open_prune *prune;
};

static bool cancelled(void *arg)
{
	const struct evaluation *e = arg;

	return ml_stopped(&e->job.stop);
}

static void tell_progress(void *arg, const char *what, uint64_t done, uint64_t total)
{
	struct evaluation *e = arg;

	(void)what;
	pthread_mutex_lock(&e->job.workspace->lock);
	e->job.done = done;
	e->job.total = total;
	ml_workspace_job_changes(&e->job);
	pthread_mutex_unlock(&e->job.workspace->lock);
}

static bool evaluate(struct ml_job *j, struct ml_err *err)
{
	struct evaluation *e = (struct evaluation *)j;
	struct ml_work work = { cancelled, tell_progress, e };

	return ml_search_evaluate(&e->prune->search, ML_PRUNE_AUTO, NULL, 0, &work, err);
}

static void describe_job(const struct ml_job *j, struct ml_json *w)
{
	const struct evaluation *e = (const struct evaluation *)j;

	ml_json_object(w);
	ml_json_key(w, "prune");
	ml_json_u64(w, e->prune->document.number);
	ml_json_key(w, "state");
	ml_json_string(w, ml_job_state_name(j->state));
	ml_json_key(w, "done");
	ml_json_u64(w, j->done);
	ml_json_key(w, "total");
	ml_json_u64(w, j->total);
	ml_json_key(w, "error");
	ml_json_string(w, *j->failed.text ? j->failed.text : NULL);
	ml_json_end(w);
}

static void close_job(struct ml_job *j)
{
	ml_free(j);
}

static bool start(struct ml_open_prune *x, struct ml_err *err)
{
	struct ml_workspace *ws = x->document.workspace;
	struct evaluation *e = ml_resize(NULL, sizeof(*e));

	*e = (struct evaluation){ .job = { .name = "evaluation",
					   .event = "prune",
					   .run = evaluate,
					   .describe = describe_job,
					   .close = close_job },
				  .prune = x };
	pthread_mutex_lock(&ws->lock);
	bool ok = ml_workspace_start(ws, &e->job, err);
	pthread_mutex_unlock(&ws->lock);
	if (ok)
		x->job = &e->job;
	else
		ml_free(e);
	return ok;
}

struct ml_document *ml_open_prune_open(struct ml_workspace *ws, const char *path,
				       struct ml_err *err)
{
	struct ml_open_prune *x = ml_resize(NULL, sizeof(*x));

	*x = (struct ml_open_prune){ .document.workspace = ws };
	if (!ml_search_open(&x->search, path, err)) {
		ml_free(x);
		return NULL;
	}
	x->document.path = ml_arena_strdup(&x->arena, path);
	if (x->search.described && !start(x, err)) {
		ml_open_prune_close(&x->document);
		return NULL;
	}
	return &x->document;
}

void ml_open_prune_close(struct ml_document *d)
{
	struct ml_open_prune *x = (struct ml_open_prune *)d;

	ml_search_close(&x->search);
	ml_arena_release(&x->arena);
	ml_free(x);
}

void ml_open_prune_describe(struct ml_document *d, struct ml_json *w)
{
	const struct ml_open_prune *x = (const struct ml_open_prune *)d;

	ml_json_key(w, "constraints");
	ml_json_u64(w, x->search.described ? x->search.space.constraint_count
					   : x->search.combos.constraint_count);
	ml_json_key(w, "described");
	ml_json_bool(w, x->search.described);
}

struct ml_open_prune *ml_open_prune_ready(struct ml_workspace *ws,
					  const struct ml_request *q, struct ml_err *err)
{
	struct ml_open_prune *x = (struct ml_open_prune *)ml_workspace_document(
		ws, "prune", q->number[0], err);
	uint64_t seen = 0;

	if (!x || !x->job)
		return x;
	for (;;) {
		pthread_mutex_lock(&ws->lock);
		bool running = x->job->state == ML_JOB_RUNNING && !ml_stopped(&ws->stop);
		seen = ws->changes;
		pthread_mutex_unlock(&ws->lock);
		if (!running)
			return ml_workspace_job_ready(x->job, err) ? x : NULL;
		if (!ml_work_goes_on(&q->work, err))
			return NULL;
		ml_workspace_wait(ws, seen, 200);
	}
}
