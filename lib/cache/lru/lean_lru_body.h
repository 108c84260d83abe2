/*
 * The loops of the LRU simulator that does not explain, once for all instruction sets. A
 * file that includes this header first defines TARGET (the attribute that allows the
 * instructions), and then find_key: the place of a key in a row, whatever its flags, or
 * LEAN_NOWHERE; and make_way, which moves the first `count` keys of a row by one place, so
 * that the first place is free. The rules are those of sim.c and motion.c, for the machines that
 * lean_lru.c names.
 */
#pragma once

#include <string.h>

#include "lib/cache/lru/lean_lru_parts.h"

#define INLINE  TARGET static inline __attribute__((always_inline))
#define OUTLINE TARGET static __attribute__((noinline))

#define LEAN_NOWHERE (-1)

INLINE int find_key(const uint64_t *row, unsigned lanes, uint64_t key);
INLINE void make_way(uint64_t *row, unsigned count);

/* A request for one line. */
struct request {
	uint64_t line, addr;
	uint32_t access, site;
	enum ml_access_kind kind;
	bool demand, first; /* first: the first line of its access */
	unsigned core;
	struct lean_cache *const *path; /* the caches that it asks in turn */
};

INLINE uint64_t key_of(uint64_t line)
{
	return (line + 1) << LEAN_BITS;
}

INLINE uint64_t line_of(uint64_t key)
{
	return (key >> LEAN_BITS) - 1;
}

/* Where the row of a line begins, in keys. */
INLINE size_t row_at(const struct lean_cache *c, uint64_t line)
{
	uint32_t set = (uint32_t)(c->modulo ? line % c->sets : line & c->mask);

	return (size_t)set * c->lanes;
}

INLINE uint64_t *row_of(const struct lean_cache *c, uint64_t line)
{
	return c->rows + row_at(c, line);
}

INLINE void move_to_front(uint64_t *row, unsigned at)
{
	uint64_t key = row[at];

	make_way(row, at);
	row[0] = key;
}

INLINE void take_out(const struct lean_cache *c, uint64_t *row, unsigned at)
{
	for (unsigned i = at; i + 1 < c->ways; i++)
		row[i] = row[i + 1];
	row[c->ways - 1] = 0;
}

/*
 * Passes on what a copy of a line knows to the nearest copy from a depth on: its dirty
 * data, and its use. If data are written back they pass by the levels without a copy.
 */
INLINE void pass_on(struct ml_lean_lru *x, struct lean_cache *const *path, unsigned depth,
		    uint64_t key, bool writes_back)
{
	for (unsigned out = depth; out < x->levels; out++) {
		struct lean_cache *outer = path[out];
		uint64_t *row = row_of(outer, line_of(key));
		int at = find_key(row, outer->lanes, key & ~LEAN_FLAGS);

		if (at == LEAN_NOWHERE) {
			outer->counts->past_bytes += writes_back ? 1u << x->bits : 0;
			continue;
		}
		row[at] |= key & LEAN_DIRTY;
		if (!(key & LEAN_AHEAD) && row[at] & LEAN_AHEAD) {
			row[at] &= ~LEAN_AHEAD;
			outer->counts->useful++;
		}
		return;
	}
}

/* Passes a line that leaves on to the copy further out. */
INLINE void inform(struct ml_lean_lru *x, const struct lean_cache *c, uint64_t key,
		   bool writes_back)
{
	if (key & LEAN_DIRTY || c->tells)
		pass_on(x, c->path, c->depth + 1, key, writes_back);
}

/*
 * Dirty data of a line go from a cache to another core, or to the inclusive level at a
 * depth. They pass the levels in between, unless one of these holds dirty data of the
 * line, which it gives up itself.
 */
INLINE void pass_by(struct ml_lean_lru *x, const struct lean_cache *c, unsigned depth,
		    uint64_t line)
{
	for (unsigned out = c->depth + 1; out < depth; out++) {
		struct lean_cache *outer = c->path[out];
		uint64_t *row = row_of(outer, line);
		int at = find_key(row, outer->lanes, key_of(line));

		if (at != LEAN_NOWHERE && row[at] & LEAN_DIRTY)
			return;
		outer->counts->past_bytes += (uint64_t)1 << x->bits;
	}
}

/* Takes a line from a cache, on behalf of an inclusive level or of another core. */
INLINE void take(struct ml_lean_lru *x, const struct lean_cache *c, uint64_t *row,
		 unsigned at)
{
	uint64_t key = row[at];

	c->counts->invalidations++;
	c->counts->write_backs += key & LEAN_DIRTY;
	c->counts->taken += key & LEAN_DIRTY;
	c->counts->useless += key & LEAN_AHEAD ? 1 : 0;
	take_out(c, row, at);
	inform(x, c, key & ~LEAN_DIRTY, false);
}

/*
 * Takes a line that an inclusive cache evicts from all caches within. Returns whether one
 * of them was dirty.
 */
OUTLINE uint64_t take_within(struct ml_lean_lru *x, const struct lean_cache *c,
			     uint64_t key)
{
	uint64_t dirty = 0;

	for (unsigned i = 0; i < c->within_count; i++) {
		const struct lean_cache *in = c->within[i];
		uint64_t *row = row_of(in, line_of(key));
		int at = find_key(row, in->lanes, key & ~LEAN_FLAGS);

		if (at == LEAN_NOWHERE)
			continue;
		dirty |= row[at] & LEAN_DIRTY;
		if (row[at] & LEAN_DIRTY)
			pass_by(x, in, c->depth, line_of(key));
		take(x, in, row, (unsigned)at);
	}
	return dirty;
}

OUTLINE void move_out(struct ml_lean_lru *x, struct lean_cache *c, uint64_t key);

/* Evicts the last line of a row. */
INLINE void evict(struct ml_lean_lru *x, struct lean_cache *c, uint64_t *row)
{
	struct lean_cache *outer = c->depth + 1 < x->levels ? c->path[c->depth + 1]
							    : NULL;

	c->counts->evictions++;
	uint64_t dirty = c->inclusive ? take_within(x, c, row[c->ways - 1]) : 0;
	uint64_t key = row[c->ways - 1] | dirty;
	c->counts->write_backs += key & LEAN_DIRTY;
	c->counts->useless += key & LEAN_AHEAD ? 1 : 0;
	if (outer && outer->exclusive)
		move_out(x, outer, key);
	else
		inform(x, c, key, key & LEAN_DIRTY);
}

/* Brings a line into a cache that does not hold it. */
INLINE void fill(struct ml_lean_lru *x, struct lean_cache *c, uint64_t key)
{
	uint64_t *row = row_of(c, line_of(key));

	if (row[c->ways - 1])
		evict(x, c, row);
	make_way(row, c->ways - 1);
	row[0] = key;
	c->counts->fills++;
	c->counts->prefetched += key & LEAN_AHEAD ? 1 : 0;
}

/* Moves a line that leaves a cache into the exclusive one around it. */
OUTLINE void move_out(struct ml_lean_lru *x, struct lean_cache *c, uint64_t key)
{
	uint64_t *row = row_of(c, line_of(key));
	int at = find_key(row, c->lanes, key & ~LEAN_FLAGS);

	if (at == LEAN_NOWHERE) {
		fill(x, c, key);
		return;
	}
	if (!(key & LEAN_AHEAD) && row[at] & LEAN_AHEAD) {
		row[at] &= ~LEAN_AHEAD;
		c->counts->useful++;
	}
	row[at] |= key & LEAN_DIRTY;
}

INLINE void queue_prefetches(struct ml_lean_lru *x, struct lean_cache *c,
			     const struct request *q, bool fresh)
{
	uint64_t lines[ML_PREFETCH_DEGREE];
	unsigned count = ml_prefetch_ask(c->prefetcher, q->addr, q->site, fresh, lines);

	if (!count)
		return;
	x->queue = ml_grow(x->queue, &x->queue_cap, x->queued + count, sizeof(*x->queue));
	for (unsigned i = 0; i < count; i++)
		x->queue[x->queued++] = (struct lean_prefetch){ c, lines[i] };
}

/* A demand reaches a cache, which holds the line at a place or misses it. */
INLINE void demand(struct ml_lean_lru *x, const struct request *q, struct lean_cache *c,
		   uint64_t *row, int at)
{
	bool fresh = at == LEAN_NOWHERE;

	c->counts->asked[q->kind]++;
	c->counts->missed[q->kind] += fresh;
	if (!fresh && row[at] & LEAN_AHEAD) {
		row[at] &= ~LEAN_AHEAD;
		c->counts->useful++;
		fresh = true;
	}
	if (c->prefetcher && (q->first || c->prefetcher->kind != ML_PREFETCH_STRIDE))
		queue_prefetches(x, c, q, fresh);
}

#include "lib/cache/lru/lean_lru_cores_body.h"

/*
 * Serves a request from a depth on; `missed` if that cache is known to miss it. A demand
 * that begins at depth 0 leaves its line first in its row there. Returns the level.
 */
INLINE unsigned serve(struct ml_lean_lru *x, const struct request *q, unsigned depth,
		      bool missed)
{
	uint64_t key = key_of(q->line), dirty = 0;
	unsigned fills = 0, served = x->levels, losers = 0;

	for (unsigned to = depth; to < x->levels; to++)
		__builtin_prefetch(row_of(q->path[to], q->line));
	for (unsigned to = depth; to < x->levels; to++) {
		struct lean_cache *c = q->path[to];
		uint64_t *row = row_of(c, q->line);
		int at = missed && to == depth ? LEAN_NOWHERE
					       : find_key(row, c->lanes, key);

		if (c->coherent && to == depth)
			losers = ask_others(x, q, at == LEAN_NOWHERE ? 0 : row[at]);
		if (q->demand)
			demand(x, q, c, row, at);
		if (at == LEAN_NOWHERE) {
			fills |= c->exclusive ? 0 : 1u << to;
			continue;
		}
		if (c->exclusive && fills) { /* it gives the line away */
			dirty = row[at] & LEAN_DIRTY;
			c->counts->given++;
			c->counts->useless += row[at] & LEAN_AHEAD ? 1 : 0;
			take_out(c, row, (unsigned)at);
		} else
			move_to_front(row, (unsigned)at);
		c->counts->upgrades += losers > to;
		served = to;
		break;
	}
	for (unsigned to = served; to-- > depth;)
		if (fills >> to & 1) {
			fill(x, q->path[to], key | dirty | (q->demand ? 0 : LEAN_AHEAD));
			dirty = 0;
		}
	return served + 1;
}

/* Brings in the lines that prefetchers have asked for. */
OUTLINE void prefetch(struct ml_lean_lru *x, const struct request *of)
{
	for (size_t i = 0; i < x->queued; i++) {
		struct lean_cache *c = x->queue[i].into;
		struct request q = *of;

		q.demand = q.first = false;
		q.line = x->queue[i].line;
		q.addr = q.line << x->bits;
		if (find_key(row_of(c, q.line), c->lanes, key_of(q.line)) == LEAN_NOWHERE)
			serve(x, &q, c->depth, true);
	}
	x->queued = 0;
}

/* An access that the first level may miss; `missed` if it does for certain. */
OUTLINE unsigned access_slowly(struct ml_lean_lru *x, const struct ml_accesses *a,
			       size_t i, unsigned core, bool missed)
{
	uint64_t addr = a->addr[i], size = a->what[i] & 0x3fff;
	uint64_t last = addr + size - (size > 0), first = addr >> x->bits;
	enum ml_access_kind kind = a->what[i] >> 14 > ML_ACCESS_FETCH ? ML_ACCESS_READ
								      : a->what[i] >> 14;
	struct request q = {
		.access = (uint32_t)i,
		.core = core,
		.path = x->paths[core][kind == ML_ACCESS_FETCH],
		.site = a->site ? a->site[i] : 0,
		.kind = kind,
		.demand = true,
		.first = true,
	};
	unsigned served = 0;

	if (last < addr)
		last = UINT64_MAX;
	for (q.line = first; q.line <= last >> x->bits; q.line++) {
		q.addr = q.line == first ? addr : q.line << x->bits;
		unsigned one = serve(x, &q, 0, missed);
		if (kind == ML_ACCESS_WRITE)
			*row_of(q.path[0], q.line) |= LEAN_DIRTY;
		served = one > served ? one : served;
		q.first = false;
	}
	if (x->queued)
		prefetch(x, &q);
	return served;
}

/*
 * A hit that leaves its row as it is: the line is first there, and already dirty if this
 * is a write. What is dirty here is in no cache of other cores.
 */
INLINE bool hits_first(uint64_t first, uint64_t key, bool write)
{
	return (first | (write ? 0 : LEAN_DIRTY)) == (key | LEAN_DIRTY);
}

/* Any other access, which may hit further back in the row. Returns its serving level. */
OUTLINE unsigned access_on(struct ml_lean_lru *x, const struct ml_accesses *a, size_t i,
			   unsigned core, bool whole)
{
	const struct lean_cache *c = x->caches[0];
	unsigned kind = a->what[i] >> 14;
	bool write = kind == ML_ACCESS_WRITE;
	uint64_t line = a->addr[i] >> x->bits,
		 *row = x->first_rows[core] + row_at(c, line);
	int at = whole ? find_key(row, c->lanes, key_of(line)) : LEAN_NOWHERE;

	if (at == LEAN_NOWHERE || row[at] & LEAN_AHEAD ||
	    (write && c->coherent && !(row[at] & LEAN_DIRTY)))
		return access_slowly(x, a, i, core, whole && at == LEAN_NOWHERE);
	c->counts->asked[kind > ML_ACCESS_FETCH ? ML_ACCESS_READ : kind]++;
	move_to_front(row, (unsigned)at);
	row[0] |= write ? LEAN_DIRTY : 0;
	return 1;
}

INLINE void run_accesses(struct ml_lean_lru *x, const struct ml_accesses *a,
			 uint16_t *served, const bool cores)
{
	const struct lean_cache *c = x->caches[0]; /* the others are like it */
	const uint64_t *restrict addrs = a->addr;
	const uint16_t *restrict whats = a->what, *restrict its_core = a->core;
	uint64_t *const *restrict rows = x->first_rows;
	const size_t count = a->count;
	const unsigned bits = x->bits, core_count = x->cores;
	const uint64_t within = ((uint64_t)1 << bits) - 1;
	const uint32_t cannot = (x->split ? 1u << ML_ACCESS_FETCH : 0) |
				(x->strides ? UINT32_MAX : 0); /* kinds */
	uint64_t hits = 0, writes = 0, fetches = 0;

	for (size_t i = 0; served && i < count; i++)
		served[i] = 1;
	for (size_t i = 0; i < count; i++) {
		uint64_t addr = addrs[i], line = addr >> bits;
		unsigned kind = whats[i] >> 14, core = 0;
		bool write = kind == ML_ACCESS_WRITE;

		if (cores)
			core = its_core[i] < core_count ? its_core[i]
							: its_core[i] % core_count;
		const uint64_t *row = rows[core] + row_at(c, line);
		bool whole = (addr & within) + (whats[i] & 0x3fff) <= within + 1 &&
			     !(cannot >> kind & 1);
		if (whole && hits_first(row[0], key_of(line), write)) {
			hits++;
			writes += write;
			fetches += kind == ML_ACCESS_FETCH;
			continue;
		}
		unsigned level = access_on(x, a, i, core, whole);
		if (served)
			served[i] = (uint16_t)level;
	}
	c->counts->asked[ML_ACCESS_READ] += hits - writes - fetches;
	c->counts->asked[ML_ACCESS_WRITE] += writes;
	c->counts->asked[ML_ACCESS_FETCH] += fetches;
}

TARGET static void run(struct ml_lean_lru *x, const struct ml_accesses *a,
		       uint16_t *served)
{
	if (x->cores > 1 && a->core)
		run_accesses(x, a, served, true);
	else
		run_accesses(x, a, served, false);
}
