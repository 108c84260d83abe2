/*
 * One cache of a simulated machine: what it holds, in arrays by way. It knows its
 * policy and nothing of other caches; hierarchy.h connects them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/machine.h"
#include "lib/cache/policy.h"
#include "lib/cache/sim.h"

struct ml_arena;
struct ml_prefetch;
struct ml_shadow;

enum ml_cache_flag {
	ML_DIRTY = 1,
	ML_UNASKED = 2,     /* prefetched, and no demand touched it yet */
	ML_WRITE_FIRST = 4, /* the access that brought it in was a write */
	ML_CACHE_FLAGS = 7,
};

struct ml_cache {
	const struct ml_level_spec *spec;
	const struct ml_policy *policy;
	struct ml_level_counts *counts; /* of all instances together */
	unsigned level;                 /* from 1; 0 is L1i */
	uint32_t instance;              /* cores instance * share and up have it */
	uint32_t sets, ways, mask; /* mask: sets - 1 if that is a power of two, or 0 */
	unsigned bits;             /* of the offset in a line */
	struct ml_order order;
	/* sets * ways each; set * ways + way is called a place */
	uint64_t *tags; /* line number + 1; 0 is empty */
	uint8_t *flags;
	uint32_t *owner;           /* if anything is wanted... */
	uint64_t *since;           /* ...besides counts */
	uint64_t *read, *written;  /* with ML_SIM_USE */
	uint32_t *entry;           /* in the shadow; with ML_SIM_CAUSES */
	struct ml_shadow *shadow;  /* with ML_SIM_CAUSES */
	struct ml_prefetch *ahead; /* or NULL */
	uint32_t *held;            /* by set: ways that are not empty */
	uint32_t *recent; /* by set: the way that hit last, where to look first */
};

#define ML_NOWHERE SIZE_MAX /* no place */

void ml_cache_init(struct ml_cache *c, const struct ml_level_spec *spec, unsigned level,
		   uint32_t instance, uint64_t seed, unsigned want, struct ml_arena *a);
void ml_cache_close(struct ml_cache *c); /* what the arena does not own */

static inline uint32_t ml_cache_set(const struct ml_cache *c, uint64_t line)
{
	return (uint32_t)(c->mask || c->sets == 1 ? line & c->mask : line % c->sets);
}

/* The place of a line, or ML_NOWHERE. */
static inline size_t ml_cache_find(const struct ml_cache *c, uint64_t line)
{
	size_t at = (size_t)ml_cache_set(c, line) * c->ways;

	for (size_t end = at + c->ways; at < end; at++)
		if (c->tags[at] == line + 1)
			return at;
	return ML_NOWHERE;
}

/*
 * The same where it likely hits: programs stay with a line for a while, so the way of
 * the set that hit last is tried first (a third faster than a search from way 0).
 */
static inline size_t ml_cache_look(struct ml_cache *c, uint64_t line)
{
	uint32_t set = ml_cache_set(c, line);
	size_t first = (size_t)set * c->ways, at = first + c->recent[set];

	if (c->tags[at] == line + 1)
		return at;
	at = ml_cache_find(c, line);
	if (at != ML_NOWHERE)
		c->recent[set] = (uint32_t)(at - first);
	return at;
}

static inline uint32_t ml_cache_way(const struct ml_cache *c, uint32_t set, size_t place)
{
	return (uint32_t)(place - (size_t)set * c->ways);
}

static inline uint64_t ml_cache_line(const struct ml_cache *c, size_t place)
{
	return c->tags[place] - 1;
}

static inline uint64_t ml_cache_addr(const struct ml_cache *c, size_t place)
{
	return ml_cache_line(c, place) << c->bits;
}

/* Where a line that is not there would go: an empty way, the lowest, or a victim's. */
size_t ml_cache_room(struct ml_cache *c, uint64_t line);
/* A line comes into an empty place. */
void ml_cache_put(struct ml_cache *c, size_t place, uint64_t line);
/* Empties a place. */
void ml_cache_drop(struct ml_cache *c, size_t place);

/* The bits of a use mask for so many bytes from addr on, all of them in one line. */
uint64_t ml_cache_bytes(const struct ml_cache *c, uint64_t addr, uint64_t size);
/* The mask of a line of `inner`, at addr, in terms of the larger line of `outer`. */
uint64_t ml_cache_widen(const struct ml_cache *inner, const struct ml_cache *outer,
			uint64_t addr, uint64_t mask);
