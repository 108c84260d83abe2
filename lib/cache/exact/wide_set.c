#include "lib/cache/exact/wide_set.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"

enum { PART = 8 }; /* one of so many ways is collected at a time */

struct ml_wide_set *ml_wide_set_make(uint32_t ways, const uint64_t *tags,
				     struct ml_arena *a)
{
	struct ml_wide_set *w = ml_arena_alloc(a, sizeof(*w));
	size_t slots = 1;

	while (slots < 2 * (size_t)ways)
		slots *= 2;
	*w = (struct ml_wide_set){ .ways = ways, .tags = tags, .mask = slots - 1 };
	w->slot = ml_arena_alloc(a, slots * sizeof(*w->slot));
	w->old = ml_arena_alloc(a, ways * sizeof(*w->old));
	return w;
}

static size_t home(const struct ml_wide_set *w, uint64_t line)
{
	return (size_t)(line * 0x9e3779b97f4a7c15u >> 20) & w->mask;
}

uint32_t ml_wide_set_find(const struct ml_wide_set *w, uint64_t line)
{
	for (size_t i = home(w, line); w->slot[i]; i = (i + 1) & w->mask)
		if (w->tags[w->slot[i] - 1] == line + 1)
			return w->slot[i] - 1;
	return UINT32_MAX;
}

void ml_wide_set_put(struct ml_wide_set *w, uint64_t line, uint32_t way)
{
	size_t i = home(w, line);

	while (w->slot[i])
		i = (i + 1) & w->mask;
	w->slot[i] = way + 1;
}

/* Closes the gap at i: later entries of the same run move up, if that is nearer home. */
static void close_gap(struct ml_wide_set *w, size_t i)
{
	for (size_t k = (i + 1) & w->mask; w->slot[k]; k = (k + 1) & w->mask) {
		size_t at_home = home(w, w->tags[w->slot[k] - 1] - 1);

		if (((k - at_home) & w->mask) >= ((k - i) & w->mask)) {
			w->slot[i] = w->slot[k];
			i = k;
		}
	}
	w->slot[i] = 0;
}

void ml_wide_set_drop(struct ml_wide_set *w, uint64_t line, uint32_t way)
{
	size_t i = home(w, line);

	while (w->slot[i] != way + 1)
		i = (i + 1) & w->mask;
	close_gap(w, i);
	if (way < w->lowest)
		w->lowest = way;
}

uint32_t ml_wide_set_empty(struct ml_wide_set *w)
{
	while (w->tags[w->lowest])
		w->lowest++;
	return w->lowest;
}

static int by_word(const void *a, const void *b)
{
	const struct ml_wide_old *x = a, *y = b;

	return x->word < y->word ? -1 : x->word > y->word;
}

/*
 * A collected way whose word is as it was is the oldest of all: the words of the ways
 * that were not collected were larger, and words only get larger.
 */
uint32_t ml_wide_set_oldest(struct ml_wide_set *w, const uint64_t *word)
{
	for (;;) {
		while (w->old_at < w->old_count) {
			const struct ml_wide_old *o = &w->old[w->old_at++];

			if (word[o->way] == o->word)
				return o->way;
		}
		for (uint32_t i = 0; i < w->ways; i++)
			w->old[i] = (struct ml_wide_old){ word[i], i };
		qsort(w->old, w->ways, sizeof(*w->old), by_word);
		w->old_at = 0;
		w->old_count = w->ways / PART;
	}
}

void ml_wide_set_clear(struct ml_wide_set *w)
{
	memset(w->slot, 0, (w->mask + 1) * sizeof(*w->slot));
	w->lowest = w->old_at = w->old_count = 0;
}
