#include "lib/query/trace/open/open_sim.h"

#include <assert.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/cache/machine/policy.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"

static bool cancelled(void *arg)
{
	const struct ml_open_sim *s = arg;

	return ml_stopped(&s->job.stop);
}

/* Shows the series of a profile, whole or as far as it is. The lock is held. */
static void show(struct ml_open_sim *s, const struct ml_profile *p, uint64_t done,
		 uint64_t total)
{
	s->job.done = done;
	s->job.total = total;
	s->partial = ml_grow(s->partial, &s->partial_cap, p->bin_count + 1,
			     sizeof(*s->partial));
	if (p->bin_count)
		memcpy(s->partial, p->bins, p->bin_count * sizeof(*s->partial));
	s->partial_count = p->bin_count;
	s->partial_bin = p->bin;
	ml_workspace_job_changes(&s->job);
}

static void tell_progress(void *arg, const char *what, uint64_t done, uint64_t total)
{
	struct ml_open_sim *s = arg;

	(void)what;
	pthread_mutex_lock(&s->job.workspace->lock);
	show(s, &s->simulation.own, done, total);
	pthread_mutex_unlock(&s->job.workspace->lock);
}

static bool simulate(struct ml_open_sim *s, struct ml_err *err)
{
	struct ml_work work = { cancelled, tell_progress, s };
	struct ml_simulation_options o = { .replay = { .machine = s->machine,
						       .interleave = s->interleave,
						       .want = ML_SIM_CAUSES | ML_SIM_USE,
						       .work = &work },
					   .outcomes = true };

	return ml_simulation_obtain(&s->simulation, &s->trace->trace, &o, err);
}

static void find(struct ml_open_sim *s)
{
	struct ml_work work = { .cancelled = cancelled, .arg = s };
	struct ml_findings_options o = { .work = &work };
	struct ml_err err = { 0 };
	bool ok = ml_findings_make(&s->findings, &s->trace->trace, s->simulation.profile,
				   &o, &err);

	pthread_mutex_lock(&s->job.workspace->lock);
	s->found = true;
	if (!ok)
		s->not_found = err;
	ml_workspace_job_changes(&s->job);
	pthread_mutex_unlock(&s->job.workspace->lock);
}

/*
 * Requests start simulations, so their number and size are bounded. A simulated line of a
 * cache takes some 170 bytes while the simulation runs (causes of misses, used bytes).
 */
enum {
	SIMS_AT_ONCE = 4,
	SIMS_OPEN = 64,
	LINES_AT_ONCE = 1 << 23, /* 512 MiB of 64-byte lines */
	LINES_OPEN = 1 << 25,
};

/* Waits for this simulation's turn. False: it was cancelled meanwhile. */
static bool begin(struct ml_open_sim *s, struct ml_err *err)
{
	struct ml_workspace *ws = s->job.workspace;
	uint64_t lines = ml_machine_lines(&s->machine);

	pthread_mutex_lock(&ws->lock);
	while (!ml_stopped(&s->job.stop) &&
	       (ws->sims_running == SIMS_AT_ONCE ||
		(ws->sims_running && ws->lines_running + lines > LINES_AT_ONCE)))
		pthread_cond_wait(&ws->changed, &ws->lock);
	bool ok = !ml_stopped(&s->job.stop);
	if (ok) {
		ws->sims_running++;
		ws->lines_running += lines;
	}
	pthread_mutex_unlock(&ws->lock);
	return ok || ml_fail(err, ML_STOPPED, "the simulation was cancelled");
}

static void end(struct ml_open_sim *s)
{
	struct ml_workspace *ws = s->job.workspace;

	pthread_mutex_lock(&ws->lock);
	ws->sims_running--;
	ws->lines_running -= ml_machine_lines(&s->machine);
	ml_workspace_change(ws);
	pthread_mutex_unlock(&ws->lock);
}

static bool run_in_turn(struct ml_open_sim *s, struct ml_err *err)
{
	const struct ml_profile *p;

	if (!simulate(s, err))
		return false;
	/* the series of a kept result, at once: counting the trace may take long */
	p = s->simulation.profile;
	pthread_mutex_lock(&s->job.workspace->lock);
	show(s, p, p->refs, p->refs);
	pthread_mutex_unlock(&s->job.workspace->lock);
	/* regions are numbered by a lookup that has walked the whole trace */
	if (!ml_open_trace_summary(s->trace, err))
		return false;
	if (s->simulation.result.region_end > ml_open_trace_regions(s->trace))
		return ml_fail(err, ML_FORMAT,
			       "%s: the result has regions that its trace does not have",
			       s->simulation.result.path);
	ml_workspace_job_ends(&s->job, true, NULL);
	find(s);
	return true;
}

static bool run(struct ml_job *j, struct ml_err *err)
{
	struct ml_open_sim *s = (struct ml_open_sim *)j;

	if (!begin(s, err))
		return false;
	bool ok = run_in_turn(s, err);
	end(s);
	return ok;
}

/* May another simulation be opened? The lock of the workspace is held. */
static bool has_room(const struct ml_workspace *ws, const struct ml_machine *m,
		     struct ml_err *err)
{
	uint64_t lines = ml_machine_lines(m);
	unsigned open = 0;

	if (lines > LINES_AT_ONCE)
		return ml_fail(
			err, ML_USAGE,
			"the machine has %llu lines of cache; the page simulates up to "
			"%d, and 'memlamp sim' more",
			(unsigned long long)lines, LINES_AT_ONCE);
	for (size_t i = 0; i < ws->job_count; i++) {
		const struct ml_job *j = ws->jobs[i];

		if (j->run != run || j->state == ML_JOB_CANCELLED ||
		    j->state == ML_JOB_FAILED)
			continue;
		open++;
		lines += ml_machine_lines(&((const struct ml_open_sim *)j)->machine);
	}
	return (open < SIMS_OPEN && lines <= LINES_OPEN) ||
	       ml_fail(err, ML_USAGE,
		       "%u simulations are open, as many as fit; start memlamp view again "
		       "for more",
		       open);
}

/* The lock of the workspace is held. */
static struct ml_open_sim *same_sim(const struct ml_workspace *ws,
				    const struct ml_open_trace *t, const char *text,
				    uint64_t interleave)
{
	for (size_t i = 0; i < ws->job_count; i++) {
		struct ml_job *j = ws->jobs[i];
		struct ml_open_sim *s = (struct ml_open_sim *)j;

		if (j->run == run && s->trace == t && s->interleave == interleave &&
		    !strcmp(s->text, text) && j->state != ML_JOB_CANCELLED &&
		    j->state != ML_JOB_FAILED)
			return s;
	}
	return NULL;
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

static void describe(const struct ml_job *j, struct ml_json *w)
{
	const struct ml_open_sim *s = (const struct ml_open_sim *)j;

	ml_json_object(w);
	put(w, "sim", j->number);
	put(w, "trace", s->trace->document.number);
	put_text(w, "machine", s->text);
	put_text(w, "name", s->machine.name);
	put_text(w, "state", ml_job_state_name(j->state));
	put(w, "done", j->done);
	put(w, "total", j->total);
	if (j->state == ML_JOB_FAILED)
		put_text(w, "error", j->failed.text);
	ml_json_key(w, "findings");
	ml_json_bool(w, s->found);
	put(w, "cores", s->machine.cores);
	if (j->state == ML_JOB_READY) {
		put(w, "busy", ml_open_sim_busy_cores(s));
		put(w, "positions", s->simulation.result.refs);
		ml_json_key(w, "interleaved");
		ml_json_bool(w, s->simulation.profile->interleaved);
	}
	put_levels(w, &s->machine);
	ml_json_end(w);
}

static void close_sim(struct ml_job *j)
{
	struct ml_open_sim *s = (struct ml_open_sim *)j;

	if (s->found && s->not_found.kind == ML_OK)
		ml_findings_release(&s->findings);
	for (size_t i = 0; i < ML_OPEN_SIM_ATTACHMENTS; i++)
		if (s->attached[i].owner)
			s->attached[i].close(s->attached[i].data);
	ml_simulation_release(&s->simulation);
	pthread_mutex_destroy(&s->lock);
	ml_free(s->partial);
	ml_arena_release(&s->arena);
	ml_free(s);
}

bool ml_open_sim_start(struct ml_workspace *ws, uint64_t trace,
		       const struct ml_machine *m, uint64_t interleave, uint32_t *sim,
		       struct ml_err *err)
{
	struct ml_open_trace *t = ml_open_trace(ws, trace, err);
	struct ml_buf text = { 0 };
	bool ok = true;

	if (!t)
		return false;
	ml_machine_print(m, &text);
	ml_buf_u8(&text, 0);
	pthread_mutex_lock(&ws->lock);
	struct ml_open_sim *s = same_sim(ws, t, (const char *)text.data, interleave);
	if (!s && !has_room(ws, m, err)) {
		ok = false;
	} else if (!s) {
		s = ml_resize(NULL, sizeof(*s));
		*s = (struct ml_open_sim){ .job = { .name = "simulation",
						    .event = "sim",
						    .run = run,
						    .describe = describe,
						    .close = close_sim,
						    .total = t->trace.count },
					   .trace = t,
					   .machine = *m,
					   .interleave = interleave };
		s->text = ml_arena_strdup(&s->arena, (const char *)text.data);
		pthread_mutex_init(&s->lock, NULL);
		ok = ml_workspace_start(ws, &s->job, err);
		if (!ok)
			close_sim(&s->job);
	}
	if (ok)
		*sim = s->job.number;
	pthread_mutex_unlock(&ws->lock);
	ml_buf_release(&text);
	return ok;
}

struct ml_open_sim *ml_open_sim(struct ml_workspace *ws, uint64_t number,
				struct ml_err *err)
{
	struct ml_open_sim *s = (struct ml_open_sim *)ml_workspace_job(ws, "simulation",
								       number, err);

	return s && ml_open_trace_is_whole(s->trace, err) ? s : NULL;
}

bool ml_open_sim_finish(struct ml_workspace *ws, uint64_t sim, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim(ws, sim, err);

	return s && ml_workspace_job_finish(&s->job, err);
}

struct ml_open_sim *ml_open_sim_ready(struct ml_workspace *ws, uint64_t number,
				      struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim(ws, number, err);

	if (!s || !ml_workspace_job_ready(&s->job, err))
		return NULL;
	if (ml_file_map_is_cut(s->simulation.result.map.data)) {
		ml_fail(err, ML_IO, "the kept result of %s was cut off: open it again",
			s->trace->document.path);
		return NULL;
	}
	return s;
}

bool ml_open_sim_lasts(struct ml_workspace *ws, const struct ml_request *q)
{
	struct ml_err err;

	return !ml_request_text(q, "hurry") && ml_open_sim_ready(ws, q->number[0], &err);
}

uint32_t ml_open_sim_busy_cores(const struct ml_open_sim *s)
{
	const struct ml_profile *p = s->simulation.profile;
	uint32_t busy = 1;

	for (size_t i = 0; i < p->thread_count; i++)
		if (p->threads[i].core >= busy)
			busy = p->threads[i].core + 1;
	return busy < s->machine.cores ? busy : s->machine.cores;
}

const struct ml_findings *ml_open_sim_findings(struct ml_open_sim *s, struct ml_err *err)
{
	struct ml_workspace *ws = s->job.workspace;

	pthread_mutex_lock(&ws->lock);
	while (!s->found && !ws->stop)
		pthread_cond_wait(&ws->changed, &ws->lock);
	bool there = s->found;
	pthread_mutex_unlock(&ws->lock);
	if (there && s->not_found.kind == ML_OK)
		return &s->findings;
	if (there)
		*err = s->not_found;
	else
		ml_fail(err, ML_STOPPED, "the server ends");
	return NULL;
}

void *ml_open_sim_attach(struct ml_open_sim *s, const char *owner, void *(*make)(void),
			 void (*close)(void *data))
{
	struct ml_attachment *x = s->attached;

	pthread_mutex_lock(&s->lock);
	while (x->owner && strcmp(x->owner, owner) != 0)
		x++;
	assert(x < s->attached + ML_OPEN_SIM_ATTACHMENTS);
	if (!x->owner)
		*x = (struct ml_attachment){ owner, make(), close };
	pthread_mutex_unlock(&s->lock);
	return x->data;
}

bool ml_open_sim_outcomes(struct ml_open_sim *s, uint64_t from, uint64_t to,
			  uint16_t *outcome, struct ml_err *err)
{
	pthread_mutex_lock(&s->lock);
	bool ok = ml_result_outcomes(&s->simulation.result, from, to, outcome, err);
	pthread_mutex_unlock(&s->lock);
	return ok;
}

bool ml_open_sim_beyond(struct ml_open_sim *s, uint64_t from, uint64_t to,
			int32_t *cycles, struct ml_err *err)
{
	pthread_mutex_lock(&s->lock);
	bool ok = ml_result_beyond(&s->simulation.result, from, to, cycles, err);
	pthread_mutex_unlock(&s->lock);
	return ok;
}
