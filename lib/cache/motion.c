#include "lib/cache/motion.h"

#include <string.h>

#include "lib/cache/shadow.h"

void ml_motion_note(struct ml_sim *s, const struct ml_request *q, enum ml_move_kind kind,
		    struct ml_sim_place p, unsigned from, unsigned to, unsigned other)
{
	if (!(s->want & ML_SIM_MOVES))
		return;
	uint32_t set = ml_cache_set(p.cache, ml_cache_line(p.cache, p.at));
	*ml_motion_next(s) = (struct ml_move){
		.line = ml_cache_addr(p.cache, p.at),
		.access = q->access,
		.set = set,
		.way = (uint16_t)ml_cache_way(p.cache, set, p.at),
		.kind = (uint8_t)kind,
		.from = (uint8_t)from,
		.to = (uint8_t)to,
		.core = (uint8_t)(kind == ML_MOVE_TRANSFER ? q->core
							   : ml_cache_core(p.cache)),
		.other = (uint8_t)other,
	};
}

unsigned ml_motion_carry(struct ml_sim *s, unsigned core, unsigned depth, uint64_t addr,
			 uint64_t size)
{
	for (; depth < s->levels; depth++) {
		struct ml_cache *c = ml_sim_cache(s, core, depth);
		size_t at = ml_cache_find(c, addr >> c->bits);

		if (at == ML_NOWHERE)
			continue;
		if (!c->spec->write_through) {
			c->flags[at] |= ML_DIRTY;
			break;
		}
		c->counts->through++;
		c->counts->through_bytes += size;
	}
	return depth + 1;
}

struct ml_leave ml_motion_leaving(struct ml_sim_place p)
{
	const struct ml_cache *c = p.cache;

	return (struct ml_leave){
		.level = c->level,
		.core = ml_cache_core(c),
		.set = ml_cache_set(c, ml_cache_line(c, p.at)),
		.line = ml_cache_addr(c, p.at),
		.owner = c->owner ? c->owner[p.at] : ML_NO_OWNER,
		.dirty = c->flags[p.at] & ML_DIRTY,
		.asked = !(c->flags[p.at] & ML_UNASKED),
		.write_first = c->flags[p.at] & ML_WRITE_FIRST,
		.read = c->read ? c->read[p.at] : 0,
		.written = c->written ? c->written[p.at] : 0,
	};
}

/* The copy further out learns what was used here. */
static void inform_outwards(struct ml_sim *s, struct ml_sim_place p)
{
	const struct ml_cache *c = p.cache;
	uint64_t addr = ml_cache_addr(c, p.at);

	for (unsigned depth = ml_cache_depth(c) + 1; depth < s->levels; depth++) {
		struct ml_cache *outer = ml_sim_cache(s, ml_cache_core(c), depth);
		size_t at = ml_cache_find(outer, addr >> outer->bits);

		if (at == ML_NOWHERE)
			continue;
		if (c->read) {
			outer->read[at] |= ml_cache_widen(c, outer, addr, c->read[p.at]);
			outer->written[at] |= ml_cache_widen(c, outer, addr,
							     c->written[p.at]);
		}
		if (!(c->flags[p.at] & ML_UNASKED) && outer->flags[at] & ML_UNASKED) {
			outer->flags[at] &= (uint8_t)~ML_UNASKED;
			outer->counts->useful++;
		}
		return;
	}
}

void ml_motion_leave(struct ml_sim *s, struct ml_sim_place p, bool inform)
{
	struct ml_cache *c = p.cache;

	c->counts->useless += (c->flags[p.at] & ML_UNASKED) != 0;
	if (inform && s->inform)
		inform_outwards(s, p);
	if (s->observer.leave) {
		struct ml_leave l = ml_motion_leaving(p);

		s->observer.leave(s->observer.arg, &l);
	}
	ml_cache_drop(c, p.at);
}

static void set_evictor(struct ml_sim_place p, uint32_t owner)
{
	if (p.cache->shadow)
		p.cache->shadow->entries[p.cache->entry[p.at]].evictor = owner;
}

bool ml_motion_take(struct ml_sim *s, const struct ml_request *q, struct ml_sim_place p,
		    uint32_t evictor)
{
	struct ml_cache *c = p.cache;
	bool dirty = c->flags[p.at] & ML_DIRTY;

	c->counts->invalidations++;
	c->counts->write_backs += dirty;
	set_evictor(p, evictor);
	ml_motion_note(s, q, ML_MOVE_INVALIDATE, p, c->level, c->level, q->core);
	ml_motion_leave(s, p, true);
	return dirty;
}

/* Takes the line at p, which an inclusive cache evicts, from all caches within. */
static bool take_within(struct ml_sim *s, const struct ml_request *q,
			struct ml_sim_place p)
{
	const struct ml_cache *c = p.cache;
	uint64_t addr = ml_cache_addr(c, p.at);
	uint32_t first = ml_cache_core(c), end = first + c->spec->share;
	bool dirty = false;

	if (end > s->cores)
		end = s->cores;
	for (unsigned depth = 0; depth < ml_cache_depth(c); depth++)
		for (unsigned fetch = 0; fetch <= (depth == 0 && s->icaches); fetch++)
			for (uint32_t core = first; core < end;) {
				struct ml_cache *in = s->paths[core][fetch][depth];
				uint64_t line = addr >> in->bits;
				uint64_t lines = c->spec->line >> in->bits;

				for (; lines--; line++) {
					size_t at = ml_cache_find(in, line);

					if (at != ML_NOWHERE)
						dirty |= ml_motion_take(
							s, q,
							(struct ml_sim_place){ in, at },
							q->owner);
				}
				core = (in->instance + 1) * in->spec->share;
			}
	return dirty;
}

/* A dirty line comes into a write-through cache: its data go on at once. */
static void pass_on(struct ml_sim *s, struct ml_sim_place p)
{
	struct ml_cache *c = p.cache;

	c->flags[p.at] &= (uint8_t)~ML_DIRTY;
	c->counts->through++;
	c->counts->through_bytes += c->spec->line;
	ml_motion_carry(s, ml_cache_core(c), ml_cache_depth(c) + 1,
			ml_cache_addr(c, p.at), c->spec->line);
}

/* A victim moves into the exclusive cache behind the one that it leaves. */
static void move_out(struct ml_sim *s, const struct ml_request *q, struct ml_cache *c,
		     uint64_t addr, const struct ml_cargo *cargo)
{
	size_t at = ml_cache_find(c, addr >> c->bits);

	if (at == ML_NOWHERE) {
		ml_motion_fill(s, q, c, addr, cargo);
		return;
	}
	if (cargo->dirty) {
		c->flags[at] |= ML_DIRTY;
		if (c->spec->write_through)
			pass_on(s, (struct ml_sim_place){ c, at });
	}
	if (!cargo->unasked && c->flags[at] & ML_UNASKED) {
		c->flags[at] &= (uint8_t)~ML_UNASKED;
		c->counts->useful++;
	}
	if (c->read) {
		c->read[at] |= cargo->read;
		c->written[at] |= cargo->written;
	}
}

/* The line at p makes room for one of q's. */
static void evict(struct ml_sim *s, const struct ml_request *q, struct ml_sim_place p)
{
	struct ml_cache *c = p.cache;
	unsigned core = ml_cache_core(c), depth = ml_cache_depth(c);
	uint64_t addr = ml_cache_addr(c, p.at);
	struct ml_cache *outer = depth + 1 < s->levels ? ml_sim_cache(s, core, depth + 1)
						       : NULL;
	bool moves = outer && outer->spec->inclusion == ML_EXCLUSIVE;

	c->counts->evictions++;
	set_evictor(p, q->owner);
	if (c->spec->inclusion == ML_INCLUSIVE && take_within(s, q, p))
		c->flags[p.at] |= ML_DIRTY;
	uint8_t flags = c->flags[p.at];
	bool dirty = flags & ML_DIRTY;
	unsigned to = moves ? depth + 2 : c->level;
	c->counts->write_backs += dirty;
	if (dirty && !moves)
		to = ml_motion_carry(s, core, depth + 1, addr, c->spec->line);
	ml_motion_note(s, q, dirty ? ML_MOVE_WRITE_BACK : ML_MOVE_EVICT, p, c->level, to,
		       q->core);
	struct ml_cargo cargo = {
		.from = c->level,
		.dirty = dirty,
		.unasked = flags & ML_UNASKED,
		.write_first = flags & ML_WRITE_FIRST,
		.owner = c->owner ? c->owner[p.at] : ML_NO_OWNER,
		.read = c->read ? c->read[p.at] : 0,
		.written = c->written ? c->written[p.at] : 0,
	};
	ml_motion_leave(s, p, !moves);
	if (moves)
		move_out(s, q, outer, addr, &cargo);
}

size_t ml_motion_fill(struct ml_sim *s, const struct ml_request *q, struct ml_cache *c,
		      uint64_t addr, const struct ml_cargo *cargo)
{
	uint64_t line = addr >> c->bits;
	uint32_t set = ml_cache_set(c, line);
	size_t at = ml_cache_room(c, line);
	struct ml_sim_place p = { c, at };

	if (c->tags[at])
		evict(s, q, p);
	ml_cache_put(c, at, line);
	c->flags[at] = (uint8_t)((cargo->dirty ? ML_DIRTY : 0) |
				 (cargo->unasked ? ML_UNASKED : 0) |
				 (cargo->write_first ? ML_WRITE_FIRST : 0));
	if (c->owner) {
		c->owner[at] = cargo->owner;
		c->since[at] = s->accesses + q->access;
	}
	if (c->read) {
		c->read[at] = cargo->read;
		c->written[at] = cargo->written;
	}
	if (c->shadow)
		c->entry[at] = cargo->entry ? cargo->entry
					    : ml_shadow_find(c->shadow, line);
	c->policy->fill(&c->order, set, ml_cache_way(c, set, at), cargo->hint);
	c->counts->fills++;
	c->counts->prefetched += cargo->unasked;
	ml_motion_note(s, q, q->demand ? ML_MOVE_FILL : ML_MOVE_PREFETCH, p, cargo->from,
		       c->level, q->core);
	if (cargo->dirty && c->spec->write_through)
		pass_on(s, p);
	return at;
}

/* What a flush changes in a cache while it lasts. */
struct before {
	uint8_t *flags;
	uint64_t *read, *written;
};

static void tell_all(struct ml_sim *s, struct ml_cache *c)
{
	for (size_t at = 0; at < (size_t)c->sets * c->ways; at++) {
		if (!c->tags[at])
			continue;
		struct ml_sim_place p = { c, at };

		if (s->inform)
			inform_outwards(s, p);
		struct ml_leave l = ml_motion_leaving(p);
		s->observer.leave(s->observer.arg, &l);
	}
}

/* Saves the masks of a cache, or puts them back. */
static void keep_masks(struct ml_cache *c, struct before *b, struct ml_arena *a)
{
	size_t places = (size_t)c->sets * c->ways;

	if (!b->flags) {
		b->flags = (uint8_t *)ml_arena_copy(a, c->flags, places);
		b->read = c->read ? (uint64_t *)ml_arena_copy(a, c->read, places * 8)
				  : NULL;
		b->written = c->read ? (uint64_t *)ml_arena_copy(a, c->written,
								 places * 8)
				     : NULL;
		return;
	}
	memcpy(c->flags, b->flags, places);
	if (c->read) {
		memcpy(c->read, b->read, places * 8);
		memcpy(c->written, b->written, places * 8);
	}
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
