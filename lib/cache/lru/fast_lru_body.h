/*
 * The loops of the fast LRU simulator, once for all instruction sets. A file that
 * includes this header first defines TARGET (the attribute that allows the instructions),
 * and then defines how a set is searched:
 *
 *	touch   makes a line the first of its set; returns whether it hit, and on a miss
 *		the victim
 *	mark    makes a line of a set dirty if the set holds it
 *
 * The arguments lanes and wide are constants in every call, so that the compiler makes a
 * loop for each width. lanes is 0 for long sets.
 */
#pragma once

#include "lib/cache/lru/fast_lru_parts.h"

#define INLINE TARGET static inline __attribute__((always_inline))

/* The results of touch. */
struct touched {
	bool hit;
	uint64_t victim; /* the key that was evicted, on a miss; 0: the way was empty */
};

INLINE struct touched touch(void *set, uint64_t key, uint32_t ways, unsigned lanes,
			    bool wide);
INLINE bool mark(void *set, uint64_t key, uint32_t ways, unsigned lanes, bool wide);

/*
 * touch and mark for instruction sets that find a lane by vectors, but move keys one by
 * one. lane is the lane that holds the key, or -1.
 */
INLINE struct touched touch_lane(void *set, uint64_t key, uint32_t ways, int32_t lane,
				 bool wide)
{
	uint32_t move = lane < 0 ? ways - 1 : (uint32_t)lane;
	uint64_t last;

	if (wide) {
		uint64_t *way = set;

		last = way[move];
		for (uint32_t i = move; i > 0; i--)
			way[i] = way[i - 1];
		way[0] = key | (lane < 0 ? 0 : last & 1);
	} else {
		uint32_t *way = set;

		last = way[move];
		for (uint32_t i = move; i > 0; i--)
			way[i] = way[i - 1];
		way[0] = (uint32_t)(key | (lane < 0 ? 0 : last & 1));
	}
	return (struct touched){ lane >= 0, last };
}

INLINE bool mark_lane(void *set, int32_t lane, bool wide)
{
	if (lane < 0)
		return false;
	if (wide)
		((uint64_t *)set)[lane] |= 1;
	else
		((uint32_t *)set)[lane] |= 1;
	return true;
}

/* n % count by two multiplications (Lemire, Kaser, Kurz 2019); n and count below 2^32. */
INLINE uint32_t remainder_of(const struct fast_lru_level *l, uint32_t n)
{
	__extension__ typedef unsigned __int128 u128;

	return (uint32_t)((u128)(l->inverse * n) * l->count >> 64);
}

/*
 * Where the set of a key starts. even: the number of sets is a power of two. l is a copy
 * on the stack, which no store to a set can change, so the compiler keeps it in
 * registers.
 */
INLINE void *set_of(const struct fast_lru_level *l, unsigned bits, uint64_t key,
		    unsigned lanes, bool wide, bool even)
{
	uint64_t line = (key & ~FAST_LRU_WIDE) >> 1, set;
	unsigned size = (lanes ? lanes : l->lanes) * (wide ? 8 : 4);

	if (even) /* shorter than shifting right and left */
		return (char *)l->sets + (key & (uint64_t)l->mask << 1) * (size / 2);
	if (wide) {
		set = l->mask ? line & l->mask : line % l->count;
	} else {
		uint32_t low = (uint32_t)line & (((uint32_t)1 << bits) - 1);

		set = remainder_of(l, remainder_of(l, low) + l->first[line >> bits]);
	}
	return (char *)l->sets + set * size;
}

/* One event of a stream. */
struct event {
	uint64_t key;
	uint32_t at;
};

INLINE struct event event_get(const uint64_t *key, const uint32_t *at, size_t i,
			      bool wide)
{
	if (wide)
		return (struct event){ key[i], at[i] };
	return (struct event){ (uint32_t)key[i], (uint32_t)(key[i] >> 32) };
}

INLINE void event_put(uint64_t *key, uint32_t *at, size_t i, struct event e, bool wide)
{
	if (wide) {
		key[i] = e.key;
		at[i] = e.at;
	} else {
		key[i] = (uint64_t)e.at << 32 | e.key;
	}
}

/* Marks the accesses that a level did not serve. */
INLINE void note_served(const struct fast_lru_events *out, uint16_t *served,
			unsigned number, bool wide)
{
	for (size_t i = 0; i < out->count; i++) {
		struct event e = event_get(out->key, out->at, i, wide);
		uint16_t *s = &served[e.at >> 6];

		/* a write-back belongs to no access, so it changes no serving level */
		*s = e.key & 1 ? *s : (uint16_t)(number + 2);
	}
}

/*
 * Runs one level. In the first level the lowest bit of a key is a write; outer levels see
 * writes as write-backs only. Misses and victims are appended without a branch, as a
 * branch could not be predicted.
 */
INLINE void level_run(const struct ml_fast_lru *q, struct fast_lru_level *level,
		      const struct fast_lru_events *in, struct fast_lru_events *out,
		      uint16_t *served, unsigned number, unsigned lanes, bool wide,
		      bool even)
{
	const struct fast_lru_level l = *level;
	const uint64_t *restrict keys = in->key;
	const uint32_t *restrict ats = in->at;
	uint64_t *restrict out_key = out->key;
	uint32_t *restrict out_at = out->at;
	size_t n = 0, count = in->count, passed = 0;
	unsigned bits = 32 - q->shift;
	bool outer = number > 0;

	for (size_t i = 0; i < count; i++) {
		struct event e = event_get(keys, ats, i, wide);
		void *set = set_of(&l, bits, e.key, lanes, wide, even);

		if (outer) {
			struct event later = event_get(keys, ats, i + FAST_LRU_AHEAD,
						       wide);

			__builtin_prefetch(
				set_of(&l, bits, later.key, lanes, wide, even));
			if (e.key & 1) {
				bool pass = !mark(set, e.key, l.ways, lanes, wide);

				event_put(out_key, out_at, n, e, wide);
				n += pass;
				passed += pass;
				continue;
			}
		}
		struct touched t = touch(set, e.key, l.ways, lanes, wide);
		unsigned miss = !t.hit;

		e.key &= ~(uint64_t)1;
		event_put(out_key, out_at, n, e, wide);
		n += miss;
		event_put(out_key, out_at, n, (struct event){ t.victim, 0 }, wide);
		n += miss & (unsigned)t.victim;
	}
	out->count = n;

	uint64_t demand = 0, writes = 0, fetches = 0;
	for (size_t i = 0; i < n; i++) {
		struct event e = event_get(out_key, out_at, i, wide);
		uint64_t asked = ~e.key & 1;

		demand += asked;
		writes += asked & e.at >> 4; /* fast_lru_at() */
		fetches += asked & e.at >> 5;
	}
	level->missed[ML_ACCESS_READ] += demand - writes - fetches;
	level->missed[ML_ACCESS_WRITE] += writes;
	level->missed[ML_ACCESS_FETCH] += fetches;
	level->write_backs += n - demand - passed;
	level->past += passed;
	out->backs = n - demand;
	if (served)
		note_served(out, served, number, wide);
}

INLINE void level_lanes(struct ml_fast_lru *q, struct fast_lru_level *l,
			const struct fast_lru_events *in, struct fast_lru_events *out,
			uint16_t *served, unsigned number, bool wide, bool even)
{
	switch (l->lanes) {
	case 8: level_run(q, l, in, out, served, number, 8, wide, even); break;
	case 16: level_run(q, l, in, out, served, number, 16, wide, even); break;
	case 32: level_run(q, l, in, out, served, number, 32, wide, even); break;
	default: level_run(q, l, in, out, served, number, 0, wide, even); break;
	}
}

INLINE void level_choose(struct ml_fast_lru *q, const struct fast_lru_events *in,
			 struct fast_lru_events *out, uint16_t *served, unsigned number)
{
	struct fast_lru_level *l = &q->level[number];

	if (q->wide)
		level_lanes(q, l, in, out, served, number, true, false);
	else if (l->mask || l->count == 1)
		level_lanes(q, l, in, out, served, number, false, true);
	else
		level_lanes(q, l, in, out, served, number, false, false);
}

/* The first level has a function of its own, in which number is the constant 0. */
TARGET static __attribute__((noinline)) void level_first(struct ml_fast_lru *q,
							 const struct fast_lru_events *in,
							 struct fast_lru_events *out,
							 uint16_t *served)
{
	level_choose(q, in, out, served, 0);
}

TARGET static void level(struct ml_fast_lru *q, unsigned number,
			 const struct fast_lru_events *in, struct fast_lru_events *out,
			 uint16_t *served)
{
	if (!number)
		level_first(q, in, out, served);
	else
		level_choose(q, in, out, served, number);
}

/* The key of an address; false if there is no room for its window. */
INLINE bool key_of(struct ml_fast_lru *q, uint64_t addr, bool write, unsigned shift,
		   bool wide, uint64_t *key)
{
	if (wide) {
		*key = FAST_LRU_WIDE | addr >> shift << 1 | write;
		return true;
	}
	const struct fast_lru_windows *w = &q->windows;
	uint32_t hi = (uint32_t)(addr >> 32);
	uint32_t slot = hi * w->factor >> 28;

	if (__builtin_expect(w->hi[slot] != hi, 0)) {
		if (!ml_fast_lru_window_add(q, hi))
			return false;
		slot = hi * w->factor >> 28;
	}
	*key = w->base[slot] + ((uint32_t)addr >> shift << 1) + write;
	return true;
}

/*
 * Turns accesses into keys one by one, as struct fast_lru_ops says. The loop keeps its
 * counts in local variables, as updates in memory would cost more than all the rest.
 */
INLINE bool lines_one_by_one(struct ml_fast_lru *q, const struct ml_accesses *a,
			     size_t *next, size_t end, size_t base, bool wide)
{
	const uint64_t *restrict addrs = a->addr;
	const uint16_t *restrict whats = a->what;
	uint32_t *restrict narrow_key = q->narrow_key, *restrict ats = q->at;
	uint64_t *restrict wide_key = q->wide_key;
	const unsigned shift = q->shift;
	uint64_t kinds = 0; /* 16 bits each */
	uint64_t offset = ((uint64_t)1 << shift) - 1;
	size_t i = *next, n = q->keys;
	bool fits = true;

	for (; i < end && n < FAST_LRU_ROOM; i++) {
		uint64_t addr = addrs[i], key, last, count = 1;
		unsigned what = whats[i], kind = what >> 14,
			 size = what & FAST_LRU_SIZE_MAX;
		uint64_t more = (addr & offset) + size - (size > 0);
		uint32_t at = fast_lru_at(i - base, kind);
		bool write = kind == ML_ACCESS_WRITE;

		fits = key_of(q, addr, write, shift, wide, &key);
		if (__builtin_expect(!fits, 0))
			break;
		if (__builtin_expect(more > offset, 0)) {
			count = (more >> shift) + 1;
			/*
			 * All windows of the access are known before its first key is
			 * stored.
			 */
			fits = key_of(q, addr + size - 1, write, shift, wide, &last);
			if (!fits)
				break;
		}
		kinds += count << (at & 63);
		for (;;) {
			if (wide)
				wide_key[n] = key;
			else
				narrow_key[n] = (uint32_t)key;
			ats[n++] = at;
			if (__builtin_expect(--count == 0, 1))
				break;
			addr += (uint64_t)1 << shift;
			key_of(q, addr, write, shift, wide, &key);
		}
	}
	for (unsigned k = 0; k < 3; k++)
		q->asked[k] += kinds >> 16 * k & 0xffff;
	q->keys = n;
	*next = i;
	return fits;
}

/*
 * Narrow keys of accesses that lie in known windows and cross no line, up to the first
 * access that does not. These are nearly all accesses, and without the other cases the
 * loop fits into registers.
 */
INLINE void lines_simple(struct ml_fast_lru *q, const struct ml_accesses *a, size_t *next,
			 size_t end, size_t base)
{
	const uint64_t *restrict addrs = a->addr;
	const uint16_t *restrict whats = a->what;
	const uint32_t *restrict windows = q->windows.hi, *restrict bases =
								  q->windows.base;
	uint32_t *restrict key = q->narrow_key + q->keys, *restrict at = q->at + q->keys;
	const uint32_t factor = q->windows.factor, line = 1u << q->shift;
	const unsigned shift = q->shift - 1;
	size_t first = *next, count = end - first, n;
	uint32_t place = fast_lru_at(first - base, 0);
	uint64_t writes = 0, fetches = 0;

	if (count > FAST_LRU_ROOM - q->keys)
		count = FAST_LRU_ROOM - q->keys;
	addrs += first;
	whats += first;
	for (n = 0; n < count; n++) {
		uint64_t addr = addrs[n];
		uint32_t what = whats[n], low = (uint32_t)addr,
			 high = (uint32_t)(addr >> 32);
		uint32_t slot = high * factor >> 28;
		uint32_t reach = (low & (line - 1)) + (what & FAST_LRU_SIZE_MAX);

		if (__builtin_expect(windows[slot] != high || reach > line, 0))
			break;
		key[n] = bases[slot] + (low >> shift & ~1u) + (what >> 14 & 1);
		at[n] = place + (what >> 14 << 4);
		place += fast_lru_at(1, 0);
		writes += what >> 14 & 1;
		fetches += what >> 15;
	}
	q->asked[ML_ACCESS_READ] += n - writes - fetches;
	q->asked[ML_ACCESS_WRITE] += writes;
	q->asked[ML_ACCESS_FETCH] += fetches;
	q->keys += n;
	*next = first + n;
}

/*
 * The same for FAST_LRU_SOME accesses in the first four windows, written so that
 * compilers vectorise it. Returns false, and does nothing, if one access lies elsewhere
 * or crosses a line.
 */
INLINE bool lines_some(struct ml_fast_lru *q, const struct ml_accesses *a, size_t next,
		       size_t base)
{
	const uint64_t *restrict addrs = a->addr + next;
	const uint16_t *restrict whats = a->what + next;
	uint32_t *restrict key = q->narrow_key + q->keys, *restrict at = q->at + q->keys;
	const struct fast_lru_windows *w = &q->windows;
	const unsigned shift = q->shift, bits = 33 - shift;
	const uint32_t line = 1u << shift, place = fast_lru_at(next - base, 0);
	/* unused windows have no key */
	const uint32_t first[4] = { w->used > 0 ? 1u << bits : 0,
				    w->used > 1 ? 2u << bits : 0,
				    w->used > 2 ? 3u << bits : 0,
				    w->used > 3 ? 4u << bits : 0 };
	uint32_t wrong = 0; /* the highest bit */
	uint16_t writes = 0, fetches = 0;

	for (uint32_t i = 0; i < FAST_LRU_SOME; i++) {
		uint32_t low = (uint32_t)addrs[i], high = (uint32_t)(addrs[i] >> 32);
		uint32_t what = whats[i],
			 reach = (low & (line - 1)) + (what & FAST_LRU_SIZE_MAX);
		uint32_t start = (-(uint32_t)(high == w->of[1]) & first[0]) |
				 (-(uint32_t)(high == w->of[2]) & first[1]) |
				 (-(uint32_t)(high == w->of[3]) & first[2]) |
				 (-(uint32_t)(high == w->of[4]) & first[3]);

		wrong |= -(uint32_t)(start == 0) | (line - reach);
		key[i] = start + (low >> (shift - 1) & ~1u) + (what >> 14 & 1);
		at[i] = place + fast_lru_at(i, 0) + (what >> 14 << 4);
	}
	if (__builtin_expect(wrong >> 31, 0))
		return false;
	for (uint32_t i = 0; i < FAST_LRU_SOME; i++) {
		writes = (uint16_t)(writes + (whats[i] >> 14 & 1));
		fetches = (uint16_t)(fetches + (whats[i] >> 15));
	}
	q->asked[ML_ACCESS_READ] += (uint32_t)(FAST_LRU_SOME - writes - fetches);
	q->asked[ML_ACCESS_WRITE] += writes;
	q->asked[ML_ACCESS_FETCH] += fetches;
	q->keys += FAST_LRU_SOME;
	return true;
}

TARGET static inline bool lines_plain(struct ml_fast_lru *q, const struct ml_accesses *a,
				      size_t *next, size_t end, size_t base)
{
	bool fits = true;

	if (q->wide)
		return lines_one_by_one(q, a, next, end, base, true);
	while (fits && *next < end && q->keys < FAST_LRU_ROOM) {
		size_t stop = end - *next < FAST_LRU_SOME ? end : *next + FAST_LRU_SOME;

		if (stop - *next == FAST_LRU_SOME &&
		    q->keys + FAST_LRU_SOME <= FAST_LRU_ROOM &&
		    lines_some(q, a, *next, base)) {
			*next = stop;
			continue;
		}
		while (fits && *next < stop && q->keys < FAST_LRU_ROOM) {
			lines_simple(q, a, next, stop, base);
			if (*next < stop)
				fits = lines_one_by_one(q, a, next, *next + 1, base,
							false);
		}
	}
	return fits;
}

/* Keeps keys [from, end) behind the n that were kept so far; returns the new number. */
INLINE size_t keep_some(struct ml_fast_lru *q, size_t from, size_t end, size_t n,
			bool wide)
{
	struct fast_lru_events *out = &q->stream[0];

	for (size_t i = from; i < end; i++) {
		uint64_t key = wide ? q->wide_key[i] : q->narrow_key[i];
		uint64_t before = wide ? q->wide_key[(ptrdiff_t)i - 1]
				       : q->narrow_key[(ptrdiff_t)i - 1];

		event_put(out->key, out->at, n, (struct event){ key, q->at[i] }, wide);
		n += (key ^ before) > 1 || (key & ~before & 1);
	}
	return n;
}

/*
 * Drops a key whose line is that of the key before it, unless it is the first write.
 * Meanwhile the host prefetches the accesses of the next block, because this loop has no
 * loads to wait for.
 */
TARGET static inline void keep_plain(struct ml_fast_lru *q)
{
	enum { STEP = 8 };
	size_t i = 0, n = 0;

	if (q->wide) {
		n = keep_some(q, 0, q->keys, 0, true);
	} else {
		for (; i + STEP <= q->keys; i += STEP) {
			__builtin_prefetch(q->next_addr + i);
			__builtin_prefetch(q->next_what + i);
			n = keep_some(q, i, i + STEP, n, false);
		}
		n = keep_some(q, i, q->keys, n, false);
	}
	q->stream[0].count = n;
}
