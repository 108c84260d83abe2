#include "lib/analyse/tally.h"

#include <string.h>

#include "lib/base/pool.h"
#include "lib/trace/ref.h"
#include "lib/trace/space.h"
#include "lib/trace/trace.h"

enum { THREADS = 1 << 16 };

/* So that a cell found is a cell of the tally. */
_Static_assert(offsetof(struct ml_tally_cell, region) == offsetof(struct ml_cell, region),
	       "a tally's cell begins like a cell");

struct pass {
	struct ml_tally *tally;
	struct ml_space *space;
	struct ml_footprint footprint;
	ml_tally_tick *tick;
	void *arg;
	uint32_t region[ML_BATCH]; /* of the batch */
};

static struct ml_tally_cell *find_cell(struct ml_tally *tally, const struct ml_ref *ref,
				       uint32_t region)
{
	bool is_new;
	struct ml_tally_cell *c = ml_cells_find(&tally->found, ref->site, ref->caller,
						region, &is_new);

	if (is_new)
		c->first = ref->time;
	return c;
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
	ml_space_batch(p->space, b, p->region);
	count_threads(p->tally->threads, b);
	for (size_t i = 0; i < b->count; i++) {
		uint32_t site = b->site[i], caller = b->caller[i], region = p->region[i];
		struct ml_tally_cell *c = ml_cells_recent(&p->tally->found, site, caller,
							  region);
		unsigned size = ml_what_size(b->what[i]);

		if (!c) {
			struct ml_ref ref = ml_batch_ref(b, i);

			c = find_cell(p->tally, &ref, region);
		}
		c->count[ml_what_kind(b->what[i])]++;
		ml_footprint_touch(&p->footprint, &c->touch, region, b->addr[i],
				   size ? size : 1);
	}
	if (p->tick)
		p->tick(p->arg, b->time + b->count);
	return true;
}

bool ml_tally_run(struct ml_tally *tally, struct ml_trace *t, struct ml_space *space,
		  ml_tally_tick *tick, void *arg, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct pass *p = ml_arena_alloc(&a, sizeof(*p));
	unsigned cpus = ml_cpus();

	*tally = (struct ml_tally){ 0 };
	ml_cells_init(&tally->found, sizeof(struct ml_tally_cell));
	tally->threads = ml_arena_alloc(&tally->arena, THREADS * sizeof(*tally->threads));
	p->tally = tally;
	p->space = space;
	p->tick = tick;
	p->arg = arg;
	bool ok = ml_trace_each(t, 0, t->count, cpus > 1 ? cpus < 4 ? cpus - 1 : 3 : 0,
				count_batch, p, err);
	tally->cells = (struct ml_tally_cell **)tally->found.at;
	tally->count = tally->found.count;
	tally->regions = ml_space_regions(space);
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
	ml_arena_release(&a);
	return ok;
}

void ml_tally_release(struct ml_tally *tally)
{
	ml_cells_release(&tally->found);
	ml_arena_release(&tally->arena);
	*tally = (struct ml_tally){ 0 };
}
