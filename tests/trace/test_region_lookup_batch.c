/*
 * Cells of batches, which remember, against looking at everything for each reference:
 * on random traces in which blocks lie close together, come and go and are used again,
 * threads take turns on stacks that overlap, and references stand at every border.
 */
#include "lib/trace/regions/region_lookup_parts.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

enum { REFS = 60000, SITES = 12, BLOCKS = 200, HEAP = 0x10000, STACK = 0x400000 };

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

struct kind {
	bool blocks, registered, mappings;
};

/* Slots of 48 bytes and now and then a page or more; 8 bytes of each are malloc's. */
static struct place {
	uint64_t addr, size;
	bool live;
} places[BLOCKS];

static void make_tables(struct ml_tables *t)
{
	static const struct {
		uint64_t low, high;
	} stacks[] = { { 0x3000, 0x4000 }, { 0x10000, 0x11000 }, { 0x10800, 0x11800 } };

	for (uint16_t i = 0; i < 3; i++)
		*ML_ADD(t->threads) =
			(struct ml_thread){ .id = (uint16_t)(i + 1),
					    .until = ML_FOREVER,
					    .stack_low = STACK + stacks[i].low,
					    .stack_high = STACK + stacks[i].high };
	for (uint32_t i = 0; i < SITES; i++) {
		char name[2] = { (char)('a' + i % 5), 0 };

		ml_tables_place(t, name, "a.c", i + 1);
	}
	for (int i = 0; i < 4; i++)
		*ML_ADD(t->regions) = (struct ml_region){ .kind = ML_REGION_HEAP };
	/* a variable in the middle of a line of the heap's first page, and one below it
	 */
	for (uint64_t i = 0; i < 2; i++)
		*ML_ADD(t->globals) = (struct ml_block){ .addr = HEAP - 20 + 36 * i,
							 .size = 12,
							 .until = ML_FOREVER,
							 .region = 4 };
}

static const enum ml_mapping_kind kinds[] = { ML_MAPPING_ANON, ML_MAPPING_HEAP,
					      ML_MAPPING_NONE };

static void random_event(struct ml_writer *w, const struct kind *k)
{
	struct place *p = &places[random_below(BLOCKS)];
	struct ml_tables *t = ml_writer_tables(w);

	if (k->mappings && !random_below(400))
		*ML_ADD(t->mappings) = (struct ml_mapping){
			.time = ml_writer_time(w),
			.low = HEAP + random_below(64) * 100,
			.high = HEAP + 0x4000 + random_below(64) * 1000,
			.kind = kinds[random_below(3)],
		};
	if (k->registered && !random_below(300)) {
		uint64_t addr = HEAP + random_below(0x4000);

		ml_writer_register(w, 3, addr, random_below(300) + 1);
		if (random_below(2))
			ml_writer_unregister(w, addr);
	}
	if (!k->blocks || random_below(10))
		return;
	if (p->live)
		ml_writer_free(w, p->addr);
	else
		ml_writer_alloc(w, 1 + (uint32_t)random_below(3), p->addr, p->size);
	p->live = !p->live;
}

static uint64_t random_addr(void)
{
	const struct place *p = &places[random_below(BLOCKS)];

	switch (random_below(8)) {
	case 0: return STACK + random_below(0x13000);
	case 1: return HEAP - 64 + random_below(128);
	case 2: return p->addr - 1 - random_below(8);
	case 3: return p->addr + p->size;
	case 4: return p->addr + p->size - 1;
	default: return p->addr + random_below(p->size);
	}
}

/* Sites mostly touch the block that they touched before. */
static void write_random(const struct kind *k)
{
	uint64_t last[SITES + 1] = { 0 }, addr = HEAP + 0x40;
	uint16_t thread = 1;
	struct ml_writer *w;
	struct ml_err err;

	for (size_t i = 0; i < BLOCKS; i++) {
		uint64_t room = i % 50 ? 48 : i % 100 ? 0x1800 : 0x50000;

		places[i] = (struct place){ .addr = addr,
					    .size = room - 8 - random_below(20) };
		addr += room;
	}
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	make_tables(ml_writer_tables(w));
	for (int i = 0; i < REFS; i++) {
		uint32_t site = (uint32_t)random_below(SITES + 1);

		random_event(w, k);
		if (!random_below(40))
			thread = (uint16_t)(1 + random_below(3));
		if (!random_below(3))
			last[site] = random_addr();
		else
			last[site] += random_below(2) * 8;
		struct ml_ref ref = {
			.addr = last[site],
			.site = site,
			.caller = random_below(4) ? 0 : (uint32_t)random_below(3) + 1,
			.thread = thread,
			.what = ml_what(ML_READ, 8),
		};
		CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	}
	CHECK_OK(ml_writer_close(w, &err), &err);
}

/* A run so long that times do not fit 32 bits: its second half begins late. */
static uint64_t late(uint64_t time)
{
	return time < REFS / 2 || time == ML_FOREVER ? time : time + ((uint64_t)5 << 30);
}

static void make_late(struct ml_trace *t)
{
	for (size_t i = 0; i < t->block_count; i++) {
		t->blocks[i].from = late(t->blocks[i].from);
		t->blocks[i].until = late(t->blocks[i].until);
	}
	for (size_t i = 0; i < t->tables.mappings.count; i++)
		t->tables.mappings.at[i].time = late(t->tables.mappings.at[i].time);
}

static void check_batch(struct ml_region_lookup *all, struct ml_region_lookup *one,
			const struct ml_batch *b)
{
	static uint32_t cell[ML_BATCH], region[ML_BATCH];
	size_t met = ml_region_lookup_cell_count(all);

	ml_region_lookup_cells(all, b, cell);
	ml_region_lookup_cell_regions(all, cell, b->count, region);
	for (size_t i = 0; i < b->count; i++) {
		struct ml_ref ref = ml_batch_ref(b, i);

		if (ref.time >= one->due)
			ml_region_lookup_advance(one, ref.time);
		const struct ml_cell *c = ml_region_lookup_cell(all, cell[i]);
		struct ml_region_lookup_found f = ml_region_lookup_look(one, &ref);
		CHECK(ref.addr >= f.low && ref.addr < f.high);
		CHECK_EQ(c->region, f.region);
		CHECK_EQ(c->site, ref.site);
		CHECK_EQ(c->caller, ref.caller);
		CHECK_EQ(region[i], f.region);
		CHECK(cell[i] <=
		      met); /* numbered in the order of their first reference */
		met += cell[i] == met;
	}
	CHECK_EQ(met, ml_region_lookup_cell_count(all));
}

/* few: the numbers of contexts run out all the time. */
static void check_trace(bool shift, bool few)
{
	struct ml_trace t;
	struct ml_batch b;
	struct ml_err err;

	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_OK(ml_trace_load_blocks(&t, &err), &err);
	if (shift)
		make_late(&t);
	struct ml_region_lookup *all = ml_region_lookup_open(&t, &err),
				*one = ml_region_lookup_open(&t, &err);
	CHECK(all && one);
	struct ml_cursor *c = ml_cursor_open(&t, 0, UINT64_MAX);
	while (ml_cursor_next(c, &b, &err)) {
		/* short ones, so that what is remembered outlives them */
		for (size_t i = 0, n; i < b.count; i += n) {
			uint64_t time = b.time + i;

			n = 1 + random_below(3000);
			n = n < b.count - i ? n : b.count - i;
			if (time < REFS / 2 && REFS / 2 - time < n)
				n = REFS / 2 - time;
			struct ml_batch part = { shift ? late(time) : time,
						 n,
						 b.addr + i,
						 b.site + i,
						 b.caller + i,
						 b.thread + i,
						 b.what + i };
			if (few)
				all->contexts = UINT32_MAX - SITES;
			check_batch(all, one, &part);
		}
	}
	ml_cursor_close(c);
	ml_region_lookup_close(all);
	ml_region_lookup_close(one);
	ml_trace_close(&t);
}

static void check(struct kind k)
{
	for (seed = 1; seed < 4; seed++) {
		uint64_t start = seed;

		write_random(&k);
		check_trace(false, false);
		seed = start;
	}
}

TEST(blocks_that_begin_and_end_are_distinct_from_the_holes_between_them)
{
	check((struct kind){ .blocks = true });
}

TEST(mappings_invalidate_the_caches)
{
	check((struct kind){ .blocks = true, .mappings = true });
}

TEST(registered_regions_invalidate_the_caches)
{
	check((struct kind){ .blocks = true, .registered = true, .mappings = true });
}

TEST(without_blocks_all_is_known_up_to_the_next_thing)
{
	check((struct kind){ .mappings = true });
}

TEST(times_may_exceed_those_of_a_spot)
{
	seed = 5;
	write_random(&(struct kind){ .blocks = true });
	check_trace(true, false);
}

TEST(callers_and_threads_are_distinct_when_contexts_run_out)
{
	seed = 6;
	write_random(&(struct kind){ .blocks = true, .mappings = true });
	check_trace(false, true);
}

TEST(a_lookup_that_is_rewound_has_the_same_cells)
{
	struct ml_trace t;
	struct ml_batch b;
	struct ml_err err;
	static uint32_t first[ML_BATCH], again[ML_BATCH];

	seed = 7;
	write_random(&(struct kind){ .blocks = true, .mappings = true });
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	struct ml_region_lookup *s = ml_region_lookup_open(&t, &err);
	CHECK(s);
	struct ml_cursor *c = ml_cursor_open(&t, 0, UINT64_MAX);
	CHECK(ml_cursor_next(c, &b, &err));
	ml_region_lookup_cells(s, &b, first);
	ml_region_lookup_rewind(s);
	ml_region_lookup_cells(s, &b, again);
	for (size_t i = 0; i < b.count; i++)
		CHECK_EQ(again[i], first[i]);
	ml_cursor_close(c);
	ml_region_lookup_close(s);
	ml_trace_close(&t);
}
