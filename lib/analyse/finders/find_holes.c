/*
 * Holes: bytes of each element that belong to no field. The compiler leaves them so that
 * fields are aligned, or the programmer asked for more alignment than the fields need.
 * Unlike fields that a loop does not use (find_fields.c) nobody ever wants them. The
 * simulated change orders the fields by their alignment, which leaves holes at the end at
 * most.
 *
 * Elements that several threads write may be padded on purpose, so that each has a line
 * of its own. These are left alone.
 */
#include <stdlib.h>

#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

enum { MAX_REGIONS = 3, MAX_ELEM = 64 * 1024, MIN_ELEMENTS = 64, NO_THREAD = -1 };

struct holes {
	uint32_t region;
	uint64_t elem, packed; /* bytes of an element, now and without holes */
	uint64_t inside;       /* bytes of no field */
	int32_t writer;        /* thread, or NO_THREAD */
	bool shared;           /* several threads write */
	uint32_t *to;          /* by byte of an element: its new offset */
	size_t trial;
};

struct mine {
	struct holes holes[MAX_REGIONS];
	size_t count;
};

/* What a field of this size is aligned to, at least for all basic types. */
static uint64_t alignment(const struct ml_field *x)
{
	uint64_t a = 8;

	while (x->size % a || x->offset % a)
		a /= 2;
	return a;
}

static int by_alignment(const void *a, const void *b)
{
	const struct ml_field *x = *(const struct ml_field *const *)a;
	const struct ml_field *y = *(const struct ml_field *const *)b;

	if (alignment(x) != alignment(y))
		return alignment(x) > alignment(y) ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Lays the fields out anew. False: they overlap, or reach beyond the element. */
static bool pack(struct ml_find *f, const struct ml_region *r, struct holes *h)
{
	const struct ml_field **order = ml_arena_alloc(f->arena,
						       (r->fields + 1) * sizeof(*order));
	uint64_t at = 0, used = 0, end = 0, wide = 1;

	h->elem = r->elem;
	h->to = ml_arena_alloc(f->arena, r->elem * sizeof(*h->to));
	for (uint32_t i = 0; i < r->fields; i++) {
		const struct ml_field *x = order[i] = &f->tables->fields.at[r->field + i];

		if (!x->size || x->offset < end || x->offset + x->size > r->elem)
			return false;
		end = x->offset + x->size;
		used += x->size;
	}
	qsort(order, r->fields, sizeof(*order), by_alignment);
	for (uint32_t i = 0; i < r->fields; i++) {
		uint64_t a = alignment(order[i]);

		wide = a > wide ? a : wide;
		at = (at + a - 1) / a * a;
		for (uint64_t k = 0; k < order[i]->size; k++)
			h->to[order[i]->offset + k] = (uint32_t)at++;
	}
	h->packed = (at + wide - 1) / wide * wide;
	h->inside = r->elem - used;
	return true;
}

static bool known(const struct mine *m, uint32_t region)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->holes[i].region == region)
			return true;
	return false;
}

static bool fits(struct ml_find *f, uint32_t region, struct holes *h)
{
	const struct ml_region *r = &f->tables->regions.at[region];
	size_t blocks;

	*h = (struct holes){ .region = region, .writer = NO_THREAD };
	return r->fields && r->elem > 1 && r->elem <= MAX_ELEM &&
	       ml_find_sum(f, region).excess >= f->min_cycles &&
	       ml_find_block_size(f, region, &blocks) / r->elem * blocks >=
		       MIN_ELEMENTS &&
	       pack(f, r, h) && 10 * h->packed <= 9 * h->elem;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		uint32_t region = f->spots[i].region;

		if (ml_find_negligible(f, &f->spots[i]))
			break;
		if (ml_find_movable(f, region) && !known(m, region) &&
		    fits(f, region, &m->holes[m->count]))
			m->count++;
	}
	if (m->count)
		ml_find_watch(f);
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;
	const struct ml_batch *b = s->refs;

	(void)f;
	for (size_t i = 0; i < b->count; i++)
		for (size_t k = 0; k < m->count; k++) {
			struct holes *h = &m->holes[k];

			if (s->region[i] != h->region ||
			    ml_what_kind(b->what[i]) != ML_WRITE)
				continue;
			h->shared |= h->writer != NO_THREAD && h->writer != b->thread[i];
			h->writer = b->thread[i];
		}
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++) {
		struct holes *h = &m->holes[i];

		if (!h->shared)
			h->trial =
				ml_find_try(f,
					    &(struct ml_change){ .kind = ML_CHANGE_SPLIT,
								 .region = h->region,
								 .pitch = h->elem,
								 .unit = h->packed,
								 .to = h->to },
					    NULL);
	}
}

static void tell(struct ml_find *f, const struct holes *h, double saved)
{
	const char *name = ml_find_region(f, h->region);
	const struct ml_trial *t = &f->tried[h->trial].trial;
	struct ml_spot sum = ml_find_sum(f, h->region);
	struct ml_candidate *c = ml_find_add(f, h->region, ml_find_worst(f, h->region),
					     saved, true);

	ml_find_tried(f, c, h->trial);
	c->finding.title = ml_arena_printf(f->arena, "elements of %s have holes", name);
	ml_find_say(f, c,
		    "%s of the %s of each element belong to no field: padding, which "
		    "nobody ever uses. Fields that are not used are another matter.",
		    ml_find_count(f, h->inside), ml_find_bytes(f, h->elem));
	ml_find_say(f, c, "%s.", ml_find_misses(f, sum.served));
	ml_find_say(f, c, "With elements of %s, its misses of %s change from %s to %s.",
		    ml_find_bytes(f, h->packed), f->p->machine.level[0].name,
		    ml_find_count(f, ml_find_missed(t->region_before, 1)),
		    ml_find_count(f, ml_find_missed(t->region_after, 1)));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"order the fields of %s by size, the largest first, and ask for no more "
		"alignment than they need: %s instead of %s. Legal if nothing outside "
		"knows the layout (files, other programs, vector code that needs the "
		"alignment)",
		name, ml_find_bytes(f, h->packed), ml_find_bytes(f, h->elem));
	ml_find_fact(c, "element", (double)h->elem);
	ml_find_fact(c, "holes", (double)h->inside);
	ml_find_fact(c, "packed", (double)h->packed);
	ml_find_fact(c, "misses_tried", (double)ml_find_missed(t->region_before, 1));
	ml_find_fact(c, "misses_predicted", (double)ml_find_missed(t->region_after, 1));
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == h->region)
			ml_find_claim(f, c, &f->spots[i], f->spots[i].excess);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; f->simulated && i < m->count; i++) {
		const struct holes *h = &m->holes[i];
		double saved = h->shared ? 0 : ml_find_saved(f, h->trial);

		if (saved >= f->min_cycles)
			tell(f, h, saved);
	}
}

const struct ml_finder ml_find_holes = {
	.kind = "holes",
	.rule = "Padding inside a structure fills a part of each cache line.",
	.view = { .name = "regions",
		  .miss = "A line of {line} bytes comes in, with the holes between the "
			  "fields, which nobody uses." },
	.weight = 1.1, /* another order of fields is a smaller change than two arrays */
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
};
