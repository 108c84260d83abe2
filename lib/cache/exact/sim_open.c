/* Opens and closes a simulator, and answers questions about its contents and counters. */
#include <string.h>

#include "lib/cache/exact/coherence.h"
#include "lib/cache/exact/miss_cause.h"
#include "lib/cache/exact/prefetch.h"
#include "lib/cache/exact/sim.h"
#include "lib/cache/exact/sim_data.h"
#include "lib/cache/exact/state.h"

static bool check_spec(const struct ml_machine *m, const struct ml_level_spec *l,
		       struct ml_err *err)
{
	if (!l->policy || !l->policy->name || !l->ways || !l->sets || l->line < 2 ||
	    l->line & (l->line - 1))
		return ml_fail(
			err, ML_USAGE,
			"%s: a cache has a policy, ways, sets, and lines of a power "
			"of two from 2 bytes on",
			l->name);
	if (l->size != (uint64_t)l->sets * l->ways * l->line)
		return ml_fail(err, ML_USAGE,
			       "%s: %llu bytes are not %u sets of %u ways of %u bytes",
			       l->name, (unsigned long long)l->size, l->sets, l->ways,
			       l->line);
	if (!l->share || l->share > m->cores)
		return ml_fail(err, ML_USAGE, "%s: %u of %u cores cannot share it",
			       l->name, l->share, m->cores);
	if (l->prefetch != ML_PREFETCH_NONE &&
	    (l->degree < 1 || l->degree > ML_PREFETCH_DEGREE))
		return ml_fail(err, ML_USAGE,
			       "%s: prefetches 1 to %d lines ahead, not %u", l->name,
			       ML_PREFETCH_DEGREE, l->degree);
	return true;
}

/*
 * Refuses machines on which the future that opt and pes are told would not be the one
 * that happens.
 */
static bool check_future(const struct ml_machine *m, unsigned level,
			 const struct ml_level_spec *l, struct ml_err *err)
{
	const char *why = NULL;
	bool first = level == 0;

	if (!l->policy->future)
		return true;
	if (m->cores > 1)
		why = "several cores take lines from each other";
	if (l->inclusion != ML_NEITHER)
		why = "it must not be inclusive or exclusive";
	for (unsigned i = level ? level : 1; i < m->levels; i++)
		if (m->level[i].inclusion == ML_INCLUSIVE)
			why = "an inclusive level takes lines from it";
	for (unsigned i = 0; i < (first ? 0 : level); i++)
		if (m->level[i].prefetch != ML_PREFETCH_NONE)
			why = "a prefetcher asks it for lines";
	if (l->prefetch != ML_PREFETCH_NONE ||
	    (!first && m->split && m->icache.prefetch != ML_PREFETCH_NONE))
		why = "a prefetcher asks it for lines";
	if (why)
		return ml_fail(err, ML_USAGE, "%s cannot be %s: %s", l->name,
			       l->policy->name, why);
	return true;
}

static bool check(const struct ml_machine *m, struct ml_err *err)
{
	if (!m->levels || m->levels > ML_LEVELS || m->tlbs > ML_TLBS || !m->cores ||
	    m->cores > ML_CORES)
		return ml_fail(err, ML_USAGE,
			       "a machine has 1 to %d levels, up to %d TLBs and 1 to %d "
			       "cores",
			       ML_LEVELS, ML_TLBS, ML_CORES);
	if (m->split &&
	    (!check_spec(m, &m->icache, err) || !check_future(m, 0, &m->icache, err)))
		return false;
	for (unsigned i = 0; i < m->levels; i++) {
		const struct ml_level_spec *l = &m->level[i];
		const struct ml_level_spec *in = i ? &m->level[i - 1] : NULL;

		if (!check_spec(m, l, err) || !check_future(m, i + 1, l, err))
			return false;
		if (in && l->share % in->share)
			return ml_fail(err, ML_USAGE,
				       "%s: its %u cores are no multiple of the %u of %s",
				       l->name, l->share, in->share, in->name);
		if (i == 0 && l->inclusion != ML_NEITHER)
			return ml_fail(err, ML_USAGE, "%s: there is no level within it",
				       l->name);
		if ((in && l->line < in->line) ||
		    (i && m->split && l->line < m->icache.line))
			return ml_fail(err, ML_USAGE,
				       "%s: its lines are shorter than those within",
				       l->name);
		if (l->inclusion == ML_EXCLUSIVE &&
		    ((in && l->line != in->line) ||
		     (i == 1 && m->split && l->line != m->icache.line)))
			return ml_fail(
				err, ML_USAGE,
				"%s: an exclusive level has the lines of the level "
				"within",
				l->name);
	}
	if (m->split && m->levels > 1 && m->level[1].share % m->icache.share)
		return ml_fail(err, ML_USAGE, "%s: its cores are no part of those of %s",
			       m->icache.name, m->level[1].name);
	for (unsigned i = 0; i < m->tlbs; i++) {
		if (!check_spec(m, &m->tlb[i], err))
			return false;
		if (m->tlb[i].policy->future)
			return ml_fail(err, ML_USAGE, "%s cannot be %s", m->tlb[i].name,
				       m->tlb[i].policy->name);
	}
	return true;
}

/* Joins a cache to the book of caches with the same cores and lines. */
static void join_book(struct ml_sim *s, struct ml_cache *c)
{
	struct ml_sim_book *b = s->books;

	while (b && (b->bits != c->bits || b->share != c->spec->share ||
		     b->instance != c->instance))
		b = b->next;
	if (!b) {
		b = ml_arena_alloc(&s->arena, sizeof(*b));
		b->bits = c->bits;
		b->share = c->spec->share;
		b->instance = c->instance;
		b->next = s->books;
		s->books = b;
	}
	c->miss_cause = ml_arena_alloc(&s->arena, sizeof(*c->miss_cause));
	ml_miss_cause_join(c->miss_cause, &b->book, (size_t)c->sets * c->ways);
}

/* A hit changes neither a prefetcher nor hints. */
static bool hits_quietly(const struct ml_level_spec *l)
{
	return l->prefetch != ML_PREFETCH_STRIDE && !l->policy->future;
}

/* See ml_sim.plain. */
static bool is_plain(const struct ml_machine *m, unsigned want)
{
	bool plain = m->cores == 1 && !want;

	for (unsigned i = 0; i <= m->levels; i++) {
		const struct ml_level_spec *l = i ? &m->level[i - 1] : &m->icache;

		if (i == 0 && !m->split)
			continue;
		plain &= l->inclusion == ML_NEITHER && !l->write_through &&
			 !l->no_allocate && l->prefetch == ML_PREFETCH_NONE &&
			 !l->policy->future && l->line == m->level[0].line;
	}
	return plain;
}

static struct ml_cache *instances(struct ml_sim *s, const struct ml_level_spec *spec,
				  unsigned level, unsigned want,
				  struct ml_level_counts *counts)
{
	uint32_t count = (s->cores + spec->share - 1) / spec->share;
	struct ml_cache *c = ml_arena_alloc(&s->arena, count * sizeof(*c));

	for (uint32_t i = 0; i < count; i++) {
		ml_cache_init(&c[i], spec, level, i, ml_state_seed(&s->machine, level, i),
			      want, &s->arena);
		c[i].counts = counts;
		if (want & ML_SIM_CAUSES)
			join_book(s, &c[i]);
	}
	return c;
}

struct ml_sim *ml_sim_open(const struct ml_machine *m, unsigned want, struct ml_err *err)
{
	if (!check(m, err))
		return NULL;
	struct ml_arena arena = { 0 };
	struct ml_sim *s = ml_arena_alloc(&arena, sizeof(*s));
	s->arena = arena;
	s->machine = *m;
	s->want = want;
	s->cores = s->sharing.cores = m->cores;
	s->levels = m->levels;
	s->inform = want & ML_SIM_USE;
	s->fast = !(want & ML_SIM_MOVES) && hits_quietly(&m->level[0]) &&
		  (!m->split || hits_quietly(&m->icache));
	s->plain = is_plain(m, want);
	if (m->split)
		s->icaches = instances(s, &s->machine.icache, 0, want, &s->counts[0]);
	for (unsigned i = 0; i < s->levels; i++) {
		const struct ml_level_spec *l = &s->machine.level[i];

		s->caches[i] = instances(s, l, i + 1, want, &s->counts[i + 1]);
		s->inform |= l->prefetch != ML_PREFETCH_NONE;
		if (l->share < s->cores) {
			s->coherent = true;
			s->unit_bits = s->caches[i]->bits;
		}
	}
	if (m->split) {
		s->inform |= m->icache.prefetch != ML_PREFETCH_NONE;
		if (m->icache.share < s->cores) {
			s->coherent = true;
			if (s->unit_bits < s->icaches->bits)
				s->unit_bits = s->icaches->bits;
		}
	}
	for (unsigned i = 0; i < m->tlbs; i++)
		s->tlbs[i] = instances(s, &s->machine.tlb[i], ML_LEVELS + 1 + i,
				       want & ML_SIM_CAUSES, &s->tlb_counts[i]);
	s->last_page = ml_arena_alloc(&s->arena, s->cores * sizeof(*s->last_page));
	s->same_page = m->tlbs && m->tlb[0].share == 1 && m->tlb[0].policy->recency;
	s->paths = ml_arena_alloc(&s->arena, s->cores * sizeof(*s->paths));
	for (unsigned core = 0; core < s->cores; core++)
		for (unsigned i = 0; i < s->levels; i++) {
			struct ml_cache *c =
				&s->caches[i][core / s->machine.level[i].share];

			s->paths[core][0][i] = s->paths[core][1][i] = c;
			if (i == 0 && s->icaches)
				s->paths[core][1][0] =
					&s->icaches[core / s->machine.icache.share];
		}
	return s;
}

static void close_all(const struct ml_sim *s, struct ml_cache *c)
{
	for (uint32_t i = 0; c && i * c[0].spec->share < s->cores; i++)
		if (c[i].miss_cause)
			ml_miss_cause_release(c[i].miss_cause);
}

void ml_sim_close(struct ml_sim *s)
{
	if (!s)
		return;
	close_all(s, s->icaches);
	for (unsigned i = 0; i < s->levels; i++)
		close_all(s, s->caches[i]);
	for (unsigned i = 0; i < s->machine.tlbs; i++)
		close_all(s, s->tlbs[i]);
	for (struct ml_sim_book *b = s->books; b; b = b->next)
		ml_book_release(&b->book);
	ml_sharing_release(&s->sharing);
	ml_holders_release(&s->holders);
	ml_free(s->moves);
	ml_free(s->prefetches);
	struct ml_arena arena = s->arena;
	ml_arena_release(&arena);
}

void ml_sim_observe(struct ml_sim *s, const struct ml_observer *o)
{
	s->observer = *o;
}

const struct ml_level_counts *ml_sim_counts(const struct ml_sim *s, unsigned level)
{
	return &s->counts[level];
}

const struct ml_level_counts *ml_sim_tlb_counts(const struct ml_sim *s, unsigned tlb)
{
	return &s->tlb_counts[tlb];
}

const struct ml_move *ml_sim_moves(const struct ml_sim *s, size_t *count)
{
	*count = s->move_count;
	return s->moves;
}

static const struct ml_cache *cache_of(const struct ml_sim *s, unsigned level,
				       unsigned core)
{
	return level ? ml_sim_cache(s, core, level - 1) : s->paths[core][1][0];
}

void ml_sim_set(const struct ml_sim *s, unsigned level, unsigned core, uint32_t set,
		struct ml_cached_way *slots)
{
	const struct ml_cache *c = cache_of(s, level, core);
	bool *held = ml_resize(NULL, c->ways * sizeof(*held));
	uint32_t *rank = ml_resize(NULL, c->ways * sizeof(*rank));
	bool coherent = c->spec->share < s->cores;

	for (uint32_t way = 0; way < c->ways; way++)
		held[way] = c->tags[(size_t)set * c->ways + way];
	ml_policy_ranks(c->policy, &c->order, set, held, rank);
	for (uint32_t way = 0; way < c->ways; way++) {
		struct ml_sim_place p = { (struct ml_cache *)c,
					  (size_t)set * c->ways + way };

		slots[way] = (struct ml_cached_way){
			.line = held[way] ? ml_cache_addr(c, p.at) : ML_NO_LINE,
			.rank = rank[way],
			.owner = held[way] && c->notes ? c->notes[p.at].owner
						       : ML_NO_OWNER,
			.since = c->notes ? c->notes[p.at].since : 0,
			.dirty = c->flags[p.at] & ML_DIRTY,
			.prefetched = c->flags[p.at] & ML_PREFETCHED,
			.state = !coherent   ? 0
				 : held[way] ? ml_coherence_state(s, p)
					     : 'I',
		};
	}
	ml_free(held);
	ml_free(rank);
}
