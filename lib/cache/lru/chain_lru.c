#include "lib/cache/lru/chain_lru.h"

#include <string.h>

#include "lib/cache/lru/chain_lru_parts.h"
#include "lib/cache/lru/first_shadow.h"
#include "lib/cache/exact/sim_data.h"

enum {
	FIRST_TIMES = 1 << 16,
	LEVEL_TIMES = 1 << 16,
	GHOST_BUCKETS = 256,
	LARGE = 1 << 10, /* lines; what is known of more does not fit a host's L1 */
};

bool ml_chain_lru_takes(const struct ml_machine *m)
{
	if (!ml_machine_plain(m) || m->level[0].line > 64)
		return false;
	for (unsigned i = 0; i < m->levels; i++) {
		const struct ml_level_spec *l = &m->level[i];

		if (l->ways > (i ? CHAIN_LANES : CHAIN_FIRST_LANES) ||
		    l->sets & (l->sets - 1))
			return false;
	}
	return true;
}

static uint32_t power_from(uint32_t least, uint64_t need)
{
	while (least < need)
		least *= 2;
	return least;
}

static void open_ghosts(struct chain_ghosts *g, uint32_t buckets)
{
	size_t slots = (size_t)buckets * CHAIN_FIRST_LANES;

	*g = (struct chain_ghosts){ .mask = buckets - 1 };
	g->lines = ml_arena_large(&g->arena, slots * sizeof(*g->lines));
	g->times = ml_arena_large(&g->arena, slots * sizeof(*g->times));
}

/* Lanes that are no ways never match and are never the oldest. */
static void open_first(struct ml_chain_lru *x, const struct ml_level_spec *spec)
{
	struct chain_first *f = &x->first;
	size_t places = (size_t)spec->sets * CHAIN_FIRST_LANES;

	f->sets = spec->sets;
	f->ways = spec->ways;
	f->mask = spec->sets - 1;
	f->lines = ml_arena_large(&x->arena, places * sizeof(*f->lines));
	f->times = ml_arena_large(&x->arena, places * sizeof(*f->times));
	f->uses = ml_arena_large(&x->arena, places * sizeof(*f->uses));
	x->held = ml_arena_large(&x->arena, places * sizeof(*x->held));
	f->held = spec->sets * spec->ways;
	f->room = power_from(FIRST_TIMES, 16 * (uint64_t)f->held);
	f->live = ml_arena_large(&x->arena, f->room);
	f->begin = 1;
	open_ghosts(&f->ghosts, power_from(GHOST_BUCKETS, f->held / 2));
	for (size_t at = 0; at < places; at++)
		if (at % CHAIN_FIRST_LANES >= spec->ways) {
			f->lines[at] = UINT64_MAX;
			f->times[at] = ML_NO_WAY;
		}
	ml_line_records_init(&x->first_records, 0, 1);
	ml_line_records_reach(&x->first_records, 0);
}

static void open_level(struct ml_chain_lru *x, unsigned i)
{
	const struct ml_level_spec *spec = &x->machine->level[i];
	struct chain_level *c = &x->level[i];
	uint32_t within = i > 1 ? x->level[i - 1].sets * x->level[i - 1].lanes
				: x->first.sets * CHAIN_FIRST_LANES;

	c->level = i + 1;
	c->sets = spec->sets;
	c->ways = spec->ways;
	c->lanes = spec->ways <= 8 ? 8 : 16;
	c->mask = spec->sets - 1;
	size_t places = (size_t)c->sets * c->lanes;
	c->large = places > LARGE;
	c->rows = ml_arena_large(&x->arena, 2 * places * sizeof(*c->rows));
	c->places = ml_arena_large(&x->arena, places * sizeof(*c->places));
	c->copies = ml_arena_large(&x->arena, within * sizeof(*c->copies));
	c->held = spec->sets * spec->ways;
	c->room = power_from(LEVEL_TIMES, 16 * (uint64_t)c->held);
	c->live = ml_arena_large(&c->live_arena, c->room / 8);
	c->begin = 1;
	c->limit = UINT32_MAX - 1;
	for (uint32_t set = 0; set < c->sets && c->ways < c->lanes; set++)
		for (uint32_t lane = c->ways; lane < c->lanes; lane++) {
			chain_numbers(c, set)[lane] = UINT32_MAX;
			chain_times(c, set)[lane] = ML_NO_WAY;
		}
	ml_line_records_init(&c->records, 1, 1);
	ml_line_records_reach(&c->records, 0); /* a place without a line names 0 */
}

struct ml_chain_lru *ml_chain_lru_open(const struct ml_machine *m,
				       const struct chain_lru_ops *ops,
				       struct ml_event_sums *sums, bool hurried)
{
	struct ml_chain_lru *x = ml_resize(NULL, sizeof(*x));

	*x = (struct ml_chain_lru){
		.ops = ops,
		.machine = m,
		.levels = m->levels,
		.bits = (unsigned)__builtin_ctz(m->level[0].line),
		.sums = sums,
	};
	open_first(x, &m->level[0]);
	for (unsigned i = 1; i < x->levels; i++)
		open_level(x, i);
	if (hurried)
		x->first.room = 2 * x->first.held + 70;
	for (unsigned i = 1; hurried && i < x->levels; i++)
		x->level[i].limit = 2 * x->level[i].held + 70;
	return x;
}

void ml_chain_lru_close(struct ml_chain_lru *x)
{
	if (!x)
		return;
	ml_arena_release(&x->first.ghosts.arena);
	ml_line_records_release(&x->first_records);
	for (unsigned i = 1; i < x->levels; i++) {
		ml_arena_release(&x->level[i].live_arena);
		ml_line_records_release(&x->level[i].records);
	}
	ml_line_book_release(&x->book);
	ml_arena_release(&x->arena);
	ml_free(x);
}

void ml_chain_ghosts_widen(struct chain_first *f)
{
	struct chain_ghosts old = f->ghosts;
	uint32_t buckets = old.mask + 1;
	bool fits = false;

	while (!fits) {
		struct chain_ghosts *g = &f->ghosts;

		buckets *= 2;
		open_ghosts(g, buckets);
		fits = true;
		for (size_t i = 0; i < ((size_t)old.mask + 1) * CHAIN_FIRST_LANES; i++) {
			if (old.times[i] < f->begin)
				continue;
			size_t at = (size_t)chain_ghost_bucket(g, old.lines[i] - 1) *
				    CHAIN_FIRST_LANES;
			size_t end = at + CHAIN_FIRST_LANES;

			while (at < end && g->times[at])
				at++;
			if (at == end) {
				fits = false;
				break;
			}
			g->lines[at] = old.lines[i];
			g->times[at] = old.times[i];
		}
		if (!fits)
			ml_arena_release(&g->arena);
	}
	ml_arena_release(&old.arena);
}

/* Bits by time, and how many of them are set before each word. */
struct ranks {
	uint64_t *bits;
	uint32_t *before;
};

static uint32_t rank_of(const struct ranks *r, uint32_t word, uint32_t time)
{
	return r->before[word] +
	       (uint32_t)__builtin_popcountll(r->bits[word] &
					      UINT64_MAX >> (63 - (time & 63)));
}

/* All times that lines or ghosts have are numbered from 1 on, in the same order. */
void ml_chain_first_renumber(struct chain_first *f)
{
	size_t words = f->room / 64 + 1, places = (size_t)f->sets * CHAIN_FIRST_LANES;
	size_t slots = ((size_t)f->ghosts.mask + 1) * CHAIN_FIRST_LANES;
	struct ml_arena arena = { 0 };
	struct ranks r = { ml_arena_alloc(&arena, words * sizeof(*r.bits)),
			   ml_arena_alloc(&arena, words * sizeof(*r.before)) };
	uint32_t count = 0, dead = 0;

	for (size_t i = 0; i < places; i++)
		if (f->times[i] && f->times[i] != ML_NO_WAY)
			r.bits[f->times[i] / 64] |= (uint64_t)1 << (f->times[i] & 63);
	for (size_t i = 0; i < slots; i++)
		if (f->ghosts.times[i] >= f->begin)
			r.bits[f->ghosts.times[i] / 64] |= (uint64_t)1
							   << (f->ghosts.times[i] & 63);
	for (size_t w = 0; w < words; w++) {
		r.before[w] = count;
		count += (uint32_t)__builtin_popcountll(r.bits[w]);
	}
	dead = rank_of(&r, (f->begin - 1) / 64, f->begin - 1);
	for (size_t i = 0; i < places; i++)
		if (f->times[i] && f->times[i] != ML_NO_WAY)
			f->times[i] = rank_of(&r, f->times[i] / 64, f->times[i]);
	for (size_t i = 0; i < slots; i++) {
		uint32_t time = f->ghosts.times[i];

		f->ghosts.times[i] = time >= f->begin ? rank_of(&r, time / 64, time) : 0;
	}
	memset(f->live, 0, f->clock + 1);
	f->begin = dead + 1;
	f->clock = count;
	memset(f->live + f->begin, 1, f->clock + 1 - f->begin);
	ml_arena_release(&arena);
}

/* How many lines of a set are older than that of a lane, plus 1; 0: the lane is empty. */
static uint32_t rank_in_set(const uint32_t *times, uint32_t ways, uint32_t lane)
{
	uint32_t rank = times[lane] > 0;

	for (uint32_t k = 0; k < ways; k++)
		rank += times[k] && times[k] < times[lane];
	return rank;
}

/* The new time of a line: dead times are below those of the shadow. */
static uint32_t live_rank(const struct chain_level *c, const struct ranks *r,
			  uint32_t time)
{
	uint32_t word = (time & (c->room - 1)) >> 6;

	return r->bits[word] >> (time & 63) & 1 ? c->lanes + rank_of(r, word, time) : 0;
}

static void renumber_set(const struct chain_level *c, const struct ranks *r,
			 uint32_t *times)
{
	uint32_t now[CHAIN_LANES];

	for (uint32_t i = 0; i < c->ways; i++)
		now[i] = times[i] >= c->begin ? live_rank(c, r, times[i])
					      : rank_in_set(times, c->ways, i);
	memcpy(times, now, c->ways * sizeof(*times));
}

void ml_chain_level_renumber(struct chain_level *c)
{
	size_t words = c->room / 64, lines = (size_t)c->greatest + 1;
	struct ranks r = { c->live, ml_resize(NULL, words * sizeof(*r.before)) };
	uint32_t count = 0;

	for (size_t i = 0, w = c->begin >> 6; i < words; i++, w++) {
		r.before[w & (words - 1)] = count;
		count += (uint32_t)__builtin_popcountll(c->live[w & (words - 1)]);
	}
	for (uint32_t set = 0; set < c->sets; set++)
		renumber_set(c, &r, chain_times(c, set));
	for (size_t n = 0; n < lines; n++) {
		uint8_t *record = ml_line_record(&c->records, (uint32_t)n);
		uint32_t time = ml_line_time(record, 0);

		if (time)
			ml_line_set_time(record, 0,
					 time >= c->begin ? live_rank(c, &r, time) : 0);
	}
	/* so that the next time comes after at least as many requests as there are lines
	 */
	c->room = power_from(c->room,
			     lines / 2 < (size_t)1 << 30 ? lines / 2 : (size_t)1 << 30);
	ml_free(r.before);
	ml_arena_release(&c->live_arena);
	c->live_arena = (struct ml_arena){ 0 };
	c->live = ml_arena_large(&c->live_arena, c->room / 8);
	c->begin = c->lanes + 1;
	c->clock = c->lanes + count;
	for (uint32_t time = c->begin; time <= c->clock; time++)
		c->live[time >> 6] |= (uint64_t)1 << (time & 63);
}

void ml_chain_events_release(struct chain_events *e)
{
	for (unsigned i = 0; i < ML_LEVELS; i++)
		ml_free(e->list[i].at);
}

unsigned ml_chain_lru_stages(const struct ml_chain_lru *x)
{
	return x->levels + 1;
}

void ml_chain_lru_stage(struct ml_chain_lru *x, unsigned stage,
			const struct ml_accesses *a, struct chain_events *events,
			uint16_t *outcome)
{
	if (stage > 1) {
		x->ops->level(x, &x->level[stage - 1], a, events, outcome);
	} else if (stage) {
		x->ops->explain(x, a, events, outcome);
	} else {
		events->start = x->accesses;
		x->accesses += a->count;
		x->ops->front(&x->first, x->bits, a, &events->list[0]);
	}
}

void ml_chain_lru_gap(struct ml_chain_lru *x)
{
	x->gap = true;
}

void ml_chain_lru_counts(const struct ml_chain_lru *x, unsigned level,
			 struct ml_level_counts *to)
{
	*to = level > 1 ? x->level[level - 1].counts
	      : level   ? x->counts
			: (struct ml_level_counts){ 0 };
	for (unsigned k = 0; level == 1 && k < 3; k++)
		to->asked[k] += x->first.asked[k];
}

/* The masks of a place before a flush changed them. */
struct before {
	struct chain_place *place;
	struct chain_use use;
};

struct flush {
	struct before *before;
	size_t count, cap;
};

/* Adds the use of a line that leaves level `i` to the next copy outwards. */
static void flush_use(struct ml_chain_lru *x, unsigned i, const struct chain_held *h,
		      const struct chain_use *u, struct flush *f)
{
	uint64_t line = ml_line_book_line(&x->book, h->number);

	for (unsigned k = i + 1; k < x->levels; k++) {
		struct chain_level *c = &x->level[k];
		uint32_t set = (uint32_t)line & c->mask;

		for (uint32_t lane = 0; lane < c->ways; lane++) {
			struct chain_place *p = &c->places[(size_t)set * c->lanes + lane];

			if (p->held.number != h->number)
				continue;
			f->before = ml_grow(f->before, &f->cap, f->count + 1,
					    sizeof(*f->before));
			f->before[f->count++] = (struct before){ p, p->use };
			p->use.read |= u->read;
			p->use.written |= u->written;
			return;
		}
	}
}

static void flush_line(struct ml_chain_lru *x, unsigned i, uint32_t set,
		       const struct chain_held *h, const struct chain_use *u,
		       struct flush *f)
{
	struct ml_leave l = {
		.level = i + 1,
		.set = set,
		.owner = h->owner,
		.asked = true,
		.write_first = h->write_first,
		.read = u->read,
		.written = u->written,
	};

	if (!h->number)
		return;
	flush_use(x, i, h, u, f);
	ml_event_sums_leave(x->sums, &l);
}

void ml_chain_lru_flush(struct ml_chain_lru *x)
{
	struct flush f = { 0 };

	for (size_t at = 0; at < (size_t)x->first.sets * CHAIN_FIRST_LANES; at++)
		flush_line(x, 0, (uint32_t)(at / CHAIN_FIRST_LANES), &x->held[at],
			   &x->first.uses[at], &f);
	for (unsigned i = 1; i < x->levels; i++) {
		struct chain_level *c = &x->level[i];

		for (size_t at = 0; at < (size_t)c->sets * c->lanes; at++)
			flush_line(x, i, (uint32_t)(at / c->lanes), &c->places[at].held,
				   &c->places[at].use, &f);
	}
	while (f.count--)
		f.before[f.count].place->use = f.before[f.count].use;
	ml_free(f.before);
}

static void show_line(const struct ml_chain_lru *x, const struct chain_held *h,
		      const struct chain_use *u, uint32_t rank, struct ml_cache *to,
		      size_t place)
{
	to->order.word[place] = rank;
	to->tags[place] = rank ? ml_line_book_line(&x->book, h->number) + 1 : 0;
	to->flags[place] = (uint8_t)((u->written ? ML_DIRTY : 0) |
				     (h->write_first ? ML_WRITE_FIRST : 0));
	to->notes[place] = (struct ml_cache_note){ .read = u->read,
						   .written = u->written,
						   .since = h->since,
						   .owner = h->owner };
}

void ml_chain_lru_show(const struct ml_chain_lru *x, struct ml_sim *to)
{
	const struct chain_first *f = &x->first;

	to->accesses = x->accesses;
	for (uint32_t set = 0; set < f->sets; set++)
		for (uint32_t way = 0; way < f->ways; way++) {
			size_t at = (size_t)set * CHAIN_FIRST_LANES + way;

			show_line(x, &x->held[at], &f->uses[at],
				  rank_in_set(f->times + (size_t)set * CHAIN_FIRST_LANES,
					      f->ways, way),
				  &to->caches[0][0], (size_t)set * f->ways + way);
		}
	for (unsigned i = 1; i < x->levels; i++) {
		const struct chain_level *c = &x->level[i];

		for (uint32_t set = 0; set < c->sets; set++)
			for (uint32_t way = 0; way < c->ways; way++) {
				const struct chain_place *p =
					&c->places[(size_t)set * c->lanes + way];

				show_line(x, &p->held, &p->use,
					  rank_in_set(chain_times(c, set), c->ways, way),
					  &to->caches[i][0], (size_t)set * c->ways + way);
			}
	}
}
