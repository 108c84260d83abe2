#include "lib/analyse/find/whatif.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/pool.h"
#include "lib/cache/distance.h"
#include "lib/cache/fast_lru.h"
#include "lib/cache/sim.h"
#include "lib/trace/trace.h"

enum { SLICES = 8, THREADS = 1 << 16 };

/*
 * Moved data must not share lines with other data. So they go to addresses that no
 * program uses, different ones for each kind of move. The low bits stay, so that only the
 * move itself changes the sets.
 */
#define SHIFTED ((uint64_t)1 << 50)
#define FIRST   ((uint64_t)1 << 51)
#define SECOND  ((uint64_t)1 << 52)
#define PADDED  ((uint64_t)1 << 53)
enum { PADDED_BITS = 40, PADDED_BLOCKS = 4096 };

static uint64_t padded(const struct ml_change *c, uint64_t offset,
		       const struct ml_change_block *b)
{
	uint64_t room = b->number % PADDED_BLOCKS << PADDED_BITS;
	uint64_t low = b->base & (((uint64_t)1 << (PADDED_BITS - 2)) - 1);

	return PADDED + room + low + offset + offset / c->pitch * c->pad;
}

static uint64_t turned(const struct ml_change *c, uint64_t offset,
		       const struct ml_change_block *b)
{
	uint64_t rows = b->size / c->pitch, columns = c->pitch / c->unit;
	uint64_t row = offset / c->pitch, within = offset % c->pitch;

	if (row >= rows || within >= columns * c->unit)
		return b->base + offset;
	return b->base + (within / c->unit * rows + row) * c->unit + within % c->unit;
}

/* Blocks move closer together as their elements shrink, so they still do not overlap. */
static uint64_t split(const struct ml_change *c, uint64_t offset,
		      const struct ml_change_block *b)
{
	uint64_t element = b->base / c->pitch + offset / c->pitch;
	uint32_t to = c->to[offset % c->pitch];

	if (to < c->unit)
		return FIRST + element * c->unit + to;
	return SECOND + element * c->pad + (to - c->unit);
}

uint64_t ml_change_address(const struct ml_change *c, uint64_t addr,
			   const struct ml_change_block *b)
{
	uint64_t offset = addr - b->base;

	switch (c->kind) {
	case ML_CHANGE_PAD: return padded(c, offset, b);
	case ML_CHANGE_SHIFT: return SHIFTED + addr + c->pad;
	case ML_CHANGE_TURN: return turned(c, offset, b);
	case ML_CHANGE_SPLIT: return split(c, offset, b);
	case ML_CHANGE_NONE: break;
	}
	return addr;
}

/* One simulator, of either kind. */
struct lane {
	struct ml_fast_lru *fast;
	struct ml_sim *sim;
	uint8_t served[ML_BATCH];
};

struct pass {
	struct ml_whatif *w;
	struct ml_region_lookup *lookup;
	struct lane *lanes; /* [0] is without a change */
	struct ml_distance *distance;
	uint64_t *size;  /* by region: size of a region without blocks, + 1 */
	uint16_t *cores; /* by thread: core + 1 */
	uint16_t threads;
	uint64_t total;
	uint32_t region[ML_BATCH], apart[ML_BATCH];
	uint64_t offset[ML_BATCH], block[ML_BATCH], addr[ML_BATCH];
	uint16_t core[ML_BATCH], outcome[ML_BATCH];
};

static bool lane_open(struct lane *l, const struct ml_machine *m, struct ml_err *err)
{
	if (m->cores == 1 && !ml_fast_lru_refuses(m))
		l->fast = ml_fast_lru_open(m, ML_FAST_LRU_BEST);
	else
		l->sim = ml_sim_open(m, 0, err);
	return l->fast || l->sim;
}

static void lane_close(struct lane *l)
{
	if (l->fast)
		ml_fast_lru_close(l->fast);
	if (l->sim)
		ml_sim_close(l->sim);
}

static bool lane_run(struct pass *p, struct lane *l, const struct ml_batch *b,
		     const uint64_t *addr, struct ml_err *err)
{
	struct ml_accesses a = { .count = b->count,
				 .addr = addr,
				 .what = b->what,
				 .core = p->w->machine.cores > 1 ? p->core : NULL,
				 .site = b->site };

	if (l->fast) {
		ml_fast_lru_run(l->fast, &a, l->served);
		return true;
	}
	if (!ml_sim_run(l->sim, &a, p->outcome, err))
		return false;
	for (size_t i = 0; i < b->count; i++)
		l->served[i] = (uint8_t)ml_outcome_served(p->outcome[i]);
	return true;
}

/* As in a replay: threads become cores in the order in which they appear. */
static void find_cores(struct pass *p, const struct ml_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		uint16_t *core = &p->cores[b->thread[i]];

		if (!*core)
			*core = (uint16_t)(p->threads++ % p->w->machine.cores + 1);
		p->core[i] = (uint16_t)(*core - 1);
	}
}

static void find_places(struct pass *p, const struct ml_batch *b)
{
	const uint32_t *same = p->w->same;
	size_t known = p->w->trace->tables.regions.count;

	for (size_t i = 0; i < b->count; i++) {
		struct ml_ref ref = ml_batch_ref(b, i);
		struct ml_place place = ml_region_lookup_find(p->lookup, &ref);

		p->region[i] = same && place.region < known ? same[place.region]
							    : place.region;
		p->offset[i] = place.offset;
		p->block[i] = place.block;
	}
}

static struct ml_change_block block_of(struct pass *p, const struct ml_batch *b, size_t i)
{
	uint64_t base = b->addr[i] - p->offset[i];

	if (p->block[i] != ML_NO_BLOCK)
		return (struct ml_change_block){ base,
						 p->w->trace->blocks[p->block[i]].size,
						 p->block[i] };
	uint64_t *size = &p->size[p->region[i]];
	if (!*size) {
		struct ml_place place = { p->region[i], ML_NO_BLOCK, 0 };

		*size = ml_region_lookup_size(p->lookup, &place) + 1;
	}
	return (struct ml_change_block){ base, *size - 1, 0 };
}

/* Lists the references that the change concerns; returns their number. */
static size_t concerned(struct pass *p, const struct ml_change *c,
			const struct ml_batch *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->count; i++)
		if (p->region[i] == c->region &&
		    (!c->by || c->by[b->caller[i] ? b->caller[i] : b->site[i]]))
			p->apart[n++] = (uint32_t)i;
	return n;
}

static void count_served(uint64_t *count, const uint8_t *served, size_t n)
{
	for (size_t i = 0; i < n; i++)
		count[served[i]]++;
}

static bool try(struct pass *p, size_t k, const struct ml_batch *b, struct ml_err *err)
{
	const struct ml_change *c = &p->w->changes[k];
	struct ml_trial *t = &p->w->trials[k];
	struct lane *l = &p->lanes[k + 1];
	size_t n = concerned(p, c, b);

	if (n)
		memcpy(p->addr, b->addr, b->count * sizeof(*p->addr));
	for (size_t j = 0; j < n; j++) {
		struct ml_change_block block = block_of(p, b, p->apart[j]);

		p->addr[p->apart[j]] = ml_change_address(c, b->addr[p->apart[j]], &block);
	}
	if (!lane_run(p, l, b, n ? p->addr : b->addr, err))
		return false;
	count_served(t->served, l->served, b->count);
	for (size_t j = 0; j < n; j++) {
		t->region_before[p->lanes->served[p->apart[j]]]++;
		t->region_after[l->served[p->apart[j]]]++;
	}
	return true;
}

static void show(struct pass *p, const struct ml_batch *b)
{
	struct ml_seen seen = { .refs = b,
				.region = p->region,
				.offset = p->offset,
				.block = p->block,
				.served = p->lanes->served };

	if (p->distance) {
		unsigned shift = (unsigned)__builtin_ctz(p->w->machine.level[0].line);

		for (size_t i = 0; i < b->count; i++)
			p->addr[i] = b->addr[i] >> shift;
		ml_distance_run(p->distance, p->addr, b->count, p->apart);
		seen.distance = p->apart;
	}
	p->w->see(p->w->arg, &seen);
}

static bool run_batch(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct pass *p = arg;
	struct ml_whatif *w = p->w;

	if (!ml_work_goes_on(w->work, err))
		return false;
	find_places(p, b);
	if (w->machine.cores > 1)
		find_cores(p, b);
	if (!lane_run(p, p->lanes, b, b->addr, err))
		return false;
	count_served(w->served, p->lanes->served, b->count);
	for (size_t k = 0; k < w->count; k++)
		if (!try(p, k, b, err))
			return false;
	if (w->see)
		show(p, b);
	w->refs += b->count;
	ml_work_progress(w->work, "trying changes", w->refs, p->total);
	return true;
}

static bool run_slices(struct pass *p, struct ml_err *err)
{
	struct ml_whatif *w = p->w;
	uint64_t end = w->to && w->to < w->trace->count ? w->to : w->trace->count;
	uint64_t count = w->from < end ? end - w->from : 0, slices = 1, each = count;
	unsigned cpus = ml_cpus();

	if (w->window && count > w->window) {
		slices = SLICES;
		each = w->window / SLICES ? w->window / SLICES : 1;
	}
	p->total = slices * each;
	for (uint64_t i = 0; i < slices; i++) {
		uint64_t from = w->from +
				(slices > 1 ? (count - each) / (slices - 1) * i : 0);

		if (!ml_trace_each(w->trace, from, from + each, cpus > 1 ? 1 : 0,
				   run_batch, p, err))
			return false;
	}
	return true;
}

/*
 * Leaves out parts of the machine that have no effect, or hardly any, so that ml_fast_lru
 * can simulate most machines: TLBs, L1i if there are no fetches, cores without a thread,
 * and inclusion by a level that is much larger than the one within. Both sides of a
 * comparison are simplified alike.
 */
static void simplify(struct ml_whatif *w)
{
	struct ml_machine *m = &w->machine;

	m->tlbs = 0;
	if (w->no_fetches)
		m->split = false;
	for (unsigned i = 1; i < m->levels; i++)
		if (m->level[i].size >= 4 * m->level[i - 1].size)
			m->level[i].inclusion = ML_NEITHER;
	if (w->trace->tables.threads.count > 1 || m->cores == 1)
		return;
	m->cores = 1;
	for (unsigned i = 0; i < m->levels; i++)
		m->level[i].share = 1;
	m->icache.share = 1;
}

bool ml_whatif_run(struct ml_whatif *w, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct pass *p = ml_arena_alloc(&a, sizeof(*p));
	bool ok = true;

	simplify(w);
	p->w = w;
	p->lookup = ml_region_lookup_open(w->trace, err);
	if (!p->lookup) {
		ml_arena_release(&a);
		return false;
	}
	w->refs = 0;
	memset(w->served, 0, sizeof(w->served));
	if (w->count)
		memset(w->trials, 0, w->count * sizeof(*w->trials));
	p->lanes = ml_arena_alloc(&a, (w->count + 1) * sizeof(*p->lanes));
	p->cores = ml_arena_alloc(&a, THREADS * sizeof(*p->cores));
	p->size = ml_arena_alloc(&a, w->trace->tables.regions.count * sizeof(*p->size));
	for (size_t i = 0; ok && i <= w->count; i++)
		ok = lane_open(&p->lanes[i], &w->machine, err);
	if (ok && w->distances)
		p->distance = ml_distance_open();
	ok = ok && run_slices(p, err);
	if (p->distance)
		ml_distance_close(p->distance);
	for (size_t i = 0; i <= w->count; i++)
		lane_close(&p->lanes[i]);
	ml_region_lookup_close(p->lookup);
	ml_arena_release(&a);
	return ok;
}
