/*
 * Which windows are near which. Two windows that share no symbol are as far apart as can
 * be, so an index from symbols to windows yields the candidates; blocks of windows are
 * independent of each other and go to threads.
 */
#include <pthread.h>
#include <string.h>

#include "lib/analyse/cycles/edges.h"
#include "lib/analyse/cycles/edit_distance.h"
#include "lib/base/arena.h"
#include "lib/base/pool.h"
#include "lib/base/work.h"

enum { BLOCKS = 16, SMALL = 300 };

struct search {
	const uint32_t *sequences;
	uint32_t count, width;
	size_t symbol_count;
	size_t *start;     /* of each symbol, into holders */
	uint32_t *holders; /* windows that hold it, ascending */
	struct ml_edges *edges;
	const struct ml_work *work;
	pthread_mutex_t lock;
	uint64_t done, edges_found, max_edges;
	bool stopped, too_many;
};

struct block {
	struct search *search;
	uint32_t number, first, end; /* windows [first, end) */
};

/* Whether place i of a window holds a symbol that an earlier place holds too. */
static bool repeated(const uint32_t *window, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (window[k] == window[i])
			return true;
	return false;
}

static void make_index(struct search *s, struct ml_arena *a)
{
	s->start = ml_arena_alloc(a, (s->symbol_count + 2) * sizeof(*s->start));
	s->holders = ml_arena_alloc(a, ((size_t)s->count * s->width + 1) *
					       sizeof(*s->holders));
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t i = 0; i < s->count; i++) {
			const uint32_t *window = s->sequences + (size_t)i * s->width;

			for (uint32_t k = 0; k < s->width; k++) {
				if (repeated(window, k))
					continue;
				if (fill)
					s->holders[s->start[window[k] + 1]++] = i;
				else
					s->start[window[k] + 2]++;
			}
		}
		for (size_t i = 2; !fill && i < s->symbol_count + 2; i++)
			s->start[i] += s->start[i - 1];
	}
}

static size_t candidates(const struct search *s, uint32_t window, uint64_t *bits,
			 uint32_t *found)
{
	const uint32_t *symbols = s->sequences + (size_t)window * s->width;
	size_t words = ((size_t)window + 63) / 64, count = 0;

	for (uint32_t k = 0; k < s->width; k++) {
		if (repeated(symbols, k))
			continue;
		const uint32_t *at = s->holders + s->start[symbols[k]],
			       *end = s->holders + s->start[symbols[k] + 1];

		for (; at < end && *at < window; at++)
			bits[*at / 64] |= (uint64_t)1 << (*at & 63);
	}
	for (size_t i = 0; i < words; i++) {
		for (uint64_t left = bits[i]; left; left &= left - 1)
			found[count++] = (uint32_t)(i * 64) +
					 (uint32_t)__builtin_ctzll(left);
		bits[i] = 0;
	}
	return count;
}

static bool goes_on(struct search *s, uint32_t more, uint64_t edges)
{
	pthread_mutex_lock(&s->lock);
	s->done += more;
	s->edges_found += edges;
	s->too_many = s->too_many || s->edges_found > s->max_edges;
	s->stopped = s->stopped || ml_work_cancelled(s->work);
	ml_work_progress(s->work, "comparing windows", s->done, s->count);
	bool on = !s->stopped && !s->too_many;
	pthread_mutex_unlock(&s->lock);
	return on;
}

static void search_block(void *arg)
{
	struct block *b = arg;
	struct search *s = b->search;
	struct ml_edit_pattern pattern;
	struct ml_arena a = { 0 };
	uint64_t *bits = ml_arena_alloc(&a, ((size_t)b->end / 64 + 1) * sizeof(*bits));
	uint32_t *found = ml_arena_alloc(&a, ((size_t)b->end + 1) * sizeof(*found));
	uint8_t *distance = ml_arena_alloc(&a, (size_t)b->end + 1);
	uint64_t edges = 0;

	ml_edit_pattern_init(&pattern, s->width, s->symbol_count);
	for (uint32_t u = b->first; u < b->end; u++) {
		size_t count = candidates(s, u, bits, found);

		ml_edit_pattern_set(&pattern, s->sequences + (size_t)u * s->width);
		ml_edit_pattern_distances(&pattern, s->sequences, found, count, distance);
		for (size_t i = 0; i < count; i++)
			if (distance[i] < s->width) {
				ml_edge_list_add(ml_edges_list(s->edges, b->number,
							       distance[i] - 1u),
						 u, found[i]);
				edges++;
			}
		if (u % 256 == 255) {
			if (!goes_on(s, 256, edges))
				break;
			edges = 0;
		}
	}
	ml_edit_pattern_release(&pattern);
	ml_arena_release(&a);
}

bool ml_edges_of_windows(struct ml_edges *e, const uint32_t *sequences, uint32_t count,
			 uint32_t width, size_t symbol_count, uint64_t max_edges,
			 bool *too_many, const struct ml_work *work, struct ml_err *err)
{
	uint32_t blocks = count > SMALL ? BLOCKS : 1;
	struct search s = { .sequences = sequences,
			    .count = count,
			    .width = width,
			    .symbol_count = symbol_count,
			    .edges = e,
			    .max_edges = max_edges,
			    .work = work,
			    .lock = PTHREAD_MUTEX_INITIALIZER };
	struct block block[BLOCKS];
	struct ml_arena a = { 0 };

	ml_edges_init(e, count, width - 1, blocks);
	for (uint32_t i = 0; i + 1 < width; i++)
		e->length[i] = i + 1;
	e->end = width;
	make_index(&s, &a);
	for (uint32_t i = 0; i < blocks; i++)
		block[i] =
			(struct block){ &s, i, (uint32_t)((uint64_t)count * i / blocks),
					(uint32_t)((uint64_t)count * (i + 1) / blocks) };
	if (blocks == 1) {
		search_block(&block[0]);
	} else {
		struct ml_pool pool;

		ml_pool_init(&pool, 0);
		for (uint32_t i = blocks; i-- > 0;)
			ml_pool_submit(&pool, search_block, &block[i]);
		ml_pool_release(&pool);
	}
	ml_arena_release(&a);
	ml_edges_finish(e);
	*too_many = s.too_many;
	if (s.stopped || s.too_many)
		ml_edges_release(e);
	return !s.stopped || ml_fail(err, ML_STOPPED, "stopped");
}
