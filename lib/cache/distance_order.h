/*
 * Lines in the order of their last use, for stack distances: a bit for each moment,
 * set if it is the last use of some line. How many lines came after a moment is how
 * many bits are set behind it. Moments are in lines of 512 bits, these in groups of
 * 32 lines and these in blocks of 16 groups; for each it is known how many bits are
 * set behind it in the next larger thing, so a query counts the bits of one line and
 * adds three numbers. A change adds to all numbers of a group and of a block that are
 * before it, which are a vector each. (The other way round, with plain counts that a
 * query adds up, each query would wait for the small stores of the change before it.)
 * The line of the present moment is kept out of the numbers until it is full. So is
 * what is dropped from one line after another, for programs come back to lines in the
 * order in which they used them last: only numbers before that line would change.
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
	ORDER_LINE = 9,   /* ...a line... */
	ORDER_GROUP = 14, /* ...a group... */
	ORDER_BLOCK = 18, /* ...and a block */
	ORDER_WORDS = 1 << (ORDER_LINE - ORDER_WORD),
	ORDER_LINES = 1 << (ORDER_GROUP - ORDER_LINE),
	ORDER_GROUPS = 1 << (ORDER_BLOCK - ORDER_GROUP),
	ORDER_FIRST_ROOM = 1 << 16,
};

/*
 * Counts that change together have pointers between them: side by side, gcc would load
 * two of them at once and wait for both to be written, which took a third of the time.
 */
struct order {
	uint32_t now, room; /* next moment, from 1; moments there are */
	uint32_t pending;   /* bits that are set in the line of now */
	/* So many were dropped from a line and are not taken off the numbers yet. */
	uint32_t drop_line, drops;
	uint64_t *bits;
	uint32_t live;         /* bits that are set */
	uint16_t *after_line;  /* bits set behind each line in its group... */
	uint32_t *after_group; /* ...behind each group in its block... */
	uint32_t *after_block; /* ...and behind each block */
	uint32_t asked;        /* the last moment asked for... */
	uint32_t *who;         /* by moment: the slot of `when` that has it */
	uint32_t behind;       /* ...and bits set behind it now */
};

void order_init(struct order *o);
void order_release(struct order *o);
/* Numbers the moments anew in when[], with room for more. */
void order_compact(struct order *o, uint32_t *when);

#define ORDER_INLINE static inline __attribute__((always_inline))

/* So many bits more (or less, by wrapping) in the line of a moment. */
ORDER_INLINE void order_count(struct order *o, uint32_t at, uint32_t more)
{
	uint16_t line = at >> ORDER_LINE & (ORDER_LINES - 1);
	uint32_t group = at >> ORDER_GROUP & (ORDER_GROUPS - 1);
	uint16_t *lines = o->after_line + (size_t)(at >> ORDER_GROUP) * ORDER_LINES;
	uint32_t *groups = o->after_group + (size_t)(at >> ORDER_BLOCK) * ORDER_GROUPS;

	for (uint16_t i = 0; i < ORDER_LINES; i++)
		lines[i] = (uint16_t)(lines[i] + (i < line ? (uint16_t)more : 0));
	for (uint32_t i = 0; i < ORDER_GROUPS; i++)
		groups[i] += i < group ? more : 0;
	for (uint32_t i = 0; i < at >> ORDER_BLOCK; i++)
		o->after_block[i] += more;
}

/* Slot is used now: when[slot] is the moment. */
ORDER_INLINE void order_push(struct order *o, uint32_t slot, uint32_t *when)
{
	uint32_t now = o->now;

	if (__builtin_expect(!(now & ((1u << ORDER_LINE) - 1)), 0)) {
		order_count(o, now - 1, o->pending);
		o->pending = 0;
		if (now == o->room) {
			order_compact(o, when);
			now = o->now;
		}
	}
	when[slot] = now;
	o->who[now] = slot;
	o->bits[now >> ORDER_WORD] |= (uint64_t)1 << (now & 63);
	o->pending++;
	o->live++;
	o->behind++;
	o->now = now + 1;
}

/* Whether a moment is in the line that is not counted yet: that of the last push. */
ORDER_INLINE bool order_recent(const struct order *o, uint32_t at)
{
	return at >> ORDER_LINE == (o->now - 1) >> ORDER_LINE;
}

/* Takes what was dropped off the numbers. */
ORDER_INLINE void order_settle(struct order *o)
{
	if (o->drops)
		order_count(o, o->drop_line << ORDER_LINE, -o->drops);
	o->drops = 0;
}

/* Forgets a moment. */
ORDER_INLINE void order_drop(struct order *o, uint32_t at)
{
	o->bits[at >> ORDER_WORD] ^= (uint64_t)1 << (at & 63);
	o->live--;
	o->behind -= at > o->asked;
	if (order_recent(o, at)) {
		o->pending--;
		return;
	}
	if (at >> ORDER_LINE != o->drop_line) {
		order_settle(o);
		o->drop_line = at >> ORDER_LINE;
	}
	o->drops++;
}

/* From [ORDER_WORDS - 1 - n] on: n + 1 words of zeros, then ones. */
static const uint64_t order_later[2 * ORDER_WORDS] = {
	[ORDER_WORDS] = UINT64_MAX,
	UINT64_MAX,
	UINT64_MAX,
	UINT64_MAX,
	UINT64_MAX,
	UINT64_MAX,
	UINT64_MAX,
	UINT64_MAX,
};

/* The same by the numbers. */
ORDER_INLINE uint32_t order_sum(struct order *o, uint32_t at)
{
	if (at >> ORDER_LINE < o->drop_line)
		order_settle(o);

	uint32_t word = at >> ORDER_WORD & (ORDER_WORDS - 1), sum = 0;
	const uint64_t *words = o->bits + (size_t)(at >> ORDER_LINE) * ORDER_WORDS;
	const uint64_t *later = order_later + ORDER_WORDS - 1 - word;
	uint64_t behind = ~(uint64_t)1 << (at & 63);

	/* all words, as nobody could predict where to begin */
	sum = (uint32_t)__builtin_popcountll(words[word] & behind);
	for (uint32_t i = 0; i < ORDER_WORDS; i++)
		sum += (uint32_t)__builtin_popcountll(words[i] & later[i]);
	return sum + (order_recent(o, at) ? 0 : o->pending) +
	       o->after_line[at >> ORDER_LINE] + o->after_group[at >> ORDER_GROUP] +
	       o->after_block[at >> ORDER_BLOCK];
}

/*
 * Bits set behind a moment. Where it is within 64 of the moment that was asked for
 * before, the bits between them are counted and nothing else.
 */
ORDER_INLINE uint32_t order_after(struct order *o, uint32_t at)
{
	bool back = at < o->asked;
	uint32_t low = (back ? at : o->asked) + 1, high = back ? o->asked : at;
	uint32_t shift = low & 63;

	if (high - low < 64) {
		const uint64_t *word = o->bits + (low >> ORDER_WORD);
		uint64_t bits = word[0] >> shift | word[1] << 1 << (63 - shift);
		uint32_t n = (uint32_t)__builtin_popcountll(bits << (63 - (high - low)));

		o->behind += back ? n : -n;
	} else {
		o->behind = order_sum(o, at);
	}
	o->asked = at;
	return o->behind;
}
