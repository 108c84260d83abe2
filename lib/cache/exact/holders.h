/*
 * Which cores may hold a line in caches of their own: a bit for each core that asked for
 * the line, until others take it away or find out that it has gone. Most lines are of one
 * core only, and nobody has to look for those in other caches.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"

enum {
	ML_HOLDERS_PAGE_BITS = 6, /* log2 of the lines of a page, which are neighbours */
	ML_HOLDERS_PAGE = 1 << ML_HOLDERS_PAGE_BITS,
	ML_HOLDERS_RECENT = 256, /* pages that are found without the map */
};

/* Zero bytes know no line. */
struct ml_holders {
	struct ml_map index; /* place of the first line of a page */
	uint64_t *cores;     /* by place */
	size_t count, cap;
	struct {
		uint64_t page; /* + 1 */
		size_t first;
	} recent[ML_HOLDERS_RECENT];
};

/* Makes a page recent; its lines become known if they were not. */
void ml_holders_turn_to(struct ml_holders *h, uint64_t page);
void ml_holders_release(struct ml_holders *h);

/* The cores of a line; valid until the next call. */
static inline uint64_t *ml_holders_of(struct ml_holders *h, uint64_t line)
{
	uint64_t page = line >> ML_HOLDERS_PAGE_BITS;
	size_t slot = page % ML_HOLDERS_RECENT;

	if (h->recent[slot].page != page + 1)
		ml_holders_turn_to(h, page);
	return &h->cores[h->recent[slot].first + (line & (ML_HOLDERS_PAGE - 1))];
}
