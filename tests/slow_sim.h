/*
 * A slow and obvious simulator of the rules in lib/cache/machine/machine.h, to compare the fast
 * ones with. Lines are records with times in plain arrays; every lookup searches all of
 * them; causes come from the whole history of requests, hints from searching the requests
 * ahead. No prefetchers.
 */
#pragma once

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/exact/sim.h"
#include "lib/cache/exact/state.h"

enum { SLOW_LINE_MAX = 256 };

struct slow_line {
	bool held, dirty, write_first;
	uint64_t addr; /* address of its first byte */
	uint32_t owner;
	uint64_t since;
	uint64_t came, used, uses, next, far, bit; /* for the policies */
	uint8_t read[SLOW_LINE_MAX], written[SLOW_LINE_MAX];
};

struct slow_cache {
	const struct ml_level_spec *spec;
	unsigned level, instance; /* level 0 is L1i */
	struct slow_line *lines;  /* sets * ways */
	bool *nodes;              /* of plru: by set, lo and hi */
	uint64_t duel;
	struct ml_order random;
	uint64_t *asked; /* all lines ever requested */
	size_t asked_count, asked_cap;
	struct slow_gone {
		uint64_t addr;
		uint32_t evictor;
	} * gone;
	size_t gone_count, gone_cap;
};

struct slow_sim {
	struct ml_machine m;
	struct ml_arena arena;
	struct slow_cache *caches; /* L1i, then the levels, instance by instance */
	size_t cache_count;
	struct ml_level_counts counts[ML_LEVELS + 1], tlb_counts[ML_TLBS];
	/* bytes over the link from a level to the next one outwards, as they cross it */
	uint64_t link_in[ML_LEVELS + 1], link_out[ML_LEVELS + 1];
	uint64_t pages; /* sum of hashes of what an observer hears of pages */
	uint64_t clock, access;
	bool gap;
	const uint64_t
		*future[ML_LEVELS + 1]; /* by level: all lines that will be requested */
	size_t future_count[ML_LEVELS + 1];
	uint64_t unit;
	struct slow_write {
		unsigned core;
		uint64_t addr, size, time;
	} * writes;
	size_t write_count, write_cap;
	struct slow_loss { /* a core lost a unit and has not requested it since */
		unsigned core, levels;
		uint64_t unit, time;
	} * losses;
	size_t loss_count, loss_cap;
	void (*leave)(void *arg, const struct ml_leave *l);
	void (*miss)(void *arg, const struct ml_miss *m);
	void (*bounce)(void *arg, const struct ml_bounce *b);
	void *arg;
};

/* One line of one access on its way. */
struct slow_request {
	uint64_t addr, size;
	unsigned core;
	enum ml_access_kind kind;
	uint32_t owner, access;
	enum ml_cause lost;
	unsigned lost_levels;
	unsigned losers; /* levels in which other cores lost the line */
	bool elsewhere;  /* the first level that it has not lost is exclusive, and another
			   core within has the line */
	struct slow_line
		*given; /* the line that an exclusive cache gives away on a hit */
	struct slow_cache *giver;
	bool comes; /* a level within takes the line */
	uint16_t causes;
};

static inline void slow_add_level(struct slow_sim *s, const struct ml_level_spec *l,
				  unsigned level)
{
	for (unsigned i = 0; i * l->share < s->m.cores; i++) {
		struct slow_cache *c = &s->caches[s->cache_count++];

		c->spec = l;
		c->level = level;
		c->instance = i;
		c->lines = ml_arena_alloc(&s->arena,
					  (size_t)l->sets * l->ways * sizeof(*c->lines));
		c->nodes = ml_arena_alloc(&s->arena, (size_t)l->sets * (l->ways + 1) *
							     (l->ways + 1));
		c->duel = 511;
		c->random.random = ml_state_seed(&s->m, level, i);
	}
}

static inline void slow_open(struct slow_sim *s, const struct ml_machine *m)
{
	*s = (struct slow_sim){ .m = *m };
	s->caches = ml_arena_alloc(&s->arena, (ML_LEVELS + 1 + ML_TLBS) * ML_CORES *
						      sizeof(*s->caches));
	if (m->split)
		slow_add_level(s, &s->m.icache, 0);
	for (unsigned i = 0; i < m->levels; i++) {
		slow_add_level(s, &s->m.level[i], i + 1);
		if (m->level[i].share < m->cores && m->level[i].line > s->unit)
			s->unit = m->level[i].line;
	}
	if (m->split && m->icache.share < m->cores && m->icache.line > s->unit)
		s->unit = m->icache.line;
}

static inline void slow_close(struct slow_sim *s)
{
	for (size_t i = 0; i < s->cache_count; i++) {
		ml_free(s->caches[i].asked);
		ml_free(s->caches[i].gone);
	}
	ml_free(s->writes);
	ml_free(s->losses);
	ml_arena_release(&s->arena);
}

static inline struct slow_cache *slow_cache(struct slow_sim *s, unsigned level,
					    unsigned core)
{
	for (size_t i = 0; i < s->cache_count; i++)
		if (s->caches[i].level == level &&
		    core / s->caches[i].spec->share == s->caches[i].instance)
			return &s->caches[i];
	return NULL;
}

static inline unsigned slow_core(const struct slow_cache *c)
{
	return c->instance * c->spec->share;
}

static inline size_t slow_places(const struct slow_cache *c)
{
	return (size_t)c->spec->sets * c->spec->ways;
}

static inline uint64_t slow_start(const struct slow_cache *c, uint64_t addr)
{
	return addr / c->spec->line * c->spec->line;
}

static inline struct slow_line *slow_ways(struct slow_cache *c, uint64_t addr)
{
	return c->lines + addr / c->spec->line % c->spec->sets * c->spec->ways;
}

static inline struct slow_line *slow_find(struct slow_cache *c, uint64_t addr)
{
	struct slow_line *ways = slow_ways(c, addr);

	for (uint32_t i = 0; i < c->spec->ways; i++)
		if (ways[i].held && ways[i].addr == slow_start(c, addr))
			return &ways[i];
	return NULL;
}

static inline bool slow_is(const struct slow_cache *c, const char *policy)
{
	return !strcmp(c->spec->policy->name, policy);
}

static inline void slow_tree(struct slow_cache *c, size_t set, uint32_t lo, uint32_t hi,
			     uint32_t way)
{
	uint32_t ways = c->spec->ways, low_half = (hi - lo + 1) / 2;
	bool *upper = &c->nodes[(set * (ways + 1) + lo) * (ways + 1) + hi];

	if (hi - lo < 2)
		return;
	*upper = way < lo + low_half;
	if (way < lo + low_half)
		slow_tree(c, set, lo, lo + low_half, way);
	else
		slow_tree(c, set, lo + low_half, hi, way);
}

static inline uint32_t slow_tree_victim(struct slow_cache *c, size_t set, uint32_t lo,
					uint32_t hi)
{
	uint32_t ways = c->spec->ways, low_half = (hi - lo + 1) / 2;

	if (hi - lo < 2)
		return lo;
	return c->nodes[(set * (ways + 1) + lo) * (ways + 1) + hi]
		       ? slow_tree_victim(c, set, lo + low_half, hi)
		       : slow_tree_victim(c, set, lo, lo + low_half);
}

static inline uint64_t slow_next(struct slow_sim *s, struct slow_cache *c, uint64_t addr)
{
	for (size_t i = c->asked_count; i < s->future_count[c->level]; i++)
		if (s->future[c->level][i] == slow_start(c, addr))
			return i;
	return UINT64_MAX;
}

/* A use of a line, by the rules of each policy; fill is the first. */
static inline void slow_touch(struct slow_sim *s, struct slow_cache *c,
			      struct slow_line *l, bool fill)
{
	size_t place = (size_t)(l - c->lines), set = place / c->spec->ways;
	struct slow_line *ways = c->lines + set * c->spec->ways;
	bool all = true;

	l->used = ++s->clock;
	if (fill) {
		l->came = s->clock;
		l->uses = 0;
	}
	l->uses++;
	slow_tree(c, set, 0, c->spec->ways, (uint32_t)(place % c->spec->ways));
	l->bit = 1;
	for (uint32_t i = 0; i < c->spec->ways; i++)
		all &= ways[i].held && ways[i].bit;
	for (uint32_t i = 0; all && i < c->spec->ways; i++)
		ways[i].bit = &ways[i] == l;
	if (c->spec->policy->future)
		l->next = slow_next(s, c, l->addr);
	if (!fill) {
		l->far = 0;
		return;
	}
	bool bimodal = slow_is(c, "brrip");
	l->far = 2;
	if (slow_is(c, "drrip")) {
		uint32_t period = c->spec->sets / 2;

		period = period > 32 ? 32 : period < 4 ? 4 : period;
		bimodal = c->duel > 511;
		if (set % period == 0) {
			bimodal = false;
			c->duel += c->duel < 1023;
		} else if (set % period == period / 2) {
			bimodal = true;
			c->duel -= c->duel > 0;
		}
	}
	if (bimodal && ml_order_random(&c->random) % 32)
		l->far = 3;
}

static inline struct slow_line *slow_victim(struct slow_cache *c, uint64_t addr)
{
	struct slow_line *w = slow_ways(c, addr), *v = w;
	uint32_t n = c->spec->ways;

	if (slow_is(c, "random"))
		return w + ((ml_order_random(&c->random) >> 32) * n >> 32);
	if (slow_is(c, "plru"))
		return w + slow_tree_victim(c, (size_t)(w - c->lines) / n, 0, n);
	while (strstr(c->spec->policy->name, "rrip")) {
		for (uint32_t i = 0; i < n; i++)
			if (w[i].far == 3)
				return w + i;
		for (uint32_t i = 0; i < n; i++)
			w[i].far++;
	}
	for (struct slow_line *l = w + 1; l < w + n; l++)
		if ((slow_is(c, "lru") && l->used < v->used) ||
		    (slow_is(c, "fifo") && l->came < v->came) ||
		    (slow_is(c, "mru") && l->used > v->used) ||
		    (slow_is(c, "nru") && l->bit < v->bit) ||
		    (slow_is(c, "lfu") &&
		     (l->uses < v->uses || (l->uses == v->uses && l->used < v->used))) ||
		    (slow_is(c, "opt") && l->next > v->next) ||
		    (slow_is(c, "pes") && l->next < v->next))
			v = l;
	return v;
}

static inline void slow_evictor(struct slow_cache *c, uint64_t addr, uint32_t owner)
{
	c->gone = ml_grow(c->gone, &c->gone_cap, c->gone_count + 1, sizeof(*c->gone));
	c->gone[c->gone_count++] = (struct slow_gone){ addr, owner };
}

static inline uint64_t slow_mask(const struct slow_cache *c, const uint8_t *bytes)
{
	uint64_t mask = 0, granule = c->spec->line > 64 ? c->spec->line / 64 : 1;

	for (uint64_t i = 0; i < c->spec->line; i++)
		if (bytes[i])
			mask |= (uint64_t)1 << (i / granule);
	return mask;
}

/*
 * Sends written data outwards from the level of c to the first level that can keep them.
 */
static inline void slow_carry(struct slow_sim *s, unsigned core, unsigned level,
			      uint64_t addr, uint64_t size)
{
	for (; level <= s->m.levels; level++) {
		struct slow_cache *c = slow_cache(s, level, core);
		struct slow_line *l = slow_find(c, addr);

		if (l && !c->spec->write_through) {
			l->dirty = true;
			return;
		}
		s->link_out[level] += size;
		if (l) {
			s->counts[level].through++;
			s->counts[level].through_bytes += size;
		} else {
			s->counts[level].past_bytes += size;
		}
	}
}

/*
 * Dirty data of a line leave c for the given level, or memory, because another core or an
 * inclusive level takes them. They end where they meet dirty data, which go the same way
 * later.
 */
static inline void slow_travel(struct slow_sim *s, struct slow_cache *c,
			       struct slow_line *l, unsigned to)
{
	s->link_out[c->level] += c->spec->line;
	s->counts[c->level].taken++;
	for (unsigned level = (c->level ? c->level : 1) + 1; level < to; level++) {
		struct slow_line *copy = slow_find(slow_cache(s, level, slow_core(c)),
						   l->addr);

		if (copy && copy->dirty)
			return;
		s->link_out[level] += c->spec->line;
		s->counts[level].past_bytes += c->spec->line;
	}
}

/* Removes the line from c, and adds its use to the next copy outwards. */
static inline void slow_leave(struct slow_sim *s, struct slow_cache *c,
			      struct slow_line *l, bool tell)
{
	unsigned level = c->level ? c->level : 1;

	for (bool told = !tell; !told && ++level <= s->m.levels;) {
		struct slow_cache *outer = slow_cache(s, level, slow_core(c));
		struct slow_line *copy = slow_find(outer, l->addr);

		for (uint64_t i = 0; copy && i < c->spec->line; i++) {
			copy->read[l->addr - copy->addr + i] |= l->read[i];
			copy->written[l->addr - copy->addr + i] |= l->written[i];
		}
		told = copy;
	}
	struct ml_leave leave = {
		.level = c->level,
		.core = slow_core(c),
		.set = (uint32_t)((size_t)(l - c->lines) / c->spec->ways),
		.line = l->addr,
		.owner = l->owner,
		.dirty = l->dirty,
		.asked = true,
		.write_first = l->write_first,
		.read = slow_mask(c, l->read),
		.written = slow_mask(c, l->written),
	};
	if (s->leave)
		s->leave(s->arg, &leave);
	l->held = false;
	l->dirty = false;
}

static inline void slow_take(struct slow_sim *s, struct slow_cache *c,
			     struct slow_line *l, uint32_t evictor)
{
	s->counts[c->level].invalidations++;
	s->counts[c->level].write_backs += l->dirty;
	slow_evictor(c, l->addr, evictor);
	slow_leave(s, c, l, true);
}

static inline struct slow_line *slow_fill(struct slow_sim *s, struct slow_request *q,
					  struct slow_cache *c, uint64_t addr);

static inline void slow_write(struct slow_sim *s, struct slow_cache *c,
			      struct slow_line *l, uint64_t addr, uint64_t size)
{
	if (!c->spec->write_through) {
		l->dirty = true;
		return;
	}
	l->dirty = false;
	s->counts[c->level].through++;
	s->counts[c->level].through_bytes += size;
	s->link_out[c->level] += size;
	slow_carry(s, slow_core(c), (c->level ? c->level : 1) + 1, addr, size);
}

static inline void slow_evict(struct slow_sim *s, struct slow_request *q,
			      struct slow_cache *c, struct slow_line *l)
{
	unsigned level = c->level ? c->level : 1;
	struct slow_cache *outer = level < s->m.levels
					   ? slow_cache(s, level + 1, slow_core(c))
					   : NULL;
	bool moves = outer && outer->spec->inclusion == ML_EXCLUSIVE;

	s->counts[c->level].evictions++;
	slow_evictor(c, l->addr, q->owner);
	for (unsigned within = 0; c->spec->inclusion == ML_INCLUSIVE && within < c->level;
	     within++)
		for (size_t i = 0; i < s->cache_count; i++) {
			struct slow_cache *in = &s->caches[i];

			if (in->level != within ||
			    slow_core(in) / c->spec->share != c->instance)
				continue;
			for (size_t k = 0; k < slow_places(in); k++)
				if (in->lines[k].held &&
				    slow_start(c, in->lines[k].addr) == l->addr) {
					l->dirty |= in->lines[k].dirty;
					if (in->lines[k].dirty)
						slow_travel(s, in, &in->lines[k],
							    c->level);
					slow_take(s, in, &in->lines[k], q->owner);
				}
		}
	s->counts[c->level].write_backs += l->dirty;
	if (l->dirty || moves)
		s->link_out[c->level] += c->spec->line;
	if (l->dirty && !moves)
		slow_carry(s, slow_core(c), level + 1, l->addr, c->spec->line);
	struct slow_line was = *l;
	slow_leave(s, c, l, !moves);
	if (!moves)
		return;
	struct slow_line *copy = slow_find(outer, was.addr);
	if (!copy) {
		copy = slow_fill(s, q, outer, was.addr);
		copy->owner = was.owner;
		copy->write_first = was.write_first;
	}
	if (was.dirty)
		slow_write(s, outer, copy, was.addr, outer->spec->line);
	for (uint64_t i = 0; i < c->spec->line; i++) {
		copy->read[i] |= was.read[i];
		copy->written[i] |= was.written[i];
	}
}

static inline struct slow_line *slow_fill(struct slow_sim *s, struct slow_request *q,
					  struct slow_cache *c, uint64_t addr)
{
	struct slow_line *l = NULL, *ways = slow_ways(c, addr);

	for (uint32_t i = 0; i < c->spec->ways && !l; i++)
		if (!ways[i].held)
			l = &ways[i];
	if (!l) {
		l = slow_victim(c, addr);
		slow_evict(s, q, c, l);
	}
	*l = (struct slow_line){
		.held = true,
		.addr = slow_start(c, addr),
		.owner = q->owner,
		.since = s->access,
		.write_first = q->kind == ML_ACCESS_WRITE,
	};
	slow_touch(s, c, l, true);
	s->counts[c->level].fills++;
	return l;
}

/* Finds the cause from all earlier requests to this cache. */
static inline enum ml_cause slow_cause(struct slow_sim *s, struct slow_cache *c,
				       struct slow_request *q, unsigned level)
{
	uint64_t line = slow_start(c, q->addr);
	size_t distinct = 0, at = c->asked_count;
	bool ever = false;

	for (size_t i = 0; i < c->asked_count; i++)
		ever |= c->asked[i] == line;
	if (!ever)
		return s->gap ? ML_CAUSE_UNKNOWN : ML_CAUSE_COLD;
	if (level <= q->lost_levels || q->elsewhere)
		return q->lost;
	while (c->asked[--at] != line && distinct < slow_places(c)) {
		bool again = false;

		for (size_t i = at + 1; i < c->asked_count && !again; i++)
			again = c->asked[i] == c->asked[at];
		distinct += !again;
	}
	return distinct < slow_places(c) ? ML_CAUSE_CONFLICT : ML_CAUSE_CAPACITY;
}

/* Levels, from the first, that two cores do not share. */
static inline unsigned slow_apart(struct slow_sim *s, unsigned a, unsigned b)
{
	unsigned apart = 0;

	for (unsigned i = 0; i < s->m.levels; i++)
		apart += a / s->m.level[i].share != b / s->m.level[i].share;
	return apart;
}

static inline void slow_lose(struct slow_sim *s, unsigned core, uint64_t unit,
			     unsigned levels)
{
	for (size_t i = 0; i < s->loss_count; i++)
		if (s->losses[i].core == core && s->losses[i].unit == unit) {
			if (s->losses[i].levels < levels)
				s->losses[i].levels = levels;
			return;
		}
	s->losses = ml_grow(s->losses, &s->loss_cap, s->loss_count + 1,
			    sizeof(*s->losses));
	s->losses[s->loss_count++] = (struct slow_loss){ core, levels, unit,
							 s->write_count };
}

/*
 * The first level misses: finds whether this core had lost the line, and the bytes
 * written since.
 */
static inline void slow_ask_again(struct slow_sim *s, struct slow_request *q)
{
	uint64_t granule = s->unit > 64 ? s->unit / 64 : 1;

	for (size_t i = 0; i < s->loss_count; i++) {
		struct slow_loss *l = &s->losses[i];

		if (l->core != q->core || l->unit != q->addr / s->unit)
			continue;
		q->lost = ML_CAUSE_FALSE_SHARING;
		q->lost_levels = l->levels;
		for (size_t w = l->time; w < s->write_count; w++) {
			const struct slow_write *x = &s->writes[w];

			if (x->core != q->core && x->addr / s->unit == l->unit &&
			    x->addr / granule <= (q->addr + q->size - 1) / granule &&
			    q->addr / granule <= (x->addr + x->size - 1) / granule)
				q->lost = ML_CAUSE_SHARING;
		}
		*l = s->losses[--s->loss_count];
		break;
	}
	if (!q->lost || q->lost_levels == s->m.levels)
		return;
	struct slow_cache *outer = slow_cache(s, q->lost_levels + 1, q->core);

	for (size_t n = 0; outer->spec->inclusion == ML_EXCLUSIVE && n < s->cache_count;
	     n++) {
		struct slow_cache *c = &s->caches[n];

		if (c->level > q->lost_levels ||
		    q->core / c->spec->share == c->instance ||
		    slow_core(c) / outer->spec->share != outer->instance)
			continue;
		for (uint64_t at = 0; at < s->unit; at += c->spec->line)
			q->elsewhere |= slow_find(c, q->addr / s->unit * s->unit + at) !=
					NULL;
	}
}

static inline void slow_snoop(struct slow_sim *s, struct slow_request *q, bool write)
{
	uint64_t unit = q->addr / s->unit;
	bool bounced[ML_CORES] = { false }, lost[ML_CORES] = { false };

	for (unsigned level = 0; level <= s->m.levels; level++)
		for (size_t n = 0; n < s->cache_count; n++) {
			struct slow_cache *c = &s->caches[n];
			unsigned holder = slow_core(c);

			if (c->level != level || q->core / c->spec->share == c->instance)
				continue;
			for (size_t k = 0; k < slow_places(c); k++) {
				struct slow_line *l = &c->lines[k];
				unsigned apart = slow_apart(s, q->core, holder);
				bool known = false;

				if (!l->held || l->addr / s->unit != unit)
					continue;
				if (l->dirty) {
					slow_travel(s, c, l, apart + 1);
					slow_carry(s, q->core, apart + 1, l->addr,
						   c->spec->line);
				}
				for (unsigned i = holder;
				     i < holder + c->spec->share && i < ML_CORES; i++)
					known |= bounced[i];
				if (!known)
					bounced[holder] = l->dirty || write;
				if (write) {
					slow_take(s, c, l, ML_NO_OWNER);
					for (unsigned i = holder;
					     i < holder + c->spec->share &&
					     i < s->m.cores;
					     i++)
						lost[i] = true;
					if (q->losers < apart)
						q->losers = apart;
				} else if (l->dirty) {
					s->counts[c->level].write_backs++;
					l->dirty = false;
				}
			}
		}
	for (unsigned core = 0; core < s->m.cores; core++) {
		struct ml_bounce b = { unit * s->unit, core,  q->core,
				       q->access,      write, q->lost };

		if (lost[core])
			slow_lose(s, core, unit, slow_apart(s, q->core, core));
		if (bounced[core] && s->bounce)
			s->bounce(s->arg, &b);
	}
}

/* Asks one level and, on a miss, those behind it. Returns the serving level. */
static inline unsigned slow_ask(struct slow_sim *s, struct slow_request *q,
				unsigned level, bool as_write)
{
	if (level > s->m.levels)
		return level;
	bool fetch = level == 1 && q->kind == ML_ACCESS_FETCH && s->m.split;
	struct slow_cache *c = slow_cache(s, fetch ? 0 : level, q->core);
	struct slow_line *l = slow_find(c, q->addr);
	struct ml_level_counts *n = &s->counts[c->level];
	uint64_t line = slow_start(c, q->addr);

	if (level == 1 && c->spec->share < s->m.cores && !l)
		slow_ask_again(s, q);
	if (level == 1 && c->spec->share < s->m.cores && (!l || (as_write && !l->dirty)))
		slow_snoop(s, q, q->kind == ML_ACCESS_WRITE);
	n->asked[q->kind]++;
	n->missed[q->kind] += !l;
	if (!l) {
		enum ml_cause cause = slow_cause(s, c, q, level);
		struct ml_miss miss = {
			.level = c->level,
			.core = q->core,
			.access = q->access,
			.set = (uint32_t)(line / c->spec->line % c->spec->sets),
			.line = line,
			.kind = q->kind,
			.cause = cause,
			.owner = q->owner,
			.evictor = ML_NO_OWNER,
		};

		n->cause[cause]++;
		q->causes = ml_outcome_with(q->causes, level, cause);
		for (size_t i = 0; i < c->gone_count; i++)
			if (c->gone[i].addr == line)
				miss.evictor = c->gone[i].evictor;
		if (s->miss)
			s->miss(s->arg, &miss);
	}
	c->asked = ml_grow(c->asked, &c->asked_cap, c->asked_count + 1, 8);
	c->asked[c->asked_count++] = line;
	if (l) {
		if (q->kind == ML_ACCESS_WRITE && q->losers >= level)
			n->upgrades++;
		if (as_write || c->spec->inclusion != ML_EXCLUSIVE)
			slow_touch(s, c, l, false);
		if (as_write)
			slow_write(s, c, l, q->addr, q->size);
		else if (c->spec->inclusion == ML_EXCLUSIVE) {
			q->given = l;
			q->giver = c;
		}
		return level;
	}
	bool takes = c->spec->inclusion != ML_EXCLUSIVE &&
		     !(as_write && c->spec->no_allocate);
	if (as_write && !takes) {
		n->through++;
		n->through_bytes += q->size;
		s->link_out[c->level] += q->size;
	}
	q->comes |= takes;
	bool comes = q->comes;
	unsigned served = slow_ask(s, q, level + 1, as_write && !takes);
	if (comes)
		s->link_in[c->level] += c->spec->line;
	if (!takes)
		return served;
	struct slow_line was = { 0 };
	if (q->given) {
		was = *q->given;
		s->counts[q->giver->level].given++;
		slow_leave(s, q->giver, q->given, false);
		q->given = NULL;
	}
	l = slow_fill(s, q, c, q->addr);
	memcpy(l->read, was.read, sizeof(l->read));
	memcpy(l->written, was.written, sizeof(l->written));
	if (was.dirty)
		slow_write(s, c, l, l->addr, c->spec->line);
	if (as_write)
		slow_write(s, c, l, q->addr, q->size);
	return served;
}

static inline uint16_t slow_line_access(struct slow_sim *s, struct slow_request *q)
{
	bool write = q->kind == ML_ACCESS_WRITE;

	q->lost = ML_CAUSE_NONE;
	q->comes = q->elsewhere = false;
	q->lost_levels = q->losers = q->causes = 0;
	unsigned served = slow_ask(s, q, 1, write);
	if (write) {
		s->writes = ml_grow(s->writes, &s->write_cap, s->write_count + 1,
				    sizeof(*s->writes));
		s->writes[s->write_count++] = (struct slow_write){ q->core, q->addr,
								   q->size, s->access };
	}
	for (unsigned level = 1; level <= s->m.levels; level++) {
		bool fetch = level == 1 && q->kind == ML_ACCESS_FETCH && s->m.split;
		struct slow_line *l = slow_find(slow_cache(s, fetch ? 0 : level, q->core),
						q->addr);

		if (!l)
			continue;
		for (uint64_t i = 0; i < q->size; i++)
			(write ? l->written : l->read)[q->addr - l->addr + i] = 1;
		break;
	}
	return (uint16_t)(q->causes | served);
}

/* A TLB is a cache of pages; instances are made when they are first asked. */
static inline struct slow_cache *slow_tlb(struct slow_sim *s, unsigned tlb, unsigned core)
{
	unsigned level = ML_LEVELS + 1 + tlb;

	if (!slow_cache(s, level, core))
		slow_add_level(s, &s->m.tlb[tlb], level);
	return slow_cache(s, level, core);
}

/* The TLB that knows a page, from 0; it comes into those before. */
static inline unsigned slow_page(struct slow_sim *s, unsigned core,
				 enum ml_access_kind kind, uint64_t addr)
{
	unsigned found = 0;

	for (; found < s->m.tlbs; found++) {
		struct slow_cache *c = slow_tlb(s, found, core);
		struct slow_line *l = slow_find(c, addr);

		s->tlb_counts[found].asked[kind]++;
		s->tlb_counts[found].missed[kind] += !l;
		if (l) {
			slow_touch(s, c, l, false);
			break;
		}
	}
	for (unsigned i = found; i-- > 0;) {
		struct slow_cache *c = slow_tlb(s, i, core);
		struct slow_line *ways = slow_ways(c, addr), *l = NULL;

		for (uint32_t k = 0; k < c->spec->ways && !l; k++)
			if (!ways[k].held)
				l = &ways[k];
		s->tlb_counts[i].evictions += !l;
		if (!l)
			l = slow_victim(c, addr);
		*l = (struct slow_line){ .held = true, .addr = slow_start(c, addr) };
		slow_touch(s, c, l, true);
		s->tlb_counts[i].fills++;
	}
	return found;
}

/* All pages of a data access, in ascending order. */
static inline void slow_translate(struct slow_sim *s, unsigned core,
				  enum ml_access_kind kind, uint64_t addr, uint64_t size,
				  uint32_t index)
{
	uint64_t page = s->m.tlb[0].line, first = addr / page;

	for (uint64_t i = first; i <= (addr + size - 1) / page; i++) {
		uint64_t found = slow_page(s, core, kind, i == first ? addr : i * page);
		uint64_t words[] = { index, core, found, i != first };

		if (found || i != first)
			s->pages += ml_hash(words, sizeof(words));
	}
}

static inline uint16_t slow_access(struct slow_sim *s, unsigned core,
				   enum ml_access_kind kind, uint64_t addr, uint64_t size,
				   uint32_t owner, uint32_t index)
{
	bool fetch = kind == ML_ACCESS_FETCH && s->m.split;
	uint64_t line = fetch ? s->m.icache.line : s->m.level[0].line;
	struct slow_request q = {
		.core = core, .kind = kind, .owner = owner, .access = index
	};
	uint16_t outcome = 0;

	if (s->m.tlbs && kind != ML_ACCESS_FETCH)
		slow_translate(s, core, kind, addr, size, index);
	for (uint64_t end = addr + size; addr < end; addr += q.size) {
		q.addr = addr;
		q.size = line - addr % line < end - addr ? line - addr % line
							 : end - addr;
		uint16_t one = slow_line_access(s, &q);
		if (ml_outcome_served(one) > ml_outcome_served(outcome))
			outcome = one;
	}
	s->access++;
	return outcome;
}
