#include "lib/cache/lru/line_book.h"

enum { SLOTS = 64 };

void ml_line_book_release(struct ml_line_book *b)
{
	ml_free(b->slots);
	for (size_t i = 0; i < ML_LINE_PAGE_CHUNKS; i++)
		ml_free(b->page_of[i]);
	*b = (struct ml_line_book){ 0 };
}

static void more_slots(struct ml_line_book *b)
{
	size_t room = b->room, cap = 0;
	struct ml_line_page *old = b->slots;

	b->room = room ? room * 2 : SLOTS;
	b->slots = ml_grow(NULL, &cap, b->room, sizeof(*b->slots));
	for (size_t i = 0; i < room; i++)
		if (old[i].first)
			*ml_line_book_slot(b, old[i].page) = old[i];
	ml_free(old);
}

uint32_t ml_line_book_add(struct ml_line_book *b, uint64_t page)
{
	if (b->pages + 1 == ML_LINE_PAGES)
		ml_exhausted("the trace touches too many pages for a full simulation; "
			     "use --quick, or --to for a part");
	if (b->pages * 2 >= b->room)
		more_slots(b);
	b->pages++;
	uint64_t **chunk = &b->page_of[b->pages >> ML_LINE_PAGES_BITS];
	if (!*chunk)
		*chunk = ml_resize(NULL, sizeof(**chunk) << ML_LINE_PAGES_BITS);
	(*chunk)[b->pages & ((1u << ML_LINE_PAGES_BITS) - 1)] = page;
	struct ml_line_page added = { page, (uint32_t)(b->pages << ML_LINE_PAGE_BITS) };
	*ml_line_book_slot(b, page) = added;
	return added.first;
}
