#include "lib/query/workspace/workspace.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/base/arena.h"
#include "lib/base/json.h"
#include "lib/query/workspace/request.h"

void ml_workspace_init(struct ml_workspace *ws,
		       const struct ml_document_kind *const *kinds,
		       const struct ml_route *routes, const struct ml_machine *machine)
{
	pthread_condattr_t attr;

	*ws = (struct ml_workspace){ .kinds = kinds,
				     .routes = routes,
				     .machine = *machine };
	pthread_mutex_init(&ws->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&ws->changed, &attr);
	pthread_condattr_destroy(&attr);
}

void ml_workspace_change(struct ml_workspace *ws)
{
	ws->changes++;
	pthread_cond_broadcast(&ws->changed);
}

uint64_t ml_workspace_wait(struct ml_workspace *ws, uint64_t since, unsigned milliseconds)
{
	struct timespec until;
	uint64_t changes;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&ws->lock);
	while (ws->changes == since && !ws->stop)
		if (pthread_cond_timedwait(&ws->changed, &ws->lock, &until) == ETIMEDOUT)
			break;
	changes = ws->changes;
	pthread_mutex_unlock(&ws->lock);
	return changes;
}

/* ---- documents ---- */

static void add_document(struct ml_workspace *ws, struct ml_document *d)
{
	pthread_mutex_lock(&ws->lock);
	d->number = 0;
	for (size_t i = 0; i < ws->document_count; i++)
		d->number += ws->documents[i]->kind == d->kind;
	ws->documents = ml_grow(ws->documents, &ws->document_cap, ws->document_count + 1,
				sizeof(struct ml_document *));
	ws->documents[ws->document_count++] = d;
	ml_workspace_change(ws);
	pthread_mutex_unlock(&ws->lock);
}

bool ml_workspace_open(struct ml_workspace *ws, const char *path, struct ml_err *err)
{
	const struct ml_document_kind *kind = ml_document_opener(ws->kinds, path);
	struct ml_document *d = kind->open(ws, path, err);

	if (!d)
		return false;
	d->kind = kind;
	add_document(ws, d);
	return true;
}

struct ml_document *ml_workspace_document(struct ml_workspace *ws, const char *kind,
					  uint64_t number, struct ml_err *err)
{
	struct ml_document *found = NULL;

	pthread_mutex_lock(&ws->lock);
	for (size_t i = 0; i < ws->document_count && !found; i++)
		if (ws->documents[i]->number == number &&
		    !strcmp(ws->documents[i]->kind->name, kind))
			found = ws->documents[i];
	pthread_mutex_unlock(&ws->lock);
	if (!found)
		ml_fail(err, ML_USAGE, "there is no %s %llu", kind,
			(unsigned long long)number);
	return found;
}

struct ml_document *ml_workspace_each(struct ml_workspace *ws, size_t i)
{
	pthread_mutex_lock(&ws->lock);
	struct ml_document *d = i < ws->document_count ? ws->documents[i] : NULL;
	pthread_mutex_unlock(&ws->lock);
	return d;
}

const struct ml_route *ml_workspace_route(const struct ml_workspace *ws,
					  struct ml_request *q, bool *exists)
{
	*exists = false;
	const struct ml_route *r = ml_request_route(q, ws->routes, exists);
	for (size_t i = 0; !r && ws->kinds[i]; i++)
		r = ml_request_route(q, ws->kinds[i]->routes, exists);
	return r;
}

/* ---- jobs ---- */

void ml_workspace_job_changes(struct ml_job *j)
{
	j->version++;
	ml_workspace_change(j->workspace);
}

void ml_workspace_job_ends(struct ml_job *j, bool ok, const struct ml_err *err)
{
	pthread_mutex_lock(&j->workspace->lock);
	j->state = ok                        ? ML_JOB_READY
		   : err->kind == ML_STOPPED ? ML_JOB_CANCELLED
					     : ML_JOB_FAILED;
	if (!ok)
		j->failed = *err;
	j->done = j->total;
	ml_workspace_job_changes(j);
	pthread_mutex_unlock(&j->workspace->lock);
}

static void *run_job(void *arg)
{
	struct ml_job *j = arg;
	struct ml_err err = { 0 };
	bool ok = j->run(j, &err);

	pthread_mutex_lock(&j->workspace->lock);
	bool running = j->state == ML_JOB_RUNNING;
	pthread_mutex_unlock(&j->workspace->lock);
	if (running)
		ml_workspace_job_ends(j, ok, &err);
	return NULL;
}

bool ml_workspace_start(struct ml_workspace *ws, struct ml_job *j, struct ml_err *err)
{
	j->workspace = ws;
	j->number = (uint32_t)ws->job_count;
	if ((errno = pthread_create(&j->thread, NULL, run_job, j)))
		return ml_fail_errno(err, "no thread for a job");
	ws->jobs = ml_grow(ws->jobs, &ws->job_cap, ws->job_count + 1,
			   sizeof(struct ml_job *));
	ws->jobs[ws->job_count++] = j;
	ml_workspace_job_changes(j);
	return true;
}

struct ml_job *ml_workspace_job(struct ml_workspace *ws, const char *name,
				uint64_t number, struct ml_err *err)
{
	struct ml_job *j = NULL;

	pthread_mutex_lock(&ws->lock);
	if (number < ws->job_count && !strcmp(ws->jobs[number]->name, name))
		j = ws->jobs[number];
	pthread_mutex_unlock(&ws->lock);
	if (!j)
		ml_fail(err, ML_USAGE, "there is no %s %llu", name,
			(unsigned long long)number);
	return j;
}

static bool is_ready(struct ml_job *j, enum ml_job_state state, struct ml_err *err)
{
	switch (state) {
	case ML_JOB_READY: return true;
	case ML_JOB_RUNNING:
		return ml_fail(err, ML_STOPPED, "%s %u is not ready yet", j->name,
			       j->number);
	case ML_JOB_CANCELLED:
		return ml_fail(err, ML_STOPPED, "%s %u was cancelled", j->name,
			       j->number);
	case ML_JOB_FAILED: break;
	}
	*err = j->failed;
	return false;
}

bool ml_workspace_job_ready(struct ml_job *j, struct ml_err *err)
{
	pthread_mutex_lock(&j->workspace->lock);
	enum ml_job_state state = j->state;
	pthread_mutex_unlock(&j->workspace->lock);
	return is_ready(j, state, err);
}

bool ml_workspace_job_finish(struct ml_job *j, struct ml_err *err)
{
	struct ml_workspace *ws = j->workspace;

	pthread_mutex_lock(&ws->lock);
	while (j->state == ML_JOB_RUNNING && !ws->stop)
		pthread_cond_wait(&ws->changed, &ws->lock);
	enum ml_job_state state = j->state;
	pthread_mutex_unlock(&ws->lock);
	return is_ready(j, state, err);
}

void ml_workspace_job_cancel(struct ml_job *j)
{
	ml_stop(&j->stop);
	pthread_mutex_lock(&j->workspace->lock);
	ml_workspace_change(j->workspace); /* the job may wait for its turn */
	pthread_mutex_unlock(&j->workspace->lock);
}

size_t ml_workspace_job_count(struct ml_workspace *ws)
{
	pthread_mutex_lock(&ws->lock);
	size_t count = ws->job_count;
	pthread_mutex_unlock(&ws->lock);
	return count;
}

const char *ml_workspace_job_event(struct ml_workspace *ws, size_t number,
				   uint64_t *version)
{
	pthread_mutex_lock(&ws->lock);
	const char *event = ws->jobs[number]->event;
	*version = ws->jobs[number]->version;
	pthread_mutex_unlock(&ws->lock);
	return event;
}

void ml_workspace_job_json(struct ml_workspace *ws, size_t number, struct ml_buf *out)
{
	struct ml_json json = { .out = out };

	pthread_mutex_lock(&ws->lock);
	ws->jobs[number]->describe(ws->jobs[number], &json);
	pthread_mutex_unlock(&ws->lock);
}

/* ---- the end ---- */

void ml_workspace_stop(struct ml_workspace *ws)
{
	pthread_mutex_lock(&ws->lock);
	ml_stop(&ws->stop);
	for (size_t i = 0; i < ws->job_count; i++)
		ml_stop(&ws->jobs[i]->stop);
	ml_workspace_change(ws);
	pthread_mutex_unlock(&ws->lock);
}

void ml_workspace_close(struct ml_workspace *ws)
{
	ml_workspace_stop(ws);
	for (size_t i = 0; i < ws->job_count; i++)
		pthread_join(ws->jobs[i]->thread, NULL);
	for (size_t i = ws->job_count; i-- > 0;)
		ws->jobs[i]->close(ws->jobs[i]);
	ml_free(ws->jobs);
	for (size_t i = ws->document_count; i-- > 0;)
		ws->documents[i]->kind->close(ws->documents[i]);
	ml_free(ws->documents);
	pthread_cond_destroy(&ws->changed);
	pthread_mutex_destroy(&ws->lock);
}
