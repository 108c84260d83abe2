/*
 * Numbers for the lines that a trace touches.
 *
 * Lines are numbered in pages of 64 neighbours, from 64 on: the number of a line is that
 * of its page plus its place in the page. 0 is no line.
 * Held by tests/cache/test_line_book.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/arena.h"

enum {
	ML_LINE_PAGE_BITS = 6,
	ML_LINE_PAGE = 1 << ML_LINE_PAGE_BITS,
	ML_LINE_RECENT = 256,    /* pages that are found without the hash table */
	ML_LINE_PAGES_BITS = 16, /* log2 of the pages that are allocated together */
	ML_LINE_PAGES = 1 << (32 - ML_LINE_PAGE_BITS), /* more have no 32-bit numbers */
	ML_LINE_PAGE_CHUNKS = 1 << (32 - ML_LINE_PAGE_BITS - ML_LINE_PAGES_BITS),
};

struct ml_line_page {
	uint64_t page;  /* line number / ML_LINE_PAGE */
	uint32_t first; /* number of its first line; 0: an empty slot */
};

/*
 * Zero bytes are an empty book. While a thread adds lines, others may ask for lines whose
 * numbers they have from it.
 */
struct ml_line_book {
	struct ml_line_page *slots;
	size_t room, pages; /* number of slots, a power of two; pages in use */
	/* by number / ML_LINE_PAGE, in chunks that stay where they are */
	uint64_t *page_of[ML_LINE_PAGE_CHUNKS];
	struct ml_line_page recent[ML_LINE_RECENT];
};

void ml_line_book_release(struct ml_line_book *b);
uint32_t ml_line_book_add(struct ml_line_book *b, uint64_t page);

static inline size_t ml_line_book_hash(uint64_t page)
{
	uint64_t h = page * 0x9e3779b97f4a7c15u;

	return (size_t)(h ^ h >> 32);
}

/* The slot of a page, or an empty one where it belongs. The book is not empty. */
static inline struct ml_line_page *ml_line_book_slot(const struct ml_line_book *b,
						     uint64_t page)
{
	size_t i = ml_line_book_hash(page) & (b->room - 1);

	while (b->slots[i].first && b->slots[i].page != page)
		i = (i + 1) & (b->room - 1);
	return &b->slots[i];
}

/* Where a search for a line begins; the book is not empty. To be fetched. */
static inline const void *ml_line_book_first_slot(const struct ml_line_book *b,
						  uint64_t line)
{
	return &b->slots[ml_line_book_hash(line >> ML_LINE_PAGE_BITS) & (b->room - 1)];
}

/* The number of a line, which becomes known if it was not. */
static inline uint32_t ml_line_book_find(struct ml_line_book *b, uint64_t line)
{
	uint64_t page = line >> ML_LINE_PAGE_BITS;
	struct ml_line_page *recent = &b->recent[page % ML_LINE_RECENT];

	if (!recent->first || recent->page != page) {
		uint32_t first = b->room ? ml_line_book_slot(b, page)->first : 0;

		if (!first)
			first = ml_line_book_add(b, page);
		*recent = (struct ml_line_page){ page, first };
	}
	return recent->first + (uint32_t)(line & (ML_LINE_PAGE - 1));
}

/* The line with this number. */
static inline uint64_t ml_line_book_line(const struct ml_line_book *b, uint32_t number)
{
	uint32_t page = number >> ML_LINE_PAGE_BITS;

	return b->page_of[page >> ML_LINE_PAGES_BITS]
			 [page & ((1u << ML_LINE_PAGES_BITS) - 1)]
		       << ML_LINE_PAGE_BITS |
	       (number & (ML_LINE_PAGE - 1));
}
