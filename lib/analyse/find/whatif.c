#include "lib/analyse/find/whatif.h"

#include <string.h>

#include "lib/analyse/passes/thread_cores.h"
#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/pool.h"
#include "lib/cache/distance.h"
#include "lib/cache/fast_lru.h"
#include "lib/cache/lean_lru.h"
#include "lib/cache/sim.h"
#include "lib/cache/tlb_lru.h"
#include "lib/trace/trace.h"

enum { MAX_ALSO = 16 };

/* One simulator: the fastest of three that takes the machine. */
struct lane {
	struct ml_fast_lru *fast;
	struct ml_lean_lru *lean;
	struct ml_sim *sim;
	struct ml_tlb_lru **tlbs; /* by core; NULL: no translation */
	unsigned cores;
	uint8_t served[ML_BATCH]; /* 0: the reference was not made */
	uint8_t paged[ML_BATCH];  /* of the references that were made */
	size_t run;               /* their number in the last batch */
	size_t at[MAX_ALSO];      /* states of its changes */
};

struct pass {
	struct ml_whatif *w;
	struct ml_region_lookup *lookup;
	struct lane *lanes; /* [0] is without a change */
	struct ml_distance *distance;
	uint64_t *size; /* by region: size of a region without blocks, + 1 */
	struct ml_thread_cores cores;
	uint64_t total;
	uint32_t region[ML_BATCH], apart[ML_BATCH];
	uint64_t offset[ML_BATCH], block[ML_BATCH], addr[ML_BATCH];
	uint16_t core[ML_BATCH], outcome[ML_BATCH];
	bool dropped[ML_BATCH];
	struct made {
		uint64_t addr[ML_BATCH];
		uint32_t site[ML_BATCH], index[ML_BATCH];
		uint16_t what[ML_BATCH], core[ML_BATCH];
		uint8_t served[ML_BATCH];
	} made; /* the references that are not dropped */
};

/* Leaves TLBs out that ml_tlb_lru cannot simulate: those that are not lru. */
static void open_tlbs(struct lane *l, const struct ml_machine *m, unsigned cores)
{
	if (ml_tlb_lru_refuses(m))
		return;
	l->tlbs = ml_resize(NULL, cores * sizeof(*l->tlbs));
	for (l->cores = 0; l->cores < cores; l->cores++)
		l->tlbs[l->cores] = ml_tlb_lru_open(m);
}

static bool lane_open(struct lane *l, const struct ml_machine *m,
		      const struct ml_machine *tlbs, struct ml_err *err)
{
	if (tlbs->tlbs)
		open_tlbs(l, tlbs, m->cores);
	if (!ml_fast_lru_refuses(m))
		l->fast = ml_fast_lru_open(m, ML_FAST_LRU_BEST);
	else if (!ml_lean_lru_refuses(m))
		l->lean = ml_lean_lru_open(m, ML_LEAN_LRU_BEST);
	else
		l->sim = ml_sim_open(m, 0, err);
	return l->fast || l->lean || l->sim;
}

static void lane_close(struct lane *l)
{
	if (l->fast)
		ml_fast_lru_close(l->fast);
	ml_lean_lru_close(l->lean);
	if (l->sim)
		ml_sim_close(l->sim);
	for (unsigned i = 0; l->tlbs && i < l->cores; i++)
		ml_tlb_lru_close(l->tlbs[i]);
	ml_free(l->tlbs);
}

/*
 * Translates the data references, each on its core, as addresses of `addr`; runs of
 * references of one core are one call.
 */
static void lane_translate(struct lane *l, const struct ml_accesses *a,
			   const uint64_t *addr)
{
	for (size_t from = 0, to; from < a->count; from = to) {
		unsigned core = a->core ? a->core[from] : 0;
		struct ml_accesses run = { .addr = addr + from, .what = a->what + from };

		for (to = from; to < a->count && (!a->core || a->core[to] == core); to++)
			run.count++;
		ml_tlb_lru_run(l->tlbs[core], &run, l->paged + from, NULL);
	}
}

static bool lane_accesses(struct pass *p, struct lane *l, const struct ml_accesses *a,
			  uint8_t *served, struct ml_err *err)
{
	l->run = a->count;
	if (l->tlbs)
		lane_translate(l, a, a->addr);
	if (l->fast) {
		ml_fast_lru_run(l->fast, a, served);
		return true;
	}
	if (l->lean) {
		ml_lean_lru_run(l->lean, a, served);
		return true;
	}
	if (!ml_sim_run(l->sim, a, p->outcome, err))
		return false;
	for (size_t i = 0; i < a->count; i++)
		served[i] = (uint8_t)ml_outcome_served(p->outcome[i]);
	return true;
}

static bool lane_run(struct pass *p, struct lane *l, const struct ml_batch *b,
		     const uint64_t *addr, struct ml_err *err)
{
	struct ml_accesses a = { .count = b->count,
				 .addr = addr,
				 .what = b->what,
				 .core = p->w->machine.cores > 1 ? p->core : NULL,
				 .site = b->site };

	return lane_accesses(p, l, &a, l->served, err);
}

/* Runs the references that are not dropped. */
static bool lane_run_rest(struct pass *p, struct lane *l, const struct ml_batch *b,
			  struct ml_err *err)
{
	struct made *m = &p->made;
	struct ml_accesses a = { .addr = m->addr,
				 .what = m->what,
				 .core = p->w->machine.cores > 1 ? m->core : NULL,
				 .site = m->site };

	for (size_t i = 0; i < b->count; i++) {
		size_t n = a.count;

		if (p->dropped[i])
			continue;
		m->index[n] = (uint32_t)i;
		m->addr[n] = p->addr[i];
		m->what[n] = b->what[i];
		m->site[n] = b->site[i];
		m->core[n] = p->core[i];
		a.count++;
	}
	if (!lane_accesses(p, l, &a, m->served, err))
		return false;
	memset(l->served, 0, b->count);
	for (size_t i = 0; i < a.count; i++)
		l->served[m->index[i]] = m->served[i];
	return true;
}

static void find_cores(struct pass *p, const struct ml_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		p->core[i] = ml_thread_cores_find(&p->cores, b->thread[i]);
}

static void find_places(struct pass *p, const struct ml_batch *b)
{
	const uint32_t *same = p->w->same;
	size_t known = p->w->trace->tables.regions.count;

	for (size_t i = 0; i < b->count; i++) {
		struct ml_ref ref = ml_batch_ref(b, i);
		struct ml_place place = ml_region_lookup_find(p->lookup, &ref);

		p->region[i] = same && place.region < known ? same[place.region]
							    : place.region;
		p->offset[i] = place.offset;
		p->block[i] = place.block;
	}
}

static struct ml_change_block block_of(struct pass *p, const struct ml_batch *b, size_t i)
{
	uint64_t base = b->addr[i] - p->offset[i];

	if (p->block[i] != ML_NO_BLOCK)
		return (struct ml_change_block){ base,
						 p->w->trace->blocks[p->block[i]].size,
						 p->block[i] };
	uint64_t *size = &p->size[p->region[i]];
	if (!*size) {
		struct ml_place place = { p->region[i], ML_NO_BLOCK, 0 };

		*size = ml_region_lookup_size(p->lookup, &place) + 1;
	}
	return (struct ml_change_block){ base, *size - 1, 0 };
}

/* Lists the references that the change concerns; returns their number. */
static size_t concerned(struct pass *p, const struct ml_change *c,
			const struct ml_batch *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->count; i++)
		if (p->region[i] == c->region &&
		    (!c->by || c->by[b->caller[i] ? b->caller[i] : b->site[i]]))
			p->apart[n++] = (uint32_t)i;
	return n;
}

static void count_served(uint64_t *count, const uint8_t *served, size_t n)
{
	for (size_t i = 0; i < n; i++)
		count[served[i]]++;
}

static void count_paged(uint64_t *count, const struct lane *l)
{
	if (l->tlbs)
		count_served(count, l->paged, l->run);
}

/* Changes the addresses that c concerns; returns true if references are dropped. */
static bool apply(struct pass *p, const struct ml_change *c, size_t *at,
		  const struct ml_batch *b, size_t n)
{
	if (c->kind == ML_CHANGE_DROP)
		for (size_t j = 0; j < n; j++)
			p->dropped[p->apart[j]] = true;
	else
		for (size_t j = 0; j < n; j++) {
			size_t i = p->apart[j];
			struct ml_change_block block = block_of(p, b, i);
			struct ml_change_ref ref = { b->addr[i], ml_what_size(b->what[i]),
						     b->time + i, at };

			p->addr[i] = ml_change_address(c, &ref, &block);
		}
	return c->kind == ML_CHANGE_DROP && n;
}

/* The addresses are for the TLBs alone; the caches do as without the change. */
static void try_large_pages(struct pass *p, struct lane *l, const struct ml_batch *b)
{
	struct ml_accesses a = { .count = b->count,
				 .what = b->what,
				 .core = p->w->machine.cores > 1 ? p->core : NULL };

	l->run = b->count;
	if (l->tlbs)
		lane_translate(l, &a, p->addr);
	memcpy(l->served, p->lanes->served, b->count);
}

static bool try(struct pass *p, size_t k, const struct ml_batch *b, struct ml_err *err)
{
	const struct ml_change *first = &p->w->changes[k];
	struct ml_trial *t = &p->w->trials[k];
	struct lane *l = &p->lanes[k + 1];
	bool drops = false;
	size_t at = 0, n;

	memcpy(p->addr, b->addr, b->count * sizeof(*p->addr));
	for (const struct ml_change *c = first->also; c && at + 1 < MAX_ALSO; c = c->also)
		drops |= apply(p, c, &l->at[++at], b, concerned(p, c, b));
	n = concerned(p, first, b);
	drops |= apply(p, first, &l->at[0], b, n);
	if (first->kind == ML_CHANGE_LARGE_PAGES)
		try_large_pages(p, l, b);
	else if (!(drops ? lane_run_rest(p, l, b, err) : lane_run(p, l, b, p->addr, err)))
		return false;
	if (drops)
		memset(p->dropped, 0, b->count);
	count_served(t->served, l->served, b->count);
	count_paged(t->paged, l);
	for (size_t j = 0; j < n; j++) {
		t->region_before[p->lanes->served[p->apart[j]]]++;
		t->region_after[l->served[p->apart[j]]]++;
	}
	return true;
}

static void show(struct pass *p, const struct ml_batch *b)
{
	struct ml_seen seen = { .refs = b,
				.region = p->region,
				.offset = p->offset,
				.block = p->block,
				.served = p->lanes->served,
				.paged = p->lanes->tlbs ? p->lanes->paged : NULL };

	if (p->distance) {
		unsigned shift = (unsigned)__builtin_ctz(p->w->machine.level[0].line);

		for (size_t i = 0; i < b->count; i++)
			p->addr[i] = b->addr[i] >> shift;
		ml_distance_run(p->distance, p->addr, b->count, p->apart);
		seen.distance = p->apart;
	}
	p->w->see(p->w->arg, &seen);
}

static bool run_batch(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct pass *p = arg;
	struct ml_whatif *w = p->w;

	if (!ml_work_goes_on(w->work, err))
		return false;
	find_places(p, b);
	if (w->machine.cores > 1)
		find_cores(p, b);
	if (!lane_run(p, p->lanes, b, b->addr, err))
		return false;
	count_served(w->served, p->lanes->served, b->count);
	count_paged(w->paged, p->lanes);
	for (size_t k = 0; k < w->count; k++)
		if (!try(p, k, b, err))
			return false;
	if (w->see)
		show(p, b);
	w->refs += b->count;
	ml_work_progress(w->work, "trying changes", w->refs, p->total);
	return true;
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

/* Puts the sums up to the end of a slice there; find_parts then makes them parts. */
static void note_sums(struct ml_whatif *w, size_t slice)
{
	struct ml_trial *sums = w->parts + slice * (w->count + 1);

	if (w->count)
		memcpy(sums, w->trials, w->count * sizeof(*sums));
	memset(&sums[w->count], 0, sizeof(*sums));
	memcpy(sums[w->count].served, w->served, sizeof(w->served));
	memcpy(sums[w->count].paged, w->paged, sizeof(w->paged));
}

static void find_parts(struct ml_whatif *w)
{
	size_t n = w->count + 1;

	for (size_t i = w->slices.count * n; i-- > n;)
		subtract(&w->parts[i], &w->parts[i - n]);
}

static bool run_slices(struct pass *p, struct ml_err *err)
{
	struct ml_whatif *w = p->w;
	unsigned cpus = ml_cpus();

	p->total = w->slices.refs;
	for (size_t i = 0; i < w->slices.count; i++) {
		const struct ml_slice *s = &w->slices.at[i];

		if (!ml_trace_each(w->trace, s->from, s->to, cpus > 1 ? 1 : 0, run_batch,
				   p, err))
			return false;
		if (w->parts)
			note_sums(w, i);
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

bool ml_whatif_run(struct ml_whatif *w, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct pass *p = ml_arena_alloc(&a, sizeof(*p));
	struct ml_machine tlbs = w->machine;
	bool ok = true;

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
	p->size = ml_arena_alloc(&a, w->trace->tables.regions.count * sizeof(*p->size));
	for (size_t i = 0; ok && i <= w->count; i++)
		ok = lane_open(&p->lanes[i], &w->machine, &tlbs, err);
	if (ok && w->distances)
		p->distance = ml_distance_open();
	ok = ok && run_slices(p, err);
	if (p->distance)
		ml_distance_close(p->distance);
	for (size_t i = 0; i <= w->count; i++)
		lane_close(&p->lanes[i]);
	ml_region_lookup_close(p->lookup);
	ml_arena_release(&a);
	return ok;
}
