/*
 * Cells of regions against what follows from the references one by one: counts, reuse,
 * stack distance by looking back, used bytes by a cache that is a list.
 */
#include "lib/query/trace/pictures/grids.h"

#include <stdlib.h>

#include "lib/cache/machine/machine.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/trace/open/selection.h"
#include "lib/query/trace/open/walk.h"
#include "lib/trace/text/model.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

enum { REFS = 60000, CELLS = 4096 };

/* A reference as the walk tells of it. */
struct one {
	uint64_t addr, offset;
	uint32_t region, size;
	bool write;
	unsigned served;
};

static struct ml_workspace workspace;
static struct ml_open_sim *sim;
static struct ml_err err;
static struct ml_arena arena;
static struct one refs[REFS];
static size_t count;

static bool collect(void *arg, const struct ml_walk_events *w, struct ml_err *e)
{
	const struct ml_batch *b = w->e.refs;

	(void)arg;
	(void)e;
	for (size_t i = 0; i < b->count; i++)
		refs[count++] = (struct one){ b->addr[i],
					      w->offset[i],
					      w->e.region[i],
					      ml_what_size(b->what[i]),
					      ml_what_kind(b->what[i]) == ML_WRITE,
					      ml_outcome_served(w->e.outcome[i]) };
	return true;
}

static void open_workspace(const char *machine)
{
	struct ml_machine m;
	uint32_t number;

	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	CHECK_OK(ml_machine_parse(&m, machine, &err), &err);
	ml_workspace_init(&workspace, ml_kinds, ml_common_routes, &m);
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
	CHECK_OK(ml_open_sim_start(&workspace, 0, &m, 0, &number, &err), &err);
	CHECK_OK(ml_open_sim_finish(&workspace, number, &err), &err);
	sim = ml_open_sim(&workspace, number, &err);
	CHECK(sim->simulation.result.refs <= REFS);
	count = 0;
	CHECK_OK(ml_walk(sim, NULL, 0, sim->simulation.result.refs,
			 ML_WALK_PLACES | ML_WALK_OUTCOMES, collect, NULL, &err),
		 &err);
}

static void open_model(const char *machine, const char *text)
{
	struct ml_model m;
	struct ml_writer *w;

	CHECK_OK(ml_model_init(&m, "model", text, strlen(text), &err), &err);
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(ml_model_run(&m, w, &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	ml_model_release(&m);
	open_workspace(machine);
}

static void open_text(const char *machine, const char *text)
{
	struct ml_writer *w;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	open_workspace(machine);
}

static void close_workspace(void)
{
	ml_workspace_close(&workspace);
	ml_arena_release(&arena);
}

static uint32_t region_of(const char *name)
{
	const struct ml_tables *t = &sim->trace->trace.tables;

	for (uint32_t i = 1; i < t->regions.count; i++)
		if (!strcmp(ml_tables_text(t, t->regions.at[i].name), name))
			return i;
	TEST_SAY("no region %s", name);
	return 0;
}

/* The cell of a byte, by the definition; SIZE_MAX: none. */
static size_t cell_of(const struct ml_grid *g, uint64_t offset)
{
	if (offset < g->first)
		return SIZE_MAX;
	uint64_t at = offset - g->first;
	uint64_t cell = g->pitch ? at / g->pitch / g->rows * g->across +
					   at % g->pitch / g->size
				 : at / g->size;

	return cell < g->count ? (size_t)cell : SIZE_MAX;
}

/* Whether a reference touches a cell. */
static bool touches(const struct ml_grid *g, const struct one *r, size_t cell)
{
	if (r->region != g->region)
		return false;
	for (uint32_t k = 0; k < r->size; k++)
		if (cell_of(g, r->offset + k) == cell)
			return true;
	return false;
}

/* Grids to try: elements, parts of elements, pieces of a matrix, a part of it. */
static size_t grids_of(struct ml_grid *g, uint32_t region)
{
	const struct ml_grid all[] = {
		{ .region = region, .size = 8, .rows = 1, .across = 1, .count = 600 },
		{ .region = region, .size = 24, .rows = 1, .across = 1, .count = 100 },
		{ .region = region,
		  .size = 3,
		  .first = 65,
		  .rows = 1,
		  .across = 1,
		  .count = 333 },
		{ .region = region,
		  .size = 16,
		  .pitch = 96,
		  .rows = 2,
		  .across = 6,
		  .count = 36 },
	};

	memcpy(g, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

static void fill(struct ml_grid *g, enum ml_grid_mode mode, uint64_t from, uint64_t to,
		 unsigned workers)
{
	struct ml_grids x = { .at = g,
			      .count = 1,
			      .mode = mode,
			      .from = from,
			      .to = to,
			      .of = 1,
			      .workers = workers };

	CHECK_OK(ml_grids_fill(&x, sim, &arena, &err), &err);
	CHECK_EQ(x.seen, to - from);
}

static void check_counts(struct ml_grid *g, uint64_t from, uint64_t to, unsigned workers)
{
	unsigned levels = sim->machine.levels + 1;
	struct ml_grid by = *g, last = *g, first = *g, reuse = *g;

	fill(g, ML_GRID_COUNT, from, to, workers);
	fill(&by, ML_GRID_SERVED, from, to, workers);
	fill(&last, ML_GRID_LAST, from, to, workers);
	fill(&first, ML_GRID_FIRST, from, to, workers);
	fill(&reuse, ML_GRID_REUSE, from, to, workers);
	for (size_t c = 0; c < g->count; c++) {
		double kind[2] = { 0 }, served[8] = { 0 }, when[2] = { 0 }, write = 0;
		double tail = 0, sum = 0, times = 0;
		unsigned level = 0;

		for (size_t i = (size_t)from; i < to; i++) {
			double now = (double)i + 1;

			if (!touches(g, &refs[i], c))
				continue;
			kind[refs[i].write]++;
			served[refs[i].served]++;
			when[refs[i].write] = now;
			level = refs[i].served;
			write = refs[i].write && write <= 0 ? now : write;
			sum += tail > 0 ? now - tail : 0;
			times += tail > 0;
			tail = now;
		}
		CHECK_EQ(g->v.read[c], kind[0]);
		CHECK_EQ(g->v.write[c], kind[1]);
		for (unsigned k = 1; k <= levels; k++)
			CHECK_EQ(by.v.served[c * levels + k - 1], served[k]);
		CHECK_EQ(last.v.read[c], when[0]);
		CHECK_EQ(last.v.write[c], when[1]);
		CHECK_EQ(last.v.level[c], level);
		CHECK_EQ(first.v.time[c], write);
		CHECK_EQ(reuse.v.sum[c], sum);
		CHECK_EQ(reuse.v.times[c], times);
	}
}

TEST(cells_have_what_the_references_say_however_many_threads_count)
{
	struct ml_grid g[8];

	open_model("L1 512 2w 64B | L2 2K 4w", "matmul 6; random 0x9000 2K 900 8 m");
	size_t n = grids_of(g, region_of("B"));
	for (size_t i = 0; i < n; i++)
		for (unsigned workers = 1; workers <= 3; workers++) {
			check_counts(&g[i], 0, count, workers);
			check_counts(&g[i], 101, count - 777, workers);
		}
	close_workspace();
}

/* Other lines since this one was touched last, counted by looking back; -1: never. */
static long distance(size_t at, size_t from, unsigned size)
{
	static bool seen[1 << 16];
	uint64_t line = refs[at].addr / size;
	long n = 0;

	memset(seen, 0, sizeof(seen));
	for (size_t i = at; i-- > from;) {
		/* the last line of a reference was touched last */
		uint64_t first = refs[i].addr / size;

		for (uint64_t k = (refs[i].addr + refs[i].size - 1) / size + 1;
		     k-- > first;) {
			if (k == line)
				return n;
			n += !seen[k % (1 << 16)];
			seen[k % (1 << 16)] = true;
		}
	}
	return -1;
}

TEST(reuse_distance_is_the_number_of_other_lines_in_between)
{
	struct ml_grid g[8];

	open_model("L1 512 2w 64B", "matmul 5 pad 1; random 0x9004 3K 600 8 r");
	size_t n = grids_of(g, region_of("A"));
	for (size_t k = 0; k < n; k++)
		for (size_t from = 0; from < 200; from += 150) {
			fill(&g[k], ML_GRID_DISTANCE, from, count - from, 0);
			for (size_t c = 0; c < g[k].count; c++) {
				double sum = 0, times = 0;

				for (size_t i = from; i < count - from; i++) {
					long d = touches(&g[k], &refs[i], c)
							 ? distance(i, from, 64)
							 : -1;

					sum += d < 0 ? 0 : (double)d;
					times += d >= 0;
				}
				CHECK_EQ(g[k].v.times[c], times);
				CHECK_EQ(g[k].v.sum[c], sum);
			}
		}
	close_workspace();
}

/* A cache of one level as a list, the line used last in front. */
struct slow_line {
	uint64_t number;
	bool counted; /* it came in within the window */
	bool used[64];
};

static void settle(const struct slow_line *l, const struct ml_grid *g, uint64_t base,
		   uint64_t bytes, double *fetched, double *used)
{
	for (unsigned k = 0; l->counted && k < 64; k++) {
		uint64_t offset = l->number * 64 + k - base;
		size_t cell = l->number * 64 + k >= base && offset < bytes
				      ? cell_of(g, offset)
				      : SIZE_MAX;

		if (cell == SIZE_MAX)
			continue;
		fetched[cell]++;
		used[cell] += l->used[k];
	}
}

/* Of a region at one place, with an LRU cache of so many sets and ways. */
static void slow_used(const struct ml_grid *g, unsigned sets, unsigned ways,
		      uint64_t from, uint64_t to, double *fetched, double *used)
{
	static struct slow_line cache[64][16];
	unsigned held[64] = { 0 };
	uint64_t base, bytes = ml_open_trace_extent(sim->trace, g->region);

	CHECK(ml_open_trace_base(sim->trace, g->region, &base));
	for (size_t i = 0; i < to; i++)
		for (uint64_t at = refs[i].addr; at < refs[i].addr + refs[i].size; at++) {
			struct slow_line *set = cache[at / 64 % sets], hit = { 0 };
			unsigned *n = &held[at / 64 % sets], k = 0;

			while (k < *n && set[k].number != at / 64)
				k++;
			hit.number = at / 64;
			hit.counted = i >= from;
			if (k < *n)
				hit = set[k];
			else if (*n < ways)
				k = (*n)++;
			else
				settle(&set[--k], g, base, bytes, fetched, used);
			memmove(set + 1, set, k * sizeof(*set));
			hit.used[at % 64] = true;
			set[0] = hit;
		}
	for (unsigned s = 0; s < sets; s++)
		for (unsigned k = 0; k < held[s]; k++)
			settle(&cache[s][k], g, base, bytes, fetched, used);
}

TEST(used_bytes_are_those_touched_before_the_line_left)
{
	static double fetched[CELLS], used[CELLS];
	struct ml_grid g[8];

	open_model(
		"L1 512 2w 64B | L2 4K 4w",
		"matmul 9 pad 2; random 0x9003 3K 3000 8 m; stride 0x100008 40 4 72 repeat 5");
	size_t n = grids_of(g, region_of("B"));
	for (size_t k = 0; k < n; k++)
		for (uint64_t from = 0; from < 2000; from += 1333) {
			uint64_t to = count - from / 2;

			memset(fetched, 0, sizeof(fetched));
			memset(used, 0, sizeof(used));
			slow_used(&g[k], 4, 2, from, to, fetched, used);
			fill(&g[k], ML_GRID_USED, from, to, 0);
			for (size_t c = 0; c < g[k].count; c++) {
				CHECK_EQ(g[k].v.bytes[c], fetched[c]);
				CHECK_EQ(g[k].v.used[c], used[c]);
			}
		}
	close_workspace();
}

/* Four lines are read at their first 8 bytes only; the second time round all but the
 * last one are gone, for the cache has two. */
TEST(used_bytes_of_a_walk_in_large_steps_are_one_in_eight)
{
	struct ml_grid g = { .size = 64, .rows = 1, .across = 1, .count = 4 };

	open_text("L1 128 2w 64B", "region A 4096 256 8\nr4096+64*4\nr4096+64*4\n");
	g.region = region_of("A");
	fill(&g, ML_GRID_USED, 0, count, 0);
	for (size_t i = 0; i < 4; i++) {
		CHECK_EQ(g.v.bytes[i], 128);
		CHECK_EQ(g.v.used[i], 16);
	}
	/* in the second half, the lines that were there before do not count */
	fill(&g, ML_GRID_USED, 6, count, 0);
	CHECK_EQ(g.v.bytes[0], 0);
	CHECK_EQ(g.v.bytes[2], 64);
	CHECK_EQ(g.v.used[2], 8);
	close_workspace();
}

/* A half of A's line is written; B beside it is another line. */
TEST(used_bytes_count_for_the_region_that_has_them)
{
	struct ml_grid g = { .size = 16, .rows = 1, .across = 1, .count = 8 };

	open_text(
		"L1 128 2w 64B",
		"region A 4096 64 8\nregion B 4160 64 8\nw4096+8*4\nr4160\nr4352\nr4416\n");
	g.region = region_of("A");
	fill(&g, ML_GRID_USED, 0, count, 0);
	for (size_t i = 0; i < 4; i++) {
		CHECK_EQ(g.v.bytes[i], 16);
		CHECK_EQ(g.v.used[i], i < 2 ? 16 : 0);
	}
	CHECK_EQ(g.v.bytes[4], 0);
	close_workspace();
}

TEST(a_first_impression_sees_a_part_and_says_how_much)
{
	struct ml_grid g = { .size = 8, .rows = 1, .across = 1, .count = 64 };
	struct ml_grids x = { .at = &g, .count = 1, .mode = ML_GRID_COUNT, .hurry = 1 };

	open_model("L1 512 2w 64B", "sweep 0x10000 64 8 repeat 100 name S");
	g.region = region_of("S");
	x.to = count;
	CHECK_OK(ml_grids_fill(&x, sim, &arena, &err), &err);
	/* it is less than one piece, which is always seen */
	CHECK_EQ(x.seen, count);
	CHECK_EQ(g.v.read[63], 100);
	close_workspace();
}
