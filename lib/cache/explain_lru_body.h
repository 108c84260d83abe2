/*
 * The loops of the LRU simulator that explains, once for all instruction sets. A file
 * that includes this header first defines TARGET (the attribute that allows the
 * instructions), and then defines how a row of a set is searched:
 *
 *	find_line    bits of the lanes that hold a line, among 64-bit lines
 *	find_number  bits of the lanes that hold a number, among 32-bit numbers
 *	oldest       the lowest lane with the lowest time
 *
 * Lanes are a multiple of 8, and of 16 if there are more than 8. The rules are those of
 * sim.c and motion.c, for the machines that explain_lru.h names.
 */
#pragma once

#include "lib/cache/explain_lru_parts.h"
#include "lib/cache/prefetch.h"
#include "lib/cache/sim_data.h"

#define INLINE  TARGET static inline __attribute__((always_inline))
#define OUTLINE TARGET static __attribute__((noinline))
/* Before a loop over depths: each becomes a constant. clang decides for itself. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

INLINE uint32_t find_line(const uint64_t *row, unsigned lanes, uint64_t line);
INLINE uint32_t find_number(const uint32_t *row, unsigned lanes, uint32_t number);
INLINE unsigned oldest(const uint32_t *times, unsigned lanes);

#include "lib/cache/explain_lru_motion_body.h"

/* Asks the shadow of a first level about a line, which is at a place or missed. */
INLINE enum ml_shadow_answer ask_first(struct explain_cache *c, struct request *q,
				       int64_t at, uint8_t *record, struct shape s)
{
	bool there = at != EXPLAIN_NOWHERE && (s.simply || !c->notes[at].prefetched);
	uint32_t last = there ? c->times[at] : ml_first_shadow_take(&c->first, q->number);
	bool held = true;

	if (there && last == c->first.clock)
		q->time = last;
	else
		held = ml_first_shadow_ask(&c->first, last, &q->time);
	if (held)
		return ML_SHADOW_HAS;
	uint32_t stored = ml_line_time(record, 0);
	if (stored & ML_SHADOW_SEEN)
		return ML_SHADOW_GONE;
	ml_line_set_time(record, 0, stored | ML_SHADOW_SEEN);
	return ML_SHADOW_NEW;
}

INLINE enum ml_cause cause_of(const struct ml_explain_lru *x,
			      enum ml_shadow_answer answer)
{
	switch (answer) {
	case ML_SHADOW_NEW: return x->gap ? ML_CAUSE_UNKNOWN : ML_CAUSE_COLD;
	case ML_SHADOW_HAS: return ML_CAUSE_CONFLICT;
	case ML_SHADOW_GONE: break;
	}
	return ML_CAUSE_CAPACITY;
}

INLINE void queue_prefetches(struct ml_explain_lru *x, struct explain_cache *c,
			     uint64_t addr, uint32_t site, bool fresh)
{
	uint64_t lines[ML_PREFETCH_DEGREE];
	unsigned count = ml_prefetch_ask(c->prefetcher, addr, site, fresh, lines);

	if (!count)
		return;
	x->queue = ml_grow(x->queue, &x->queue_cap, x->queued + count, sizeof(*x->queue));
	for (unsigned i = 0; i < count; i++)
		x->queue[x->queued++] = (struct explain_prefetch){ c, lines[i] };
}

/* A demand reaches a cache, which holds the line at a place or misses it. */
INLINE enum ml_cause demand(struct ml_explain_lru *x, struct request *q,
			    struct explain_cache *c, unsigned depth, int64_t at,
			    struct shape s)
{
	bool missed = at == EXPLAIN_NOWHERE, fresh = missed;
	enum ml_cause cause = ML_CAUSE_NONE;
	uint8_t *record = s.simply || c->level ? q->record : record_of(c, q->number, s);
	enum ml_shadow_answer answer =
		depth == EXPLAIN_FIRST ? ask_first(c, q, at, record, s)
				       : ml_shadow_ask(&c->shadow, q->number, record);

	c->counts->asked[q->kind]++;
	c->counts->missed[q->kind] += missed;
	if (missed) {
		cause = cause_of(x, answer);
		c->counts->cause[cause]++;
	}
	if (missed && (s.flat || x->sums))
		ml_event_sums_miss(x->sums, c->level, set_of(c, q->line, s), cause,
				   q->owner,
				   ml_line_evictor(c->records, record, c->evictor));
	if (missed && !s.flat && x->observer.miss) {
		struct ml_miss m = {
			.level = c->level,
			.access = q->access,
			.set = explain_set(c, q->line),
			.line = q->line << x->bits,
			.kind = q->kind,
			.cause = cause,
			.owner = q->owner,
			.evictor = ml_line_evictor(c->records, record, c->evictor),
		};

		x->observer.miss(x->observer.arg, &m);
	}
	if (s.simply)
		return cause;
	if (!missed && c->notes[at].prefetched) {
		c->notes[at].prefetched = 0;
		c->counts->useful++;
		fresh = true;
	}
	if (c->prefetcher && (q->first || c->prefetcher->kind != ML_PREFETCH_STRIDE))
		queue_prefetches(x, c, q->addr, q->site, fresh);
	return cause;
}

/* The line was found at a place. An exclusive cache gives it away if it moves in. */
INLINE void found(struct ml_explain_lru *x, const struct request *q,
		  struct explain_cache *c, unsigned depth, size_t at, bool moves,
		  struct cargo *cargo, struct shape s)
{
	uint32_t set = set_of(c, q->line, s);
	struct explain_note *n = &c->notes[at];

	if (s.flat || !c->exclusive || !moves) {
		uint32_t *time = &times_of(c, depth, set)[at - (size_t)set * c->lanes];

		if (depth == EXPLAIN_FIRST) {
			*time = q->time;
			return;
		}
		if (c->clock == UINT32_MAX - 1)
			ml_explain_lru_renumber(c);
		*time = ++c->clock;
		return;
	}
	cargo->read = n->read;
	cargo->written = n->written;
	tell(x, c, set, at, n->written, s);
	drop(c, set, at);
}

/*
 * Serves a request for one line, from a depth on; `missed` if the first cache is known to
 * miss it. Returns the outcome, and in *place where that cache holds the line then.
 */
INLINE uint16_t serve(struct ml_explain_lru *x, struct request *q, unsigned depth,
		      bool missed, struct shape s, size_t *place)
{
	const unsigned levels = s.flat ? s.flat : x->levels;
	uint16_t outcome = 0;
	unsigned fills = 0, served = levels;

	*place = 0; /* a first level is never exclusive: its place is set below */
	struct cargo cargo = {
		.owner = q->owner,
		.write_first = q->demand && q->kind == ML_ACCESS_WRITE,
		.prefetched = !q->demand,
	};

	UNROLL
	for (unsigned to = depth; to < levels; to++) {
		struct explain_cache *c = cache_at(x, q, to, s);
		int64_t at = missed && to == depth
				     ? EXPLAIN_NOWHERE
				     : find(c, to, q->line, q->number,
					    set_of(c, q->line, s));

		if (q->demand)
			outcome = ml_outcome_with(outcome, to + 1,
						  demand(x, q, c, to, at, s));
		if (at != EXPLAIN_NOWHERE) {
			*place = (size_t)at;
			found(x, q, c, to, (size_t)at, fills, &cargo, s);
			served = to;
			break;
		}
		if (s.flat || !c->exclusive)
			fills |= 1u << to;
	}
	UNROLL
	for (unsigned to = levels; to-- > 0;)
		if (fills >> to & 1) {
			*place = fill(x, q, cache_at(x, q, to, s), to, q->line, q->number,
				      &cargo, s);
			cargo.read = cargo.written = 0;
		}
	return (uint16_t)(outcome | (served + 1));
}

INLINE void make_room(struct explain_cache *c, uint32_t need)
{
	if (ml_first_shadow_full(&c->first, need))
		ml_first_shadow_renumber(&c->first, c->times, (size_t)c->sets * c->lanes);
}

/* Brings in the lines that prefetchers have asked for. */
OUTLINE void prefetch(struct ml_explain_lru *x, const struct request *of)
{
	for (size_t i = 0; i < x->queued; i++) {
		struct explain_cache *c = x->queue[i].into;
		struct request q = *of;

		q.demand = q.first = false;
		q.line = x->queue[i].line;
		q.addr = q.line << x->bits;
		q.size = 1;
		q.number = explain_number(x, q.line);
		q.record = ml_line_record(&x->records, q.number);
		if (c->depth == EXPLAIN_FIRST)
			make_room(c, 1);
		size_t place;
		if (find(c, c->depth, q.line, q.number, explain_set(c, q.line)) ==
		    EXPLAIN_NOWHERE)
			serve(x, &q, c->depth, true, ANY, &place);
	}
	x->queued = 0;
}

struct access {
	uint64_t addr, last;
	enum ml_access_kind kind;
};

INLINE struct access access_at(const struct ml_accesses *a, size_t i)
{
	unsigned kind = a->what[i] >> 14;
	uint64_t size = a->what[i] & 0x3fff;
	struct access z = { .addr = a->addr[i],
			    .last = a->addr[i] + size - (size > 0),
			    .kind = kind > ML_ACCESS_FETCH ? ML_ACCESS_READ : kind };

	if (z.last < z.addr)
		z.last = UINT64_MAX;
	return z;
}

INLINE uint16_t access_slowly(struct ml_explain_lru *x, const struct ml_accesses *a,
			      size_t i, bool missed, struct shape s)
{
	struct access z = access_at(a, i);
	struct request q = {
		.access = (uint32_t)i,
		.owner = a->owner ? a->owner[i] : ML_NO_OWNER,
		.site = a->site ? a->site[i] : 0,
		.kind = z.kind,
		.demand = true,
		.first = true,
		.inner = !s.simply && z.kind == ML_ACCESS_FETCH && x->split
				 ? &x->icache
				 : &x->cache[0],
	};
	uint16_t outcome = 0;

	for (uint64_t line = z.addr >> x->bits; line <= z.last >> x->bits; line++) {
		uint64_t end = line == z.last >> x->bits ? z.last
							 : ((line + 1) << x->bits) - 1;

		q.line = line;
		q.addr = line == z.addr >> x->bits ? z.addr : line << x->bits;
		q.size = end - q.addr + 1;
		q.number = explain_number(x, line);
		q.record = ml_line_record(&x->records, q.number);
		make_room(q.inner, 1);
		size_t place;
		uint16_t one = serve(x, &q, 0, missed, s, &place);
		struct explain_note *n = &q.inner->notes[place];
		*(q.kind == ML_ACCESS_WRITE ? &n->written : &n->read) |=
			explain_bytes(x, q.addr, q.size);
		if (ml_outcome_served(one) > ml_outcome_served(outcome))
			outcome = one;
		q.first = false;
	}
	if (!s.simply && x->queued)
		prefetch(x, &q);
	return outcome;
}

OUTLINE uint16_t access_flat2(struct ml_explain_lru *x, const struct ml_accesses *a,
			      size_t i, bool missed)
{
	return access_slowly(x, a, i, missed, (struct shape){ true, true, 2 });
}

OUTLINE uint16_t access_flat3(struct ml_explain_lru *x, const struct ml_accesses *a,
			      size_t i, bool missed)
{
	return access_slowly(x, a, i, missed, (struct shape){ true, true, 3 });
}

OUTLINE uint16_t access_simply(struct ml_explain_lru *x, const struct ml_accesses *a,
			       size_t i, bool missed)
{
	return access_slowly(x, a, i, missed, (struct shape){ .simply = true });
}

OUTLINE uint16_t access_fully(struct ml_explain_lru *x, const struct ml_accesses *a,
			      size_t i)
{
	return access_slowly(x, a, i, false, ANY);
}

/* An access that the first level may miss; `missed` if it does for certain. */
INLINE uint16_t access_of(struct ml_explain_lru *x, const struct ml_accesses *a, size_t i,
			  bool missed, struct shape s)
{
	switch (s.flat) {
	case 2: return access_flat2(x, a, i, missed);
	case 3: return access_flat3(x, a, i, missed);
	default:
		return s.simply ? access_simply(x, a, i, missed) : access_fully(x, a, i);
	}
}

#include "lib/cache/explain_lru_ahead_body.h"

/* A hit for which the shadow must drop a line, or times run out. */
OUTLINE void hit_slowly(struct explain_cache *c, size_t at)
{
	make_room(c, 1);
	ml_first_shadow_ask(&c->first, c->times[at], &c->times[at]);
}

OUTLINE void prefetch_by_stride(struct ml_explain_lru *x, const struct ml_accesses *a,
				size_t i, enum ml_access_kind kind)
{
	struct request q = { .access = (uint32_t)i,
			     .owner = a->owner ? a->owner[i] : ML_NO_OWNER,
			     .kind = kind,
			     .inner = &x->cache[0] };

	queue_prefetches(x, q.inner, a->addr[i], a->site ? a->site[i] : 0, false);
	if (x->queued)
		prefetch(x, &q);
}

INLINE void run_accesses(struct ml_explain_lru *x, const struct ml_accesses *a,
			 uint16_t *restrict outcome, struct shape s)
{
	struct explain_cache *c = &x->cache[0];
	const uint64_t *restrict addrs = a->addr;
	const uint16_t *restrict whats = a->what;
	const unsigned bits = x->bits, lanes = s.usual ? 8 : c->lanes;
	const uint64_t mask = c->mask, within = x->within;
	uint64_t writes = 0, fetches = 0, hits = 0, far = 0;
	bool ahead = x->misses && x->book.room;
	struct ahead ring[4];
	/* copies, which no store to an array can change, stay in registers */
	const uint64_t *restrict lines = c->lines;
	uint32_t *restrict times = c->times;
	struct explain_note *notes = c->notes;
	uint8_t *restrict live = c->first.live;
	uint32_t begin = c->first.begin, clock = c->first.clock, room = c->first.room;

	for (size_t i = 0; i < a->count; i++) {
		uint64_t addr = addrs[i], line = addr >> bits;
		uint64_t size = whats[i] & 0x3fff, offset = addr & within;
		unsigned kind = whats[i] >> 14;
		size_t first = (s.usual ? line & mask : explain_set(c, line)) * lanes;
		uint32_t m = 0;

		if (ahead && i % STRIP == 0)
			look_ahead(x, a, i, ring);
		size += !size;
		bool whole = offset + size <= within + 1;
		if (whole && (s.simply || !x->split || kind != ML_ACCESS_FETCH))
			m = find_line(lines + first, lanes, line + 1);
		size_t at = first + (m ? (unsigned)__builtin_ctz(m) : 0);
		if (!m || (!s.simply && notes[at].prefetched)) {
			c->first.clock = clock;
			outcome[i] = access_of(x, a, i, whole, s);
			far += ml_outcome_served(outcome[i]) > 2;
			clock = c->first.clock;
			begin = c->first.begin;
			continue;
		}
		outcome[i] = 1;
		hits++;
		writes += kind == ML_ACCESS_WRITE;
		fetches += kind == ML_ACCESS_FETCH;
		uint64_t *use = &notes[at].read;
		uint32_t last = times[at];

		use[kind == ML_ACCESS_WRITE] |= s.usual ? UINT64_MAX >> (64 - size)
									      << offset
						      : explain_bytes(x, addr, size);
		if (__builtin_expect(last >= begin && room - clock > 1, 1)) {
			if (last != clock) {
				live[last] = 0;
				live[++clock] = 1;
				times[at] = clock;
			}
		} else if (last != clock) {
			c->first.clock = clock;
			hit_slowly(c, at);
			clock = c->first.clock;
			begin = c->first.begin;
		}
		if (!s.simply && x->strides) {
			c->first.clock = clock;
			prefetch_by_stride(
				x, a, i, kind > ML_ACCESS_FETCH ? ML_ACCESS_READ : kind);
			clock = c->first.clock;
			begin = c->first.begin;
		}
	}
	c->first.clock = clock;
	x->misses = far > a->count / FEW;
	c->counts->asked[ML_ACCESS_READ] += hits - writes - fetches;
	c->counts->asked[ML_ACCESS_WRITE] += writes;
	c->counts->asked[ML_ACCESS_FETCH] += fetches;
}

static struct shape shape_of(const struct ml_explain_lru *x)
{
	struct shape s = { .simply = !x->prefetches && !x->split,
			   .usual = x->cache[0].lanes == 8 && !x->cache[0].modulo &&
				    x->bits <= 6 };
	bool flat = s.simply && s.usual && x->sums && !x->observer.miss &&
		    !x->observer.leave;

	for (unsigned i = 0; i < x->levels; i++)
		flat = flat && !x->cache[i].inclusive && !x->cache[i].exclusive &&
		       !x->cache[i].modulo;
	s.flat = flat && (x->levels == 2 || x->levels == 3) ? x->levels : 0;
	return s;
}

TARGET static void run(struct ml_explain_lru *x, const struct ml_accesses *a,
		       uint16_t *outcome)
{
	struct shape s = shape_of(x);

	if (s.flat == 3)
		run_accesses(x, a, outcome, (struct shape){ true, true, 3 });
	else if (s.flat == 2)
		run_accesses(x, a, outcome, (struct shape){ true, true, 2 });
	else if (s.simply && s.usual)
		run_accesses(x, a, outcome, (struct shape){ true, true, 0 });
	else if (s.usual)
		run_accesses(x, a, outcome, (struct shape){ false, true, 0 });
	else
		run_accesses(x, a, outcome, (struct shape){ s.simply, false, 0 });
}
