/*
 * Cells of whole batches. References of an instruction mostly go where its last one
 * went, so the common case is one record of 24 bytes and four comparisons; behind it
 * stand the place before the last, and a table by address for sites that touch many
 * blocks.
 */
#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/region_lookup_parts.h"
#include "lib/trace/trace.h"

enum {
	THREADS = 1 << 16,
	FIRST_SLOTS = 4096,
	/*
	 * Columns come from another core, or from memory, and the processor fetches ahead
	 * within a page of 4096 bytes only: they are asked for a page ahead. That is
	 * worth 0.3 to 0.5 ns a reference.
	 */
	AHEAD = 512,
	STRIP = 16, /* references for which one line of each column is asked for */
};

/* Of a spot's until. */
static const uint32_t NEVER = UINT32_MAX;
/* Times since the base up to this one fit a spot, with those of a batch behind it. */
static const uint64_t LONGEST = (uint64_t)1 << 31;

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

static struct ml_region_lookup_slot *slot_of(const struct ml_region_lookup *s,
					     const struct ml_cell *c)
{
	size_t i = hash_of(c) & (s->slot_count - 1);

	while (s->slots[i].number && !same_cell(&s->slots[i].cell, c))
		i = (i + 1) & (s->slot_count - 1);
	return &s->slots[i];
}

static void widen_slots(struct ml_region_lookup *s)
{
	size_t cap = 0, count = s->slot_count ? s->slot_count * 2 : FIRST_SLOTS;

	ml_free(s->slots);
	s->slots = ml_grow(NULL, &cap, count, sizeof(*s->slots));
	s->slot_count = count;
	for (size_t i = 0; i < s->cell_count; i++)
		*slot_of(s, &s->cells[i]) =
			(struct ml_region_lookup_slot){ s->cells[i], (uint32_t)i + 1 };
}

static uint32_t number_of(struct ml_region_lookup *s, uint32_t site, uint32_t caller,
			  uint32_t region)
{
	struct ml_cell cell = { site, caller, region };

	if (s->cell_count * 2 >= s->slot_count)
		widen_slots(s);
	struct ml_region_lookup_slot *slot = slot_of(s, &cell);
	if (!slot->number) {
		s->cells = ml_grow(s->cells, &s->cell_cap, s->cell_count + 1,
				   sizeof(*s->cells));
		s->cells[s->cell_count++] = cell;
		*slot = (struct ml_region_lookup_slot){ cell, (uint32_t)s->cell_count };
	}
	return slot->number - 1;
}

void ml_region_lookup_fill_holes(struct ml_region_lookup *s, const struct ml_block *b)
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
		s->lines[(line + i) & (ML_REGION_LOOKUP_LINES - 1)].span = 0;
}

static size_t line_of(uint64_t addr)
{
	return addr >> ML_REGION_LOOKUP_LINE_BITS & (ML_REGION_LOOKUP_LINES - 1);
}

/* Finds anew, and remembers it by address unless it is a stack. */
static const struct ml_region_lookup_line *look(struct ml_region_lookup *s,
						const struct ml_ref *ref)
{
	struct ml_region_lookup_found f = ml_region_lookup_look(s, ref);
	bool stack = ml_region_lookup_region(s, f.region)->kind == ML_REGION_STACK;
	struct ml_region_lookup_line *line = stack ? &s->stack
						   : &s->lines[line_of(ref->addr)];
	uint64_t low = f.low, span = f.high - f.low;

	if (span > UINT32_MAX) { /* the part around it */
		low = ref->addr;
		span = f.high - low < UINT32_MAX ? f.high - low : UINT32_MAX;
	}
	*line = (struct ml_region_lookup_line){
		.low = low,
		.span = (uint32_t)span,
		.until = f.hole ? ML_FOREVER : f.until,
		.region = f.region,
		.epoch = s->epoch,
		.hole = f.hole,
	};
	return line;
}

/* References of one thread; callers are raised by `who`. */
struct run {
	struct ml_region_lookup *space;
	uint32_t who;
	uint16_t thread;
};

/* The cell of a site in some region: mostly one of the last three. */
static inline uint32_t cell_in(const struct run *run, uint32_t site, uint32_t who,
			       uint32_t region)
{
	struct ml_region_lookup *s = run->space;
	const struct ml_region_lookup_spot *spot = &s->spots[site];
	struct ml_region_lookup_spare *spare = &s->spares[site];

	if (spare->region[0] == region && spot->who == who)
		return spot->cell;
	if (spare->region[1] == region && spare->second.who == who)
		return spare->second.cell;
	if (spare->elsewhere != region || spare->who != who) {
		spare->who = who;
		spare->elsewhere = region;
		spare->cell = number_of(s, site, who - run->who, region);
	}
	return spare->cell;
}

/* The cell of a reference that goes to neither of the last two places of its site. */
static uint32_t find_farther(const struct run *run, uint64_t time, uint64_t addr,
			     uint32_t site, uint32_t who)
{
	struct ml_region_lookup *s = run->space;
	struct ml_region_lookup_spot *spot = &s->spots[site];
	struct ml_region_lookup_spare *spare = &s->spares[site];
	const struct ml_region_lookup_line *line = &s->lines[line_of(addr)];

	if (!(addr - line->low < line->span && time < line->until &&
	      line->epoch == s->epoch)) {
		struct ml_ref ref = { .time = time,
				      .addr = addr,
				      .site = site,
				      .caller = who - run->who,
				      .thread = run->thread };

		line = look(s, &ref);
	}
	uint32_t cell = cell_in(run, site, who, line->region);
	uint64_t until = line->until - s->base;

	/* holes are small and many: better to go on remembering blocks */
	if (line->hole)
		return cell;
	spare->second = *spot;
	spare->region[1] = spare->region[0];
	*spot = (struct ml_region_lookup_spot){
		.low = line->low,
		.span = line->span,
		.until = until < NEVER ? (uint32_t)until : NEVER,
		.who = who,
		.cell = cell,
	};
	spare->region[0] = line->region;
	return cell;
}

/* The cell of a reference that does not go where the last one of its site went. */
static __attribute__((noinline)) uint32_t find_cell(const struct run *run, uint64_t time,
						    uint64_t addr, uint32_t site,
						    uint32_t who)
{
	struct ml_region_lookup *s = run->space;
	struct ml_region_lookup_spare *spare = &s->spares[site];
	struct ml_region_lookup_spot second = spare->second;
	uint32_t region = spare->region[1];

	if (addr - second.low >= second.span || second.who != who ||
	    time - s->base >= second.until)
		return find_farther(run, time, addr, site, who);
	spare->second = s->spots[site];
	spare->region[1] = spare->region[0];
	s->spots[site] = second;
	spare->region[0] = region;
	return second.cell;
}

static void make_spots(struct ml_region_lookup *s)
{
	size_t sites = s->trace->tables.sites.count;

	s->spots = ml_arena_alloc(&s->arena, sites * sizeof(*s->spots));
	s->spares = ml_arena_alloc(&s->arena, sites * sizeof(*s->spares));
	s->threads = ml_arena_alloc(&s->arena, THREADS * sizeof(*s->threads));
}

/*
 * What the callers of a thread's references are raised by, so that one number tells
 * callers, threads (stacks are used again by other threads) and epochs apart. When the
 * numbers have run out everything is forgotten.
 */
static uint32_t who_of(struct ml_region_lookup *s, uint16_t thread)
{
	struct ml_region_lookup_thread *t = &s->threads[thread];
	size_t sites = s->trace->tables.sites.count;

	if (t->age == s->age)
		return t->who;
	if (s->whos > UINT32_MAX - 2 * sites) {
		memset(s->spots, 0, sites * sizeof(*s->spots));
		memset(s->spares, 0, sites * sizeof(*s->spares));
		s->whos = 0;
		s->age++;
	}
	s->whos += (uint32_t)sites;
	*t = (struct ml_region_lookup_thread){ s->age, s->whos };
	return t->who;
}

/* How many references from i on are of one thread, with nothing that begins. */
static size_t run_of(const struct ml_region_lookup *s, const struct ml_batch *batch,
		     size_t i)
{
	const uint16_t *thread = batch->thread;
	uint64_t due = s->due - batch->time;
	size_t end = due < batch->count ? (size_t)due : batch->count, n = i + 1;

	/* mostly one thread makes a whole batch */
	if (!memcmp(thread + i, thread + i + 1, (end - i - 1) * sizeof(*thread)))
		return end;
	while (n < end && thread[n] == thread[i])
		n++;
	return n;
}

/* Past the end of a batch lies the next one, as a rule. */
static inline void ask_for(const void *at, size_t bytes)
{
	__builtin_prefetch((const void *)((uintptr_t)at + bytes));
}

static inline void ask_ahead(const struct ml_batch *batch, size_t i)
{
	ask_for(batch->addr + i, AHEAD * sizeof(*batch->addr));
	ask_for(batch->addr + i, (AHEAD + STRIP / 2) * sizeof(*batch->addr));
	ask_for(batch->site + i, AHEAD * sizeof(*batch->site));
	ask_for(batch->caller + i, AHEAD * sizeof(*batch->caller));
}

static void find_run(struct ml_region_lookup *s, const struct ml_batch *batch, size_t i,
		     size_t end, uint32_t *restrict cell)
{
	const uint64_t *restrict addrs = batch->addr;
	const uint32_t *restrict sites = batch->site, *restrict callers = batch->caller;
	const struct ml_region_lookup_spot *spots = s->spots;
	struct run run = { s, who_of(s, batch->thread[i]), batch->thread[i] };
	uint32_t start = (uint32_t)(batch->time - s->base);

	while (i < end) {
		size_t stop = end - i < STRIP ? end : i + STRIP;

		ask_ahead(batch, i);
		for (; i < stop; i++) {
			const struct ml_region_lookup_spot *spot = &spots[sites[i]];
			uint32_t who = run.who + callers[i];

			/* each of these nearly always holds, so none is mispredicted */
			if (__builtin_expect(addrs[i] - spot->low < spot->span &&
						     who == spot->who &&
						     start + (uint32_t)i < spot->until,
					     1))
				cell[i] = spot->cell;
			else
				cell[i] = find_cell(&run, batch->time + i, addrs[i],
						    sites[i], who);
		}
	}
}

void ml_region_lookup_cells(struct ml_region_lookup *s, const struct ml_batch *batch,
			    uint32_t *cell)
{
	if (!s->spots)
		make_spots(s);
	for (size_t i = 0, end; i < batch->count; i = end) {
		uint64_t time = batch->time + i;

		if (time >= s->due)
			ml_region_lookup_advance(s, time);
		if (s->spot_epoch != s->epoch || time - s->base >= LONGEST) {
			s->spot_epoch = s->epoch;
			s->base = time;
			s->age++;
		}
		end = run_of(s, batch, i);
		find_run(s, batch, i, end, cell);
	}
}

void ml_region_lookup_cell_regions(const struct ml_region_lookup *s, const uint32_t *cell,
				   size_t count, uint32_t *region)
{
	for (size_t i = 0; i < count; i++)
		region[i] = s->cells[cell[i]].region;
}

void ml_region_lookup_batch(struct ml_region_lookup *s, const struct ml_batch *batch,
			    uint32_t *region)
{
	ml_region_lookup_cells(s, batch, region);
	ml_region_lookup_cell_regions(s, region, batch->count, region);
}

size_t ml_region_lookup_cell_count(const struct ml_region_lookup *s)
{
	return s->cell_count;
}

const struct ml_cell *ml_region_lookup_cell(const struct ml_region_lookup *s,
					    uint32_t cell)
{
	return &s->cells[cell];
}
