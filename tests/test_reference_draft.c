#include "record/tracks/reference_draft.h"

#include <string.h>

#include "tests/test.h"

static struct ml_reference_draft draft;

/* A run whose places are letters. */
static void run(const char *places, const uint64_t *addr)
{
	uint64_t w[2 * ML_TRACK];
	size_t count = strlen(places);

	for (size_t i = 0; i < count; i++) {
		w[2 * i] = (uint64_t)places[i];
		w[2 * i + 1] = addr ? addr[i] : i;
	}
	ml_reference_draft_run(&draft, w, count);
}

static const char *way(char *text)
{
	struct ml_reference_draft_way out;

	ml_reference_draft_way(&draft, &out);
	for (unsigned i = 0; i < out.count; i++)
		text[i] = (char)out.word[i];
	text[out.count] = 0;
	return text;
}

TEST(the_way_goes_where_most_of_the_runs_that_came_so_far_go)
{
	char text[ML_TRACK + 1];

	draft.runs = 0;
	run("abab", NULL);
	run("acd", NULL);
	run("ace", NULL);
	run("ace", NULL);
	CHECK_STR(way(text), "ace");
	/* one run alone shows nothing */
	draft.runs = 0;
	run("abc", NULL);
	run("abd", NULL);
	CHECK_STR(way(text), "ab");
}

static void links(const bool *free, struct ml_reference_track_ref *ref)
{
	struct ml_reference_draft_way out;

	ml_reference_draft_way(&draft, &out);
	ml_reference_draft_links(&draft, &out, free, ref);
}

TEST(what_lies_at_the_same_distance_in_all_runs_follows)
{
	bool free[ML_TRACK] = { false };
	struct ml_reference_track_ref ref[ML_TRACK];

	draft.runs = 0;
	run("abc", (uint64_t[]){ 100, 108, 7 });
	run("abc", (uint64_t[]){ 200, 208, 5 });
	run("abc", (uint64_t[]){ 350, 358, 9 });
	links(free, ref);
	CHECK(ref[0].base && !ref[1].base && ref[2].base);
	CHECK_EQ(ref[1].from, 0);
	CHECK_EQ(ref[1].delta, 8);
	/* but not what is known not to */
	free[1] = true;
	links(free, ref);
	CHECK(ref[1].base);
}

TEST(a_drift_is_found_though_an_index_wraps_in_one_run)
{
	bool free[ML_TRACK] = { false };
	struct ml_reference_track_ref ref[ML_TRACK];

	draft.runs = 0;
	for (uint64_t r = 0; r < 8; r++) {
		uint64_t x = 5000 + 64 * r * r, y = 90000 + 8 * r, by = 3 + r * 5 % 7;

		run("xyxy",
		    (uint64_t[]){ x, y, x + by, y + 4 * by - (r == 3 ? 4096 : 0) });
	}
	links(free, ref);
	CHECK(ref[0].base && ref[1].base && ref[2].base && ref[3].drift);
	CHECK_EQ(ref[3].from, 1);
	CHECK_EQ(ref[3].as, 2);
	CHECK_EQ(ref[3].since, 0);
	CHECK_EQ(ref[3].shift, 2);
}
