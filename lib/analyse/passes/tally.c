#include "lib/analyse/passes/tally.h"

#include <string.h>

#include "lib/base/pool.h"
#include "lib/trace/ref.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"

enum { THREADS = 1 << 16 };

struct pass {
	struct ml_tally *tally;
	struct ml_region_lookup *lookup;
	struct ml_footprint footprint;
	const struct ml_work *work;
	uint64_t total; /* references */
	/* by cell number of the region lookup; NULL: not met yet */
	struct ml_tally_cell **by_number;
	size_t number_cap;
	uint32_t cell[ML_BATCH]; /* of the batch */
};

static struct ml_tally_cell *add_cell(struct pass *p, uint32_t number, uint64_t time)
{
	struct ml_tally *t = p->tally;
	const struct ml_cell *from = ml_region_lookup_cell(p->lookup, number);
	struct ml_tally_cell *c = ml_arena_alloc(&t->arena, sizeof(*c));

	c->site = from->site;
	c->caller = from->caller;
	c->region = from->region;
	c->first = time;
	t->cells = ml_grow(t->cells, &t->cap, t->count + 1, sizeof(*t->cells));
	t->cells[t->count++] = c;
	return p->by_number[number] = c;
}

/* Mostly one thread makes a whole batch. */
static void count_threads(uint64_t *threads, const struct ml_batch *b)
{
	if (!memcmp(b->thread, b->thread + 1, (b->count - 1) * sizeof(*b->thread))) {
		threads[b->thread[0]] += b->count;
		return;
	}
	for (size_t i = 0; i < b->count; i++)
		threads[b->thread[i]]++;
}

static bool count_batch(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct pass *p = arg;

	(void)err;
	if (!b->count)
		return true;
	ml_region_lookup_cells(p->lookup, b, p->cell);
	p->by_number = ml_grow(p->by_number, &p->number_cap,
			       ml_region_lookup_cell_count(p->lookup),
			       sizeof(*p->by_number));
	count_threads(p->tally->threads, b);
	for (size_t i = 0; i < b->count; i++) {
		struct ml_tally_cell *c = p->by_number[p->cell[i]];
		unsigned size = ml_what_size(b->what[i]);

		if (!c)
			c = add_cell(p, p->cell[i], b->time + i);
		c->count[ml_what_kind(b->what[i])]++;
		ml_footprint_touch(&p->footprint, &c->touch, c->region, b->addr[i],
				   size ? size : 1);
	}
	ml_work_progress(p->work, "counting", b->time + b->count, p->total);
	return ml_work_goes_on(p->work, err);
}

bool ml_tally_run(struct ml_tally *tally, struct ml_trace *t,
		  struct ml_region_lookup *lookup, const struct ml_work *work,
		  struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct pass *p = ml_arena_alloc(&a, sizeof(*p));
	unsigned cpus = ml_cpus();

	*tally = (struct ml_tally){ 0 };
	tally->threads = ml_arena_alloc(&tally->arena, THREADS * sizeof(*tally->threads));
	p->tally = tally;
	p->lookup = lookup;
	p->work = work;
	p->total = t->count;
	bool ok = ml_trace_each(t, 0, t->count, cpus > 1 ? cpus < 4 ? cpus - 1 : 3 : 0,
				count_batch, p, err);
	tally->regions = ml_region_lookup_regions(lookup);
	tally->region_lines = ml_arena_alloc(
		&tally->arena, tally->regions * sizeof(*tally->region_lines));
	ml_footprint_lines(&p->footprint, tally->region_lines);
	tally->region_low = ml_arena_alloc(&tally->arena,
					   tally->regions * sizeof(*tally->region_low));
	tally->region_high = ml_arena_alloc(&tally->arena,
					    tally->regions * sizeof(*tally->region_high));
	ml_footprint_bounds(&p->footprint, tally->region_low, tally->region_high);
	tally->total = ml_footprint_total(&p->footprint);
	ml_footprint_release(&p->footprint);
	ml_free(p->by_number);
	ml_arena_release(&a);
	return ok;
}

void ml_tally_release(struct ml_tally *tally)
{
	ml_free(tally->cells);
	ml_arena_release(&tally->arena);
	*tally = (struct ml_tally){ 0 };
}
