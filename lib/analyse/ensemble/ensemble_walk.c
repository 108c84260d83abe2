#include "lib/analyse/ensemble/ensemble_walk_parts.h"

#include <assert.h>
#include <string.h>

#include "lib/analyse/ensemble/ensemble_parts.h"
#include "lib/analyse/passes/future.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/passes/thread_cores.h"
#include "lib/base/clock.h"
#include "lib/base/pool.h"
#include "lib/cache/machine/policy.h"
#include "lib/trace/trace.h"

struct ml_machine ml_ensemble_plain(const struct ml_machine *m, const struct ml_trace *t)
{
	struct ml_machine plain = ml_machine_alone(m,
						   t ? ml_thread_count(&t->tables) : 0);

	plain.tlbs = 0; /* TLBs cost time but do not change the serving level */
	return plain;
}

/* ---- units ---- */

static struct ml_ensemble_unit *add_unit(struct ml_ensemble_walk *w)
{
	w->units = ml_grow(w->units, &w->unit_cap, w->unit_count + 1, sizeof(*w->units));
	return &w->units[w->unit_count++];
}

static bool same_tlbs(const struct ml_machine *a, const struct ml_machine *b)
{
	return a->tlbs == b->tlbs && a->walk_cycles == b->walk_cycles &&
	       !memcmp(a->tlb, b->tlb, sizeof(a->tlb));
}

/* The unit that translates for a member with a stack pass, or NULL. */
static struct ml_ensemble_unit *translator(const struct ml_ensemble_walk *w,
					   size_t member)
{
	const struct ml_machine *m = &w->e->members[member].parsed;

	for (size_t i = 0; m->tlbs && i < w->unit_count; i++)
		if (w->units[i].tlbs_only &&
		    same_tlbs(m, &w->e->members[w->units[i].member].parsed))
			return &w->units[i];
	return NULL;
}

/* A simulator of the TLBs beside the first level, which costs little. */
static void add_translator(struct ml_ensemble_walk *w, size_t member,
			   const struct ml_machine *plain)
{
	const struct ml_machine *m = &w->e->members[member].parsed;

	if (!m->tlbs || translator(w, member))
		return;
	struct ml_ensemble_unit *u = add_unit(w);
	u->tlbs_only = true;
	u->member = member;
	u->machine = *plain;
	u->machine.levels = 1;
	u->machine.tlbs = m->tlbs;
}

/* The pass of the first level of a path. */
static const struct ml_stack *first_pass(const struct ml_stack_branch *leaf)
{
	while (leaf->before)
		leaf = leaf->before;
	return leaf->of;
}

/*
 * The requests to a first level do not depend on its size, so opt and pes with the same
 * line share one future. A machine with such a policy in an outer level has a future of
 * its own.
 */
static bool shares_future(const struct ml_machine *m)
{
	struct ml_machine behind = *m;

	behind.level[0].policy = ml_policy_find("lru");
	return ml_future_needed(m) && !ml_future_needed(&behind) && !m->split;
}

static void plan(struct ml_ensemble_walk *w)
{
	w->tree.bins = w->window->bins;
	for (size_t i = 0; i < w->group.count; i++) {
		struct ml_member *m = &w->e->members[w->group.member[i]];
		struct ml_machine plain = ml_ensemble_plain(&m->parsed, w->trace);

		if (ml_stack_fits(&plain)) {
			w->leaf[i] = ml_stack_add(&w->tree, &plain);
			ml_ensemble_make_series(w->e, m);
			add_translator(w, w->group.member[i], &plain);
			continue;
		}
		struct ml_ensemble_unit *u = add_unit(w);
		u->member = w->group.member[i];
		u->machine = plain;
		u->machine.tlbs = m->parsed.tlbs;
		u->members = 1;
		u->shares = shares_future(&plain);
		ml_ensemble_make_series(w->e, m);
	}
	ml_stack_start(&w->tree);
	for (struct ml_stack *s = w->tree.first; s; s = s->other) {
		struct ml_ensemble_unit *u = add_unit(w);

		u->stack = s;
		u->stream = ml_ensemble_stream(&w->decoder, s);
		for (size_t i = 0; i < w->group.count; i++)
			u->members += w->leaf[i] && first_pass(w->leaf[i]) == s;
	}
}

static struct ml_replay_options options(const struct ml_ensemble_walk *w,
					const struct ml_ensemble_unit *u)
{
	return (struct ml_replay_options){ .machine = u->machine,
					   .from = w->window->from,
					   .to = w->window->to,
					   .work = &w->part };
}

/* Passes on the hints of a block, once; a block has as many hints as lines. */
static bool give_hints(void *arg, const uint64_t **hints, size_t *count,
		       struct ml_err *err)
{
	struct ml_ensemble_unit *u = arg;

	if (!u->given)
		return ml_fail(err, ML_FORMAT,
			       "more lines are requested than were foreseen: the trace "
			       "has changed");
	*hints = u->given->next;
	*count = u->given->count;
	u->given = NULL;
	return true;
}

static void on_page(void *arg, const struct ml_page *p)
{
	ml_ensemble_surcharge_page(&((struct ml_ensemble_unit *)arg)->surcharge, p);
}

/* The walk simulates one core, so no line comes from another. */
static void listen(struct ml_ensemble_walk *w, struct ml_ensemble_unit *u)
{
	struct ml_member *m = &w->e->members[u->member];
	struct ml_observer o = { .arg = u, .page = on_page };

	u->surcharge.machine = &m->parsed;
	u->surcharge.beyond = m->beyond;
	u->surcharge.bits = w->window->bits;
	if (m->beyond)
		ml_engine_observe(u->engine, &o, NULL);
}

static bool open_engine(struct ml_ensemble_walk *w, struct ml_ensemble_unit *u,
			struct ml_err *err)
{
	struct ml_engine_job job = { .threads = 1, .restores = true };
	struct ml_replay_options o = options(w, u);

	u->opened = true;
	u->engine = ml_engine_open(&u->machine, &job, err);
	if (!u->engine || (u->state.at && !ml_engine_restore(u->engine, &u->state, err)))
		return false;
	listen(w, u);
	if (u->shares) {
		u->hints = (struct ml_hints){ u, give_hints };
		ml_engine_hints(u->engine, 1, &u->hints);
	} else if (ml_future_needed(&u->machine)) {
		if (!ml_future_open(&u->future, w->trace, &o, err))
			return false;
		return ml_future_attach(u->future, u->engine, err);
	}
	return true;
}

/*
 * Counts four levels and memory in one word, twelve bits each. With several counters each
 * reference would wait for the one before it.
 */
static void count_served(struct ml_member *m, size_t bin, const uint16_t *outcome,
			 size_t count)
{
	enum { BITS = 12, MAX = (1 << BITS) - 1 };

	for (size_t i = 0; i < count;) {
		size_t end = count - i < MAX ? count : i + MAX;
		uint64_t sum = 0;

		for (; i < end; i++)
			sum += (uint64_t)1 << BITS * (ml_outcome_served(outcome[i]) - 1);
		for (unsigned s = 1; s < ML_SERVED && s <= m->parsed.levels + 1; s++)
			m->served[s][bin] += (uint32_t)(sum >> BITS * (s - 1)) & MAX;
	}
}

static bool simulate(struct ml_ensemble_walk *w, struct ml_ensemble_unit *u,
		     const struct ml_ensemble_block *b, struct ml_err *err)
{
	struct ml_member *m = &w->e->members[u->member];
	uint16_t outcome[ML_BATCH];

	if (!u->opened && !open_engine(w, u, err))
		return false;
	u->given = &b->hints[u->foreseen];
	for (size_t i = 0; i < b->count; i += ML_BATCH) {
		struct ml_accesses a = {
			.count = b->count - i < ML_BATCH ? b->count - i : ML_BATCH,
			.addr = b->addr + i,
			.what = b->what + i,
			.site = b->site + i,
		};

		u->surcharge.position = b->position + i;
		if (!ml_engine_run(u->engine, &a, outcome, err))
			return false;
		if (u->surcharge.beyond)
			ml_ensemble_surcharge_batch(&u->surcharge, a.what, outcome,
						    a.count);
		for (size_t k = u->tlbs_only ? a.count : 0; k < a.count;) {
			uint64_t at = b->position + i + k, bin = at >> w->window->bits;
			uint64_t left = ((bin + 1) << w->window->bits) - at;
			size_t n = left < a.count - k ? (size_t)left : a.count - k;

			count_served(m, (size_t)bin, outcome + k, n);
			k += n;
		}
	}
	return true;
}

/* ---- threads ---- */

static bool at_end(const struct ml_ensemble_walk *w)
{
	return w->position == ml_ensemble_refs(w->window);
}

/* The unit that is farthest behind; of several, the slowest. */
static struct ml_ensemble_unit *choose(struct ml_ensemble_walk *w, bool *may_decode)
{
	struct ml_ensemble_unit *best = NULL;
	uint64_t min = w->decoded;

	for (size_t i = 0; i < w->unit_count; i++) {
		struct ml_ensemble_unit *u = &w->units[i];

		if (u->next < min)
			min = u->next;
		if (u->busy || u->next == w->decoded)
			continue;
		if (!best || u->next < best->next ||
		    (u->next == best->next && u->spent > best->spent))
			best = u;
	}
	*may_decode = !w->decoding && !w->closing && !at_end(w) &&
		      w->decoded - min < RING;
	if (*may_decode && best && w->decoded - best->next >= AHEAD)
		*may_decode = false;
	return best;
}

/* Checks whether it is time to end this leg. */
static void look_up(struct ml_ensemble_walk *w)
{
	if (ml_work_cancelled(w->o.work))
		w->closing = true;
	if (w->o.every && ml_now() - w->started >= w->o.every * ML_SECOND)
		w->closing = true;
}

static void do_decode(struct ml_ensemble_walk *w, struct ml_err *err)
{
	struct ml_ensemble_block *b = &w->ring[w->decoded % RING];

	w->decoding = true;
	b->position = w->position;
	pthread_mutex_unlock(&w->lock);
	bool ok = ml_ensemble_decode(&w->decoder, b, err);
	if (ok && !b->count)
		ok = ml_fail(err, ML_FORMAT,
			     "%s: ends at reference %llu, before the window does",
			     w->trace->path,
			     (unsigned long long)(w->window->from + b->position));
	pthread_mutex_lock(&w->lock);
	w->decoding = false;
	if (!ok) {
		w->failed = true;
		w->err = *err;
		return;
	}
	w->decoded++;
	w->position += b->count;
}

static const struct ml_lines *lines_of(const struct ml_ensemble_walk *w,
				       const struct ml_ensemble_unit *u,
				       const struct ml_ensemble_block *b)
{
	bool fewer = u->stack->sets > 1 && w->decoder.stream[u->stream].sets > 1;

	return fewer ? &b->fewer[u->stream] : &b->lines[u->stream];
}

static void do_unit(struct ml_ensemble_walk *w, struct ml_ensemble_unit *u,
		    struct ml_stack_scratch *x, struct ml_err *err)
{
	const struct ml_ensemble_block *b = &w->ring[u->next % RING];
	struct ml_stack_block where = { b->position, w->window->bits };
	uint64_t start = ml_now();
	bool ok = true;

	u->busy = true;
	pthread_mutex_unlock(&w->lock);
	if (u->stack)
		ml_stack_run(u->stack, lines_of(w, u, b), &where, x);
	else
		ok = simulate(w, u, b, err);
	pthread_mutex_lock(&w->lock);
	u->busy = false;
	u->spent += ml_now() - start;
	u->next++;
	w->done += u->members * b->count;
	if (!ok && !w->failed) {
		w->failed = true;
		w->err = *err;
	}
	ml_work_progress(w->o.work, "simulating", w->before + w->done, w->total);
}

static void work(void *arg)
{
	struct ml_ensemble_walk *w = arg;
	struct ml_stack_scratch scratch = { 0 };
	struct ml_err err;

	pthread_mutex_lock(&w->lock);
	while (!w->failed) {
		bool may_decode;

		look_up(w);
		struct ml_ensemble_unit *u = choose(w, &may_decode);
		if (may_decode)
			do_decode(w, &err);
		else if (u)
			do_unit(w, u, &scratch, &err);
		else if (!w->decoding && (w->closing || at_end(w)))
			break; /* others may still run their last block */
		else {
			pthread_cond_wait(&w->change, &w->lock);
			continue;
		}
		pthread_cond_broadcast(&w->change);
	}
	pthread_cond_broadcast(&w->change);
	pthread_mutex_unlock(&w->lock);
	ml_stack_scratch_release(&scratch);
}

bool ml_ensemble_walk_run(struct ml_ensemble_walk *w, uint64_t *position,
			  struct ml_err *err)
{
	unsigned threads = w->o.threads ? w->o.threads : ml_cpus();
	struct ml_pool pool;

	w->closing = w->failed = false;
	w->started = ml_now();
	if (threads > 1)
		ml_pool_init(&pool, threads - 1);
	for (unsigned i = 1; i < threads && i <= pool.count; i++)
		ml_pool_submit(&pool, work, w);
	work(w);
	if (threads > 1) {
		ml_pool_wait(&pool);
		ml_pool_release(&pool);
	}
	*position = w->position;
	if (w->failed)
		*err = w->err;
	return !w->failed;
}

void ml_ensemble_walk_progress(struct ml_ensemble_walk *w, uint64_t before,
			       uint64_t total)
{
	w->before = before;
	w->total = total;
}

/* ---- series ---- */

static void make_series(struct ml_ensemble_walk *w, struct ml_member *m,
			const struct ml_stack_branch *leaf)
{
	for (size_t i = 0; i < w->window->bins; i++) {
		const struct ml_stack_branch *b = leaf;
		uint32_t behind = 0;

		for (unsigned s = m->parsed.levels + 1; s > 1; s--, b = b->before) {
			m->served[s][i] = b->missed[i] - behind;
			behind = b->missed[i];
		}
		m->served[1][i] = (uint32_t)ml_ensemble_bin_refs(w->window, i) - behind;
	}
}

void ml_ensemble_walk_finish(struct ml_ensemble_walk *w)
{
	assert(at_end(w));
	for (size_t i = 0; i < w->group.count; i++) {
		struct ml_member *m = &w->e->members[w->group.member[i]];

		if (w->leaf[i])
			make_series(w, m, w->leaf[i]);
		const struct ml_ensemble_unit *u =
			w->leaf[i] ? translator(w, w->group.member[i]) : NULL;
		if (u && u->member != w->group.member[i])
			memcpy(m->beyond, w->e->members[u->member].beyond,
			       w->window->bins * sizeof(*m->beyond));
		ml_ensemble_finish(w->e, m);
	}
}

/* ---- opening and closing ---- */

static bool foresee(struct ml_ensemble_walk *w, struct ml_err *err)
{
	for (size_t i = 0; i < w->unit_count; i++) {
		struct ml_ensemble_unit *u = &w->units[i];
		struct ml_replay_options o = options(w, u);

		if (u->shares &&
		    !ml_ensemble_foresee(&w->decoder, &o, w->trace, &u->foreseen, err))
			return false;
	}
	return true;
}

bool ml_ensemble_walk_open(struct ml_ensemble_walk **walk, struct ml_ensemble *e,
			   struct ml_trace *t, const struct ml_ensemble_group *g,
			   const struct ml_ensemble_walk_options *o, struct ml_err *err)
{
	struct ml_ensemble_walk *w = ml_resize(NULL, sizeof(*w));

	*w = (struct ml_ensemble_walk){
		.e = e,
		.trace = t,
		.window = &e->traces[g->trace],
		.o = *o,
		.part = ml_work_silent(o->work),
		.group = *g,
		.position = g->position,
	};
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->change, NULL);
	w->leaf = ml_arena_alloc(&w->tree.arena, g->count * sizeof(*w->leaf) + 1);
	ml_ensemble_decoder_open(&w->decoder, t, w->window->from + w->position,
				 w->window->to);
	plan(w);
	for (size_t i = 0; i < RING; i++)
		ml_ensemble_block_init(&w->ring[i]);
	if (!foresee(w, err) || (g->data && !ml_ensemble_walk_restore(w, err))) {
		ml_ensemble_walk_close(w);
		return false;
	}
	*walk = w;
	return true;
}

void ml_ensemble_walk_close(struct ml_ensemble_walk *w)
{
	for (size_t i = 0; i < w->unit_count; i++) {
		ml_engine_close(w->units[i].engine);
		ml_ensemble_surcharge_release(&w->units[i].surcharge);
		if (w->units[i].future)
			ml_future_close(w->units[i].future);
	}
	for (size_t i = 0; i < RING; i++)
		ml_ensemble_block_release(&w->ring[i]);
	ml_ensemble_decoder_close(&w->decoder);
	ml_stack_release(&w->tree);
	ml_free(w->units);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->change);
	ml_free(w);
}

size_t ml_ensemble_walk_units(const struct ml_ensemble *e,
			      const struct ml_ensemble_group *g)
{
	struct ml_stack_tree tree = { 0 };
	size_t units = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct ml_machine *m = &e->members[g->member[i]].parsed;

		if (ml_stack_fits(m))
			ml_stack_add(&tree, m);
		else
			units++;
	}
	units += ml_stack_passes(&tree);
	ml_stack_release(&tree);
	return units;
}
