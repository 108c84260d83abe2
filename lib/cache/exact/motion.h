/*
 * How lines move between the caches of a simulator: fills, evictions, write-backs.
 *
 * The access loop in sim.c inlines the functions that fill a cache. Their parameter
 * `plain` is a constant in every call and stands for ml_sim.plain; code for other
 * machines is not even compiled then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/exact/sim_data.h"

/* Notes a movement of the line at p, if ML_SIM_MOVES is wanted. */
void ml_motion_note(struct ml_sim *s, const struct ml_request *q, enum ml_move_kind kind,
		    struct ml_sim_place p, unsigned from, unsigned to, unsigned other);
/* Brings the line of addr, which c does not hold, into c. Returns its place. */
size_t ml_motion_fill(struct ml_sim *s, const struct ml_request *q, struct ml_cache *c,
		      uint64_t addr, const struct ml_cargo *cargo);
/*
 * Sends written data outwards from the caches of a core, to the given depth or beyond.
 * Returns the level that takes them.
 */
unsigned ml_motion_carry(struct ml_sim *s, unsigned core, unsigned depth, uint64_t addr,
			 uint64_t size);
/*
 * Removes a line for any reason. Informs the observer and, if `inform`, the copy further
 * out.
 */
void ml_motion_leave(struct ml_sim *s, struct ml_sim_place p, bool inform);
/*
 * Takes a line from a cache, on behalf of an inclusive level or of another core. Returns
 * true if the line was dirty.
 */
bool ml_motion_take(struct ml_sim *s, const struct ml_request *q, struct ml_sim_place p,
		    uint32_t evictor);
/* Adds the use mask of the line at p, and its first use, to the copy further out. */
void ml_motion_inform(struct ml_sim *s, struct ml_sim_place p);
/*
 * Another core, or the inclusive level at a depth, takes the dirty data at p. They pass the
 * levels in between, unless one of these holds dirty data of the line, which it gives up
 * itself.
 */
void ml_motion_pass(struct ml_sim *s, struct ml_sim_place p, unsigned depth);
/* Evicts the line at p, whose place a line of q takes next. */
void ml_motion_evict(struct ml_sim *s, const struct ml_request *q, struct ml_sim_place p);

ML_BODY struct ml_leave ml_motion_leaving(struct ml_sim_place p)
{
	const struct ml_cache *c = p.cache;
	static const struct ml_cache_note unknown = { .owner = ML_NO_OWNER };
	const struct ml_cache_note *n = c->notes ? &c->notes[p.at] : &unknown;

	return (struct ml_leave){
		.level = c->level,
		.core = ml_cache_core(c),
		.set = ml_cache_set(c, ml_cache_line(c, p.at)),
		.line = ml_cache_addr(c, p.at),
		.owner = n->owner,
		.dirty = c->flags[p.at] & ML_DIRTY,
		.asked = !(c->flags[p.at] & ML_PREFETCHED),
		.write_first = c->flags[p.at] & ML_WRITE_FIRST,
		.read = n->read,
		.written = n->written,
	};
}

ML_BODY void ml_motion_tell(struct ml_sim *s, struct ml_sim_place p)
{
	if (s->observer.leave) {
		struct ml_leave l = ml_motion_leaving(p);

		s->observer.leave(s->observer.arg, &l);
	}
}

ML_BODY void ml_motion_set_evictor(struct ml_sim_place p, uint32_t owner)
{
	if (p.cache->miss_cause)
		ml_miss_cause_evicted(p.cache->miss_cause, p.cache->notes[p.at].entry,
				      owner);
}

/*
 * ml_motion_evict in a plain machine. Dirty data go to the nearest copy further out, or
 * to memory, and pass by the levels without a copy.
 */
ML_BODY void ml_motion_evict_plainly(struct ml_sim *s, struct ml_sim_place p)
{
	struct ml_cache *c = p.cache;
	bool dirty = c->flags[p.at] & ML_DIRTY;

	c->counts->evictions++;
	c->counts->write_backs += dirty;
	for (unsigned depth = ml_cache_depth(c) + 1; dirty && depth < s->levels;
	     depth++) {
		struct ml_cache *outer = s->caches[depth];
		size_t at = ml_cache_find(outer, ml_cache_line(c, p.at));

		if (at != ML_NOWHERE) {
			outer->flags[at] |= ML_DIRTY;
			break;
		}
		outer->counts->past_bytes += c->spec->line;
	}
	ml_motion_tell(s, p);
}

/* ml_motion_fill at a place that ml_cache_room chose. */
ML_BODY void ml_motion_fill_at(struct ml_sim *s, const struct ml_request *q,
			       struct ml_sim_place p, uint64_t line,
			       const struct ml_cargo *cargo, bool plain)
{
	struct ml_cache *c = p.cache;
	uint32_t set = ml_cache_set(c, line);

	if (c->tags[p.at]) {
		if (plain)
			ml_motion_evict_plainly(s, p);
		else
			ml_motion_evict(s, q, p);
		c->empty++;
	}
	ml_cache_put(c, p.at, line);
	c->flags[p.at] = (uint8_t)((cargo->dirty ? ML_DIRTY : 0) |
				   (cargo->prefetched ? ML_PREFETCHED : 0) |
				   (cargo->write_first ? ML_WRITE_FIRST : 0));
	if (c->notes)
		c->notes[p.at] = (struct ml_cache_note){
			.read = cargo->read,
			.written = cargo->written,
			.since = s->accesses + q->access,
			.owner = cargo->owner,
			.entry = cargo->entry || !c->miss_cause
					 ? cargo->entry
					 : ml_book_find(c->miss_cause->book, line),
		};
	ml_policy_fill(c->policy, &c->order, set, ml_cache_way(c, set, p.at),
		       cargo->hint);
	c->counts->fills++;
}
