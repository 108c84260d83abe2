#include "lib/analyse/ensemble/ensemble_run.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/analyse/ensemble/ensemble_parts.h"
#include "lib/analyse/ensemble/ensemble_surcharge.h"
#include "lib/analyse/ensemble/ensemble_stack.h"
#include "lib/analyse/ensemble/ensemble_walk.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/buf.h"
#include "lib/base/pool.h"
#include "lib/base/table.h"
#include "lib/trace/trace.h"

struct run {
	struct ml_ensemble *e;
	const struct ml_ensemble_run *o;
	struct ml_work part; /* for one member: cancels, but reports no progress; count()
				reports that of all */
	struct ml_trace trace; /* the trace that is open */
	uint64_t done, total;  /* member references */
	bool refused;          /* the save callback failed */
	struct ml_arena arena;
};

static bool wanted(const struct ml_ensemble *e, const bool *only, size_t member)
{
	return !e->members[member].done && (!only || only[member]);
}

static bool save(struct run *r, struct ml_err *err)
{
	err->kind = ML_OK;
	if (!r->o->save || r->o->save(r->o->save_arg, r->e, err))
		return true;
	r->refused = true;
	return err->kind != ML_OK ? false : ml_fail(err, ML_STOPPED, "stopped");
}

/* ---- groups ---- */

static void add_to_group(struct ml_ensemble_group *g, size_t member)
{
	g->member = ml_grow(g->member, &g->cap, g->count + 1, sizeof(*g->member));
	g->member[g->count++] = member;
}

/* The members of a state; false unless all of them are wanted. */
static bool group_of_state(struct run *r, const struct ml_ensemble_state *s,
			   struct ml_ensemble_group *g)
{
	const char **machine;
	size_t count;

	*g = (struct ml_ensemble_group){ .trace = s->trace,
					 .position = s->position,
					 .data = s->data,
					 .size = s->size };
	if (!ml_ensemble_state_members(s, &r->arena, &machine, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t member = ml_ensemble_member(r->e, s->trace, machine[i]);

		if (member == SIZE_MAX || !wanted(r->e, r->o->only, member))
			return false;
		add_to_group(g, member);
	}
	return count;
}

static bool one_core(const struct ml_ensemble *e, const struct ml_trace *t, size_t member)
{
	const struct ml_machine *m = &e->members[member].parsed;

	return ml_ensemble_plain(m, t).cores == 1;
}

/* ---- a walk ---- */

/* Replaces the states of the group's members by that of the walk. */
static void keep_state(struct run *r, struct ml_ensemble_walk *w, uint32_t trace,
		       uint64_t position)
{
	struct ml_buf state = { 0 };

	ml_ensemble_walk_save(w, &state);
	ml_ensemble_add_state(r->e, trace, position, state.data, state.size);
	ml_buf_release(&state);
}

static bool run_walk(struct run *r, const struct ml_ensemble_group *g, struct ml_err *err)
{
	uint64_t refs = ml_ensemble_refs(&r->e->traces[g->trace]), position;
	size_t state = r->e->state_count; /* the state of this walk is the last */
	struct ml_ensemble_walk_options o = {
		.threads = r->o->threads,
		.every = r->o->every,
		.work = r->o->work,
	};
	struct ml_ensemble_walk *w;

	if (!ml_ensemble_walk_open(&w, r->e, &r->trace, g, &o, err))
		return false;
	ml_ensemble_walk_progress(w, r->done + g->count * g->position, r->total);
	bool ok = true, ended = false;
	while (ok && !ended) {
		ok = ml_ensemble_walk_run(w, &position, err);
		ended = ok && position == refs;
		if (ok && !ended) {
			if (r->e->state_count > state)
				ml_ensemble_drop_state(r->e, state);
			if (position)
				keep_state(r, w, g->trace, position);
			ok = ml_work_goes_on(r->o->work, err) && save(r, err);
		}
	}
	if (ended) {
		ml_ensemble_walk_finish(w);
		if (r->e->state_count > state)
			ml_ensemble_drop_state(r->e, state);
		r->done += g->count * refs;
	}
	ml_ensemble_walk_close(w);
	return ok;
}

/* ---- several cores ---- */

/* One member that has a replay of its own. */
struct replay {
	struct run *run;
	struct ml_member *member;
	struct ml_ensemble_surcharge surcharge;
	pthread_mutex_t *lock; /* guards progress and the first error */
	struct ml_err *err;
	bool *failed;
};

static bool count(void *arg, const struct ml_events *ev, struct ml_err *err)
{
	struct replay *x = arg;
	struct ml_member *m = x->member;
	unsigned bits = x->run->e->traces[m->trace].bits;

	(void)err;
	x->surcharge.position = ev->position;
	for (size_t i = 0; i < ev->refs->count; i++)
		m->served[ml_outcome_served(ev->outcome[i])]
			 [(ev->position + i) >> bits]++;
	ml_ensemble_surcharge_batch(&x->surcharge, ev->refs->what, ev->outcome,
				    ev->refs->count);
	pthread_mutex_lock(x->lock);
	x->run->done += ev->refs->count;
	ml_work_progress(x->run->o->work, "simulating", x->run->done, x->run->total);
	pthread_mutex_unlock(x->lock);
	return true;
}

static void on_page(void *arg, const struct ml_events *ev, const struct ml_page *p)
{
	struct replay *x = arg;

	x->surcharge.position = ev->position;
	ml_ensemble_surcharge_page(&x->surcharge, p);
}

static void on_bounce(void *arg, const struct ml_events *ev, const struct ml_bounce *b)
{
	struct replay *x = arg;

	x->surcharge.position = ev->position;
	ml_ensemble_surcharge_bounce(&x->surcharge, b);
}

static bool replay(struct replay *x, struct ml_err *err)
{
	struct ml_ensemble *e = x->run->e;
	const struct ml_ensemble_trace *t = &e->traces[x->member->trace];
	struct ml_replay_options o = {
		.machine = x->member->parsed,
		.from = t->from,
		.to = t->to,
		.interleave = x->run->o->interleave,
		.work = &x->run->part,
	};
	struct ml_pass pass = {
		.arg = x, .batch = count, .bounce = on_bounce, .page = on_page
	};
	struct ml_replay *r;
	struct ml_trace trace;

	x->surcharge = (struct ml_ensemble_surcharge){ .machine = &x->member->parsed,
						       .beyond = x->member->beyond,
						       .bits = t->bits };
	/* each replay opens the trace, as all read blocks at the same time */
	if (!ml_trace_open(&trace, t->path, err))
		return false;
	bool ok = ml_replay_open(&r, &trace, &o, err);
	if (ok) {
		ok = ml_replay_run(r, &pass, 1, err);
		ml_replay_close(r);
	}
	ml_trace_close(&trace);
	ml_ensemble_surcharge_release(&x->surcharge);
	return ok;
}

static void do_replay(void *arg)
{
	struct replay *x = arg;
	struct ml_err err;

	pthread_mutex_lock(x->lock);
	bool skip = *x->failed;
	pthread_mutex_unlock(x->lock);
	if (skip)
		return;
	bool ok = replay(x, &err);
	pthread_mutex_lock(x->lock);
	if (ok) {
		ml_ensemble_finish(x->run->e, x->member);
	} else if (!*x->failed) {
		*x->failed = true;
		*x->err = err;
	}
	pthread_mutex_unlock(x->lock);
}

static bool run_replays(struct run *r, const struct ml_ensemble_group *g,
			struct ml_err *err)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct replay *x = ml_arena_alloc(&r->arena, g->count * sizeof(*x));
	bool failed = false;
	struct ml_pool pool;

	if (!g->count)
		return true;
	ml_pool_init(&pool, r->o->threads);
	for (size_t i = 0; i < g->count; i++) {
		struct ml_member *m = &r->e->members[g->member[i]];

		ml_ensemble_make_series(r->e, m);
		x[i] = (struct replay){ .run = r,
					.member = m,
					.lock = &lock,
					.err = err,
					.failed = &failed };
	}
	for (size_t i = 0; i < g->count; i++)
		ml_pool_submit(&pool, do_replay, &x[i]);
	ml_pool_wait(&pool);
	ml_pool_release(&pool);
	return !failed;
}

/* ---- a trace ---- */

static bool open_trace(struct run *r, const struct ml_ensemble_trace *t,
		       struct ml_err *err)
{
	if (!ml_trace_open(&r->trace, t->path, err))
		return false;
	if (!memcmp(r->trace.id, t->id, sizeof(t->id)) && r->trace.count >= t->to)
		return true;
	ml_trace_close(&r->trace);
	return ml_fail(err, ML_FORMAT, "%s: this is not the trace of '%s'", t->path,
		       t->label);
}

/* Removes a state from the ensemble; the caller keeps its bytes. */
static struct ml_ensemble_state take_state(struct ml_ensemble *e, size_t i)
{
	struct ml_ensemble_state s = e->states[i];

	e->states[i].data = NULL;
	ml_ensemble_drop_state(e, i);
	return s;
}

/* Continues members that were under way. */
static bool resume(struct run *r, uint32_t trace, struct ml_err *err)
{
	bool ok = true;

	for (size_t i = 0, left = r->e->state_count; ok && left; left--) {
		struct ml_ensemble_group g;

		if (r->e->states[i].trace != trace) {
			i++;
			continue;
		}
		struct ml_ensemble_state s = take_state(r->e, i);
		if (group_of_state(r, &s, &g)) {
			size_t before = r->e->state_count;

			ok = run_walk(r, &g, err);
			if (!ok && r->e->state_count == before)
				ml_ensemble_add_state(r->e, s.trace, s.position, s.data,
						      s.size);
		}
		ml_free(g.member);
		ml_free((void *)s.data);
	}
	return ok;
}

static bool run_trace(struct run *r, uint32_t trace, struct ml_err *err)
{
	struct ml_ensemble_group walk = { .trace = trace }, cores = { .trace = trace };
	const struct ml_ensemble *e = r->e;
	bool any = false;

	for (size_t i = 0; i < e->member_count && !any; i++)
		any = e->members[i].trace == trace && wanted(e, r->o->only, i);
	if (!any)
		return true;
	if (!open_trace(r, &e->traces[trace], err))
		return false;
	bool ok = resume(r, trace, err);
	for (size_t i = 0; ok && i < e->member_count; i++)
		if (e->members[i].trace == trace && wanted(e, r->o->only, i))
			add_to_group(one_core(e, &r->trace, i) ? &walk : &cores, i);
	ok = ok && (!walk.count || run_walk(r, &walk, err)) &&
	     run_replays(r, &cores, err);
	ml_free(walk.member);
	ml_free(cores.member);
	ml_trace_close(&r->trace);
	return ok;
}

/* The memory that this process may have in all. */
static double memory_limit(void)
{
	struct rlimit space;
	double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY &&
	    (double)space.rlim_cur < all)
		return (double)space.rlim_cur;
	return all;
}

/* Whether the series of all wanted members fit into memory, and as much again for work. */
static bool series_fit(const struct ml_ensemble *e, const bool *only, struct ml_err *err)
{
	char need[ML_NUMBER_ROOM], room[ML_NUMBER_ROOM];
	double bytes = 0, limit = memory_limit() / 2;
	size_t members = 0;

	for (size_t i = 0; i < e->member_count; i++) {
		const struct ml_member *m = &e->members[i];

		if (!wanted(e, only, i))
			continue;
		members++;
		bytes += (double)e->traces[m->trace].bins *
			 (4.0 * (m->parsed.levels + 1) +
			  (ml_ensemble_surcharged(&m->parsed) ? 8 : 0));
	}
	return bytes <= limit ||
	       ml_fail(err, ML_USAGE,
		       "%zu members need %s of memory for their series; this process can "
		       "use %s: take fewer members, or fewer bins of time",
		       members, ml_format_bytes(need, (uint64_t)bytes),
		       ml_format_bytes(room, (uint64_t)limit));
}

bool ml_ensemble_run(struct ml_ensemble *e, const struct ml_ensemble_run *o,
		     struct ml_err *err)
{
	struct run r = { .e = e, .o = o, .part = ml_work_silent(o->work) };
	bool ok = series_fit(e, o->only, err);

	for (size_t i = 0; ok && i < e->member_count; i++)
		if (wanted(e, o->only, i))
			r.total += ml_ensemble_refs(&e->traces[e->members[i].trace]);
	for (uint32_t i = 0; ok && i < e->trace_count; i++)
		ok = run_trace(&r, i, err);
	/* finished members are done; the states tell where the others are */
	if (!ok && err->kind == ML_STOPPED && !r.refused) {
		struct ml_err why;

		if (!save(&r, &why))
			*err = why;
	}
	ml_arena_release(&r.arena);
	return ok;
}

void ml_ensemble_cost(const struct ml_ensemble *e, const bool *only,
		      struct ml_ensemble_cost *c)
{
	*c = (struct ml_ensemble_cost){ 0 };
	for (uint32_t t = 0; t < e->trace_count; t++) {
		struct ml_ensemble_group walk = { .trace = t };
		uint64_t refs = ml_ensemble_refs(&e->traces[t]);

		for (size_t i = 0; i < e->member_count; i++) {
			if (e->members[i].trace != t || !wanted(e, only, i))
				continue;
			c->members++;
			if (e->members[i].parsed.cores == 1) {
				add_to_group(&walk, i);
			} else {
				c->passes++;
				c->references += refs;
			}
		}
		if (walk.count) {
			c->passes += ml_ensemble_walk_units(e, &walk);
			c->references += refs;
		}
		ml_free(walk.member);
	}
}
