/*
 * Walks over windows of a simulation, and what is built on them: counts, selections,
 * players. Small traces whose outcomes follow by hand; long ones are compared with a walk
 * over everything.
 */
#include "lib/query/trace/open/walk.h"

#include "lib/analyse/passes/replay.h"
#include "lib/query/trace/open/counts.h"
#include "lib/query/trace/open/player.h"
#include "lib/query/trace/open/selection.h"
#include "tests/answered.h"

static struct ml_open_sim *open_text(const char *machine, const char *text, bool model)
{
	open_workspace(machine);
	add_trace(text, model);
	add_sim(0, machine);
	struct ml_open_sim *s = ml_open_sim_ready(&workspace, 0, &err);
	CHECK(s != NULL);
	return s;
}

/* What a walk showed. */
struct seen {
	size_t count, stop_at; /* stop_at: ends the walk there; 0: never */
	uint64_t position[64], addr[64], offset[64];
	uint32_t region[64];
	unsigned served[64];
};

static bool see(void *arg, const struct ml_walk_events *w, struct ml_err *e)
{
	struct seen *x = arg;

	(void)e;
	for (size_t i = 0; i < w->e.refs->count && x->count < 64; i++) {
		x->position[x->count] = w->e.position + i;
		x->addr[x->count] = w->e.refs->addr[i];
		x->region[x->count] = w->e.region[i];
		if (w->offset)
			x->offset[x->count] = w->offset[i];
		if (w->e.outcome)
			x->served[x->count] = ml_outcome_served(w->e.outcome[i]);
		x->count++;
	}
	return !x->stop_at || x->count < x->stop_at;
}

/* Two arrays; A is read twice, so that the second pass hits. */
#define TWO_ARRAYS "region A 4096 64 8\nregion B 8192 64 8\nr4096+8*4 w8192+8*4 r4096+8*4"

TEST(a_walk_shows_the_references_of_its_window_with_places_and_outcomes)
{
	struct ml_open_sim *s = open_text("L1 1K 2w", TWO_ARRAYS, false);
	struct seen x = { 0 };

	CHECK_OK(ml_walk(s, NULL, 3, 6, ML_WALK_OUTCOMES | ML_WALK_PLACES, see, &x, &err),
		 &err);
	CHECK_EQ(x.count, 3);
	CHECK_EQ(x.position[0], 3);
	CHECK_EQ(x.addr[0], 4096 + 24);
	CHECK_EQ(x.offset[0], 24);
	CHECK_EQ(x.served[0], 1); /* the line came with the first element */
	CHECK_EQ(x.addr[1], 8192);
	CHECK_EQ(x.offset[1], 0);
	CHECK_EQ(x.served[1], 2); /* memory: the first touch of B */
	CHECK_EQ(x.served[2], 1);
	CHECK(x.region[0] != x.region[1]);
	close_workspace();
}

TEST(a_window_is_cut_at_the_end_of_the_run)
{
	struct ml_open_sim *s = open_text("L1 1K 2w", TWO_ARRAYS, false);
	struct seen x = { 0 };

	CHECK_OK(ml_walk(s, NULL, 10, 1000, 0, see, &x, &err), &err);
	CHECK_EQ(x.count, 2);
	x.count = 0;
	CHECK_OK(ml_walk(s, NULL, 12, 1000, 0, see, &x, &err), &err);
	CHECK_EQ(x.count, 0);
	close_workspace();
}

TEST(a_walk_ends_well_when_its_function_has_seen_enough)
{
	struct ml_open_sim *s = open_text("L1 1K 2w", TWO_ARRAYS, false);
	struct seen x = { .stop_at = 1 };

	CHECK_OK(ml_walk(s, NULL, 0, 12, 0, see, &x, &err), &err);
	close_workspace();
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

TEST(a_walk_that_is_cancelled_fails_as_stopped)
{
	struct ml_open_sim *s = open_text("L1 1K 2w", "sweep 0 1000000 8", true);
	struct ml_work work = { .cancelled = always };
	struct seen x = { 0 };

	CHECK(!ml_walk(s, &work, 0, 1000000, 0, see, &x, &err));
	CHECK_EQ(err.kind, ML_STOPPED);
	close_workspace();
}

/* Sums of what a region's references touch, with their positions. */
struct sums {
	uint32_t region;
	uint64_t count, positions, offsets;
};

static bool sum(void *arg, const struct ml_walk_events *w, struct ml_err *e)
{
	struct sums *x = arg;

	(void)e;
	for (size_t i = 0; i < w->e.refs->count; i++)
		if (w->e.region[i] == x->region) {
			x->count++;
			x->positions += w->e.position + i;
			x->offsets += w->offset[i];
		}
	return true;
}

TEST(a_walk_over_one_region_shows_all_its_references_and_may_leave_out_others)
{
	struct ml_open_sim *s = open_text("L1 1K 2w",
					  "sweep 0x10000 64 8 repeat 9000 name A;"
					  "sweep 0x90000 50 8 name B;"
					  "sweep 0x10000 64 8 repeat 9000 name A",
					  true);

	for (uint32_t region = 1; region <= 2; region++) {
		struct sums all = { .region = region }, some = all;

		CHECK_OK(ml_walk(s, NULL, 100, 1100000, ML_WALK_PLACES, sum, &all, &err),
			 &err);
		CHECK_OK(ml_walk_region(s, NULL, region, 100, 1100000, ML_WALK_PLACES,
					sum, &some, &err),
			 &err);
		CHECK(all.count >= 50);
		CHECK_EQ(some.count, all.count);
		CHECK_EQ(some.positions, all.positions);
		CHECK_EQ(some.offsets, all.offsets);
	}
	struct sums none = { 0 };
	CHECK_FAILS(ml_walk_region(s, NULL, 77, 0, 10, 0, sum, &none, &err), &err,
		    "there is no region 77");
	close_workspace();
}

/* ---- counts ---- */

struct by_level {
	uint64_t served[4], writes;
};

static void count_row(void *arg, uint64_t position, const struct ml_result_row *row)
{
	struct by_level *x = arg;

	(void)position;
	x->served[ml_outcome_served(row->outcome)] += row->count;
	x->writes += row->kind == ML_WRITE ? row->count : 0;
}

static bool count_each(void *arg, const struct ml_walk_events *w, struct ml_err *e)
{
	struct by_level *x = arg;

	(void)e;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		x->served[ml_outcome_served(w->e.outcome[i])]++;
		x->writes += ml_what_kind(w->e.refs->what[i]) == ML_WRITE;
	}
	return true;
}

TEST(counts_of_any_window_are_those_of_a_walk_over_it)
{
	static const uint64_t windows[][2] = {
		{ 0, 10 },       { 5, 70000 },       { 65536, 131072 },
		{ 1, 399999 },   { 200000, 400000 }, { 65537, 65538 },
		{ 0, 10000000 }, { 399999, 400000 },
	};
	struct ml_open_sim *s = open_text("L1 1K 2w | L2 8K 4w",
					  "random 0x10000 64K 200000 8;"
					  "random 0x90000 4K 200000 8 w",
					  true);

	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		struct by_level counted = { 0 }, walked = { 0 };

		CHECK_OK(ml_counts(s, NULL, windows[i][0], windows[i][1], count_row,
				   &counted, &err),
			 &err);
		CHECK_OK(ml_walk(s, NULL, windows[i][0], windows[i][1], ML_WALK_OUTCOMES,
				 count_each, &walked, &err),
			 &err);
		CHECK(!memcmp(&counted, &walked, sizeof(counted)));
	}
	close_workspace();
}

/* ---- selections ---- */

static bool read_selection(struct ml_selection *x, struct ml_open_sim *s, const char *key,
			   const char *value, struct ml_arena *a)
{
	struct ml_request q = { .params = { { key, value } }, .count = 1 };

	return ml_selection_read(x, &q, s->trace, a, &err);
}

TEST(a_selection_names_references_by_what_they_are)
{
	struct ml_open_sim *s = open_text("L1 1K 2w", TWO_ARRAYS, false);
	struct ml_arena a = { 0 };
	struct ml_selection x;
	struct ml_result_row row = { .kind = ML_READ, .outcome = 1, .region = 1 };

	struct ml_request nothing = { .count = 0 };
	CHECK_OK(ml_selection_read(&x, &nothing, s->trace, &a, &err), &err);
	CHECK(!x.any && ml_selection_has_row(&x, &row));
	CHECK(read_selection(&x, s, "kind", "write", &a));
	CHECK(x.any && !ml_selection_has_row(&x, &row));
	CHECK(read_selection(&x, s, "kind", "read", &a));
	CHECK(ml_selection_has_row(&x, &row));
	CHECK(read_selection(&x, s, "level", "2", &a));
	CHECK(!ml_selection_has_row(&x, &row));
	CHECK(read_selection(&x, s, "region", "1", &a));
	CHECK(ml_selection_has_row(&x, &row));
	CHECK(read_selection(&x, s, "thread", "9", &a));
	CHECK(!ml_selection_has_row(&x, &row));
	ml_arena_release(&a);
	close_workspace();
}

TEST(what_is_no_selection_is_said)
{
	struct ml_open_sim *s = open_text("L1 1K 2w", TWO_ARRAYS, false);
	struct ml_arena a = { 0 };
	struct ml_selection x;

	CHECK(!read_selection(&x, s, "kind", "jump", &a));
	CHECK(!read_selection(&x, s, "cause", "fate", &a));
	CHECK(!read_selection(&x, s, "line", "1", &a));
	CHECK(!read_selection(&x, s, "level", "x", &a));
	CHECK(!read_selection(&x, s, "offset", "0-8", &a)); /* of which region? */
	ml_arena_release(&a);
	close_workspace();
}

/* ---- players ---- */

static bool holds(const struct ml_machine *m, struct ml_engine *sim, uint64_t line)
{
	struct ml_cached_way slots[16];

	for (uint32_t set = 0; set < m->level[0].sets; set++) {
		ml_engine_set(sim, 0, 0, set, slots);
		for (uint32_t way = 0; way < m->level[0].ways; way++)
			if (slots[way].line == line)
				return true;
	}
	return false;
}

TEST(a_player_holds_what_the_references_before_a_position_left)
{
	/* 2 lines of 64 bytes: the third one drives the first out */
	struct ml_open_sim *s = open_text("L1 128 full 64B", "r0 r64 r128 r0", false);
	static const struct {
		uint64_t at;
		bool first, third;
	} expected[] = { { 0, false, false },
			 { 1, true, false },
			 { 3, false, true },
			 { 2, true, false }, /* back */
			 { 4, true, true } };

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct ml_engine *sim = ml_player_take(s, NULL, expected[i].at, &err);

		CHECK(sim != NULL);
		CHECK_EQ(holds(&s->machine, sim, 0), expected[i].first);
		CHECK_EQ(holds(&s->machine, sim, 128), expected[i].third);
		ml_player_give(s);
	}
	close_workspace();
}

static void add_moves(void *arg, const struct ml_move *moves, size_t count)
{
	uint64_t *accesses = arg;

	for (size_t i = 0; i < count; i++)
		accesses[moves[i].access]++;
}

TEST(movements_count_from_the_position_that_was_asked_for)
{
	struct ml_open_sim *s = open_text("L1 128 full 64B", "r0 r64 r128 r128", false);
	uint64_t accesses[4] = { 0 };

	CHECK_OK(ml_player_moves(s, NULL, 2, 4, add_moves, accesses, &err), &err);
	CHECK_EQ(accesses[0], 2); /* r128 brings a line in and drives one out */
	CHECK_EQ(accesses[1], 1); /* the hit */
	close_workspace();
}

/* ---- threads that are interleaved ---- */

enum { REFS = 700000, ALONE = 60000, ALONE_AGAIN = 400000, TOGETHER_AGAIN = 560000 };

static const char FOUR_CORES[] = "cores 4 | L1 4K 4w 64B | L2 64K 8w shared";

/*
 * Thread 1 is alone at first and in the middle; in between, threads run for long
 * stretches, and the second time in another order than they first appeared in.
 */
static uint16_t thread_at(size_t i)
{
	static const uint16_t first[] = { 1, 3, 2 }, later[] = { 2, 4, 1, 3 };

	if (i < ALONE || (i >= ALONE_AGAIN && i < TOGETHER_AGAIN))
		return 1;
	return i < ALONE_AGAIN ? first[i / 17000 % 3] : later[i / 13000 % 4];
}

static void write_threads(void)
{
	static const struct {
		uint16_t id;
		uint64_t from, until;
	} lives[] = { { 1, 0, ML_FOREVER },
		      { 2, ALONE, ALONE_AGAIN },
		      { 3, ALONE, ALONE_AGAIN },
		      { 2, TOGETHER_AGAIN, ML_FOREVER },
		      { 3, TOGETHER_AGAIN, ML_FOREVER },
		      { 4, TOGETHER_AGAIN, ML_FOREVER } };
	struct ml_writer *w;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	struct ml_tables *t = ml_writer_tables(w);
	ml_tables_meta(t, "back end", "valgrind");
	for (size_t i = 0; i < 3; i++)
		*ML_ADD(t->threads) = (struct ml_thread){ .id = lives[i].id,
							  .parent = 1,
							  .from = lives[i].from,
							  .until = lives[i].until };
	for (size_t i = 0; i < REFS; i++) {
		struct ml_ref ref = { .thread = thread_at(i),
				      .what = ml_what(i % 3 ? ML_READ : ML_WRITE, 8) };

		if (i == TOGETHER_AGAIN)
			for (size_t k = 3; k < 6; k++)
				*ML_ADD(t->threads) =
					(struct ml_thread){ .id = lives[k].id,
							    .parent = 1,
							    .from = lives[k].from,
							    .until = lives[k].until };
		ref.addr = i % 7 ? ref.thread * 0x10000u + i * 29 % 3000 * 8
				 : 0x8000u + ref.thread * 8u;
		CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	}
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
	unlink(scratch());
}

/* All references in simulated order, from a replay that begins at the first. */
struct replayed {
	uint64_t addr[REFS], time[REFS];
	uint32_t region[REFS];
	uint16_t what[REFS], core[REFS], outcome[REFS];
	size_t count;
};

static bool take_all(void *arg, const struct ml_events *e, struct ml_err *e2)
{
	struct replayed *x = arg;

	(void)e2;
	for (size_t i = 0; i < e->refs->count; i++, x->count++) {
		x->addr[x->count] = e->refs->addr[i];
		x->time[x->count] = e->time ? e->time[i] : e->refs->time + i;
		x->region[x->count] = e->region[i];
		x->what[x->count] = e->refs->what[i];
		x->core[x->count] = e->core[i];
		x->outcome[x->count] = e->outcome[i];
	}
	return true;
}

static struct replayed *replay_all(struct ml_open_sim *s)
{
	struct replayed *x = ml_resize(NULL, sizeof(*x));
	struct ml_replay_options o = { .machine = s->machine,
				       .interleave = ML_INTERLEAVE_AUTO,
				       .want = ML_SIM_CAUSES };
	struct ml_pass pass = { .arg = x, .batch = take_all };
	struct ml_replay *r;

	x->count = 0;
	CHECK_OK(ml_replay_open(&r, &s->trace->trace, &o, &err), &err);
	CHECK_OK(ml_replay_run(r, &pass, 1, &err), &err);
	ml_replay_close(r);
	CHECK_EQ(x->count, REFS);
	return x;
}

/* A walk, held against the replay. */
struct held {
	const struct replayed *all;
	uint64_t next;
};

static bool hold_against(void *arg, const struct ml_walk_events *w, struct ml_err *e)
{
	struct held *h = arg;

	(void)e;
	CHECK_EQ(w->e.position, h->next);
	for (size_t i = 0; i < w->e.refs->count; i++, h->next++) {
		const struct replayed *a = h->all;

		assert_true(w->e.refs->addr[i] == a->addr[h->next]);
		assert_true((w->e.time ? w->e.time[i] : w->e.refs->time + i) ==
			    a->time[h->next]);
		assert_true(w->e.region[i] == a->region[h->next]);
		assert_true(w->e.core[i] == a->core[h->next]);
		assert_true(w->e.outcome[i] == a->outcome[h->next]);
	}
	return true;
}

static uint64_t next_random(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return *x >> 33;
}

TEST(walks_at_random_moments_show_interleaved_threads_as_a_replay_from_the_start)
{
	uint64_t seed = 1;

	open_workspace(FOUR_CORES);
	write_threads();
	add_sim(0, FOUR_CORES);
	struct ml_open_sim *s = ml_open_sim_ready(&workspace, 0, &err);
	CHECK(s != NULL);
	CHECK(s->simulation.profile->interleaved && s->simulation.result.turns.count > 1);
	struct replayed *all = replay_all(s);
	for (int k = 0; k < 40; k++) {
		uint64_t from = k ? next_random(&seed) % REFS : 0;
		uint64_t to = k ? from + next_random(&seed) % 3000 : REFS;
		struct held h = { all, from };

		CHECK_OK(ml_walk(s, NULL, from, to, ML_WALK_OUTCOMES | ML_WALK_PLACES,
				 hold_against, &h, &err),
			 &err);
		CHECK_EQ(h.next, to < REFS ? to : REFS);
	}
	ml_free(all);
	close_workspace();
}

/* Simulates [from, to) of a replay's order. */
static void run_slowly(struct ml_engine *sim, struct replayed *x, uint64_t from,
		       uint64_t to)
{
	struct ml_accesses a = { .count = to - from,
				 .addr = x->addr + from,
				 .what = x->what + from,
				 .core = x->core + from,
				 .owner = x->region + from };

	CHECK_OK(ml_engine_run(sim, &a, NULL, &err), &err);
}

/* Both hold the same lines, of the same regions, in the same order of eviction. */
static void check_same(const struct ml_machine *m, const struct ml_engine *a,
		       const struct ml_engine *b)
{
	for (uint32_t level = 1; level <= m->levels; level++) {
		const struct ml_level_spec *l = &m->level[level - 1];

		for (uint32_t core = 0; core < m->cores; core += l->share)
			for (uint32_t set = 0; set < l->sets; set++) {
				struct ml_cached_way x[16], y[16];

				ml_engine_set(a, level, core, set, x);
				ml_engine_set(b, level, core, set, y);
				for (uint32_t way = 0; way < l->ways; way++) {
					CHECK_EQ(x[way].line, y[way].line);
					if (x[way].line == ML_NO_LINE)
						continue;
					CHECK_EQ(x[way].rank, y[way].rank);
					CHECK_EQ(x[way].owner, y[way].owner);
					CHECK_EQ(x[way].since, y[way].since);
					CHECK_EQ(x[way].dirty, y[way].dirty);
					CHECK_EQ(x[way].state, y[way].state);
				}
			}
	}
}

TEST(players_at_random_moments_hold_what_a_simulation_from_the_start_holds)
{
	uint64_t seed = 7, moments[24];

	open_workspace(FOUR_CORES);
	write_threads();
	add_sim(0, FOUR_CORES);
	struct ml_open_sim *s = ml_open_sim_ready(&workspace, 0, &err);
	CHECK(s->simulation.result.checkpoints.count > 1);
	struct replayed *all = replay_all(s);
	for (int k = 0; k < 24; k++) /* far, a step on, two steps back, a little back */
		moments[k] = k % 4 == 0   ? next_random(&seed) % REFS
			     : k % 4 == 1 ? moments[k - 1] + 1
			     : k % 4 == 2 ? moments[k - 1] - (moments[k - 1] > 2 ? 2 : 0)
					  : moments[k - 1] - moments[k - 1] % 9000;
	for (int k = 0; k < 24; k++) {
		struct ml_engine_job job = { .want = ML_SIM_MOVES | ML_SIM_USE,
					     .looks = true };
		struct ml_engine *sim = ml_engine_open(&s->machine, &job, &err);

		run_slowly(sim, all, 0, moments[k]);
		struct ml_engine *player = ml_player_take(s, NULL, moments[k], &err);
		CHECK(player != NULL);
		check_same(&s->machine, sim, player);
		ml_player_give(s);
		ml_engine_close(sim);
	}
	ml_free(all);
	close_workspace();
}
