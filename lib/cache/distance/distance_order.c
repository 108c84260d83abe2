#include "lib/cache/distance/distance_order_parts.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"

static void *zeroed(void *old, size_t size)
{
	return memset(ml_resize(old, size), 0, size);
}

/* Resizes all arrays to `room` moments; slots keeps its contents, the others are zero. */
static void resize(struct order *o, uint32_t room)
{
	size_t chunks = ((size_t)room >> ORDER_CHUNK) + 1;
	size_t blocks = chunks * ORDER_FAN;
	size_t groups = ((size_t)room >> ORDER_BLOCK) * ORDER_FAN;
	size_t words = (size_t)room >> ORDER_WORD;

	o->room = room;
	o->bits = zeroed(o->bits,
			 (words + 1) * sizeof(*o->bits)); /* + 1 for the moment `room` */
	o->after_word = zeroed(o->after_word, words * sizeof(*o->after_word));
	o->after_group = zeroed(o->after_group, groups * sizeof(*o->after_group));
	o->after_block = zeroed(o->after_block, blocks * sizeof(*o->after_block));
	o->after_chunk = zeroed(o->after_chunk, chunks * sizeof(*o->after_chunk));
	o->slots = ml_resize(o->slots, ((size_t)room + ORDER_PAD) * sizeof(*o->slots));
}

void order_init(struct order *o)
{
	*o = (struct order){ .now = 1 };
	resize(o, ORDER_FIRST_ROOM);
}

void order_release(struct order *o)
{
	ml_free(o->bits);
	ml_free(o->after_word);
	ml_free(o->after_group);
	ml_free(o->after_block);
	ml_free(o->after_chunk);
	ml_free(o->slots);
}

/*
 * Afterwards at most a quarter of the moments are in use, so renumbering costs a few
 * steps for each moment that has passed. No moment becomes later, so all is done in
 * place.
 */
void order_compact(struct order *o, uint32_t more, uint32_t *when)
{
	uint32_t room = ORDER_FIRST_ROOM, live = 0, last = (o->now - 1) >> ORDER_WORD;

	assert(o->live < ORDER_MAX / 8 && more < ORDER_MAX / 8);
	while (room < 4 * o->live + more)
		room *= 2;
	for (uint32_t word = 0; word <= last; word++)
		for (uint64_t rest = o->bits[word]; rest; rest &= rest - 1) {
			uint32_t at = word << ORDER_WORD |
				      (uint32_t)__builtin_ctzll(rest);
			uint32_t slot = o->slots[at];

			when[slot] = ++live;
			o->slots[live] = slot;
		}
	resize(o, room);
	o->now = 1;
	o->live = o->pending = 0;
	order_append(o, live);
}
