/*
 * The blocks of memory that are live at one moment, searched by address. A block is an
 * index into the trace's blocks. A small block is in the list of each page that it
 * touches; large blocks, of which programs have few, share one list. A list drops blocks
 * that have ended when it is full.
 * Held by tests/trace/test_live_blocks.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"
#include "lib/trace/tables.h"

struct ml_live_blocks {
	struct ml_map pages; /* page number -> index of its list */
	struct ml_live_blocks_list {
		uint64_t *at; /* blocks, the newest last */
		size_t count, cap;
	} * lists, large;
	size_t list_count, list_cap;
	size_t count; /* blocks added, with those that have ended */
};

/* Adds a block that begins at time. */
void ml_live_blocks_add(struct ml_live_blocks *l, const struct ml_block *blocks,
			uint64_t block, uint64_t time);
/* The newest live block that holds addr; false: there is none. */
bool ml_live_blocks_find(struct ml_live_blocks *l, const struct ml_block *blocks,
			 uint64_t addr, uint64_t time, uint64_t *block);
/*
 * Call it when no live block holds addr. Narrows [low, high) to a range around addr that
 * overlaps no live block. If any block was added, the range is at most a page.
 */
void ml_live_blocks_cut(const struct ml_live_blocks *l, const struct ml_block *blocks,
			uint64_t addr, uint64_t time, uint64_t *low, uint64_t *high);
void ml_live_blocks_release(struct ml_live_blocks *l);
