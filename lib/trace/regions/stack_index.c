#include "lib/trace/regions/stack_index.h"

#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/base/search.h"
#include "lib/trace/tables.h"

enum {
	STACK_REACH = 8 << 20, /* the main stack may grow to so many bytes */
	THREADS = 1 << 16,
};

uint64_t ml_stack_low(const struct ml_thread *t)
{
	if (t->id == 1 && t->stack_high > STACK_REACH &&
	    t->stack_low > t->stack_high - STACK_REACH)
		return t->stack_high - STACK_REACH;
	return t->stack_low;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t unique(uint64_t *list, size_t count)
{
	size_t kept = 0;

	qsort(list, count, sizeof(*list), ascending);
	for (size_t i = 0; i < count; i++)
		if (!kept || list[kept - 1] != list[i])
			list[kept++] = list[i];
	return kept;
}

/* How many of the ascending numbers are at or below v. */
static size_t up_to(const uint64_t *list, size_t count, uint64_t v)
{
	return ml_search_above(list, count, sizeof(*list), 0, v);
}

/* The first stretch from i on that has no owner yet. */
static uint32_t unowned(uint32_t *next, uint32_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]]; /* halves the way for the next search */
		i = next[i];
	}
	return i;
}

/*
 * Gives each stretch between two edges to the last entry that covers it: entries take,
 * from the last to the first, the stretches that no later one has taken.
 */
static void share_out(struct ml_stack_index *x)
{
	uint32_t *next = ml_resize(NULL, (x->edges + 1) * sizeof(*next));

	for (size_t i = 0; i <= x->edges; i++) {
		next[i] = (uint32_t)i;
		x->owner[i] = 0;
	}
	for (size_t k = x->count; k-- > 0;) {
		uint64_t low = ml_stack_low(&x->threads[k]),
			 high = x->threads[k].stack_high;

		if (low >= high)
			continue;
		uint32_t end = (uint32_t)up_to(x->edge, x->edges, high) - 1;
		uint32_t i = (uint32_t)up_to(x->edge, x->edges, low) - 1;
		while ((i = unowned(next, i)) < end) {
			x->owner[i] = (uint32_t)k + 1;
			next[i] = i + 1;
		}
	}
	ml_free(next);
}

void ml_stack_index_init(struct ml_stack_index *x, const struct ml_tables *t)
{
	size_t n = t->threads.count;

	*x = (struct ml_stack_index){ .threads = t->threads.at, .count = n };
	x->low = ml_resize(NULL, (n + 1) * sizeof(*x->low));
	x->high = ml_resize(NULL, (n + 1) * sizeof(*x->high));
	x->edge = ml_resize(NULL, (2 * n + 1) * sizeof(*x->edge));
	x->owner = ml_resize(NULL, (2 * n + 1) * sizeof(*x->owner));
	x->before = ml_resize(NULL, (n + 1) * sizeof(*x->before));
	x->last_of = ml_resize(NULL, THREADS * sizeof(*x->last_of));
	for (size_t i = 0; i < THREADS; i++)
		x->last_of[i] = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ml_thread *s = &x->threads[i];

		x->low[i] = x->edge[2 * i] = ml_stack_low(s);
		x->high[i] = x->edge[2 * i + 1] = s->stack_high;
		x->before[i] = x->last_of[s->id];
		x->last_of[s->id] = (uint32_t)i + 1;
	}
	qsort(x->low, n, sizeof(*x->low), ascending);
	qsort(x->high, n, sizeof(*x->high), ascending);
	x->edges = unique(x->edge, 2 * n);
	share_out(x);
}

void ml_stack_index_release(struct ml_stack_index *x)
{
	ml_free(x->low);
	ml_free(x->high);
	ml_free(x->edge);
	ml_free(x->owner);
	ml_free(x->before);
	ml_free(x->last_of);
}

const struct ml_thread *ml_stack_index_find(const struct ml_stack_index *x, uint64_t addr,
					    uint16_t thread)
{
	size_t at = up_to(x->edge, x->edges, addr);
	uint32_t owner = at ? x->owner[at - 1] : 0;

	if (!owner) /* no stack holds the address: the thread's own does not either */
		return NULL;
	for (uint32_t i = x->last_of[thread]; i; i = x->before[i - 1]) {
		const struct ml_thread *t = &x->threads[i - 1];

		if (addr >= ml_stack_low(t) && addr < t->stack_high)
			return t;
	}
	return &x->threads[owner - 1];
}

void ml_stack_index_cut(const struct ml_stack_index *x, uint64_t addr, uint64_t *low,
			uint64_t *high)
{
	size_t begins = up_to(x->low, x->count, addr),
	       ends = up_to(x->high, x->count, addr);

	if (begins < x->count && x->low[begins] < *high)
		*high = x->low[begins];
	if (ends && x->high[ends - 1] > *low)
		*low = x->high[ends - 1];
}

void ml_stack_index_cut_own(const struct ml_stack_index *x, uint64_t addr,
			    uint16_t thread, uint64_t *low, uint64_t *high)
{
	for (uint32_t i = x->last_of[thread]; i; i = x->before[i - 1]) {
		uint64_t begin = ml_stack_low(&x->threads[i - 1]);
		uint64_t end = x->threads[i - 1].stack_high;

		if (begin > addr && begin < *high)
			*high = begin;
		if (end <= addr && end > *low)
			*low = end;
	}
}
