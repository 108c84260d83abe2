#include "lib/analyse/tally.h"

#include <string.h>

#include "lib/base/pool.h"
#include "lib/trace/ref.h"
#include "lib/trace/space.h"
#include "lib/trace/trace.h"

enum { MEMO_BITS = 15, THREADS = 1 << 16 };

/* A pass while it runs. Cells are found by hash; the memo spares most of that. */
struct pass {
	struct ml_tally *tally;
	struct ml_space *space;
	struct ml_footprint footprint;
	struct ml_map pairs,
		index; /* site and caller -> number; that and region -> cell */
	struct ml_tally_cell *memo[1 << MEMO_BITS];
	ml_tally_tick *tick;
	void *arg;
	uint32_t region[ML_BATCH]; /* of the batch */
};

static struct ml_tally_cell *find_cell(struct pass *p, const struct ml_ref *ref,
				       uint32_t region)
{
	struct ml_tally *tally = p->tally;
	bool is_new;
	uint64_t *pair = ml_map_add(&p->pairs, (uint64_t)ref->caller << 32 | ref->site,
				    &is_new);

	if (is_new)
		*pair = p->pairs.count;
	uint64_t *cell = ml_map_add(&p->index, (uint64_t)region << 32 | *pair, &is_new);
	if (is_new) {
		*cell = tally->count;
		tally->cells = ml_grow(tally->cells, &tally->cap, tally->count + 1,
				       sizeof(*tally->cells));
		struct ml_tally_cell *c = ml_arena_alloc(&tally->arena, sizeof(*c));
		c->site = ref->site;
		c->caller = ref->caller;
		c->region = region;
		c->first = ref->time;
		tally->cells[tally->count++] = c;
	}
	return tally->cells[*cell];
}

static uint32_t memo_slot(uint32_t site, uint32_t caller, uint32_t region)
{
	return ((site + caller * 0x85ebca6bu) * 0x9e3779b1u ^ region * 0xc2b2ae35u) >>
	       (32 - MEMO_BITS);
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
		struct ml_tally_cell **memo = &p->memo[memo_slot(site, caller, region)];
		struct ml_tally_cell *c = *memo;
		unsigned size = ml_what_size(b->what[i]);

		if (!c || c->site != site || c->caller != caller || c->region != region) {
			struct ml_ref ref = ml_batch_ref(b, i);

			c = *memo = find_cell(p, &ref, region);
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
	tally->threads = ml_arena_alloc(&tally->arena, THREADS * sizeof(*tally->threads));
	p->tally = tally;
	p->space = space;
	p->tick = tick;
	p->arg = arg;
	bool ok = ml_trace_each(t, 0, t->count, cpus > 1 ? cpus < 4 ? cpus - 1 : 3 : 0,
				count_batch, p, err);
	tally->regions = ml_space_regions(space);
	tally->region_lines = ml_arena_alloc(
		&tally->arena, tally->regions * sizeof(*tally->region_lines));
	ml_footprint_lines(&p->footprint, tally->region_lines);
	tally->total = ml_footprint_total(&p->footprint);
	ml_footprint_release(&p->footprint);
	ml_map_release(&p->pairs);
	ml_map_release(&p->index);
	ml_arena_release(&a);
	return ok;
}

void ml_tally_release(struct ml_tally *tally)
{
	ml_free(tally->cells);
	ml_arena_release(&tally->arena);
	*tally = (struct ml_tally){ 0 };
}
