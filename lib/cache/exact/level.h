/*
 * One cache of a simulated machine: its lines, in arrays by way. A cache knows its policy
 * and nothing of other caches; motion.h moves lines between caches.
 *
 * A set has a row of digests, one byte for each way. A search compares 16 digests at a
 * time, so most misses are found without reading a tag. (The tags of a large simulated
 * cache do not fit into the host's caches; its digests mostly do.)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

static inline uint8_t ml_cache_digest(uint64_t line)
{
	return (uint8_t)(line * 0x9e3779b97f4a7c15u >> 56 | 1);
}

/* A bit for each of the next 16 digests that equals this one. */
static inline uint32_t ml_cache_match(const uint8_t *digests, uint8_t digest)
{
#ifdef __SSE2__
	__m128i all = _mm_loadu_si128((const __m128i *)digests);

	return (uint32_t)_mm_movemask_epi8(
		_mm_cmpeq_epi8(all, _mm_set1_epi8((char)digest)));
#else
	uint32_t match = 0;

	for (unsigned i = 0; i < ML_DIGESTS; i++)
		match |= (uint32_t)(digests[i] == digest) << i;
	return match;
#endif
}

/* The place of a line, or ML_NOWHERE. */
static inline size_t ml_cache_find(const struct ml_cache *c, uint64_t line)
{
	uint32_t set = ml_cache_set(c, line);
	const uint8_t *row = c->digests + (size_t)set * c->row;
	size_t first = (size_t)set * c->ways;
	uint8_t digest = ml_cache_digest(line);

	if (__builtin_expect(c->wide != NULL, 0)) {
		uint32_t way = ml_wide_set_find(c->wide, line);

		return way == UINT32_MAX ? ML_NOWHERE : way;
	}
	for (uint32_t way = 0; way < c->row; way += ML_DIGESTS)
		for (uint32_t m = ml_cache_match(row + way, digest); m; m &= m - 1) {
			size_t at = first + way + (size_t)__builtin_ctz(m);

			if (c->tags[at] == line + 1)
				return at;
		}
	return ML_NOWHERE;
}

/*
 * The same, for a cache that likely hits. Programs stay with a line for a while, so this
 * looks first where the line was found last (a third faster than a search from way 0;
 * more in a TLB with one set of 72 ways).
 */
static inline size_t ml_cache_look(struct ml_cache *c, uint64_t line)
{
	uint32_t *recent = &c->recent[line & c->recent_mask];
	size_t at = *recent;

	if (c->tags[at] == line + 1)
		return at;
	at = ml_cache_find(c, line);
	if (at != ML_NOWHERE)
		*recent = (uint32_t)at;
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
