/* Reports all lines that a simulator still holds to the observer. */
#include <string.h>

#include "lib/cache/exact/motion.h"
#include "lib/cache/exact/sim.h"

/* The state of a cache that a flush changes, to be restored after it. */
struct before {
	uint8_t *flags;
	struct ml_cache_note *notes;
};

static void tell_all(struct ml_sim *s, struct ml_cache *c)
{
	for (size_t at = 0; at < (size_t)c->sets * c->ways; at++) {
		if (!c->tags[at])
			continue;
		struct ml_sim_place p = { c, at };

		if (s->inform)
			ml_motion_inform(s, p);
		ml_motion_tell(s, p);
	}
}

/*
 * Saves the flags and masks of a cache at the first call, puts them back at the second.
 */
static void keep_masks(struct ml_cache *c, struct before *b, struct ml_arena *a)
{
	size_t places = (size_t)c->sets * c->ways;

	if (!b->flags) {
		b->flags = (uint8_t *)ml_arena_copy(a, c->flags, places);
		if (c->use)
			b->notes = (struct ml_cache_note *)ml_arena_copy(
				a, c->notes, places * sizeof(*c->notes));
		return;
	}
	memcpy(c->flags, b->flags, places);
	if (c->use)
		memcpy(c->notes, b->notes, places * sizeof(*c->notes));
}

void ml_sim_flush(struct ml_sim *s)
{
	struct ml_arena arena = { 0 };
	struct ml_level_counts counts[ML_LEVELS + 1];
	struct before before[ML_LEVELS][ML_CORES] = { 0 };

	if (!s->observer.leave)
		return;
	memcpy(counts, s->counts, sizeof(counts));
	for (unsigned twice = 0; twice < 2; twice++) {
		for (unsigned depth = 0; depth < s->levels; depth++) {
			const struct ml_level_spec *l = &s->machine.level[depth];

			for (uint32_t i = 0; i * l->share < s->cores; i++)
				keep_masks(&s->caches[depth][i], &before[depth][i],
					   &arena);
		}
		if (twice)
			break;
		for (uint32_t i = 0; s->icaches && i * s->machine.icache.share < s->cores;
		     i++)
			tell_all(s, &s->icaches[i]);
		for (unsigned depth = 0; depth < s->levels; depth++)
			for (uint32_t i = 0; i * s->machine.level[depth].share < s->cores;
			     i++)
				tell_all(s, &s->caches[depth][i]);
	}
	memcpy(s->counts, counts, sizeof(counts));
	ml_arena_release(&arena);
}
