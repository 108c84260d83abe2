/*
 * The loops of the front of the LRU simulator that explains, once for all instruction
 * sets; explain_lru_back_body.h has those of the back. A file that includes this header
 * first defines TARGET (the attribute that allows the instructions), and then defines how
 * a row of a set is searched:
 *
 *	find_line    bits of the lanes that hold a line, among 64-bit lines
 *	find_number  bits of the lanes that hold a number, among 32-bit numbers
 *	oldest       the lowest lane with the lowest time
 *
 * Lanes are 8, 16 or 32. The rules are those of sim.c and motion.c, for the machines that
 * explain_lru.c names.
 */
#pragma once

#include "lib/cache/lru/explain_lru_parts.h"
#include "lib/cache/exact/prefetch.h"
#include "lib/cache/exact/sim_data.h"

#define INLINE  TARGET static inline __attribute__((always_inline))
#define OUTLINE TARGET static __attribute__((noinline))
/* Before a loop over depths: each becomes a constant. clang decides for itself. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

INLINE uint32_t find_line(const uint64_t *row, unsigned lanes, uint64_t line);
INLINE uint32_t find_number(const uint32_t *row, unsigned lanes, uint32_t number);
INLINE unsigned oldest(const uint32_t *times, unsigned lanes);

#include "lib/cache/lru/explain_lru_motion_body.h"

/* Asks the shadow of a first level about a line, which is at a place or missed. */
INLINE void ask_first(struct explain_cache *c, struct request *q, int64_t at,
		      struct shape s)
{
	bool there = at != EXPLAIN_NOWHERE && (!may_prefetch(EXPLAIN_FIRST, s) ||
					       !explain_is_fresh(c, (size_t)at));
	uint32_t last = there ? c->times[at] : ml_first_shadow_take(&c->first, q->number);

	q->held = true;
	if (there && last == c->first.clock)
		q->time = last;
	else
		q->held = ml_first_shadow_ask(&c->first, last, &q->time);
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
INLINE void demand(struct ml_explain_lru *x, struct request *q, struct explain_cache *c,
		   unsigned depth, int64_t at, struct shape s)
{
	bool missed = at == EXPLAIN_NOWHERE, fresh = missed;

	if (depth == EXPLAIN_FIRST)
		ask_first(c, q, at, s);
	if (!may_prefetch(depth, s))
		return;
	if (!missed && explain_is_fresh(c, (size_t)at)) {
		explain_set_fresh(c, (size_t)at, false);
		c->counts->useful++;
		fresh = true;
	}
	if (c->prefetcher && (q->first || c->prefetcher->kind != ML_PREFETCH_STRIDE))
		queue_prefetches(x, c, q->addr, q->site, fresh);
}

/* The line was found at a place. An exclusive cache gives it away if it moves in. */
INLINE void found(const struct request *q, struct explain_cache *c, unsigned depth,
		  size_t at, bool moves, struct cargo *cargo, struct shape s)
{
	uint32_t set = set_of(c, depth, q->line, s);
	const struct explain_use *u = &c->uses[at];

	if (!may_be_exclusive(depth, s) || !c->exclusive || !moves) {
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
	cargo->read = u->read;
	cargo->written = u->written;
	c->counts->given++;
	tell_leave(q, c, at, u->written ? EXPLAIN_DIRTY : 0, s);
	drop(c, set, at);
}

/*
 * Serves a request for one line, from a depth on; `missed` if the first cache is known to
 * miss it. Returns the depth that had the line, and in *place where the first cache holds
 * it then.
 */
INLINE unsigned serve(struct ml_explain_lru *x, struct request *q, unsigned depth,
		      bool missed, struct shape s, size_t *place)
{
	const unsigned inner = inner_of(x, s);
	unsigned fills = 0, served = inner;

	*place = 0; /* a first level is never exclusive: its place is set below */
	struct cargo cargo = {
		.owner = q->owner,
		.write_first = q->demand && q->kind == ML_ACCESS_WRITE,
		.prefetched = !q->demand,
	};

	UNROLL
	for (unsigned to = depth; to < inner; to++) {
		struct explain_cache *c = cache_at(x, q, to, s);
		int64_t at = missed && to == depth ? EXPLAIN_NOWHERE
						   : find(c, to, q->line, q->number,
							  set_of(c, to, q->line, s));

		if (q->demand)
			demand(x, q, c, to, at, s);
		if (at != EXPLAIN_NOWHERE) {
			served = to;
			if (q->demand)
				tell_request(q, served);
			*place = (size_t)at;
			found(q, c, to, (size_t)at, fills, &cargo, s);
			break;
		}
		if (!may_be_exclusive(to, s) || !c->exclusive)
			fills |= 1u << to;
	}
	if (served == inner)
		tell_request(q, served);
	UNROLL
	for (unsigned to = inner; to-- > 0;)
		if (fills >> to & 1) {
			*place = fill(x, q, cache_at(x, q, to, s), to, q->line, q->number,
				      &cargo, s);
			cargo.read = cargo.written = 0;
		}
	return served;
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
		q.number = ml_line_book_find(&x->book, q.line);
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

/* Returns the farthest depth that served a line of the access. */
INLINE unsigned access_slowly(struct ml_explain_lru *x, const struct ml_accesses *a,
			      size_t i, bool missed, struct ml_explain_events *events,
			      struct shape s)
{
	struct access z = access_at(a, i);
	struct request q = {
		.access = (uint32_t)i,
		.owner = a->owner ? a->owner[i] : ML_NO_OWNER,
		.site = a->site ? a->site[i] : 0,
		.kind = z.kind,
		.demand = true,
		.first = true,
		.inner = !s.simply && !s.inner && z.kind == ML_ACCESS_FETCH && x->split
				 ? &x->icache
				 : &x->cache[0],
		.events = events,
	};
	unsigned farthest = 0;

	for (uint64_t line = z.addr >> x->bits; line <= z.last >> x->bits; line++) {
		uint64_t end = line == z.last >> x->bits ? z.last
							 : ((line + 1) << x->bits) - 1;

		q.line = line;
		q.addr = line == z.addr >> x->bits ? z.addr : line << x->bits;
		q.size = end - q.addr + 1;
		q.number = ml_line_book_find(&x->book, line);
		make_room(q.inner, 1);
		size_t place;
		unsigned served = serve(x, &q, 0, missed, s, &place);
		struct explain_use *u = &q.inner->uses[place];
		*(q.kind == ML_ACCESS_WRITE ? &u->written : &u->read) |=
			explain_bytes(x, q.addr, q.size);
		farthest = served > farthest ? served : farthest;
		q.first = false;
	}
	if (!s.simply && x->queued)
		prefetch(x, &q);
	return farthest;
}

/* Known machines by their inner levels. The access is no fetch, or L1 serves fetches. */
OUTLINE unsigned access_alone(struct ml_explain_lru *x, const struct ml_accesses *a,
			      size_t i, bool missed, struct ml_explain_events *events)
{
	return access_slowly(x, a, i, missed, events, ALONE(0));
}

OUTLINE unsigned access_pair(struct ml_explain_lru *x, const struct ml_accesses *a,
			     size_t i, bool missed, struct ml_explain_events *events)
{
	return access_slowly(x, a, i, missed, events, PAIR(0));
}

OUTLINE unsigned access_trio(struct ml_explain_lru *x, const struct ml_accesses *a,
			     size_t i, bool missed, struct ml_explain_events *events)
{
	return access_slowly(x, a, i, missed, events, TRIO(0));
}

OUTLINE unsigned access_simply(struct ml_explain_lru *x, const struct ml_accesses *a,
			       size_t i, bool missed, struct ml_explain_events *events)
{
	return access_slowly(x, a, i, missed, events, SIMPLE);
}

OUTLINE unsigned access_fully(struct ml_explain_lru *x, const struct ml_accesses *a,
			      size_t i, struct ml_explain_events *events)
{
	return access_slowly(x, a, i, false, events, ANY);
}

/* An access that the first level may miss; `missed` if it does for certain. */
INLINE unsigned access_of(struct ml_explain_lru *x, const struct ml_accesses *a, size_t i,
			  bool missed, struct ml_explain_events *events, struct shape s)
{
	if (!s.simply && x->split && a->what[i] >> 14 == ML_ACCESS_FETCH)
		return access_fully(x, a, i, events);
	switch (s.inner) {
	case 1: return access_alone(x, a, i, missed, events);
	case 2: return access_pair(x, a, i, missed, events);
	case 3: return access_trio(x, a, i, missed, events);
	}
	return s.simply ? access_simply(x, a, i, missed, events)
			: access_fully(x, a, i, events);
}

#include "lib/cache/lru/explain_lru_ahead_body.h"

/* A hit for which the shadow must drop a line, or times run out. */
OUTLINE void hit_slowly(struct explain_cache *c, size_t at)
{
	make_room(c, 1);
	ml_first_shadow_ask(&c->first, c->times[at], &c->times[at]);
}

OUTLINE void prefetch_by_stride(struct ml_explain_lru *x, const struct ml_accesses *a,
				size_t i, enum ml_access_kind kind,
				struct ml_explain_events *events)
{
	struct request q = { .access = (uint32_t)i,
			     .owner = a->owner ? a->owner[i] : ML_NO_OWNER,
			     .kind = kind,
			     .inner = &x->cache[0],
			     .events = events };

	queue_prefetches(x, q.inner, a->addr[i], a->site ? a->site[i] : 0, false);
	if (x->queued)
		prefetch(x, &q);
}

INLINE void run_accesses(struct ml_explain_lru *x, const struct ml_accesses *a,
			 struct ml_explain_events *events, struct shape s)
{
	struct explain_cache *c = &x->cache[0];
	const uint64_t *restrict addrs = a->addr;
	const uint16_t *restrict whats = a->what;
	const unsigned bits = x->bits, lanes = s.lanes ? s.lanes : c->lanes;
	const uint64_t mask = c->mask, within = x->within;
	uint64_t writes = 0, fetches = 0, hits = 0, far = 0;
	bool ahead = x->inner > 2 && x->far && x->book.room;
	struct ahead ring[4];
	/* copies, which no store to an array can change, stay in registers */
	const uint64_t *restrict lines = c->lines;
	uint32_t *restrict times = c->times;
	struct explain_use *uses = c->uses;
	uint8_t *restrict live = c->first.live;
	uint32_t begin = c->first.begin, clock = c->first.clock, room = c->first.room;

	for (size_t i = 0; i < a->count; i++) {
		uint64_t addr = addrs[i], line = addr >> bits;
		uint64_t size = whats[i] & 0x3fff, offset = addr & within;
		unsigned kind = whats[i] >> 14;
		size_t first = (s.lanes ? line & mask : explain_set(c, line)) * lanes;
		uint32_t m = 0;

		if (ahead && i % STRIP == 0)
			look_ahead(x, a, i, ring);
		size += !size;
		bool whole = offset + size <= within + 1;
		if (whole && (s.simply || !x->split || kind != ML_ACCESS_FETCH))
			m = find_line(lines + first, lanes, line + 1);
		size_t at = first + (m ? (unsigned)__builtin_ctz(m) : 0);
		if (!m || (may_prefetch(EXPLAIN_FIRST, s) && explain_is_fresh(c, at))) {
			c->first.clock = clock;
			far += access_of(x, a, i, whole, events, s) > 1;
			clock = c->first.clock;
			begin = c->first.begin;
			continue;
		}
		hits++;
		writes += kind == ML_ACCESS_WRITE;
		fetches += kind == ML_ACCESS_FETCH;
		uint64_t *use = &uses[at].read;
		uint32_t last = times[at];

		use[kind == ML_ACCESS_WRITE] |= s.lanes ? UINT64_MAX >> (64 - size)
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
		if (may_prefetch(EXPLAIN_FIRST, s) && x->strides) {
			c->first.clock = clock;
			prefetch_by_stride(x, a, i,
					   kind > ML_ACCESS_FETCH ? ML_ACCESS_READ : kind,
					   events);
			clock = c->first.clock;
			begin = c->first.begin;
		}
	}
	c->first.clock = clock;
	x->far = far > a->count / FEW;
	c->counts->asked[ML_ACCESS_READ] += hits - writes - fetches;
	c->counts->asked[ML_ACCESS_WRITE] += writes;
	c->counts->asked[ML_ACCESS_FETCH] += fetches;
}

TARGET static void front(struct ml_explain_lru *x, const struct ml_accesses *a,
			 struct ml_explain_events *events)
{
	const struct explain_cache *c = &x->cache[0], *next = &x->cache[1];
	bool simply = !x->prefetches && !x->split;
	bool usual = c->lanes <= 16 && !c->modulo && x->bits <= 6, wide = c->lanes > 8;
	bool known = usual && !c->prefetcher && !next->exclusive && !next->modulo &&
		     !x->cache[2].prefetcher;

	events->count = 0;
	if (usual && simply && x->inner == 1 && wide)
		run_accesses(x, a, events, ALONE(16));
	else if (usual && simply && x->inner == 1)
		run_accesses(x, a, events, ALONE(8));
	else if (known && x->inner == 2 && wide)
		run_accesses(x, a, events, PAIR(16));
	else if (known && x->inner == 2)
		run_accesses(x, a, events, PAIR(8));
	else if (known && x->inner == 3 && wide)
		run_accesses(x, a, events, TRIO(16));
	else if (known && x->inner == 3)
		run_accesses(x, a, events, TRIO(8));
	else if (simply)
		run_accesses(x, a, events, SIMPLE);
	else
		run_accesses(x, a, events, ANY);
}

#include "lib/cache/lru/explain_lru_back_body.h"
