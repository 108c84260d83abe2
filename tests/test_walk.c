/*
 * Walks over windows of a simulation, and what is built on them: counts, selections,
 * players. Small traces whose outcomes follow by hand; long ones are compared with a walk
 * over everything.
 */
#include "lib/query/workspace/walk.h"

#include "lib/query/workspace/counts.h"
#include "lib/query/workspace/player.h"
#include "lib/query/workspace/selection.h"
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

static bool holds(const struct ml_machine *m, struct ml_sim *sim, uint64_t line)
{
	struct ml_sim_slot slots[16];

	for (uint32_t set = 0; set < m->level[0].sets; set++) {
		ml_sim_set(sim, 0, 0, set, slots);
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
		struct ml_sim *sim = ml_player_take(s, NULL, expected[i].at, &err);

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
