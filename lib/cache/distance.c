#include "lib/cache/distance.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/cache/distance_state.h"
#include "lib/cache/quick.h"

enum { PAGE_LINES = 64 };

struct ml_distance *ml_distance_open(void)
{
	size_t size = sizeof(struct ml_distance);
	struct ml_distance *d = ml_resize(NULL, size);

	memset(d, 0, size);
	d->ops = &distance_plain;
#if defined(__x86_64__)
	if (ml_quick_has(ML_QUICK_AVX512))
		d->ops = &distance_avx512;
	else if (ml_quick_has(ML_QUICK_AVX2))
		d->ops = &distance_avx2;
#endif
	order_init(&d->order);
	d->slots = PAGE_LINES; /* slot 0 is none */
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

/* The first slot of a page (its number + 1), which gets some if it is new. */
static uint32_t page_slot(struct ml_distance *d, uint64_t page)
{
	struct distance_page *p = page_place(d->pages, d->page_cap, page);

	if (!p->page) {
		if (2 * ++d->page_count > d->page_cap) {
			pages_grow(d);
			p = page_place(d->pages, d->page_cap, page);
		}
		assert(d->slots <= UINT32_MAX - PAGE_LINES);
		*p = (struct distance_page){ page, (uint32_t)d->slots };
		d->slots += PAGE_LINES;
		d->when = ml_grow(d->when, &d->room, d->slots, sizeof(*d->when));
	}
	d->recent[page % DISTANCE_PAGES] = *p;
	return p->slot;
}

static void find_slots(struct ml_distance *d)
{
	for (size_t i = 0; i < d->count; i++) {
		uint64_t page = d->kept[i] / PAGE_LINES + 1;
		const struct distance_page *p = &d->recent[page % DISTANCE_PAGES];
		uint32_t first = p->page == page ? p->slot : page_slot(d, page);

		d->slot[i] = first + (uint32_t)(d->kept[i] % PAGE_LINES);
	}
}

void ml_distance_run(struct ml_distance *d, const uint64_t *line, size_t count,
		     uint32_t *distance)
{
	for (size_t done = 0; done < count; done += DISTANCE_BLOCK) {
		size_t n = count - done < DISTANCE_BLOCK ? count - done : DISTANCE_BLOCK;
		uint32_t *out = distance ? distance + done : NULL;

		if (out)
			memset(out, 0, n * sizeof(*out));
		d->ops->differ(d, line + done, n);
		find_slots(d);
		d->ops->front(d, out);
		/* what is fetched ahead behind the end */
		memset(&d->asks[d->ask_count], 0, DISTANCE_PAD * sizeof(*d->asks));
		d->ops->ask(d, out);
		ml_distances_add(&d->histogram, 0, n - d->count);
		for (uint32_t i = 0; i < DISTANCE_FRONT; i++)
			ml_distances_add(&d->histogram, i, d->front_hits[i]);
		memset(d->front_hits, 0, sizeof(d->front_hits));
	}
}

const struct ml_distances *ml_distance_histogram(const struct ml_distance *d)
{
	return &d->histogram;
}
