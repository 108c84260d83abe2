#include "lib/cache/distance_order.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"

static void *zeroed(size_t size)
{
	return memset(ml_resize(NULL, size), 0, size);
}

static void allocate(struct order *o, uint32_t room)
{
	o->room = room;
	o->bits = zeroed(((size_t)room >> 3) + sizeof(*o->bits)); /* order_after */
	size_t blocks = ((size_t)room >> ORDER_BLOCK) + 1;

	o->after_line = zeroed(((size_t)room >> ORDER_LINE) * sizeof(*o->after_line));
	o->after_group = zeroed(blocks * ORDER_GROUPS * sizeof(*o->after_group));
	o->after_block = zeroed(blocks * sizeof(*o->after_block));
	o->who = ml_resize(NULL, (size_t)room * sizeof(*o->who));
}

void order_init(struct order *o)
{
	*o = (struct order){ .now = 1 };
	allocate(o, ORDER_FIRST_ROOM);
}

void order_release(struct order *o)
{
	ml_free(o->bits);
	ml_free(o->after_line);
	ml_free(o->after_group);
	ml_free(o->after_block);
	ml_free(o->who);
}

/*
 * Afterwards a quarter of the moments are in use at the most, so that this takes a few
 * steps for each moment that has passed.
 */
void order_compact(struct order *o, uint32_t *when)
{
	struct order old = *o;
	uint32_t room = ORDER_FIRST_ROOM;

	assert(old.live < UINT32_MAX / 8);
	while (room < 4 * old.live)
		room *= 2;
	*o = (struct order){ .now = 1 };
	allocate(o, room);
	for (uint32_t word = 0; word < old.room >> ORDER_WORD; word++)
		for (uint64_t rest = old.bits[word]; rest; rest &= rest - 1) {
			uint32_t at = word << ORDER_WORD |
				      (uint32_t)__builtin_ctzll(rest);
			uint32_t slot = old.who[at];

			order_push(o, slot, when);
		}
	/* the push that waits for this does not look again whether a line is full */
	if (!(o->now & ((1u << ORDER_LINE) - 1))) {
		order_count(o, o->now - 1, o->pending);
		o->pending = 0;
	}
	order_release(&old);
}
