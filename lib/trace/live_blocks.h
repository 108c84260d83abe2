/*
 * The blocks of memory that live at one moment, found by an address inside.
 * Blocks are numbers into the trace's list; small ones are filed under each
 * page that they touch, large ones, of which programs have few, in one list. A
 * block that has ended is removed when its list is full, not at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"
#include "lib/trace/tables.h"

struct ml_live_blocks {
	struct ml_map pages; /* page number -> its list + 1 */
	struct ml_live_blocks_list {
		uint64_t *at; /* blocks */
		size_t count, cap;
	} * lists, large;
	size_t list_count, list_cap;
	size_t count; /* blocks ever added since the start */
};

void ml_live_blocks_add(struct ml_live_blocks *l, const struct ml_block *blocks,
			uint64_t block, uint64_t time);
/* The newest living block that holds addr. */
bool ml_live_blocks_find(struct ml_live_blocks *l, const struct ml_block *blocks,
			 uint64_t addr, uint64_t time, uint64_t *block);
/*
 * No living block holds addr: cuts [low, high) down to a part around it that none holds
 * either. Where there are blocks at all that is not more than a page.
 */
void ml_live_blocks_cut(const struct ml_live_blocks *l, const struct ml_block *blocks,
			uint64_t addr, uint64_t time, uint64_t *low, uint64_t *high);
void ml_live_blocks_release(struct ml_live_blocks *l);
