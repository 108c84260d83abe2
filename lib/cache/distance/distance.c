#include "lib/cache/distance/distance.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/cache/distance/distance_parts.h"
#include "lib/cache/machine/vectors.h"

static void fill_least(struct ml_distance *d)
{
	uint8_t *min_gap = d->min_gap_room +
			   (-(uintptr_t)d->min_gap_room & (DISTANCE_WINDOW - 1));

	d->min_gap = min_gap;
	for (int gap = 0; gap <= DISTANCE_FAR; gap++)
		for (int i = 0; i < DISTANCE_WINDOW; i++, min_gap++)
			*min_gap = (uint8_t)(i + gap > DISTANCE_WINDOW
						     ? i + gap - DISTANCE_WINDOW
						     : 255);
}

struct ml_distance *ml_distance_open(void)
{
	size_t size = sizeof(struct ml_distance);
	struct ml_distance *d = ml_resize(NULL, size);

	memset(d, 0, size);
	d->ops = &distance_plain;
#if defined(__x86_64__)
	if (ml_vectors_has(ML_VECTORS_AVX512))
		d->ops = &distance_avx512;
	else if (ml_vectors_has(ML_VECTORS_AVX2))
		d->ops = &distance_avx2;
#endif
	fill_least(d);
	order_init(&d->order);
	d->now = DISTANCE_FIRST_USE;
	memset(d->again, 1,
	       DISTANCE_WINDOW);        /* the window is empty, so nothing leaves it */
	d->slots = DISTANCE_PAGE_LINES; /* slot 0 is none */
	d->when = ml_grow(NULL, &d->room, d->slots, sizeof(*d->when));
	d->page_cap = 1024;
	size = d->page_cap * sizeof(*d->pages);
	d->pages = memset(ml_resize(NULL, size), 0, size);
	d->histogram.count = ml_grow(NULL, &d->histogram.cap, DISTANCE_EXACT,
				     sizeof(*d->histogram.count));
	d->histogram.buckets = DISTANCE_EXACT;
	return d;
}

void ml_distance_close(struct ml_distance *d)
{
	order_release(&d->order);
	ml_distances_release(&d->histogram);
	ml_free(d->when);
	ml_free(d->pages);
	ml_free(d);
}

static size_t place_of(uint64_t page, size_t cap)
{
	return (size_t)(page * 0x9e3779b97f4a7c15u >> 32) & (cap - 1);
}

static struct distance_page *page_place(struct distance_page *pages, size_t cap,
					uint64_t page)
{
	size_t i = place_of(page, cap);

	while (pages[i].page && pages[i].page != page)
		i = (i + 1) & (cap - 1);
	return &pages[i];
}

static void pages_grow(struct ml_distance *d)
{
	size_t cap = 2 * d->page_cap, size = cap * sizeof(*d->pages);
	struct distance_page *pages = memset(ml_resize(NULL, size), 0, size);

	for (size_t i = 0; i < d->page_cap; i++)
		if (d->pages[i].page)
			*page_place(pages, cap, d->pages[i].page) = d->pages[i];
	ml_free(d->pages);
	d->pages = pages;
	d->page_cap = cap;
}

/* The first slot of a page (page: its number + 1). A new page gets slots. */
static uint32_t page_slot(struct ml_distance *d, uint64_t page)
{
	struct distance_page *p = page_place(d->pages, d->page_cap, page);

	if (!p->page) {
		if (2 * ++d->page_count > d->page_cap) {
			pages_grow(d);
			p = page_place(d->pages, d->page_cap, page);
		}
		assert(d->slots <= UINT32_MAX - DISTANCE_PAGE_LINES);
		*p = (struct distance_page){ page, (uint32_t)d->slots };
		d->slots += DISTANCE_PAGE_LINES;
		d->when = ml_grow(d->when, &d->room, d->slots, sizeof(*d->when));
	}
	d->recent[page % DISTANCE_PAGES] = *p;
	return p->slot;
}

static void find_slots(struct ml_distance *d)
{
	uint32_t *slot = d->slot + DISTANCE_WINDOW;

	for (size_t i = 0; i < d->count; i++) {
		uint64_t page = d->kept[i] / DISTANCE_PAGE_LINES + 1;
		const struct distance_page *p = &d->recent[page % DISTANCE_PAGES];
		uint32_t first = p->page == page ? p->slot : page_slot(d, page);

		slot[i] = first + (uint32_t)(d->kept[i] % DISTANCE_PAGE_LINES);
	}
}

/*
 * Restarts the numbers of uses before they overflow, and renumbers those in the window.
 */
static void number_anew(struct ml_distance *d)
{
	d->now = DISTANCE_FIRST_USE;
	for (uint32_t i = 0; i < DISTANCE_WINDOW; i++)
		if (!d->again[i])
			d->when[d->slot[i]] = d->now - DISTANCE_WINDOW + i;
}

static void block_run(struct ml_distance *d, const uint64_t *line, size_t count,
		      uint32_t *distance)
{
	d->ops->differ(d, line, count);
	size_t n = d->count;

	find_slots(d);
	if (d->now > UINT32_MAX - DISTANCE_USES)
		number_anew(d);
	/* before any use of the block has a moment that could change */
	order_reserve(&d->order, (uint32_t)n, d->when);
	/* the prefetches beyond the end read this */
	memset(d->slot + DISTANCE_WINDOW + n, 0, DISTANCE_AHEAD * sizeof(*d->slot));
	memset(d->again + DISTANCE_WINDOW, 0, n);
	d->ops->trace(d);
	d->ops->window(d);
	d->ops->push(d);
	if (distance) {
		memset(distance, 0, count * sizeof(*distance));
		for (size_t i = 0; i < n; i++)
			distance[d->at[i]] = d->near[i];
	}
	d->ops->ask(d, distance);
	d->same += count - n;
	memmove(d->slot, d->slot + n, DISTANCE_WINDOW * sizeof(*d->slot));
	memmove(d->gap, d->gap + n, DISTANCE_WINDOW);
	memmove(d->again, d->again + n, DISTANCE_WINDOW);
	d->now += (uint32_t)n;
}

void ml_distance_run(struct ml_distance *d, const uint64_t *line, size_t count,
		     uint32_t *distance)
{
	for (size_t done = 0; done < count; done += DISTANCE_BLOCK) {
		size_t n = count - done < DISTANCE_BLOCK ? count - done : DISTANCE_BLOCK;

		block_run(d, line + done, n, distance ? distance + done : NULL);
	}
}

const struct ml_distances *ml_distance_histogram(struct ml_distance *d)
{
	struct ml_distances *h = &d->histogram;

	ml_distances_add(h, 0, d->same);
	for (uint32_t i = 0; i <= DISTANCE_WINDOW; i++)
		for (unsigned k = 0; k < DISTANCE_TABLES; k++)
			ml_distances_add(h, i, d->near_hits[k][i]);
	for (size_t i = 0; i < DISTANCE_BUCKETS; i++) {
		uint64_t times = d->far_hits[0][i] + d->far_hits[1][i];
		bool never = i + 1 == DISTANCE_BUCKETS;

		if (times)
			ml_distances_add(
				h, never ? ML_NEVER : (uint32_t)distance_first(i), times);
	}
	d->same = 0;
	memset(d->near_hits, 0, sizeof(d->near_hits));
	memset(d->far_hits, 0, sizeof(d->far_hits));
	return h;
}
