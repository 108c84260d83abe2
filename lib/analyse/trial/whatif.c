#include "lib/analyse/trial/whatif.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/analyse/trial/whatif_lane.h"
#include "lib/analyse/trial/whatif_show.h"
#include "lib/analyse/passes/thread_cores.h"
#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/pool.h"
#include "lib/trace/trace.h"

enum { SHORT = 1 << 20 }; /* references of a slice */

/* What a thread writes to while it runs a lane. */
struct worker {
	struct pass *p;
	uint32_t apart[ML_BATCH]; /* the references that a change concerns */
	uint64_t addr[ML_BATCH];
	uint16_t outcome[ML_BATCH];
	bool dropped[ML_BATCH];
	struct made {
		uint64_t addr[ML_BATCH];
		uint32_t site[ML_BATCH], index[ML_BATCH];
		uint16_t what[ML_BATCH], core[ML_BATCH];
		uint8_t served[ML_BATCH];
	} made; /* the references that are not dropped */
	bool failed;
	struct ml_err err;
};

struct pass {
	struct ml_whatif *w;
	struct ml_region_lookup *lookup;
	struct ml_lane *lanes; /* [0] is without a change */
	struct ml_show show;   /* to finders, if they look on */
	uint64_t *size;        /* by region: size of a region without blocks, + 1 */
	size_t sizes;          /* their number */
	struct ml_thread_cores cores;
	uint64_t total;
	bool cold;             /* the slice still fills the caches */
	uint64_t cold_until;   /* time */
	struct ml_trial *sums; /* [count + 1] at its start */
	/* the batch on which changes are tried, which no worker changes */
	const struct ml_batch *batch;
	uint32_t region[ML_BATCH];
	uint64_t offset[ML_BATCH], block[ML_BATCH];
	uint16_t core[ML_BATCH];
	struct worker *workers;
	unsigned worker_count;
	struct ml_pool pool;
	atomic_bool *taken; /* [count]: a worker tries this change on the batch */
};

static bool lane_run(struct worker *x, struct ml_lane *l, const uint64_t *addr)
{
	const struct pass *p = x->p;
	const struct ml_batch *b = p->batch;
	struct ml_accesses a = { .count = b->count,
				 .addr = addr,
				 .what = b->what,
				 .core = p->w->machine.cores > 1 ? p->core : NULL,
				 .site = b->site };

	return ml_lane_run(l, &a, l->served, x->outcome, &x->err);
}

/* Runs the references that are not dropped. */
static bool lane_run_rest(struct worker *x, struct ml_lane *l)
{
	const struct pass *p = x->p;
	const struct ml_batch *b = p->batch;
	struct made *m = &x->made;
	struct ml_accesses a = { .addr = m->addr,
				 .what = m->what,
				 .core = p->w->machine.cores > 1 ? m->core : NULL,
				 .site = m->site };

	for (size_t i = 0; i < b->count; i++) {
		size_t n = a.count;

		if (x->dropped[i])
			continue;
		m->index[n] = (uint32_t)i;
		m->addr[n] = x->addr[i];
		m->what[n] = b->what[i];
		m->site[n] = b->site[i];
		m->core[n] = p->core[i];
		a.count++;
	}
	if (!ml_lane_run(l, &a, m->served, x->outcome, &x->err))
		return false;
	memset(l->served, 0, b->count);
	for (size_t i = 0; i < a.count; i++)
		l->served[m->index[i]] = m->served[i];
	return true;
}

static void find_cores(struct pass *p, const struct ml_batch *b, uint16_t *core)
{
	for (size_t i = 0; p->w->machine.cores > 1 && i < b->count; i++)
		core[i] = ml_thread_cores_find(&p->cores, b->thread[i]);
}

static void find_places(const struct pass *p, const struct ml_batch *b, uint32_t *region,
			uint64_t *block, uint64_t *offset)
{
	const uint32_t *same = p->w->same;
	size_t known = p->w->trace->tables.regions.count;

	ml_region_lookup_places(p->lookup, b, region, block, offset);
	for (size_t i = 0; same && i < b->count; i++)
		region[i] = region[i] < known ? same[region[i]] : region[i];
}

/*
 * Sizes of regions without blocks, before the workers need them. The regions that the
 * lookup makes itself, stacks, have higher numbers; no change is about them.
 */
static void find_sizes(struct pass *p, const struct ml_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		uint32_t region = p->region[i];
		struct ml_place place = { region, ML_NO_BLOCK, 0 };

		if (p->block[i] == ML_NO_BLOCK && region < p->sizes && !p->size[region])
			p->size[region] = ml_region_lookup_size(p->lookup, &place) + 1;
	}
}

static struct ml_change_block block_of(const struct pass *p, size_t i)
{
	uint64_t base = p->batch->addr[i] - p->offset[i];

	if (p->block[i] != ML_NO_BLOCK)
		return (struct ml_change_block){ base,
						 p->w->trace->blocks[p->block[i]].size,
						 p->block[i] };
	return (struct ml_change_block){ base, p->size[p->region[i]] - 1, 0 };
}

/* Lists the references that the change concerns; returns their number. */
static size_t concerned(struct worker *x, const struct ml_change *c)
{
	const struct pass *p = x->p;
	const struct ml_batch *b = p->batch;
	size_t n = 0;

	for (size_t i = 0; i < b->count; i++)
		if (p->region[i] == c->region &&
		    (!c->by || c->by[b->caller[i] ? b->caller[i] : b->site[i]]))
			x->apart[n++] = (uint32_t)i;
	return n;
}

/* Of the n references in x->apart, keeps those that the change lists. */
static size_t only_listed(struct worker *x, const struct ml_change *c, size_t at,
			  size_t n)
{
	uint64_t first = x->p->batch->time;
	size_t kept = 0;

	for (size_t j = 0; j < n; j++) {
		uint64_t time = first + x->apart[j];

		while (at < c->list_count && c->list[at] < time)
			at++;
		if (at < c->list_count && c->list[at] == time)
			x->apart[kept++] = x->apart[j];
	}
	return kept;
}

static void count_served(uint64_t *count, const uint8_t *served, size_t n)
{
	for (size_t i = 0; i < n; i++)
		count[served[i]]++;
}

static void count_paged(uint64_t *count, const struct ml_lane *l)
{
	if (l->tlbs)
		count_served(count, l->paged, l->run);
}

/* Changes the addresses that c concerns; returns true if references are dropped. */
static bool apply(struct worker *x, const struct ml_change *c, size_t *at, size_t n)
{
	const struct ml_batch *b = x->p->batch;

	if (c->kind == ML_CHANGE_DROP)
		for (size_t j = 0; j < n; j++)
			x->dropped[x->apart[j]] = true;
	else
		for (size_t j = 0; j < n; j++) {
			size_t i = x->apart[j];
			struct ml_change_block block = block_of(x->p, i);
			struct ml_change_ref ref = { b->addr[i], ml_what_size(b->what[i]),
						     b->time + i, at };

			x->addr[i] = ml_change_address(c, &ref, &block);
		}
	return c->kind == ML_CHANGE_DROP && n;
}

/* The addresses are for the TLBs alone; the caches do as without the change. */
static void try_large_pages(struct worker *x, struct ml_lane *l)
{
	const struct pass *p = x->p;
	const struct ml_batch *b = p->batch;
	struct ml_accesses a = { .count = b->count,
				 .what = b->what,
				 .core = p->w->machine.cores > 1 ? p->core : NULL };

	l->run = b->count;
	if (l->tlbs)
		ml_lane_translate(l, &a, x->addr);
	memcpy(l->served, p->lanes->served, b->count);
}

static bool try(struct worker *x, size_t k)
{
	struct pass *p = x->p;
	const struct ml_batch *b = p->batch;
	const struct ml_change *first = &p->w->changes[k];
	struct ml_trial *t = &p->w->trials[k];
	struct ml_lane *l = &p->lanes[k + 1];
	bool drops = false;
	size_t at = 0, n;

	memcpy(x->addr, b->addr, b->count * sizeof(*x->addr));
	for (const struct ml_change *c = first->also; c && at + 1 < ML_LANE_CHANGES;
	     c = c->also)
		drops |= apply(x, c, &l->at[++at], concerned(x, c));
	n = concerned(x, first);
	if (first->partial)
		n = only_listed(x, first, l->at[0], n);
	drops |= apply(x, first, &l->at[0], n);
	if (first->kind == ML_CHANGE_LARGE_PAGES)
		try_large_pages(x, l);
	else if (!(drops ? lane_run_rest(x, l) : lane_run(x, l, x->addr)))
		return false;
	if (drops)
		memset(x->dropped, 0, b->count);
	count_served(t->served, l->served, b->count);
	count_paged(t->paged, l);
	for (size_t j = 0; j < n; j++) {
		t->region_before[p->lanes->served[x->apart[j]]]++;
		t->region_after[l->served[x->apart[j]]]++;
	}
	return true;
}

/*
 * A job: tries changes on the batch until none is left. Each worker begins with changes
 * of its own, always the same ones: their simulators are in the caches of its core.
 */
static void try_some(void *arg)
{
	struct worker *x = arg;
	struct pass *p = x->p;
	size_t own = (size_t)(x - p->workers), count = p->w->count;

	for (unsigned others = 0; others < 2; others++)
		for (size_t k = 0; k < count && !x->failed; k++)
			if ((k % p->worker_count != own) == others &&
			    !atomic_exchange(&p->taken[k], true))
				x->failed = !try(x, k);
}

static bool try_all(struct pass *p, struct ml_err *err)
{
	for (size_t k = 0; k < p->w->count; k++)
		atomic_store_explicit(&p->taken[k], false, memory_order_relaxed);
	for (unsigned i = 1; i < p->worker_count; i++)
		ml_pool_submit(&p->pool, try_some, &p->workers[i]);
	try_some(&p->workers[0]);
	if (p->worker_count > 1)
		ml_pool_wait(&p->pool);
	for (unsigned i = 0; i < p->worker_count; i++)
		if (p->workers[i].failed) {
			*err = p->workers[i].err;
			return false;
		}
	return true;
}

/* Puts the sums so far there; the trials, and behind them those without a change. */
static void note_sums(const struct ml_whatif *w, struct ml_trial *sums)
{
	if (w->count)
		memcpy(sums, w->trials, w->count * sizeof(*sums));
	memset(&sums[w->count], 0, sizeof(*sums));
	memcpy(sums[w->count].served, w->served, sizeof(w->served));
	memcpy(sums[w->count].paged, w->paged, sizeof(w->paged));
}

/* Takes the sums back to what they were. */
static void restore_sums(struct ml_whatif *w, const struct ml_trial *sums)
{
	if (w->count)
		memcpy(w->trials, sums, w->count * sizeof(*sums));
	memcpy(w->served, sums[w->count].served, sizeof(w->served));
	memcpy(w->paged, sums[w->count].paged, sizeof(w->paged));
}

/* A stage of `show`, where nothing is tried: the references without a change. */
static bool simulate(void *arg, struct ml_shown *x, struct ml_err *err)
{
	struct pass *p = arg;
	struct ml_lane *l = p->lanes;
	struct ml_accesses a = { .count = x->refs.count,
				 .addr = x->refs.addr,
				 .what = x->refs.what,
				 .core = p->w->machine.cores > 1 ? x->core : NULL,
				 .site = x->refs.site };

	if (!ml_lane_run(l, &a, x->served, p->workers[0].outcome, err))
		return false;
	count_served(p->w->served, x->served, a.count);
	count_paged(p->w->paged, l);
	if (l->tlbs)
		memcpy(x->paged, l->paged, a.count);
	return true;
}

/* Shows a batch to finders, piece by piece. */
static void show(struct pass *p, const struct ml_batch *b)
{
	for (size_t from = 0, n; from < b->count; from += n) {
		struct ml_shown *x = ml_show_next(&p->show);

		n = b->count - from < ML_SHOW_PIECE ? b->count - from : ML_SHOW_PIECE;
		x->refs = (struct ml_batch){ .time = b->time + from,
					     .count = n,
					     .addr = b->addr + from,
					     .site = b->site + from,
					     .caller = b->caller + from,
					     .thread = b->thread + from,
					     .what = b->what + from };
		find_places(p, &x->refs, x->region, x->block, x->offset);
		find_cores(p, &x->refs, x->core);
		ml_show_pass(&p->show);
	}
}

static bool try_batch(struct pass *p, const struct ml_batch *b, struct ml_err *err)
{
	struct ml_whatif *w = p->w;

	p->batch = b;
	find_places(p, b, p->region, p->block, p->offset);
	find_sizes(p, b);
	find_cores(p, b, p->core);
	if (!lane_run(&p->workers[0], p->lanes, b->addr)) {
		*err = p->workers[0].err;
		return false;
	}
	count_served(w->served, p->lanes->served, b->count);
	count_paged(w->paged, p->lanes);
	return try_all(p, err);
}

static bool run_batch(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct pass *p = arg;
	struct ml_whatif *w = p->w;

	if (!ml_work_goes_on(w->work, err))
		return false;
	if (p->cold && b->time >= p->cold_until) {
		if (w->see && !ml_show_wait(&p->show, err))
			return false;
		restore_sums(w, p->sums);
		p->cold = false;
	}
	if (w->see)
		show(p, b);
	else if (!try_batch(p, b, err))
		return false;
	w->refs += p->cold ? 0 : b->count;
	ml_work_progress(w->work, "trying changes", w->refs, p->total);
	return true;
}

/* The columns of the batches so far become invalid. A failure is told at the end. */
static void release_batches(void *arg)
{
	struct pass *p = arg;
	struct ml_err err;

	if (p->w->see)
		ml_show_wait(&p->show, &err);
}

static void subtract(struct ml_trial *a, const struct ml_trial *b)
{
	for (unsigned i = 0; i < ML_SERVED; i++) {
		a->served[i] -= b->served[i];
		a->paged[i] -= b->paged[i];
		a->region_before[i] -= b->region_before[i];
		a->region_after[i] -= b->region_after[i];
	}
}

/* The parts were sums up to the end of each slice. */
static void find_parts(struct ml_whatif *w)
{
	size_t n = w->count + 1;

	for (size_t i = w->slices.count * n; i-- > n;)
		subtract(&w->parts[i], &w->parts[i - n]);
}

/* A short slice is decoded as it goes: to read ahead would decode a whole chunk. */
static bool run_slice(struct pass *p, const struct ml_slice *s, struct ml_err *err)
{
	struct ml_whatif *w = p->w;
	unsigned ahead = ml_cpus() > 1 && s->to - s->from >= SHORT ? 1 : 0;

	p->cold_until = s->from + w->warm_up;
	/* a batch must begin behind these references */
	p->cold = w->warm_up && p->cold_until + ML_BATCH <= s->to && s->weight > 1;
	if (p->cold)
		note_sums(w, p->sums);
	return ml_trace_each_kept(w->trace, s->from, s->to, ahead, run_batch,
				  release_batches, p, err) &&
	       (!w->see || ml_show_wait(&p->show, err));
}

static bool run_slices(struct pass *p, struct ml_err *err)
{
	struct ml_whatif *w = p->w;

	p->total = w->slices.refs;
	for (size_t i = 0; i < w->slices.count; i++) {
		if (!run_slice(p, &w->slices.at[i], err))
			return false;
		if (w->parts)
			note_sums(w, w->parts + i * (w->count + 1));
	}
	if (w->parts)
		find_parts(w);
	return true;
}

/*
 * Leaves out parts of the machine that have no effect, or hardly any, so that ml_fast_lru
 * can simulate most machines: L1i if there are no fetches, cores without a thread,
 * and inclusion by a level that is much larger than the one within. Both sides of a
 * comparison are simplified alike.
 */
static void simplify(struct ml_whatif *w)
{
	struct ml_machine *m = &w->machine;

	m->tlbs = 0; /* each lane has them beside the caches */
	if (w->no_fetches)
		m->split = false;
	for (unsigned i = 1; i < m->levels; i++)
		if (m->level[i].size >= 4 * m->level[i - 1].size)
			m->level[i].inclusion = ML_NEITHER;
	if (ml_thread_count(&w->trace->tables) > 1 || m->cores == 1)
		return;
	m->cores = 1;
	for (unsigned i = 0; i < m->levels; i++)
		m->level[i].share = 1;
	m->icache.share = 1;
}

/* The thread that decodes is a worker itself; others help it if there is much to try. */
static void open_workers(struct pass *p, struct ml_arena *a)
{
	unsigned cpus = ml_cpus();

	p->worker_count = (unsigned)(p->w->count < cpus ? p->w->count : cpus);
	p->worker_count += !p->worker_count;
	p->workers = ml_arena_alloc(a, p->worker_count * sizeof(*p->workers));
	p->taken = ml_arena_alloc(a, (p->w->count + 1) * sizeof(*p->taken));
	for (unsigned i = 0; i < p->worker_count; i++)
		p->workers[i].p = p;
	if (p->worker_count > 1)
		ml_pool_init(&p->pool, p->worker_count - 1);
}

bool ml_whatif_run(struct ml_whatif *w, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct pass *p = ml_arena_alloc(&a, sizeof(*p));
	struct ml_machine tlbs = w->machine;
	bool ok = true;

	assert(!w->see || !w->count);
	simplify(w);
	if (!w->slices.count)
		ml_slices_choose(&w->slices, w->trace, 0, 0, 0, err);
	p->w = w;
	p->lookup = ml_region_lookup_open(w->trace, err);
	if (!p->lookup) {
		ml_arena_release(&a);
		return false;
	}
	w->refs = 0;
	memset(w->served, 0, sizeof(w->served));
	memset(w->paged, 0, sizeof(w->paged));
	if (w->count)
		memset(w->trials, 0, w->count * sizeof(*w->trials));
	p->lanes = ml_arena_alloc(&a, (w->count + 1) * sizeof(*p->lanes));
	uint16_t *core = ml_arena_alloc(&a, ML_THREAD_NUMBERS * sizeof(*core));
	memset(core, 0xff, ML_THREAD_NUMBERS * sizeof(*core)); /* ML_NO_CORE */
	ml_thread_cores_init(&p->cores, core, w->machine.cores, &w->trace->tables);
	p->sizes = w->trace->tables.regions.count;
	p->size = ml_arena_alloc(&a, p->sizes * sizeof(*p->size));
	open_workers(p, &a);
	for (size_t i = 0; ok && i <= w->count; i++)
		ok = ml_lane_open(&p->lanes[i], &w->machine, &tlbs, err);
	p->show = (struct ml_show){
		.simulate = simulate,
		.simulator = p,
		.see = w->see,
		.see_then = w->see_then,
		.finders = w->arg,
		.line = w->distances ? w->machine.level[0].line : 0,
		.paged = p->lanes->tlbs,
	};
	if (w->see)
		ml_show_init(&p->show, &a);
	p->sums = ml_arena_alloc(&a, (w->count + 1) * sizeof(*p->sums));
	ok = ok && run_slices(p, err);
	if (w->see)
		ml_show_release(&p->show);
	for (size_t i = 0; i <= w->count; i++)
		ml_lane_close(&p->lanes[i]);
	if (p->worker_count > 1)
		ml_pool_release(&p->pool);
	ml_region_lookup_close(p->lookup);
	ml_arena_release(&a);
	return ok;
}
