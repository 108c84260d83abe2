/*
 * How many steps references become: each costs time and bytes. That they come back as
 * they were is tested in test_runtime_refs.
 */
#include "record/tracks/reference_steps.h"

#include "lib/base/arena.h"
#include "lib/trace/chunk/chunk.h"
#include "lib/trace/writer.h"
#include "record/symbols/objects.h"
#include "record/ring.h"
#include "tests/scratch.h"
#include "tests/test.h"

struct words {
	uint64_t *at;
	size_t count, cap;
};

static void put(struct words *w, uint64_t place, uint64_t addr)
{
	w->at = ml_grow(w->at, &w->cap, w->count + 2, sizeof(*w->at));
	w->at[w->count++] = (uint64_t)(ML_REF_READ << 4 | 3) << ML_REF_SHIFT |
			    (0x400000 + 16 * place);
	w->at[w->count++] = addr;
}

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* Steps and values of the words, of which there are less than a chunk. */
static struct ml_steps take(struct words *w, bool fast)
{
	struct ml_writer *writer;
	struct ml_reference_steps g;
	struct ml_objects objects;
	struct ml_err err;
	const uint64_t *at = w->at;

	CHECK_OK(ml_writer_open(&writer, scratch(), &err), &err);
	ml_objects_init(&objects, ml_writer_tables(writer));
	ml_reference_steps_init(&g, &objects, writer);
	g.fast = g.fast && fast;
	CHECK_OK(ml_reference_steps_take(&g, &at, w->at + w->count, &err), &err);
	CHECK(at == w->at + w->count);
	struct ml_steps told = *ml_writer_collected(writer);
	CHECK_EQ(told.refs, w->count / 2);
	ml_reference_steps_release(&g);
	ml_objects_release(&objects);
	CHECK_OK(ml_writer_close(writer, &err), &err);
	ml_free(w->at);
	*w = (struct words){ 0 };
	return told; /* of which only the counts are left */
}

enum { STAYS = 20000, WARM = 5000 /* steps until tracks are found */ };

TEST(a_loop_that_is_left_at_random_is_a_step_each_time)
{
	for (int fast = 0; fast < 2; fast++) {
		struct words w = { 0 };
		uint64_t rounds = 0;

		seed = 7;
		for (int i = 0; i < STAYS; i++) {
			uint64_t n = 1 + random_below(16), at;

			rounds += n;
			for (uint64_t k = 0; k < n; k++) { /* x[at] and y[at] */
				at = random_below(1 << 20);
				put(&w, 1, 0x1000000 + at);
				put(&w, 2, 0x9000000 + 2 * at);
			}
			put(&w, 3, 0x5000 + 8 * random_below(1000));
		}
		struct ml_steps told = take(&w, fast);

		CHECK(told.count < STAYS + STAYS / 10 + WARM);
		/* x in each round, y in the first, and the one behind the loop */
		CHECK(told.values < rounds + 2 * STAYS + STAYS / 10 + WARM);
	}
}

TEST(two_ways_from_the_same_place_have_a_track_each)
{
	struct words w = { 0 };

	seed = 3;
	for (int i = 0; i < STAYS; i++) {
		uint64_t way = 10 + 10 * random_below(2), at = 64 * random_below(1 << 16);

		put(&w, 1, at);
		for (uint64_t k = 0; k < 10; k++)
			put(&w, way + k, at + 8 * k);
	}
	struct ml_steps told = take(&w, true);

	/* what follows is foreseen half of the time */
	CHECK(told.count < STAYS * 2 / 3 + WARM);
}

TEST(a_constant_that_holds_no_longer_is_given_up)
{
	struct words w = { 0 };

	seed = 5;
	for (int i = 0; i < STAYS; i++) {
		uint64_t at = 64 * random_below(1 << 16);
		uint64_t far = i < STAYS / 10 ? 800 : 8 * random_below(1 << 16);

		for (uint64_t k = 0; k < 10; k++)
			put(&w, k, at + 8 * k);
		put(&w, 10, at + far);
		for (uint64_t k = 11; k < 20; k++)
			put(&w, k, at + 8 * k);
	}
	struct ml_steps told = take(&w, true);

	CHECK(told.count < STAYS / 2 + WARM); /* of 96 references, of 20 each round */
}
