#include "lib/cache/lru/lean_lru.h"

#include <assert.h>
#include <string.h>

#include "lib/cache/lru/lean_lru_parts.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/lru/tlb_lru.h"

enum { MOST_WAYS = 1024, LEAST_LINE = 8 };

static const char *level_refuses(const struct ml_level_spec *l, uint32_t line)
{
	if (strcmp(l->policy->name, "lru"))
		return "a level is not lru";
	if (l->write_through || l->no_allocate)
		return "a level is write-through or no-allocate";
	if (l->line != line)
		return "levels have different line sizes";
	if (l->line < LEAST_LINE)
		return "lines are shorter than 8 bytes";
	if (l->ways > MOST_WAYS)
		return "a level has more than 1024 ways";
	return NULL;
}

const char *ml_lean_lru_refuses(const struct ml_machine *m)
{
	const char *why = NULL;

	if (m->cores > 1)
		return "there are several cores";
	for (unsigned i = 0; i < m->levels && !why; i++)
		why = level_refuses(&m->level[i], m->level[0].line);
	if (m->split && !why)
		why = level_refuses(&m->icache, m->level[0].line);
	return why ? why : ml_tlb_lru_refuses(m);
}

bool ml_lean_lru_has(enum ml_lean_lru_how how)
{
#if defined(__x86_64__)
	if (how == ML_LEAN_LRU_AVX2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif
	return how != ML_LEAN_LRU_AVX2;
}

static const struct lean_lru_ops *ops_of(enum ml_lean_lru_how how)
{
#if defined(__x86_64__)
	if (how == ML_LEAN_LRU_AVX2 ||
	    (how == ML_LEAN_LRU_BEST && ml_lean_lru_has(ML_LEAN_LRU_AVX2)))
		return &ml_lean_lru_ops_avx2;
#endif
	(void)how;
	return &ml_lean_lru_ops_plain;
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
		.depth = depth,
		.counts = counts,
	};
	/* a row begins at the beginning of a vector */
	size_t size = (size_t)c->sets * c->lanes * sizeof(*c->rows);
	uintptr_t at = (uintptr_t)ml_arena_large(&x->arena, size + 63);
	c->rows = (void *)((at + 63) & ~(uintptr_t)63);
	if (spec->prefetch == ML_PREFETCH_NONE)
		return;
	c->prefetcher = ml_arena_alloc(&x->arena, sizeof(*c->prefetcher));
	ml_prefetch_init(c->prefetcher, spec);
	x->strides |= depth == 0 && spec->prefetch == ML_PREFETCH_STRIDE;
}

/*
 * A copy further out was brought in ahead, and a line within is used: only prefetchers
 * make this. If the next level is inclusive and nothing is brought into this one ahead,
 * each of its lines came by a demand that the next level has seen.
 */
static void find_tellers(struct ml_lean_lru *x)
{
	bool any = x->split && x->icache.prefetcher, within = any;

	for (unsigned i = 0; i < x->levels; i++)
		any |= x->cache[i].prefetcher != NULL;
	for (unsigned i = 0; i < x->levels; i++) {
		within |= x->cache[i].prefetcher != NULL;
		x->cache[i].tells = any && (within || i + 1 >= x->levels ||
					    !x->cache[i + 1].inclusive);
	}
	x->icache.tells = x->cache[0].tells;
}

struct ml_lean_lru *ml_lean_lru_open(const struct ml_machine *m, enum ml_lean_lru_how how)
{
	assert(!ml_lean_lru_refuses(m) && ml_lean_lru_has(how));

	struct ml_lean_lru *x = ml_resize(NULL, sizeof(*x));
	*x = (struct ml_lean_lru){
		.ops = ops_of(how),
		.levels = m->levels,
		.bits = (unsigned)__builtin_ctz(m->level[0].line),
		.split = m->split,
	};
	for (unsigned i = 0; i < x->levels; i++)
		init_cache(x, &x->cache[i], i, &m->level[i], &x->counts[i + 1]);
	if (x->split)
		init_cache(x, &x->icache, 0, &m->icache, &x->counts[0]);
	if (m->tlbs)
		x->tlbs = ml_tlb_lru_open(m, false);
	find_tellers(x);
	return x;
}

void ml_lean_lru_close(struct ml_lean_lru *x)
{
	if (!x)
		return;
	ml_tlb_lru_close(x->tlbs);
	ml_free(x->queue);
	ml_arena_release(&x->arena);
	ml_free(x);
}

void ml_lean_lru_observe(struct ml_lean_lru *x, const struct ml_observer *o)
{
	x->observer = *o;
}

void ml_lean_lru_run(struct ml_lean_lru *x, const struct ml_accesses *a, uint8_t *served)
{
	if (x->tlbs)
		ml_tlb_lru_run(x->tlbs, a, NULL, &x->observer);
	x->ops->run(x, a, served);
}

const struct ml_level_counts *ml_lean_lru_counts(const struct ml_lean_lru *x,
						 unsigned level)
{
	return &x->counts[level];
}

const struct ml_level_counts *ml_lean_lru_tlb_counts(const struct ml_lean_lru *x,
						     unsigned tlb)
{
	return ml_tlb_lru_counts(x->tlbs, tlb);
}
