#include "lib/cache/exact/state.h"

#include <stdlib.h>
#include <assert.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/cache/exact/coherence.h"
#include "lib/cache/exact/miss_cause.h"
#include "lib/cache/exact/prefetch.h"
#include "lib/cache/exact/sim.h"
#include "lib/cache/exact/sim_data.h"

enum { MAGIC = 0x31534c4d, HEAD = 32 };
enum { COUNTS = sizeof(struct ml_level_counts) / 8 };
enum { STRIDE_BYTES = 24, STREAM_BYTES = 24, FEW_WAYS = 32 };

static void put_spec(struct ml_buf *out, const struct ml_level_spec *l)
{
	ml_buf_u64(out, l->size);
	ml_buf_u32(out, l->line);
	ml_buf_u32(out, l->ways);
	ml_buf_u32(out, l->share);
	ml_buf_u32(out, l->degree);
	ml_buf_u8(out, l->write_through);
	ml_buf_u8(out, l->no_allocate);
	ml_buf_u8(out, (uint8_t)l->inclusion);
	ml_buf_u8(out, (uint8_t)l->prefetch);
	ml_buf_string(out, l->policy->name);
}

/*
 * Hashes all that determines the meaning of a state and what follows from it; not
 * latencies.
 */
static uint64_t machine_hash(const struct ml_machine *m)
{
	struct ml_buf text = { 0 };

	ml_buf_u32(&text, m->cores);
	ml_buf_u32(&text, m->levels);
	ml_buf_u32(&text, m->tlbs);
	ml_buf_u32(&text, m->split);
	ml_buf_u64(&text, m->seed);
	for (unsigned i = 0; i < m->levels; i++)
		put_spec(&text, &m->level[i]);
	if (m->split)
		put_spec(&text, &m->icache);
	for (unsigned i = 0; i < m->tlbs; i++)
		put_spec(&text, &m->tlb[i]);
	uint64_t hash = ml_hash(text.data, text.size);
	ml_buf_release(&text);
	return hash;
}

uint64_t ml_state_seed(const struct ml_machine *m, unsigned level, uint32_t instance)
{
	return (m->seed * 0x9e3779b97f4a7c15u) ^ ((uint64_t)level << 40) ^ instance;
}

static void put_head(struct ml_buf *out, const struct ml_machine *m, unsigned columns,
		     uint64_t accesses, bool gap)
{
	ml_buf_u32(out, MAGIC);
	ml_buf_u32(out, columns);
	ml_buf_u64(out, machine_hash(m));
	ml_buf_u64(out, accesses);
	ml_buf_u64(out, gap);
}

static void put_counts(struct ml_buf *out, const struct ml_level_counts *c)
{
	uint64_t words[COUNTS];

	memcpy(words, c, sizeof(words));
	for (unsigned i = 0; i < COUNTS; i++)
		ml_buf_u64(out, words[i]);
}

/* Bytes of the order of one way. */
static unsigned order_width(const struct ml_level_spec *l)
{
	const struct ml_policy *p = l->policy;
	bool times_fit = !p->time_bits || (p->time_bits == 64 && l->ways <= UINT8_MAX);

	return times_fit && p->max <= UINT8_MAX ? 1 : 8;
}

static void put_order(struct ml_buf *out, unsigned width, uint64_t word)
{
	if (width == 1)
		ml_buf_u8(out, (uint8_t)word);
	else
		ml_buf_u64(out, word);
}

struct timed {
	uint64_t time;
	uint32_t way;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Mostly there are a few ways, where qsort would take longer than all else. */
static void sort_times(struct timed *t, size_t count)
{
	if (count > FEW_WAYS) {
		qsort(t, count, sizeof(*t), by_time);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct timed x = t[i];
		size_t k = i;

		for (; k > 0 && t[k - 1].time > x.time; k--)
			t[k] = t[k - 1];
		t[k] = x;
	}
}

static uint64_t time_mask(const struct ml_policy *p)
{
	return p->time_bits ? UINT64_MAX >> (64 - p->time_bits) : 0;
}

static void put_orders(struct ml_buf *out, const struct ml_cache *c, struct ml_arena *a)
{
	uint64_t mask = time_mask(c->policy);
	struct timed *times = ml_arena_alloc(a, c->ways * sizeof(*times));
	uint64_t *words = ml_arena_alloc(a, c->ways * sizeof(*words));

	for (uint32_t set = 0; set < c->sets; set++) {
		size_t first = (size_t)set * c->ways, held = 0;

		for (uint32_t way = 0; way < c->ways; way++) {
			words[way] = c->order.word[first + way] & ~mask;
			if (c->tags[first + way])
				times[held++] = (struct timed){
					c->order.word[first + way] & mask, way
				};
		}
		if (mask)
			sort_times(times, held);
		for (size_t i = 0; mask && i < held; i++)
			words[times[i].way] |= i + 1;
		for (uint32_t way = 0; way < c->ways; way++)
			put_order(out, order_width(c->spec), words[way]);
	}
}

static void put_prefetcher(struct ml_buf *out, const struct ml_prefetch *p)
{
	for (unsigned i = 0; p->kind == ML_PREFETCH_STRIDE && i < ML_PREFETCH_SITES;
	     i++) {
		ml_buf_u64(out, p->sites[i].addr);
		ml_buf_u64(out, p->sites[i].stride);
		ml_buf_u32(out, p->sites[i].site);
		ml_buf_u32(out, p->sites[i].seen);
	}
	for (unsigned i = 0; p->kind == ML_PREFETCH_STREAM && i < ML_PREFETCH_PAGES;
	     i++) {
		ml_buf_u64(out, p->pages[i].page);
		ml_buf_u64(out, p->pages[i].line);
		ml_buf_u64(out, p->pages[i].step);
	}
}

/* Room for so many bytes more, which the caller fills. */
static uint8_t *make_room(struct ml_buf *out, size_t bytes)
{
	ml_buf_reserve(out, bytes);
	out->size += bytes;
	return out->data + out->size - bytes;
}

static uint8_t *put64(uint8_t *to, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(v >> 8 * i);
	return to + 8;
}

static void put_notes(struct ml_buf *out, const struct ml_cache *c)
{
	size_t places = (size_t)c->sets * c->ways;
	uint8_t *to = make_room(out, places * (c->use ? 28 : 12));

	for (size_t i = 0; i < places; i++, to += 4)
		for (unsigned k = 0; k < 4; k++)
			to[k] = (uint8_t)(c->notes[i].owner >> 8 * k);
	for (size_t i = 0; i < places; i++)
		to = put64(to, c->notes[i].since);
	for (size_t i = 0; c->use && i < places; i++)
		to = put64(to, c->notes[i].read);
	for (size_t i = 0; c->use && i < places; i++)
		to = put64(to, c->notes[i].written);
}

static void put_cache(struct ml_buf *out, const struct ml_cache *c, struct ml_arena *a)
{
	size_t places = (size_t)c->sets * c->ways;

	ml_buf_u64(out, c->order.random);
	ml_buf_u64(out, c->order.duel);
	uint8_t *to = make_room(out, 8 * places);
	for (size_t i = 0; i < places; i++)
		to = put64(to, c->tags[i]);
	put_orders(out, c, a);
	ml_buf_put(out, c->flags, places);
	if (c->notes && c->level <= ML_LEVELS) /* the notes of TLBs are not saved */
		put_notes(out, c);
	if (c->prefetcher)
		put_prefetcher(out, c->prefetcher);
}

static uint64_t prefetcher_size(const struct ml_level_spec *l)
{
	return l->prefetch == ML_PREFETCH_STRIDE   ? ML_PREFETCH_SITES * STRIDE_BYTES
	       : l->prefetch == ML_PREFETCH_STREAM ? ML_PREFETCH_PAGES * STREAM_BYTES
						   : 0;
}

static uint64_t cache_size(const struct ml_level_spec *l, unsigned columns)
{
	uint64_t each = 8 + order_width(l) + 1 + (columns & ML_STATE_OWNERS ? 12 : 0) +
			(columns & ML_STATE_USE ? 16 : 0);

	return 16 + each * l->sets * l->ways + prefetcher_size(l);
}

/* The caches in the order of the saved state; NULL after the last. */
static struct ml_cache *cache_at(const struct ml_sim *s, unsigned number)
{
	for (unsigned i = 0; i < 1 + s->levels + s->machine.tlbs; i++) {
		struct ml_cache *c = i == 0           ? s->icaches
				     : i <= s->levels ? s->caches[i - 1]
						      : s->tlbs[i - 1 - s->levels];
		unsigned count = c ? (s->cores + c->spec->share - 1) / c->spec->share : 0;

		if (number < count)
			return &c[number];
		number -= count;
	}
	return NULL;
}

/* TLBs have no columns. */
static unsigned columns_of(const struct ml_cache *c, unsigned columns)
{
	return c->level > ML_LEVELS ? 0 : columns;
}

void ml_sim_save(const struct ml_sim *s, struct ml_buf *out)
{
	struct ml_arena arena = { 0 };
	const struct ml_cache *c;

	put_head(out, &s->machine,
		 (s->want ? ML_STATE_OWNERS : 0) |
			 (s->want & ML_SIM_USE ? ML_STATE_USE : 0),
		 s->accesses, s->gap);
	for (unsigned i = 0; i <= s->levels; i++)
		put_counts(out, &s->counts[i]);
	for (unsigned i = 0; i < s->machine.tlbs; i++)
		put_counts(out, &s->tlb_counts[i]);
	for (unsigned i = 0; (c = cache_at(s, i)); i++)
		put_cache(out, c, &arena);
	ml_arena_release(&arena);
}

static void get_counts(struct ml_bytes *in, struct ml_level_counts *c)
{
	uint64_t words[COUNTS];

	for (unsigned i = 0; i < COUNTS; i++)
		words[i] = ml_bytes_u64(in);
	memcpy(c, words, sizeof(words));
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static const char *tags_wrong(const struct ml_cache *c, struct ml_arena *a)
{
	uint64_t *sorted = ml_arena_alloc(a, c->ways * sizeof(*sorted));

	for (uint32_t set = 0; set < c->sets; set++) {
		const uint64_t *tags = &c->tags[(size_t)set * c->ways];

		for (uint32_t way = 0; way < c->ways; way++)
			if (tags[way] && (ml_cache_set(c, tags[way] - 1) != set ||
					  tags[way] - 1 > UINT64_MAX >> c->bits))
				return "a line is in the wrong set";
		memcpy(sorted, tags, c->ways * sizeof(*sorted));
		qsort(sorted, c->ways, sizeof(*sorted), by_value);
		for (uint32_t way = 1; way < c->ways; way++)
			if (sorted[way] && sorted[way] == sorted[way - 1])
				return "a line is there twice";
	}
	return NULL;
}

/* The reason why the bytes that were read cannot be a cache, or NULL. */
static const char *cache_wrong(const struct ml_cache *c, struct ml_arena *a)
{
	const struct ml_policy *p = c->policy;
	uint64_t mask = time_mask(p);

	if (c->order.duel > ML_DUEL_MAX)
		return "the duel is out of range";
	for (size_t i = 0; i < (size_t)c->sets * c->ways; i++) {
		uint64_t word = c->order.word[i];
		uint64_t value = p->time_bits < 64 ? word >> p->time_bits : 0;

		if (value > p->max || (word & mask) > c->ways)
			return "the order of a way is out of range";
		if (c->flags[i] > ML_CACHE_FLAGS)
			return "there are unknown flags";
		if (!c->tags[i] && (c->flags[i] || (word && !p->tree)))
			return "an empty way is not empty";
	}
	for (unsigned i = 0; c->prefetcher && i < ML_PREFETCH_SITES; i++)
		if (c->prefetcher->sites[i].seen > 2)
			return "the prefetcher's table is out of range";
	for (unsigned i = 0; c->prefetcher && i < ML_PREFETCH_PAGES; i++)
		if (c->prefetcher->pages[i].step + 1 > 2)
			return "the prefetcher's table is out of range";
	return tags_wrong(c, a);
}

static void get_prefetcher(struct ml_bytes *in, struct ml_prefetch *p)
{
	for (unsigned i = 0; p->kind == ML_PREFETCH_STRIDE && i < ML_PREFETCH_SITES;
	     i++) {
		p->sites[i].addr = ml_bytes_u64(in);
		p->sites[i].stride = ml_bytes_u64(in);
		p->sites[i].site = ml_bytes_u32(in);
		p->sites[i].seen = ml_bytes_u32(in);
	}
	for (unsigned i = 0; p->kind == ML_PREFETCH_STREAM && i < ML_PREFETCH_PAGES;
	     i++) {
		p->pages[i].page = ml_bytes_u64(in);
		p->pages[i].line = ml_bytes_u64(in);
		p->pages[i].step = ml_bytes_u64(in);
	}
}

/* Skips a column that this simulator does not keep. */
static void get_columns(struct ml_bytes *in, struct ml_cache *c, unsigned columns)
{
	size_t places = (size_t)c->sets * c->ways;
	struct ml_cache_note dropped;

	for (size_t i = 0; i < places; i++)
		(c->notes ? &c->notes[i] : &dropped)->owner = columns & ML_STATE_OWNERS
								      ? ml_bytes_u32(in)
							      : c->tags[i] ? ML_NO_OWNER
									   : 0;
	for (size_t i = 0; columns & ML_STATE_OWNERS && i < places; i++)
		(c->notes ? &c->notes[i] : &dropped)->since = ml_bytes_u64(in);
	for (size_t i = 0; columns & ML_STATE_USE && i < places; i++)
		(c->use ? &c->notes[i] : &dropped)->read = ml_bytes_u64(in);
	for (size_t i = 0; columns & ML_STATE_USE && i < places; i++)
		(c->use ? &c->notes[i] : &dropped)->written = ml_bytes_u64(in);
}

static void get_cache(struct ml_bytes *in, struct ml_cache *c, unsigned columns)
{
	size_t places = (size_t)c->sets * c->ways;
	unsigned width = order_width(c->spec);

	c->order.random = ml_bytes_u64(in);
	c->order.duel = ml_bytes_u64(in);
	c->order.clock = c->ways; /* no time in the state is later */
	for (size_t i = 0; i < places; i++)
		c->tags[i] = ml_bytes_u64(in);
	for (size_t i = 0; i < places; i++)
		c->order.word[i] = width == 1 ? ml_bytes_u8(in) : ml_bytes_u64(in);
	memcpy(c->flags, ml_bytes_take(in, places), places);
	get_columns(in, c, columns);
	if (c->prefetcher)
		get_prefetcher(in, c->prefetcher);
}

/*
 * Starts the LRU cache that tells causes with the lines that the cache holds, the next
 * victims being the oldest.
 */
static void begin_miss_cause(struct ml_cache *c, struct ml_arena *a)
{
	size_t places = (size_t)c->sets * c->ways;
	uint32_t *rank = ml_arena_alloc(a, places * sizeof(*rank));
	bool *held = ml_arena_alloc(a, c->ways * sizeof(*held));

	for (uint32_t set = 0; set < c->sets; set++) {
		size_t first = (size_t)set * c->ways;

		for (uint32_t way = 0; way < c->ways; way++)
			held[way] = c->tags[first + way];
		ml_policy_ranks(c->policy, &c->order, set, held, rank + first);
	}
	/* places by rank, the highest first */
	size_t *next = ml_arena_alloc(a, (c->ways + 1) * sizeof(*next));
	size_t *sorted = ml_arena_alloc(a, places * sizeof(*sorted));
	for (size_t i = 0; i < places; i++)
		next[c->ways - rank[i]]++;
	for (uint32_t r = 0; r < c->ways; r++)
		next[r + 1] += next[r];
	for (size_t i = 0; i < places; i++)
		sorted[next[c->ways - 1 - rank[i]]++] = i;
	for (size_t k = 0; k < places; k++) {
		size_t i = sorted[k];

		if (!c->tags[i])
			continue;
		c->notes[i].entry = ml_book_find(c->miss_cause->book,
						 ml_cache_line(c, i));
		ml_miss_cause_ask(c->miss_cause, c->notes[i].entry);
	}
}

static void empty(struct ml_sim *s)
{
	struct ml_cache *c;

	for (unsigned i = 0; (c = cache_at(s, i)); i++) {
		size_t places = (size_t)c->sets * c->ways;

		memset(c->tags, 0, places * 8);
		memset(c->flags, 0, places);
		memset(c->order.word, 0, places * 8);
		ml_cache_restored(c);
		if (c->notes)
			memset(c->notes, 0, places * sizeof(*c->notes));
		ml_order_init(&c->order, c->sets, c->ways, c->order.word,
			      ml_state_seed(&s->machine, c->level, c->instance));
		if (c->prefetcher)
			ml_prefetch_init(c->prefetcher, c->spec);
		if (c->miss_cause)
			ml_miss_cause_release(c->miss_cause);
	}
	for (struct ml_sim_book *b = s->books; b; b = b->next)
		ml_book_release(&b->book);
	ml_sharing_release(&s->sharing);
	ml_holders_release(&s->holders);
	memset(s->counts, 0, sizeof(s->counts));
	memset(s->tlb_counts, 0, sizeof(s->tlb_counts));
	memset(s->last_page, 0, s->cores * sizeof(*s->last_page));
	s->accesses = 0;
	s->gap = s->forgot = false;
}

bool ml_sim_restore(struct ml_sim *s, struct ml_bytes *in, struct ml_err *err)
{
	uint64_t counts = 1 + s->levels + s->machine.tlbs;
	uint64_t size = HEAD + counts * COUNTS * 8, have = (uint64_t)(in->end - in->at);
	struct ml_arena arena = { 0 };
	const char *wrong = NULL;
	struct ml_cache *c;

	empty(s);
	uint32_t magic = ml_bytes_u32(in), columns = ml_bytes_u32(in);
	uint64_t hash = ml_bytes_u64(in), accesses = ml_bytes_u64(in);
	uint64_t gap = ml_bytes_u64(in);
	if (in->bad || magic != MAGIC || columns > (ML_STATE_OWNERS | ML_STATE_USE) ||
	    gap > 1)
		return ml_fail(err, ML_FORMAT, "this is no saved state of a simulator");
	if (hash != machine_hash(&s->machine))
		return ml_fail(err, ML_FORMAT,
			       "the saved state is that of another machine");
	for (unsigned i = 0; (c = cache_at(s, i)); i++)
		size += cache_size(c->spec, columns_of(c, columns));
	if (have < size)
		return ml_fail(err, ML_FORMAT,
			       "the saved state has %llu bytes instead of %llu",
			       (unsigned long long)have, (unsigned long long)size);
	for (unsigned i = 0; i <= s->levels; i++)
		get_counts(in, &s->counts[i]);
	for (unsigned i = 0; i < s->machine.tlbs; i++)
		get_counts(in, &s->tlb_counts[i]);
	s->accesses = accesses;
	s->gap = gap;
	s->forgot = accesses > 0;
	for (unsigned i = 0; !wrong && (c = cache_at(s, i)); i++) {
		get_cache(in, c, columns_of(c, columns));
		wrong = cache_wrong(c, &arena);
		if (wrong)
			ml_fail(err, ML_FORMAT, "the saved state of %s is damaged: %s",
				c->spec->name, wrong);
		else
			ml_cache_restored(c);
		if (!wrong && c->miss_cause)
			begin_miss_cause(c, &arena);
	}
	ml_arena_release(&arena);
	if (wrong)
		empty(s);
	ml_coherence_restored(s);
	return !wrong;
}

static void copy_cache(struct ml_cache *to, const struct ml_cache *from)
{
	size_t places = (size_t)from->sets * from->ways;

	to->order.clock = from->order.clock;
	to->order.random = from->order.random;
	to->order.duel = from->order.duel;
	to->empty = from->empty;
	memcpy(to->order.word, from->order.word, places * sizeof(*to->order.word));
	memcpy(to->tags, from->tags, places * sizeof(*to->tags));
	memcpy(to->flags, from->flags, places);
	memcpy(to->digests, from->digests, (size_t)from->sets * from->row);
	memcpy(to->recent, from->recent, from->sets * sizeof(*to->recent));
	if (from->notes)
		memcpy(to->notes, from->notes, places * sizeof(*to->notes));
	if (from->prefetcher)
		*to->prefetcher = *from->prefetcher;
}

void ml_sim_copy(struct ml_sim *to, const struct ml_sim *from)
{
	struct ml_cache *c;

	assert(to->want == from->want && !(to->want & ML_SIM_CAUSES));
	assert(machine_hash(&to->machine) == machine_hash(&from->machine));
	for (unsigned i = 0; (c = cache_at(to, i)); i++)
		copy_cache(c, cache_at(from, i));
	ml_coherence_restored(to);
	memcpy(to->counts, from->counts, sizeof(to->counts));
	memcpy(to->tlb_counts, from->tlb_counts, sizeof(to->tlb_counts));
	to->accesses = from->accesses;
	to->gap = from->gap;
	to->forgot = from->forgot;
	to->misses = from->misses;
}
