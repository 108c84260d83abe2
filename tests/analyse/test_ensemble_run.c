#include "lib/analyse/ensemble/ensemble_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/analyse/passes/future.h"
#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/buf.h"
#include "lib/base/file.h"
#include "lib/cache/engine.h"
#include "lib/trace/text/model.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/sim_random.h"
#include "tests/test.h"

static struct ml_err err;
static char trace_path[64], file_path[64];

static void remove_files(void)
{
	unlink(trace_path);
	unlink(file_path);
}

static void name_files(void)
{
	if (trace_path[0])
		return;
	snprintf(trace_path, sizeof(trace_path), "/tmp/memlamp-test-%d.mlt", getpid());
	snprintf(file_path, sizeof(file_path), "/tmp/memlamp-test-%d.mle", getpid());
	atexit(remove_files);
}

/* ---- traces ---- */

static void write_text(const char *text, size_t size)
{
	struct ml_writer *w;

	name_files();
	CHECK_OK(ml_writer_open(&w, trace_path, &err), &err);
	CHECK_OK(read_text(w, text, size, "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
}

static void write_model(const char *text)
{
	struct ml_model m;
	struct ml_writer *w;

	name_files();
	CHECK_OK(ml_writer_open(&w, trace_path, &err), &err);
	CHECK_OK(ml_model_init(&m, "model", text, strlen(text), &err), &err);
	CHECK_OK(ml_model_run(&m, w, &err), &err);
	ml_model_release(&m);
	CHECK_OK(ml_writer_close(w, &err), &err);
}

/* As random_trace: some cross lines, some are fetches; of so many threads. */
static void write_random(size_t count, unsigned threads)
{
	static struct random_trace t;
	struct ml_buf text = { 0 };
	char line[64];

	while (count) {
		size_t n = count < 4000 ? count : 4000;

		random_trace(&t, n, threads);
		for (size_t i = 0; i < n; i++) {
			int size = snprintf(line, sizeof(line), "%c%llu:%u@%u\n",
					    "rwf"[t.what[i] >> 14],
					    (unsigned long long)t.addr[i],
					    t.what[i] & 0x3fffu, t.core[i] + 1u);

			ml_buf_put(&text, line, (size_t)size);
		}
		count -= n;
	}
	write_text((char *)text.data, text.size);
	ml_buf_release(&text);
}

/* ---- ensembles ---- */

static void start(struct ml_ensemble *e, uint64_t from, uint64_t to, size_t bins)
{
	struct ml_trace t;

	ml_ensemble_init(e);
	CHECK_OK(ml_trace_open(&t, trace_path, &err), &err);
	ml_ensemble_add_trace(e, &t, NULL, from, to, bins);
	ml_trace_close(&t);
}

static void add(struct ml_ensemble *e, const char *machine)
{
	struct ml_machine m;

	CHECK_OK(ml_machine_parse(&m, machine, &err), &err);
	ml_ensemble_add_member(e, 0, &m, NULL, 0);
}

/* One that shares stack passes with others of its kind. */
static struct ml_machine path_machine(void)
{
	struct ml_machine m = { .cores = 1, .levels = 1 + (uint32_t)random_below(3) };
	uint32_t line = 16u << random_below(2);
	static const char *names[] = { "L1", "L2", "L3" };

	for (unsigned i = 0; i < m.levels; i++) {
		struct ml_level_spec *l = &m.level[i];

		if (i && one_in(3))
			line *= 2;
		*l = random_level(names[i], line, "lru");
		l->no_allocate = false;
		if (one_in(3)) {
			l->sets = 1;
			l->ways = 1 + (uint32_t)random_below(100);
		}
		l->size = (uint64_t)l->sets * l->ways * line;
	}
	if (one_in(3)) { /* a tail: not LRU, or with writes of another kind */
		struct ml_level_spec *l = &m.level[m.levels - 1];

		*l = random_level(l->name, line, NULL);
		if (m.levels < ML_LEVELS && one_in(2)) {
			m.level[m.levels] = random_level("L3", 2 * line, NULL);
			snprintf(m.level[m.levels].name, ML_LEVEL_NAME, "L%u",
				 m.levels + 1);
			m.levels++;
		}
	}
	return m;
}

static void add_random(struct ml_ensemble *e, unsigned count)
{
	while (count--) {
		struct ml_machine m = one_in(3) ? any_machine(1) : path_machine(), again;
		struct ml_buf text = { 0 };

		m.tlbs = m.tlbs > 1 ? 1 : m.tlbs;
		ml_machine_print(&m, &text);
		ml_buf_u8(&text, 0);
		/* a file would not hold what cannot be written */
		if (ml_machine_parse(&again, (char *)text.data, &err))
			ml_ensemble_add_member(e, 0, &again, NULL, 0);
		ml_buf_release(&text);
	}
}

static void run(struct ml_ensemble *e, unsigned threads)
{
	struct ml_ensemble_run o = { .threads = threads };

	CHECK_OK(ml_ensemble_run(e, &o, &err), &err);
	CHECK_EQ(e->state_count, 0);
}

/* ---- what it should be, one by one ---- */

static void check_counts(const struct ml_ensemble *e, size_t member, const uint64_t *want,
			 size_t bins)
{
	const struct ml_member *m = &e->members[member];
	uint64_t total[ML_SERVED] = { 0 };

	CHECK(m->done);
	for (size_t i = 0; i < bins; i++)
		for (unsigned s = 1; s <= m->parsed.levels + 1; s++) {
			if (m->served[s][i] != want[i * ML_SERVED + s])
				TEST_SAY("%s: bin %zu, level %u: %u, not %llu",
					 m->machine, i, s, m->served[s][i],
					 (unsigned long long)want[i * ML_SERVED + s]);
			total[s] += want[i * ML_SERVED + s];
		}
	for (unsigned s = 1; s <= m->parsed.levels + 1; s++)
		CHECK_EQ(m->total[s], total[s]);
}

static void check_alone(const struct ml_ensemble *e, size_t member, struct ml_trace *t)
{
	const struct ml_ensemble_trace *x = &e->traces[0];
	const struct ml_machine *m = &e->members[member].parsed;
	uint64_t *want = calloc(x->bins + 1, ML_SERVED * sizeof(*want)), at = 0;
	struct ml_replay_options o = { .machine = *m, .from = x->from, .to = x->to };
	static uint16_t outcome[ML_BATCH];
	struct ml_future *future = NULL;
	struct ml_batch b;

	struct ml_engine *s = ml_engine_open(m, &(struct ml_engine_job){ .slow = true },
					     &err);
	CHECK(s);
	if (ml_future_needed(m)) {
		CHECK_OK(ml_future_open(&future, t, &o, &err), &err);
		CHECK_OK(ml_future_attach(future, s, &err), &err);
	}
	struct ml_cursor *c = ml_cursor_open(t, x->from, x->to);
	while (ml_cursor_next(c, &b, &err)) {
		struct ml_accesses a = {
			.count = b.count, .addr = b.addr, .what = b.what, .site = b.site
		};

		CHECK_OK(ml_engine_run(s, &a, outcome, &err), &err);
		for (size_t i = 0; i < b.count; i++, at++)
			want[(at >> x->bits) * ML_SERVED +
			     ml_outcome_served(outcome[i])]++;
	}
	CHECK_EQ(at, x->to - x->from);
	ml_cursor_close(c);
	ml_engine_close(s);
	if (future)
		ml_future_close(future);
	check_counts(e, member, want, x->bins);
	free(want);
}

static void check_all(const struct ml_ensemble *e)
{
	struct ml_trace t;

	CHECK_OK(ml_trace_open(&t, trace_path, &err), &err);
	for (size_t i = 0; i < e->member_count; i++)
		check_alone(e, i, &t);
	ml_trace_close(&t);
}

static struct ml_buf bytes_of(const struct ml_ensemble *e)
{
	struct ml_file_map map;
	struct ml_buf b = { 0 };

	CHECK_OK(ml_ensemble_save(e, file_path, &err), &err);
	CHECK_OK(ml_file_map_open(&map, file_path, &err), &err);
	ml_buf_put(&b, map.data, map.size);
	ml_file_map_close(&map);
	return b;
}

static void check_same_bytes(struct ml_buf a, struct ml_buf b)
{
	CHECK_EQ(a.size, b.size);
	CHECK(!memcmp(a.data, b.data, a.size));
}

TEST(a_few_references_are_counted_by_hand)
{
	static const char text[] = "r0 r64 r0 r128 r0 r60:8";
	struct ml_ensemble e;

	/* two lines: 128 drives 64 out; the last asks for 0 and for 64 */
	write_text(text, strlen(text));
	start(&e, 0, 0, 0);
	add(&e, "L1 128 2w 64B");
	add(&e, "L1 192 3w 64B");
	add(&e, "L1 128 2w 64B | L2 256 4w");
	run(&e, 1);
	CHECK_EQ(e.members[0].total[1], 2);
	CHECK_EQ(e.members[0].total[2], 4);
	CHECK_EQ(e.members[1].total[2], 3);
	CHECK_EQ(e.members[2].total[1], 2);
	CHECK_EQ(e.members[2].total[2], 1);
	CHECK_EQ(e.members[2].total[3], 3);
	CHECK_EQ(e.members[0].served[2][4], 0); /* a bin has one reference */
	CHECK_EQ(e.members[0].served[2][5], 1);
	ml_ensemble_release(&e);
}

TEST(random_machines_do_what_they_do_alone)
{
	for (int i = 0; i < 12; i++) {
		struct ml_ensemble e;
		uint64_t count = 100 + random_below(6000);

		write_random(count, 1);
		start(&e, one_in(2) ? random_below(90) : 0, 0, 1 + random_below(500));
		add_random(&e, 40);
		run(&e, 1 + (unsigned)random_below(3));
		check_all(&e);
		ml_ensemble_release(&e);
	}
}

TEST(many_blocks_do_too)
{
	struct ml_ensemble e;

	write_random(140000, 3); /* a block has 65536 */
	start(&e, 0, 0, 3000);
	add_random(&e, 12);
	run(&e, 2);
	check_all(&e);
	ml_ensemble_release(&e);
}

TEST(sizes_and_ways_of_every_kind_do_too)
{
	struct ml_ensemble e;
	char text[100];

	write_model("matmul 24");
	start(&e, 0, 0, 200);
	for (unsigned k = 1; k <= 6000; k += k / 3 + 1) {
		snprintf(text, sizeof(text), "L1 %u full 8B", k * 8);
		add(&e, text);
		snprintf(text, sizeof(text), "L1 512 4w 32B | L2 %u full", k * 32);
		add(&e, text);
	}
	for (unsigned w = 1; w <= 64; w *= 2) {
		snprintf(text, sizeof(text), "L1 %u %uw 16B", w * 16 * 8, w);
		add(&e, text);
		snprintf(text, sizeof(text), "L1 %u %uw 16B | L2 64K 64w | L3 192K 12w",
			 w * 16 * 6, w);
		add(&e, text);
	}
	add(&e, "L1 8K 128w 16B");
	run(&e, 2);
	check_all(&e);
	ml_ensemble_release(&e);
}

TEST(levels_of_other_policies_behind_the_same_first_level_share_it)
{
	static const char *const policies[] = { "lru",    "fifo",  "mru",   "plru",
						"nru",    "srrip", "brrip", "drrip",
						"random", "lfu",   "opt",   "pes" };
	struct ml_ensemble_cost cost;
	struct ml_ensemble e;
	char text[100];

	write_random(6000, 1);
	start(&e, 0, 0, 100);
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		for (unsigned k = 1; k <= 2; k++) {
			snprintf(text, sizeof(text),
				 "L1 256 2w 16B | L2 %uK 4w %s nwa | L3 4K", k,
				 policies[i]);
			add(&e, text);
		}
	ml_ensemble_cost(&e, NULL, &cost);
	/*
	 * Seven policies have two tails each, lru too, as its L2 does not allocate. A
	 * first level has eight behind it, then there is another one. Those that draw
	 * lots, and those that know the future, run alone.
	 */
	CHECK_EQ(cost.passes, 2 + 7 * 2 + 3 * 2 + 2 * 2);
	run(&e, 2);
	check_all(&e);
	ml_ensemble_release(&e);
}

TEST(opt_and_pes_know_the_future_of_the_window)
{
	struct ml_ensemble e;

	write_random(5000, 1);
	start(&e, 100, 4900, 100);
	add(&e, "L1 256 4w 16B opt");
	add(&e, "L1 512 full 16B opt");
	add(&e, "L1 256 4w 16B pes");
	add(&e, "L1 128 2w 16B | L2 1K 4w opt");
	add(&e, "L1 128 2w 16B opt | L2 1K 4w opt");
	run(&e, 2);
	check_all(&e);
	CHECK(e.members[0].total[2] < e.members[2].total[2]);
	ml_ensemble_release(&e);
}

struct counting {
	uint64_t *want;
	unsigned bits;
};

static bool count_events(void *arg, const struct ml_events *ev, struct ml_err *why)
{
	struct counting *c = arg;

	(void)why;
	for (size_t i = 0; i < ev->refs->count; i++)
		c->want[((ev->position + i) >> c->bits) * ML_SERVED +
			ml_outcome_served(ev->outcome[i])]++;
	return true;
}

TEST(several_cores_do_what_a_replay_does)
{
	static const char *const machines[] = {
		"cores 2 | L1 512 2w 16B | L2 2K shared",
		"cores 4 | L1 256 2w 16B fifo",
		"cores 3 | L1 512 4w 32B | L2 4K 4w private | L3 8K",
	};
	struct ml_ensemble e;

	write_random(9000, 3);
	start(&e, 0, 0, 50);
	for (size_t i = 0; i < 3; i++)
		add(&e, machines[i]);
	add(&e, "L1 512 2w 16B");
	struct ml_ensemble_run o = { .threads = 2, .interleave = 7 };
	CHECK_OK(ml_ensemble_run(&e, &o, &err), &err);
	for (size_t i = 0; i < 3; i++) {
		struct counting c = { .bits = e.traces[0].bits };
		struct ml_pass pass = { .arg = &c, .batch = count_events };
		struct ml_replay_options ro = { .machine = e.members[i].parsed,
						.interleave = 7 };
		struct ml_trace t;
		struct ml_replay *r;

		c.want = calloc(e.traces[0].bins, ML_SERVED * sizeof(*c.want));
		CHECK_OK(ml_trace_open(&t, trace_path, &err), &err);
		CHECK_OK(ml_replay_open(&r, &t, &ro, &err), &err);
		CHECK_OK(ml_replay_run(r, &pass, 1, &err), &err);
		check_counts(&e, i, c.want, e.traces[0].bins);
		ml_replay_close(r);
		ml_trace_close(&t);
		free(c.want);
	}
	ml_ensemble_release(&e);
}

/* Cycles of a member by the profile of a replay on its machine. */
static double cycles_alone(const struct ml_member *m, uint64_t interleave)
{
	struct ml_replay_options o = { .machine = m->parsed, .interleave = interleave };
	struct ml_profile p;
	struct ml_replay *r;
	struct ml_trace t;

	CHECK_OK(ml_trace_open(&t, trace_path, &err), &err);
	CHECK_OK(ml_replay_open(&r, &t, &o, &err), &err);
	struct ml_profiler *profiler = ml_profiler_open(&p);
	struct ml_pass pass = ml_profiler_pass(profiler);
	CHECK_OK(ml_replay_run(r, &pass, 1, &err), &err);
	ml_profiler_close(profiler, r);
	ml_replay_close(r);
	ml_trace_close(&t);
	double cycles = p.cycles;
	ml_profile_release(&p);
	return cycles;
}

TEST(the_time_of_a_member_is_that_of_a_simulation)
{
	static const char *const machines[] = {
		"L1 512 full 16B | memory 90c",
		"L1 512 full 16B | TLB 2e full 64 1c | TLB2 4e 2w 5c | walk 30c",
		"L1 1K full 16B | TLB 2e full 64 1c | TLB2 4e 2w 5c | walk 30c",
		"L1 1K full 16B | TLB 2e full 64 1c | TLB2 4e 2w 5c | walk 31c",
		"L1 1K 4w 16B | L2 2K | TLB 4e 2w 64 fifo 2c",
		"L1 1K 4w 16B random prefetch=next | TLB 1e 1w 128",
		"L1 512 2w 16B 4c | L1i 512 2w 9c",
		"L1 512 2w 16B opt 4c | L1i 512 2w 1c | TLB 4e 2w 64",
		"cores 2 | L1 512 2w 16B 1c | L2 2K 10c shared | transfer 70c",
		"cores 2 | L1 512 2w 16B 1c | L2 2K 10c | TLB 2e full 64 3c | transfer 7c",
	};
	enum { COUNT = sizeof(machines) / sizeof(*machines) };

	for (unsigned threads = 1; threads <= 3; threads += 2) {
		struct ml_ensemble e;

		random_state = threads;
		write_random(9000, threads);
		start(&e, 0, 0, 50);
		for (size_t i = 0; i < COUNT; i++)
			add(&e, machines[i]);
		run(&e, 2);
		for (size_t i = 0; i < COUNT; i++)
			CHECK_NEAR(ml_member_cycles(&e.members[i]),
				   cycles_alone(&e.members[i], 0), 1e-9);
		/* also from a file */
		CHECK_OK(ml_ensemble_save(&e, file_path, &err), &err);
		double before = ml_member_cycles(&e.members[1]);
		ml_ensemble_release(&e);
		CHECK_OK(ml_ensemble_open(&e, file_path, &err), &err);
		CHECK_NEAR(ml_member_cycles(&e.members[1]), before, 0);
		ml_ensemble_release(&e);
	}
}

TEST(one_thread_on_several_cores_is_as_on_one)
{
	struct ml_ensemble e;

	write_random(3000, 1);
	start(&e, 0, 0, 50);
	add(&e, "cores 4 | L1 512 2w 16B | L2 2K shared");
	add(&e, "L1 512 2w 16B | L2 2K");
	run(&e, 1);
	for (unsigned s = 1; s <= 3; s++)
		CHECK_EQ(e.members[0].total[s], e.members[1].total[s]);
	ml_ensemble_release(&e);
}

TEST(the_number_of_threads_changes_no_byte)
{
	struct ml_ensemble e;
	struct ml_buf one, more;

	write_random(100000, 2);
	for (unsigned threads = 1; threads <= 3; threads++) {
		random_state = 5;
		start(&e, 0, 0, 1000);
		add_random(&e, 20);
		ml_ensemble_label(&e);
		run(&e, threads);
		more = bytes_of(&e);
		if (threads == 1) {
			one = more;
		} else {
			check_same_bytes(one, more);
			ml_buf_release(&more);
		}
		ml_ensemble_release(&e);
	}
	ml_buf_release(&one);
}

/* ---- interrupted ---- */

struct interrupted {
	volatile bool stop;
	uint64_t ticks_left;
	unsigned saves;
	uint64_t last, total;
};

static bool was_stopped(void *arg)
{
	const struct interrupted *x = arg;

	return ml_stopped(&x->stop);
}

static void count_down(void *arg, const char *what, uint64_t done, uint64_t total)
{
	struct interrupted *x = arg;

	(void)what;
	CHECK(done >= x->last && done <= total);
	x->last = done;
	x->total = total;
	if (x->ticks_left && !--x->ticks_left)
		x->stop = true;
}

static bool save_it(void *arg, const struct ml_ensemble *e, struct ml_err *why)
{
	struct interrupted *x = arg;

	x->saves++;
	return ml_ensemble_save(e, file_path, why);
}

/* Runs, is stopped after a few ticks, goes on from the file, and so on to the end. */
static unsigned run_in_pieces(struct ml_ensemble *e, uint64_t ticks, unsigned threads)
{
	unsigned stops = 0;

	for (;;) {
		struct interrupted x = { .ticks_left = 1 + random_below(ticks) };
		struct ml_work work = { was_stopped, count_down, &x };
		struct ml_ensemble_run o = {
			.threads = threads ? threads : 1 + (unsigned)random_below(3),
			.work = &work,
			.save = save_it,
			.save_arg = &x,
		};

		if (ml_ensemble_run(e, &o, &err)) {
			CHECK_EQ(x.last, x.total);
			return stops;
		}
		CHECK_EQ(err.kind, ML_STOPPED);
		CHECK_EQ(x.saves, 1);
		CHECK(e->state_count <= 1);
		stops++;
		ml_ensemble_release(e);
		CHECK_OK(ml_ensemble_open(e, file_path, &err), &err);
	}
}

static void make_mixed(struct ml_ensemble *e, bool future)
{
	random_state = 77;
	start(e, 0, 0, 700);
	add_random(e, 8);
	add(e, "L1 1K full 16B");
	add(e, "L1 2K full 16B | L2 8K 8w");
	add(e, "L1 1K full 16B | TLB 2e full 64 1c | walk 9c");
	add(e, "L1 2K full 16B | TLB 2e full 64 1c | walk 9c");
	add(e, "L1 1K 4w 16B fifo | L1i 1K 4w 9c | TLB 2e full 128 fifo");
	if (future) {
		add(e, "L1 1K 8w 16B opt");
		add(e, "L1 1K 8w 16B | L2 2K pes");
	}
	ml_ensemble_label(e);
}

static void check_pieces(bool future, uint64_t ticks, unsigned threads)
{
	struct ml_ensemble e;

	write_random(270000, 1);
	make_mixed(&e, future);
	run(&e, 1);
	struct ml_buf whole = bytes_of(&e);
	ml_ensemble_release(&e);
	make_mixed(&e, future);
	random_state = 3 + ticks;
	CHECK(run_in_pieces(&e, ticks, threads) > 0);
	struct ml_buf pieces = bytes_of(&e);
	check_same_bytes(whole, pieces);
	ml_buf_release(&whole);
	ml_buf_release(&pieces);
	ml_ensemble_release(&e);
}

TEST(a_run_that_is_stopped_again_and_again_ends_with_the_same_bytes)
{
	check_pieces(false, 12, 0);
	check_pieces(false, 5, 1);
}

TEST(opt_goes_on_where_it_was_stopped)
{
	check_pieces(true, 15, 1);
}

static void sleep_a_little(void *arg, const char *what, uint64_t done, uint64_t total)
{
	(void)arg, (void)what, (void)done, (void)total;
	usleep(60000);
}

static bool save_once(void *arg, const struct ml_ensemble *e, struct ml_err *why)
{
	struct interrupted *x = arg;

	x->saves++;
	return ml_ensemble_save(e, file_path, why) && false; /* as if killed now */
}

TEST(a_run_goes_on_from_what_it_saved_now_and_then)
{
	struct interrupted x = { 0 };
	struct ml_work work = { .progress = sleep_a_little };
	struct ml_ensemble_run o = {
		.threads = 1, .work = &work, .every = 1, .save = save_once, .save_arg = &x
	};
	struct ml_ensemble e;

	write_random(270000, 1);
	make_mixed(&e, false);
	run(&e, 2);
	struct ml_buf whole = bytes_of(&e);
	ml_ensemble_release(&e);
	make_mixed(&e, false);
	CHECK_FAILS(ml_ensemble_run(&e, &o, &err), &err, "stopped");
	CHECK_EQ(err.kind, ML_STOPPED);
	CHECK_EQ(x.saves, 1);
	ml_ensemble_release(&e);
	CHECK_OK(ml_ensemble_open(&e, file_path, &err), &err);
	CHECK_EQ(e.state_count, 1);
	run(&e, 2);
	struct ml_buf again = bytes_of(&e);
	check_same_bytes(whole, again);
	ml_buf_release(&whole);
	ml_buf_release(&again);
	ml_ensemble_release(&e);
}

TEST(members_added_to_one_that_was_stopped_start_from_the_beginning)
{
	struct interrupted x = { .ticks_left = 12 };
	struct ml_work work = { was_stopped, count_down, &x };
	struct ml_ensemble_run o = {
		.threads = 1, .work = &work, .save = save_it, .save_arg = &x
	};
	struct ml_ensemble e;

	write_random(200000, 1);
	make_mixed(&e, false);
	CHECK_FAILS(ml_ensemble_run(&e, &o, &err), &err, "stopped");
	CHECK_EQ(e.state_count, 1);
	CHECK(e.states[0].position > 0);
	add(&e, "L1 4K full 16B");
	add(&e, "L1 4K 2w 16B mru");
	run(&e, 2);
	check_all(&e);
	ml_ensemble_release(&e);
}

TEST(only_some_members_can_be_run)
{
	struct ml_ensemble e;
	bool only[3] = { false, true, false };
	struct ml_ensemble_run o = { .threads = 1, .only = only };

	write_random(500, 1);
	start(&e, 0, 0, 0);
	add(&e, "L1 1K 2w 16B");
	add(&e, "L1 2K 2w 16B");
	add(&e, "L1 2K 2w 16B fifo");
	CHECK_OK(ml_ensemble_run(&e, &o, &err), &err);
	CHECK(!e.members[0].done && e.members[1].done && !e.members[2].done);
	run(&e, 1);
	check_all(&e);
	ml_ensemble_release(&e);
}

TEST(another_trace_under_the_same_name_is_refused)
{
	struct ml_ensemble e;
	struct ml_ensemble_run o = { .threads = 1 };

	write_random(500, 1);
	start(&e, 0, 0, 0);
	add(&e, "L1 1K");
	write_random(400, 1);
	CHECK_FAILS(ml_ensemble_run(&e, &o, &err), &err, "this is not the trace of");
	unlink(trace_path);
	CHECK_FAILS(ml_ensemble_run(&e, &o, &err), &err, trace_path);
	ml_ensemble_release(&e);
}

TEST(an_empty_trace_is_done_at_once)
{
	struct ml_ensemble e;

	write_text("", 0);
	start(&e, 0, 0, 0);
	add(&e, "L1 1K");
	add(&e, "L1 1K fifo");
	run(&e, 2);
	CHECK(e.members[0].done && e.members[1].done);
	CHECK_EQ(e.members[0].total[1], 0);
	ml_ensemble_release(&e);
}

TEST(the_cost_tells_what_is_shared)
{
	struct ml_ensemble_cost c;
	struct ml_ensemble e;

	write_random(500, 1);
	start(&e, 0, 0, 0);
	add(&e, "L1 1K full");
	add(&e, "L1 2K full");
	add(&e, "L1 4K full");
	add(&e, "L1 4K full | L2 8K");
	add(&e, "L1 8K 2w");
	add(&e, "L1 16K 4w");
	add(&e, "L1 16K fifo");
	add(&e, "cores 2 | L1 1K");
	ml_ensemble_cost(&e, NULL, &c);
	CHECK_EQ(c.members, 8);
	CHECK_EQ(c.passes, 1 + 1 + 1 + 1 + 1); /* full; its L2; 64 sets; fifo; cores */
	CHECK_EQ(c.references, 2 * 500);
	ml_ensemble_release(&e);
}

/* ---- milestones ---- */

static const struct ml_milestones *milestones(struct ml_ensemble *e, const char *what,
					      const char *name)
{
	struct ml_trace t;

	CHECK_OK(ml_trace_open(&t, trace_path, &err), &err);
	CHECK_OK(ml_ensemble_milestones(e, 0, &t, what, &err), &err);
	ml_trace_close(&t);
	for (size_t i = 0; i < e->traces[0].milestone_count; i++)
		if (!strcmp(e->traces[0].milestones[i].name, name))
			return &e->traces[0].milestones[i];
	TEST_SAY("there are no milestones %s", name);
	return NULL;
}

static void no_milestones(struct ml_ensemble *e, const char *what, const char *says)
{
	struct ml_trace t;

	CHECK_OK(ml_trace_open(&t, trace_path, &err), &err);
	CHECK_FAILS(ml_ensemble_milestones(e, 0, &t, what, &err), &err, says);
	CHECK_EQ(err.kind, ML_USAGE);
	ml_trace_close(&t);
}

TEST(marks_and_phases_are_milestones_of_the_window)
{
	static const char text[] = "mark early\nr0\nbegin sort\nr0*3\nmark pass\nr0*2\n"
				   "mark pass\nr0\nend sort\nr0\n";
	struct ml_ensemble e;

	write_text(text, strlen(text));
	start(&e, 1, 0, 0);
	const struct ml_milestones *m = milestones(&e, "marks", "mark pass");
	CHECK_EQ(e.traces[0].milestone_count, 1); /* early is before the window */
	CHECK_EQ(m->count, 2);
	CHECK_EQ(m->at[0], 3);
	CHECK_EQ(m->at[1], 5);
	m = milestones(&e, "marks", "mark pass"); /* found again, not added again */
	CHECK_EQ(m->count, 2);
	m = milestones(&e, "phases", "phase sort");
	CHECK_EQ(m->count, 1);
	CHECK_EQ(m->at[0], 0);
	m = milestones(&e, "phases", "phase sort end");
	CHECK_EQ(m->at[0], 6);
	ml_ensemble_release(&e);
}

TEST(a_visit_to_a_line_begins_where_its_function_was_elsewhere)
{
	static const char text[] =
		"r 0 8 1 x/a.c:12 f\n" /* 0: a visit */
		"r 0 8 1 x/a.c:12 f\n"
		"r 0 8 1 x/a.c:30 g\n" /* another function: no matter */
		"r 0 8 1 x/a.c:12 f\n"
		"r 0 8 2 x/a.c:12 f\n" /* 4: another thread */
		"r 0 8 1 x/a.c:13 f\n"
		"r 0 8 1 x/a.c:12 f\n" /* 6: back */
		"r 0 8 1 x/b.c:12 h\n"
		"r 0 8 1 x/a.c:13 f\n"
		"r 0 8 1 lib.c:5 copy <- x/a.c:12 f\n"; /* 9: for it */
	struct ml_ensemble e;

	write_text(text, strlen(text));
	start(&e, 0, 0, 0);
	const struct ml_milestones *m = milestones(&e, "a.c:12", "a.c:12");
	CHECK_EQ(m->count, 4);
	CHECK_EQ(m->at[0], 0);
	CHECK_EQ(m->at[1], 4);
	CHECK_EQ(m->at[2], 6);
	CHECK_EQ(m->at[3], 9);
	ml_ensemble_release(&e);
}

TEST(milestones_that_are_not_there_are_named)
{
	static const char text[] = "r 0 8 1 a.c:12 f\n";
	struct ml_ensemble e;

	write_text(text, strlen(text));
	start(&e, 0, 0, 0);
	no_milestones(&e, "marks", "has no marks");
	no_milestones(&e, "phases", "has no phases");
	no_milestones(&e, "a.c:13", "does not reach a.c:13");
	no_milestones(&e, "c:12", "does not reach c:12");
	no_milestones(&e, "a.c:x", "'a.c:x' is no line of a source");
	no_milestones(&e, "sweeps", "'sweeps' names no milestones");
	ml_ensemble_release(&e);
}
