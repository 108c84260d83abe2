/* Lists the lines of a stack, so that another stack can continue from there. */
#include "lib/base/arena.h"
#include "lib/cache/distance/distance.h"
#include "lib/cache/distance/distance_parts.h"

/* By slot / DISTANCE_PAGE_LINES: the first line of the page. */
static uint64_t *first_lines(const struct ml_distance *d)
{
	uint64_t *first =
		ml_resize(NULL, (d->slots / DISTANCE_PAGE_LINES + 1) * sizeof(*first));

	for (size_t i = 0; i < d->page_cap; i++)
		if (d->pages[i].page)
			first[d->pages[i].slot / DISTANCE_PAGE_LINES] =
				(d->pages[i].page - 1) * DISTANCE_PAGE_LINES;
	return first;
}

size_t ml_distance_lines(const struct ml_distance *d, uint64_t **line)
{
	uint64_t *first = first_lines(d), *out;
	size_t count = 0;

	out = ml_resize(NULL, ((size_t)d->order.live + DISTANCE_WINDOW) * sizeof(*out));
	for (size_t w = 0; w <= d->order.now >> ORDER_WORD; w++)
		for (uint64_t bits = d->order.bits[w]; bits; bits &= bits - 1) {
			size_t moment = w << ORDER_WORD | (unsigned)__builtin_ctzll(bits);
			uint32_t slot = d->order.slots[moment];

			out[count++] = first[slot / DISTANCE_PAGE_LINES] +
				       slot % DISTANCE_PAGE_LINES;
		}
	for (size_t i = 0; i < DISTANCE_WINDOW; i++)
		if (!d->again[i])
			out[count++] = first[d->slot[i] / DISTANCE_PAGE_LINES] +
				       d->slot[i] % DISTANCE_PAGE_LINES;
	ml_free(first);
	*line = out;
	return count;
}
