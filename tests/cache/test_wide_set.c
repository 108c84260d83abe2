/*
 * Sets with very many ways: the index agrees with searching all ways, and a fully
 * associative cache of 131,072 lines does what LRU says.
 */
#include "lib/cache/exact/wide_set.h"

#include "lib/base/arena.h"
#include "lib/cache/exact/sim.h"
#include "tests/sim_random.h"
#include "tests/test.h"

enum { WAYS = 60, LINES = 150 };

static uint32_t slow_find(const uint64_t *tags, uint64_t line)
{
	for (uint32_t i = 0; i < WAYS; i++)
		if (tags[i] == line + 1)
			return i;
	return UINT32_MAX;
}

TEST(the_index_agrees_with_searching_all_ways)
{
	struct ml_arena a = { 0 };
	uint64_t tags[WAYS] = { 0 }, word[WAYS] = { 0 }, clock = 0;
	struct ml_wide_set *w = ml_wide_set_make(WAYS, tags, &a);
	uint32_t held = 0;

	random_state = 5;
	for (unsigned n = 0; n < 20000; n++) {
		/* lines that collide, and some that do not */
		uint64_t line = random_below(LINES) << (one_in(2) ? 40 : 0);
		uint32_t way = ml_wide_set_find(w, line);

		CHECK_EQ(way, slow_find(tags, line));
		if (way != UINT32_MAX && one_in(4)) { /* a line is taken away */
			ml_wide_set_drop(w, line, way);
			tags[way] = word[way] = 0;
			held--;
			continue;
		}
		if (way == UINT32_MAX && held < WAYS) {
			uint32_t lowest = 0;

			while (tags[lowest])
				lowest++;
			way = ml_wide_set_empty(w);
			CHECK_EQ(way, lowest);
			held++;
		} else if (way == UINT32_MAX) {
			uint32_t oldest = 0;

			for (uint32_t i = 1; i < WAYS; i++)
				if (word[i] < word[oldest])
					oldest = i;
			way = ml_wide_set_oldest(w, word);
			CHECK_EQ(way, oldest);
			ml_wide_set_drop(w, tags[way] - 1, way);
		} else {
			word[way] = ++clock;
			continue;
		}
		tags[way] = line + 1;
		word[way] = ++clock;
		ml_wide_set_put(w, line, way);
	}
	ml_arena_release(&a);
}

TEST(a_full_cache_may_have_more_than_65536_lines)
{
	enum { ROOM = 131072, MORE = 1000 };
	struct ml_machine m;
	struct ml_err err;
	uint64_t *addr = ml_resize(NULL, (ROOM + MORE) * sizeof(*addr));
	uint16_t *what = ml_resize(NULL, (ROOM + MORE) * sizeof(*what));

	for (size_t i = 0; i < ROOM + MORE; i++) {
		addr[i] = i * 64;
		what[i] = 8;
	}
	CHECK_OK(ml_machine_parse(&m, "L1 8M full 64B", &err), &err);
	for (unsigned want = 0; want <= ML_SIM_CAUSES; want += ML_SIM_CAUSES) {
		struct ml_sim *s = ml_sim_open(&m, want, &err);
		struct ml_accesses a = { .count = ROOM, .addr = addr, .what = what };

		CHECK_OK(ml_sim_run(s, &a, NULL, &err), &err); /* all cold */
		CHECK_OK(ml_sim_run(s, &a, NULL, &err), &err); /* all hit */
		CHECK_EQ(ml_sim_counts(s, 1)->missed[0], ROOM);
		/* a thousand more drive the thousand oldest out, which miss again */
		a = (struct ml_accesses){ .count = MORE,
					  .addr = addr + ROOM,
					  .what = what };
		CHECK_OK(ml_sim_run(s, &a, NULL, &err), &err);
		a.addr = addr;
		CHECK_OK(ml_sim_run(s, &a, NULL, &err), &err);
		CHECK_EQ(ml_sim_counts(s, 1)->missed[0], ROOM + 2 * MORE);
		a.addr = addr + 2 * MORE;
		CHECK_OK(ml_sim_run(s, &a, NULL, &err), &err);
		CHECK_EQ(ml_sim_counts(s, 1)->missed[0], ROOM + 2 * MORE);
		CHECK_EQ(ml_sim_counts(s, 1)->evictions, 2 * MORE);
		ml_sim_close(s);
	}
	ml_free(addr);
	ml_free(what);
}
