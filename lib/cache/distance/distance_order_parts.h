/*
 * The loops of the order of last uses (distance_order.h), once for all instruction sets.
 */
#pragma once

#include "lib/cache/distance/distance_order.h"

#define ORDER_INLINE static inline __attribute__((always_inline))

/* From element ORDER_FAN - n on: n elements of ones, then zeros. */
#define ORDER_EIGHT(x) x, x, x, x, x, x, x, x
static const uint16_t order_below[2 * ORDER_FAN] = {
	ORDER_EIGHT(UINT16_MAX),
	ORDER_EIGHT(UINT16_MAX),
	ORDER_EIGHT(UINT16_MAX),
	ORDER_EIGHT(UINT16_MAX),
};
static const uint32_t order_below_wide[2 * ORDER_FAN] = {
	ORDER_EIGHT(UINT32_MAX),
	ORDER_EIGHT(UINT32_MAX),
	ORDER_EIGHT(UINT32_MAX),
	ORDER_EIGHT(UINT32_MAX),
};

/* Adds `more` to those of ORDER_FAN numbers that stand before the given one. */
ORDER_INLINE void order_add(uint16_t *number, uint32_t which, uint16_t more)
{
	const uint16_t *below = order_below + ORDER_FAN - which % ORDER_FAN;

	for (unsigned i = 0; i < ORDER_FAN; i++)
		number[i] = (uint16_t)(number[i] + (below[i] & more));
}

/* Adds `more` bits (fewer, by wrapping) to the word of a moment. */
ORDER_INLINE void order_count(struct order *o, uint32_t at, uint32_t more)
{
	uint32_t group = at >> ORDER_GROUP, block = at >> ORDER_BLOCK;
	uint32_t chunk = at >> ORDER_CHUNK;
	const uint32_t *below = order_below_wide + ORDER_FAN - block % ORDER_FAN;
	uint32_t *blocks = o->after_block + (size_t)chunk * ORDER_FAN;

	order_add(o->after_word + (size_t)group * ORDER_FAN, at >> ORDER_WORD,
		  (uint16_t)more);
	order_add(o->after_group + (size_t)block * ORDER_FAN, group, (uint16_t)more);
	if (!block)
		return;
	for (unsigned i = 0; i < ORDER_FAN; i++)
		blocks[i] += below[i] & more;
	for (uint32_t i = 0; i < chunk; i++)
		o->after_chunk[i] += more;
}

/* Makes room for `count` moments. */
ORDER_INLINE void order_reserve(struct order *o, uint32_t count, uint32_t *when)
{
	if (__builtin_expect(o->room - o->now < count, 0))
		order_compact(o, count, when);
}

/* Appends `count` moments, for which there is room; slots[now] and on are set already. */
ORDER_INLINE void order_append(struct order *o, uint32_t count)
{
	o->live += count;
	while (count) {
		uint32_t from = o->now & 63, n = count < 64 - from ? count : 64 - from;

		o->bits[o->now >> ORDER_WORD] |= UINT64_MAX >> (64 - n) << from;
		o->now += n;
		o->pending += n;
		count -= n;
		if (from + n == 64) {
			order_count(o, o->now - 1, o->pending);
			o->pending = 0;
		}
	}
}

/* Enters the pending bits into the numbers. */
ORDER_INLINE void order_finish(struct order *o)
{
	if (o->pending) /* else now may be at the end of the room */
		order_count(o, o->now, o->pending);
	o->pending = 0;
}

/* The slot is used now: sets when[slot] to the moment. */
ORDER_INLINE void order_push(struct order *o, uint32_t slot, uint32_t *when)
{
	order_reserve(o, 1, when);
	when[slot] = o->now;
	o->slots[o->now] = slot;
	order_append(o, 1);
}

/* Bits set behind a word, without the pending ones. */
ORDER_INLINE uint32_t order_behind(const struct order *o, uint32_t word)
{
	return (uint32_t)o->after_word[word] +
	       o->after_group[word >> (ORDER_GROUP - ORDER_WORD)] +
	       o->after_block[word >> (ORDER_BLOCK - ORDER_WORD)] +
	       o->after_chunk[word >> (ORDER_CHUNK - ORDER_WORD)];
}

/* Bits set behind a moment. */
ORDER_INLINE uint32_t order_after(const struct order *o, uint32_t at)
{
	uint32_t word = at >> ORDER_WORD;
	uint64_t behind = ~(uint64_t)1 << (at & 63);

	return (uint32_t)__builtin_popcountll(o->bits[word] & behind) +
	       order_behind(o, word) + (word == o->now >> ORDER_WORD ? 0 : o->pending);
}

/* Forgets a moment. */
ORDER_INLINE void order_drop(struct order *o, uint32_t at)
{
	o->bits[at >> ORDER_WORD] ^= (uint64_t)1 << (at & 63);
	o->live--;
	if (at >> ORDER_WORD == o->now >> ORDER_WORD)
		o->pending--; /* the numbers do not contain the bit yet */
	else
		order_count(o, at, UINT32_MAX);
}
