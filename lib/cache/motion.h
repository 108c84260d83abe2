/*
 * How lines move between the caches of a simulator: the simulator brings them in,
 * drives others out and takes written data outwards.
 *
 * The access loop in sim.c needs what brings a line in without calls. `plain` is a
 * constant wherever ml_motion_fill_at is used: it says that the machine is
 * (ml_sim.plain), and what concerns other machines is not even compiled then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/sim_data.h"

/* Notes a movement of the line at p, if they are wanted. */
void ml_motion_note(struct ml_sim *s, const struct ml_request *q, enum ml_move_kind kind,
		    struct ml_sim_place p, unsigned from, unsigned to, unsigned other);
/* Brings the line of addr, which is not there, into c. Returns its place. */
size_t ml_motion_fill(struct ml_sim *s, const struct ml_request *q, struct ml_cache *c,
		      uint64_t addr, const struct ml_cargo *cargo);
/*
 * Data of so many bytes go outwards from the caches of a core, to depth or beyond.
 * Returns the level that took them.
 */
unsigned ml_motion_carry(struct ml_sim *s, unsigned core, unsigned depth, uint64_t addr,
			 uint64_t size);
/* A line leaves for whatever reason: tells the observer and, if asked to, the copy
 * further out. Its place is empty then. */
void ml_motion_leave(struct ml_sim *s, struct ml_sim_place p, bool inform);
/* The same taken away by an inclusive cache or by another core. True: it was dirty. */
bool ml_motion_take(struct ml_sim *s, const struct ml_request *q, struct ml_sim_place p,
		    uint32_t evictor);
/* Tells the copy further out what was used of the line at p. */
void ml_motion_inform(struct ml_sim *s, struct ml_sim_place p);
/* The line at p makes room for one of q's, which takes its place next. */
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
		.asked = !(c->flags[p.at] & ML_UNASKED),
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

ML_BODY void ml_motion_evictor(struct ml_sim_place p, uint32_t owner)
{
	if (p.cache->miss_cause)
		ml_miss_cause_evicted(p.cache->miss_cause, p.cache->notes[p.at].entry,
				      owner);
}

/*
 * The nearest copy further out of the line at p in a plain machine; its cache may be
 * NULL. Mostly it is where the line came from: its note tells, and is needed next.
 */
ML_BODY struct ml_sim_place ml_motion_copy(const struct ml_sim *s, struct ml_sim_place p)
{
	const struct ml_cache *c = p.cache;
	struct ml_sim_place copy = { NULL, c->copy[p.at] };
	unsigned depth = ml_cache_depth(c) + 1;

	if (depth < s->levels && c->miss_cause) {
		copy.cache = s->caches[depth];
		if (copy.cache->notes[copy.at].entry == c->notes[p.at].entry)
			return copy;
	}
	for (; depth < s->levels; depth++) {
		copy.cache = s->caches[depth];
		copy.at = ml_cache_find(copy.cache, ml_cache_line(c, p.at));
		if (copy.at != ML_NOWHERE)
			return copy;
	}
	return (struct ml_sim_place){ NULL, ML_NOWHERE };
}

/* ml_motion_evict in a plain machine. */
ML_BODY void ml_motion_evict_plainly(struct ml_sim *s, const struct ml_request *q,
				     struct ml_sim_place p)
{
	struct ml_cache *c = p.cache;
	bool dirty = c->flags[p.at] & ML_DIRTY;

	c->counts->evictions++;
	c->counts->write_backs += dirty;
	ml_motion_evictor(p, q->owner);
	if (dirty || c->use) {
		struct ml_sim_place copy = ml_motion_copy(s, p);

		if (copy.cache && dirty)
			copy.cache->flags[copy.at] |= ML_DIRTY;
		if (copy.cache && c->use) {
			copy.cache->notes[copy.at].read |= c->notes[p.at].read;
			copy.cache->notes[copy.at].written |= c->notes[p.at].written;
		}
	}
	ml_motion_tell(s, p);
}

/* ml_motion_fill, at the place that ml_cache_room named. */
ML_BODY void ml_motion_fill_at(struct ml_sim *s, const struct ml_request *q,
			       struct ml_sim_place p, uint64_t line,
			       const struct ml_cargo *cargo, bool plain)
{
	struct ml_cache *c = p.cache;
	uint32_t set = ml_cache_set(c, line);

	if (c->tags[p.at]) {
		if (plain)
			ml_motion_evict_plainly(s, q, p);
		else
			ml_motion_evict(s, q, p);
		c->empty++;
	}
	ml_cache_put(c, p.at, line);
	c->flags[p.at] = (uint8_t)((cargo->dirty ? ML_DIRTY : 0) |
				   (cargo->unasked ? ML_UNASKED : 0) |
				   (cargo->write_first ? ML_WRITE_FIRST : 0));
	c->copy[p.at] = cargo->copy;
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
