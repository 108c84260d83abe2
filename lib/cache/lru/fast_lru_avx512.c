/*
 * The fast LRU simulator with AVX-512. A short set is one vector or a few. Moving a line
 * to the front takes the same few instructions on a hit and on a miss: let m be the bit
 * of the lane that holds the line (0 on a miss). Then m ^ (m - 1) are the lanes up to it
 * (all lanes on a miss), and each of these takes the key of the lane before it.
 *
 * Most caches have sets of one vector, and these sets are handled otherwise: a row of a
 * table moves the lanes, and a second loop draws the consequences of hits and misses,
 * eight events at a time. Both make the first loop short. Its length matters: every event
 * waits for its set, its comparison and its row, and the host hides these latencies only
 * if many events are in flight.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")))
#include "lib/cache/lru/fast_lru_body.h"

/* Vectors of a short set; 8 lanes of 32 bits are half a vector. */
INLINE unsigned vectors(unsigned lanes, bool wide)
{
	return lanes * (wide ? 8 : 4) / 64;
}

INLINE uint32_t match(__m512i v, __m512i key, bool wide)
{
	__m512i differ = _mm512_xor_si512(v, key);

	return wide ? (uint32_t)_mm512_testn_epi64_mask(differ, _mm512_set1_epi64(~1ll))
		    : (uint32_t)_mm512_testn_epi32_mask(differ, _mm512_set1_epi32(~1));
}

INLINE __m512i spread(uint64_t key, bool wide)
{
	return wide ? _mm512_set1_epi64((long long)key)
		    : _mm512_set1_epi32((int)(uint32_t)key);
}

/*
 * The lanes in k take the key of the lane before them; the lowest lane takes the last
 * lane of `before`.
 */
INLINE __m512i shift_in(__m512i v, __m512i before, uint32_t k, bool wide)
{
	return wide ? _mm512_mask_alignr_epi64(v, (__mmask8)k, v, before, 7)
		    : _mm512_mask_alignr_epi32(v, (__mmask16)k, v, before, 15);
}

/* A vector whose last lane is the key, or-ed with the lanes m of v. */
INLINE __m512i front(__m512i v, __m512i key, uint32_t m, bool wide)
{
	if (wide) {
		__m512i hit = _mm512_maskz_compress_epi64((__mmask8)m, v);

		return _mm512_or_si512(
			_mm512_broadcastq_epi64(_mm512_castsi512_si128(hit)), key);
	}
	__m512i hit = _mm512_maskz_compress_epi32((__mmask16)m, v);

	return _mm512_or_si512(_mm512_broadcastd_epi32(_mm512_castsi512_si128(hit)), key);
}

/* Vector by vector from the front, until the line is found. */
INLINE struct touched touch_long(void *set, uint64_t key, uint32_t ways, bool wide)
{
	unsigned per = wide ? 8 : 16;
	__m512i want = spread(key, wide), before = want;
	uint64_t victim = 0;

	for (uint32_t at = 0; at < ways; at += per) {
		char *place = (char *)set + at * (wide ? 8u : 4u);
		__m512i v = _mm512_load_si512(place);
		uint32_t left = ways - at;
		uint32_t within = left >= per ? (1u << per) - 1 : (1u << left) - 1;
		uint32_t m = match(v, want, wide);

		if (left <= per)
			victim = wide ? ((uint64_t *)set)[ways - 1]
				      : ((uint32_t *)set)[ways - 1];
		_mm512_store_si512(place,
				   shift_in(v, before, (m ^ (m - 1)) & within, wide));
		if (m) {
			unsigned lane = (unsigned)__builtin_ctz(m);
			_Alignas(64) uint64_t old[8];

			_mm512_store_si512(old, v);
			if (wide)
				((uint64_t *)set)[0] |= old[lane] & 1;
			else
				((uint32_t *)set)[0] |= ((uint32_t *)old)[lane] & 1;
			return (struct touched){ true, 0 };
		}
		before = v;
	}
	return (struct touched){ false, victim };
}

INLINE struct touched touch(void *set, uint64_t key, uint32_t ways, unsigned lanes,
			    bool wide)
{
	if (!lanes)
		return touch_long(set, key, ways, wide);

	unsigned count = vectors(lanes, wide), per = wide ? 8 : 16;
	__m512i v[4], want = spread(key, wide), hit = want;
	uint64_t victim = wide ? ((uint64_t *)set)[ways - 1]
			       : ((uint32_t *)set)[ways - 1];
	uint32_t m = 0;

	for (unsigned i = 0; i < count; i++) {
		v[i] = _mm512_load_si512((char *)set + 64 * i);
		uint32_t here = match(v[i], want, wide);

		hit = front(v[i], hit, here, wide);
		m |= here << per * i;
	}
	uint32_t move = (m ^ (m - 1)) & (uint32_t)(((uint64_t)1 << ways) - 1);

	for (unsigned i = 0; i < count; i++)
		_mm512_store_si512(
			(char *)set + 64 * i,
			shift_in(v[i], i ? v[i - 1] : hit, move >> per * i, wide));
	return (struct touched){ m != 0, victim };
}

INLINE bool mark(void *set, uint64_t key, uint32_t ways, unsigned lanes, bool wide)
{
	unsigned per = wide ? 8 : 16;
	__m512i want = spread(key, wide);
	uint32_t m = 0, at = 0;

	if (lanes == 8 && !wide) {
		__m256i v = _mm256_load_si256(set);
		__m256i differ = _mm256_xor_si256(v,
						  _mm256_set1_epi32((int)(uint32_t)key));

		m = _mm256_testn_epi32_mask(differ, _mm256_set1_epi32(~1));
	} else {
		for (; at < (lanes ? lanes : ways); at += per) {
			char *place = (char *)set + at * (wide ? 8u : 4u);

			m = match(_mm512_load_si512(place), want, wide);
			if (m)
				break;
		}
	}
	at = m ? at + (unsigned)__builtin_ctz(m) : 0;
	if (wide)
		((uint64_t *)set)[at] |= m != 0;
	else
		((uint32_t *)set)[at] |= m != 0;
	return m;
}

/* The offsets of the sets of events, in bytes. */
INLINE void find_sets(const struct ml_fast_lru *q, const struct fast_lru_level *l,
		      const struct fast_lru_events *in, unsigned lanes)
{
	uint32_t *offset = q->offset;

	if (l->mask || l->count == 1) {
		__m512i mask = _mm512_set1_epi64((long long)l->mask << 1);
		__m128i by = _mm_cvtsi32_si128(lanes == 8 ? 4 : 5);

		for (size_t i = 0; i < in->count; i += 8) {
			__m512i key = _mm512_loadu_si512(in->key + i);
			__m512i set = _mm512_sll_epi64(_mm512_and_si512(key, mask), by);

			_mm256_storeu_si256((__m256i *)(offset + i),
					    _mm512_cvtepi64_epi32(set));
		}
		return;
	}
	for (size_t i = 0; i < in->count; i++) {
		const char *set = set_of(l, 32 - q->shift, (uint32_t)in->key[i], lanes,
					 false, false);

		offset[i] = (uint32_t)(set - (const char *)l->sets);
	}
}

/*
 * Moves the requested lines to the front of their sets. A line that is written back (only
 * if `backs`) becomes dirty and stays in its place. Stores for each event the lane that
 * hit and the key of the last way.
 */
INLINE void touch_all(const struct ml_fast_lru *q, const struct fast_lru_level *l,
		      const struct fast_lru_events *in, unsigned lanes, bool outer,
		      bool backs)
{
	const uint64_t *restrict events = in->key;
	const uint32_t *restrict offset = q->offset;
	uint32_t *restrict last = q->last;
	uint16_t *restrict hit = q->hit;
	const char *turns = (const char *)l->turns;
	char *sets = l->sets;
	size_t count = in->count, ways = l->ways;

	for (size_t i = 0; i < count; i++) {
		uint32_t *way = (uint32_t *)(sets + offset[i]);
		uint32_t back = backs ? (uint32_t)events[i] & 1 : 0, m, to = 1;

		if (outer)
			__builtin_prefetch(sets + offset[i + FAST_LRU_AHEAD]);
		last[i] = way[ways - 1];
		if (lanes == 8) {
			__m256i key = _mm256_broadcastd_epi32(_mm_loadu_si32(events + i));
			__m256i v = _mm256_load_si256((const __m256i *)way);

			__asm__("" : "+v"(v)); /* or gcc loads it twice */

			m = _mm256_testn_epi32_mask(_mm256_xor_si256(v, key),
						    _mm256_set1_epi32(~1));
			/* row 0 moves nothing */
			uint32_t row = _tzcnt_u32(m) & (back - 1);
			__m256i turn = _mm256_load_si256((const __m256i *)turns + row);

			if (backs)
				to = (m & -back) | (back ^ 1);
			v = _mm256_permutex2var_epi32(v, turn, _mm256_setzero_si256());
			v = _mm256_mask_or_epi32(v, (__mmask8)to, v, key);
			_mm256_store_si256((__m256i *)way, v);
		} else {
			__m512i key = _mm512_broadcastd_epi32(_mm_loadu_si32(events + i));
			__m512i v = _mm512_load_si512(way);

			__asm__("" : "+v"(v));

			m = _mm512_testn_epi32_mask(_mm512_xor_si512(v, key),
						    _mm512_set1_epi32(~1));
			uint32_t row = _tzcnt_u32(m) & (back - 1);
			__m512i turn = _mm512_load_si512((const __m512i *)turns + row);

			if (backs)
				to = (m & -back) | (back ^ 1);
			v = _mm512_permutex2var_epi32(v, turn, _mm512_setzero_si512());
			v = _mm512_mask_or_epi32(v, (__mmask16)to, v, key);
			_mm512_store_si512(way, v);
		}
		hit[i] = (uint16_t)m;
	}
}

/* Builds the events for the next level: the missed lines, and the dirty victims. */
INLINE void pass_on(const struct ml_fast_lru *q, struct fast_lru_level *l,
		    const struct fast_lru_events *in, struct fast_lru_events *out,
		    bool outer)
{
	__m512i pairs_low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
	__m512i pairs_high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
	size_t n = 0, count = in->count, writes = 0, fetches = 0, demands = 0, gone = 0;

	for (size_t i = 0; i < count; i += 8) {
		__m512i event = _mm512_loadu_si512(in->key + i);
		__m128i hit = _mm_loadu_si128((const __m128i *)(q->hit + i));
		__m256i last = _mm256_loadu_si256((const __m256i *)(q->last + i));
		uint32_t valid = count - i >= 8 ? 0xff : (1u << (count - i)) - 1;
		uint32_t miss = _mm_testn_epi16_mask(hit, hit) & valid, demand = miss;

		if (!miss)
			continue;
		if (outer)
			demand &= ~(uint32_t)_mm512_test_epi64_mask(event,
								    _mm512_set1_epi64(1));
		else
			event = _mm512_and_si512(event, _mm512_set1_epi64(~1ll));
		uint32_t dirty = demand &
				 _mm256_test_epi32_mask(last, _mm256_set1_epi32(1));
		uint32_t both = _pdep_u32(miss, 0x5555) | _pdep_u32(dirty, 0xaaaa);
		__m512i victim = _mm512_cvtepu32_epi64(last);
		__m512i low = _mm512_permutex2var_epi64(event, pairs_low, victim);
		__m512i high = _mm512_permutex2var_epi64(event, pairs_high, victim);
		/* the two bits of the kind, fast_lru_at() */
		uint32_t write = _mm512_test_epi64_mask(event,
							_mm512_set1_epi64(1ll << 36));
		uint32_t fetch = _mm512_test_epi64_mask(event,
							_mm512_set1_epi64(1ll << 37));

		_mm512_storeu_si512(out->key + n,
				    _mm512_maskz_compress_epi64((__mmask8)both, low));
		n += (unsigned)__builtin_popcount(both & 0xff);
		_mm512_storeu_si512(out->key + n, _mm512_maskz_compress_epi64(
							  (__mmask8)(both >> 8), high));
		n += (unsigned)__builtin_popcount(both >> 8);
		writes += (unsigned)__builtin_popcount(demand & write & ~fetch);
		fetches += (unsigned)__builtin_popcount(demand & fetch & ~write);
		demands += (unsigned)__builtin_popcount(demand);
		gone += (unsigned)__builtin_popcount(dirty);
	}
	l->missed[ML_ACCESS_READ] += demands - writes - fetches;
	l->missed[ML_ACCESS_WRITE] += writes;
	l->missed[ML_ACCESS_FETCH] += fetches;
	l->write_backs += gone;
	l->past += n - demands - gone;
	out->count = n;
	out->backs = n - demands;
}

INLINE void level_vectors(struct ml_fast_lru *q, unsigned number,
			  const struct fast_lru_events *in, struct fast_lru_events *out,
			  unsigned lanes)
{
	struct fast_lru_level *l = &q->level[number];

	find_sets(q, l, in, lanes);
	if (!number) {
		touch_all(q, l, in, lanes, false, false);
		pass_on(q, l, in, out, false);
		return;
	}
	/* the prefetches beyond the end read this */
	memset(q->offset + in->count, 0, FAST_LRU_AHEAD * sizeof(*q->offset));
	if (in->backs)
		touch_all(q, l, in, lanes, true, true);
	else
		touch_all(q, l, in, lanes, true, false);
	pass_on(q, l, in, out, true);
}

TARGET static void level_narrow(struct ml_fast_lru *q, unsigned number,
				const struct fast_lru_events *in,
				struct fast_lru_events *out, uint16_t *served)
{
	unsigned lanes = q->level[number].lanes;

	if (q->wide || !q->level[number].turns) {
		level(q, number, in, out, served);
		return;
	}
	if (lanes == 8)
		level_vectors(q, number, in, out, 8);
	else
		level_vectors(q, number, in, out, 16);
	if (served)
		note_served(out, served, number, false);
}

/* Sixteen accesses at once, if all lie in known windows and none crosses a line. */
TARGET static bool lines(struct ml_fast_lru *q, const struct ml_accesses *a, size_t *next,
			 size_t end, size_t base)
{
	struct fast_lru_windows *w = &q->windows;
	size_t i = *next;
	__m128i shift = _mm_cvtsi32_si128((int)q->shift);
	__m512i offset = _mm512_set1_epi32((int)((1u << q->shift) - 1));
	__m512i one = _mm512_set1_epi32(1);
	__m512i place = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
					  14, 15);
	__m512i kinds = _mm512_set1_epi32(0x30), counts = _mm512_setzero_si512();
	uint64_t all = 0;
	bool fits = true;

	if (q->wide)
		return lines_one_by_one(q, a, next, end, base, true);
	place = _mm512_add_epi32(place, _mm512_set1_epi32((int)(i - base)));
	place = _mm512_slli_epi32(place, 6);
	while (fits && i < end && q->keys < FAST_LRU_ROOM) {
		if (i + 16 <= end) {
			__m512i a0 = _mm512_loadu_si512(a->addr + i);
			__m512i a1 = _mm512_loadu_si512(a->addr + i + 8);
			/* even 32-bit lanes are the low halves of addresses, odd ones the
			 * high */
			__m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16,
							  18, 20, 22, 24, 26, 28, 30);
			__m512i low = _mm512_permutex2var_epi32(a0, evens, a1);
			__m512i high = _mm512_permutex2var_epi32(
				a0, _mm512_or_si512(evens, one), a1);
			__m512i what = _mm512_cvtepu16_epi32(
				_mm256_loadu_si256((const __m256i *)(a->what + i)));
			__m512i kind = _mm512_and_si512(_mm512_srli_epi32(what, 10),
							kinds);
			__m512i write = _mm512_and_si512(_mm512_srli_epi32(what, 14),
							 one);
			__m512i size = _mm512_and_si512(what, _mm512_set1_epi32(0x3fff));
			__m512i factor = _mm512_set1_epi32((int)w->factor);
			__m512i slot = _mm512_srli_epi32(_mm512_mullo_epi32(high, factor),
							 28);
			__m512i known =
				_mm512_permutexvar_epi32(slot, _mm512_loadu_si512(w->hi));
			__m512i first_key = _mm512_permutexvar_epi32(
				slot, _mm512_loadu_si512(w->base));
			__mmask16 stranger = _mm512_cmpneq_epi32_mask(known, high);
			/* offset in the line + size > line size */
			__mmask16 crosses = _mm512_cmpgt_epi32_mask(
				_mm512_add_epi32(_mm512_and_si512(low, offset), size),
				_mm512_add_epi32(offset, one));
			__m512i line = _mm512_srl_epi32(low, shift);
			__m512i key = _mm512_add_epi32(_mm512_add_epi32(line, line),
						       first_key);

			if (__builtin_expect(!_kortestz_mask16_u8(stranger, crosses), 0))
				goto one_by_one;
			_mm512_storeu_si512(q->narrow_key + q->keys,
					    _mm512_add_epi32(key, write));
			_mm512_storeu_si512(q->at + q->keys,
					    _mm512_or_si512(place, kind));
			/* reads in the lower half of a lane, writes in the higher */
			counts = _mm512_add_epi32(counts, _mm512_sllv_epi32(one, kind));
			all += 16;
			q->keys += 16;
			i += 16;
			place = _mm512_add_epi32(place, _mm512_set1_epi32(16 << 6));
			continue;
		}
	one_by_one:;
		size_t stop = i + 16 < end ? i + 16 : end;

		fits = lines_one_by_one(q, a, &i, stop, base, false);
		place = _mm512_add_epi32(place, _mm512_set1_epi32(16 << 6));
	}
	uint32_t writes =
		(uint32_t)_mm512_reduce_add_epi32(_mm512_srli_epi32(counts, 16));
	uint32_t reads = (uint32_t)_mm512_reduce_add_epi32(
		_mm512_and_si512(counts, _mm512_set1_epi32(0xffff)));

	q->asked[ML_ACCESS_READ] += reads;
	q->asked[ML_ACCESS_WRITE] += writes;
	q->asked[ML_ACCESS_FETCH] += all - reads - writes;
	*next = i;
	return fits;
}

/* Lanes that belong to another line of the same set. */
INLINE __mmask16 rivals(__m512i differ, __m512i same_set)
{
	__mmask16 other = _mm512_cmpgt_epu32_mask(differ, _mm512_set1_epi32(1));

	return _mm512_mask_testn_epi32_mask(other, differ, same_set);
}

/*
 * The keys that stand `back` before those of v; last is the vector before. back is a
 * constant.
 */
INLINE __m512i earlier(__m512i last, __m512i v, int back)
{
	switch (back) {
	case 1: return _mm512_alignr_epi32(v, last, 15);
	case 2: return _mm512_alignr_epi32(v, last, 14);
	case 3: return _mm512_alignr_epi32(v, last, 13);
	case 4: return _mm512_alignr_epi32(v, last, 12);
	case 5: return _mm512_alignr_epi32(v, last, 11);
	case 6: return _mm512_alignr_epi32(v, last, 10);
	case 7: return _mm512_alignr_epi32(v, last, 9);
	default: return _mm512_alignr_epi32(v, last, 8);
	}
}

/*
 * A read that is soon followed by a write of the same line, with no key in between that
 * could evict it, may be taken for the write: the line becomes dirty a little earlier,
 * which shows only when it leaves. Then the write can be dropped.
 */
INLINE __m512i read_for_writing(__m512i key, __m512i next, __m512i same_set)
{
	__m512i write = _mm512_or_si512(key, _mm512_set1_epi32(1));
	__m512i first = _mm512_alignr_epi32(next, key, 1);
	__m512i second = _mm512_alignr_epi32(next, key, 2);
	__mmask16 rival = rivals(_mm512_xor_si512(key, first), same_set);
	__mmask16 found = _mm512_cmpeq_epi32_mask(first, write);

	found |= _mm512_mask_cmpeq_epi32_mask(_knot_mask16(rival), second, write);
	return _mm512_mask_mov_epi32(key, found, write);
}

/*
 * Drops a key if the last keys to the same set, among the FAST_LRU_BACK before it, are of
 * the same line: the line is already the first of its set. A write is dropped only if one
 * of these keys was a write.
 *
 * This loop has no loads to wait for, so it prefetches the accesses of the next block,
 * which saves a fifth of the time when they come from memory. (In the loop that makes
 * keys of them, or all at once, there would be too many loads at a time.)
 */
TARGET static void keep(struct ml_fast_lru *q)
{
	struct fast_lru_events *out = &q->stream[0];
	size_t n = 0, count = q->keys;
	uint32_t *keys = q->narrow_key;
	__m512i same_set = _mm512_set1_epi32((int)(uint32_t)q->same_set);
	/* interleaves keys and accesses: of the lower eight lanes, of the higher */
	__m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22,
					7, 23);
	__m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
	__m512i last = _mm512_loadu_si512(keys - 16), next = _mm512_loadu_si512(keys);

	if (q->wide) {
		keep_plain(q);
		return;
	}
	_mm512_storeu_si512(keys + count, _mm512_setzero_si512());
	for (size_t i = 0; i < count; i += 16) {
		__m512i key = next;

		__builtin_prefetch(q->next_addr + i);
		__builtin_prefetch(q->next_addr + i + 8);
		__builtin_prefetch(q->next_what + i);
		next = _mm512_loadu_si512(keys + i + 16);
		key = read_for_writing(key, next, same_set);
		/* a read ignores the lowest bit of the key that it is compared with */
		__m512i bits = _mm512_or_si512(_mm512_set1_epi32(~1), key);
		__mmask16 drop = 0, open = 0xffff;
		uint32_t valid = count - i >= 16 ? 0xffff : (1u << (count - i)) - 1;

		for (int back = 1; back <= FAST_LRU_BACK; back++) {
			__m512i differ = _mm512_xor_si512(key, earlier(last, key, back));

			drop |= _mm512_mask_testn_epi32_mask(open, differ, bits);
			if (back < FAST_LRU_BACK)
				open = _kandn_mask16(rivals(differ, same_set), open);
		}
		__mmask16 kept = (__mmask16)(valid & ~(uint32_t)drop);
		__m512i some = _mm512_maskz_compress_epi32(kept, key);
		__m512i at = _mm512_maskz_compress_epi32(kept,
							 _mm512_loadu_si512(q->at + i));

		_mm512_storeu_si512(out->key + n,
				    _mm512_permutex2var_epi32(some, low, at));
		_mm512_storeu_si512(out->key + n + 8,
				    _mm512_permutex2var_epi32(some, high, at));
		_mm512_storeu_si512(keys + i, key);
		n += (unsigned)__builtin_popcount(kept);
		last = key;
	}
	out->count = n;
}

const struct fast_lru_ops ml_fast_lru_ops_avx512 = { lines, keep, level_narrow };
#endif
