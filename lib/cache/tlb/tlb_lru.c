#include "lib/cache/tlb/tlb_lru.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/cache/exact/mirror.h"
#include "lib/cache/tlb/lru_list.h"
#include "lib/cache/machine/policy.h"

enum { LIST = 16 }; /* a fully associative TLB with more ways has a list */

struct tlb {
	struct ml_lru_list *list; /* or NULL */
	struct entry {
		uint64_t page; /* + 1; 0: empty */
		uint64_t way;  /* where sim.h would have it */
	} * rows;              /* [sets * ways]; in a set the page used last first */
	uint32_t sets, ways;
	unsigned bits; /* log2 of its pages */
	bool causes;
	struct ml_map seen; /* with causes: all pages that it was asked for */
	/* with causes, unless it has one set: a fully associative TLB of as many pages
	 * that gets the same requests */
	struct ml_lru_list *shadow;
	struct ml_level_counts *counts; /* of all cores together */
};

struct tlbs { /* of a core */
	/* The page of the first TLB that was used last, + 1. It is the first of its row
	 * or list, so using it again changes nothing. */
	uint64_t last_page;
	struct ml_lru_list *list; /* of the first TLB, or NULL */
	struct tlb tlb[ML_TLBS];
};

struct ml_tlb_lru {
	struct tlbs *of; /* by core */
	unsigned cores, count;
	struct ml_level_counts counts[ML_TLBS];
	bool gap;
	struct ml_arena arena;
};

const char *ml_tlb_lru_refuses(const struct ml_machine *m)
{
	for (unsigned i = 0; i < m->tlbs; i++) {
		const struct ml_level_spec *l = &m->tlb[i];

		if (!l->policy->recency)
			return "a TLB is not lru";
		if (l->share > 1)
			return "cores share a TLB";
		if ((uint64_t)l->ways * l->sets > ML_LRU_LIST_WAYS)
			return "a TLB has more than 32768 entries";
	}
	return NULL;
}

static void init_tlb(struct ml_tlb_lru *t, struct tlb *b, const struct ml_level_spec *l,
		     bool causes)
{
	b->sets = l->sets;
	b->ways = l->ways;
	b->causes = causes;
	if (causes && l->sets > 1)
		b->shadow = ml_lru_list_make(l->sets * l->ways, &t->arena);
	b->bits = (unsigned)__builtin_ctz(l->line);
	if (l->sets == 1 && l->ways > LIST)
		b->list = ml_lru_list_make(l->ways, &t->arena);
	else
		b->rows = ml_arena_alloc(&t->arena,
					 (size_t)l->sets * l->ways * sizeof(*b->rows));
}

struct ml_tlb_lru *ml_tlb_lru_open(const struct ml_machine *m, bool causes)
{
	assert(m->tlbs && !ml_tlb_lru_refuses(m));

	struct ml_tlb_lru *t = ml_resize(NULL, sizeof(*t));
	*t = (struct ml_tlb_lru){ .cores = m->cores, .count = m->tlbs };
	t->of = ml_arena_alloc(&t->arena, t->cores * sizeof(*t->of));
	for (unsigned core = 0; core < t->cores; core++)
		for (unsigned i = 0; i < t->count; i++) {
			init_tlb(t, &t->of[core].tlb[i], &m->tlb[i], causes);
			t->of[core].tlb[i].counts = &t->counts[i];
			t->of[core].list = t->of[core].tlb[0].list;
		}
	return t;
}

void ml_tlb_lru_close(struct ml_tlb_lru *t)
{
	if (!t)
		return;
	for (unsigned core = 0; core < t->cores; core++)
		for (unsigned i = 0; i < t->count; i++)
			ml_map_release(&t->of[core].tlb[i].seen);
	ml_arena_release(&t->arena);
	ml_free(t);
}

static struct entry *row_of(const struct tlb *b, uint64_t page)
{
	bool power = !(b->sets & (b->sets - 1));

	return b->rows + (power ? page & (b->sets - 1) : page % b->sets) * b->ways;
}

static void move_back(struct entry *row, uint32_t count)
{
	for (uint32_t i = count; i > 0; i--)
		row[i] = row[i - 1];
}

/* Uses a page if the TLB knows it. */
static bool use(const struct tlb *b, uint64_t page)
{
	if (b->list)
		return ml_lru_list_use(b->list, page);
	struct entry *row = row_of(b, page), found;
	uint32_t at = 0;

	while (at < b->ways && row[at].page != page + 1)
		at++;
	if (at == b->ways)
		return false;
	found = row[at];
	move_back(row, at);
	row[0] = found;
	return true;
}

/* Takes a page in that the TLB does not know. Returns whether another one left. */
static bool take_in(const struct tlb *b, uint64_t page)
{
	if (b->list)
		return ml_lru_list_fill(b->list, page);
	struct entry *row = row_of(b, page), last = row[b->ways - 1];

	if (!last.page)
		while (row[last.way].page)
			last.way++;
	move_back(row, b->ways - 1);
	row[0] = (struct entry){ page + 1, last.way };
	return last.page;
}

/* Asks the shadow for a page, which it holds from then on. Returns whether it did. */
static bool ask_shadow(const struct tlb *b, uint64_t page)
{
	if (!b->shadow)
		return false;
	bool held = ml_lru_list_use(b->shadow, page);

	if (!held)
		ml_lru_list_fill(b->shadow, page);
	return held;
}

/* The cause of a miss. known: the page was asked for before. */
static enum ml_cause cause_of(const struct ml_tlb_lru *t, struct tlb *b, uint64_t page,
			      bool held, bool known)
{
	bool is_new = false;

	if (!known)
		ml_map_add(&b->seen, page, &is_new);
	if (is_new)
		return t->gap ? ML_CAUSE_UNKNOWN : ML_CAUSE_COLD;
	return held ? ML_CAUSE_CONFLICT : ML_CAUSE_CAPACITY;
}

/* Translates one page. Returns the TLB that knew it, or their number: a walk. */
static unsigned translate(struct ml_tlb_lru *t, struct tlb *tlb, enum ml_access_kind kind,
			  uint64_t addr)
{
	bool missed = true, held[ML_TLBS];
	unsigned found = 0;

	for (; found < t->count; found++) {
		struct tlb *b = &tlb[found];

		missed = !use(b, addr >> b->bits);
		b->counts->asked[kind]++;
		b->counts->missed[kind] += missed;
		held[found] = ask_shadow(b, addr >> b->bits);
		if (!missed)
			break;
	}
	for (unsigned i = 0; i < found; i++) {
		struct tlb *b = &tlb[i];
		/* a page that another TLB holds has been asked for in all of them */
		bool known = !missed && tlb[found].bits == b->bits;

		if (b->causes) {
			enum ml_cause c = cause_of(t, b, addr >> b->bits, held[i], known);

			b->counts->cause[c]++;
		}
		b->counts->fills++;
		b->counts->evictions += take_in(b, addr >> b->bits);
	}
	return found;
}

/* Translates the pages of an access. Returns the farthest TLB that knew one. */
static unsigned translate_all(struct ml_tlb_lru *t, unsigned core,
			      enum ml_access_kind kind, uint64_t addr, uint64_t last,
			      uint32_t access, const struct ml_observer *o)
{
	struct tlbs *its = &t->of[core];
	unsigned bits = its->tlb[0].bits, farthest = 0;
	uint64_t first = addr >> bits;

	for (uint64_t page = first; page <= last >> bits; page++) {
		unsigned tlb = translate(t, its->tlb, kind,
					 page == first ? addr : page << bits);
		struct ml_page p = {
			.access = access, .core = core, .tlb = tlb, .more = page != first
		};

		farthest = tlb > farthest ? tlb : farthest;
		if ((tlb || p.more) && o && o->page)
			o->page(o->arg, &p);
	}
	its->last_page = (last >> bits) + 1;
	return farthest;
}

/* Translates one access, in full. */
static __attribute__((noinline)) unsigned translate_access(struct ml_tlb_lru *t,
							   const struct ml_accesses *a,
							   size_t i, unsigned core,
							   const struct ml_observer *o)
{
	bool write = a->what[i] >> 14 == ML_ACCESS_WRITE;
	uint64_t addr = a->addr[i], size = a->what[i] & 0x3fff;
	uint64_t last = addr + size - (size > 0);

	return translate_all(t, core, write ? ML_ACCESS_WRITE : ML_ACCESS_READ, addr,
			     last < addr ? UINT64_MAX : last, (uint32_t)i, o);
}

void ml_tlb_lru_run(struct ml_tlb_lru *t, const struct ml_accesses *a, uint8_t *paged,
		    const struct ml_observer *o)
{
	const uint64_t *restrict addrs = a->addr;
	const uint16_t *restrict whats = a->what;
	const uint16_t *restrict cores = t->cores > 1 ? a->core : NULL;
	const size_t count = a->count;
	const unsigned bits = t->of[0].tlb[0].bits, core_count = t->cores;
	const uint64_t within = ((uint64_t)1 << bits) - 1;
	uint64_t same = 0, writes = 0; /* of pages that a first TLB knows at once */

	if (paged)
		memset(paged, 1, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t addr = addrs[i], page = addr >> bits;
		unsigned kind = whats[i] >> 14, core = 0;

		if (kind == ML_ACCESS_FETCH) {
			if (paged)
				paged[i] = 0;
			continue;
		}
		if (cores)
			core = cores[i] < core_count ? cores[i] : cores[i] % core_count;
		struct tlbs *its = &t->of[core];
		if ((addr & within) + (whats[i] & 0x3fff) <= within + 1 &&
		    (page + 1 == its->last_page ||
		     (its->list && ml_lru_list_use(its->list, page)))) {
			its->last_page = page + 1;
			same++;
			writes += kind == ML_ACCESS_WRITE;
			continue;
		}
		unsigned tlb = translate_access(t, a, i, core, o);
		if (paged)
			paged[i] = (uint8_t)(tlb + 1);
	}
	t->counts[0].asked[ML_ACCESS_READ] += same - writes;
	t->counts[0].asked[ML_ACCESS_WRITE] += writes;
}

void ml_tlb_lru_gap(struct ml_tlb_lru *t)
{
	t->gap = true;
}

static void show_tlb(const struct tlb *b, struct ml_cache *c)
{
	size_t places = (size_t)b->sets * b->ways;
	uint64_t rank = b->ways;

	memset(c->tags, 0, places * sizeof(*c->tags));
	memset(c->order.word, 0, places * sizeof(*c->order.word));
	for (size_t i = 0; !b->list && i < places; i++) {
		size_t set = i / b->ways * b->ways, at = set + b->rows[i].way;

		if (!b->rows[i].page)
			continue;
		c->tags[at] = b->rows[i].page;
		c->order.word[at] = b->ways - (i - set);
	}
	if (!b->list)
		return;
	ml_lru_list_settle(b->list);
	for (uint16_t way = b->list->at[0].older; way; way = b->list->at[way].older) {
		c->tags[way - 1] = b->list->at[way].line + 1;
		c->order.word[way - 1] = rank--;
	}
}

void ml_tlb_lru_show(const struct ml_tlb_lru *t, struct ml_sim *to)
{
	memcpy(to->tlb_counts, t->counts, sizeof(t->counts));
	for (unsigned core = 0; core < t->cores; core++)
		for (unsigned i = 0; i < t->count; i++)
			show_tlb(&t->of[core].tlb[i], &to->tlbs[i][core]);
}

static void look_at_tlb(struct ml_tlb_lru *t, const struct ml_cache *c, struct tlb *b)
{
	size_t *places = ml_resize(NULL, b->ways * sizeof(*places));

	assert(!b->causes);
	if (b->list)
		b->list = ml_lru_list_make(b->ways, &t->arena);
	for (uint32_t way = 0; b->list && way < b->ways; way++)
		if (c->tags[way])
			ml_lru_list_fill(b->list, c->tags[way] - 1);
	for (uint32_t set = 0; set < b->sets; set++) {
		size_t first = (size_t)set * b->ways;
		uint32_t held = ml_mirror_places(c, set, places);

		for (uint32_t i = 0; !b->list && i < b->ways; i++)
			b->rows[first + i] = i < held ? (struct entry){
								c->tags[places[i]],
								places[i] - first,
							}
						      : (struct entry){ 0 };
		for (uint32_t i = held; b->list && i > 0; i--)
			ml_lru_list_use(b->list, c->tags[places[i - 1]] - 1);
	}
	ml_free(places);
}

void ml_tlb_lru_look(struct ml_tlb_lru *t, const struct ml_sim *from)
{
	memcpy(t->counts, from->tlb_counts, sizeof(t->counts));
	for (unsigned core = 0; core < t->cores; core++) {
		t->of[core].last_page = 0;
		for (unsigned i = 0; i < t->count; i++)
			look_at_tlb(t, &from->tlbs[i][core], &t->of[core].tlb[i]);
	}
}

const struct ml_level_counts *ml_tlb_lru_counts(const struct ml_tlb_lru *t, unsigned tlb)
{
	return &t->counts[tlb];
}
