#include "lib/analyse/find/find_written.h"

#include "lib/trace/tables.h"

enum {
	PAGE = 4096,
	WORD = 8,
	WORDS = PAGE / WORD,
	MIN_LINE = WORD,
	MAX_LINE = 64,
	MAX_PAGES = 1 << 16, /* 400 MB of shadow */
	OPEN = 4 /* lines that a spot fills at the same time, as write buffers do */
};

/* Bytes of a page that were written and not read since, and the spots that did. */
struct page {
	uint8_t unread[WORDS];  /* a bit for each byte of a word */
	uint32_t writer[WORDS]; /* spot + 1 */
	uint16_t block[WORDS];  /* low bits of the number of the block */
	uint32_t last[WORDS];   /* by line: spot + 1 of the last write; 0: read since */
};

/* Lines that a spot is writing to; the latest comes first. */
struct filling {
	uint64_t line[OPEN], bytes[OPEN]; /* number + 1; a bit for each byte */
};

struct ml_written {
	struct ml_map pages;
	struct page *page;
	size_t page_count, page_cap;
	uint64_t cached_key;
	size_t cached;
	uint64_t line, full; /* bytes of a line, 8 to 64; a bit for each */
	uint64_t next;       /* time of the next reference, if none is missing */
	struct ml_written_spot *spots;
	struct filling *filling;
	struct ml_map pairs;
	struct ml_written_pair *pair;
	size_t count, cap;
};

bool ml_written_worth(const struct ml_find *f, const struct ml_spot *s)
{
	double cycles = s->excess + (double)s->refs * f->cost[1];

	return cycles >= f->min_cycles && s->kind[1] > 9 * s->kind[0] &&
	       ml_find_movable(f, s->region);
}

static void watch(struct ml_find *f)
{
	struct ml_written *m = f->written = ml_arena_alloc(f->arena, sizeof(*m));

	m->cached_key = UINT64_MAX;
	m->line = f->line < MAX_LINE ? f->line : MAX_LINE;
	m->line = m->line > MIN_LINE ? m->line : MIN_LINE;
	m->full = UINT64_MAX >> (64 - m->line);
	m->spots = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*m->spots));
	m->filling = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*m->filling));
}

/* NULL: too many pages are followed already. */
static struct page *page_of(struct ml_written *m, uint64_t addr)
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

static void note(struct ml_written *m, uint32_t first, uint32_t second, unsigned bytes)
{
	bool is_new;
	uint64_t *at = ml_map_add(&m->pairs, (uint64_t)first << 32 | second, &is_new);

	if (is_new) {
		*at = m->count;
		m->pair = ml_grow(m->pair, &m->cap, m->count + 1, sizeof(*m->pair));
		m->pair[m->count++] = (struct ml_written_pair){ first, second, 0 };
	}
	m->pair[*at].bytes += bytes;
	m->spots[first].overwritten += bytes;
}

static unsigned bits(uint8_t mask)
{
	return (unsigned)__builtin_popcount(mask);
}

/* The unread bytes of some words are never read; or, if not known, do not count. */
static void leave(struct ml_written *m, struct page *p, size_t from, size_t to,
		  bool known)
{
	for (size_t i = from; i < to; i++) {
		if (!p->unread[i])
			continue;
		if (known)
			m->spots[p->writer[i] - 1].left += bits(p->unread[i]);
		else
			m->spots[p->writer[i] - 1].bytes -= bits(p->unread[i]);
		p->unread[i] = 0;
	}
}

static void leave_all(struct ml_written *m, bool known)
{
	for (size_t i = 0; i < m->page_count; i++)
		leave(m, &m->page[i], 0, WORDS, known);
}

/*
 * A reference to some bytes of one word, `faster` by so many cycles than from memory;
 * spot 0: it reads.
 */
static void touch(struct ml_written *m, uint64_t addr, uint8_t mask, uint16_t block,
		  uint32_t spot, double faster)
{
	struct page *p = page_of(m, addr);
	size_t word = addr % PAGE / WORD;
	uint32_t *last;

	if (!p)
		return;
	last = &p->last[addr % PAGE / m->line];
	if (p->block[word] != block) { /* other data */
		leave(m, p, word, word + 1, true);
		p->block[word] = block;
		*last = 0;
	}
	if (!spot) {
		p->unread[word] &= (uint8_t)~mask;
		if (*last)
			m->spots[*last - 1].soon += faster;
		*last = 0;
		return;
	}
	if (*last && *last != spot)
		m->spots[*last - 1].soon += faster;
	*last = spot;
	uint8_t vain = p->unread[word] & mask;
	if (vain && p->writer[word] != spot)
		note(m, p->writer[word] - 1, spot - 1, bits(vain));
	else if (vain)
		m->spots[spot - 1].again += bits(vain);
	if (p->writer[word] != spot && p->unread[word] & ~mask) {
		/* one word remembers one writer */
		m->spots[p->writer[word] - 1].bytes -= bits(p->unread[word] & ~mask);
		p->unread[word] &= mask;
	}
	p->unread[word] |= mask;
	p->writer[word] = spot;
	m->spots[spot - 1].bytes += bits(mask);
}

/* Moves a line to the front of those that a spot fills; the last one leaves. */
static void open_line(struct ml_written_spot *spot, struct filling *x, uint64_t line)
{
	unsigned k = 0;
	uint64_t bytes = 0;

	while (k < OPEN - 1 && x->line[k] != line)
		k++;
	if (x->line[k] == line)
		bytes = x->bytes[k];
	else if (x->line[k])
		spot->part++; /* a full line is not open any more */
	for (; k; k--) {
		x->line[k] = x->line[k - 1];
		x->bytes[k] = x->bytes[k - 1];
	}
	x->line[0] = line;
	x->bytes[0] = bytes;
}

/* A spot writes bytes of one line. */
static void fill(struct ml_written *m, uint32_t spot, uint64_t addr, uint64_t size)
{
	struct filling *x = &m->filling[spot - 1];

	if (x->line[0] != addr / m->line + 1)
		open_line(&m->spots[spot - 1], x, addr / m->line + 1);
	x->bytes[0] |= UINT64_MAX >> (64 - size) << addr % m->line;
	if (x->bytes[0] == m->full) {
		m->spots[spot - 1].whole++;
		x->line[0] = x->bytes[0] = 0;
	}
}

static void see_one(struct ml_written *m, uint64_t addr, uint64_t size, uint16_t block,
		    uint32_t spot, double faster)
{
	/* counted down: the end of the address space has no address behind it */
	for (uint64_t at = addr, left = size, n; spot && left; at += n, left -= n) {
		n = m->line - at % m->line;
		n = n < left ? n : left;
		fill(m, spot, at, n);
	}
	for (uint64_t n; size; addr += n, size -= n) {
		unsigned from = (unsigned)(addr % WORD);

		n = WORD - from < size ? WORD - from : size;
		touch(m, addr, (uint8_t)((1u << (from + n)) - (1u << from)), block, spot,
		      faster);
	}
}

static void see(struct ml_find *f, const struct ml_seen *s)
{
	struct ml_written *m = f->written;
	const struct ml_batch *b = s->refs;

	if (b->time != m->next)
		leave_all(m, false);
	m->next = b->time + b->count;
	for (size_t i = 0; i < b->count; i++) {
		const struct ml_spot *x = s->spot[i];
		bool write = ml_what_kind(b->what[i]) == ML_WRITE;

		if (s->region[i] < f->tables->regions.count && f->own[s->region[i]])
			see_one(m, b->addr[i], ml_what_size(b->what[i]),
				(uint16_t)s->block[i],
				x && write ? (uint32_t)(x - f->spots) + 1 : 0,
				f->cost[f->memory] - f->cost[s->served[i]]);
	}
}

static void end(struct ml_find *f)
{
	struct ml_written *m = f->written;
	uint64_t end = f->p->to && f->p->to < f->trace->count ? f->p->to
							      : f->trace->count;

	leave_all(m, m->next == f->trace->count && m->next == end);
	for (size_t i = 0; i < f->spot_count; i++)
		for (unsigned k = 0; k < OPEN; k++)
			m->spots[i].part += m->filling[i].line[k] != 0;
}

static void release(struct ml_find *f)
{
	struct ml_written *m = f->written;

	ml_map_release(&m->pages);
	ml_map_release(&m->pairs);
	ml_free(m->page);
	ml_free(m->pair);
}

const struct ml_find_observer ml_find_written = {
	.watch = watch,
	.see = see,
	.end = end,
	.release = release,
};

const struct ml_written_spot *ml_written_of(const struct ml_find *f,
					    const struct ml_spot *s)
{
	return &f->written->spots[s - f->spots];
}

const struct ml_written_pair *ml_written_most(const struct ml_find *f,
					      const struct ml_spot *s)
{
	const struct ml_written *m = f->written;
	const struct ml_written_pair *largest = NULL;

	for (size_t i = 0; i < m->count; i++)
		if (m->pair[i].first == (uint32_t)(s - f->spots) &&
		    (!largest || m->pair[i].bytes > largest->bytes))
			largest = &m->pair[i];
	return largest;
}
