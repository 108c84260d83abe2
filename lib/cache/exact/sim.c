#include "lib/cache/exact/sim.h"

#include <string.h>

#include "lib/cache/exact/coherence.h"
#include "lib/cache/exact/miss_cause.h"
#include "lib/cache/exact/motion.h"
#include "lib/cache/exact/prefetch.h"
#include "lib/cache/exact/translate.h"

/* Takes the next hint of a level. A run that lacks one ends after the current access. */
static uint64_t take_hint(struct ml_sim *s, unsigned level)
{
	struct ml_sim_hints *h = &s->hints[level];

	if (!h->left && !s->failed) {
		s->failed = !h->from.fill(h->from.arg, &h->next, &h->left, s->err);
		if (!s->failed && !h->left)
			s->failed = !ml_fail(s->err, ML_FORMAT,
					     "the future of level %u ends too early",
					     level);
	}
	if (s->failed)
		return UINT64_MAX;
	h->left--;
	return *h->next++;
}

struct access {
	struct ml_cache *const *path;
	uint64_t addr, last; /* bytes */
	unsigned core;
	enum ml_access_kind kind;
};

/* One request on its way outwards. */
struct journey {
	uint16_t outcome;
	unsigned depth;  /* the depth at which the line was found */
	size_t at;       /* its place there */
	unsigned fills;  /* bit by depth: these caches fill the line */
	unsigned writer; /* the depth at which the write is done */
	bool as_write;   /* the request is still a write: no cache has allocated the line
			    for it */
	bool fresh;      /* this is the first demand for a prefetched line */
	enum ml_cause lost;   /* the cause, if the core lost the line to another one... */
	unsigned lost_levels; /* ...in this number of levels */
	unsigned losers;      /* levels in which other cores lost the line now */
};

/*
 * The number, in its book, of a line that c misses. Mostly the level within has looked it
 * up.
 */
static uint32_t book_entry(const struct ml_request *q, const struct ml_cache *c,
			   unsigned depth)
{
	struct ml_book *b = c->miss_cause->book;

	return depth && q->entry[depth - 1] && q->path[depth - 1]->miss_cause->book == b
		       ? q->entry[depth - 1]
		       : ml_book_find(b, q->addr >> c->bits);
}

/* A demand reaches a cache, which holds the line at j->at or misses it. */
ML_BODY void demand(struct ml_sim *s, struct ml_request *q, struct ml_cache *c,
		    struct journey *j, bool plain)
{
	unsigned depth = j->depth;
	bool missed = j->at == ML_NOWHERE;
	enum ml_cause cause = ML_CAUSE_NONE;
	uint32_t entry = 0;

	c->counts->asked[q->kind]++;
	c->counts->missed[q->kind] += missed;
	if (!plain && c->policy->future)
		q->hint[depth] = take_hint(s, c->level);
	if (!plain && c->miss_cause) {
		entry = missed ? book_entry(q, c, depth) : c->notes[j->at].entry;
		enum ml_miss_cause_answer answer = ml_miss_cause_ask(c->miss_cause,
								     entry);

		q->entry[depth] = entry;
		if (missed) {
			cause = ml_sim_cause(s, answer);
			if (depth < j->lost_levels && answer != ML_MISS_CAUSE_NEW)
				cause = j->lost;
			c->counts->cause[cause]++;
			j->outcome = ml_outcome_with(j->outcome, depth + 1, cause);
		}
	}
	if (missed && s->observer.miss) {
		struct ml_miss m = {
			.level = c->level,
			.core = q->core,
			.access = q->access,
			.set = ml_cache_set(c, q->addr >> c->bits),
			.line = q->addr >> c->bits << c->bits,
			.kind = q->kind,
			.cause = cause,
			.owner = q->owner,
			.evictor = entry ? ml_miss_cause_evictor(c->miss_cause, entry)
					 : ML_NO_OWNER,
		};

		s->observer.miss(s->observer.arg, &m);
	}
	if (plain)
		return;
	if (!missed && c->flags[j->at] & ML_PREFETCHED) {
		c->flags[j->at] &= (uint8_t)~ML_PREFETCHED;
		c->counts->useful++;
		j->fresh = true;
	}
	if (c->prefetcher && (q->first || c->prefetcher->kind != ML_PREFETCH_STRIDE)) {
		uint64_t lines[ML_PREFETCH_DEGREE];
		unsigned count = ml_prefetch_ask(c->prefetcher, q->addr, q->site,
						 missed || j->fresh, lines);

		s->prefetches = ml_grow(s->prefetches, &s->prefetch_cap,
					s->prefetch_count + count,
					sizeof(*s->prefetches));
		for (unsigned i = 0; i < count; i++)
			s->prefetches[s->prefetch_count++] =
				(struct ml_sim_prefetch){ c, lines[i] };
	}
}

static void note_through(struct ml_sim *s, const struct ml_request *q,
			 const struct ml_cache *c, unsigned to)
{
	if (!(s->want & ML_SIM_MOVES))
		return;
	*ml_motion_next(s) = (struct ml_move){
		.line = q->addr >> c->bits << c->bits,
		.access = q->access,
		.set = ml_cache_set(c, q->addr >> c->bits),
		.kind = ML_MOVE_THROUGH,
		.from = (uint8_t)c->level,
		.to = (uint8_t)to,
		.core = (uint8_t)ml_cache_core(c),
		.other = (uint8_t)q->core,
	};
}

/* The bytes of one unit as a mask (sharing.h). */
static uint64_t unit_mask(const struct ml_sim *s, uint64_t addr, uint64_t size)
{
	uint64_t offset = addr & (((uint64_t)1 << s->unit_bits) - 1);
	unsigned granule = s->unit_bits > 6 ? s->unit_bits - 6 : 0;
	unsigned first = (unsigned)(offset >> granule);
	unsigned last = (unsigned)((offset + size - 1) >> granule);

	return UINT64_MAX >> (63 - (last - first)) << first;
}

/*
 * Several cores: a cache that not all cores share misses the line, or is the first cache
 * that is asked to write it.
 */
static void ask_others(struct ml_sim *s, const struct ml_request *q, struct journey *j)
{
	uint64_t unit = q->addr >> s->unit_bits;
	bool write = q->demand && q->kind == ML_ACCESS_WRITE;
	unsigned held;

	if (j->at != ML_NOWHERE && (!write || q->path[j->depth]->flags[j->at] & ML_DIRTY))
		return;
	if (s->want & ML_SIM_CAUSES && j->at == ML_NOWHERE)
		j->lost = ml_sharing_ask(&s->sharing, unit, q->core,
					 unit_mask(s, q->addr, q->size), &j->lost_levels);
	j->losers = ml_coherence_snoop(s, q, write, j->lost, &held);
	/* an exclusive level lacks the line because another core within has it */
	if (j->lost && j->lost_levels < s->levels && held >> j->lost_levels & 1 &&
	    q->path[j->lost_levels]->spec->inclusion == ML_EXCLUSIVE)
		j->lost_levels = s->levels;
}

/* Asks the caches in turn, from j->depth on, until one holds the line. */
ML_BODY void go_out(struct ml_sim *s, struct ml_request *q, struct journey *j, bool plain)
{
	for (unsigned first = j->depth; j->depth < s->levels; j->depth++) {
		struct ml_cache *c = q->path[j->depth];

		j->at = plain && j->depth == 0 && q->missed
				? ML_NOWHERE
				: ml_cache_find(c, q->addr >> c->bits);
		if (!plain && j->depth == first && s->coherent &&
		    c->spec->share < s->cores)
			ask_others(s, q, j);
		if (q->demand)
			demand(s, q, c, j, plain);
		if (j->at != ML_NOWHERE)
			return;
		if (plain || (c->spec->inclusion != ML_EXCLUSIVE &&
			      !(j->as_write && c->spec->no_allocate))) {
			j->fills |= 1u << j->depth;
			if (j->as_write)
				j->writer = j->depth;
			j->as_write = false;
		} else if (j->as_write) {
			c->counts->through++;
			c->counts->through_bytes += q->size;
			note_through(s, q, c, j->depth + 2);
		}
	}
	j->at = ML_NOWHERE;
}

/* The line was found. An exclusive cache gives it away if a level within takes it. */
ML_BODY void found(struct ml_sim *s, const struct ml_request *q, const struct journey *j,
		   struct ml_cargo *cargo, bool plain)
{
	struct ml_cache *c = q->path[j->depth];
	struct ml_sim_place p = { c, j->at };

	if (plain || c->spec->inclusion != ML_EXCLUSIVE || !j->fills) {
		uint32_t set = ml_cache_set(c, q->addr >> c->bits);

		ml_policy_hit(c->policy, &c->order, set, ml_cache_way(c, set, j->at),
			      plain ? 0 : q->hint[j->depth]);
		if (!plain)
			ml_motion_note(s, q, ML_MOVE_HIT, p, c->level, c->level, q->core);
		return;
	}
	cargo->dirty = c->flags[j->at] & ML_DIRTY;
	if (c->use) {
		cargo->read = c->notes[j->at].read;
		cargo->written = c->notes[j->at].written;
	}
	unsigned to = j->depth - 1;
	while (!(j->fills >> to & 1))
		to--;
	ml_motion_note(s, q, ML_MOVE_EVICT, p, c->level, q->path[to]->level, q->core);
	c->counts->given++;
	ml_motion_leave(s, p, false);
}

/* Fills the caches within. Returns the innermost place that holds the line then. */
ML_BODY struct ml_sim_place come_in(struct ml_sim *s, const struct ml_request *q,
				    const struct journey *j, bool plain)
{
	struct ml_cargo cargo = {
		.from = j->depth + 1,
		.prefetched = !q->demand,
		.write_first = q->demand && q->kind == ML_ACCESS_WRITE,
		.owner = q->owner,
	};
	struct ml_sim_place p = { NULL, ML_NOWHERE };

	if (j->at != ML_NOWHERE) {
		p = (struct ml_sim_place){ q->path[j->depth], j->at };
		found(s, q, j, &cargo, plain);
	}
	for (unsigned depth = j->depth; depth-- > 0;) {
		if (!plain && !(j->fills >> depth & 1))
			continue;
		p.cache = q->path[depth];
		cargo.hint = plain ? 0 : q->hint[depth];
		cargo.entry = q->entry[depth];
		if (plain) {
			p.at = ml_cache_room(p.cache, q->addr >> p.cache->bits);
			ml_motion_fill_at(s, q, p, q->addr >> p.cache->bits, &cargo,
					  true);
			continue;
		}
		p.at = ml_motion_fill(s, q, p.cache, q->addr, &cargo);
		cargo.from = p.cache->level;
		cargo.dirty = false;
		cargo.read = cargo.written = 0;
	}
	return p;
}

static void write_line(struct ml_sim *s, const struct ml_request *q,
		       const struct journey *j)
{
	if (s->coherent && s->want & ML_SIM_CAUSES)
		ml_sharing_write(&s->sharing, q->addr >> s->unit_bits, q->core,
				 unit_mask(s, q->addr, q->size));
	if (j->writer == s->levels)
		return;
	struct ml_cache *c = q->path[j->writer];
	if (c->spec->write_through) {
		c->counts->through++;
		c->counts->through_bytes += q->size;
		note_through(
			s, q, c,
			ml_motion_carry(s, q->core, j->writer + 1, q->addr, q->size));
		return;
	}
	size_t at = j->writer == j->depth ? j->at : ml_cache_find(c, q->addr >> c->bits);
	c->flags[at] |= ML_DIRTY;
}

static inline void touch(struct ml_sim_place p, bool write, uint64_t addr, uint64_t size)
{
	struct ml_cache_note *n = &p.cache->notes[p.at];

	*(write ? &n->written : &n->read) |= ml_cache_bytes(p.cache, addr, size);
}

/* Serves a request for one line at path[depth]. Returns the outcome. */
ML_BODY uint16_t serve_body(struct ml_sim *s, struct ml_request *q, unsigned depth,
			    bool plain)
{
	struct journey j = { .depth = depth, .writer = s->levels };
	bool write = q->demand && q->kind == ML_ACCESS_WRITE;

	j.as_write = write;
	go_out(s, q, &j, plain);
	if (j.as_write)
		j.writer = j.depth;
	if (!plain && write && j.at != ML_NOWHERE && j.losers > j.depth)
		q->path[j.depth]->counts->upgrades++;
	struct ml_sim_place p = come_in(s, q, &j, plain);
	if (write && plain)
		p.cache->flags[p.at] |= ML_DIRTY;
	else if (write)
		write_line(s, q, &j);
	if (!plain && q->demand && p.cache && p.cache->use)
		touch(p, write, q->addr, q->size);
	return (uint16_t)(j.outcome | (j.depth + 1));
}

static uint16_t serve(struct ml_sim *s, struct ml_request *q, unsigned depth)
{
	return serve_body(s, q, depth, false);
}

static uint16_t serve_plainly(struct ml_sim *s, struct ml_request *q)
{
	return serve_body(s, q, 0, true);
}

static void prefetch(struct ml_sim *s, const struct ml_request *of)
{
	for (size_t i = 0; i < s->prefetch_count; i++) {
		struct ml_cache *c = s->prefetches[i].into;
		struct ml_request q = *of;

		if (ml_cache_find(c, s->prefetches[i].line) != ML_NOWHERE)
			continue;
		q.demand = false;
		memset(q.entry, 0, sizeof(q.entry));
		q.addr = s->prefetches[i].line << c->bits;
		q.size = 1;
		serve(s, &q, ml_cache_depth(c));
	}
	s->prefetch_count = 0;
}

/* Whether an access stays in the page that its core used last, which changes nothing. */
ML_BODY bool same_page(const struct ml_sim *s, const struct access *x)
{
	unsigned bits = s->tlbs[0]->bits;
	uint64_t page = s->last_page[x->core];

	return (x->addr >> bits) + 1 == page && (x->last >> bits) + 1 == page;
}

ML_BODY void translate_access(struct ml_sim *s, const struct access *x, uint32_t access)
{
	if (same_page(s, x))
		s->tlb_counts[0].asked[x->kind]++;
	else
		ml_translate(s, x->core, x->kind, x->addr, x->last, access);
}

static uint16_t access_slowly(struct ml_sim *s, const struct ml_accesses *a, size_t i,
			      struct access x, bool missed)
{
	struct ml_request q = {
		.path = x.path,
		.access = (uint32_t)i,
		.site = a->site ? a->site[i] : 0,
		.owner = a->owner ? a->owner[i] : ML_NO_OWNER,
		.core = x.core,
		.kind = x.kind,
		.demand = true,
		.first = true,
		.missed = missed,
	};
	unsigned bits = q.path[0]->bits;
	uint16_t outcome = 0;

	for (uint64_t line = x.addr >> bits; line <= x.last >> bits; line++) {
		uint64_t end = line == x.last >> bits ? x.last : ((line + 1) << bits) - 1;

		q.addr = line == x.addr >> bits ? x.addr : line << bits;
		q.size = end - q.addr + 1;
		uint16_t one = s->plain ? serve_plainly(s, &q) : serve(s, &q, 0);
		if (ml_outcome_served(one) > ml_outcome_served(outcome))
			outcome = one;
		q.first = false;
	}
	if (s->prefetch_count)
		prefetch(s, &q);
	return outcome;
}

enum fast { HIT, MISSED, UNSURE };

/* Serves the access in the first level alone, if that is all that it takes. */
ML_BODY enum fast access_fast(struct ml_sim *s, struct access x, bool plain)
{
	struct ml_cache *c = x.path[0];
	uint64_t line = x.addr >> c->bits;
	bool write = x.kind == ML_ACCESS_WRITE;

	if (x.last >> c->bits != line)
		return UNSURE;
	size_t at = ml_cache_look(c, line);
	if (at == ML_NOWHERE)
		return MISSED;
	if (!plain && c->flags[at] & ML_PREFETCHED)
		return UNSURE;
	/* a dirty line is in no cache of other cores */
	if (!plain && write &&
	    (c->spec->write_through || (s->coherent && !(c->flags[at] & ML_DIRTY))))
		return UNSURE;
	if (!plain && write && s->coherent && s->want & ML_SIM_CAUSES)
		ml_sharing_write(&s->sharing, x.addr >> s->unit_bits, x.core,
				 unit_mask(s, x.addr, x.last - x.addr + 1));
	if (write)
		c->flags[at] |= ML_DIRTY;
	uint32_t set = ml_cache_set(c, line);
	c->counts->asked[x.kind]++;
	ml_policy_hit(c->policy, &c->order, set, ml_cache_way(c, set, at), 0);
	if (!plain && c->use)
		touch((struct ml_sim_place){ c, at }, write, x.addr, x.last - x.addr + 1);
	if (!plain && c->miss_cause)
		ml_miss_cause_ask(c->miss_cause, c->notes[at].entry);
	return HIT;
}

ML_BODY struct access access_at(const struct ml_sim *s, const struct ml_accesses *a,
				size_t i, bool plain)
{
	enum ml_access_kind kind = (enum ml_access_kind)(a->what[i] >> 14);
	uint64_t size = a->what[i] & 0x3fff;
	struct access x = {
		.addr = a->addr[i],
		.last = a->addr[i] + size - (size > 0),
		.core = plain || !a->core ? 0 : a->core[i] % s->cores,
		.kind = kind > ML_ACCESS_FETCH ? ML_ACCESS_READ : kind,
	};

	if (x.last < x.addr)
		x.last = UINT64_MAX;
	x.path = s->paths[x.core][x.kind == ML_ACCESS_FETCH && s->icaches];
	return x;
}

/*
 * For an access that will miss: prefetches into the host's caches what the levels behind
 * the first will look at. Large simulated caches do not fit into those of
 * the host, so this is done some accesses ahead, and for all levels at once.
 */
ML_BODY void fetch_ahead(const struct ml_sim *s, struct ml_cache *const *path,
			 uint64_t addr)
{
	struct ml_cache *c = path[0];
	uint64_t line = addr >> c->bits;

	if (ml_cache_find(c, line) != ML_NOWHERE)
		return;
	for (unsigned depth = 1; depth < s->levels; depth++) {
		c = path[depth];
		line = addr >> c->bits;
		size_t set = ml_cache_set(c, line), first = set * c->ways;
		uint32_t m = ml_cache_match(c->digests + set * c->row,
					    ml_cache_digest(line));

		if (m) {
			size_t at = first + (size_t)__builtin_ctz(m);

			__builtin_prefetch(&c->tags[at]);
			__builtin_prefetch(&c->order.word[at]);
			return;
		}
		for (uint32_t way = 0; way < c->ways && way < 32; way += 8)
			__builtin_prefetch(&c->order.word[first + way]);
	}
}

enum { AHEAD = 8, FEW = 16 };

ML_BODY void run(struct ml_sim *s, const struct ml_accesses *a, uint16_t *outcome,
		 bool plain)
{
	bool look_ahead = s->misses; /* looking ahead costs more than it gains where few
					accesses miss */
	size_t missed = 0;           /* misses of the second level */

	for (size_t i = 0; i < a->count && !s->failed; i++) {
		struct access x = access_at(s, a, i, plain);
		enum fast fast = UNSURE;
		uint16_t o = 1;

		if (look_ahead && i + AHEAD < a->count)
			fetch_ahead(s, x.path, a->addr[i + AHEAD]);
		if (s->machine.tlbs && x.kind != ML_ACCESS_FETCH)
			translate_access(s, &x, (uint32_t)i);
		if (plain || s->fast)
			fast = access_fast(s, x, plain);
		if (fast != HIT) {
			o = access_slowly(s, a, i, x, fast == MISSED);
			missed += ml_outcome_served(o) > 2;
		}
		if (outcome)
			outcome[i] = o;
	}
	s->misses = missed > a->count / FEW;
}

bool ml_sim_run(struct ml_sim *s, const struct ml_accesses *a, uint16_t *outcome,
		struct ml_err *err)
{
	s->move_count = 0;
	s->err = err;
	s->failed = false;
	for (unsigned level = s->icaches ? 0 : 1; level <= s->levels; level++) {
		const struct ml_level_spec *spec = level ? &s->machine.level[level - 1]
							 : &s->machine.icache;

		if (spec->policy->future && !s->hints[level].from.fill)
			return ml_fail(
				err, ML_USAGE,
				"%s is %s, which must know the future, and has no hints",
				spec->name, spec->policy->name);
	}
	if (s->plain)
		run(s, a, outcome, true);
	else
		run(s, a, outcome, false);
	s->accesses += a->count;
	return !s->failed;
}

void ml_sim_hints(struct ml_sim *s, unsigned level, const struct ml_hints *h)
{
	s->hints[level] = (struct ml_sim_hints){ .from = *h };
}

void ml_sim_gap(struct ml_sim *s)
{
	s->gap = true;
}
