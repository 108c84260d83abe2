#include "lib/cache/exact/miss_cause.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"

enum { LOG_ROOM = 1024, SLOTS = 64 };

void ml_miss_cause_join(struct ml_miss_cause *s, struct ml_book *b, size_t lines)
{
	assert(!b->pages);
	*s = (struct ml_miss_cause){ .book = b, .member = b->members++, .lines = lines };
	while (1u << b->member_bits < b->members)
		b->member_bits++;
}

void ml_miss_cause_release(struct ml_miss_cause *s)
{
	ml_free(s->log);
	*s = (struct ml_miss_cause){ .book = s->book,
				     .member = s->member,
				     .lines = s->lines };
}

void ml_book_release(struct ml_book *b)
{
	ml_free(b->cells);
	ml_free(b->slots);
	*b = (struct ml_book){ .members = b->members, .member_bits = b->member_bits };
}

static void widen(struct ml_book *b)
{
	size_t room = b->room;
	struct ml_book_page *old = b->slots;

	b->room = room ? room * 2 : SLOTS;
	b->slots = ml_resize(NULL, b->room * sizeof(*b->slots));
	memset(b->slots, 0, b->room * sizeof(*b->slots));
	for (size_t i = 0; i < room; i++)
		if (old[i].first)
			*ml_book_slot(b, old[i].page) = old[i];
	ml_free(old);
}

uint32_t ml_book_add(struct ml_book *b, uint64_t page)
{
	if (b->pages * 2 >= b->room)
		widen(b);
	uint32_t first = (uint32_t)(++b->pages << ML_BOOK_PAGE_BITS);

	b->cells = ml_grow(b->cells, &b->cell_cap,
			   (b->pages + 1) << (ML_BOOK_PAGE_BITS + b->member_bits),
			   sizeof(*b->cells));
	*ml_book_slot(b, page) = (struct ml_book_page){ page, first };
	return first;
}

void ml_miss_cause_tidy(struct ml_miss_cause *s)
{
	uint32_t end = ML_LAST_FIRST;

	for (uint32_t i = s->begin; i < s->end; i++) {
		struct ml_miss_cause_cell *c = ml_miss_cause_cell(s, s->log[i]);

		if (c->last == i) {
			s->log[end] = s->log[i];
			c->last = end++;
		}
	}
	s->begin = ML_LAST_FIRST;
	s->end = end;
	if (end >= s->room / 2) {
		s->room = s->room ? s->room * 2 : LOG_ROOM;
		s->log = ml_resize(s->log, s->room * sizeof(*s->log));
	}
}
