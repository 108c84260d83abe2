/*
 * Lines in the order of their last use, for stack distances. Each moment has a bit, which
 * is set if the moment is the last use of some line. The number of lines used after a
 * moment is the number of bits set behind it.
 *
 * Moments form words of 64 bits, 32 words a group, 32 groups a block, 32 blocks a chunk.
 * Each of these stores the number of bits set behind it within the next larger unit, so a
 * query counts the bits of one word and adds four numbers. A change updates all numbers
 * before it in a group, a block and a chunk, which are a vector or two each. (With plain
 * counts, which a query would have to add up, each query would wait for the small stores
 * of the change before it.) The word of the current moment enters the numbers only when
 * it is full.
 *
 * When the moments are used up, those that still matter are renumbered, so memory depends
 * on the number of lines and not on the number of uses.
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
	ORDER_PAD = 16, /* entries of slots behind the last moment, as vectors are stored
			   whole */
};

#define ORDER_MAX (UINT32_C(1) << 31) /* all moments are below this */

struct order {
	uint32_t now, room; /* next moment, from 1; number of moments that fit */
	uint32_t live;      /* bits set */
	uint32_t pending;   /* bits set in the word of `now` */
	uint64_t *bits;
	uint16_t *after_word;  /* bits set behind each word in its group... */
	uint16_t *after_group; /* ...behind each group in its block... */
	uint32_t *after_block; /* ...behind each block in its chunk... */
	uint32_t *after_chunk; /* ...and behind each chunk */
	uint32_t *slots;       /* by moment: the slot whose last use it is */
};

void order_init(struct order *o);
void order_release(struct order *o);
/* Renumbers the moments in when[], and makes room for at least `more`. */
void order_compact(struct order *o, uint32_t more, uint32_t *when);
