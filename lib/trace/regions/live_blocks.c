#include "lib/trace/regions/live_blocks.h"

enum { PAGE_BITS = 12, LARGE = 64 << PAGE_BITS };

static bool ended(const struct ml_block *b, uint64_t time)
{
	return b->until <= time;
}

/* Drops ended blocks before the list grows, so that it stays near the number of live
 * blocks. */
static void list_add(struct ml_live_blocks_list *l, const struct ml_block *blocks,
		     uint64_t block, uint64_t time)
{
	size_t kept = 0;

	if (l->count == l->cap) {
		for (size_t i = 0; i < l->count; i++)
			if (!ended(&blocks[l->at[i]], time))
				l->at[kept++] = l->at[i];
		l->count = kept;
	}
	l->at = ml_grow(l->at, &l->cap, l->count + 1, sizeof(*l->at));
	l->at[l->count++] = block;
}

void ml_live_blocks_add(struct ml_live_blocks *l, const struct ml_block *blocks,
			uint64_t block, uint64_t time)
{
	const struct ml_block *b = &blocks[block];

	if (!b->size)
		return;
	l->count++;
	if (b->size > LARGE) {
		list_add(&l->large, blocks, block, time);
		return;
	}
	for (uint64_t p = b->addr >> PAGE_BITS; p <= (b->addr + b->size - 1) >> PAGE_BITS;
	     p++) {
		bool is_new;
		uint64_t *number = ml_map_add(&l->pages, p, &is_new);

		if (is_new) {
			l->lists = ml_grow(l->lists, &l->list_cap, l->list_count + 1,
					   sizeof(*l->lists));
			*number = l->list_count++;
		}
		list_add(&l->lists[*number], blocks, block, time);
	}
}

/* The newest live block in the list that holds addr and is not older than `oldest`. */
static bool list_find(const struct ml_live_blocks_list *l, const struct ml_block *blocks,
		      uint64_t addr, uint64_t time, uint64_t oldest, uint64_t *block)
{
	for (size_t i = l->count; i-- > 0 && l->at[i] >= oldest;) {
		const struct ml_block *b = &blocks[l->at[i]];

		if (addr - b->addr < b->size && !ended(b, time)) {
			*block = l->at[i];
			return true;
		}
	}
	return false;
}

bool ml_live_blocks_find(struct ml_live_blocks *l, const struct ml_block *blocks,
			 uint64_t addr, uint64_t time, uint64_t *block)
{
	uint64_t *number = ml_map_find(&l->pages, addr >> PAGE_BITS);
	bool small = number &&
		     list_find(&l->lists[*number], blocks, addr, time, 0, block);

	/* a large block hides a small one only if it is newer */
	return list_find(&l->large, blocks, addr, time, small ? *block + 1 : 0, block) ||
	       small;
}

static void list_cut(const struct ml_live_blocks_list *l, const struct ml_block *blocks,
		     uint64_t addr, uint64_t time, uint64_t *low, uint64_t *high)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct ml_block *b = &blocks[l->at[i]];

		if (ended(b, time))
			continue;
		if (b->addr > addr)
			*high = b->addr < *high ? b->addr : *high;
		else if (b->addr + b->size > *low)
			*low = b->addr + b->size;
	}
}

void ml_live_blocks_cut(const struct ml_live_blocks *l, const struct ml_block *blocks,
			uint64_t addr, uint64_t time, uint64_t *low, uint64_t *high)
{
	uint64_t page = addr >> PAGE_BITS << PAGE_BITS;
	uint64_t end = page + ((uint64_t)1 << PAGE_BITS); /* 0 after the last page */
	uint64_t *number = ml_map_find(&l->pages, addr >> PAGE_BITS);

	if (!l->count)
		return;
	*low = page > *low ? page : *low;
	*high = end && end < *high ? end : *high;
	if (number)
		list_cut(&l->lists[*number], blocks, addr, time, low, high);
	list_cut(&l->large, blocks, addr, time, low, high);
}

void ml_live_blocks_release(struct ml_live_blocks *l)
{
	for (size_t i = 0; i < l->list_count; i++)
		ml_free(l->lists[i].at);
	ml_free(l->lists);
	ml_free(l->large.at);
	ml_map_release(&l->pages);
	*l = (struct ml_live_blocks){ 0 };
}
