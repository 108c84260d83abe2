#include "lib/cache/exact/level_parts.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/cache/machine/observer.h"
#include "lib/cache/exact/prefetch.h"

enum { SMALL = 4096 }; /* places of a cache that has a `recent` for each of them */

static unsigned log2_of(uint64_t n)
{
	unsigned bits = 0;

	while (n > 1) {
		n >>= 1;
		bits++;
	}
	return bits;
}

void ml_cache_init(struct ml_cache *c, const struct ml_level_spec *spec, unsigned level,
		   uint32_t instance, uint64_t seed, unsigned want, struct ml_arena *a)
{
	size_t places = (size_t)spec->sets * spec->ways;

	*c = (struct ml_cache){
		.spec = spec,
		.policy = spec->policy,
		.level = level,
		.instance = instance,
		.sets = spec->sets,
		.ways = spec->ways,
		.mask = spec->sets - 1,
		.modulo = spec->sets & (spec->sets - 1),
		.bits = log2_of(spec->line),
	};
	c->within = spec->line - 1;
	c->granule = c->bits > 6 ? c->bits - 6 : 0;
	c->row = (spec->ways + ML_DIGESTS - 1) / ML_DIGESTS * ML_DIGESTS;
	c->empty = places;
	ml_order_init(&c->order, c->sets, c->ways, ml_arena_large(a, places * 8), seed);
	c->tags = ml_arena_large(a, places * 8);
	c->flags = ml_arena_alloc(a, places);
	c->digests = ml_arena_large(a, (size_t)c->sets * c->row);
	c->recent_mask = (2u << log2_of(places <= SMALL ? places : c->sets)) - 1;
	c->recent = ml_arena_alloc(a, ((size_t)c->recent_mask + 1) * 4);
	if (spec->sets == 1 && spec->ways >= ML_WIDE_SET)
		c->wide = ml_wide_set_make(spec->ways, c->tags, a);
	c->use = want & ML_SIM_USE;
	if (want)
		c->notes = ml_arena_large(a, places * sizeof(*c->notes));
	if (spec->prefetch != ML_PREFETCH_NONE) {
		c->prefetcher = ml_arena_alloc(a, sizeof(*c->prefetcher));
		ml_prefetch_init(c->prefetcher, spec);
	}
}

static size_t victim(struct ml_cache *c, uint32_t set)
{
	if (c->wide && c->policy->oldest)
		return ml_wide_set_oldest(c->wide, c->order.word);
	return (size_t)set * c->ways + c->policy->victim(&c->order, set);
}

size_t ml_cache_room(struct ml_cache *c, uint64_t line)
{
	uint32_t set = ml_cache_set(c, line);
	const uint8_t *row = c->digests + (size_t)set * c->row;
	size_t first = (size_t)set * c->ways;

	if (c->wide)
		return c->empty ? ml_wide_set_empty(c->wide) : victim(c, set);
	for (uint32_t way = 0; c->empty && way < c->row; way += ML_DIGESTS) {
		uint32_t m = ml_cache_match(row + way, 0);
		uint32_t lowest = way + (uint32_t)(m ? __builtin_ctz(m) : ML_DIGESTS);

		if (m)
			return lowest < c->ways ? first + lowest : victim(c, set);
	}
	return victim(c, set);
}

static uint8_t *digest_at(const struct ml_cache *c, uint32_t set, size_t place)
{
	return &c->digests[(size_t)set * c->row + ml_cache_way(c, set, place)];
}

void ml_cache_put(struct ml_cache *c, size_t place, uint64_t line)
{
	/* the victim may still be there: its place is taken at once */
	if (c->wide && c->tags[place] && c->tags[place] != line + 1)
		ml_wide_set_drop(c->wide, ml_cache_line(c, place), (uint32_t)place);
	c->tags[place] = line + 1;
	*digest_at(c, ml_cache_set(c, line), place) = ml_cache_digest(line);
	if (c->wide)
		ml_wide_set_put(c->wide, line, (uint32_t)place);
	c->empty--;
}

void ml_cache_drop(struct ml_cache *c, size_t place)
{
	*digest_at(c, ml_cache_set(c, ml_cache_line(c, place)), place) = 0;
	if (c->wide)
		ml_wide_set_drop(c->wide, ml_cache_line(c, place), (uint32_t)place);
	c->empty++;
	c->tags[place] = 0;
	c->flags[place] = 0;
	if (c->notes)
		c->notes[place] = (struct ml_cache_note){ 0 };
	if (!c->policy->tree)
		c->order.word[place] = 0;
}

void ml_cache_restored(struct ml_cache *c)
{
	memset(c->digests, 0, (size_t)c->sets * c->row);
	if (c->wide)
		ml_wide_set_clear(c->wide);
	c->empty = (size_t)c->sets * c->ways;
	for (size_t i = 0; i < (size_t)c->sets * c->ways; i++)
		if (c->tags[i])
			ml_cache_put(c, i, ml_cache_line(c, i));
}

uint64_t ml_cache_widen(const struct ml_cache *inner, const struct ml_cache *outer,
			uint64_t addr, uint64_t mask)
{
	unsigned shrink = outer->granule - inner->granule;
	uint64_t offset = addr & ((uint64_t)outer->spec->line - 1);
	unsigned first = (unsigned)(offset >> outer->granule);
	uint64_t wide = 0;

	if (!shrink)
		return mask << first;
	for (unsigned bit = 0; bit < 64; bit++)
		wide |= (mask >> bit & 1) << (bit >> shrink);
	return wide << first;
}
