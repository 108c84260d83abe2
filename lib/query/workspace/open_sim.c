#include "lib/query/workspace/open_sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/analyse/result/result_cache.h"
#include "lib/base/json.h"
#include "lib/cache/policy.h"
#include "lib/query/routes/route_last.h"
#include "lib/query/workspace/player.h"

/* The lock of the workspace is held. */
static void change(struct ml_open_sim *s)
{
	s->version++;
	ml_workspace_change(s->workspace);
}

/* The run of one simulation: the profile that it fills can be looked at while it runs. */
struct run {
	struct ml_open_sim *sim;
	struct ml_profile profile;
};

static bool cancelled(void *arg)
{
	const struct run *r = arg;

	return ml_stopped(&r->sim->stop);
}

static void tell_progress(void *arg, const char *what, uint64_t done, uint64_t total)
{
	struct run *r = arg;
	struct ml_open_sim *s = r->sim;

	(void)what;
	pthread_mutex_lock(&s->workspace->lock);
	s->done = done;
	s->total = total;
	s->partial = ml_grow(s->partial, &s->partial_cap, r->profile.bin_count + 1,
			     sizeof(*s->partial));
	if (r->profile.bin_count)
		memcpy(s->partial, r->profile.bins,
		       r->profile.bin_count * sizeof(*s->partial));
	s->partial_count = r->profile.bin_count;
	s->partial_bin = r->profile.bin;
	if (ml_stopped(&s->workspace->stop))
		ml_stop(&s->stop);
	change(s);
	pthread_mutex_unlock(&s->workspace->lock);
}

static bool write_result(struct run *r, const struct ml_replay_options *o,
			 const char *path, const struct ml_result_info *info,
			 struct ml_err *err)
{
	struct ml_replay *replay;
	struct ml_result_writer *w;

	if (!ml_replay_open(&replay, &r->sim->trace->trace, o, err))
		return false;
	if (!ml_result_writer_open(&w, path, info, err)) {
		ml_replay_close(replay);
		return false;
	}
	struct ml_profiler *profiler = ml_profiler_open(&r->profile);
	struct ml_pass passes[] = { ml_profiler_pass(profiler),
				    ml_result_writer_pass(w) };
	bool ok = ml_replay_run(replay, passes, 2, err);
	ml_profiler_close(profiler, replay);
	if (ok)
		ok = ml_result_writer_close(w, &r->profile, err);
	else
		ml_result_writer_abandon(w);
	ml_replay_close(replay);
	return ok;
}

/* Where nothing can be kept the result is a file that nobody else sees. */
static const char *scratch_path(struct ml_open_sim *s)
{
	const char *dir = getenv("TMPDIR");

	return ml_arena_printf(&s->arena, "%s/memlamp-%d-%u.mls",
			       dir && *dir ? dir : "/tmp", (int)getpid(), s->number);
}

static bool simulate(struct ml_open_sim *s, struct ml_err *err)
{
	struct run run = { .sim = s };
	struct ml_work work = { cancelled, tell_progress, &run };
	struct ml_replay_options o = { .machine = s->machine,
				       .interleave = s->interleave,
				       .want = ML_SIM_CAUSES | ML_SIM_USE,
				       .work = &work };
	struct ml_result_info info;

	ml_result_describe(&info, &s->trace->trace, &o, &s->arena);
	if (ml_result_cache_find(&info, &s->result))
		return true;
	const char *kept = ml_result_cache_path(&info, &s->arena);
	const char *path = kept ? kept : scratch_path(s);
	bool ok = write_result(&run, &o, path, &info, err) &&
		  ml_result_open(&s->result, path, err);
	ml_profile_release(&run.profile);
	if (kept)
		ml_result_cache_trim();
	else
		unlink(path);
	return ok;
}

static void find(struct ml_open_sim *s)
{
	struct run run = { .sim = s };
	struct ml_work work = { .cancelled = cancelled, .arg = &run };
	struct ml_findings_options o = { .work = &work };
	struct ml_err err = { 0 };
	bool ok = ml_findings_make(&s->findings, &s->trace->trace, &s->result.profile, &o,
				   &err);

	pthread_mutex_lock(&s->workspace->lock);
	s->found = true;
	if (!ok)
		s->not_found = err;
	change(s);
	pthread_mutex_unlock(&s->workspace->lock);
}

/* A first overview of a result that was kept: the trace may take long to be counted. */
static void show(struct ml_open_sim *s)
{
	const struct ml_profile *p = &s->result.profile;

	pthread_mutex_lock(&s->workspace->lock);
	s->partial = ml_grow(s->partial, &s->partial_cap, p->bin_count + 1,
			     sizeof(*s->partial));
	if (p->bin_count)
		memcpy(s->partial, p->bins, p->bin_count * sizeof(*s->partial));
	s->partial_count = p->bin_count;
	s->partial_bin = p->bin;
	s->done = s->total = p->refs;
	change(s);
	pthread_mutex_unlock(&s->workspace->lock);
}

static void *work(void *arg)
{
	struct ml_open_sim *s = arg;
	struct ml_err err = { 0 };
	bool ok = simulate(s, &err);

	if (ok)
		show(s);
	/* numbers of regions are those of a space that has walked the whole trace */
	ok = ok && ml_open_trace_summary(s->trace, &err);
	pthread_mutex_lock(&s->workspace->lock);
	s->state = ok                       ? ML_SIM_READY
		   : err.kind == ML_STOPPED ? ML_SIM_CANCELLED
					    : ML_SIM_FAILED;
	s->failed = err;
	s->done = s->total = s->trace->trace.count;
	change(s);
	pthread_mutex_unlock(&s->workspace->lock);
	if (ok)
		find(s);
	return NULL;
}

/* The lock of the workspace is held. */
static struct ml_open_sim *same_sim(struct ml_workspace *d, const struct ml_open_trace *t,
				    const char *text, uint64_t interleave)
{
	for (size_t i = 0; i < d->sim_count; i++) {
		struct ml_open_sim *s = d->sims[i];

		if (s->trace == t && s->interleave == interleave &&
		    !strcmp(s->text, text) && s->state != ML_SIM_CANCELLED &&
		    s->state != ML_SIM_FAILED)
			return s;
	}
	return NULL;
}

/* Who looks at a player walks too, and both lock. */
static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

bool ml_open_sim_start(struct ml_workspace *d, uint64_t trace, const struct ml_machine *m,
		       uint64_t interleave, uint32_t *sim, struct ml_err *err)
{
	struct ml_open_trace *t = ml_open_trace(d, trace, err);
	struct ml_buf text = { 0 };
	bool ok = true;

	if (!t)
		return false;
	ml_machine_print(m, &text);
	ml_buf_u8(&text, 0);
	pthread_mutex_lock(&d->lock);
	struct ml_open_sim *s = same_sim(d, t, (const char *)text.data, interleave);
	if (!s) {
		s = ml_resize(NULL, sizeof(*s));
		*s = (struct ml_open_sim){ .workspace = d,
					   .trace = t,
					   .number = (uint32_t)d->sim_count,
					   .machine = *m,
					   .interleave = interleave,
					   .total = t->trace.count };
		s->text = ml_arena_strdup(&s->arena, (const char *)text.data);
		init_lock(&s->lock);
		if ((errno = pthread_create(&s->thread, NULL, work, s))) {
			ok = ml_fail_errno(err, "no thread for a simulation");
			ml_arena_release(&s->arena);
			ml_free(s);
		} else {
			d->sims = ml_grow(d->sims, &d->sim_cap, d->sim_count + 1,
					  sizeof(*d->sims));
			d->sims[d->sim_count++] = s;
			change(s);
		}
	}
	if (ok)
		*sim = s->number;
	pthread_mutex_unlock(&d->lock);
	ml_buf_release(&text);
	return ok;
}

struct ml_open_sim *ml_open_sim(struct ml_workspace *d, uint64_t number,
				struct ml_err *err)
{
	struct ml_open_sim *s = NULL;

	pthread_mutex_lock(&d->lock);
	if (number < d->sim_count)
		s = d->sims[number];
	pthread_mutex_unlock(&d->lock);
	if (!s)
		ml_fail(err, ML_USAGE, "there is no simulation %llu",
			(unsigned long long)number);
	return s;
}

bool ml_open_sim_cancel(struct ml_workspace *d, uint64_t sim, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim(d, sim, err);

	if (s)
		ml_stop(&s->stop);
	return s != NULL;
}

static bool is_ready(struct ml_open_sim *s, enum ml_open_sim_state state,
		     struct ml_err *err)
{
	switch (state) {
	case ML_SIM_READY: return true;
	case ML_SIM_RUNNING:
		return ml_fail(err, ML_STOPPED, "simulation %u is not ready yet",
			       s->number);
	case ML_SIM_CANCELLED:
		return ml_fail(err, ML_STOPPED, "simulation %u was cancelled", s->number);
	case ML_SIM_FAILED: break;
	}
	*err = s->failed;
	return false;
}

bool ml_open_sim_finish(struct ml_workspace *d, uint64_t sim, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim(d, sim, err);

	if (!s)
		return false;
	pthread_mutex_lock(&d->lock);
	while (s->state == ML_SIM_RUNNING && !d->stop)
		pthread_cond_wait(&d->changed, &d->lock);
	enum ml_open_sim_state state = s->state;
	pthread_mutex_unlock(&d->lock);
	return is_ready(s, state, err);
}

struct ml_open_sim *ml_open_sim_ready(struct ml_workspace *d, uint64_t number,
				      struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim(d, number, err);

	if (!s)
		return NULL;
	pthread_mutex_lock(&d->lock);
	enum ml_open_sim_state state = s->state;
	pthread_mutex_unlock(&d->lock);
	return is_ready(s, state, err) ? s : NULL;
}

const struct ml_findings *ml_open_sim_findings(struct ml_open_sim *s, struct ml_err *err)
{
	struct ml_workspace *d = s->workspace;

	pthread_mutex_lock(&d->lock);
	while (!s->found && !d->stop)
		pthread_cond_wait(&d->changed, &d->lock);
	bool there = s->found;
	pthread_mutex_unlock(&d->lock);
	if (there && s->not_found.kind == ML_OK)
		return &s->findings;
	if (there)
		*err = s->not_found;
	else
		ml_fail(err, ML_STOPPED, "the server ends");
	return NULL;
}

size_t ml_open_sim_count(struct ml_workspace *d)
{
	pthread_mutex_lock(&d->lock);
	size_t count = d->sim_count;
	pthread_mutex_unlock(&d->lock);
	return count;
}

uint64_t ml_open_sim_version(struct ml_workspace *d, size_t sim)
{
	pthread_mutex_lock(&d->lock);
	uint64_t version = d->sims[sim]->version;
	pthread_mutex_unlock(&d->lock);
	return version;
}

static void put(struct ml_json *w, const char *key, uint64_t v)
{
	ml_json_key(w, key);
	ml_json_u64(w, v);
}

static void put_text(struct ml_json *w, const char *key, const char *text)
{
	ml_json_key(w, key);
	ml_json_string(w, text);
}

static void put_levels(struct ml_json *w, const struct ml_machine *m)
{
	ml_json_key(w, "levels");
	ml_json_array(w);
	for (uint32_t i = 0; i < m->levels; i++) {
		const struct ml_level_spec *l = &m->level[i];

		ml_json_object(w);
		put_text(w, "name", l->name);
		put(w, "size", l->size);
		put(w, "ways", l->ways);
		put(w, "sets", l->sets);
		put(w, "line", l->line);
		put_text(w, "policy", l->policy->name);
		put(w, "cycles", l->cycles);
		put(w, "share", l->share);
		put(w, "instances", m->cores / l->share);
		put_text(w, "kind", "cache");
		ml_json_end(w);
	}
	ml_json_object(w);
	put_text(w, "name", "memory");
	put(w, "cycles", m->memory_cycles);
	put_text(w, "kind", "memory");
	ml_json_end(w);
	ml_json_end(w);
}

void ml_open_sim_json(struct ml_workspace *d, size_t sim, struct ml_buf *out)
{
	static const char *const states[] = {
		[ML_SIM_RUNNING] = "running",
		[ML_SIM_READY] = "ready",
		[ML_SIM_FAILED] = "failed",
		[ML_SIM_CANCELLED] = "cancelled",
	};
	struct ml_json json = { .out = out }, *w = &json;

	pthread_mutex_lock(&d->lock);
	const struct ml_open_sim *s = d->sims[sim];
	ml_json_object(w);
	put(w, "sim", s->number);
	put(w, "trace", s->trace->number);
	put_text(w, "machine", s->text);
	put_text(w, "name", s->machine.name);
	put_text(w, "state", states[s->state]);
	put(w, "done", s->done);
	put(w, "total", s->total);
	if (s->state == ML_SIM_FAILED)
		put_text(w, "error", s->failed.text);
	ml_json_key(w, "findings");
	ml_json_bool(w, s->found);
	put(w, "cores", s->machine.cores);
	if (s->state == ML_SIM_READY) {
		put(w, "positions", s->result.refs);
		ml_json_key(w, "interleaved");
		ml_json_bool(w, s->result.profile.interleaved);
	}
	put_levels(w, &s->machine);
	ml_json_end(w);
	pthread_mutex_unlock(&d->lock);
}

static void close_sim(struct ml_open_sim *s)
{
	ml_stop(&s->stop);
	pthread_join(s->thread, NULL);
	if (s->state == ML_SIM_READY) {
		if (s->not_found.kind == ML_OK)
			ml_findings_release(&s->findings);
		for (size_t i = 0; i < sizeof(s->players) / sizeof(*s->players); i++)
			if (s->players[i])
				ml_player_close(s->players[i]);
		ml_lasts_close(s->lasts);
		ml_result_close(&s->result);
	}
	pthread_mutex_destroy(&s->lock);
	ml_free(s->partial);
	ml_arena_release(&s->arena);
	ml_free(s);
}

void ml_open_sims_close(struct ml_workspace *d)
{
	for (size_t i = 0; i < d->sim_count; i++)
		close_sim(d->sims[i]);
	ml_free(d->sims);
}
