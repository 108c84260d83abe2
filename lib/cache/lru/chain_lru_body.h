/*
 * The loops of the simulator for plain machines (chain_lru.h), once for all instruction
 * sets. A file that includes this header has included explain_lru_body.h and defined what
 * that one asks for: find_line, find_number, oldest. It has also defined find_below: the
 * lanes of a row of eight numbers that are lower than a bound, which is not 0.
 */
#pragma once

#include "lib/cache/lru/chain_lru_parts.h"

/* Events by which the loops look ahead: for rows and records, and for evicted lines. */
enum { CHAIN_FAR = 16, CHAIN_NEAR = 7 };

INLINE uint64_t chain_bytes(uint64_t offset, uint64_t size)
{
	return UINT64_MAX >> (64 - size) << offset;
}

/* The time of a ghost, which is none any more; or 0. */
INLINE uint32_t take_ghost(struct chain_ghosts *g, uint64_t line, uint32_t begin)
{
	size_t first = (size_t)chain_ghost_bucket(g, line) * CHAIN_FIRST_LANES;
	uint32_t m = find_line(g->lines + first, CHAIN_FIRST_LANES, line + 1);

	if (!m)
		return 0;
	size_t at = first + (unsigned)__builtin_ctz(m);
	uint32_t time = g->times[at];

	g->lines[at] = 0;
	g->times[at] = 0;
	return time >= begin ? time : 0;
}

INLINE void add_ghost(struct chain_first *f, uint64_t line, uint32_t time)
{
	for (;;) {
		struct chain_ghosts *g = &f->ghosts;
		size_t first = (size_t)chain_ghost_bucket(g, line) * CHAIN_FIRST_LANES;
		uint32_t dead = find_below(g->times + first, f->begin);

		if (__builtin_expect(dead, 1)) {
			size_t at = first + (unsigned)__builtin_ctz(dead);

			g->lines[at] = line + 1;
			g->times[at] = time;
			return;
		}
		ml_chain_ghosts_widen(f);
	}
}

/* The shadow has taken a line that it did not hold. */
INLINE void chain_first_drop(struct chain_first *f)
{
	if (f->listed < f->held) {
		f->listed++;
		return;
	}
	while (!f->live[f->begin])
		f->begin++;
	f->live[f->begin++] = 0;
}

/* The first level misses bytes of a line, and gets it. */
INLINE void miss_first(struct chain_first *f, uint64_t line, uint64_t bytes,
		       unsigned kind, size_t access, struct chain_list *out)
{
	size_t first = (size_t)(line & f->mask) * CHAIN_FIRST_LANES;
	size_t at = first + oldest(f->times + first, CHAIN_FIRST_LANES);
	uint32_t old = f->times[at];
	uint32_t last = take_ghost(&f->ghosts, line, f->begin), now = ++f->clock;
	struct chain_event *e = &out->at[out->count++];

	f->live[now] = 1;
	if (last)
		f->live[last] = 0;
	else
		chain_first_drop(f);
	e->line = line;
	e->read = f->uses[at].read;
	e->written = f->uses[at].written;
	e->left = 0;
	e->access = (uint32_t)access;
	e->at = (uint32_t)at;
	e->kind = (uint8_t)kind;
	e->flags = (uint8_t)((last ? CHAIN_HELD : 0) | (old ? CHAIN_LEAVES : 0));
	if (old >= f->begin)
		add_ghost(f, f->lines[at] - 1, old);
	f->lines[at] = line + 1;
	f->times[at] = now;
	f->uses[at].read = kind == ML_ACCESS_WRITE ? 0 : bytes;
	f->uses[at].written = kind == ML_ACCESS_WRITE ? bytes : 0;
}

/* The first level holds a line at a place, of which some bytes are used. */
INLINE void hit_first(struct chain_first *f, size_t at, uint64_t bytes, unsigned kind)
{
	uint32_t last = f->times[at];

	*(kind == ML_ACCESS_WRITE ? &f->uses[at].written : &f->uses[at].read) |= bytes;
	if (last == f->clock)
		return;
	f->live[++f->clock] = 1;
	f->times[at] = f->clock;
	if (last >= f->begin)
		f->live[last] = 0;
	else
		chain_first_drop(f);
}

/* One access, whatever it is like. */
OUTLINE void access_first(struct chain_first *f, unsigned bits,
			  const struct ml_accesses *a, size_t i, struct chain_list *out)
{
	struct access z = access_at(a, i);

	for (uint64_t line = z.addr >> bits; line <= z.last >> bits; line++) {
		uint64_t from = line == z.addr >> bits ? z.addr : line << bits;
		uint64_t to = line == z.last >> bits ? z.last : ((line + 1) << bits) - 1;
		uint64_t bytes = chain_bytes(from - (line << bits), to - from + 1);
		size_t first = (size_t)(line & f->mask) * CHAIN_FIRST_LANES;
		uint32_t m = find_line(f->lines + first, CHAIN_FIRST_LANES, line + 1);

		if (f->room - f->clock <= 1)
			ml_chain_first_renumber(f);
		chain_reserve(out, a->count - i);
		f->asked[z.kind] += line > z.addr >> bits;
		if (m)
			hit_first(f, first + (unsigned)__builtin_ctz(m), bytes, z.kind);
		else
			miss_first(f, line, bytes, z.kind, i, out);
	}
}

/* Adds all requests of a run to those of their kinds. */
INLINE void count_kinds(const uint16_t *restrict whats, size_t count, uint64_t asked[3])
{
	uint32_t writes = 0, fetches = 0;

	for (size_t i = 0; i < count; i++) {
		writes += whats[i] >> 14 == ML_ACCESS_WRITE;
		fetches += whats[i] >> 14 == ML_ACCESS_FETCH;
	}
	asked[ML_ACCESS_READ] += count - writes - fetches;
	asked[ML_ACCESS_WRITE] += writes;
	asked[ML_ACCESS_FETCH] += fetches;
}

TARGET static void chain_front(struct chain_first *f, unsigned bits,
			       const struct ml_accesses *a, struct chain_list *out)
{
	const uint64_t *restrict addrs = a->addr;
	const uint16_t *restrict whats = a->what;
	const uint64_t within = ((uint64_t)1 << bits) - 1;
	const uint64_t *restrict lines = f->lines;
	uint32_t *restrict times = f->times;
	struct chain_use *restrict uses = f->uses;
	uint8_t *restrict live = f->live;
	const uint32_t mask = f->mask, room = f->room;
	uint32_t clock = f->clock, begin = f->begin;
	size_t count = a->count;

	out->count = 0;
	chain_reserve(out, a->count);
	count_kinds(whats, count, f->asked);
	for (size_t i = 0; i < count; i++) {
		uint64_t addr = addrs[i], line = addr >> bits, offset = addr & within;
		uint64_t size = whats[i] & 0x3fff;
		unsigned kind = whats[i] >> 14;
		size_t first = (size_t)(line & mask) * CHAIN_FIRST_LANES;
		uint32_t m = find_line(lines + first, CHAIN_FIRST_LANES, line + 1);

		size += !size;
		if (__builtin_expect(offset + size > within + 1 || room - clock <= 1,
				     0)) {
			f->clock = clock;
			access_first(f, bits, a, i, out);
			clock = f->clock;
			begin = f->begin;
			continue;
		}
		if (!m) {
			f->clock = clock;
			miss_first(f, line, chain_bytes(offset, size),
				   kind > ML_ACCESS_FETCH ? ML_ACCESS_READ : kind, i,
				   out);
			clock = f->clock;
			begin = f->begin;
			continue;
		}
		size_t at = first + (unsigned)__builtin_ctz(m);
		uint32_t last = times[at];

		(&uses[at].read)[kind == ML_ACCESS_WRITE] |= chain_bytes(offset, size);
		/* of the last request again, nothing changes */
		clock += last != clock;
		live[last] = 0;
		live[clock] = 1;
		times[at] = clock;
		if (__builtin_expect(last < begin, 0)) {
			f->clock = clock;
			chain_first_drop(f);
			begin = f->begin;
		}
	}
	f->clock = clock;
}

INLINE uint32_t chain_owner(const struct ml_accesses *a, uint32_t access)
{
	return a->owner ? a->owner[access] : ML_NO_OWNER;
}

INLINE void chain_outcome(uint16_t *outcome, const struct chain_event *e, uint16_t causes,
			  unsigned served)
{
	if (served > ml_outcome_served(outcome[e->access]))
		outcome[e->access] = (uint16_t)(causes | served);
}

INLINE enum ml_cause chain_cause(const struct ml_chain_lru *x, bool held,
				 uint32_t evictor)
{
	if (held)
		return ML_CAUSE_CONFLICT;
	if (evictor != CHAIN_NEVER)
		return ML_CAUSE_CAPACITY;
	return x->gap ? ML_CAUSE_UNKNOWN : ML_CAUSE_COLD;
}

/* A level has missed a request. */
INLINE enum ml_cause chain_missed(const struct ml_chain_lru *x, unsigned level,
				  struct ml_level_counts *counts, uint32_t set,
				  unsigned kind, bool held, uint32_t owner,
				  uint32_t evictor)
{
	enum ml_cause cause = chain_cause(x, held, evictor);

	counts->missed[kind]++;
	counts->cause[cause]++;
	counts->fills++;
	ml_event_sums_miss(x->sums, level, set, cause, owner,
			   evictor == CHAIN_NEVER ? ML_NO_OWNER : evictor - 1);
	return cause;
}

/* A line leaves a level, to make room. */
INLINE void chain_leave(const struct ml_chain_lru *x, unsigned level,
			struct ml_level_counts *counts, uint32_t set,
			const struct chain_held *h, uint64_t read, uint64_t written)
{
	struct ml_leave l = {
		.level = level,
		.set = set,
		.owner = h->owner,
		.asked = true,
		.write_first = h->write_first,
		.read = read,
		.written = written,
	};

	counts->evictions++;
	counts->write_backs += written != 0;
	ml_event_sums_leave(x->sums, &l);
}

/* Finds the numbers of the lines that were requested, and fetches their records. */
INLINE void number_lines(struct ml_chain_lru *x, struct chain_list *l)
{
	uint32_t greatest = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (i + CHAIN_NEAR < l->count && x->book.room)
			__builtin_prefetch(ml_line_book_first_slot(
				&x->book, l->at[i + CHAIN_NEAR].line));
		uint32_t number = ml_line_book_find(&x->book, l->at[i].line);

		if (__builtin_expect(
			    number >> ML_LINE_CHUNK_BITS >= x->first_records.chunks, 0))
			ml_line_records_reach(&x->first_records, number);
		__builtin_prefetch(ml_line_record(&x->first_records, number), 1);
		l->at[i].number = number;
		greatest = number > greatest ? number : greatest;
	}
	l->greatest = greatest;
}

/* Makes room for an owner as evictor. Narrow evictors are stored plus 2. */
INLINE void chain_widen(struct ml_line_records *r, uint32_t owner)
{
	if (__builtin_expect(r->width == 2 && owner != ML_NO_OWNER &&
				     owner >= ML_LINE_OWNERS - 2,
			     0))
		ml_line_records_widen(r, owner + 1);
}

TARGET static void chain_explain(struct ml_chain_lru *x, const struct ml_accesses *a,
				 struct chain_events *events, uint16_t *outcome)
{
	struct chain_list *l = &events->list[0];
	struct ml_line_records *r = &x->first_records;
	struct ml_level_counts *counts = &x->counts;
	const uint32_t mask = x->first.mask;
	const bool alone = x->levels == 1;

	for (size_t i = 0; i < a->count; i++)
		outcome[i] = 1; /* unless an event says otherwise */
	number_lines(x, l);
	for (size_t i = 0; i < l->count; i++) {
		struct chain_event *e = &l->at[i];
		struct chain_held *h = &x->held[e->at];
		uint32_t owner = chain_owner(a, e->access);
		uint32_t set = (uint32_t)e->line & mask;

		if (i + CHAIN_NEAR < l->count) {
			uint32_t next = x->held[l->at[i + CHAIN_NEAR].at].number;

			__builtin_prefetch(ml_line_record(r, next), 1);
		}
		chain_widen(r, owner);
		uint32_t evictor = chain_evictor(r, ml_line_record(r, e->number));
		enum ml_cause cause = chain_missed(x, 1, counts, set, e->kind,
						   e->flags & CHAIN_HELD, owner, evictor);

		e->outcome = ml_outcome_with(0, 1, cause);
		if (alone)
			chain_outcome(outcome, e, e->outcome, 2);
		if (e->flags & CHAIN_LEAVES) {
			e->left = h->number;
			chain_set_evictor(r, ml_line_record(r, h->number), owner);
			chain_leave(x, 1, counts, set, h, e->read, e->written);
		}
		*h = (struct chain_held){
			.since = (events->start + e->access) & (UINT64_MAX >> 1),
			.write_first = e->kind == ML_ACCESS_WRITE,
			.owner = owner,
			.number = e->number,
		};
	}
}

INLINE void chain_set_live(struct chain_level *c, uint32_t time)
{
	c->live[(time & (c->room - 1)) >> 6] |= (uint64_t)1 << (time & 63);
}

INLINE void chain_clear_live(struct chain_level *c, uint32_t time)
{
	c->live[(time & (c->room - 1)) >> 6] &= ~((uint64_t)1 << (time & 63));
}

/* The shadow takes a request for a line with this last time, or 0. Returns its new time.
 */
INLINE uint32_t chain_ask(struct chain_level *c, uint32_t last)
{
	uint32_t now = ++c->clock;

	chain_set_live(c, now);
	if (__builtin_expect(last >= c->begin, 1)) {
		chain_clear_live(c, last);
		return now;
	}
	if (c->listed < c->held) {
		c->listed++;
		return now;
	}
	uint32_t word = c->begin >> 6, words = (c->room >> 6) - 1;

	while (!c->live[word & words])
		word++;
	uint64_t bits = c->live[word & words];
	c->begin = (word << 6 | (unsigned)__builtin_ctzll(bits)) + 1;
	c->live[word & words] = bits & (bits - 1);
	return now;
}

/* Adds use to a line of a level. */
INLINE void chain_add_use(struct chain_place *p, const struct chain_event *e)
{
	p->use.read |= e->read;
	p->use.written |= e->written;
}

/* The line that left finds no copy here. */
INLINE void chain_pass_on(const struct ml_chain_lru *x, struct chain_level *c,
			  const struct chain_event *e, struct chain_list *out)
{
	c->counts.past_bytes += e->written ? (uint64_t)1 << x->bits : 0;
	if (!out)
		return;
	out->at[out->count++] = (struct chain_event){
		.line = ml_line_book_line(&x->book, e->left),
		.read = e->read,
		.written = e->written,
		.left = e->left,
		.access = e->access,
		.flags = CHAIN_STRAY,
	};
}

OUTLINE void chain_stray(const struct ml_chain_lru *x, struct chain_level *c,
			 const struct chain_event *e, struct chain_list *out)
{
	uint32_t set = (uint32_t)e->line & c->mask;
	uint32_t m = find_number(chain_numbers(c, set), c->lanes, e->left);

	if (m)
		chain_add_use(
			&c->places[(size_t)set * c->lanes + (unsigned)__builtin_ctz(m)],
			e);
	else
		chain_pass_on(x, c, e, out);
}

/* A level that missed a request gets the line. Returns its place. */
INLINE size_t chain_fill(struct ml_chain_lru *x, struct chain_level *c,
			 const struct ml_accesses *a, const struct chain_event *e,
			 uint64_t start, uint16_t *outcome, unsigned lanes,
			 struct chain_list *list)
{
	struct ml_line_records *r = &c->records;
	uint32_t set = (uint32_t)e->line & c->mask, owner = chain_owner(a, e->access);
	uint32_t *numbers = c->rows + (size_t)set * 2 * lanes, *times = numbers + lanes;
	uint8_t *record = ml_line_record(r, e->number);
	uint32_t evictor = chain_evictor(r, record);
	uint32_t time = evictor == CHAIN_NEVER ? 0 : ml_line_time(record, 0);
	bool held = time >= c->begin;

	chain_widen(r, owner);
	c->counts.asked[e->kind]++;
	uint16_t causes = ml_outcome_with(e->outcome, c->level,
					  chain_missed(x, c->level, &c->counts, set,
						       e->kind, held, owner, evictor));
	unsigned lane = oldest(times, lanes);
	size_t at = (size_t)set * lanes + lane;
	struct chain_place *p = &c->places[at];
	struct chain_event *out = list ? &list->at[list->count++] : NULL;

	time = chain_ask(c, held ? time : 0);
	if (out) {
		out->line = e->line;
		out->read = p->use.read;
		out->written = p->use.written;
		out->number = e->number;
		out->left = p->held.number;
		out->access = e->access;
		out->at = (uint32_t)at;
		out->outcome = causes;
		out->kind = e->kind;
		out->flags = 0;
	} else {
		chain_outcome(outcome, e, causes, c->level + 1);
	}
	if (times[lane]) {
		uint8_t *left = ml_line_record(r, p->held.number);

		ml_line_set_time(left, 0, times[lane]);
		chain_set_evictor(r, left, owner);
		chain_leave(x, c->level, &c->counts, set, &p->held, p->use.read,
			    p->use.written);
	}
	numbers[lane] = e->number;
	times[lane] = time;
	*p = (struct chain_place){ .held = {
					   .since = (start + e->access) &
						    (UINT64_MAX >> 1),
					   .write_first = e->kind == ML_ACCESS_WRITE,
					   .owner = owner,
					   .number = e->number,
				   } };
	return at;
}

INLINE void chain_fetch_row(const struct ml_chain_lru *x, const struct chain_level *c,
			    const struct chain_event *e, unsigned lanes)
{
	uint32_t set = (uint32_t)e->line & c->mask;
	const uint32_t *row = c->rows + (size_t)set * 2 * lanes;

	ml_event_sums_fetch(x->sums, c->level, set);
	__builtin_prefetch(row, 1);
	if (lanes > 8)
		__builtin_prefetch(row + lanes, 1);
}

/* Fetches what is known of the line that an event evicts, if it does not hit. */
INLINE void chain_fetch_victim(const struct chain_level *c, const struct chain_event *e,
			       unsigned lanes)
{
	uint32_t set = (uint32_t)e->line & c->mask;
	const uint32_t *numbers = c->rows + (size_t)set * 2 * lanes;
	uint32_t m = find_number(numbers, lanes, e->number);

	__builtin_prefetch(&c->places[c->copies[e->at]], 1);
	if (m) {
		uint32_t time = numbers[lanes + (unsigned)__builtin_ctz(m)];

		__builtin_prefetch(&c->live[(time & (c->room - 1)) >> 6], 1);
		return;
	}
	unsigned lane = oldest(numbers + lanes, lanes);

	__builtin_prefetch(&c->places[(size_t)set * lanes + lane], 1);
	__builtin_prefetch(ml_line_record(&c->records, e->number), 1);
	__builtin_prefetch(ml_line_record(&c->records, numbers[lane]), 1);
}

INLINE void chain_take(struct ml_chain_lru *x, struct chain_level *c,
		       const struct ml_accesses *a, struct chain_events *events,
		       uint16_t *outcome, unsigned lanes, bool last, bool large)
{
	const struct chain_list *in = &events->list[c->level - 2];
	struct chain_list *out = last ? NULL : &events->list[c->level - 1];
	const struct chain_event *end = in->at + in->count;

	ml_line_records_reach(&c->records, in->greatest);
	c->greatest = in->greatest > c->greatest ? in->greatest : c->greatest;
	if (!last) {
		out->count = 0;
		out->greatest = in->greatest;
		chain_reserve(out, 2 * in->count);
	}
	for (const struct chain_event *e = in->at; e < end; e++) {
		if (large && e + CHAIN_FAR < end)
			chain_fetch_row(x, c, e + CHAIN_FAR, lanes);
		if (large && e + CHAIN_NEAR < end && !(e[CHAIN_NEAR].flags & CHAIN_STRAY))
			chain_fetch_victim(c, e + CHAIN_NEAR, lanes);
		if (__builtin_expect(e->flags & CHAIN_STRAY, 0)) {
			chain_stray(x, c, e, out);
			continue;
		}
		uint32_t set = (uint32_t)e->line & c->mask;
		uint32_t *numbers = c->rows + (size_t)set * 2 * lanes;
		uint32_t m = find_number(numbers, lanes, e->number);
		size_t at;

		/* the ring keeps a word free, so that no word has both ends in it */
		if (__builtin_expect(c->clock - c->begin > c->room - 130 ||
					     c->clock >= c->limit,
				     0))
			ml_chain_level_renumber(c);
		if (m) {
			unsigned lane = (unsigned)__builtin_ctz(m);
			uint32_t *time = &numbers[lanes + lane];

			c->counts.asked[e->kind]++;
			if (*time != c->clock)
				*time = chain_ask(c, *time);
			chain_outcome(outcome, e, e->outcome, c->level);
			at = (size_t)set * lanes + lane;
		} else {
			at = chain_fill(x, c, a, e, events->start, outcome, lanes, out);
		}
		struct chain_place *copy = &c->places[c->copies[e->at]];
		c->copies[e->at] = (uint32_t)at;
		if (!e->left)
			continue;
		if (copy->held.number == e->left)
			chain_add_use(copy, e);
		else
			chain_pass_on(x, c, e, out);
	}
}

TARGET static void chain_level(struct ml_chain_lru *x, struct chain_level *c,
			       const struct ml_accesses *a, struct chain_events *events,
			       uint16_t *outcome)
{
	bool last = c->level == x->levels;

	if (c->lanes == 8)
		chain_take(x, c, a, events, outcome, 8, last, c->large);
	else if (last)
		chain_take(x, c, a, events, outcome, 16, true, c->large);
	else
		chain_take(x, c, a, events, outcome, 16, false, c->large);
}
