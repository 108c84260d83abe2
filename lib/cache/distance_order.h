/*
 * Lines in the order of their last use, for stack distances: a bit for each moment,
 * set if it is the last use of some line. How many lines came after a moment is how
 * many bits are set behind it. Moments are in words of 64 bits, these in groups of 32
 * words, these in blocks of 32 groups and these in chunks of 32 blocks; for each it is
 * known how many bits are set behind it in the next larger thing, so a query counts the
 * bits of one word and adds four numbers. A change adds to all numbers of a group, of a
 * block and of a chunk that are before it, which are a vector or two each. (The other way
 * round, with plain counts that a query adds up, each query would wait for the small
 * stores of the change before it.) The word of the next moment is kept out of the numbers
 * until it is full.
 *
 * When the moments are used up, those that still matter are numbered anew; so memory
 * depends on the number of lines and not on the number of uses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ORDER_WORD = 6,   /* log2 of moments of a word... */
	ORDER_GROUP = 11, /* ...a group... */
	ORDER_BLOCK = 16, /* ...a block... */
	ORDER_CHUNK = 21, /* ...and a chunk */
	ORDER_FAN = 32,   /* words of a group, and so on */
	ORDER_FIRST_ROOM = 1 << 16,
	ORDER_PAD =
		16, /* entries of who behind the last moment: vectors are stored whole */
};

#define ORDER_MAX (UINT32_C(1) << 31) /* moments are below */

struct order {
	uint32_t now, room; /* next moment, from 1; moments there are */
	uint32_t live;      /* bits that are set */
	uint32_t pending;   /* and of these in the word of now */
	uint64_t *bits;
	uint16_t *after_word;  /* bits set behind each word in its group... */
	uint16_t *after_group; /* ...behind each group in its block... */
	uint32_t *after_block; /* ...behind each block in its chunk... */
	uint32_t *after_chunk; /* ...and behind each chunk */
	uint32_t *slots;       /* by moment: the slot of `when` that has it */
};

void order_init(struct order *o);
void order_release(struct order *o);
/* Numbers the moments anew in when[], with room for at least `more`. */
void order_compact(struct order *o, uint32_t more, uint32_t *when);

#define ORDER_INLINE static inline __attribute__((always_inline))

/* From [ORDER_FAN - n] on: n numbers of ones, then of zeros. */
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

/* More to those of ORDER_FAN numbers that are before the given one. */
ORDER_INLINE void order_add(uint16_t *number, uint32_t which, uint16_t more)
{
	const uint16_t *below = order_below + ORDER_FAN - which % ORDER_FAN;

	for (unsigned i = 0; i < ORDER_FAN; i++)
		number[i] = (uint16_t)(number[i] + (below[i] & more));
}

/* So many bits more (or less, by wrapping) in the word of a moment. */
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

/* Makes room for so many moments. */
ORDER_INLINE void order_reserve(struct order *o, uint32_t count, uint32_t *when)
{
	if (__builtin_expect(o->room - o->now < count, 0))
		order_compact(o, count, when);
}

/* The next moments, for which there is room, are those of who[now] and on. */
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

/* Counts what is pending. */
ORDER_INLINE void order_finish(struct order *o)
{
	if (o->pending) /* else now may be the end of the room */
		order_count(o, o->now, o->pending);
	o->pending = 0;
}

/* Slot is used now: when[slot] is the moment. */
ORDER_INLINE void order_push(struct order *o, uint32_t slot, uint32_t *when)
{
	order_reserve(o, 1, when);
	when[slot] = o->now;
	o->slots[o->now] = slot;
	order_append(o, 1);
}

/* Bits set behind a word; but see pending. */
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
		o->pending--; /* numbers would be below 0 */
	else
		order_count(o, at, UINT32_MAX);
}
