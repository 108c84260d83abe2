#include "record/symbols/pieces.h"

#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/base/search.h"

static void add(struct ml_pieces *p, uint64_t low, uint64_t high, size_t index)
{
	/* The linker leaves functions that it dropped at address 0. */
	if (!low || low >= high)
		return;
	p->at = ml_grow(p->at, &p->cap, p->count + 1, sizeof(*p->at));
	p->at[p->count++] = (struct ml_piece){ low, high, (uint32_t)index };
}

void ml_pieces_add_die(struct ml_pieces *p, Dwarf_Die *die, size_t index)
{
	Dwarf_Addr base, low, high;

	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;)
		add(p, low, high, index);
}

static int by_low(const void *a, const void *b)
{
	const struct ml_piece *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->high > y->high ? -1 : x->high < y->high;
}

void ml_pieces_sort(struct ml_pieces *p)
{
	if (p->count)
		qsort(p->at, p->count, sizeof(*p->at), by_low);
}

const struct ml_piece *ml_pieces_find(const struct ml_pieces *p, uint64_t addr)
{
	size_t above = ml_search_above(p->at, p->count, sizeof(*p->at),
				       offsetof(struct ml_piece, low), addr);

	/* Ranges overlap where the linker merged equal functions; a few steps back
	 * suffice. */
	for (size_t i = above, tries = 8; i-- > 0 && tries-- > 0;)
		if (addr < p->at[i].high)
			return &p->at[i];
	return NULL;
}

void ml_pieces_release(struct ml_pieces *p)
{
	ml_free(p->at);
}
