#include "lib/cache/level.h"

#include "lib/base/arena.h"
#include "lib/cache/prefetch.h"
#include "lib/cache/shadow.h"

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
		.mask = spec->sets & (spec->sets - 1) ? 0 : spec->sets - 1,
		.bits = log2_of(spec->line),
	};
	ml_order_init(&c->order, c->sets, c->ways, ml_arena_alloc(a, places * 8), seed);
	c->tags = ml_arena_alloc(a, places * 8);
	c->flags = ml_arena_alloc(a, places);
	c->held = ml_arena_alloc(a, (size_t)c->sets * 4);
	c->recent = ml_arena_alloc(a, (size_t)c->sets * 4);
	if (want && level <= ML_LEVELS) {
		c->owner = ml_arena_alloc(a, places * 4);
		c->since = ml_arena_alloc(a, places * 8);
	}
	if (want & ML_SIM_USE) {
		c->read = ml_arena_alloc(a, places * 8);
		c->written = ml_arena_alloc(a, places * 8);
	}
	if (want & ML_SIM_CAUSES) {
		c->entry = ml_arena_alloc(a, places * 4);
		c->shadow = ml_arena_alloc(a, sizeof(*c->shadow));
		c->shadow->lines = places;
	}
	if (spec->prefetch != ML_PREFETCH_NONE) {
		c->ahead = ml_arena_alloc(a, sizeof(*c->ahead));
		ml_prefetch_init(c->ahead, spec);
	}
}

void ml_cache_close(struct ml_cache *c)
{
	if (c->shadow)
		ml_shadow_release(c->shadow);
}

size_t ml_cache_room(struct ml_cache *c, uint64_t line)
{
	uint32_t set = ml_cache_set(c, line);
	size_t first = (size_t)set * c->ways;

	if (c->held[set] == c->ways)
		return first + c->policy->victim(&c->order, set);
	while (c->tags[first])
		first++;
	return first;
}

void ml_cache_put(struct ml_cache *c, size_t place, uint64_t line)
{
	c->tags[place] = line + 1;
	c->held[ml_cache_set(c, line)]++;
}

void ml_cache_drop(struct ml_cache *c, size_t place)
{
	c->held[ml_cache_set(c, ml_cache_line(c, place))]--;
	c->tags[place] = 0;
	c->flags[place] = 0;
	if (c->owner) {
		c->owner[place] = 0;
		c->since[place] = 0;
	}
	if (c->read)
		c->read[place] = c->written[place] = 0;
	if (!c->policy->tree)
		c->order.word[place] = 0;
}

static unsigned granule_bits(const struct ml_cache *c)
{
	return c->bits > 6 ? c->bits - 6 : 0;
}

uint64_t ml_cache_bytes(const struct ml_cache *c, uint64_t addr, uint64_t size)
{
	uint64_t offset = addr & ((uint64_t)c->spec->line - 1);
	unsigned granule = granule_bits(c);
	unsigned first = (unsigned)(offset >> granule);
	unsigned last = (unsigned)((offset + size - 1) >> granule);

	return UINT64_MAX >> (63 - (last - first)) << first;
}

uint64_t ml_cache_widen(const struct ml_cache *inner, const struct ml_cache *outer,
			uint64_t addr, uint64_t mask)
{
	unsigned shrink = granule_bits(outer) - granule_bits(inner);
	uint64_t offset = addr & ((uint64_t)outer->spec->line - 1);
	unsigned first = (unsigned)(offset >> granule_bits(outer));
	uint64_t wide = 0;

	if (!shrink)
		return mask << first;
	for (unsigned bit = 0; bit < 64; bit++)
		wide |= (mask >> bit & 1) << (bit >> shrink);
	return wide << first;
}
