/*
 * Tells true from false sharing. It records which bytes of a line other cores wrote since
 * they took the line from a core. When that core asks for the line again, its miss is
 * true sharing if it wants one of these bytes, and false sharing if not. Zero bytes with
 * cores set are an empty record.
 *
 * A unit is the largest line of the caches that not all cores share. Masks have a bit for
 * each 64th of a unit, or for each byte of a shorter one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"
#include "lib/cache/machine/access.h"

struct ml_sharing {
	unsigned cores;
	struct ml_map index; /* number of a unit */
	uint64_t *lost;      /* by number: a bit for each core that lost the unit */
	uint64_t *written;   /* by number and core: the bytes that others wrote since */
	uint8_t *levels; /* by number and core: levels, from the first, that lost it */
	size_t count, cap, written_cap, levels_cap;
};

/* The core loses the unit in the first `levels` levels; no byte of it is written yet. */
void ml_sharing_lose(struct ml_sharing *s, uint64_t unit, unsigned core, unsigned levels);
void ml_sharing_write(struct ml_sharing *s, uint64_t unit, unsigned core, uint64_t mask);
/*
 * The core asks for the unit again. Returns SHARING or FALSE_SHARING, which is the cause
 * in the first *levels levels, or NONE if the core had not lost the unit. Forgets the
 * loss.
 */
enum ml_cause ml_sharing_ask(struct ml_sharing *s, uint64_t unit, unsigned core,
			     uint64_t mask, unsigned *levels);
void ml_sharing_release(struct ml_sharing *s); /* empties the record; cores stays */
