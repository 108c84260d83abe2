/*
 * Runs the simulator and the slow one (slow_sim.h) on the same accesses and compares
 * outcomes, counts, causes, contents and observed events. The movements must lead from an
 * empty machine to the contents.
 */
#pragma once

#include "lib/base/map.h"
#include "lib/cache/exact/sim.h"
#include "lib/cache/machine/link_bytes.h"
#include "tests/sim_random.h"
#include "tests/slow_sim.h"
#include "tests/test.h"

/* Sums of events, which do not depend on their order. */
struct heard {
	uint64_t misses, leaves, bounces, count, pages;
};

static inline uint64_t digest(const uint64_t *words, size_t count)
{
	return ml_hash(words, count * 8);
}

static inline void hear_miss(void *arg, const struct ml_miss *m)
{
	struct heard *h = arg;
	uint64_t words[] = { m->level, m->core,  m->access, m->set,    m->line,
			     m->kind,  m->cause, m->owner,  m->evictor };

	h->misses += digest(words, sizeof(words) / 8);
	h->count++;
}

static inline void hear_leave(void *arg, const struct ml_leave *l)
{
	struct heard *h = arg;
	uint64_t words[] = { l->level, l->core,  l->set,         l->line, l->owner,
			     l->dirty, l->asked, l->write_first, l->read, l->written };

	h->leaves += digest(words, sizeof(words) / 8);
	h->count++;
}

static inline void hear_bounce(void *arg, const struct ml_bounce *b)
{
	struct heard *h = arg;
	uint64_t words[] = { b->line, b->from, b->to, b->access, b->write, b->cause };

	h->bounces += digest(words, sizeof(words) / 8);
	h->count++;
}

static inline void hear_page(void *arg, const struct ml_page *p)
{
	struct heard *h = arg;
	uint64_t words[] = { p->access, p->core, p->tlb, p->more };

	h->pages += digest(words, sizeof(words) / 8);
}

/* Applies movements: the line in each place, by level, core, set and way. */
static inline void replay_moves(const struct ml_sim *s, struct ml_map *places)
{
	size_t count;
	const struct ml_move *m = ml_sim_moves(s, &count);

	for (; count--; m++) {
		bool comes = m->kind == ML_MOVE_FILL || m->kind == ML_MOVE_PREFETCH;
		bool leaves = m->kind == ML_MOVE_EVICT || m->kind == ML_MOVE_WRITE_BACK ||
			      m->kind == ML_MOVE_INVALIDATE;
		uint64_t level = comes ? m->to : m->from;
		uint64_t key = level << 56 | (uint64_t)m->core << 48 |
			       (uint64_t)m->set << 16 | m->way;

		if (!comes && !leaves && m->kind != ML_MOVE_HIT)
			continue;
		uint64_t *place = ml_map_add(places, key, NULL);
		CHECK_EQ(*place, comes ? 0 : m->line + 1);
		if (comes || leaves)
			*place = comes ? m->line + 1 : 0;
	}
}

static inline void same_contents(struct ml_sim *fast, struct slow_sim *slow,
				 const struct ml_map *places, bool owners)
{
	for (size_t n = 0; n < slow->cache_count; n++) {
		struct slow_cache *c = &slow->caches[n];

		if (c->level > ML_LEVELS)
			continue; /* a TLB */
		for (uint32_t set = 0; set < c->spec->sets; set++) {
			struct ml_cached_way slots[64];

			ml_sim_set(fast, c->level, slow_core(c), set, slots);
			for (uint32_t way = 0; way < c->spec->ways; way++) {
				struct slow_line *l =
					&c->lines[(size_t)set * c->spec->ways + way];
				uint64_t key = (uint64_t)c->level << 56 |
					       (uint64_t)slow_core(c) << 48 |
					       (uint64_t)set << 16 | way;
				const uint64_t *moved = places ? ml_map_find(places, key)
							       : NULL;

				CHECK_EQ(slots[way].line, l->held ? l->addr : ML_NO_LINE);
				if (places)
					CHECK_EQ(moved ? *moved : 0,
						 l->held ? l->addr + 1 : 0);
				if (!l->held)
					continue;
				CHECK_EQ(slots[way].dirty, l->dirty);
				if (owners) {
					CHECK_EQ(slots[way].owner, l->owner);
					CHECK_EQ(slots[way].since, l->since);
				}
			}
		}
	}
}

static inline void same_counts(const struct ml_level_counts *a,
			       const struct ml_level_counts *b)
{
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(a->asked[i], b->asked[i]);
		CHECK_EQ(a->missed[i], b->missed[i]);
	}
	for (unsigned i = 0; i < ML_CAUSES; i++)
		CHECK_EQ(a->cause[i], b->cause[i]);
	CHECK_EQ(a->fills, b->fills);
	CHECK_EQ(a->evictions, b->evictions);
	CHECK_EQ(a->invalidations, b->invalidations);
	CHECK_EQ(a->write_backs, b->write_backs);
	CHECK_EQ(a->through, b->through);
	CHECK_EQ(a->through_bytes, b->through_bytes);
	CHECK_EQ(a->past_bytes, b->past_bytes);
	CHECK_EQ(a->taken, b->taken);
	CHECK_EQ(a->given, b->given);
	CHECK_EQ(a->upgrades, b->upgrades);
}

/* The bytes over each link, where counted one by one, are those that follow from counters. */
static inline void same_links(const struct ml_machine *m, struct ml_sim *s,
			      const uint64_t *in, const uint64_t *out)
{
	const struct ml_level_counts *counts[ML_LEVELS + 1];

	for (unsigned level = 0; level <= m->levels; level++)
		counts[level] = ml_sim_counts(s, level);
	for (unsigned level = m->split ? 0 : 1; level <= m->levels; level++) {
		struct ml_link_bytes link = ml_link_bytes(m, counts, level);

		CHECK_EQ(link.in, in[level]);
		if (out)
			CHECK_EQ(link.out, out[level]);
	}
}

/* The future of each level, as the slow simulator and the fast one need it. */
struct futures {
	uint64_t *lines[ML_LEVELS + 1], *next[ML_LEVELS + 1];
	size_t count[ML_LEVELS + 1], cap[ML_LEVELS + 1], cap_next[ML_LEVELS + 1];
	size_t given[ML_LEVELS + 1];
};

struct hint_source {
	struct futures *f;
	unsigned level;
};

/* In small portions, so that more than one is needed. */
static inline bool give_hints(void *arg, const uint64_t **hints, size_t *count,
			      struct ml_err *err)
{
	struct hint_source *h = arg;
	size_t left = h->f->count[h->level] - h->f->given[h->level];

	(void)err;
	*hints = h->f->next[h->level] + h->f->given[h->level];
	*count = left < 7 ? left : 7;
	h->f->given[h->level] += *count;
	return true;
}

static inline uint16_t slow_step(struct slow_sim *slow, const struct ml_accesses *a,
				 size_t i)
{
	uint64_t size = a->what[i] & 0x3fff;

	return slow_access(slow, a->core[i] % slow->m.cores,
			   (enum ml_access_kind)(a->what[i] >> 14), a->addr[i],
			   size ? size : 1, a->owner[i], (uint32_t)i);
}

/*
 * Finds the requests of the levels with opt or pes. They depend only on the levels
 * within, which must have their hints by then: so level after level.
 */
static inline void find_futures(struct futures *f, const struct ml_machine *m,
				const struct ml_accesses *a)
{
	for (unsigned level = 0; level <= m->levels; level++) {
		struct slow_sim slow;

		if (!(level ? &m->level[level - 1] : &m->icache)->policy->future)
			continue;
		slow_open(&slow, m);
		for (unsigned i = 0; i < level; i++) {
			slow.future[i] = f->lines[i];
			slow.future_count[i] = f->count[i];
		}
		for (size_t i = 0; i < a->count; i++)
			slow_step(&slow, a, i);
		struct slow_cache *c = slow_cache(&slow, level, 0);
		size_t n = f->count[level] = c ? c->asked_count : 0;
		f->lines[level] = ml_grow(NULL, &f->cap[level], n + 1, 8);
		f->next[level] = ml_grow(NULL, &f->cap_next[level], n + 1, 8);
		if (n)
			memcpy(f->lines[level], c->asked, n * 8);
		for (size_t i = 0; i < n; i++) {
			size_t next = i + 1;

			while (next < n && c->asked[next] != c->asked[i])
				next++;
			f->next[level][i] = next < n ? next : UINT64_MAX;
		}
		slow_close(&slow);
	}
}

static inline void release_futures(struct futures *f)
{
	for (unsigned i = 0; i <= ML_LEVELS; i++) {
		ml_free(f->lines[i]);
		ml_free(f->next[i]);
	}
}

/* Runs both on the same accesses, in batches, with a gap if gap is not 0. */
static inline void compare(const struct ml_machine *m, unsigned want,
			   const struct ml_accesses *a, size_t gap)
{
	struct heard fast_heard = { 0 }, slow_heard = { 0 };
	struct ml_observer o = { .arg = &fast_heard,
				 .miss = hear_miss,
				 .leave = hear_leave,
				 .bounce = hear_bounce,
				 .page = hear_page };
	struct slow_sim slow;
	struct futures f = { 0 };
	struct hint_source sources[ML_LEVELS + 1];
	struct ml_map places = { 0 };
	struct ml_err err;
	struct ml_sim *fast = ml_sim_open(m, want, &err);
	static uint16_t outcome[4000];

	CHECK_OK(fast, &err);
	slow_open(&slow, m);
	find_futures(&f, m, a);
	for (unsigned i = 0; i <= m->levels; i++) {
		sources[i] = (struct hint_source){ &f, i };
		slow.future[i] = f.lines[i];
		slow.future_count[i] = f.count[i];
		ml_sim_hints(fast, i, &(struct ml_hints){ &sources[i], give_hints });
	}
	slow.arg = &slow_heard;
	slow.miss = hear_miss;
	slow.leave = hear_leave;
	slow.bounce = hear_bounce;
	if (want)
		ml_sim_observe(fast, &o);
	for (size_t from = 0, to; from < a->count; from = to) {
		to = from + 1 + random_below(500);
		if (to > a->count)
			to = a->count;
		struct ml_accesses batch = part_of(a, from, to);
		if (gap && from >= gap) {
			ml_sim_gap(fast);
			slow.gap = true;
		}
		CHECK_OK(ml_sim_run(fast, &batch, outcome, &err), &err);
		for (size_t i = 0; i < batch.count; i++) {
			uint16_t slowly = slow_step(&slow, &batch, i);

			if (!(want & ML_SIM_CAUSES))
				slowly &= 15;
			if (slowly != outcome[i])
				print_error("access %zu: %" PRIx64 "\n", from + i,
					    batch.addr[i]);
			CHECK_EQ(outcome[i], slowly);
		}
		if (want & ML_SIM_MOVES)
			replay_moves(fast, &places);
	}
	for (unsigned level = 0; level <= m->levels; level++) {
		if (!(want & ML_SIM_CAUSES))
			memset(slow.counts[level].cause, 0,
			       sizeof(slow.counts[level].cause));
		same_counts(ml_sim_counts(fast, level), &slow.counts[level]);
	}
	same_links(m, fast, slow.link_in, slow.link_out);
	for (unsigned i = 0; i < m->tlbs; i++) {
		struct ml_level_counts tlb = *ml_sim_tlb_counts(fast, i);

		memset(tlb.cause, 0, sizeof(tlb.cause)); /* the slow one has none */
		same_counts(&tlb, &slow.tlb_counts[i]);
	}
	if (want)
		CHECK_EQ(fast_heard.pages, slow.pages);
	same_contents(fast, &slow, want & ML_SIM_MOVES ? &places : NULL, want);
	if ((want & (ML_SIM_CAUSES | ML_SIM_USE)) == (ML_SIM_CAUSES | ML_SIM_USE)) {
		CHECK_EQ(fast_heard.count, slow_heard.count);
		CHECK_EQ(fast_heard.misses, slow_heard.misses);
		CHECK_EQ(fast_heard.leaves, slow_heard.leaves);
		CHECK_EQ(fast_heard.bounces, slow_heard.bounces);
	}
	ml_map_release(&places);
	release_futures(&f);
	slow_close(&slow);
	ml_sim_close(fast);
}
