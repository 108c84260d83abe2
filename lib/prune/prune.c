#include "lib/prune/prune.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/pool.h"
#include "lib/base/work.h"

/* The interpreter does some 50 million variants a second, a compiler takes 0.3 s. */
enum { NATIVE_FROM = 15000000, SHARES = 16 };

bool ml_prune_open(struct ml_prune *p, const struct ml_space *s,
		   enum ml_prune_engine engine, const char *cc,
		   const struct ml_work *work, struct ml_err *err)
{
	struct ml_interpreter i;
	struct ml_err failed = { 0 };

	*p = (struct ml_prune){ .space = s };
	if (engine == ML_PRUNE_INTERPRETER)
		return true;
	if (engine == ML_PRUNE_AUTO) {
		ml_interpreter_init(&i, s);
		p->too_small = ml_interpreter_estimate(&i) < NATIVE_FROM;
		ml_interpreter_release(&i);
		if (p->too_small)
			return true;
	}
	p->is_native = ml_native_open(&p->native, s, cc, work, &failed);
	if (p->is_native)
		return true;
	if (engine == ML_PRUNE_NATIVE || failed.kind == ML_STOPPED) {
		*err = failed;
		return false;
	}
	snprintf(p->reason, sizeof(p->reason), "%.190s", failed.text);
	return true;
}

void ml_prune_close(struct ml_prune *p)
{
	ml_native_close(&p->native);
	*p = (struct ml_prune){ 0 };
}

/* Into how many shares a value of the first parameter is cut. */
static uint64_t shares_of(const struct ml_prune *p)
{
	return p->space->param_count > 2 ? SHARES : 1;
}

/* What the threads of a count share. */
struct counting {
	const struct ml_prune *p;
	const struct ml_work *work;
	uint64_t parts, shares;
	uint64_t next, done; /* atomic: the part that is begun next; ended parts */
	bool stop;           /* atomic */
	enum ml_prune_end end;
	struct ml_err err; /* of the first that failed */
	pthread_mutex_t lock;
};

struct worker {
	struct counting *c;
	uint64_t *counts;
	bool reports; /* tells of the progress: one thread at a time may */
};

static int is_stopped(const void *work)
{
	return ml_work_cancelled(work);
}

static int give_native_row(void *arg, const int64_t *values)
{
	const struct ml_prune_walk *walk = arg;

	return !walk->row(walk->arg, values);
}

static int run_native(const struct ml_prune *p, const struct ml_prune_part *part,
		      const struct ml_prune_walk *walk)
{
	int64_t first = (int64_t)part->first, share = (int64_t)part->share,
		of = (int64_t)part->of;

	return walk->counts ? p->native.count(first, share, of, is_stopped, walk->work,
					      walk->counts)
			    : p->native.select(first, share, of, is_stopped, walk->work,
					       walk->care, walk->want, give_native_row,
					       (void *)(uintptr_t)walk);
}

/* Divisions by zero are told by the interpreter, which knows the values. */
static enum ml_prune_end run_part(const struct ml_prune *p, struct ml_interpreter *i,
				  const struct ml_prune_part *part,
				  const struct ml_prune_walk *walk, struct ml_err *err)
{
	switch (p->is_native ? run_native(p, part, walk) : ML_NATIVE_DIVIDED) {
	case ML_NATIVE_DONE: return ML_PRUNE_DONE;
	case ML_NATIVE_ENDED: return ML_PRUNE_ENDED;
	case ML_NATIVE_STOPPED: return ML_PRUNE_STOPPED;
	default: return ml_interpreter_run(i, part, walk, err);
	}
}

/* Ends the part of a thread: the caller has cancelled the work, or another part failed. */
static bool ends(void *arg)
{
	const struct counting *c = arg;

	return __atomic_load_n(&c->stop, __ATOMIC_RELAXED) || ml_work_cancelled(c->work);
}

static void count_parts(void *arg)
{
	struct worker *w = arg;
	struct counting *c = w->c;
	struct ml_interpreter i;
	struct ml_work work = { .cancelled = ends, .arg = c };
	struct ml_prune_walk walk = { .counts = w->counts, .work = &work };
	uint64_t items = c->parts * c->shares;

	ml_interpreter_init(&i, c->p->space);
	while (!ends(c)) {
		uint64_t k = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);
		struct ml_prune_part part = { .first = k / c->shares,
					      .share = k % c->shares,
					      .of = c->shares };
		struct ml_err err = { 0 };

		if (k >= items)
			break;
		enum ml_prune_end end = run_part(c->p, &i, &part, &walk, &err);
		if (end != ML_PRUNE_DONE) {
			pthread_mutex_lock(&c->lock);
			if (!__atomic_exchange_n(&c->stop, true, __ATOMIC_RELAXED))
				c->err = err;
			pthread_mutex_unlock(&c->lock);
		}
		uint64_t done = __atomic_add_fetch(&c->done, 1, __ATOMIC_RELAXED);
		if (w->reports)
			ml_work_progress(c->work, "evaluating", done, items);
	}
	ml_interpreter_release(&i);
}

static void collect(struct ml_combos *t, const uint64_t *counts, size_t masks)
{
	size_t cap = 0;

	for (size_t m = 0; m < masks; m++)
		if (counts[m]) {
			t->at = ml_grow(t->at, &cap, t->count + 1, sizeof(*t->at));
			t->at[t->count++] = (struct ml_combo){ (uint32_t)m, counts[m] };
			t->total += counts[m];
		}
}

static void copy_constraints(struct ml_combos *t, const struct ml_space *s)
{
	for (size_t c = 0; c < s->constraint_count; c++) {
		const struct ml_constraint *k = &s->constraints[c];

		t->constraints[c] = (struct ml_combo_constraint){
			.name = ml_arena_strdup(&t->arena, k->name),
			.about = k->about ? ml_arena_strdup(&t->arena, k->about) : NULL,
			.text = ml_arena_strdup(&t->arena, k->text),
			.soft = k->soft,
		};
	}
	t->constraint_count = s->constraint_count;
}

bool ml_prune_count(const struct ml_prune *p, struct ml_combos *t,
		    const struct ml_work *work, struct ml_err *err)
{
	size_t masks = (size_t)1 << p->space->constraint_count;
	unsigned threads = p->threads ? p->threads : ml_cpus();
	struct counting c = { .p = p,
			      .work = work,
			      .shares = shares_of(p),
			      .lock = PTHREAD_MUTEX_INITIALIZER };
	struct ml_arena a = { 0 };
	struct worker *workers = ml_arena_alloc(&a, threads * sizeof(*workers));
	struct ml_interpreter first;
	struct ml_pool pool;

	*t = (struct ml_combos){ 0 };
	ml_interpreter_init(&first, p->space);
	c.parts = ml_interpreter_parts(&first);
	ml_interpreter_release(&first);
	ml_pool_init(&pool, threads);
	for (unsigned i = 0; i < threads; i++) {
		workers[i] = (struct worker){
			.c = &c,
			.counts = ml_arena_alloc(&a, masks * sizeof(uint64_t)),
			.reports = !i,
		};
		ml_pool_submit(&pool, count_parts, &workers[i]);
	}
	ml_pool_wait(&pool);
	ml_pool_release(&pool);
	pthread_mutex_destroy(&c.lock);
	bool ok = !c.stop && c.done == c.parts * c.shares;
	if (!ok) {
		*err = c.err;
		if (!*err->text)
			ml_fail(err, ML_STOPPED, "stopped");
	} else {
		for (unsigned i = 1; i < threads; i++)
			for (size_t m = 0; m < masks; m++)
				workers[0].counts[m] += workers[i].counts[m];
		copy_constraints(t, p->space);
		collect(t, workers[0].counts, masks);
	}
	ml_arena_release(&a);
	return ok;
}

bool ml_prune_select(const struct ml_prune *p, uint32_t care, uint32_t want,
		     bool (*row)(void *arg, const int64_t *values), void *arg,
		     const struct ml_work *work, struct ml_err *err)
{
	struct ml_prune_walk walk = {
		.care = care, .want = want & care, .row = row, .arg = arg, .work = work
	};
	struct ml_interpreter i;
	enum ml_prune_end end = ML_PRUNE_DONE;

	ml_interpreter_init(&i, p->space);
	uint64_t shares = shares_of(p), items = ml_interpreter_parts(&i) * shares;
	for (uint64_t k = 0; k < items && end == ML_PRUNE_DONE; k++) {
		struct ml_prune_part part = { k / shares, k % shares, shares };

		end = run_part(p, &i, &part, &walk, err);
		if (!(k & 63) && end == ML_PRUNE_DONE && ml_work_cancelled(work))
			end = ML_PRUNE_STOPPED;
	}
	ml_interpreter_release(&i);
	if (end == ML_PRUNE_STOPPED)
		return ml_fail(err, ML_STOPPED, "stopped");
	return end != ML_PRUNE_DIVIDED;
}
