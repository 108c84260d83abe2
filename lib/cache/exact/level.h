/*
 * One cache of a simulated machine: its lines, in arrays by way. A cache knows its policy
 * and nothing of other caches; motion.h moves lines between caches.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/exact/wide_set.h"

struct ml_arena;
struct ml_prefetch;
struct ml_miss_cause;

enum ml_cache_flag {
	ML_DIRTY = 1,
	ML_PREFETCHED = 2,  /* prefetched, and no demand has used it yet */
	ML_WRITE_FIRST = 4, /* the access that filled the line was a write */
	ML_CACHE_FLAGS = 7,
};

/* The facts that a cache stores about a line that it holds. */
struct ml_cache_note {
	uint64_t read, written; /* use masks */
	uint64_t since; /* the access that filled the line; 0 in TLBs, like owner */
	uint32_t owner;
	uint32_t entry; /* number of the line in the book (miss_cause.h); with
			   ML_SIM_CAUSES */
};

enum { ML_DIGESTS = 16 }; /* digests that are compared at a time */

struct ml_cache {
	const struct ml_level_spec *spec;
	const struct ml_policy *policy;
	struct ml_level_counts *counts; /* of all instances together */
	unsigned level;                 /* from 1; 0 is L1i */
	uint32_t instance;              /* its first core is instance * share */
	uint32_t sets, ways;
	uint32_t mask;    /* bits of a line number that give the set... */
	bool modulo;      /* ...unless the number of sets is not a power of two */
	unsigned bits;    /* bits of the offset in a line */
	uint64_t within;  /* mask of that offset */
	unsigned granule; /* log2 of the bytes that one bit of a use mask stands for */
	struct ml_order order;
	/* sets * ways entries each; set * ways + way is called a place */
	uint64_t *tags; /* line number + 1; 0 is empty */
	uint8_t *flags;
	struct ml_cache_note *notes; /* NULL if only counts are wanted */
	uint8_t *digests; /* [sets * row]; digests of the tags, 0 is an empty way */
	uint32_t row;     /* bytes of a row: the ways, rounded up to whole vectors */
	size_t empty;     /* empty places */
	struct ml_wide_set *wide;         /* of one set with very many ways */
	bool use;                         /* with ML_SIM_USE: notes have masks */
	struct ml_miss_cause *miss_cause; /* with ML_SIM_CAUSES */
	struct ml_prefetch *prefetcher;   /* or NULL */
	/* by the low bits of a line: the place of the line with these bits that hit last,
	 * which is looked at first */
	uint32_t *recent;
	uint32_t recent_mask;
};

#define ML_NOWHERE SIZE_MAX /* the line is not there */

void ml_cache_init(struct ml_cache *c, const struct ml_level_spec *spec, unsigned level,
		   uint32_t instance, uint64_t seed, unsigned want, struct ml_arena *a);

static inline uint32_t ml_cache_set(const struct ml_cache *c, uint64_t line)
{
	return (uint32_t)(c->modulo ? line % c->sets : line & c->mask);
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

/* The place for a new line: the lowest empty way of its set, else that of the victim. */
size_t ml_cache_room(struct ml_cache *c, uint64_t line);
/* Puts a line into an empty place. */
void ml_cache_put(struct ml_cache *c, size_t place, uint64_t line);
/* Empties a place that holds a line. */
void ml_cache_drop(struct ml_cache *c, size_t place);

/* Rebuilds the digests after tags were written from outside. */
void ml_cache_restored(struct ml_cache *c);

/* The use mask of `size` bytes from addr on, all of them in one line. */
static inline uint64_t ml_cache_bytes(const struct ml_cache *c, uint64_t addr,
				      uint64_t size)
{
	uint64_t offset = addr & c->within;
	unsigned first = (unsigned)(offset >> c->granule);
	unsigned last = (unsigned)((offset + size - 1) >> c->granule);

	return UINT64_MAX >> (63 - (last - first)) << first;
}

/* Converts the mask of a line of `inner`, at addr, to the larger line of `outer`. */
uint64_t ml_cache_widen(const struct ml_cache *inner, const struct ml_cache *outer,
			uint64_t addr, uint64_t mask);
