/*
 * The LRU engine that explains: besides the serving level of each access it yields the
 * causes of misses and the used bytes of lines, for one core, LRU, write-back and
 * write-allocate in all levels and one line size; levels may be inclusive or exclusive,
 * have prefetchers and a split first level, and there may be lru TLBs.
 *
 * The exact simulator keeps what it knows of a line in many arrays, and asks a shadow
 * cache about each hit. Here a set is two rows, numbers of lines and times, that vector
 * instructions search; the time of a line is its order in the set and its place in the
 * shadow too (first_shadow.h, shadow.h); and all that is kept of lines outside the caches
 * is a packed record (line_book.h).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cache/engine.h"
#include "lib/cache/exact/prefetch.h"
#include "lib/cache/exact/sim.h"
#include "lib/cache/exact/sim_data.h"
#include "lib/cache/lru/chain_lru.h"
#include "lib/cache/lru/explain_lru_parts.h"
#include "lib/cache/tlb/tlb_lru.h"

/* References that are explained at once: their events fit the host's L2. */
enum { PIECE = 4096 };

static const void *const loops[ML_VECTORS] = {
	[ML_VECTORS_PLAIN] = &ml_explain_lru_ops_plain,
#if defined(__x86_64__)
	[ML_VECTORS_AVX2] = &ml_explain_lru_ops_avx2,
	[ML_VECTORS_AVX512] = &ml_explain_lru_ops_avx512,
#endif
};

static const char *level_refuses(const struct ml_level_spec *l)
{
	return l->ways > EXPLAIN_LANES ? "a level has more than 32 ways" : NULL;
}

static const char *refuses(const struct ml_machine *whole, const struct ml_engine_job *j)
{
	struct ml_machine m = ml_machine_alone(whole, j->threads);
	const char *why = m.cores > 1 ? "there are several cores"
				      : ml_machine_not_lru(&m);

	if (!(j->want & ML_SIM_CAUSES))
		return "causes are not wanted";
	if (j->want & ML_SIM_MOVES || j->restores || j->looks)
		return "it has neither movements nor a way to go on from a state";
	if (!ml_vectors_choose(j->vectors, loops))
		return "it has not these instructions";
	for (unsigned i = 0; i < m.levels && !why; i++)
		why = level_refuses(&m.level[i]);
	if (m.split && !why)
		why = level_refuses(&m.icache);
	return why ? why : ml_tlb_lru_refuses(&m);
}

/* Lanes that are no ways never match and are never the oldest. */
static void close_lanes(struct explain_cache *c)
{
	for (uint32_t set = 0; set < c->sets; set++)
		for (uint32_t lane = c->ways; lane < c->lanes; lane++) {
			explain_times(c, set)[lane] = ML_NO_WAY;
			if (c->depth == EXPLAIN_FIRST)
				c->lines[(size_t)set * c->lanes + lane] = UINT64_MAX;
			else
				explain_numbers(c, set)[lane] = UINT32_MAX;
		}
}

static void init_cache(struct ml_explain_lru *x, struct explain_cache *c, unsigned level,
		       const struct ml_level_spec *spec)
{
	bool first = level <= 1;
	size_t places;

	*c = (struct explain_cache){
		.spec = spec,
		.counts = &x->counts[level],
		.back_counts = &x->back_counts[level],
		.level = level,
		.depth = first ? EXPLAIN_FIRST : level - 1,
		.sets = spec->sets,
		.ways = spec->ways,
		.lanes = spec->ways <= 8 ? 8 : (spec->ways + 15) / 16 * 16,
		.mask = spec->sets - 1,
		.modulo = spec->sets & (spec->sets - 1),
		.inclusive = spec->inclusion == ML_INCLUSIVE,
		.exclusive = spec->inclusion == ML_EXCLUSIVE,
		.records = level ? &x->records : &x->fetch_records,
		.evictor = level ? level - 1 : 0,
	};
	c->lane_bits = (unsigned)__builtin_ctz(c->lanes);
	places = (size_t)c->sets * c->lanes;
	c->fresh = ml_arena_large(&x->arena, c->sets * sizeof(*c->fresh));
	c->uses = ml_arena_large(&x->arena, places * sizeof(*c->uses));
	c->notes = ml_arena_large(&x->arena, places * sizeof(*c->notes));
	if (first) {
		c->lines = ml_arena_large(&x->arena, places * sizeof(*c->lines));
		c->times = ml_arena_large(&x->arena, places * sizeof(*c->times));
		ml_first_shadow_init(&c->first, (size_t)c->sets * c->ways, &x->arena);
	} else {
		c->numbers = ml_arena_large(&x->arena, 2 * places * sizeof(*c->numbers));
		ml_shadow_init(&c->shadow, (size_t)c->sets * c->ways, &x->records,
			       level - 2, &x->arena);
	}
	close_lanes(c);
	if (x->hurried) {
		c->first.room = first ? 2 * c->sets * c->lanes + 70 : 0;
		c->clock = UINT32_MAX - 200;
		c->shadow.limit = 2 * c->shadow.mask;
	}
	if (spec->prefetch != ML_PREFETCH_NONE) {
		c->prefetcher = ml_arena_alloc(&x->arena, sizeof(*c->prefetcher));
		ml_prefetch_init(c->prefetcher, spec);
		x->prefetches = true;
		x->strides |= first && spec->prefetch == ML_PREFETCH_STRIDE;
	}
}

/* How many levels the front simulates: all but the outer ones. */
static unsigned inner_levels(const struct ml_machine *m)
{
	unsigned inner = m->levels;

	while (inner > 1 && m->level[inner - 1].inclusion == ML_NEITHER &&
	       m->level[inner - 1].prefetch == ML_PREFETCH_NONE)
		inner--;
	return inner;
}

static void *open(const struct ml_machine *m, const struct ml_engine_job *j,
		  struct ml_err *err)
{
	struct ml_machine alone = ml_machine_alone(m, j->threads);

	/* checks the machine; saves states later */
	struct ml_sim *mirror = ml_sim_open(m, ML_SIM_CAUSES | ML_SIM_USE, err);
	if (!mirror)
		return NULL;
	struct ml_explain_lru *x = ml_resize(NULL, sizeof(*x));
	*x = (struct ml_explain_lru){
		.ops = ml_vectors_choose(j->vectors, loops),
		.machine = *m,
		.levels = m->levels,
		.inner = inner_levels(m),
		.bits = (unsigned)__builtin_ctz(m->level[0].line),
		.within = m->level[0].line - 1,
		.split = m->split,
		.mirror = mirror,
		.hurried = j->hurried,
	};
	x->granule = x->bits > 6 ? x->bits - 6 : 0;
	ml_line_records_init(&x->records, x->levels > 1 ? x->levels - 1 : 1, x->levels);
	ml_line_records_init(&x->fetch_records, 1, 1);
	if (m->tlbs)
		x->tlbs = ml_tlb_lru_open(&alone, true);
	return x;
}

/* Now it is known whether somebody observes single events. */
static void get_ready(struct ml_explain_lru *x)
{
	if (x->ready)
		return;
	x->ready = true;
	if (x->sums && !x->observer.miss && !x->observer.leave &&
	    ml_chain_lru_takes(&x->machine)) {
		x->chain = ml_chain_lru_open(&x->machine, x->ops->chain, x->sums,
					     x->hurried);
		if (x->gap)
			ml_chain_lru_gap(x->chain);
		return;
	}
	for (unsigned i = 0; i < x->levels; i++)
		init_cache(x, &x->cache[i], i + 1, &x->machine.level[i]);
	if (x->split)
		init_cache(x, &x->icache, 0, &x->machine.icache);
}

static void close(void *e)
{
	struct ml_explain_lru *x = e;

	ml_sim_close(x->mirror);
	ml_chain_lru_close(x->chain);
	ml_tlb_lru_close(x->tlbs);
	ml_line_book_release(&x->book);
	ml_line_records_release(&x->records);
	ml_line_records_release(&x->fetch_records);
	ml_free(x->queue);
	ml_free(x->page_of);
	ml_arena_release(&x->arena);
	ml_free(x);
}

static void pass_leave(void *arg, const struct ml_leave *l)
{
	struct ml_explain_lru *x = arg;

	if (x->sums)
		ml_event_sums_leave(x->sums, l);
	if (x->observer.leave)
		x->observer.leave(x->observer.arg, l);
}

static void observe(void *e, const struct ml_observer *o, struct ml_event_sums *sums)
{
	struct ml_explain_lru *x = e;

	assert(!x->ready);
	x->observer = *o;
	x->sums = sums;
	get_ready(x);
}

static void *carry_open(void)
{
	struct ml_explain_events *e = ml_resize(NULL, sizeof(*e));

	*e = (struct ml_explain_events){ 0 };
	return e;
}

static void carry_close(void *carry)
{
	struct ml_explain_events *e = carry;

	ml_free(e->at);
	ml_free(e->outcome);
	ml_chain_events_release(&e->chain);
	ml_free(e);
}

void ml_explain_lru_reach(struct ml_explain_lru *x, uint32_t number)
{
	ml_line_records_reach(&x->records, number);
	x->page_of = ml_grow(x->page_of, &x->page_cap,
			     x->records.chunks
				     << (ML_LINE_CHUNK_BITS - ML_LINE_PAGE_BITS),
			     sizeof(*x->page_of));
}

/* Makes room for the owners of a run as evictors. */
static void widen_records(struct ml_explain_lru *x, const struct ml_accesses *a)
{
	uint32_t greatest = 0;

	for (size_t i = 0; a->owner && i < a->count; i++) {
		uint32_t owner = a->owner[i] + 1; /* ML_NO_OWNER becomes 0 */

		greatest = owner > greatest ? owner : greatest;
	}
	ml_line_records_widen(&x->records, greatest - 1);
	ml_line_records_widen(&x->fetch_records, greatest - 1);
}

/* Stages before the one that calls observers. */
static unsigned quiet_stages(const struct ml_explain_lru *x)
{
	bool observed = x->observer.miss || x->observer.leave;

	return x->chain ? ml_chain_lru_stages(x->chain) : observed ? 1 : 2;
}

static unsigned stages(void *e)
{
	struct ml_explain_lru *x = e;

	get_ready(x);
	return quiet_stages(x) + 1;
}

static void run_back(struct ml_explain_lru *x, const struct ml_accesses *a,
		     struct ml_explain_events *events, uint16_t *outcome)
{
	for (size_t i = 0; i < a->count; i++)
		outcome[i] = 1; /* unless an event says otherwise */
	widen_records(x, a);
	x->ops->back(x, a, events, outcome);
	x->back_accesses += a->count;
}

static bool run(void *e, unsigned stage, const struct ml_accesses *a, void *carry,
		uint16_t *outcome, struct ml_err *err)
{
	struct ml_explain_lru *x = e;
	struct ml_explain_events *events = carry;
	bool last = stage == quiet_stages(x);

	(void)err;
	if (!outcome)
		outcome = events->outcome = ml_grow(events->outcome, &events->outcome_cap,
						    a->count, sizeof(*outcome));
	/* pages are apart, because they do not depend on the caches */
	if (last && x->tlbs)
		ml_tlb_lru_run(x->tlbs, a, NULL, &x->observer);
	if (x->chain && !last) {
		ml_chain_lru_stage(x->chain, stage, a, &events->chain, outcome);
	} else if (stage == 1) {
		run_back(x, a, events, outcome);
	} else if (!stage) {
		x->ops->front(x, a, events);
		x->accesses += a->count;
	}
	return true;
}

static void gap(void *e)
{
	struct ml_explain_lru *x = e;

	x->gap = true;
	if (x->chain)
		ml_chain_lru_gap(x->chain);
	if (x->tlbs)
		ml_tlb_lru_gap(x->tlbs);
	ml_sim_gap(x->mirror);
}

static void counts(void *e, unsigned level, struct ml_level_counts *c)
{
	struct ml_explain_lru *x = e;
	const uint64_t *more = (const uint64_t *)&x->back_counts[level];

	if (x->chain) {
		ml_chain_lru_counts(x->chain, level, c);
		return;
	}
	*c = x->counts[level];
	for (size_t i = 0; i < sizeof(*c) / sizeof(*more); i++)
		((uint64_t *)c)[i] += more[i];
}

static void tlb_counts(void *e, unsigned tlb, struct ml_level_counts *c)
{
	*c = *ml_tlb_lru_counts(((struct ml_explain_lru *)e)->tlbs, tlb);
}

struct timed {
	uint32_t time, lane;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *y = a, *z = b;

	return (y->time > z->time) - (y->time < z->time);
}

/* The times of a set become the ranks of its lines, from 1. */
static uint32_t rank_times(const uint32_t *times, uint32_t ways, uint32_t *rank)
{
	struct timed held[EXPLAIN_LANES];
	uint32_t count = 0;

	for (uint32_t lane = 0; lane < ways; lane++) {
		if (times[lane])
			held[count++] = (struct timed){ times[lane], lane };
		rank[lane] = 0; /* may be the same array */
	}
	qsort(held, count, sizeof(*held), by_time);
	for (uint32_t i = 0; i < count; i++)
		rank[held[i].lane] = i + 1;
	return count;
}

void ml_explain_lru_renumber(struct explain_cache *c)
{
	for (uint32_t set = 0; set < c->sets; set++)
		rank_times(explain_times(c, set), c->ways, explain_times(c, set));
	c->clock = c->ways;
}

/* The copies of lines that a cache holds, as one of the mirror. */
static void show_cache(const struct ml_explain_lru *x, const struct explain_cache *c,
		       struct ml_cache *to)
{
	for (uint32_t set = 0; set < c->sets; set++) {
		uint32_t rank[EXPLAIN_LANES];

		rank_times(explain_times(c, set), c->ways, rank);
		for (uint32_t way = 0; way < c->ways; way++) {
			size_t at = (size_t)set * c->lanes + way;
			size_t place = (size_t)set * c->ways + way;
			const struct explain_note *n = &c->notes[at];
			const struct explain_use *u = &c->uses[at];

			to->order.word[place] = rank[way];
			to->tags[place] = rank[way] ? explain_line(x, c, at) + 1 : 0;
			to->flags[place] =
				(uint8_t)((u->written ? ML_DIRTY : 0) |
					  (explain_is_fresh(c, at) ? ML_PREFETCHED : 0) |
					  (n->write_first ? ML_WRITE_FIRST : 0));
			to->notes[place] = (struct ml_cache_note){ .read = u->read,
								   .written = u->written,
								   .since = n->since,
								   .owner = n->owner };
		}
	}
	if (c->prefetcher)
		*to->prefetcher = *c->prefetcher;
}

static void show(struct ml_explain_lru *x)
{
	struct ml_sim *s = x->mirror;

	for (unsigned i = 0; i <= ML_LEVELS; i++)
		counts(x, i, &s->counts[i]);
	s->accesses = x->accesses;
	if (x->chain)
		ml_chain_lru_show(x->chain, s);
	for (unsigned i = 0; !x->chain && i < x->levels; i++)
		show_cache(x, &x->cache[i], &s->caches[i][0]);
	if (x->split)
		show_cache(x, &x->icache, &s->icaches[0]);
	if (x->tlbs)
		ml_tlb_lru_show(x->tlbs, s);
}

static void save(void *e, struct ml_buf *out)
{
	struct ml_explain_lru *x = e;

	get_ready(x);
	show(x);
	ml_sim_save(x->mirror, out);
}

/* The mirror has the same lines at the end, so it can report them. */
static void flush(void *e)
{
	struct ml_explain_lru *x = e;

	if (x->chain) {
		ml_chain_lru_flush(x->chain);
		return;
	}
	if (!x->observer.leave && !x->sums)
		return;
	get_ready(x);
	show(x);
	for (unsigned i = 0; i < x->levels; i++)
		ml_cache_restored(&x->mirror->caches[i][0]);
	if (x->split)
		ml_cache_restored(&x->mirror->icaches[0]);
	ml_sim_observe(x->mirror, &(struct ml_observer){ .arg = x, .leave = pass_leave });
	ml_sim_flush(x->mirror);
}

const struct ml_engine_kind ml_engine_explain_lru = {
	.name = "explain_lru",
	.piece = PIECE,
	.sums = true,
	.refuses = refuses,
	.open = open,
	.close = close,
	.observe = observe,
	.stages = stages,
	.carry_open = carry_open,
	.carry_close = carry_close,
	.run = run,
	.gap = gap,
	.flush = flush,
	.counts = counts,
	.tlb_counts = tlb_counts,
	.save = save,
};
