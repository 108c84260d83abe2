#include "lib/cache/exact/motion.h"

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
		.way = ml_cache_way(p.cache, set, p.at),
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

		if (at == ML_NOWHERE) {
			c->counts->past_bytes += size;
			continue;
		}
		if (!c->spec->write_through) {
			c->flags[at] |= ML_DIRTY;
			break;
		}
		c->counts->through++;
		c->counts->through_bytes += size;
	}
	return depth + 1;
}

void ml_motion_pass(struct ml_sim *s, struct ml_sim_place p, unsigned depth)
{
	uint64_t addr = ml_cache_addr(p.cache, p.at);

	for (unsigned out = ml_cache_depth(p.cache) + 1; out < depth; out++) {
		struct ml_cache *c = ml_sim_cache(s, ml_cache_core(p.cache), out);
		size_t at = ml_cache_find(c, addr >> c->bits);

		if (at != ML_NOWHERE && c->flags[at] & ML_DIRTY)
			return;
		c->counts->past_bytes += p.cache->spec->line;
	}
}

void ml_motion_inform(struct ml_sim *s, struct ml_sim_place p)
{
	const struct ml_cache *c = p.cache;
	uint64_t addr = ml_cache_addr(c, p.at);

	for (unsigned depth = ml_cache_depth(c) + 1; depth < s->levels; depth++) {
		struct ml_cache *outer = ml_sim_cache(s, ml_cache_core(c), depth);
		size_t at = ml_cache_find(outer, addr >> outer->bits);

		if (at == ML_NOWHERE)
			continue;
		if (c->use) {
			const struct ml_cache_note *n = &c->notes[p.at];
			struct ml_cache_note *to = &outer->notes[at];

			to->read |= ml_cache_widen(c, outer, addr, n->read);
			to->written |= ml_cache_widen(c, outer, addr, n->written);
		}
		if (!(c->flags[p.at] & ML_PREFETCHED) &&
		    outer->flags[at] & ML_PREFETCHED) {
			outer->flags[at] &= (uint8_t)~ML_PREFETCHED;
			outer->counts->useful++;
		}
		return;
	}
}

/* Counts a line that leaves, and informs the copy further out and the observer. */
static void tell(struct ml_sim *s, struct ml_sim_place p, bool inform)
{
	p.cache->counts->useless += (p.cache->flags[p.at] & ML_PREFETCHED) != 0;
	if (inform && s->inform)
		ml_motion_inform(s, p);
	ml_motion_tell(s, p);
}

void ml_motion_leave(struct ml_sim *s, struct ml_sim_place p, bool inform)
{
	tell(s, p, inform);
	ml_cache_drop(p.cache, p.at);
}

bool ml_motion_take(struct ml_sim *s, const struct ml_request *q, struct ml_sim_place p,
		    uint32_t evictor)
{
	struct ml_cache *c = p.cache;
	bool dirty = c->flags[p.at] & ML_DIRTY;

	c->counts->invalidations++;
	c->counts->write_backs += dirty;
	c->counts->taken += dirty;
	ml_motion_set_evictor(p, evictor);
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
					struct ml_sim_place at = {
						in, ml_cache_find(in, line)
					};

					if (at.at == ML_NOWHERE)
						continue;
					if (in->flags[at.at] & ML_DIRTY)
						ml_motion_pass(s, at, ml_cache_depth(c));
					dirty |= ml_motion_take(s, q, at, q->owner);
				}
				core = (in->instance + 1) * in->spec->share;
			}
	return dirty;
}

/* A dirty line came into a write-through cache, which passes the data on at once. */
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
	if (!cargo->prefetched && c->flags[at] & ML_PREFETCHED) {
		c->flags[at] &= (uint8_t)~ML_PREFETCHED;
		c->counts->useful++;
	}
	if (c->use) {
		c->notes[at].read |= cargo->read;
		c->notes[at].written |= cargo->written;
	}
}

void ml_motion_evict(struct ml_sim *s, const struct ml_request *q, struct ml_sim_place p)
{
	struct ml_cache *c = p.cache;
	unsigned core = ml_cache_core(c), depth = ml_cache_depth(c);
	struct ml_cache *outer = depth + 1 < s->levels ? ml_sim_cache(s, core, depth + 1)
						       : NULL;
	bool moves = outer && outer->spec->inclusion == ML_EXCLUSIVE;

	c->counts->evictions++;
	ml_motion_set_evictor(p, q->owner);
	if (c->spec->inclusion == ML_INCLUSIVE && take_within(s, q, p))
		c->flags[p.at] |= ML_DIRTY;
	struct ml_leave l = ml_motion_leaving(p);
	unsigned to = moves ? depth + 2 : c->level;
	c->counts->write_backs += l.dirty;
	if (l.dirty && !moves)
		to = ml_motion_carry(s, core, depth + 1, l.line, c->spec->line);
	ml_motion_note(s, q, l.dirty ? ML_MOVE_WRITE_BACK : ML_MOVE_EVICT, p, c->level,
		       to, q->core);
	tell(s, p, !moves);
	if (moves) {
		struct ml_cargo cargo = {
			.from = c->level,
			.dirty = l.dirty,
			.prefetched = !l.asked,
			.write_first = l.write_first,
			.owner = l.owner,
			.read = l.read,
			.written = l.written,
		};

		move_out(s, q, outer, l.line, &cargo);
	}
}

size_t ml_motion_fill(struct ml_sim *s, const struct ml_request *q, struct ml_cache *c,
		      uint64_t addr, const struct ml_cargo *cargo)
{
	uint64_t line = addr >> c->bits;
	struct ml_sim_place p = { c, ml_cache_room(c, line) };

	ml_motion_fill_at(s, q, p, line, cargo, false);
	c->counts->prefetched += cargo->prefetched;
	ml_motion_note(s, q, q->demand ? ML_MOVE_FILL : ML_MOVE_PREFETCH, p, cargo->from,
		       c->level, q->core);
	if (cargo->dirty && c->spec->write_through)
		pass_on(s, p);
	return p.at;
}
