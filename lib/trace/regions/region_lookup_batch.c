/*
 * Cells of whole batches. The references of a site mostly touch the block that its last
 * one touched, so the common case reads one spot of 24 bytes and compares three numbers.
 * Two further caches serve the other cases: the spot before the last one, and a table of
 * address lines for sites that touch many blocks.
 */
#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/regions/region_lookup_parts.h"
#include "lib/trace/trace.h"

enum {
	THREADS = 1 << 16,
	FIRST_SLOTS = 4096,
	/*
	 * References by which columns are prefetched. The columns come from another core
	 * or from memory, and the processor's own prefetcher stops at the end of a page
	 * of 4096 bytes. This saves 0.3 to 0.5 ns for each reference.
	 */
	PREFETCH = 512,
	STRIP = 16, /* references between two prefetches of a column */
};

/* `until` of a spot that does not expire. */
static const uint32_t NEVER = UINT32_MAX;
/* The largest time since `base` at which a batch may begin: its times fit a spot. */
static const uint64_t BASE_MAX = (uint64_t)1 << 31;

static size_t hash_of(const struct ml_cell *c)
{
	uint64_t h = ((uint64_t)c->site << 32 | c->region) * 0x9e3779b97f4a7c15u +
		     c->caller * (uint64_t)0x85ebca6b;

	return (size_t)((h ^ h >> 32) * 0xd6e8feb86659fd93u >> 32);
}

static bool same_cell(const struct ml_cell *a, const struct ml_cell *b)
{
	return a->site == b->site && a->caller == b->caller && a->region == b->region;
}

static struct ml_region_lookup_slot *slot_of(const struct ml_region_lookup *l,
					     const struct ml_cell *c)
{
	size_t i = hash_of(c) & (l->slot_count - 1);

	while (l->slots[i].number && !same_cell(&l->slots[i].cell, c))
		i = (i + 1) & (l->slot_count - 1);
	return &l->slots[i];
}

static void widen_slots(struct ml_region_lookup *l)
{
	size_t cap = 0, count = l->slot_count ? l->slot_count * 2 : FIRST_SLOTS;

	ml_free(l->slots);
	l->slots = ml_grow(NULL, &cap, count, sizeof(*l->slots));
	l->slot_count = count;
	for (size_t i = 0; i < l->cell_count; i++)
		*slot_of(l, &l->cells[i]) =
			(struct ml_region_lookup_slot){ l->cells[i], (uint32_t)i + 1 };
}

static uint32_t number_of(struct ml_region_lookup *l, uint32_t site, uint32_t caller,
			  uint32_t region)
{
	struct ml_cell cell = { site, caller, region };

	if (l->cell_count * 2 >= l->slot_count)
		widen_slots(l);
	struct ml_region_lookup_slot *slot = slot_of(l, &cell);
	if (!slot->number) {
		l->cells = ml_grow(l->cells, &l->cell_cap, l->cell_count + 1,
				   sizeof(*l->cells));
		l->cells[l->cell_count++] = cell;
		*slot = (struct ml_region_lookup_slot){ cell, (uint32_t)l->cell_count };
	}
	return slot->number - 1;
}

void ml_region_lookup_fill_holes(struct ml_region_lookup *l, const struct ml_block *b)
{
	uint64_t last = b->size > UINT64_MAX - b->addr ? UINT64_MAX
						       : b->addr + b->size - 1;
	uint64_t line = b->addr >> ML_REGION_LOOKUP_LINE_BITS;
	uint64_t count = (last >> ML_REGION_LOOKUP_LINE_BITS) - line + 1;

	if (!b->size)
		return;
	if (count > ML_REGION_LOOKUP_LINES)
		count = ML_REGION_LOOKUP_LINES;
	for (uint64_t i = 0; i < count; i++)
		l->lines[(line + i) & (ML_REGION_LOOKUP_LINES - 1)].span = 0;
}

static size_t line_of(uint64_t addr)
{
	return addr >> ML_REGION_LOOKUP_LINE_BITS & (ML_REGION_LOOKUP_LINES - 1);
}

/* Finds the place without the caches, and caches it by address unless it is a stack. */
static const struct ml_region_lookup_line *look(struct ml_region_lookup *l,
						const struct ml_ref *ref)
{
	struct ml_region_lookup_found f = ml_region_lookup_look(l, ref);
	bool stack = ml_region_lookup_region(l, f.region)->kind == ML_REGION_STACK;
	struct ml_region_lookup_line *line = stack ? &l->stack
						   : &l->lines[line_of(ref->addr)];
	uint64_t low = f.low, span = f.high - f.low;

	if (span > UINT32_MAX) { /* caches only a part */
		low = ref->addr;
		span = f.high - low < UINT32_MAX ? f.high - low : UINT32_MAX;
	}
	*line = (struct ml_region_lookup_line){
		.low = low,
		.span = (uint32_t)span,
		.until = f.hole ? ML_FOREVER : f.until,
		.region = f.region,
		.epoch = l->epoch,
		.hole = f.hole,
	};
	return line;
}

/* A run of references of one thread. */
struct run {
	struct ml_region_lookup *lookup;
	uint32_t context; /* of caller 0 */
	uint16_t thread;
};

/* The cell of a site in a region: mostly one of its last three. */
static inline uint32_t cell_in(const struct run *run, uint32_t site, uint32_t context,
			       uint32_t region)
{
	struct ml_region_lookup *l = run->lookup;
	const struct ml_region_lookup_spot *spot = &l->spots[site];
	struct ml_region_lookup_spare *spare = &l->spares[site];

	if (spare->region[0] == region && spot->context == context)
		return spot->cell;
	if (spare->region[1] == region && spare->second.context == context)
		return spare->second.cell;
	if (spare->third != region || spare->context != context) {
		spare->context = context;
		spare->third = region;
		spare->cell = number_of(l, site, context - run->context, region);
	}
	return spare->cell;
}

/* The cell of a reference that neither of the two spots of its site holds. */
static uint32_t find_farther(const struct run *run, uint64_t time, uint64_t addr,
			     uint32_t site, uint32_t context)
{
	struct ml_region_lookup *l = run->lookup;
	struct ml_region_lookup_spot *spot = &l->spots[site];
	struct ml_region_lookup_spare *spare = &l->spares[site];
	const struct ml_region_lookup_line *line = &l->lines[line_of(addr)];

	if (!(addr - line->low < line->span && time < line->until &&
	      line->epoch == l->epoch)) {
		struct ml_ref ref = { .time = time,
				      .addr = addr,
				      .site = site,
				      .caller = context - run->context,
				      .thread = run->thread };

		line = look(l, &ref);
	}
	uint32_t cell = cell_in(run, site, context, line->region);
	uint64_t until = line->until - l->base;

	/* holes are small and many, so the spots keep the blocks */
	if (line->hole)
		return cell;
	spare->second = *spot;
	spare->region[1] = spare->region[0];
	*spot = (struct ml_region_lookup_spot){
		.low = line->low,
		.span = line->span,
		.until = until < NEVER ? (uint32_t)until : NEVER,
		.context = context,
		.cell = cell,
	};
	spare->region[0] = line->region;
	return cell;
}

/* The cell of a reference that the spot of its site does not hold. */
static __attribute__((noinline)) uint32_t find_cell(const struct run *run, uint64_t time,
						    uint64_t addr, uint32_t site,
						    uint32_t context)
{
	struct ml_region_lookup *l = run->lookup;
	struct ml_region_lookup_spare *spare = &l->spares[site];
	struct ml_region_lookup_spot second = spare->second;
	uint32_t region = spare->region[1];

	if (addr - second.low >= second.span || second.context != context ||
	    time - l->base >= second.until)
		return find_farther(run, time, addr, site, context);
	spare->second = l->spots[site];
	spare->region[1] = spare->region[0];
	l->spots[site] = second;
	spare->region[0] = region;
	return second.cell;
}

static void make_spots(struct ml_region_lookup *l)
{
	size_t sites = l->trace->tables.sites.count;

	l->spots = ml_arena_alloc(&l->arena, sites * sizeof(*l->spots));
	l->spares = ml_arena_alloc(&l->arena, sites * sizeof(*l->spares));
	l->threads = ml_arena_alloc(&l->arena, THREADS * sizeof(*l->threads));
}

/*
 * The context of a thread's references without a caller; a caller adds its site number.
 * One context then stands for one caller, thread (threads may reuse stacks) and epoch.
 * When the numbers run out, all spots are cleared.
 */
static uint32_t context_of(struct ml_region_lookup *l, uint16_t thread)
{
	struct ml_region_lookup_thread *t = &l->threads[thread];
	size_t sites = l->trace->tables.sites.count;

	if (t->age == l->age)
		return t->context;
	if (l->contexts > UINT32_MAX - 2 * sites) {
		memset(l->spots, 0, sites * sizeof(*l->spots));
		memset(l->spares, 0, sites * sizeof(*l->spares));
		l->contexts = 0;
		l->age++;
	}
	l->contexts += (uint32_t)sites;
	*t = (struct ml_region_lookup_thread){ l->age, l->contexts };
	return t->context;
}

/* The end of the run from i on: references of one thread, before `due`. */
static size_t run_of(const struct ml_region_lookup *l, const struct ml_batch *batch,
		     size_t i)
{
	const uint16_t *thread = batch->thread;
	uint64_t due = l->due - batch->time;
	size_t end = due < batch->count ? (size_t)due : batch->count, n = i + 1;

	/* mostly a batch has one thread */
	if (!memcmp(thread + i, thread + i + 1, (end - i - 1) * sizeof(*thread)))
		return end;
	while (n < end && thread[n] == thread[i])
		n++;
	return n;
}

/* Beyond the end of a batch usually lies the next one. */
static inline void prefetch(const void *at, size_t bytes)
{
	__builtin_prefetch((const void *)((uintptr_t)at + bytes));
}

static inline void prefetch_columns(const struct ml_batch *batch, size_t i)
{
	prefetch(batch->addr + i, PREFETCH * sizeof(*batch->addr));
	prefetch(batch->addr + i, (PREFETCH + STRIP / 2) * sizeof(*batch->addr));
	prefetch(batch->site + i, PREFETCH * sizeof(*batch->site));
	prefetch(batch->caller + i, PREFETCH * sizeof(*batch->caller));
}

static void find_run(struct ml_region_lookup *l, const struct ml_batch *batch, size_t i,
		     size_t end, uint32_t *restrict cell)
{
	const uint64_t *restrict addrs = batch->addr;
	const uint32_t *restrict sites = batch->site, *restrict callers = batch->caller;
	const struct ml_region_lookup_spot *spots = l->spots;
	struct run run = { l, context_of(l, batch->thread[i]), batch->thread[i] };
	uint32_t start = (uint32_t)(batch->time - l->base);

	while (i < end) {
		size_t stop = end - i < STRIP ? end : i + STRIP;

		prefetch_columns(batch, i);
		for (; i < stop; i++) {
			const struct ml_region_lookup_spot *spot = &spots[sites[i]];
			uint32_t context = run.context + callers[i];

			/* each condition nearly always holds, so the processor predicts
			 * it */
			if (__builtin_expect(addrs[i] - spot->low < spot->span &&
						     context == spot->context &&
						     start + (uint32_t)i < spot->until,
					     1))
				cell[i] = spot->cell;
			else
				cell[i] = find_cell(&run, batch->time + i, addrs[i],
						    sites[i], context);
		}
	}
}

void ml_region_lookup_cells(struct ml_region_lookup *l, const struct ml_batch *batch,
			    uint32_t *cell)
{
	if (!l->spots)
		make_spots(l);
	for (size_t i = 0, end; i < batch->count; i = end) {
		uint64_t time = batch->time + i;

		if (time >= l->due)
			ml_region_lookup_advance(l, time);
		if (l->spot_epoch != l->epoch || time - l->base >= BASE_MAX) {
			l->spot_epoch = l->epoch;
			l->base = time;
			l->age++;
		}
		end = run_of(l, batch, i);
		find_run(l, batch, i, end, cell);
	}
}

void ml_region_lookup_cell_regions(const struct ml_region_lookup *l, const uint32_t *cell,
				   size_t count, uint32_t *region)
{
	for (size_t i = 0; i < count; i++)
		region[i] = l->cells[cell[i]].region;
}

void ml_region_lookup_batch(struct ml_region_lookup *l, const struct ml_batch *batch,
			    uint32_t *region)
{
	ml_region_lookup_cells(l, batch, region);
	ml_region_lookup_cell_regions(l, region, batch->count, region);
}

size_t ml_region_lookup_cell_count(const struct ml_region_lookup *l)
{
	return l->cell_count;
}

const struct ml_cell *ml_region_lookup_cell(const struct ml_region_lookup *l,
					    uint32_t cell)
{
	return &l->cells[cell];
}
