/*
 * The back of the LRU simulator that explains (explain_lru_parts.h); only
 * explain_lru_body.h includes it, so it is compiled for each instruction set.
 */
#pragma once

/*
 * Events are looked at up to three times before their turn: FAR ahead their rows and
 * records are fetched; NEAR ahead the lines that they evict are found, and what these
 * need; COPIES ahead what is known of copies further out.
 */
enum { MANY = 1 << 15 }; /* lines; what is known of more does not fit a host's L2 */
enum { EVENTS = 64, FAR = 16, NEAR = 9, COPIES = 4 };

/* The back of one run. Numbers of levels are constants where the compiler knows them. */
struct back {
	struct ml_explain_lru *x;
	const struct ml_accesses *a;
	uint16_t *outcome;
	unsigned inner, levels;
	bool observed;   /* somebody observes misses or leaving lines one by one */
	bool prefetches; /* an inner level has a prefetcher */
	uint64_t far;    /* requests that reached a level of many lines */
};

/* A request that reaches outer levels. */
struct order {
	uint64_t line;
	uint32_t number, access, owner;
	enum ml_access_kind kind;
	bool demand;
};

INLINE uint32_t owner_of(const struct back *b, uint32_t access)
{
	return b->a->owner ? b->a->owner[access] : ML_NO_OWNER;
}

INLINE enum ml_cause cause_of(const struct ml_explain_lru *x,
			      enum ml_shadow_answer answer)
{
	switch (answer) {
	case ML_SHADOW_NEW: return x->gap ? ML_CAUSE_UNKNOWN : ML_CAUSE_COLD;
	case ML_SHADOW_HAS: return ML_CAUSE_CONFLICT;
	case ML_SHADOW_GONE: break;
	}
	return ML_CAUSE_CAPACITY;
}

INLINE uint32_t back_set(const struct explain_cache *c, uint64_t line)
{
	return __builtin_expect(c->modulo, 0) ? (uint32_t)(line % c->sets)
					      : (uint32_t)line & c->mask;
}

INLINE void report_leave(const struct back *b, const struct ml_leave *l, uint64_t line)
{
	struct ml_explain_lru *x = b->x;

	if (!b->observed || x->sums)
		ml_event_sums_leave(x->sums, l);
	if (b->observed && x->observer.leave) {
		struct ml_leave told = *l;

		told.line = line << x->bits;
		x->observer.leave(x->observer.arg, &told);
	}
}

/* A cache missed a demand. */
INLINE enum ml_cause missed(const struct back *b, const struct order *o,
			    const struct explain_cache *c, enum ml_shadow_answer answer,
			    const uint8_t *record)
{
	struct ml_explain_lru *x = b->x;
	enum ml_cause cause = cause_of(x, answer);
	uint32_t set = back_set(c, o->line);
	uint32_t evictor = ml_line_evictor(c->records, record, c->evictor);

	c->back_counts->missed[o->kind]++;
	c->back_counts->cause[cause]++;
	if (!b->observed || x->sums)
		ml_event_sums_miss(x->sums, c->level, set, cause, o->owner, evictor);
	if (b->observed && x->observer.miss) {
		struct ml_miss m = {
			.level = c->level,
			.access = o->access,
			.set = set,
			.line = o->line << x->bits,
			.kind = o->kind,
			.cause = cause,
			.owner = o->owner,
			.evictor = evictor,
		};

		x->observer.miss(x->observer.arg, &m);
	}
	return cause;
}

/* Adds the use of a line that leaves to its copy in an outer level. */
INLINE void inform_outer(const struct back *b, unsigned from, uint32_t number,
			 uint64_t line, const struct ml_leave *l)
{
	UNROLL
	for (unsigned out = from; out < b->levels; out++) {
		struct explain_cache *c = &b->x->cache[out];
		uint32_t set = back_set(c, line);
		uint32_t m = find_number(explain_numbers(c, set), c->lanes, number);

		if (!m) {
			c->back_counts->past_bytes += l->dirty ? b->x->within + 1 : 0;
			continue;
		}
		size_t at = (size_t)set * c->lanes + (unsigned)__builtin_ctz(m);
		c->uses[at].read |= l->read;
		c->uses[at].written |= l->written;
		if (b->prefetches && l->asked && explain_is_fresh(c, at)) {
			explain_set_fresh(c, at, false);
			c->back_counts->useful++;
		}
		return;
	}
}

/* Evicts the line at a place of an outer level. */
INLINE void evict_outer(const struct back *b, const struct order *o,
			struct explain_cache *c, unsigned depth, uint32_t set, size_t at)
{
	struct ml_explain_lru *x = b->x;
	const struct explain_note *n = &c->notes[at];
	const struct explain_use *u = &c->uses[at];
	bool fresh = b->prefetches && explain_is_fresh(c, at);
	uint64_t line = depth + 1 < b->levels || b->observed
				? explain_line_of(x, n->number)
				: 0;
	struct ml_leave l = {
		.level = c->level,
		.set = set,
		.owner = n->owner,
		.dirty = u->written,
		.asked = !fresh,
		.write_first = n->write_first,
		.read = u->read,
		.written = u->written,
	};

	c->back_counts->evictions++;
	c->back_counts->write_backs += l.dirty;
	c->back_counts->useless += fresh;
	ml_line_set_evictor(&x->records, ml_line_record(&x->records, n->number),
			    c->evictor, o->owner);
	inform_outer(b, depth + 1, n->number, line, &l);
	report_leave(b, &l, line);
}

INLINE uint32_t next_time(struct explain_cache *c)
{
	if (__builtin_expect(c->clock == UINT32_MAX - 1, 0))
		ml_explain_lru_renumber(c);
	return ++c->clock;
}

INLINE void fill_outer(const struct back *b, const struct order *o,
		       struct explain_cache *c, unsigned depth)
{
	uint32_t set = back_set(c, o->line), *numbers = explain_numbers(c, set),
		 *times = numbers + c->lanes;
	unsigned lane = oldest(times, c->lanes);
	size_t at = (size_t)set * c->lanes + lane;

	if (times[lane])
		evict_outer(b, o, c, depth, set, at);
	numbers[lane] = o->number;
	times[lane] = next_time(c);
	c->uses[at] = (struct explain_use){ 0 };
	c->notes[at] = (struct explain_note){
		.since = (b->x->back_accesses + o->access) & (UINT64_MAX >> 1),
		.write_first = o->demand && o->kind == ML_ACCESS_WRITE,
		.owner = o->owner,
		.number = o->number,
	};
	if (b->prefetches)
		explain_set_fresh(c, at, !o->demand);
	c->back_counts->fills++;
	c->back_counts->prefetched += !o->demand;
}

/* A request that no inner level serves. Returns its outcome, added to what is known. */
INLINE uint16_t serve_outer(struct back *b, const struct order *o, uint8_t *record,
			    uint16_t outcome)
{
	unsigned served = b->levels;

	UNROLL
	for (unsigned to = b->inner; to < b->levels; to++) {
		struct explain_cache *c = &b->x->cache[to];
		uint32_t set = back_set(c, o->line), *numbers = explain_numbers(c, set);
		uint32_t m = find_number(numbers, c->lanes, o->number);
		size_t at = (size_t)set * c->lanes + (m ? (unsigned)__builtin_ctz(m) : 0);

		b->far += c->sets * c->lanes > MANY;
		if (o->demand) {
			enum ml_shadow_answer answer = ml_shadow_ask(&c->shadow,
								     o->number, record);

			c->back_counts->asked[o->kind]++;
			if (!m)
				outcome = ml_outcome_with(
					outcome, to + 1, missed(b, o, c, answer, record));
		}
		if (!m)
			continue;
		if (b->prefetches && o->demand && explain_is_fresh(c, at)) {
			explain_set_fresh(c, at, false);
			c->back_counts->useful++;
		}
		numbers[c->lanes + (unsigned)__builtin_ctz(m)] = next_time(c);
		served = to;
		break;
	}
	UNROLL
	for (unsigned to = b->levels; to-- > b->inner;)
		if (to < served)
			fill_outer(b, o, &b->x->cache[to], to);
	return (uint16_t)(outcome | (served + 1));
}

/* The first level was asked by a demand; the front knows what its shadow holds. */
INLINE uint16_t ask_first_back(const struct back *b, const struct order *o,
			       const struct explain_event *e, uint8_t *record)
{
	struct ml_explain_lru *x = b->x;
	struct explain_cache *c = &x->cache[0];

	if (e->request & EXPLAIN_FETCH) {
		c = &x->icache;
		ml_line_records_reach(c->records, o->number);
		record = ml_line_record(c->records, o->number);
	}
	enum ml_shadow_answer answer = ML_SHADOW_HAS;
	if (!(e->request & EXPLAIN_HELD)) {
		uint32_t stored = ml_line_time(record, 0);

		answer = stored & ML_SHADOW_SEEN ? ML_SHADOW_GONE : ML_SHADOW_NEW;
		if (answer == ML_SHADOW_NEW)
			ml_line_set_time(record, 0, stored | ML_SHADOW_SEEN);
	}
	c->back_counts->asked[o->kind]++;
	if (!e->depth)
		return 0;
	return ml_outcome_with(0, 1, missed(b, o, c, answer, record));
}

INLINE void take_request(struct back *b, const struct explain_event *e)
{
	struct ml_explain_lru *x = b->x;
	struct order o = {
		.line = e->line,
		.number = e->number,
		.access = e->access,
		.owner = owner_of(b, e->access),
		.kind = (enum ml_access_kind)(e->request / EXPLAIN_KIND),
		.demand = e->request & EXPLAIN_DEMAND,
	};
	uint16_t outcome = 0;

	if (e->number >> ML_LINE_CHUNK_BITS >= x->records.chunks)
		ml_explain_lru_reach(x, e->number);
	x->page_of[e->number >> ML_LINE_PAGE_BITS] = e->line >> ML_LINE_PAGE_BITS;
	uint8_t *record = ml_line_record(&x->records, e->number);
	if (o.demand)
		outcome = ask_first_back(b, &o, e, record);
	for (unsigned to = 1; o.demand && to <= e->depth && to < b->inner; to++) {
		struct explain_cache *c = &x->cache[to];
		enum ml_shadow_answer answer = ml_shadow_ask(&c->shadow, o.number,
							     record);

		c->back_counts->asked[o.kind]++;
		if (to < e->depth)
			outcome = ml_outcome_with(outcome, to + 1,
						  missed(b, &o, c, answer, record));
	}
	outcome = e->depth < b->inner ? (uint16_t)(outcome | (e->depth + 1))
				      : serve_outer(b, &o, record, outcome);
	if (o.demand &&
	    ml_outcome_served(outcome) > ml_outcome_served(b->outcome[e->access]))
		b->outcome[e->access] = outcome;
}

INLINE void take_leave(struct back *b, const struct explain_event *e)
{
	struct ml_explain_lru *x = b->x;
	struct explain_cache *c = e->level ? &x->cache[e->level - 1] : &x->icache;
	uint64_t line = explain_line_of(x, e->left);
	struct ml_leave l = {
		.level = e->level,
		.set = back_set(c, line),
		.owner = e->owner,
		.dirty = e->leave & EXPLAIN_WRITES_BACK,
		.asked = !(e->leave & EXPLAIN_PREFETCHED),
		.write_first = e->leave & EXPLAIN_WRITE_FIRST,
		.read = e->read,
		.written = e->written,
	};

	if (e->leave & EXPLAIN_EVICTED)
		ml_line_set_evictor(c->records, ml_line_record(c->records, e->left),
				    c->evictor, owner_of(b, e->access));
	if (e->leave & EXPLAIN_TO_OUTER)
		inform_outer(b, b->inner, e->left, line, &l);
	l.dirty = e->leave & EXPLAIN_DIRTY;
	report_leave(b, &l, line);
}

INLINE void fetch_row_of(const struct explain_cache *c, uint64_t line)
{
	const uint32_t *row = explain_numbers(c, back_set(c, line));

	__builtin_prefetch(row);
	__builtin_prefetch(row + 16);
}

INLINE void fetch_record(const struct ml_explain_lru *x, uint32_t number)
{
	if (number >> ML_LINE_CHUNK_BITS < x->records.chunks)
		__builtin_prefetch(ml_line_record(&x->records, number));
}

/* Fetches the sums of the levels that missed a line. The first one has few sets. */
INLINE void fetch_sums(const struct back *b, const struct explain_event *e)
{
	UNROLL
	for (unsigned to = 1; to < b->levels; to++)
		if (to < e->depth || e->depth == b->inner)
			ml_event_sums_fetch(b->x->sums, to + 1,
					    back_set(&b->x->cache[to], e->line));
}

INLINE void look_far_back(const struct back *b, const struct explain_event *e)
{
	const struct ml_explain_lru *x = b->x;

	if (e->request) {
		fetch_record(x, e->number);
		if (e->request & EXPLAIN_DEMAND && e->depth > 1 && x->sums)
			fetch_sums(b, e);
		if (e->depth == b->inner && b->inner < b->levels)
			fetch_row_of(&x->cache[b->inner], e->line);
	}
	if (e->leave) {
		fetch_record(x, e->left);
		if (e->leave & EXPLAIN_TO_OUTER &&
		    e->left >> ML_LINE_CHUNK_BITS < x->records.chunks)
			fetch_row_of(&x->cache[b->inner], explain_line_of(x, e->left));
	}
}

/* Fetches what is known of a line in the first outer level that has it. */
INLINE void fetch_copy(const struct back *b, unsigned from, uint32_t number,
		       uint64_t line)
{
	UNROLL
	for (unsigned to = from; to < b->levels; to++) {
		const struct explain_cache *c = &b->x->cache[to];
		uint32_t set = back_set(c, line);
		uint32_t m = find_number(explain_numbers(c, set), c->lanes, number);
		size_t at = (size_t)set * c->lanes + (m ? (unsigned)__builtin_ctz(m) : 0);

		if (!m)
			continue;
		__builtin_prefetch(&c->uses[at]);
		return;
	}
}

/*
 * Fetches what the line needs that a request will likely evict from each outer level, and
 * notes which it is.
 */
INLINE void look_near_back(const struct back *b, const struct explain_event *e,
			   uint32_t victim_of[ML_LEVELS])
{
	const struct ml_explain_lru *x = b->x;

	UNROLL
	for (unsigned to = b->inner; to < b->levels; to++)
		victim_of[to] = 0;
	if (!e->request || e->depth != b->inner)
		return;
	UNROLL
	for (unsigned to = b->inner; to < b->levels; to++) {
		const struct explain_cache *c = &x->cache[to];
		uint32_t set = back_set(c, e->line);
		const uint32_t *numbers = explain_numbers(c, set);
		uint32_t m = find_number(numbers, c->lanes, e->number);

		if (e->number >> ML_LINE_CHUNK_BITS < x->records.chunks)
			ml_shadow_fetch(&c->shadow,
					ml_line_record(&x->records, e->number));
		if (m)
			break;
		unsigned lane = oldest(numbers + c->lanes, c->lanes);
		uint32_t victim = numbers[lane];

		__builtin_prefetch(&c->uses[(size_t)set * c->lanes + lane]);
		__builtin_prefetch(&c->notes[(size_t)set * c->lanes + lane]);
		victim_of[to] = victim;
		if (!victim)
			continue;
		fetch_record(x, victim);
		if (to + 1 < b->levels) {
			fetch_row_of(&x->cache[to + 1], e->line);
			fetch_row_of(&x->cache[to + 1], explain_line_of(x, victim));
		}
	}
}

/* Fetches what is known of the copies further out of lines that will leave. */
INLINE void look_at_copies_back(const struct back *b, const struct explain_event *e,
				const uint32_t victim_of[ML_LEVELS])
{
	const struct ml_explain_lru *x = b->x;

	if (e->leave & EXPLAIN_TO_OUTER &&
	    e->left >> ML_LINE_CHUNK_BITS < x->records.chunks)
		fetch_copy(b, b->inner, e->left, explain_line_of(x, e->left));
	UNROLL
	for (unsigned to = b->inner; to + 1 < b->levels; to++)
		if (victim_of[to])
			fetch_copy(b, to + 1, victim_of[to],
				   explain_line_of(x, victim_of[to]));
}

INLINE void take_events(struct ml_explain_lru *x, const struct ml_accesses *a,
			const struct ml_explain_events *events, uint16_t *outcome,
			unsigned inner, unsigned levels, bool observed, bool prefetches)
{
	if (inner > levels || levels > ML_LEVELS)
		__builtin_unreachable(); /* lets the compiler bound its loops */
	struct back b = { x, a, outcome, inner, levels, observed, prefetches, 0 };
	uint32_t victims[NEAR][ML_LEVELS] = { 0 }; /* of the next events */
	const struct explain_event *at = events->at;
	size_t count = events->count;
	bool near = x->back_far;

	for (size_t i = 0; i < count && i < FAR; i++)
		look_far_back(&b, &at[i]);
	for (size_t i = 0; i < count; i++) {
		__builtin_prefetch(&at[i + EVENTS]); /* from the core of the front */
		if (i + FAR < count)
			look_far_back(&b, &at[i + FAR]);
		if (near && i + NEAR < count)
			look_near_back(&b, &at[i + NEAR], victims[i % NEAR]);
		if (near && i + COPIES < count)
			look_at_copies_back(&b, &at[i + COPIES],
					    victims[(i + COPIES) % NEAR]);
		if (at[i].request)
			take_request(&b, &at[i]);
		if (at[i].leave)
			take_leave(&b, &at[i]);
	}
	x->back_far = b.far > count / FEW;
}

TARGET static void back(struct ml_explain_lru *x, const struct ml_accesses *a,
			const struct ml_explain_events *events, uint16_t *outcome)
{
	bool observed = !x->sums || x->observer.miss || x->observer.leave;

	if (!observed && !x->prefetches && x->inner == 1 && x->levels == 3)
		take_events(x, a, events, outcome, 1, 3, false, false);
	else if (!observed && x->inner == 2 && x->levels == 3)
		take_events(x, a, events, outcome, 2, 3, false, x->prefetches);
	else
		take_events(x, a, events, outcome, x->inner, x->levels, observed,
			    x->prefetches);
}
