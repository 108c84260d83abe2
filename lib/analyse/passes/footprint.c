#include "lib/analyse/passes/footprint.h"

#include <stdlib.h>

static struct ml_leaf *leaf_of(struct ml_footprint *f, uint32_t region, uint64_t number)
{
	struct ml_leaf **recent =
		&f->recent[(region * 0x9e3779b1u + number) % ML_LEAF_RECENT];
	bool is_new;

	if (*recent && (*recent)->number == number && (*recent)->region == region)
		return *recent;
	uint64_t *place = ml_map_add(&f->numbers, number, &is_new);

	if (is_new)
		*place = f->numbers.count;
	uint64_t *leaf = ml_map_add(&f->index, (uint64_t)region << 32 | *place, &is_new);
	if (is_new) {
		*leaf = f->count;
		f->leaves = ml_grow(f->leaves, &f->cap, f->count + 1, sizeof(*f->leaves));
		f->leaves[f->count] = ml_arena_alloc(&f->arena, sizeof(**f->leaves));
		f->leaves[f->count]->number = number;
		f->leaves[f->count]->region = region;
		f->count++;
	}
	*recent = f->leaves[*leaf];
	return *recent;
}

void ml_footprint_touch_slowly(struct ml_footprint *f, struct ml_touch *memo,
			       uint32_t region, uint64_t addr, uint64_t size)
{
	/* backwards, so that the leaf of the first byte is remembered */
	uint64_t first = addr >> ML_LINE_BITS, line = (addr + size - 1) >> ML_LINE_BITS;

	if (line < first) /* the access wraps around the end of the address space */
		line = UINT64_MAX >> ML_LINE_BITS;
	for (;; line--) {
		uint64_t number = line >> (ML_LEAF_BITS - ML_LINE_BITS);

		if (!memo->page || memo->number != number) {
			memo->number = number;
			memo->page = leaf_of(f, region, number)->page;
		}
		memo->page[line >> (ML_PAGE_BITS - ML_LINE_BITS) & (ML_LEAF_PAGES - 1)] |=
			(uint64_t)1 << (line & 63);
		if (line == first)
			break;
	}
}

static int by_number(const void *a, const void *b)
{
	const struct ml_leaf *x = *(struct ml_leaf *const *)a,
			     *y = *(struct ml_leaf *const *)b;

	return x->number < y->number ? -1 : x->number > y->number;
}

struct ml_footprint_size ml_footprint_total(struct ml_footprint *f)
{
	struct ml_footprint_size size = { 0, 0 };

	/* the index becomes invalid once the leaves move */
	ml_map_release(&f->index);
	if (f->count)
		qsort(f->leaves, f->count, sizeof(*f->leaves), by_number);
	for (size_t i = 0, next; i < f->count; i = next) {
		for (next = i;
		     next < f->count && f->leaves[next]->number == f->leaves[i]->number;)
			next++;
		for (size_t p = 0; p < ML_LEAF_PAGES; p++) {
			uint64_t lines = 0;

			for (size_t k = i; k < next; k++)
				lines |= f->leaves[k]->page[p];
			size.lines += (unsigned)__builtin_popcountll(lines);
			size.pages += lines != 0;
		}
	}
	return size;
}

void ml_footprint_lines(const struct ml_footprint *f, uint64_t *lines)
{
	for (size_t i = 0; i < f->count; i++)
		for (size_t p = 0; p < ML_LEAF_PAGES; p++)
			lines[f->leaves[i]->region] +=
				(unsigned)__builtin_popcountll(f->leaves[i]->page[p]);
}

void ml_footprint_bounds(const struct ml_footprint *f, uint64_t *low, uint64_t *high)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct ml_leaf *l = f->leaves[i];
		uint64_t *first = &low[l->region], *end = &high[l->region];

		for (size_t p = 0; p < ML_LEAF_PAGES; p++) {
			if (!l->page[p])
				continue;
			uint64_t page = (l->number << ML_LEAF_BITS) + (p << ML_PAGE_BITS);
			unsigned a = (unsigned)__builtin_ctzll(l->page[p]);
			unsigned b = 64 - (unsigned)__builtin_clzll(l->page[p]);
			uint64_t from = page + ((uint64_t)a << ML_LINE_BITS);
			uint64_t to = page + ((uint64_t)b << ML_LINE_BITS);

			*first = !*end || from < *first ? from : *first;
			*end = to > *end ? to : *end;
		}
	}
}

void ml_footprint_release(struct ml_footprint *f)
{
	ml_map_release(&f->numbers);
	ml_map_release(&f->index);
	ml_free(f->leaves);
	ml_arena_release(&f->arena);
	*f = (struct ml_footprint){ 0 };
}
