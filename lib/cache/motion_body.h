/*
 * How a line comes into a cache, for motion.c and for the access loop in sim.c, which
 * needs it without calls. `plain` is a constant wherever this is used: it says that
 * the machine is (ml_sim.plain), and what concerns other machines is not even compiled
 * then.
 */
#pragma once

#include "lib/cache/motion.h"

#define ML_BODY static inline __attribute__((always_inline))

ML_BODY struct ml_leave leaving(struct ml_sim_place p)
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

ML_BODY void tell_observer(struct ml_sim *s, struct ml_sim_place p)
{
	if (s->observer.leave) {
		struct ml_leave l = leaving(p);

		s->observer.leave(s->observer.arg, &l);
	}
}

ML_BODY void set_evictor(struct ml_sim_place p, uint32_t owner)
{
	if (p.cache->shadow)
		ml_miss_cause_evicted(p.cache->shadow, p.cache->notes[p.at].entry, owner);
}

/*
 * The nearest copy further out of the line at p in a plain machine; its cache may be
 * NULL. Mostly it is where the line came from: its note tells, and is needed next.
 */
ML_BODY struct ml_sim_place copy_outwards(const struct ml_sim *s, struct ml_sim_place p)
{
	const struct ml_cache *c = p.cache;
	struct ml_sim_place copy = { NULL, c->copy[p.at] };
	unsigned depth = ml_cache_depth(c) + 1;

	if (depth < s->levels && c->shadow) {
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
ML_BODY void evict_plainly(struct ml_sim *s, const struct ml_request *q,
			   struct ml_sim_place p)
{
	struct ml_cache *c = p.cache;
	bool dirty = c->flags[p.at] & ML_DIRTY;

	c->counts->evictions++;
	c->counts->write_backs += dirty;
	set_evictor(p, q->owner);
	if (dirty || c->use) {
		struct ml_sim_place copy = copy_outwards(s, p);

		if (copy.cache && dirty)
			copy.cache->flags[copy.at] |= ML_DIRTY;
		if (copy.cache && c->use) {
			copy.cache->notes[copy.at].read |= c->notes[p.at].read;
			copy.cache->notes[copy.at].written |= c->notes[p.at].written;
		}
	}
	tell_observer(s, p);
}

/* ml_motion_fill, at the place that ml_cache_room named. */
ML_BODY void fill_at(struct ml_sim *s, const struct ml_request *q, struct ml_sim_place p,
		     uint64_t line, const struct ml_cargo *cargo, bool plain)
{
	struct ml_cache *c = p.cache;
	uint32_t set = ml_cache_set(c, line);

	if (c->tags[p.at]) {
		if (plain)
			evict_plainly(s, q, p);
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
			.entry = cargo->entry || !c->shadow
					 ? cargo->entry
					 : ml_book_find(c->shadow->book, line),
		};
	ml_policy_fill(c->policy, &c->order, set, ml_cache_way(c, set, p.at),
		       cargo->hint);
	c->counts->fills++;
}
