/*
 * The stages of stack distance (distance_parts.h) in plain C. A file that includes this
 * header first defines TARGET, the attribute that allows instructions beyond those of
 * every processor: with it counting bits is one instruction.
 */
#pragma once

#include <string.h>

#include "lib/cache/distance/distance_parts.h"

TARGET static inline void differ_plain(struct ml_distance *d, const uint64_t *line,
				       size_t count)
{
	size_t n = 0;
	uint64_t last = d->last;

	for (size_t i = 0; i < count; i++) {
		d->kept[n] = line[i];
		d->at[n] = (uint32_t)i;
		n += line[i] + 1 != last;
		last = line[i] + 1;
	}
	d->last = last;
	d->count = n;
}

/* Moves the value of each slot in `when` to `before`, and stores this use there. */
TARGET static inline void swap_uses(struct ml_distance *d)
{
	const uint32_t *restrict slots = d->slot + DISTANCE_WINDOW;
	uint32_t *restrict when = d->when, *restrict before = d->before;
	uint32_t first = d->now;

	for (size_t i = 0, count = d->count; i < count; i++) {
		uint32_t *mine = &when[slots[i]];

		__builtin_prefetch(&when[slots[i + DISTANCE_AHEAD]]);
		before[i] = *mine;
		*mine = first + (uint32_t)i;
	}
}

TARGET static inline void trace_plain(struct ml_distance *d)
{
	const uint32_t *restrict before = d->before;
	uint8_t *restrict gaps = d->gap + DISTANCE_WINDOW;
	uint8_t *restrict again = d->again + DISTANCE_WINDOW;
	uint32_t *restrict place = d->ask_place, *restrict when = d->ask_when;
	uint32_t first = d->now;
	size_t n = 0;

	swap_uses(d);
	for (size_t i = 0, count = d->count; i < count; i++) {
		uint32_t gap = first + (uint32_t)i - before[i];
		/* all ones, or zero, as a branch could not be predicted */
		uint32_t far = -(uint32_t)(gap > DISTANCE_WINDOW);

		gaps[i] = (uint8_t)(far ? DISTANCE_FAR : gap);
		again[(ptrdiff_t)i - (ptrdiff_t)(gap & ~far)] = (uint8_t)(far + 1);
		place[n] = (uint32_t)i;
		when[n] = before[i];
		n += far & 1;
	}
	d->ask_count = n;
}

/*
 * The index in near_hits for `near` lines: from 128 on if the previous use is not in the
 * window.
 */
TARGET static inline uint32_t near_place(uint32_t gap, uint32_t near)
{
	return near | ((gap + 127 - DISTANCE_WINDOW) & 128);
}

/* The sum of eight small bytes. */
TARGET static inline uint32_t sum_of_bytes(const uint8_t *count)
{
	uint64_t all;

	memcpy(&all, count, sizeof(all));
	return (uint32_t)(all * 0x0101010101010101u >> 56);
}

TARGET static inline void window_plain(struct ml_distance *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const uint8_t *restrict gaps = d->gap + i;
		uint32_t gap = gaps[DISTANCE_WINDOW];
		const uint8_t *restrict min_gap = d->min_gap +
						  (size_t)DISTANCE_WINDOW * gap;
		uint8_t n[16] = { 0 }; /* compilers make a vector of it */

		for (unsigned k = 0; k < DISTANCE_WINDOW; k += 16)
			for (unsigned l = 0; l < 16; l++)
				n[l] = (uint8_t)(n[l] + (gaps[k + l] >= min_gap[k + l]));
		uint32_t near = sum_of_bytes(n) + sum_of_bytes(n + 8);

		d->near[i] = (uint8_t)near;
		d->near_hits[i % DISTANCE_TABLES][near_place(gap, near)]++;
	}
}

/* Finishes a block once it is known which of its uses enter the order. */
TARGET static inline void push_end(struct ml_distance *d)
{
	struct order *o = &d->order;
	/* later uses are still in the window when the block ends */
	uint32_t end = d->now + (uint32_t)d->count - DISTANCE_WINDOW;

	for (uint32_t i = 0, now = o->now; i < d->lefts; i++, now++) {
		uint32_t *mine = &d->when[o->slots[now]];

		*mine = *mine < end ? now : *mine;
	}
	order_append(o, d->lefts);
	order_finish(o);
}

TARGET static inline void push_plain(struct ml_distance *d)
{
	uint32_t *slots = d->order.slots + d->order.now, n = 0;

	for (size_t w = 0; w * 64 < d->count; w++) {
		size_t from = w * 64, end = d->count - from < 64 ? d->count - from : 64;
		uint64_t left = 0;

		d->left_before[w] = n;
		for (size_t i = 0; i < end; i++) {
			bool leaves = !d->again[from + i];

			slots[n] = d->slot[from + i];
			n += leaves;
			left |= (uint64_t)leaves << i;
		}
		d->left[w] = left;
	}
	d->lefts = n;
	push_end(d);
}

/*
 * The number of uses before this one, of window and block, that enter the order in this
 * block.
 */
TARGET static inline uint32_t lefts_before(const struct ml_distance *d, uint32_t use)
{
	uint64_t below = ((uint64_t)1 << (use & 63)) - 1;

	return d->left_before[use >> 6] +
	       (uint32_t)__builtin_popcountll(d->left[use >> 6] & below);
}

/* Finds the moment that each ask is about, and its distance but for the order. */
TARGET static void find_moments(struct ml_distance *d)
{
	uint32_t first = d->order.now - d->lefts, start = d->now - DISTANCE_WINDOW;
	uint32_t lefts = d->lefts;

	for (size_t i = 0; i < d->ask_count; i++) {
		uint32_t place = d->ask_place[i], when = d->ask_when[i];

		if (when >= ORDER_MAX)
			when = first + lefts_before(d, when - start);
		__builtin_prefetch(&d->order.bits[when >> ORDER_WORD]);
		__builtin_prefetch(&d->order.after_word[when >> ORDER_WORD]);
		d->moment[i] = when;
		d->far[i] = d->near[place] + lefts_before(d, place) - lefts;
	}
}

/*
 * A word of the order that `ask` holds in registers. Programs return to lines in the
 * order in which they used them last, or to two groups of lines in turn, so two words are
 * held, and most asks need no more than the word.
 */
struct held {
	uint32_t word, behind; /* bits set behind the word */
	uint64_t bits;
	uint32_t dropped;
};

TARGET static inline void held_give(struct order *o, const struct held *h)
{
	o->bits[h->word] = h->bits;
	o->live -= h->dropped;
	order_count(o, h->word << ORDER_WORD, -h->dropped);
}

/* other is held too: its dropped bits are still in the numbers. */
TARGET static inline struct held held_take(const struct order *o, uint32_t word,
					   const struct held *other)
{
	return (struct held){ .word = word,
			      .behind = order_behind(o, word) -
					(other->word > word ? other->dropped : 0),
			      .bits = o->bits[word] };
}

TARGET static void ask(struct ml_distance *d, uint32_t *distance)
{
	struct order *o = &d->order;
	struct held here = { .word = UINT32_MAX }, there = here;

	find_moments(d);
	for (size_t i = 0; i < d->ask_count; i++) {
		uint32_t moment = d->moment[i], word = moment >> ORDER_WORD;
		uint32_t far = ML_NEVER;

		if (moment) {
			if (word != here.word) {
				struct held swap = here;

				here = there;
				there = swap;
				if (word != here.word) {
					if (here.dropped)
						held_give(o, &here);
					here = held_take(o, word, &there);
				}
			}
			uint64_t behind = here.bits & ~(uint64_t)1 << (moment & 63);

			far = d->far[i] + here.behind +
			      (uint32_t)__builtin_popcountll(behind);
			here.bits ^= (uint64_t)1 << (moment & 63);
			here.dropped++;
			there.behind -= here.word > there.word;
		}
		d->far_hits[i & 1][distance_bucket(far)]++;
		if (distance)
			distance[d->at[d->ask_place[i]]] = far;
	}
	if (here.dropped)
		held_give(o, &here);
	if (there.dropped)
		held_give(o, &there);
}
