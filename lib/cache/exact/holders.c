#include "lib/cache/exact/holders.h"

#include "lib/base/arena.h"

void ml_holders_turn_to(struct ml_holders *h, uint64_t page)
{
	size_t slot = page % ML_HOLDERS_RECENT;
	bool is_new;
	uint64_t *first = ml_map_add(&h->index, page, &is_new);

	if (is_new) {
		*first = h->count;
		h->count += ML_HOLDERS_PAGE;
		h->cores = ml_grow(h->cores, &h->cap, h->count, sizeof(*h->cores));
	}
	h->recent[slot].page = page + 1;
	h->recent[slot].first = *first;
}

void ml_holders_release(struct ml_holders *h)
{
	ml_map_release(&h->index);
	ml_free(h->cores);
	*h = (struct ml_holders){ .count = 0 };
}
