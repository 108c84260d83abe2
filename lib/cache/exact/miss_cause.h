/*
 * Finds the causes of misses. It remembers every line that a cache was ever asked for,
 * and simulates a fully associative LRU cache with as many lines that gets the same
 * requests. If the LRU cache holds a line that the cache misses, the cause is a conflict,
 * else capacity. It also remembers for each line the owner of the line that evicted it.
 *
 * Caches of the same cores with lines of the same size share a book. The book numbers the
 * lines, once for all these caches, and stores the cells of a line for all caches side by
 * side, so that a miss in several levels touches one place of memory. Lines are numbered
 * in pages of neighbours; number 0 is no line.
 *
 * The LRU cache is a log of the requests. The cell of a line holds the place of its last
 * request in the log. Earlier places of the same line are stale, and a search for the
 * oldest line skips them. Both ends of the log are read and written in order, where a
 * linked list would touch the random neighbours of each line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ML_BOOK_PAGE_BITS = 4 };

enum { ML_LAST_NEVER, ML_LAST_LOST, ML_LAST_FIRST };

struct ml_miss_cause_cell {
	uint32_t last; /* place in the log; ML_LAST_NEVER: never requested; ML_LAST_LOST:
			  no longer in the LRU cache */
	uint32_t evictor; /* ~owner, so that 0 means ML_NO_OWNER */
};

/* Zero bytes are an empty book without members. */
struct ml_book {
	unsigned members, member_bits;    /* a line has 1 << member_bits cells */
	struct ml_miss_cause_cell *cells; /* by number of the line, by member */
	size_t cell_cap;
	struct ml_book_page {
		uint64_t page;  /* page number of its lines */
		uint32_t first; /* number of its first line; 0: an empty slot */
	} * slots;
	size_t room, pages; /* number of slots, a power of two; slots in use */
	struct ml_book_page recent;
};

struct ml_miss_cause {
	struct ml_book *book;
	unsigned member;
	size_t lines, listed; /* lines that the LRU cache holds at most, and now */
	uint32_t *log;        /* line numbers from begin to end; end < room */
	uint32_t begin, end, room;
	uint32_t newest;
};

/* Adds a cache to a book that has no lines yet. */
void ml_miss_cause_join(struct ml_miss_cause *s, struct ml_book *b, size_t lines);
void ml_miss_cause_release(struct ml_miss_cause *s); /* empties it; it stays a member */
void ml_book_release(struct ml_book *b); /* empties the book; its members stay */

/* The slot of a page, or an empty one where it belongs. */
static inline struct ml_book_page *ml_book_slot(const struct ml_book *b, uint64_t page)
{
	uint64_t h = page * 0x9e3779b97f4a7c15u;
	size_t i = (h ^ h >> 32) & (b->room - 1);

	while (b->slots[i].first && b->slots[i].page != page)
		i = (i + 1) & (b->room - 1);
	return &b->slots[i];
}

uint32_t ml_book_add(struct ml_book *b, uint64_t page);

/* The number of a line within its page. */
static inline uint32_t ml_book_within(uint64_t line)
{
	return (uint32_t)(line & ((1u << ML_BOOK_PAGE_BITS) - 1));
}

/* The number of a line, which becomes known if it was not. */
static inline uint32_t ml_book_find(struct ml_book *b, uint64_t line)
{
	uint64_t page = line >> ML_BOOK_PAGE_BITS;
	uint32_t first = b->recent.first;

	if (!first || b->recent.page != page) {
		first = b->room ? ml_book_slot(b, page)->first : 0;
		if (!first)
			first = ml_book_add(b, page);
		b->recent = (struct ml_book_page){ page, first };
	}
	return first + ml_book_within(line);
}

static inline struct ml_miss_cause_cell *ml_miss_cause_cell(const struct ml_miss_cause *s,
							    uint32_t number)
{
	return &s->book->cells[((size_t)number << s->book->member_bits) + s->member];
}

/* Makes room in the log by dropping stale places. */
void ml_miss_cause_tidy(struct ml_miss_cause *s);

enum ml_miss_cause_answer { ML_MISS_CAUSE_NEW, ML_MISS_CAUSE_HAS, ML_MISS_CAUSE_LOST };
/*
 * Takes a demand: NEW if the line was never requested before, HAS if the LRU cache holds
 * it, else LOST. The LRU cache holds it afterwards.
 */
static inline enum ml_miss_cause_answer ml_miss_cause_ask(struct ml_miss_cause *s,
							  uint32_t number)
{
	if (s->newest == number)
		return ML_MISS_CAUSE_HAS;
	if (s->end == s->room)
		ml_miss_cause_tidy(s);
	struct ml_miss_cause_cell *c = ml_miss_cause_cell(s, number);
	uint32_t last = c->last;

	s->newest = number;
	s->log[s->end] = number;
	c->last = s->end++;
	if (last >= ML_LAST_FIRST)
		return ML_MISS_CAUSE_HAS;
	if (s->listed < s->lines) {
		s->listed++;
	} else {
		struct ml_miss_cause_cell *oldest;

		do {
			uint32_t later = s->begin + 8 < s->end ? s->begin + 8 : s->begin;

			__builtin_prefetch(ml_miss_cause_cell(s, s->log[later]));
			oldest = ml_miss_cause_cell(s, s->log[s->begin]);
		} while (oldest->last != s->begin++);
		oldest->last = ML_LAST_LOST;
	}
	return last == ML_LAST_NEVER ? ML_MISS_CAUSE_NEW : ML_MISS_CAUSE_LOST;
}

static inline uint32_t ml_miss_cause_evictor(const struct ml_miss_cause *s,
					     uint32_t number)
{
	return ~ml_miss_cause_cell(s, number)->evictor;
}

static inline void ml_miss_cause_evicted(struct ml_miss_cause *s, uint32_t number,
					 uint32_t owner)
{
	ml_miss_cause_cell(s, number)->evictor = ~owner;
}
