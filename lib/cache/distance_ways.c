/*
 * One stack for each set: the position of a line in its stack is the number of ways that
 * it takes to hit.
 */
#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/cache/distance.h"

struct ml_ways {
	uint32_t sets, ways;
	uint64_t mask; /* sets - 1 if that is a power of two, else 0 */
	uint64_t
		*line; /* [sets * ways]; line number + 1, the last used first; 0: empty */
	uint64_t *hits; /* hits by position in the stack */
	uint64_t total;
};

struct ml_ways *ml_ways_open(uint32_t sets, uint32_t ways)
{
	assert(sets && ways);

	struct ml_ways *w = ml_resize(NULL, sizeof(*w));
	size_t size = (size_t)sets * ways * sizeof(*w->line);

	*w = (struct ml_ways){ .sets = sets, .ways = ways };
	w->mask = sets & (sets - 1) ? 0 : sets - 1;
	w->line = memset(ml_resize(NULL, size), 0, size);
	size = ways * sizeof(*w->hits);
	w->hits = memset(ml_resize(NULL, size), 0, size);
	return w;
}

void ml_ways_close(struct ml_ways *w)
{
	ml_free(w->line);
	ml_free(w->hits);
	ml_free(w);
}

void ml_ways_run(struct ml_ways *w, const uint64_t *line, size_t count)
{
	bool masked = w->mask || w->sets == 1;

	for (size_t i = 0; i < count; i++) {
		uint64_t set = masked ? line[i] & w->mask : line[i] % w->sets;
		uint64_t want = line[i] + 1, *way = w->line + set * w->ways,
			 before = way[0];

		if (before == want) {
			w->hits[0]++;
			continue;
		}
		for (uint32_t k = 1; k < w->ways; k++) {
			uint64_t this = way[k];

			way[k] = before;
			before = this;
			if (this == want) {
				w->hits[k]++;
				break;
			}
		}
		way[0] = want;
	}
	w->total += count;
}

uint64_t ml_ways_misses(const struct ml_ways *w, uint32_t ways)
{
	uint64_t misses = w->total;

	assert(ways >= 1 && ways <= w->ways);
	for (uint32_t i = 0; i < ways; i++)
		misses -= w->hits[i];
	return misses;
}
