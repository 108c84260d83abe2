/*
 * The profile of a simulation: counts derived by hand on short traces; on random
 * ones, that all sums are the same and that both simulators agree.
 */
#include <stdlib.h>

#include "lib/analyse/passes/profile_parts.h"
#include "lib/base/arena.h"
#include "lib/trace/regions/region_lookup.h"
#include "tests/replayed.h"

#define TINY "L1 256 2w 64B lru 4c | L2 1K 4w 10c | memory 100c"

static void profile(struct replayed *x, const char *machine, const char *text)
{
	struct ml_replay_options o = replayed_options(machine);

	replayed_write(text);
	replayed_run(x, &o, NULL);
}

static const struct ml_profile_region_row *region(const struct replayed *x,
						  const char *name)
{
	for (size_t i = 0; i < x->rows.regions.count; i++)
		if (!strcmp(x->rows.regions.at[i].name, name))
			return &x->rows.regions.at[i];
	TEST_SAY("no region %s", name);
	return NULL;
}

static const struct ml_profile_line_row *line(const struct replayed *x, uint32_t number)
{
	for (size_t i = 0; i < x->rows.lines.count; i++)
		if (x->rows.lines.at[i].at.line == number)
			return &x->rows.lines.at[i];
	TEST_SAY("no line %u", number);
	return NULL;
}

static const struct ml_profile_phase_row *phase(const struct replayed *x,
						const char *name)
{
	for (size_t i = 0; i < x->rows.phases.count; i++)
		if (!strcmp(x->rows.phases.at[i].name, name))
			return &x->rows.phases.at[i];
	TEST_SAY("no phase %s", name);
	return NULL;
}

TEST(regions_and_lines_have_their_misses)
{
	struct replayed x;

	/*
	 * L1 has two sets of two ways. Lines 0, 2 and 4 (addresses 0, 128, 256) fall into
	 * set 0: 256 drives out 0, which then comes from L2.
	 */
	profile(&x, TINY,
		"region A 0 192\nregion B 256 64\n"
		"r 0 8 1 a.c:1 f\nr 128 8 1 a.c:2 f\nr 256 8 1 a.c:3 g\nr 0 8 1 a.c:1 f\n"
		"w 8 8 1 a.c:4 g\n");
	CHECK_EQ(x.p.refs, 5);
	CHECK_EQ(x.p.kind[ML_READ], 4);
	CHECK_EQ(x.p.kind[ML_WRITE], 1);
	CHECK_EQ(x.p.served[1], 1);
	CHECK_EQ(x.p.served[2], 1);
	CHECK_EQ(x.p.served[3], 3);
	CHECK_NEAR(x.p.cycles, (4 + 10 + 300) / 5.0, 1e-9);
	CHECK_EQ(region(&x, "A")->count.refs, 4);
	CHECK_EQ(region(&x, "A")->count.missed[0], 3);
	CHECK_EQ(region(&x, "A")->count.missed[1], 2);
	CHECK_EQ(region(&x, "A")->count.cause[0][ML_CAUSE_COLD], 2);
	/* 4 lines in all fit a fully associative cache of 4 lines: a conflict */
	CHECK_EQ(region(&x, "A")->count.cause[0][ML_CAUSE_CONFLICT], 1);
	CHECK_EQ(region(&x, "B")->count.missed[1], 1);
	CHECK_EQ(line(&x, 1)->count.refs, 2);
	CHECK_EQ(line(&x, 1)->count.missed[0], 2);
	CHECK_EQ(line(&x, 1)->count.missed[1], 1);
	CHECK_NEAR(line(&x, 1)->count.lost, 96 + 6, 1e-9);
	CHECK_EQ(line(&x, 4)->count.missed[0], 0);
	CHECK_NEAR(line(&x, 4)->count.lost, 0, 0);
	CHECK_EQ(x.rows.functions.count, 2);
	CHECK_STR(x.rows.functions.at[0].at.func, "f");
	CHECK_EQ(x.rows.functions.at[0].made.refs, 3);
	/* B drove A out, once, by conflict */
	CHECK_EQ(x.p.pair_count, 1);
	CHECK_EQ(x.p.pairs[0].conflict, 1);
	CHECK_EQ(x.p.pairs[0].level, 1);
	CHECK_STR(ml_profile_region_name(&x.p, &x.trace.tables, x.p.pairs[0].loser), "A");
	CHECK_STR(ml_profile_region_name(&x.p, &x.trace.tables, x.p.pairs[0].winner),
		  "B");
	/* all in set 0 of L1 */
	CHECK_EQ(x.p.level[1].sets, 2);
	CHECK_EQ(x.p.level[1].set[0].missed, 4);
	CHECK_EQ(x.p.level[1].set[0].conflict, 1);
	CHECK_EQ(x.p.level[1].set[0].lines, 4);
	CHECK_EQ(x.p.level[1].set[1].missed, 0);
	CHECK_EQ(x.p.level[1].bytes_in, 4 * 64);
	replayed_release(&x);
}

TEST(used_bytes_are_counted_once_each)
{
	struct replayed x;

	/* of line 0 bytes 0 to 11 are read, 8 to 15 written; line 1 is only written */
	profile(&x, TINY, "region A 0 128\nr0:8 r4:8 w8:8 w64:4");
	const struct ml_profile_use *u = region(&x, "A")->use[1];
	CHECK_EQ(u->lines, 2);
	CHECK_EQ(u->bytes, 128);
	CHECK_EQ(u->used, 16 + 4);
	CHECK_EQ(u->read, 12);
	CHECK_EQ(u->written, 8 + 4);
	CHECK_EQ(u->write_first, 1);
	CHECK_EQ(u->never_read, 1);
	replayed_release(&x);
}

TEST(strides_are_those_of_each_site_and_region)
{
	struct replayed x;

	profile(&x, TINY,
		"region A 0 4096\nL a.c:1\nR 0\nR 8\nR 16\nR 24\nR 1000\nR 1008\n"
		"L a.c:2\nR 2000\nR 1900\nR 1800\n");
	const struct ml_profile_cell *c = line(&x, 1)->main;
	CHECK_EQ(c->steps, 5);
	CHECK_EQ(c->strides, 2);
	CHECK_EQ(c->stride[0].bytes, 8);
	CHECK_EQ(c->stride[0].count, 4);
	CHECK_EQ(c->stride[1].bytes, 976);
	CHECK_EQ(line(&x, 2)->main->stride[0].bytes, -100);
	CHECK_EQ(line(&x, 2)->main->stride[0].count, 2);
	replayed_release(&x);
}

TEST(a_gap_is_no_step)
{
	struct replayed x;

	profile(&x, TINY, "L a.c:1\nR 0\nR 8\ngap 3 lost\nR 100\nR 108\n");
	CHECK_EQ(line(&x, 1)->main->steps, 2);
	CHECK_EQ(line(&x, 1)->main->stride[0].bytes, 8);
	CHECK_EQ(line(&x, 1)->main->stride[0].count, 2);
	replayed_release(&x);
}

TEST(the_stride_that_comes_most_is_found_among_many)
{
	struct replayed x;
	char text[20000];
	size_t at = (size_t)snprintf(text, sizeof(text), "L a.c:1\n");
	uint64_t addr = 0;

	/* three of four steps are 24; the others are all different */
	for (unsigned i = 0; i < 400; i++) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, "R %llu\n",
				       (unsigned long long)addr);
		addr += i % 4 ? 24 : 1000 + i;
	}
	profile(&x, TINY, text);
	const struct ml_profile_cell *c = line(&x, 1)->main;
	CHECK_EQ(c->stride[0].bytes, 24);
	CHECK_EQ(c->steps, 399);
	/* at least, and at most 300 - 1 */
	CHECK(c->stride[0].count > 250 && c->stride[0].count < 300);
	replayed_release(&x);
}

TEST(phases_are_sums_of_what_happens_between_marks)
{
	struct replayed x;

	profile(&x, TINY,
		"r0\nbegin p\nr0 r64\nbegin q\nr128*3\nend q\nend p\nr0\nbegin p\nr0\nend p\n");
	CHECK_EQ(phase(&x, "p")->count.refs, 2 + 3 + 1);
	CHECK_EQ(phase(&x, "p")->times, 2);
	CHECK_EQ(phase(&x, "p")->count.missed[0], 2);
	CHECK_EQ(phase(&x, "q")->count.refs, 3);
	CHECK_EQ(phase(&x, "q")->count.missed[0], 1);
	CHECK_EQ(phase(&x, "q")->depth, 1);
	replayed_release(&x);
}

TEST(phases_of_a_window_are_cut_to_it)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options(TINY);

	replayed_write("r0\nbegin p\nr0 r64\nend p\nr0 r0\nbegin p\nr0*4\nend p\n");
	o.from = 2;
	o.to = 7;
	replayed_run(&x, &o, NULL);
	/* one of the first p (r64), two of the second */
	CHECK_EQ(phase(&x, "p")->count.refs, 3);
	CHECK_EQ(x.p.refs, 5);
	replayed_release(&x);
}

TEST(lines_that_bounce_are_named_with_both_sides)
{
	struct replayed x;

	/* two threads write their halves of one line in turn */
	profile(&x, "2 cores | L1 256 2w | L2 1K 4w shared",
		"region C 0 64\n"
		"w 0 8 1 a.c:1 f\nw 8 8 2 a.c:2 g\nw 0 8 1 a.c:1 f\nw 8 8 2 a.c:2 g\n"
		"w 0 8 1 a.c:1 f\n");
	const struct ml_tables *t = &x.trace.tables;
	CHECK_EQ(x.p.bounce_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct ml_profile_bounce *b = &x.p.bounces[i];

		CHECK_EQ(b->line, 0);
		CHECK_EQ(b->count, 2);
		/* core 1 did not have it the first time; core 0 lost it both times */
		CHECK_EQ(b->false_sharing, b->from == 1 ? 2 : 1);
		CHECK_EQ(ml_tables_frame(t, b->site_to).line, b->to + 1);
		CHECK_EQ(ml_tables_frame(t, b->site_from).line, b->from + 1);
		CHECK_STR(ml_profile_region_name(&x.p, t, b->region), "C");
	}
	replayed_release(&x);
}

TEST(false_sharing_shows_only_when_threads_are_interleaved)
{
	struct replayed x;
	struct ml_replay_options o =
		replayed_options("2 cores | L1 4K 4w | L2 64K 8w shared");
	char text[200];

	/* each thread counts in its own half of a line, 10000 times, one after the other
	 */
	snprintf(text, sizeof(text), "region C 0 64\nm0@1*10000\nm8@2*10000\n");
	replayed_write(text);
	replayed_run(&x, &o, NULL);
	CHECK_EQ(x.p.level[1].counts.cause[ML_CAUSE_FALSE_SHARING], 0);
	replayed_release(&x);
	o.interleave = 2; /* turns below 4 are of equal length */
	replayed_run(&x, &o, NULL);
	/* every turn starts with one, 10000 turns each, but for the first of each */
	CHECK_EQ(x.p.level[1].counts.cause[ML_CAUSE_FALSE_SHARING], 2 * 10000 - 2);
	replayed_release(&x);
}

TEST(an_empty_trace_has_an_empty_profile)
{
	struct replayed x;

	profile(&x, TINY, "");
	CHECK_EQ(x.p.refs, 0);
	CHECK_EQ(x.p.cell_count, 0);
	CHECK_EQ(x.p.machine.levels, 2);
	CHECK_NEAR(x.p.cycles, 0, 0);
	replayed_release(&x);
}

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* Threads, phases, gaps, heap blocks, callers, references that overlap two lines. */
static void write_random(unsigned refs)
{
	struct ml_writer *w;
	struct ml_err err;
	uint32_t regions[3];
	bool open[3] = { false, false, false };

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	struct ml_tables *t = ml_writer_tables(w);
	for (uint32_t i = 0; i < 20; i++) {
		struct ml_frame f = { ml_tables_name(t, i % 3 ? "f" : "g"),
				      ml_tables_name(t, i % 2 ? "a.c" : "b.c"),
				      10 + i % 7 };

		ml_tables_site(t, 0x1000 + i, i % 4 ? "program" : "libc.so", i % 4, &f,
			       1);
	}
	for (uint32_t i = 0; i < 3; i++) {
		regions[i] = (uint32_t)t->regions.count;
		struct ml_region *r = ML_ADD(t->regions);

		r->kind = ML_REGION_HEAP;
		r->name = ml_tables_name(t, i == 0 ? "X" : i == 1 ? "Y" : "Z");
	}
	for (unsigned i = 0; i < refs; i++) {
		uint64_t b = random_below(3), base = 0x100000 * (b + 1);

		if (random_below(500) == 0) {
			if (open[b])
				ml_writer_free(w, base);
			else
				ml_writer_alloc(w, regions[b], base, 20000);
			open[b] = !open[b];
		}
		if (random_below(700) == 0)
			ml_writer_mark(w, random_below(2) ? ML_MARK_BEGIN : ML_MARK_END,
				       "p");
		if (random_below(3000) == 0)
			ml_writer_gap(w, random_below(10), ML_GAP_SAMPLING);
		struct ml_ref ref = {
			.addr = base + random_below(random_below(4) ? 2000 : 40000),
			.site = (uint32_t)random_below(21),
			.caller = random_below(3) ? 0 : (uint32_t)random_below(20),
			.thread = (uint16_t)(1 + random_below(3)),
			.what = ml_what((enum ml_kind)random_below(2),
					(unsigned)random_below(100)),
		};
		CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	}
	CHECK_OK(ml_writer_close(w, &err), &err);
}

static void check_served(const uint64_t a[ML_SERVED], const uint64_t b[ML_SERVED])
{
	for (size_t k = 0; k < ML_SERVED; k++)
		CHECK_EQ(a[k], b[k]);
}

#define CHECK_SUM(rows, n, field) \
	do { \
		uint64_t sum[ML_SERVED] = { 0 }; \
		for (size_t i_ = 0; i_ < (n); i_++) \
			for (size_t k_ = 0; k_ < ML_SERVED; k_++) \
				sum[k_] += (rows)[i_].field[k_]; \
		check_served(sum, x->p.served); \
	} while (0)

/* Surcharges of parts, such as regions, add up to that of all references. */
#define CHECK_SURCHARGE(list, count, field) \
	do { \
		struct ml_surcharge sum = { 0 }; \
		for (size_t i = 0; i < (count); i++) \
			ml_surcharge_add(&sum, &(list)[i].field); \
		CHECK(!memcmp(&sum, &x->p.surcharge, sizeof(sum))); \
	} while (0)

static void check_surcharges(const struct replayed *x)
{
	const struct ml_machine *m = &x->p.machine;

	CHECK_SURCHARGE(x->p.cells, x->p.cell_count, surcharge);
	CHECK_SURCHARGE(x->p.threads, x->p.thread_count, surcharge);
	CHECK_SURCHARGE(x->p.segments, x->p.segment_count, surcharge);
	CHECK_SURCHARGE(x->rows.regions.at, x->rows.regions.count, count.surcharge);
	CHECK_SURCHARGE(x->rows.lines.at, x->rows.lines.count, count.surcharge);
	for (unsigned k = 0; k < m->tlbs; k++)
		CHECK_EQ(ml_surcharge_missed(&x->p.surcharge, m, k),
			 ml_profile_missed(&x->p.tlb[k]));
	CHECK_NEAR(x->rows.total.cycles, x->p.cycles * (double)x->p.refs,
		   1e-9 * x->rows.total.cycles);
}

static void check_sums(const struct replayed *x)
{
	uint64_t refs = 0;

	check_surcharges(x);

	CHECK_SUM(x->p.cells, x->p.cell_count, served);
	CHECK_SUM(x->p.threads, x->p.thread_count, served);
	CHECK_SUM(x->p.segments, x->p.segment_count, served);
	CHECK_SUM(x->p.bins, x->p.bin_count, served);
	CHECK_SUM(x->rows.regions.at, x->rows.regions.count, count.served);
	CHECK_SUM(x->rows.lines.at, x->rows.lines.count, count.served);
	CHECK_SUM(x->rows.functions.at, x->rows.functions.count, made.served);
	CHECK_SUM(x->rows.functions.at, x->rows.functions.count, with.served);
	CHECK_SUM(x->rows.threads.at, x->rows.threads.count, count.served);
	for (size_t k = 0; k < ML_SERVED; k++)
		refs += x->p.served[k];
	CHECK_EQ(refs, x->p.refs);
	CHECK_EQ(x->p.kind[0] + x->p.kind[1] + x->p.kind[2], x->p.refs);
}

TEST(all_sums_are_the_same)
{
	static const char *const machines[] = {
		TINY,
		"L1 1K 2w | L2 4K 4w | L3 16K 8w",
		"3 cores | L1 1K 2w | L2 16K 4w shared",
		"L1 1K 2w fifo | L2 4K 4w exclusive",
		("2 cores | L1 1K 2w | L2 16K 4w prefetch=stream | TLB 2e full 4K 1c | "
		 "TLB2 4e 2w | transfer 70c"),
	};

	for (size_t i = 0; i < 10; i++) {
		struct ml_replay_options o = replayed_options(machines[i / 2]);
		struct replayed x;

		seed = i + 1;
		write_random(30000);
		o.interleave = i % 2 ? 3 : 0;
		if (i == 6 || i == 7) {
			o.from = 1000;
			o.to = 25000;
		}
		replayed_run(&x, &o, NULL);
		CHECK_EQ(x.p.refs, i == 6 || i == 7 ? 24000 : 30000);
		check_sums(&x);
		replayed_release(&x);
	}
}

TEST(causes_of_cells_add_up_to_their_misses)
{
	struct ml_replay_options o = replayed_options(TINY);
	struct replayed x;

	seed = 3;
	write_random(20000);
	replayed_run(&x, &o, NULL);
	for (size_t i = 0; i < x.rows.lines.count; i++)
		for (size_t l = 0; l < 2; l++) {
			const struct ml_profile_count *c = &x.rows.lines.at[i].count;
			uint64_t sum = 0;

			for (size_t k = 0; k < ML_CAUSES; k++)
				sum += c->cause[l][k];
			CHECK_EQ(sum, c->missed[l]);
		}
	/* sets of a level take all its misses */
	for (unsigned l = 1; l <= 2; l++) {
		struct ml_profile_pressure p;

		CHECK(ml_profile_pressure(&x.p, l, &p));
		CHECK_EQ(p.missed, ml_profile_missed(&x.p.level[l].counts));
		CHECK_EQ(p.conflict, x.p.level[l].counts.cause[ML_CAUSE_CONFLICT]);
	}
	replayed_release(&x);
}

TEST(the_quick_simulator_gives_the_same_profile)
{
	struct ml_replay_options o =
		replayed_options("L1 1K 2w 64B | L2 4K 4w | L3 16K 8w");
	struct replayed full, quick;

	seed = 9;
	write_random(30000);
	replayed_run(&full, &o, NULL);
	o.want = 0;
	replayed_run(&quick, &o, NULL);
	check_served(quick.p.served, full.p.served);
	check_sums(&quick);
	CHECK_EQ(quick.p.cell_count, full.p.cell_count);
	for (size_t i = 0; i < quick.p.cell_count; i++) {
		CHECK_EQ(quick.p.cells[i].site, full.p.cells[i].site);
		CHECK_EQ(quick.p.cells[i].bytes, full.p.cells[i].bytes);
		check_served(quick.p.cells[i].served, full.p.cells[i].served);
	}
	for (unsigned l = 1; l <= 3; l++) {
		CHECK_EQ(quick.p.level[l].counts.write_backs,
			 full.p.level[l].counts.write_backs);
		CHECK_EQ(quick.p.level[l].bytes_in, full.p.level[l].bytes_in);
		CHECK_EQ(quick.p.level[l].bytes_out, full.p.level[l].bytes_out);
	}
	CHECK_NEAR(quick.p.cycles, full.p.cycles, 1e-9);
	replayed_release(&full);
	replayed_release(&quick);
}

enum { CELLS = 4096 };

/* The same counts, cell by cell: a search through all of them for each reference. */
struct slow_cells {
	struct ml_profile_cell at[CELLS];
	size_t count;
	bool regions; /* are there: this pass wants them */
};

static bool count_slowly(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct slow_cells *x = arg;

	(void)err;
	x->regions = e->region;
	for (size_t i = 0; i < e->refs->count; i++) {
		uint16_t what = e->refs->what[i];
		const struct ml_cell *who =
			ml_region_lookup_cell(ml_replay_lookup(e->replay), e->cell[i]);
		size_t k = 0;

		CHECK_EQ(who->site, e->refs->site[i]);
		CHECK_EQ(who->caller, e->refs->caller[i]);
		if (x->regions)
			CHECK_EQ(who->region, e->region[i]);
		while (k < x->count &&
		       !(x->at[k].site == who->site && x->at[k].caller == who->caller &&
			 x->at[k].region == who->region))
			k++;
		CHECK(k < CELLS);
		struct ml_profile_cell *c = &x->at[k];
		x->count += k == x->count;
		c->site = who->site;
		c->caller = who->caller;
		c->region = who->region;
		c->bytes += ml_what_size(what);
		c->kind[what >> 14 < 3 ? what >> 14 : 0]++;
		c->served[ml_outcome_served(e->outcome[i])]++;
	}
	return true;
}

static void check_cells(const struct ml_profile *p, const struct slow_cells *want)
{
	CHECK_EQ(p->cell_count, want->count);
	for (size_t i = 0; i < want->count; i++) {
		const struct ml_profile_cell *a = &p->cells[i], *b = &want->at[i];

		CHECK_EQ(a->site, b->site);
		CHECK_EQ(a->caller, b->caller);
		CHECK_EQ(a->region, b->region);
		CHECK_EQ(a->bytes, b->bytes);
		for (size_t k = 0; k < 3; k++)
			CHECK_EQ(a->kind[k], b->kind[k]);
		check_served(a->served, b->served);
	}
}

/* Reads and writes; then all kinds and sizes, also the kind that is none. */
static void write_kinds(unsigned refs)
{
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	struct ml_tables *t = ml_writer_tables(w);
	for (uint32_t i = 0; i < 100; i++)
		ml_tables_place(t, "f", "a.c", i + 1);
	*ML_ADD(t->regions) = (struct ml_region){ .kind = ML_REGION_HEAP };
	for (unsigned i = 0; i < refs; i++) {
		bool late = i > refs / 2;

		if (!random_below(100))
			ml_writer_alloc(w, 1, random_below(20) << 12, 3000);
		struct ml_ref ref = {
			.addr = random_below(20 << 12),
			.site = (uint32_t)random_below(late ? 101 : 30),
			.caller = random_below(3) ? 0 : (uint32_t)random_below(9),
			.thread = (uint16_t)(1 + random_below(2)),
			.what = ml_what((enum ml_kind)random_below(late ? 4 : 2),
					(unsigned)(random_below(9) ? random_below(9)
								   : ML_SIZE_MAX)),
		};
		CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	}
	CHECK_OK(ml_writer_close(w, &err), &err);
}

/* most: references after which counts are taken out of the planes. */
static void check_counts(const struct ml_replay_options *o, uint64_t most, bool regions)
{
	struct slow_cells *want = ml_resize(NULL, sizeof(*want));
	struct ml_profile p;
	struct ml_trace t;
	struct ml_replay *r;
	struct ml_err err;

	memset(want, 0, sizeof(*want));
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_OK(ml_replay_open(&r, &t, o, &err), &err);
	struct ml_profiler *x = ml_profiler_open(&p);
	x->max = most;
	struct ml_pass passes[] = { ml_profiler_pass(x),
				    { .arg = want,
				      .batch = count_slowly,
				      .no_region = !regions,
				      .needs_lookup = true } };
	CHECK_OK(ml_replay_run(r, passes, 2, &err), &err);
	ml_profiler_close(x, r);
	CHECK_EQ(want->regions, regions || o->want);
	check_cells(&p, want);
	ml_profile_release(&p);
	ml_replay_close(r);
	ml_trace_close(&t);
	ml_free(want);
}

TEST(cells_are_counted_as_by_looking_at_each_reference)
{
	struct ml_replay_options o = replayed_options("L1 1K 2w 64B | L2 4K 4w");

	seed = 11;
	write_kinds(3 * ML_BATCH);
	for (int i = 0; i < 4; i++) {
		o.want = i < 2 ? 0 : ML_SIM_CAUSES | ML_SIM_USE;
		check_counts(&o, i % 2 ? ML_BATCH : ML_PROFILE_HELD, i % 2);
	}
	o.from = 1000;
	o.to = 2 * ML_BATCH + 5;
	check_counts(&o, ML_PROFILE_HELD, true);
}

TEST(a_plane_holds_the_largest_references_that_it_may)
{
	uint64_t what = ml_what((enum ml_kind)3, ML_SIZE_MAX);

	CHECK(what * ML_PROFILE_HELD < ML_PROFILE_ONE);
	CHECK(ML_PROFILE_HELD <= UINT64_MAX / ML_PROFILE_ONE);
}

TEST(bins_merge_when_there_are_too_many)
{
	struct ml_replay_options o = replayed_options(TINY);
	struct replayed x;

	o.want = 0;
	replayed_write("r0+8*3000000");
	replayed_run(&x, &o, NULL);
	/* 256 * 4096 is less than 3 million, 1024 * 4096 is not; 512 * 4096 is less too
	 */
	CHECK_EQ(x.p.bin, 1024);
	CHECK_EQ(x.p.bin_count, (3000000 + 1023) / 1024);
	/* one line in eight references misses everything */
	CHECK_EQ(x.p.bins[7].served[3], 1024 / 8);
	CHECK_EQ(x.p.bins[7].served[1], 1024 / 8 * 7);
	check_sums(&x);
	replayed_release(&x);
}

static int by_level_and_region(const void *a, const void *b)
{
	const struct ml_profile_use *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return (x->region > y->region) - (x->region < y->region);
}

static void same_profile(struct ml_profile *a, struct ml_profile *b)
{
	CHECK_EQ(a->refs, b->refs);
	CHECK(!memcmp(a->served, b->served, sizeof(a->served)));
	for (unsigned i = 1; i <= a->machine.levels; i++) {
		CHECK(!memcmp(&a->level[i].counts, &b->level[i].counts,
			      sizeof(a->level[i].counts)));
		CHECK(!memcmp(a->level[i].set, b->level[i].set,
			      a->level[i].sets * sizeof(*a->level[i].set)));
	}
	CHECK_EQ(a->cell_count, b->cell_count);
	CHECK(!memcmp(a->cells, b->cells, a->cell_count * sizeof(*a->cells)));
	CHECK_EQ(a->use_count, b->use_count);
	qsort(a->uses, a->use_count, sizeof(*a->uses), by_level_and_region);
	qsort(b->uses, b->use_count, sizeof(*b->uses), by_level_and_region);
	CHECK(!memcmp(a->uses, b->uses, a->use_count * sizeof(*a->uses)));
}

TEST(stages_on_several_threads_count_as_the_exact_simulator)
{
	static const char *const machines[] = {
		"L1 4K 8w | L2 16K 16w | L3 64K 16w",
		"L1 4K 4w 32B | L2 32K 8w | TLB 8e full | TLB2 16e 4w",
		"L1 4K 8w | L2 16K 8w inclusive prefetch=stream*4 | L3 64K 16w",
	};

	seed = 5;
	write_random(60000); /* fifteen pieces */
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct ml_replay_options o = replayed_options(machines[i]);
		struct replayed staged, exact;

		replayed_run(&staged, &o, NULL);
		o.slow = true;
		replayed_run(&exact, &o, NULL);
		same_profile(&staged.p, &exact.p);
		CHECK(staged.p.served[1] && staged.p.served[3]);
		replayed_release(&staged);
		replayed_release(&exact);
	}
}
