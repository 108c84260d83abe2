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
/* Before a loop over depths: each becomes a constant. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

INLINE uint32_t find_line(const uint64_t *row, unsigned lanes, uint64_t line);
INLINE uint32_t find_number(const uint32_t *row, unsigned lanes, uint32_t number);
INLINE unsigned oldest(const uint32_t *times, unsigned lanes);

/* A request for bytes of one line. */
struct request {
	uint64_t line, addr, size;
	uint32_t number; /* of the line */
	uint8_t *record; /* of x->records */
	uint32_t access, owner, site;
	enum ml_access_kind kind;
	bool demand, first;          /* first: the first line of its access */
	struct explain_cache *inner; /* the first level that it asks */
	uint32_t time;               /* of the demand in that level's shadow */
};

/* The data that comes with a line into a cache. */
struct cargo {
	uint64_t read, written;
	uint32_t owner;
	bool write_first, prefetched;
};

/*
 * What is known of the machine when a loop is compiled. Functions take it by value, and
 * depths as constants, so that the compiler leaves out what a machine does not have.
 */
struct shape {
	bool simply; /* no TLB, no prefetcher, no split first level */
	bool usual;  /* the first level has eight lanes, a power of two of sets, and lines
		      * of at most 64 bytes */
	/*
	 * Not 0: the number of levels. None is inclusive or exclusive, all have a power
	 * of two of sets, and sums take the events that nobody observes one by one.
	 */
	unsigned flat;
};

#define ANY ((struct shape){ .simply = false })

INLINE struct explain_cache *cache_at(struct ml_explain_lru *x, const struct request *q,
				      unsigned depth, struct shape s)
{
	return depth || s.simply ? &x->cache[depth] : q->inner;
}

INLINE uint32_t set_of(const struct explain_cache *c, uint64_t line, struct shape s)
{
	return s.flat ? (uint32_t)line & c->mask : explain_set(c, line);
}

INLINE uint32_t *times_of(const struct explain_cache *c, unsigned depth, uint32_t set)
{
	return depth == EXPLAIN_FIRST ? c->times + (size_t)set * c->lanes
				      : explain_numbers(c, set) + c->lanes;
}

/* The place of a line in a cache, or EXPLAIN_NOWHERE. */
INLINE int64_t find(const struct explain_cache *c, unsigned depth, uint64_t line,
		    uint32_t number, uint32_t set)
{
	size_t first = (size_t)set * c->lanes;
	uint32_t m = depth == EXPLAIN_FIRST
			     ? find_line(c->lines + first, c->lanes, line + 1)
			     : find_number(explain_numbers(c, set), c->lanes, number);

	return m ? (int64_t)(first + (unsigned)__builtin_ctz(m)) : EXPLAIN_NOWHERE;
}

INLINE uint8_t *record_of(const struct explain_cache *c, uint32_t number, struct shape s)
{
	if (!s.simply && c->level == 0)
		ml_line_records_reach(c->records, number);
	return ml_line_record(c->records, number);
}

INLINE void set_evictor(const struct explain_cache *c, uint32_t number, uint32_t owner,
			struct shape s)
{
	ml_line_set_evictor(c->records, record_of(c, number, s), c->evictor, owner);
}

INLINE void tell(const struct ml_explain_lru *x, const struct explain_cache *c,
		 uint32_t set, size_t at, bool dirty, struct shape s)
{
	const struct explain_note *n = &c->notes[at];
	bool observed = !s.flat && x->observer.leave;
	struct ml_leave l = {
		.level = c->level,
		.set = set,
		.line = observed ? explain_line(x, c, at) << x->bits : 0,
		.owner = n->owner,
		.dirty = dirty,
		.asked = !n->prefetched,
		.write_first = n->write_first,
		.read = n->read,
		.written = n->written,
	};

	if (s.flat || x->sums)
		ml_event_sums_leave(x->sums, &l);
	if (observed)
		x->observer.leave(x->observer.arg, &l);
	if (!s.simply)
		c->counts->useless += n->prefetched;
}

/*
 * Adds the use of the line at a place, and its first use, to the copy further out. If
 * data are written back they pass by the levels without a copy.
 */
INLINE void inform(struct ml_explain_lru *x, const struct explain_cache *c,
		   unsigned depth, size_t at, bool writes_back, struct shape s)
{
	const struct explain_note *n = &c->notes[at];
	const unsigned levels = s.flat ? s.flat : x->levels;

	if (depth + 1 >= levels)
		return;
	uint64_t line = depth == EXPLAIN_FIRST ? c->lines[at] - 1
					       : ml_line_book_line(&x->book, n->number);
	UNROLL
	for (unsigned out = depth + 1; out < levels; out++) {
		struct explain_cache *outer = &x->cache[out];
		int64_t to = find(outer, out, line, n->number, set_of(outer, line, s));

		if (to == EXPLAIN_NOWHERE) {
			outer->counts->past_bytes += writes_back ? x->within + 1 : 0;
			continue;
		}
		outer->notes[to].read |= n->read;
		outer->notes[to].written |= n->written;
		if (!s.simply && !n->prefetched && outer->notes[to].prefetched) {
			outer->notes[to].prefetched = 0;
			outer->counts->useful++;
		}
		return;
	}
}

/* Empties a place, whose line has been reported. */
INLINE void drop(struct explain_cache *c, uint32_t set, size_t at)
{
	size_t lane = at - (size_t)set * c->lanes;
	struct explain_note *n = &c->notes[at];

	if (c->depth == EXPLAIN_FIRST) {
		if (!n->prefetched)
			ml_first_shadow_leave(&c->first, n->number, c->times[at]);
		c->lines[at] = 0;
		c->times[at] = 0;
	} else {
		explain_numbers(c, set)[lane] = 0;
		explain_times(c, set)[lane] = 0;
	}
	*n = (struct explain_note){ 0 };
}

/* A copy of a line in a cache within an inclusive one. */
struct inner_copy {
	struct explain_cache *cache;
	int64_t at;
	uint32_t set;
	bool dirty;
};

INLINE struct inner_copy copy_in(struct explain_cache *c, uint64_t line, uint32_t number)
{
	uint32_t set = explain_set(c, line);
	int64_t at = find(c, c->depth, line, number, set);

	return (struct inner_copy){ c, at, set,
				    at != EXPLAIN_NOWHERE && c->notes[at].written };
}

/*
 * Takes a line that an inclusive cache evicts from all caches within. Which of them are
 * dirty is decided before any passes its use on.
 */
OUTLINE void take_within(struct ml_explain_lru *x, const struct request *q,
			 unsigned depth, uint64_t line, uint32_t number)
{
	struct inner_copy copies[ML_LEVELS + 1];
	unsigned count = 0;

	copies[count++] = copy_in(&x->cache[0], line, number);
	if (x->split)
		copies[count++] = copy_in(&x->icache, line, number);
	for (unsigned in = 1; in < depth; in++)
		copies[count++] = copy_in(&x->cache[in], line, number);
	for (unsigned i = 0; i < count; i++) {
		struct explain_cache *c = copies[i].cache;
		size_t at = (size_t)copies[i].at;

		if (copies[i].at == EXPLAIN_NOWHERE)
			continue;
		c->counts->invalidations++;
		c->counts->write_backs += copies[i].dirty;
		set_evictor(c, number, q->owner, ANY);
		inform(x, c, c->depth, at, false, ANY);
		tell(x, c, copies[i].set, at, copies[i].dirty, ANY);
		drop(c, copies[i].set, at);
	}
}

OUTLINE void move_out(struct ml_explain_lru *x, const struct request *q,
		      struct explain_cache *c, uint32_t number,
		      const struct cargo *cargo);

/* Evicts the line at a place, which a line of q takes next. */
INLINE void evict(struct ml_explain_lru *x, const struct request *q,
		  struct explain_cache *c, unsigned depth, uint32_t set, size_t at,
		  struct shape s)
{
	struct explain_note *n = &c->notes[at];
	struct explain_cache *outer =
		!s.flat && depth + 1 < x->levels ? &x->cache[depth + 1] : NULL;
	bool moves = outer && outer->exclusive;

	c->counts->evictions++;
	set_evictor(c, n->number, q->owner, s);
	if (!s.flat && c->inclusive)
		take_within(x, q, depth, ml_line_book_line(&x->book, n->number),
			    n->number);
	c->counts->write_backs += n->written != 0;
	if (!moves)
		inform(x, c, depth, at, n->written, s);
	tell(x, c, set, at, n->written, s);
	if (depth == EXPLAIN_FIRST && (s.simply || !n->prefetched))
		ml_first_shadow_leave(&c->first, n->number, c->times[at]);
	if (moves) {
		struct cargo cargo = { n->read, n->written, n->owner, n->write_first,
				       n->prefetched };

		move_out(x, q, outer, n->number, &cargo);
	}
}

/* Brings a line into a cache that does not hold it. */
INLINE size_t fill(struct ml_explain_lru *x, const struct request *q,
		   struct explain_cache *c, unsigned depth, uint64_t line,
		   uint32_t number, const struct cargo *cargo, struct shape s)
{
	uint32_t set = set_of(c, line, s);
	uint32_t *times = times_of(c, depth, set);
	unsigned lane = oldest(times, c->lanes);
	size_t at = (size_t)set * c->lanes + lane;

	if (times[lane])
		evict(x, q, c, depth, set, at, s);
	if (depth == EXPLAIN_FIRST) {
		c->lines[at] = line + 1;
		times[lane] = q->demand ? q->time : ml_first_shadow_tick(&c->first);
	} else {
		explain_numbers(c, set)[lane] = number;
		if (c->clock == UINT32_MAX - 1)
			ml_explain_lru_renumber(c);
		times[lane] = ++c->clock;
	}
	c->notes[at] = (struct explain_note){
		.read = cargo->read,
		.written = cargo->written,
		.since = (x->accesses + q->access) & (UINT64_MAX >> 2),
		.write_first = cargo->write_first,
		.prefetched = cargo->prefetched,
		.owner = cargo->owner,
		.number = number,
	};
	c->counts->fills++;
	if (!s.simply)
		c->counts->prefetched += cargo->prefetched;
	return at;
}

OUTLINE void move_out(struct ml_explain_lru *x, const struct request *q,
		      struct explain_cache *c, uint32_t number, const struct cargo *cargo)
{
	uint64_t line = ml_line_book_line(&x->book, number);
	int64_t at = find(c, c->depth, line, number, explain_set(c, line));

	if (at == EXPLAIN_NOWHERE) {
		fill(x, q, c, c->depth, line, number, cargo, ANY);
		return;
	}
	struct explain_note *n = &c->notes[at];
	if (!cargo->prefetched && n->prefetched) {
		n->prefetched = 0;
		c->counts->useful++;
	}
	n->read |= cargo->read;
	n->written |= cargo->written;
}

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

/*
 * Large simulated caches do not fit into those of the host. So the accesses of the next
 * strips are looked at ahead of time: those that will likely miss the first level become
 * candidates, and what their misses will read is fetched into the host's caches, in
 * three steps, each of which needs what the one before it has fetched.
 */
enum { STRIP = 32, VICTIMS = 3 * STRIP, FEW = 10 };

struct ahead {
	uint64_t line[STRIP];
	uint32_t victim[VICTIMS]; /* numbers of lines that will likely be evicted... */
	uint8_t depth[VICTIMS];   /* ...from these depths */
	unsigned count, victims;
};

INLINE void fetch_row(const struct explain_cache *c, uint64_t line)
{
	const uint32_t *row = explain_numbers(c, explain_set(c, line));

	__builtin_prefetch(row);
	__builtin_prefetch(row + 16);
}

/* Step 1: finds the candidates; fetches the rows of their sets and their page. */
INLINE void look_far(const struct ml_explain_lru *x, const struct ml_accesses *a,
		     size_t from, struct ahead *h)
{
	const struct explain_cache *c = &x->cache[0];
	size_t end = from + STRIP < a->count ? from + STRIP : a->count;
	uint64_t last = UINT64_MAX;

	h->count = h->victims = 0;
	for (size_t i = from; i < end; i++) {
		uint64_t line = a->addr[i] >> x->bits;
		size_t first = (size_t)explain_set(c, line) * c->lanes;

		h->line[h->count] = line;
		h->count += line != last &&
			    !find_line(c->lines + first, c->lanes, line + 1);
		last = line;
	}
	for (unsigned i = 0; i < h->count; i++) {
		uint64_t page = h->line[i] >> ML_LINE_PAGE_BITS;

		__builtin_prefetch(
			&x->book.slots[ml_line_book_hash(page) & (x->book.room - 1)]);
		for (unsigned depth = 1; depth < x->levels; depth++)
			fetch_row(&x->cache[depth], h->line[i]);
	}
}

INLINE void fetch_record(const struct ml_line_records *r, uint32_t number)
{
	__builtin_prefetch(ml_line_record(r, number));
}

/* Step 2: fetches the records, and finds the lines that the candidates will evict. */
INLINE void look_near(const struct ml_explain_lru *x, struct ahead *h)
{
	for (unsigned i = 0; i < h->count; i++) {
		uint64_t line = h->line[i], page = line >> ML_LINE_PAGE_BITS;
		uint32_t first = ml_line_book_slot(&x->book, page)->first;

		/* a line that has no number yet is nowhere */
		uint32_t number = first ? first + (uint32_t)(line & (ML_LINE_PAGE - 1))
					: EXPLAIN_NO_NUMBER;

		if (first)
			fetch_record(&x->records, number);
		for (unsigned depth = 0; depth < x->levels; depth++) {
			const struct explain_cache *c = &x->cache[depth];
			uint32_t set = explain_set(c, line);

			if (depth &&
			    find_number(explain_numbers(c, set), c->lanes, number))
				break;
			if (c->exclusive)
				continue;
			unsigned lane = oldest(explain_times(c, set), c->lanes);
			size_t at = (size_t)set * c->lanes + lane;
			uint32_t victim = depth ? explain_numbers(c, set)[lane]
						: c->notes[at].number;

			__builtin_prefetch(&c->notes[at]);
			if (!victim || h->victims == VICTIMS)
				continue;
			fetch_record(&x->records, victim);
			h->victim[h->victims] = victim;
			h->depth[h->victims++] = (uint8_t)depth;
			if (depth + 1 < x->levels)
				fetch_row(&x->cache[depth + 1],
					  ml_line_book_line(&x->book, victim));
		}
	}
}

/* Step 3: fetches the notes of copies further out. */
INLINE void look_at_copies(const struct ml_explain_lru *x, const struct ahead *h)
{
	for (unsigned i = 0; i < h->victims; i++) {
		if (h->depth[i] + 1u >= x->levels)
			continue;
		const struct explain_cache *c = &x->cache[h->depth[i] + 1];
		uint64_t line = ml_line_book_line(&x->book, h->victim[i]);
		uint32_t set = explain_set(c, line);
		int64_t at = find(c, c->depth, line, h->victim[i], set);

		if (at == EXPLAIN_NOWHERE && c->exclusive)
			at = (int64_t)((size_t)set * c->lanes +
				       oldest(explain_times(c, set), c->lanes));
		if (at != EXPLAIN_NOWHERE)
			__builtin_prefetch(&c->notes[at]);
	}
}

INLINE void look_ahead(const struct ml_explain_lru *x, const struct ml_accesses *a,
		       size_t i, struct ahead ring[4])
{
	size_t strip = i / STRIP;

	if (i == 0) {
		look_far(x, a, 0, &ring[0]);
		look_far(x, a, STRIP, &ring[1]);
		look_near(x, &ring[0]);
	}
	if (i + 2 * STRIP < a->count)
		look_far(x, a, i + 2 * STRIP, &ring[(strip + 2) % 4]);
	else
		ring[(strip + 2) % 4].count = ring[(strip + 2) % 4].victims = 0;
	look_near(x, &ring[(strip + 1) % 4]);
	look_at_copies(x, &ring[strip % 4]);
}

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
		if (!s.simply && x->machine.tlbs && kind != ML_ACCESS_FETCH) {
			struct access z = access_at(a, i);

			ml_sim_translate(x->mirror, z.kind, z.addr, z.last, (uint32_t)i);
		}
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
	struct shape s = { .simply = !x->machine.tlbs && !x->prefetches && !x->split,
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
