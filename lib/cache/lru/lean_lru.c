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

struct ml_lean_lru *ml_lean_lru_open(const struct ml_machine *m, enum ml_lean_lru_how how)
{
	assert(!ml_lean_lru_refuses(m) && ml_lean_lru_has(how));

	struct ml_lean_lru *x = ml_resize(NULL, sizeof(*x));
	*x = (struct ml_lean_lru){
		.ops = ops_of(how),
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

void ml_lean_lru_close(struct ml_lean_lru *x)
{
	if (!x)
		return;
	ml_tlb_lru_close(x->tlbs);
	ml_line_book_release(&x->holders.book);
	ml_free(x->holders.cores);
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
