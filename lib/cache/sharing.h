/*
 * Which bytes of a line other cores wrote since they took it from a core. When that
 * core asks for the line again, it missed for true sharing if it wants one of them,
 * and for false sharing if not. Zero bytes with cores set are an empty book.
 *
 * A unit is the largest line that belongs to some cores only; masks have a bit for
 * each 64th of it, or for each byte if it is shorter.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"
#include "lib/cache/access.h"

struct ml_sharing {
	unsigned cores;
	struct ml_map index; /* unit -> number */
	uint64_t *lost;      /* by number: a bit for each core that lost it */
	uint64_t *written;   /* by number and core */
	uint8_t *
		levels; /* by number and core: how many levels, from the first, lost it */
	size_t count, cap, written_cap, levels_cap;
};

/* Core loses the unit in the first so many levels; nothing is written yet. */
void ml_sharing_lose(struct ml_sharing *s, uint64_t unit, unsigned core, unsigned levels);
void ml_sharing_write(struct ml_sharing *s, uint64_t unit, unsigned core, uint64_t mask);
/*
 * Core asks again: SHARING or FALSE_SHARING in the first *levels levels, or NONE if it
 * had not lost the unit. Forgets it.
 */
enum ml_cause ml_sharing_ask(struct ml_sharing *s, uint64_t unit, unsigned core,
			     uint64_t mask, unsigned *levels);
void ml_sharing_release(struct ml_sharing *s); /* also empties it; cores stays */
