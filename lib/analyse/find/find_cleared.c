/*
 * Writes in vain: a line of code writes data, and another line overwrites them before
 * anybody has read them. Mostly memory is cleared, or constructed, and then filled. A
 * shadow of all bytes knows which were written and not read since; it does not matter
 * whether they stayed in a cache. The simulated change leaves the first writes out.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

enum {
	PAGE = 4096,
	WORD = 8,
	WORDS = PAGE / WORD,
	LINES = PAGE / 64,
	MAX_SPOTS = 3,
	MAX_PAGES = 1 << 17 /* 350 MB of shadow */
};

/* Bytes of a page that were written and not read since, and the spots that did. */
struct page {
	uint8_t unread[WORDS];  /* a bit for each byte of a word */
	uint32_t writer[WORDS]; /* spot + 1 */
	uint16_t block[LINES];  /* low bits of the number of the block */
};

/* Bytes that one spot wrote and another overwrote. */
struct vain {
	uint32_t first, second; /* spots */
	uint64_t bytes;
};

struct mine {
	struct ml_map pages;
	struct page *page;
	size_t page_count, page_cap;
	uint64_t cached_key;
	size_t cached;
	uint64_t *written; /* by spot: bytes */
	struct ml_map pairs;
	struct vain *vain;
	size_t count, cap;
	size_t trial[MAX_SPOTS];
	const struct vain *tried[MAX_SPOTS];
	size_t trials;
};

static bool worth(const struct ml_find *f, const struct ml_spot *s)
{
	double cycles = s->excess + (double)s->refs * f->cost[1];

	return cycles >= f->min_cycles && s->kind[1] > 9 * s->kind[0] &&
	       ml_find_movable(f, s->region);
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));
	bool any = false;

	m->cached_key = UINT64_MAX;
	m->written = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*m->written));
	for (size_t i = 0; i < f->spot_count; i++)
		any |= worth(f, &f->spots[i]);
	if (any)
		ml_find_watch(f);
}

/* NULL: too many pages are followed already. */
static struct page *page_of(struct mine *m, uint64_t addr)
{
	uint64_t key = addr / PAGE;

	if (key != m->cached_key) {
		bool is_new;
		uint64_t *at = m->page_count < MAX_PAGES
				       ? ml_map_add(&m->pages, key, &is_new)
				       : ml_map_find(&m->pages, key);

		if (!at)
			return NULL;
		if (m->page_count < MAX_PAGES && is_new) {
			*at = m->page_count;
			m->page = ml_grow(m->page, &m->page_cap, m->page_count + 1,
					  sizeof(*m->page));
			m->page_count++;
		}
		m->cached_key = key;
		m->cached = (size_t)*at;
	}
	return &m->page[m->cached];
}

static void note(struct mine *m, uint32_t first, uint32_t second, unsigned bytes)
{
	bool is_new;
	uint64_t *at = ml_map_add(&m->pairs, (uint64_t)first << 32 | second, &is_new);

	if (is_new) {
		*at = m->count;
		m->vain = ml_grow(m->vain, &m->cap, m->count + 1, sizeof(*m->vain));
		m->vain[m->count++] = (struct vain){ first, second, 0 };
	}
	m->vain[*at].bytes += bytes;
}

/* A reference to some bytes of one word. */
static void touch(struct mine *m, uint64_t addr, uint8_t mask, uint16_t block, bool write,
		  uint32_t spot)
{
	struct page *p = page_of(m, addr);
	size_t word = addr % PAGE / WORD, line = addr % PAGE / 64;

	if (!p)
		return;
	if (p->block[line] != block) { /* other data */
		for (size_t i = line * 8; i < line * 8 + 8; i++)
			p->unread[i] = 0;
		p->block[line] = block;
	}
	if (!write) {
		p->unread[word] &= (uint8_t)~mask;
		return;
	}
	uint8_t vain = p->unread[word] & mask;
	if (vain && p->writer[word] && p->writer[word] != spot)
		note(m, p->writer[word] - 1, spot - 1,
		     (unsigned)__builtin_popcount(vain));
	p->unread[word] |= mask;
	p->writer[word] = spot;
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;
	const struct ml_batch *b = s->refs;

	for (size_t i = 0; i < b->count; i++) {
		const struct ml_spot *x = f->spot_at[i];
		uint64_t addr = b->addr[i], end = addr + ml_what_size(b->what[i]);
		bool write = ml_what_kind(b->what[i]) == ML_WRITE;
		uint32_t spot = x ? (uint32_t)(x - f->spots) + 1 : 0;

		if (s->region[i] >= f->tables->regions.count || !f->own[s->region[i]])
			continue;
		if (write && spot)
			m->written[spot - 1] += end - addr;
		while (addr < end) {
			uint64_t next = (addr / WORD + 1) * WORD;
			unsigned from = (unsigned)(addr % WORD);
			unsigned to = next <= end ? WORD : (unsigned)(end % WORD);

			touch(m, addr, (uint8_t)((1u << to) - (1u << from)),
			      (uint16_t)s->block[i], write && spot, spot);
			addr = next;
		}
	}
}

/* All bytes of a spot that others overwrote; *most: the pair with the most. */
static uint64_t in_vain(const struct mine *m, uint32_t spot, const struct vain **most)
{
	uint64_t bytes = 0;

	*most = NULL;
	for (size_t i = 0; i < m->count; i++) {
		if (m->vain[i].first != spot)
			continue;
		bytes += m->vain[i].bytes;
		if (!*most || m->vain[i].bytes > (*most)->bytes)
			*most = &m->vain[i];
	}
	return bytes;
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (uint32_t i = 0; i < f->spot_count && m->trials < MAX_SPOTS; i++) {
		const struct ml_spot *s = &f->spots[i];
		const struct vain *most;

		if (!worth(f, s) || 10 * in_vain(m, i, &most) < 9 * m->written[i] ||
		    !most)
			continue;
		m->tried[m->trials] = most;
		m->trial[m->trials++] =
			ml_find_try(f,
				    &(struct ml_change){ .kind = ML_CHANGE_DROP,
							 .region = s->region },
				    s);
	}
}

static void tell(struct ml_find *f, const struct mine *m, const struct vain *v,
		 double saved)
{
	const struct ml_spot *s = &f->spots[v->first];
	const char *name = ml_find_region(f, s->region);
	const char *here = ml_find_place(f, s->line);
	const char *there = ml_find_place(f, f->spots[v->second].line);
	const struct vain *most;
	double share = (double)in_vain(m, v->first, &most) / (double)m->written[v->first];
	struct ml_candidate *c = ml_find_add(f, s->region, s, saved, true);

	c->finding.title = ml_arena_printf(
		f->arena, "%s is written and overwritten before it is read", name);
	ml_find_say(f, c,
		    "%s of the bytes that %s writes are overwritten before anybody "
		    "reads them, mostly by %s.",
		    ml_find_percent(f, share), here, there);
	ml_find_say(f, c, "Its %s references cost %s of all access time.",
		    ml_find_count(f, s->refs),
		    ml_find_percent(f, (s->excess + (double)s->refs * f->cost[1]) /
					       f->cycles));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"leave out the first writes of %s at %s: malloc instead of calloc, reserve or "
		"an uninitialised buffer instead of a sized constructor, no clearing before "
		"a complete fill. Legal if %s always writes all of it",
		name, here, there);
	ml_find_fact_text(c, "other_line", there);
	ml_find_fact(c, "in_vain", share);
	ml_find_fact(c, "references", (double)s->refs);
	ml_find_claim(f, c, s, s->excess);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->trials; i++) {
		double saved = ml_find_saved(f, m->trial[i]);

		if (saved >= f->min_cycles)
			tell(f, m, m->tried[i], saved);
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	ml_map_release(&m->pages);
	ml_map_release(&m->pairs);
	ml_free(m->page);
	ml_free(m->vain);
}

const struct ml_finder ml_find_cleared = {
	.kind = "cleared",
	.weight = 1.5, /* the cause is certain, and the change is small */
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
	.release = release,
};
