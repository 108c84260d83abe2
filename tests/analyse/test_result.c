/*
 * Result files: the reader returns what the simulation yielded, whole and in windows; a
 * simulation continued from the nearest checkpoint ends in the state of a whole run; a
 * damaged file is refused with a sentence.
 */
#include "lib/analyse/result/result.h"
#include "lib/analyse/result/result_counts.h"
#include "lib/analyse/result/result_writer.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/analyse/passes/replay.h"
#include "lib/analyse/passes/turns.h"
#include "lib/analyse/result/result_parts.h"
#include "lib/base/file.h"
#include "lib/cache/exact/sim.h"
#include "lib/trace/text/model.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

static uint64_t seed = 1;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* A folder of its own, with all that is made here. */
static char home[64];

static void remove_home(void)
{
	DIR *dir = opendir(home);
	char path[512];

	for (struct dirent *d; dir && (d = readdir(dir));) {
		snprintf(path, sizeof(path), "%s/%s", home, d->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(home);
}

static const char *file(const char *name)
{
	static char path[4][128];
	static unsigned next;
	char *p = path[next++ % 4];

	if (!home[0]) {
		snprintf(home, sizeof(home), "/tmp/memlamp-results-%d", getpid());
		mkdir(home, 0700);
		atexit(remove_home);
	}
	snprintf(p, 128, "%s/%s", home, name);
	return p;
}

static size_t files(void)
{
	DIR *dir = opendir(home);
	size_t count = 0;

	for (struct dirent *d; (d = readdir(dir));)
		count += d->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void write_model(const char *text)
{
	struct ml_writer *w;
	struct ml_model m;
	struct ml_err err;

	CHECK_OK(ml_model_init(&m, "model", text, strlen(text), &err), &err);
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(ml_model_run(&m, w, &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	ml_model_release(&m);
}

/* One simulation: what it was to do, and what it said. */
struct run {
	struct ml_trace trace;
	struct ml_replay_options o;
	struct ml_result_info info;
	struct ml_profile profile;
	uint16_t *outcome;
	int64_t *beyond; /* by the charges */
	uint32_t *site, *region, *kind, *thread;
	uint64_t *time, count;
	struct ml_buf state; /* at the end */
	struct ml_arena arena;
};

static bool collect(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct run *r = arg;

	(void)err;
	for (size_t i = 0; i < e->refs->count; i++) {
		r->outcome[e->position + i] = e->outcome[i];
		r->site[e->position + i] = e->refs->caller[i] ? e->refs->caller[i]
							      : e->refs->site[i];
		r->region[e->position + i] = e->region[i];
		r->kind[e->position + i] = ml_what_kind(e->refs->what[i]);
		r->thread[e->position + i] = e->refs->thread[i];
		r->time[e->position + i] = e->time ? e->time[i] : e->refs->time + i;
		r->beyond[e->position + i] =
			ml_surcharge_base(&r->o.machine, e->refs->what[i], e->outcome[i]);
	}
	for (size_t i = 0; i < e->charge_count; i++) {
		const struct ml_charge *c = &e->charges[i];

		r->beyond[e->position + c->ref] += ml_charge_cycles(&r->o.machine, c,
								    e->outcome[c->ref]);
	}
	r->count += e->refs->count;
	return true;
}

/* Simulates the trace in scratch() and writes the result. */
static void simulate(struct run *r, const char *machine, unsigned want,
		     uint64_t interleave, const char *path)
{
	struct ml_result_writer *w;
	struct ml_replay *replay;
	struct ml_err err;

	*r = (struct run){ 0 };
	CHECK_OK(ml_trace_open(&r->trace, scratch(), &err), &err);
	CHECK_OK(ml_machine_parse(&r->o.machine, machine, &err), &err);
	r->o.want = want;
	r->o.interleave = interleave;
	r->outcome = ml_arena_alloc(&r->arena, r->trace.count * sizeof(*r->outcome));
	r->beyond = ml_arena_alloc(&r->arena, r->trace.count * sizeof(*r->beyond));
	r->site = ml_arena_alloc(&r->arena, r->trace.count * sizeof(*r->site));
	r->region = ml_arena_alloc(&r->arena, r->trace.count * sizeof(*r->region));
	r->kind = ml_arena_alloc(&r->arena, r->trace.count * sizeof(*r->kind));
	r->thread = ml_arena_alloc(&r->arena, r->trace.count * sizeof(*r->thread));
	r->time = ml_arena_alloc(&r->arena, r->trace.count * sizeof(*r->time));
	ml_result_describe(&r->info, &r->trace, &r->o, &r->arena);
	CHECK_OK(ml_result_writer_open(&w, path, &r->info, &err), &err);
	CHECK_OK(ml_replay_open(&replay, &r->trace, &r->o, &err), &err);
	struct ml_profiler *x = ml_profiler_open(&r->profile);
	struct ml_pass passes[] = { ml_profiler_pass(x),
				    ml_result_writer_pass(w),
				    { .arg = r, .batch = collect, .charges = true } };

	CHECK_OK(ml_replay_run(replay, passes, 3, &err), &err);
	ml_profiler_close(x, replay);
	ml_replay_save(replay, &r->state);
	ml_replay_close(replay);
	CHECK_OK(ml_result_writer_close(w, &r->profile, &err), &err);
}

static void release(struct run *r)
{
	ml_profile_release(&r->profile);
	ml_buf_release(&r->state);
	ml_arena_release(&r->arena);
	ml_trace_close(&r->trace);
}

#define MACHINE "L1 4K 4w 64B | L2 16K 8w | L3 64K 16w"
/* 4 * 72^3 = 1,492,992 references: six blocks, one checkpoint */
#define MATMUL "matmul 72"

static void round_trip(const uint16_t *outcome, size_t count)
{
	uint16_t *number = ml_resize(NULL, 65536 * sizeof(*number));
	uint16_t *back = ml_resize(NULL, count * sizeof(*back));
	struct ml_buf raw = { 0 };
	struct ml_err err;

	memset(number, 0, 65536 * sizeof(*number));
	ml_result_put_outcomes(&raw, outcome, count, number);
	struct ml_bytes in = { raw.data, raw.data + raw.size, false };
	CHECK_OK(ml_result_get_outcomes(&in, back, count, 4, &err), &err);
	CHECK(!memcmp(outcome, back, count * sizeof(*back)));
	for (size_t i = 0; i < 65536; i++)
		CHECK_EQ(number[i], 0);
	ml_buf_release(&raw);
	ml_free(number);
	ml_free(back);
}

TEST(outcomes_of_all_kinds_come_back)
{
	enum { MOST = 5000 };
	uint16_t outcome[MOST];

	for (size_t i = 0; i < 60; i++) {
		/* from all alike to thousands of kinds */
		uint64_t kinds = i % 3 ? 1 + random_below(8) : 1 + random_below(4096);
		uint64_t rare = 1 + random_below(30);
		size_t count = 1 + random_below(MOST);

		for (size_t k = 0; k < count; k++) {
			uint64_t kind = random_below(rare) ? 0 : random_below(kinds);

			outcome[k] = (uint16_t)(kind % 5 + 1);
			kind /= 5;
			for (unsigned level = 1; level <= ML_LEVELS; level++) {
				outcome[k] = ml_outcome_with(
					outcome[k], level,
					(enum ml_cause)(kind % ML_CAUSES));
				kind /= ML_CAUSES;
			}
		}
		round_trip(outcome, count);
	}
}

TEST(outcomes_are_what_the_simulation_said)
{
	static const unsigned wants[] = { 0, ML_SIM_CAUSES | ML_SIM_USE };

	write_model(MATMUL);
	for (size_t k = 0; k < 2; k++) {
		struct ml_result result;
		struct ml_err err;
		struct run r;

		simulate(&r, MACHINE, wants[k], 0, file("a.mls"));
		CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
		CHECK_EQ(result.refs, r.count);
		CHECK(ml_result_same(&result.info, &r.info));
		uint16_t *back = ml_resize(NULL, r.count * sizeof(*back));
		CHECK_OK(ml_result_outcomes(&result, 0, r.count, back, &err), &err);
		CHECK(!memcmp(back, r.outcome, r.count * sizeof(*back)));
		for (int i = 0; i < 20; i++) {
			uint64_t from = random_below(r.count);
			uint64_t to = from + random_below(r.count - from + 1);

			CHECK_OK(ml_result_outcomes(&result, from, to, back, &err), &err);
			CHECK(!memcmp(back, r.outcome + from,
				      (to - from) * sizeof(*back)));
		}
		ml_free(back);
		ml_result_close(&result);
		release(&r);
	}
}

/* Two threads that take turns of 30000 references, on lines of their own and shared. */
static void write_threads(size_t count)
{
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	ml_tables_meta(ml_writer_tables(w), "back end", "valgrind");
	for (size_t i = 0; i < count; i++) {
		struct ml_ref ref = { .thread = (uint16_t)(1 + i / 30000 % 2),
				      .what = ml_what(i % 3 ? ML_READ : ML_WRITE, 8) };

		ref.addr = i % 7 ? ref.thread * 0x10000u + i % 1000 * 8
				 : 0x8000u + ref.thread * 8u;
		CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	}
	CHECK_OK(ml_writer_close(w, &err), &err);
}

/* Series, rows and references one by one have the cycles that the profile has in sums. */
static void check_beyond(struct ml_result *result, const struct run *r)
{
	struct ml_arena a = { 0 };
	struct ml_err err;
	int32_t *back = ml_resize(NULL, r->count * sizeof(*back));
	int64_t all = 0;

	CHECK_OK(ml_result_beyond(result, 0, r->count, back, &err), &err);
	for (uint64_t i = 0; i < r->count; i++) {
		CHECK_EQ(back[i], r->beyond[i]);
		all += r->beyond[i];
	}
	CHECK(all != 0);
	CHECK_NEAR((double)all,
		   ml_surcharge_cycles(&r->profile.surcharge, &r->o.machine, r->count),
		   0);
	for (int k = 0; k < 30; k++) {
		uint64_t from = k ? random_below(r->count) : 0;
		uint64_t to = k ? from + random_below(r->count - from + 1) : r->count;
		struct ml_result_series s;
		int64_t want = 0, have = 0;

		CHECK_OK(ml_result_series(result, from, to, 1 + random_below(3000), &s,
					  &a, &err),
			 &err);
		for (uint64_t i = from; i < to; i++)
			want += r->beyond[i];
		for (size_t i = 0; i < s.count; i++)
			have += s.cell[i].beyond;
		CHECK_EQ(have, want);
	}
	for (uint64_t at = 0; at < r->count; at += ML_RESULT_PART) {
		const struct ml_result_row *row;
		int64_t want = 0, have = 0;
		size_t count;

		CHECK_OK(ml_result_alike(result, at, &row, &count, &err), &err);
		for (size_t i = 0; i < count; i++)
			have += row[i].beyond;
		for (uint64_t i = at; i < at + ML_RESULT_PART && i < r->count; i++)
			want += r->beyond[i];
		CHECK_EQ(have, want);
	}
	ml_free(back);
	ml_arena_release(&a);
}

TEST(every_reference_has_the_cycles_beyond_those_of_its_serving_level)
{
	static const struct {
		const char *machine, *text;
	} cases[] = {
		{ MACHINE " | TLB 4e full 4K | TLB2 16e full 4K 7c | walk 30c",
		  "matmul 72" },
		{ MACHINE " | TLB 4e full 4K 2c | walk 30c",
		  "random 0x100000 4000000 300000 8 w" },
		{ "cores 2 | " MACHINE " | memory 200c | transfer 60c", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ml_result result;
		struct ml_err err;
		struct run r;

		if (cases[i].text)
			write_model(cases[i].text);
		else
			write_threads(300000);
		simulate(&r, cases[i].machine, ML_SIM_CAUSES | ML_SIM_USE, 0,
			 file("a.mls"));
		CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
		check_beyond(&result, &r);
		ml_result_close(&result);
		release(&r);
	}
}

TEST(outcomes_of_a_matrix_product_take_less_than_a_tenth_of_a_byte_each)
{
	struct ml_result result;
	struct ml_err err;
	struct run r;
	uint64_t bytes = 0;

	write_model(MATMUL);
	simulate(&r, MACHINE, ML_SIM_CAUSES, 0, file("a.mls"));
	CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
	/* each block is followed by that of its sites */
	for (size_t i = 0; i < result.outcomes.count; i++)
		bytes += result.sites.at[i].offset - result.outcomes.at[i].offset;
	CHECK(bytes * 10 < r.count);
	ml_result_close(&result);
	release(&r);
}

#define CHECK_SAME(a, b, count) CHECK(!(count) || !memcmp(a, b, (count) * sizeof(*(a))))

TEST(the_profile_reads_back_equal)
{
	struct ml_result result;
	struct ml_err err;
	struct run r;

	write_model("matmul 24; random 0x100000 200000 30000 8 w");
	simulate(&r, MACHINE " | TLB 16e 4w 4K", ML_SIM_CAUSES | ML_SIM_USE, 0,
		 file("a.mls"));
	CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
	const struct ml_profile *a = &r.profile, *b = &result.profile;
	CHECK_SAME(&a->machine, &b->machine, 1);
	CHECK_EQ(a->want, b->want);
	CHECK_EQ(a->interleaved, b->interleaved);
	CHECK_EQ(a->refs, b->refs);
	CHECK_EQ(a->from, b->from);
	CHECK_EQ(a->to, b->to);
	CHECK_SAME(a->kind, b->kind, 3);
	CHECK_SAME(a->served, b->served, ML_SERVED);
	CHECK_EQ(a->gaps, b->gaps);
	CHECK_NEAR(a->cycles, b->cycles, 0);
	for (unsigned i = 0; i <= ML_LEVELS; i++) {
		CHECK_SAME(&a->level[i].counts, &b->level[i].counts, 1);
		CHECK_EQ(a->level[i].bytes_in, b->level[i].bytes_in);
		CHECK_EQ(a->level[i].bytes_out, b->level[i].bytes_out);
		CHECK_EQ(a->level[i].sets, b->level[i].sets);
		CHECK_EQ(!a->level[i].set, !b->level[i].set);
		if (a->level[i].set)
			CHECK_SAME(a->level[i].set, b->level[i].set, a->level[i].sets);
	}
	CHECK_SAME(a->tlb, b->tlb, ML_TLBS);
	CHECK(a->cell_count && a->use_count && a->pair_count && a->bin_count);
	CHECK_EQ(a->cell_count, b->cell_count);
	CHECK_SAME(a->cells, b->cells, a->cell_count);
	CHECK_EQ(a->use_count, b->use_count);
	CHECK_SAME(a->uses, b->uses, a->use_count);
	CHECK_EQ(a->pair_count, b->pair_count);
	CHECK_SAME(a->pairs, b->pairs, a->pair_count);
	CHECK_EQ(a->thread_count, b->thread_count);
	CHECK_SAME(a->threads, b->threads, a->thread_count);
	CHECK_EQ(a->segment_count, b->segment_count);
	CHECK_SAME(a->segments, b->segments, a->segment_count);
	CHECK_EQ(a->region_count, b->region_count);
	CHECK_SAME(a->regions, b->regions, a->region_count);
	CHECK_EQ(a->names_size, b->names_size);
	CHECK_SAME(a->names, b->names, a->names_size);
	CHECK_EQ(a->bin, b->bin);
	CHECK_EQ(a->bin_count, b->bin_count);
	CHECK_SAME(a->bins, b->bins, a->bin_count);
	ml_result_close(&result);
	release(&r);
}

TEST(cells_of_a_series_are_exact_and_no_more_than_wanted)
{
	struct ml_result result;
	struct ml_err err;
	struct run r;

	write_model(MATMUL);
	simulate(&r, MACHINE, 0, 0, file("a.mls"));
	CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
	for (int k = 0; k < 60; k++) {
		uint64_t from = k ? random_below(r.count) : 0;
		uint64_t most = k % 3 ? r.count - from : 3000;
		uint64_t to = k ? from + random_below(most + 1) : r.count;
		size_t cells = 1 + random_below(k % 2 ? 10 : 2000);
		struct ml_result_series s;
		struct ml_arena a = { 0 };

		if (to > r.count)
			to = r.count;
		CHECK_OK(ml_result_series(&result, from, to, cells, &s, &a, &err), &err);
		CHECK(s.count <= cells);
		/* with half as many references a cell there would be too many cells */
		if (s.count > 0 && s.width > 1)
			CHECK((to - 1) / (s.width / 2) - from / (s.width / 2) >= cells);
		uint64_t at = from;
		for (size_t i = 0; i < s.count; i++) {
			uint64_t served[ML_SERVED] = { 0 };
			uint64_t end = s.first + (i + 1) * s.width;

			for (; at < to && at < end; at++)
				served[ml_outcome_served(r.outcome[at])]++;
			CHECK_SAME(served, s.cell[i].served, ML_SERVED);
		}
		CHECK_EQ(at, to);
		ml_arena_release(&a);
	}
	ml_result_close(&result);
	release(&r);
}

static void check_counts(const struct ml_result_counts *c, const uint32_t *id,
			 const uint16_t *outcome)
{
	enum { MOST = 64 };
	uint64_t served[MOST][ML_SERVED] = { 0 };
	size_t rows = 0;

	for (uint64_t i = c->from; i < c->to; i++) {
		assert_true(id[i] < MOST);
		served[id[i]][ml_outcome_served(outcome[i])]++;
	}
	for (uint32_t i = 0; i < MOST; i++) {
		uint64_t all = 0;

		for (unsigned s = 0; s < ML_SERVED; s++)
			all += served[i][s];
		if (!all)
			continue;
		CHECK(rows < c->count);
		CHECK_EQ(c->at[rows].id, i);
		CHECK_SAME(c->at[rows].served, served[i], ML_SERVED);
		rows++;
	}
	CHECK_EQ(rows, c->count);
}

TEST(counts_by_site_are_exact_and_those_by_region_cover_whole_blocks)
{
	struct ml_result result;
	struct ml_err err;
	struct run r;

	write_model(MATMUL);
	simulate(&r, MACHINE, 0, 0, file("a.mls"));
	CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
	for (int k = 0; k < 12; k++) {
		uint64_t from = k ? random_below(r.count) : 0;
		uint64_t to = k ? from + random_below(r.count - from + 1) : r.count;
		struct ml_result_counts c;
		struct ml_arena a = { 0 };

		CHECK_OK(ml_result_sites(&result, &r.trace, from, to, &c, &a, &err),
			 &err);
		CHECK_EQ(c.from, from);
		CHECK_EQ(c.to, to);
		check_counts(&c, r.site, r.outcome);
		CHECK_OK(ml_result_sites(&result, NULL, from, to, &c, &a, &err), &err);
		check_counts(&c, r.site, r.outcome);
		CHECK_OK(ml_result_regions(&result, from, to, &c, &a, &err), &err);
		check_counts(&c, r.region, r.outcome);
		if (to - from >= 2 * ML_RESULT_BLOCK)
			CHECK(c.from < from + ML_RESULT_BLOCK &&
			      c.to + ML_RESULT_BLOCK > to);
		ml_arena_release(&a);
	}
	ml_result_close(&result);
	release(&r);
}

/* Restores the nearest checkpoint and simulates the rest. */
static void check_from(struct ml_result *result, struct run *r, uint64_t position)
{
	struct ml_buf state = { 0 };
	struct ml_batch b;
	struct ml_err err;
	uint64_t at;

	CHECK_OK(ml_result_checkpoint(result, position, &at, &state, &err), &err);
	CHECK(at <= position);
	struct ml_sim *s = ml_sim_open(&r->o.machine, r->o.want, &err);
	if (state.size) {
		struct ml_bytes in = { state.data, state.data + state.size, false };

		CHECK_OK(ml_sim_restore(s, &in, &err), &err);
	}
	struct ml_cursor *c = ml_cursor_open(&r->trace, at, r->trace.count);
	while (ml_cursor_next(c, &b, &err)) {
		uint16_t outcome[ML_BATCH];
		struct ml_accesses a = { .count = b.count,
					 .addr = b.addr,
					 .what = b.what,
					 .site = b.site,
					 .owner = r->region + b.time };

		CHECK_OK(ml_sim_run(s, &a, outcome, &err), &err);
		for (size_t i = 0; i < b.count; i++)
			CHECK_EQ(ml_outcome_served(outcome[i]),
				 ml_outcome_served(r->outcome[b.time + i]));
	}
	ml_cursor_close(c);
	state.size = 0;
	ml_sim_save(s, &state);
	CHECK_EQ(state.size, r->state.size);
	/*
	 * Engines of lru machines that only count have lines in order of recency: which
	 * way holds a line then depends on where one began.
	 */
	if (r->o.want || ml_machine_not_lru(&r->o.machine))
		CHECK(!memcmp(state.data, r->state.data, state.size));
	ml_sim_close(s);
	ml_buf_release(&state);
}

TEST(from_the_nearest_checkpoint_the_rest_is_as_from_the_start)
{
	static const struct {
		const char *machine;
		unsigned want;
	} cases[] = { { MACHINE, 0 },
		      { MACHINE, ML_SIM_USE },
		      { "L1 4K 4w 64B fifo | L2 16K 8w plru", 0 } };

	write_model(MATMUL);
	for (size_t k = 0; k < 3; k++) {
		struct ml_result result;
		struct ml_err err;
		struct run r;

		simulate(&r, cases[k].machine, cases[k].want, 0, file("a.mls"));
		CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
		CHECK_EQ(result.checkpoints.count, 1);
		check_from(&result, &r, 1000);
		check_from(&result, &r, r.count);
		ml_result_close(&result);
		release(&r);
	}
}

/* Puts one block of a result in order from the trace alone. */
static void check_block(const struct ml_result *result, const struct run *r,
			const struct ml_result_stretch *b)
{
	size_t count = (size_t)(b->to - b->from), have = 0;
	uint16_t *of = ml_resize(NULL, count * sizeof(*of));
	uint32_t *site = ml_resize(NULL, count * sizeof(*site));
	struct ml_turns *t = ml_turns_open(&r->trace.tables, 10);
	struct ml_cursor *c = ml_cursor_open(&r->trace, b->from, b->to);
	struct ml_batch batch;
	struct ml_err err;

	for (size_t i = 0; i < result->turns.thread_count; i++)
		ml_turns_meet(t, result->turns.threads[i]);
	for (; ml_cursor_next(c, &batch, &err); have += batch.count) {
		memcpy(of + have, batch.thread, batch.count * sizeof(*of));
		memcpy(site + have, batch.site, batch.count * sizeof(*site));
	}
	CHECK_EQ(have, count);
	const uint32_t *order = ml_turns_order(t, b->threads, b->from, of, site, count);
	for (size_t i = 0; i < count; i++)
		assert_true(b->from + order[i] == r->time[b->from + i]);
	ml_cursor_close(c);
	ml_turns_close(t);
	ml_free(of);
	ml_free(site);
}

TEST(with_interleaving_each_block_can_be_put_in_order_alone_and_states_are_anywhere)
{
	struct ml_result result;
	struct ml_err err;
	struct run r;

	write_threads(5 << 20);
	simulate(&r, "2 cores | L1 4K 4w 64B | L2 64K 8w shared", ML_SIM_CAUSES, 10,
		 file("a.mls"));
	CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
	CHECK(result.profile.interleaved);
	CHECK_EQ(result.refs, r.count);
	uint16_t *back = ml_resize(NULL, r.count * sizeof(*back));
	CHECK_OK(ml_result_outcomes(&result, 0, r.count, back, &err), &err);
	CHECK(!memcmp(back, r.outcome, r.count * sizeof(*back)));
	ml_free(back);
	/* 5 * 2^20 references are merged in two blocks without a hole */
	CHECK_EQ(result.turns.count, 2);
	CHECK_EQ(result.turns.at[0].from, 0);
	CHECK_EQ(result.turns.at[1].from, result.turns.at[0].to);
	CHECK_EQ(result.turns.at[1].to, r.count);
	CHECK(ml_result_merged(&result, 0) == &result.turns.at[0]);
	CHECK(ml_result_merged(&result, result.turns.at[0].to) == &result.turns.at[1]);
	CHECK(ml_result_merged(&result, r.count) == NULL);
	/* a state every 2^18 references, whether a block ends there or not */
	CHECK(result.checkpoints.count > 10);
	CHECK(result.checkpoints.at[0].position < 1 << 20);
	for (size_t i = 0; i < 2; i++)
		check_block(&result, &r, &result.turns.at[i]);
	ml_result_close(&result);
	release(&r);
}

static struct ml_profile nothing_of(const char *machine)
{
	struct ml_profile p = { 0 };
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&p.machine, machine, &err), &err);
	return p;
}

TEST(an_empty_window_has_a_result_too)
{
	struct ml_result_writer *w;
	struct ml_profile p = nothing_of("L1 4K 4w 64B");
	struct ml_result result;
	struct ml_result_series s;
	struct ml_err err;
	struct ml_result_info info = { .machine = "L1 4K 4w 64B",
				       .version = "0",
				       .cores = "" };

	CHECK_OK(ml_result_writer_open(&w, file("a.mls"), &info, &err), &err);
	CHECK_OK(ml_result_writer_close(w, &p, &err), &err);
	CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
	CHECK_EQ(result.refs, 0);
	CHECK_OK(ml_result_series(&result, 0, 0, 10, &s, NULL, &err), &err);
	CHECK_EQ(s.count, 0);
	ml_result_close(&result);
}

TEST(the_same_simulation_gives_the_same_bytes)
{
	struct ml_file_map a, b;
	struct ml_err err;
	struct run r;

	write_model("matmul 30");
	simulate(&r, MACHINE, ML_SIM_CAUSES, 0, file("a.mls"));
	release(&r);
	simulate(&r, MACHINE, ML_SIM_CAUSES, 0, file("b.mls"));
	release(&r);
	CHECK_OK(ml_file_map_open(&a, file("a.mls"), &err), &err);
	CHECK_OK(ml_file_map_open(&b, file("b.mls"), &err), &err);
	CHECK_EQ(a.size, b.size);
	CHECK(!memcmp(a.data, b.data, a.size));
	ml_file_map_close(&a);
	ml_file_map_close(&b);
	unlink(file("b.mls"));
}

TEST(a_run_that_is_given_up_leaves_nothing)
{
	struct ml_result_writer *w;
	struct ml_err err;
	struct ml_result_info info = { .machine = "L1 4K", .version = "0", .cores = "" };

	unlink(file("a.mls"));
	size_t before = files();
	CHECK_OK(ml_result_writer_open(&w, file("a.mls"), &info, &err), &err);
	ml_result_writer_abandon(w);
	CHECK_EQ(files(), before);
}

/* A limit on file sizes stands in for a full disk. */
TEST(a_full_disk_is_an_error_and_leaves_nothing)
{
	struct rlimit old, limit;
	struct ml_result_writer *w;
	struct ml_profile p = nothing_of("L1 4K");
	struct ml_err err;
	struct ml_result_info info = { .machine = "L1 4K", .version = "0", .cores = "" };

	unlink(file("a.mls"));
	size_t before = files();
	CHECK_OK(ml_result_writer_open(&w, file("a.mls"), &info, &err), &err);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){ 256, old.rlim_max };
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	bool ok = ml_result_writer_close(w, &p, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, handler);
	CHECK_FAILS(ok, &err, "File too large");
	CHECK_EQ(files(), before);
}

static void write_bytes(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	fclose(f);
}

TEST(references_that_are_alike_are_counted_part_by_part)
{
	struct ml_result result;
	struct ml_err err;
	struct run r;

	write_model(MATMUL);
	simulate(&r, MACHINE, 0, 0, file("a.mls"));
	CHECK_OK(ml_result_open(&result, file("a.mls"), &err), &err);
	CHECK(r.count > ML_RESULT_PART && r.count % ML_RESULT_PART);
	for (uint64_t at = 0; at < r.count; at += ML_RESULT_PART) {
		uint64_t end = at + ML_RESULT_PART < r.count ? at + ML_RESULT_PART
							     : r.count;
		const struct ml_result_row *row;
		uint64_t all = 0;
		size_t count;

		CHECK_OK(ml_result_alike(&result, at, &row, &count, &err), &err);
		for (size_t i = 0; i < count; i++) {
			uint64_t n = 0;

			for (uint64_t k = at; k < end; k++)
				n += r.site[k] == row[i].site &&
				     r.region[k] == row[i].region &&
				     r.outcome[k] == row[i].outcome &&
				     r.kind[k] == row[i].kind &&
				     r.thread[k] == row[i].thread;
			CHECK_EQ(row[i].count, n);
			all += n;
		}
		CHECK_EQ(all, end - at);
	}
	ml_result_close(&result);
	release(&r);
}

/* Unpacks all blocks of a list. */
static bool read_list(struct ml_result *r, const struct ml_result_list *list,
		      unsigned type, struct ml_err *err)
{
	struct ml_bytes in;

	for (size_t i = 0; i < list->count; i++)
		if (!ml_result_unpack(r, &list->at[i], type, &in, err))
			return false;
	return true;
}

/* Reads everything; false with a sentence if something is damaged. */
static bool read_all(const char *path, struct ml_err *err)
{
	struct ml_buf state = { 0 };
	struct ml_result r;
	uint64_t at;

	if (!ml_result_open(&r, path, err))
		return false;
	uint16_t *outcome = ml_resize(NULL, (r.refs + 1) * sizeof(*outcome));
	bool ok = ml_result_outcomes(&r, 0, r.refs, outcome, err) &&
		  ml_result_checkpoint(&r, r.refs, &at, &state, err) &&
		  read_list(&r, &r.beyond, ML_RESULT_BEYOND, err) &&
		  read_list(&r, &r.sites, ML_RESULT_SITES, err) &&
		  read_list(&r, &r.regions, ML_RESULT_REGIONS, err) &&
		  read_list(&r, &r.alike, ML_RESULT_ALIKE, err);
	for (unsigned i = 0; ok && i < ML_RESULT_RESOLUTIONS; i++)
		ok = read_list(&r, &r.series[i], ML_RESULT_SERIES + i, err);
	ml_free(outcome);
	ml_buf_release(&state);
	ml_result_close(&r);
	return ok;
}

TEST(a_file_that_is_cut_off_anywhere_is_refused)
{
	struct ml_file_map map;
	struct ml_err err;
	struct run r;

	write_model("matmul 20");
	simulate(&r, MACHINE, ML_SIM_CAUSES, 0, file("a.mls"));
	CHECK_OK(ml_file_map_open(&map, file("a.mls"), &err), &err);
	CHECK_OK(read_all(file("a.mls"), &err), &err);
	for (size_t size = 0; size < map.size; size += 1 + size / 40) {
		write_bytes(file("b.mls"), map.data, size);
		CHECK_FAILS(read_all(file("b.mls"), &err), &err, "b.mls: ");
		CHECK_EQ(err.kind, ML_FORMAT);
	}
	ml_file_map_close(&map);
	unlink(file("b.mls"));
	release(&r);
}

TEST(any_byte_that_changed_is_noticed)
{
	struct ml_file_map map;
	struct ml_err err;
	struct run r;

	write_model("matmul 20");
	simulate(&r, MACHINE, ML_SIM_CAUSES, 0, file("a.mls"));
	CHECK_OK(ml_file_map_open(&map, file("a.mls"), &err), &err);
	uint8_t *copy = ml_resize(NULL, map.size);
	memcpy(copy, map.data, map.size);
	for (size_t i = 0; i < map.size; i += 1 + random_below(20)) {
		copy[i] ^= (uint8_t)(1 + random_below(255));
		write_bytes(file("b.mls"), copy, map.size);
		CHECK_FAILS(read_all(file("b.mls"), &err), &err, "b.mls: ");
		copy[i] = map.data[i];
	}
	ml_file_map_close(&map);
	ml_free(copy);
	unlink(file("b.mls"));
	release(&r);
}

TEST(files_of_other_kinds_and_versions_are_named_as_such)
{
	struct ml_result result;
	struct ml_buf b = { 0 };
	struct ml_err err;

	write_bytes(file("b.mls"), (const uint8_t *)"memlamp\n", 8);
	CHECK_FAILS(ml_result_open(&result, file("b.mls"), &err), &err,
		    "not a memlamp result");
	ml_result_put_header(&b, (const uint8_t[16]){ 0 });
	ml_result_put_trailer(&b, 0);
	b.data[8] = 99;
	write_bytes(file("b.mls"), b.data, b.size);
	CHECK_FAILS(
		ml_result_open(&result, file("b.mls"), &err), &err,
		"format version 99 is newer than this memlamp, which reads versions 3 to 6");
	b.data[8] = 2;
	write_bytes(file("b.mls"), b.data, b.size);
	CHECK_FAILS(ml_result_open(&result, file("b.mls"), &err), &err,
		    "format version 2 is older than this memlamp");
	unlink(file("b.mls"));
	ml_buf_release(&b);
}
