/*
 * The lean LRU engine: counts and serving levels for any number of cores, LRU, write-back
 * and write-allocate in all levels and one line size, with inclusive and exclusive
 * levels, prefetchers, a split first level and TLBs.
 *
 * A set is a row of keys in order of recency. A key has the line and two bits: dirty, and
 * brought in ahead of any demand. With several cores, a table has for each line the cores
 * that may hold it (holders.h), and only their caches are looked into.
 */
#include <assert.h>
#include <string.h>

#include "lib/cache/engine.h"
#include "lib/cache/exact/mirror.h"
#include "lib/cache/exact/sim.h"
#include "lib/cache/lru/lean_lru_parts.h"
#include "lib/cache/tlb/tlb_lru.h"

enum { MOST_WAYS = 1024, LEAST_LINE = 8 };

static const void *const loops[ML_VECTORS] = {
	[ML_VECTORS_PLAIN] = &ml_lean_lru_ops_plain,
#if defined(__x86_64__)
	[ML_VECTORS_AVX2] = &ml_lean_lru_ops_avx2,
#endif
};

static const char *level_refuses(const struct ml_level_spec *l)
{
	if (l->line < LEAST_LINE)
		return "lines are shorter than 8 bytes";
	return l->ways > MOST_WAYS ? "a level has more than 1024 ways" : NULL;
}

static const char *refuses(const struct ml_machine *whole, const struct ml_engine_job *j)
{
	struct ml_machine m = ml_machine_alone(whole, j->threads);
	const char *why = ml_machine_not_lru(&m);

	if (j->want || j->observes || j->looks)
		return "it counts, and does no more";
	if (!ml_vectors_choose(j->vectors, loops))
		return "it has not these instructions";
	for (unsigned i = 0; i < m.levels && !why; i++)
		why = level_refuses(&m.level[i]);
	if (m.split && !why)
		why = level_refuses(&m.icache);
	return why ? why : ml_tlb_lru_refuses(&m);
}

static void init_cache(struct ml_lean_lru *x, struct lean_cache *c, unsigned depth,
		       const struct ml_level_spec *spec, struct ml_level_counts *counts)
{
	*c = (struct lean_cache){
		.sets = spec->sets,
		.ways = spec->ways,
		.lanes = (spec->ways + LEAN_LANES - 1) / LEAN_LANES * LEAN_LANES,
		.mask = spec->sets - 1,
		.modulo = spec->sets & (spec->sets - 1),
		.inclusive = spec->inclusion == ML_INCLUSIVE,
		.exclusive = spec->inclusion == ML_EXCLUSIVE,
		.coherent = spec->share < x->cores,
		.depth = depth,
		.counts = counts,
	};
	/* a row begins at the beginning of a vector; the place before it can be read */
	size_t size = (size_t)c->sets * c->lanes * sizeof(*c->rows);
	uintptr_t at = (uintptr_t)ml_arena_large(&x->arena, size + 127);
	c->rows = (void *)((at + 127) & ~(uintptr_t)63);
	if (spec->prefetch == ML_PREFETCH_NONE)
		return;
	c->prefetcher = ml_arena_alloc(&x->arena, sizeof(*c->prefetcher));
	ml_prefetch_init(c->prefetcher, spec);
	x->strides |= depth == 0 && spec->prefetch == ML_PREFETCH_STRIDE;
}

/* The caches of a level, each on the paths of its cores. */
static struct lean_cache *init_level(struct ml_lean_lru *x, unsigned level,
				     const struct ml_level_spec *spec)
{
	uint32_t count = (x->cores + spec->share - 1) / spec->share;
	struct lean_cache *c = ml_arena_alloc(&x->arena, count * sizeof(*c));
	unsigned depth = level ? level - 1 : 0;

	for (uint32_t i = 0; i < count; i++)
		init_cache(x, &c[i], depth, spec, &x->counts[level]);
	for (unsigned core = 0; core < x->cores; core++) {
		struct lean_cache *its = &c[core / spec->share];

		its->cores |= (uint64_t)1 << core;
		its->path = x->paths[core - core % spec->share][0];
		x->paths[core][1][depth] = its;
		if (level)
			x->paths[core][0][depth] = its;
	}
	return c;
}

/* Finds the caches within an inclusive one, in the order in which it takes lines. */
static void find_within(struct ml_lean_lru *x, struct lean_cache *c)
{
	c->within = ml_arena_alloc(&x->arena,
				   (ML_LEVELS + 1) * x->cores * sizeof(*c->within));
	for (unsigned depth = 0; depth < c->depth; depth++)
		for (unsigned fetch = 0; fetch <= (depth == 0 && x->split); fetch++)
			for (uint64_t left = c->cores; left;) {
				unsigned core = (unsigned)__builtin_ctzll(left);
				struct lean_cache *in = x->paths[core][fetch][depth];

				left &= ~in->cores;
				c->within[c->within_count++] = in;
			}
}

/*
 * A copy further out was brought in ahead, and a line within is used: only prefetchers
 * make this. If the next level is inclusive and nothing is brought into this one ahead,
 * each of its lines came by a demand that the next level has seen.
 */
static bool level_tells(const struct ml_machine *m, unsigned depth)
{
	bool first = m->split && m->icache.prefetch != ML_PREFETCH_NONE;
	bool any = first, within = first;

	for (unsigned i = 0; i < m->levels; i++) {
		any |= m->level[i].prefetch != ML_PREFETCH_NONE;
		within |= i <= depth && m->level[i].prefetch != ML_PREFETCH_NONE;
	}
	return any && (within || depth + 1 >= m->levels ||
		       m->level[depth + 1].inclusion != ML_INCLUSIVE);
}

static void *open(const struct ml_machine *whole, const struct ml_engine_job *j,
		  struct ml_err *err)
{
	struct ml_lean_lru *x = ml_resize(NULL, sizeof(*x));
	struct ml_machine alone = ml_machine_alone(whole, j->threads), *m = &alone;

	(void)err;
	*x = (struct ml_lean_lru){
		.ops = ml_vectors_choose(j->vectors, loops),
		.machine = *whole,
		.levels = m->levels,
		.bits = (unsigned)__builtin_ctz(m->level[0].line),
		.split = m->split,
		.cores = m->cores,
	};
	x->paths = ml_arena_alloc(&x->arena, x->cores * sizeof(*x->paths));
	for (unsigned i = 0; i < x->levels; i++)
		x->caches[i] = init_level(x, i + 1, &m->level[i]);
	if (x->split)
		x->icaches = init_level(x, 0, &m->icache);
	x->first_rows = ml_arena_alloc(&x->arena, x->cores * sizeof(*x->first_rows));
	for (unsigned core = 0; core < x->cores; core++)
		x->first_rows[core] = x->paths[core][0][0]->rows;
	for (unsigned core = 0; core < x->cores; core++)
		for (unsigned fetch = 0; fetch < 2; fetch++)
			for (unsigned i = 0; i < x->levels; i++) {
				struct lean_cache *c = x->paths[core][fetch][i];

				c->tells = level_tells(m, i);
				if (c->inclusive && !c->within)
					find_within(x, c);
			}
	if (m->tlbs)
		x->tlbs = ml_tlb_lru_open(m, false);
	return x;
}

static void close(void *e)
{
	struct ml_lean_lru *x = e;

	ml_tlb_lru_close(x->tlbs);
	ml_holders_release(&x->holders);
	ml_free(x->queue);
	ml_arena_release(&x->arena);
	ml_free(x);
}

static void observe(void *e, const struct ml_observer *o, struct ml_event_sums *sums)
{
	(void)sums;
	((struct ml_lean_lru *)e)->observer = *o;
}

/* The observer hears of pages and bounces. Those of one core are pages alone. */
static unsigned stages(void *e)
{
	return ((struct ml_lean_lru *)e)->cores > 1 ? 1 : 2;
}

static bool run(void *e, unsigned stage, const struct ml_accesses *a, void *carry,
		uint16_t *outcome, struct ml_err *err)
{
	struct ml_lean_lru *x = e;

	(void)carry;
	(void)err;
	if (!stage) {
		x->ops->run(x, a, outcome);
		x->accesses += a->count;
	}
	if (stage + 1 == stages(e) && x->tlbs)
		ml_tlb_lru_run(x->tlbs, a, NULL, &x->observer);
	return true;
}

static void gap(void *e)
{
	((struct ml_lean_lru *)e)->gap = true;
}

static void counts(void *e, unsigned level, struct ml_level_counts *c)
{
	*c = ((struct ml_lean_lru *)e)->counts[level];
}

static void tlb_counts(void *e, unsigned tlb, struct ml_level_counts *c)
{
	*c = *ml_tlb_lru_counts(((struct ml_lean_lru *)e)->tlbs, tlb);
}

static void show_cache(const struct lean_cache *c, struct ml_cache *to)
{
	uint64_t row[MOST_WAYS];
	uint8_t flags[MOST_WAYS];

	for (uint32_t set = 0; set < c->sets; set++) {
		const uint64_t *keys = c->rows + (size_t)set * c->lanes;

		for (uint32_t way = 0; way < c->ways; way++) {
			row[way] = keys[way] >> LEAN_BITS;
			flags[way] =
				(uint8_t)((keys[way] & LEAN_DIRTY ? ML_DIRTY : 0) |
					  (keys[way] & LEAN_AHEAD ? ML_PREFETCHED : 0));
		}
		ml_mirror_show(to, set, row, flags);
	}
	if (c->prefetcher)
		*to->prefetcher = *c->prefetcher;
}

static void look_at_cache(struct ml_lean_lru *x, const struct ml_cache *from,
			  struct lean_cache *c)
{
	size_t places[MOST_WAYS];

	for (uint32_t set = 0; set < c->sets; set++) {
		uint64_t *keys = c->rows + (size_t)set * c->lanes;
		uint32_t held = ml_mirror_places(from, set, places);

		memset(keys, 0, c->ways * sizeof(*keys));
		for (uint32_t i = 0; i < held; i++) {
			uint8_t flags = from->flags[places[i]];
			uint64_t tag = from->tags[places[i]];

			keys[i] = tag << LEAN_BITS | (flags & ML_DIRTY ? LEAN_DIRTY : 0) |
				  (flags & ML_PREFETCHED ? LEAN_AHEAD : 0);
			if (c->coherent)
				*ml_holders_of(&x->holders, tag - 1) |= c->cores;
		}
	}
	if (c->prefetcher)
		*c->prefetcher = *from->prefetcher;
}

/* The caches of a level, L1i is level 0; NULL: there are none. Returns how many. */
static unsigned caches_of(const struct ml_lean_lru *x, unsigned level,
			  struct lean_cache **caches)
{
	const struct ml_level_spec *spec = level ? &x->machine.level[level - 1]
						 : &x->machine.icache;

	*caches = level ? x->caches[level - 1] : x->icaches;
	return !*caches        ? 0
	       : x->cores == 1 ? 1
			       : (x->cores + spec->share - 1) / spec->share;
}

static void save(void *e, struct ml_buf *out)
{
	struct ml_lean_lru *x = e;
	struct lean_cache *c;
	struct ml_err err;
	struct ml_sim *mirror = ml_sim_open(&x->machine, 0, &err);

	assert(mirror);
	mirror->accesses = x->accesses;
	mirror->gap = x->gap;
	memcpy(mirror->counts, x->counts, sizeof(x->counts));
	for (unsigned level = 0; level <= x->levels; level++)
		for (unsigned i = caches_of(x, level, &c); i-- > 0;)
			show_cache(&c[i], level ? &mirror->caches[level - 1][i]
						: &mirror->icaches[i]);
	if (x->tlbs)
		ml_tlb_lru_show(x->tlbs, mirror);
	ml_sim_save(mirror, out);
	ml_sim_close(mirror);
}

static bool restore(void *e, struct ml_bytes *in, struct ml_err *err)
{
	struct ml_lean_lru *x = e;
	struct lean_cache *c;
	struct ml_sim *mirror = ml_sim_open(&x->machine, 0, err);

	if (!mirror)
		return false;
	bool ok = ml_sim_restore(mirror, in, err); /* or the mirror is empty */
	x->accesses = mirror->accesses;
	x->gap = mirror->gap;
	memcpy(x->counts, mirror->counts, sizeof(x->counts));
	ml_holders_release(&x->holders);
	for (unsigned level = 0; level <= x->levels; level++)
		for (unsigned i = caches_of(x, level, &c); i-- > 0;)
			look_at_cache(x,
				      level ? &mirror->caches[level - 1][i]
					    : &mirror->icaches[i],
				      &c[i]);
	if (x->tlbs)
		ml_tlb_lru_look(x->tlbs, mirror);
	ml_sim_close(mirror);
	return ok;
}

const struct ml_engine_kind ml_engine_lean_lru = {
	.name = "lean_lru",
	.refuses = refuses,
	.open = open,
	.close = close,
	.observe = observe,
	.stages = stages,
	.run = run,
	.gap = gap,
	.counts = counts,
	.tlb_counts = tlb_counts,
	.save = save,
	.restore = restore,
};
