#include "lib/query/trace/open/merged.h"

#include <string.h>

#include "lib/analyse/passes/turns.h"
#include "lib/base/arena.h"
#include "lib/base/pool.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/trace/regions/region_lookup.h"

/* Blocks that stay when no request looks at them: a block of 2^22 takes 117 MB. */
enum { KEPT = 2 };

struct blocks {
	pthread_mutex_t lock; /* held while a block is made: others may want the same */
	struct ml_turns *turns;
	struct ml_merged **at;
	size_t count, cap;
	uint64_t uses;
};

static void *make_blocks(void)
{
	struct blocks *x = ml_resize(NULL, sizeof(*x));

	*x = (struct blocks){ .count = 0 };
	pthread_mutex_init(&x->lock, NULL);
	return x;
}

static void release(struct ml_merged *m)
{
	ml_free(m->addr);
	ml_free(m->site);
	ml_free(m->caller);
	ml_free(m->region);
	ml_free(m->time);
	ml_free(m->thread);
	ml_free(m->what);
	ml_free(m);
}

static void close_blocks(void *data)
{
	struct blocks *x = data;

	for (size_t i = 0; i < x->count; i++)
		release(x->at[i]);
	if (x->turns)
		ml_turns_close(x->turns);
	pthread_mutex_destroy(&x->lock);
	ml_free(x->at);
	ml_free(x);
}

static struct blocks *blocks_of(struct ml_open_sim *s)
{
	return ml_open_sim_attach(s, "merged", make_blocks, close_blocks);
}

static struct ml_merged *open_columns(uint64_t from, size_t count)
{
	struct ml_merged *m = ml_resize(NULL, sizeof(*m));

	*m = (struct ml_merged){ .from = from, .count = count };
	m->addr = ml_resize(NULL, (count + 1) * sizeof(*m->addr));
	m->site = ml_resize(NULL, (count + 1) * sizeof(*m->site));
	m->caller = ml_resize(NULL, (count + 1) * sizeof(*m->caller));
	m->region = ml_resize(NULL, (count + 1) * sizeof(*m->region));
	m->thread = ml_resize(NULL, (count + 1) * sizeof(*m->thread));
	m->what = ml_resize(NULL, (count + 1) * sizeof(*m->what));
	return m;
}

/* Decodes the references of a block as they were recorded. */
struct decoding {
	struct ml_merged *into;
	struct ml_region_lookup *lookup;
	const struct ml_work *work;
	size_t done;
};

static bool keep(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct decoding *d = arg;
	struct ml_merged *m = d->into;
	size_t at = d->done, n = b->count;

	if (ml_work_cancelled(d->work))
		return ml_fail(err, ML_STOPPED, "nobody waits for the answer any more");
	if (n > m->count - at)
		n = m->count - at;
	memcpy(m->addr + at, b->addr, n * sizeof(*m->addr));
	memcpy(m->site + at, b->site, n * sizeof(*m->site));
	memcpy(m->caller + at, b->caller, n * sizeof(*m->caller));
	memcpy(m->thread + at, b->thread, n * sizeof(*m->thread));
	memcpy(m->what + at, b->what, n * sizeof(*m->what));
	struct ml_batch cut = *b;
	cut.count = n;
	ml_region_lookup_batch(d->lookup, &cut, m->region + at);
	d->done += n;
	return true;
}

static bool decode(struct ml_open_sim *s, const struct ml_work *work,
		   struct ml_merged *into, struct ml_err *err)
{
	uint64_t from = into->from, to = from + into->count;
	struct decoding d = { .into = into, .work = work };

	d.lookup = ml_open_trace_lookup_take(s->trace, from, err);
	if (!d.lookup)
		return false;
	bool ok = ml_trace_each(&s->trace->trace, from, to, ml_cpus() > 1, keep, &d, err);
	ml_open_trace_lookup_give(s->trace, d.lookup, ok ? to : UINT64_MAX);
	if (ok && d.done < into->count)
		ok = ml_fail(err, ML_FORMAT, "%s has fewer references than its result",
			     s->trace->trace.path);
	return ok;
}

/* Puts the columns of a block in order. */
static void put_in_order(struct ml_merged *m, const uint32_t *order)
{
	size_t n = m->count;

#define ORDER(column) \
	do { \
		void *old = m->column, \
		     *room = ml_resize(NULL, (n + 1) * sizeof(*m->column)); \
		__typeof__(m->column) from = old, to = room; \
		for (size_t i = 0; i < n; i++) \
			to[i] = from[order[i]]; \
		m->column = to; \
		ml_free(old); \
	} while (0)
	ORDER(addr);
	ORDER(site);
	ORDER(caller);
	ORDER(region);
	ORDER(thread);
	ORDER(what);
#undef ORDER
	m->time = ml_resize(NULL, (n + 1) * sizeof(*m->time));
	memcpy(m->time, order, n * sizeof(*m->time));
}

static struct ml_turns *turns_of(struct ml_open_sim *s)
{
	const struct ml_result_turns *known = &s->simulation.result.turns;
	struct ml_turns *t = ml_turns_open(&s->trace->trace.tables,
					   s->simulation.profile->interleave);

	for (size_t i = 0; i < known->thread_count; i++)
		ml_turns_meet(t, known->threads[i]);
	return t;
}

/* False: a damaged result lacks threads. */
static bool has_threads(const struct ml_open_sim *s, const struct ml_merged *m,
			size_t threads, struct ml_err *err)
{
	bool known[1 << 16] = { false };

	for (size_t i = 0; i < threads; i++)
		known[s->simulation.result.turns.threads[i]] = true;
	for (size_t i = 0; i < m->count; i++)
		if (!known[m->thread[i]])
			return ml_fail(err, ML_FORMAT, "%s lacks a thread",
				       s->simulation.result.path);
	return true;
}

static struct ml_merged *make(struct ml_open_sim *s, struct blocks *x,
			      const struct ml_work *work,
			      const struct ml_result_stretch *block, struct ml_err *err)
{
	struct ml_merged *m = open_columns(block->from,
					   (size_t)(block->to - block->from));

	if (!decode(s, work, m, err) || !has_threads(s, m, block->threads, err)) {
		release(m);
		return NULL;
	}
	if (!x->turns)
		x->turns = turns_of(s);
	put_in_order(m, ml_turns_order(x->turns, block->threads, m->from, m->thread,
				       m->site, m->count));
	return m;
}

/* Drops the blocks that were used longest ago, but for those in use. */
static void trim(struct blocks *x)
{
	for (;;) {
		size_t idle = 0, oldest = 0;

		for (size_t i = 0; i < x->count; i++)
			if (!x->at[i]->users &&
			    (!idle++ || x->at[i]->used < x->at[oldest]->used))
				oldest = i;
		if (idle <= KEPT)
			return;
		release(x->at[oldest]);
		x->at[oldest] = x->at[--x->count];
	}
}

const struct ml_merged *ml_merged_take(struct ml_open_sim *s, const struct ml_work *work,
				       const struct ml_result_stretch *block,
				       struct ml_err *err)
{
	struct blocks *x = blocks_of(s);
	struct ml_merged *m = NULL;

	pthread_mutex_lock(&x->lock);
	for (size_t i = 0; i < x->count; i++)
		if (x->at[i]->from == block->from)
			m = x->at[i];
	if (!m && (m = make(s, x, work, block, err))) {
		x->at = ml_grow(x->at, &x->cap, x->count + 1, sizeof(*x->at));
		x->at[x->count++] = m;
	}
	if (m) {
		m->users++;
		m->used = ++x->uses;
		trim(x);
	}
	pthread_mutex_unlock(&x->lock);
	return m;
}

void ml_merged_give(struct ml_open_sim *s, const struct ml_merged *m)
{
	struct blocks *x = blocks_of(s);

	pthread_mutex_lock(&x->lock);
	for (size_t i = 0; i < x->count; i++)
		if (x->at[i] == m)
			x->at[i]->users--;
	trim(x);
	pthread_mutex_unlock(&x->lock);
}
