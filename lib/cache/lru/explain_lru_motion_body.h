/*
 * The part of explain_lru_body.h that moves lines between the inner caches and tells the
 * back of it; only that header includes it.
 */
#pragma once

/* A request for bytes of one line. */
struct request {
	uint64_t line, addr, size;
	uint32_t number; /* of the line */
	uint32_t access, owner, site;
	enum ml_access_kind kind;
	bool demand, first;          /* first: the first line of its access */
	struct explain_cache *inner; /* the first level that it asks */
	uint32_t time;               /* of the demand in that level's shadow */
	bool held;                   /* that shadow held the line */
	struct ml_explain_events *events;
};

/* The data that comes with a line into a cache. */
struct cargo {
	uint64_t read, written;
	uint32_t owner;
	bool write_first, prefetched;
};

/*
 * The compiler knows this of the machine when it compiles a loop. Functions take it by
 * value, and depths as constants, so the compiler leaves out code for parts that such a
 * machine does not have. Zero bytes are a machine of which it knows nothing.
 */
struct shape {
	bool simply; /* no prefetcher, no split first level */
	/* of the first level, which then has a power of two of sets and lines of at most
	 * 64 bytes; or 0 */
	unsigned lanes;
	/*
	 * Levels that the front simulates; or 0. The first two have powers of two of
	 * sets. If there are several, only the second one has a prefetcher, and it is not
	 * exclusive.
	 */
	unsigned inner;
};

#define ANY    ((struct shape){ .simply = false })
#define SIMPLE ((struct shape){ .simply = true })
/* One, two or three inner levels, by the lanes of the first one. */
#define ALONE(n) ((struct shape){ .simply = true, .lanes = (n), .inner = 1 })
#define PAIR(n)  ((struct shape){ .lanes = (n), .inner = 2 })
#define TRIO(n)  ((struct shape){ .lanes = (n), .inner = 3 })

INLINE struct explain_cache *cache_at(struct ml_explain_lru *x, const struct request *q,
				      unsigned depth, struct shape s)
{
	return depth || s.simply || s.inner ? &x->cache[depth] : q->inner;
}

/* Whether lines of this level may be there because of a prefetcher. */
INLINE bool may_prefetch(unsigned depth, struct shape s)
{
	return !s.simply && !(s.inner && depth == EXPLAIN_FIRST);
}

INLINE bool may_be_exclusive(unsigned depth, struct shape s)
{
	return !s.inner || depth > 1;
}

INLINE uint32_t set_of(const struct explain_cache *c, unsigned depth, uint64_t line,
		       struct shape s)
{
	return s.inner && depth < 2 ? (uint32_t)line & c->mask : explain_set(c, line);
}

INLINE unsigned inner_of(const struct ml_explain_lru *x, struct shape s)
{
	return s.inner ? s.inner : x->inner;
}

INLINE uint32_t *times_of(const struct explain_cache *c, unsigned depth, uint32_t set)
{
	return depth == EXPLAIN_FIRST ? c->times + (size_t)set * c->lanes
				      : explain_numbers(c, set) + c->lanes;
}

/* The place of a line in a cache, or EXPLAIN_NOWHERE. */
INLINE int64_t find(const struct explain_cache *c, unsigned depth, uint64_t line,
		    uint32_t number, uint32_t set)
{
	size_t first = (size_t)set * c->lanes;
	uint32_t m = depth == EXPLAIN_FIRST
			     ? find_line(c->lines + first, c->lanes, line + 1)
			     : find_number(explain_numbers(c, set), c->lanes, number);

	return m ? (int64_t)(first + (unsigned)__builtin_ctz(m)) : EXPLAIN_NOWHERE;
}

INLINE struct explain_event *add_event(struct ml_explain_events *l)
{
	if (l->count == l->cap)
		l->at = ml_grow(l->at, &l->cap, l->count + 1, sizeof(*l->at));
	return &l->at[l->count++];
}

/* Tells the back of a request that a depth served, or no inner level. */
INLINE void tell_request(const struct request *q, unsigned depth)
{
	struct explain_event *e = add_event(q->events);

	e->line = q->line;
	e->number = q->number;
	e->access = q->access;
	e->request = (uint8_t)(EXPLAIN_REQUEST | (q->demand ? EXPLAIN_DEMAND : 0) |
			       (q->held ? EXPLAIN_HELD : 0) |
			       (q->inner->level ? 0 : EXPLAIN_FETCH) |
			       EXPLAIN_KIND * q->kind);
	e->leave = 0;
	e->depth = (uint8_t)depth;
}

/* Tells the back of the line at a place, which leaves. */
INLINE void tell_leave(const struct request *q, const struct explain_cache *c, size_t at,
		       unsigned flags, struct shape s)
{
	const struct explain_note *n = &c->notes[at];
	bool fresh = !s.simply && explain_is_fresh(c, at);
	struct ml_explain_events *l = q->events;
	struct explain_event *e = l->count ? &l->at[l->count - 1] : NULL;

	if (!e || e->leave || e->access != q->access) {
		e = add_event(l);
		e->request = 0;
		e->access = q->access;
	}
	e->read = c->uses[at].read;
	e->written = c->uses[at].written;
	e->left = n->number;
	e->owner = n->owner;
	e->leave = (uint8_t)(EXPLAIN_LEAVE | flags | (fresh ? EXPLAIN_PREFETCHED : 0) |
			     (n->write_first ? EXPLAIN_WRITE_FIRST : 0));
	e->level = (uint8_t)c->level;
	if (!s.simply)
		c->counts->useless += fresh;
}

/*
 * Adds the use of the line at a place, and its first use, to the copy further out. If
 * data are written back they pass by the levels without a copy. Returns false if no inner
 * level has a copy, but there are outer levels.
 */
INLINE bool inform(struct ml_explain_lru *x, const struct explain_cache *c,
		   unsigned depth, size_t at, bool writes_back, struct shape s)
{
	const struct explain_note *n = &c->notes[at];
	const unsigned inner = inner_of(x, s);

	if (depth + 1 >= inner)
		return inner == x->levels;
	uint64_t line = depth == EXPLAIN_FIRST ? c->lines[at] - 1
					       : ml_line_book_line(&x->book, n->number);
	UNROLL
	for (unsigned out = depth + 1; out < inner; out++) {
		struct explain_cache *outer = &x->cache[out];
		int64_t to = find(outer, out, line, n->number,
				  set_of(outer, out, line, s));

		if (to == EXPLAIN_NOWHERE) {
			outer->counts->past_bytes += writes_back ? x->within + 1 : 0;
			continue;
		}
		outer->uses[to].read |= c->uses[at].read;
		outer->uses[to].written |= c->uses[at].written;
		if (!s.simply && explain_is_fresh(outer, (size_t)to) &&
		    !explain_is_fresh(c, at)) {
			explain_set_fresh(outer, (size_t)to, false);
			outer->counts->useful++;
		}
		return true;
	}
	return inner == x->levels;
}

/* Empties a place, whose line has been reported. */
INLINE void drop(struct explain_cache *c, uint32_t set, size_t at)
{
	size_t lane = at - (size_t)set * c->lanes;
	struct explain_note *n = &c->notes[at];

	if (c->depth == EXPLAIN_FIRST) {
		if (!explain_is_fresh(c, at))
			ml_first_shadow_leave(&c->first, n->number, c->times[at]);
		c->lines[at] = 0;
		c->times[at] = 0;
	} else {
		explain_numbers(c, set)[lane] = 0;
		explain_times(c, set)[lane] = 0;
	}
	explain_set_fresh(c, at, false);
	*n = (struct explain_note){ 0 };
	c->uses[at] = (struct explain_use){ 0 };
}

/* A copy of a line in a cache within an inclusive one. */
struct inner_copy {
	struct explain_cache *cache;
	int64_t at;
	uint32_t set;
	bool dirty;
};

INLINE struct inner_copy copy_in(struct explain_cache *c, uint64_t line, uint32_t number)
{
	uint32_t set = explain_set(c, line);
	int64_t at = find(c, c->depth, line, number, set);

	return (struct inner_copy){ c, at, set,
				    at != EXPLAIN_NOWHERE && c->uses[at].written };
}

/*
 * Takes a line that an inclusive cache evicts from all caches within. Which of them are
 * dirty is decided before any passes its use on.
 */
OUTLINE void take_within(struct ml_explain_lru *x, const struct request *q,
			 unsigned depth, uint64_t line, uint32_t number)
{
	struct inner_copy copies[ML_LEVELS + 1];
	unsigned count = 0, carried = 0; /* dirty copies on their way outwards */

	copies[count++] = copy_in(&x->cache[0], line, number);
	if (x->split)
		copies[count++] = copy_in(&x->icache, line, number);
	for (unsigned in = 1; in < depth; in++)
		copies[count++] = copy_in(&x->cache[in], line, number);
	for (unsigned i = 0; i < count; i++) {
		struct explain_cache *c = copies[i].cache;
		size_t at = (size_t)copies[i].at;

		if (!c->depth)
			carried += copies[i].dirty;
		else if (copies[i].dirty)
			carried = 1;
		else
			c->counts->past_bytes += carried * (x->within + 1);
		if (copies[i].at == EXPLAIN_NOWHERE)
			continue;
		c->counts->invalidations++;
		c->counts->write_backs += copies[i].dirty;
		c->counts->taken += copies[i].dirty;
		inform(x, c, c->depth, at, false,
		       ANY); /* the evicting cache has a copy */
		tell_leave(q, c, at,
			   EXPLAIN_EVICTED | (copies[i].dirty ? EXPLAIN_DIRTY : 0), ANY);
		drop(c, copies[i].set, at);
	}
}

OUTLINE void move_out(struct ml_explain_lru *x, const struct request *q,
		      struct explain_cache *c, uint32_t number,
		      const struct cargo *cargo);

/* Evicts the line at a place, which a line of q takes next. */
INLINE void evict(struct ml_explain_lru *x, const struct request *q,
		  struct explain_cache *c, unsigned depth, size_t at, struct shape s)
{
	struct explain_note *n = &c->notes[at];
	struct explain_use *u = &c->uses[at];
	struct explain_cache *outer = depth + 1 < inner_of(x, s) &&
						      may_be_exclusive(depth + 1, s)
					      ? &x->cache[depth + 1]
					      : NULL;
	bool moves = outer && outer->exclusive;
	unsigned flags = EXPLAIN_EVICTED;

	c->counts->evictions++;
	if (s.inner != 1 && depth != EXPLAIN_FIRST && c->inclusive)
		take_within(x, q, depth, ml_line_book_line(&x->book, n->number),
			    n->number);
	c->counts->write_backs += u->written != 0;
	flags |= u->written ? EXPLAIN_DIRTY : 0;
	if (!moves && !inform(x, c, depth, at, u->written, s))
		flags |= EXPLAIN_TO_OUTER | (u->written ? EXPLAIN_WRITES_BACK : 0);
	tell_leave(q, c, at, flags, s);
	if (depth == EXPLAIN_FIRST &&
	    (!may_prefetch(depth, s) || !explain_is_fresh(c, at)))
		ml_first_shadow_leave(&c->first, n->number, c->times[at]);
	if (moves) {
		struct cargo cargo = { u->read, u->written, n->owner, n->write_first,
				       explain_is_fresh(c, at) };

		move_out(x, q, outer, n->number, &cargo);
	}
}

/* Brings a line into a cache that does not hold it. */
INLINE size_t fill(struct ml_explain_lru *x, const struct request *q,
		   struct explain_cache *c, unsigned depth, uint64_t line,
		   uint32_t number, const struct cargo *cargo, struct shape s)
{
	uint32_t set = set_of(c, depth, line, s);
	uint32_t *times = times_of(c, depth, set);
	unsigned lane = oldest(times, c->lanes);
	size_t at = (size_t)set * c->lanes + lane;

	if (times[lane])
		evict(x, q, c, depth, at, s);
	if (depth == EXPLAIN_FIRST) {
		c->lines[at] = line + 1;
		times[lane] = q->demand ? q->time : ml_first_shadow_tick(&c->first);
	} else {
		explain_numbers(c, set)[lane] = number;
		if (c->clock == UINT32_MAX - 1)
			ml_explain_lru_renumber(c);
		times[lane] = ++c->clock;
	}
	c->uses[at] = (struct explain_use){ cargo->read, cargo->written };
	c->notes[at] = (struct explain_note){
		.since = (x->accesses + q->access) & (UINT64_MAX >> 1),
		.write_first = cargo->write_first,
		.owner = cargo->owner,
		.number = number,
	};
	if (!s.simply)
		explain_set_fresh(c, at, cargo->prefetched);
	c->counts->fills++;
	if (!s.simply)
		c->counts->prefetched += cargo->prefetched;
	return at;
}

OUTLINE void move_out(struct ml_explain_lru *x, const struct request *q,
		      struct explain_cache *c, uint32_t number, const struct cargo *cargo)
{
	uint64_t line = ml_line_book_line(&x->book, number);
	int64_t at = find(c, c->depth, line, number, explain_set(c, line));

	if (at == EXPLAIN_NOWHERE) {
		fill(x, q, c, c->depth, line, number, cargo, ANY);
		return;
	}
	if (!cargo->prefetched && explain_is_fresh(c, (size_t)at)) {
		explain_set_fresh(c, (size_t)at, false);
		c->counts->useful++;
	}
	c->uses[at].read |= cargo->read;
	c->uses[at].written |= cargo->written;
}
