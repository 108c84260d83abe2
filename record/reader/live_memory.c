#include "record/reader/live_memory.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"

enum { MIN_CELLS = 64 };

/* A removed piece leaves its cell occupied, so that probing goes on behind it; growing
 * the table clears such cells. */
enum { EMPTY, LIVE, REMOVED };

void ml_live_memory_release(struct ml_live_memory *l)
{
	ml_free(l->cells);
}

/* The cell of addr, or the empty cell at which its probing ends. */
static struct ml_memory_piece *cell_of(const struct ml_live_memory *l, uint64_t addr)
{
	size_t i = (size_t)(addr * 0x9e3779b97f4a7c15u >> 32) & (l->cap - 1);

	while (l->cells[i].state != EMPTY && l->cells[i].addr != addr)
		i = (i + 1) & (l->cap - 1);
	return &l->cells[i];
}

static size_t count_of(const struct ml_live_memory *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->cap; i++)
		n += l->cells[i].state == LIVE;
	return n;
}

/* Grows the table so that at most a quarter of it is live. */
static void grow(struct ml_live_memory *l)
{
	struct ml_live_memory old = *l;
	size_t live = count_of(l);

	l->cap = MIN_CELLS;
	while (l->cap < 2 * live)
		l->cap *= 2;
	l->cap *= 2;
	l->cells = ml_resize(NULL, l->cap * sizeof(*l->cells));
	memset(l->cells, 0, l->cap * sizeof(*l->cells));
	l->used = live;
	for (size_t i = 0; i < old.cap; i++)
		if (old.cells[i].state == LIVE)
			*cell_of(l, old.cells[i].addr) = old.cells[i];
	ml_free(old.cells);
}

void ml_live_memory_add(struct ml_live_memory *l, uint64_t addr, uint64_t size,
			uint32_t number)
{
	if (l->used * 4 >= l->cap * 3)
		grow(l);
	struct ml_memory_piece *cell = cell_of(l, addr);
	l->used += cell->state == EMPTY;
	*cell = (struct ml_memory_piece){ addr, size, ++l->serial, number, LIVE };
}

struct ml_memory_piece *ml_live_memory_find(const struct ml_live_memory *l, uint64_t addr)
{
	struct ml_memory_piece *cell = l->cap ? cell_of(l, addr) : NULL;

	return cell && cell->state == LIVE ? cell : NULL;
}

void ml_live_memory_remove(struct ml_memory_piece *piece)
{
	piece->state = REMOVED;
}

static int by_serial(const void *a, const void *b)
{
	const struct ml_memory_piece *x = a, *y = b;

	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

struct ml_memory_piece *ml_live_memory_list(const struct ml_live_memory *l, size_t *count)
{
	size_t n = count_of(l);
	struct ml_memory_piece *list = ml_resize(NULL, (n + 1) * sizeof(*list));

	*count = 0;
	for (size_t i = 0; i < l->cap; i++)
		if (l->cells[i].state == LIVE)
			list[(*count)++] = l->cells[i];
	qsort(list, n, sizeof(*list), by_serial);
	return list;
}
