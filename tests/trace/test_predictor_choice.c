#include "lib/trace/chunk/predictor_choice.h"

#include <string.h>

#include "tests/test.h"

enum { COUNT = 3000, STATES = 5 };

struct chunk {
	uint64_t room[ML_LAGS], value[COUNT];
	uint32_t state[COUNT];
};

static uint64_t seed;

static uint64_t draw(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 20;
}

/* States 0 to 3 in turns: an index, two arrays that it is of, a walk; at times state 4.
 */
static void fill(struct chunk *c)
{
	uint64_t index = 0;

	memset(c, 0, sizeof(*c));
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t state = i % 4;

		if (!state)
			index = draw() % 100000;
		c->value[i] = state == 0   ? 0x7000 + index
			      : state == 1 ? 0x500000 + 2 * index
			      : state == 2 ? 0x900000 + 8 * index
					   : 0x10000 + 16 * (uint64_t)i;
		c->state[i] = state;
		if (draw() % 50 == 0)
			c->state[i] = 4;
	}
}

static void try(struct ml_predictor_choice *b, ml_predictor_choice_trier *trier,
		const struct chunk *c)
{
	ml_predictor_choice_start(b, STATES);
	/* in two pieces, as samples are */
	trier(b, c->state, c->value, COUNT / 3);
	trier(b, c->state + COUNT / 2, c->value + COUNT / 2, COUNT / 2);
}

TEST(arrays_of_one_index_are_compared_and_a_walk_has_a_stride)
{
	static struct chunk c;
	struct ml_predictor_choice b = { 0 };
	uint64_t stride;

	seed = 1;
	fill(&c);
	try(&b, ml_predictor_choice_try_plain, &c);
	CHECK_EQ(ml_predictor_choice_best(&b, 1, &stride), 1 | 1 << ML_PREDICT_SHIFT);
	CHECK_EQ(stride, 0);
	/* the index, or the array before it: both tell all, the nearer is the first */
	CHECK_EQ(ml_predictor_choice_best(&b, 2, &stride), 1 | 2 << ML_PREDICT_SHIFT);
	CHECK_EQ(ml_predictor_choice_best(&b, 3, &stride), ML_PREDICT_STRIDE);
	CHECK_EQ(stride, 4 * 16);
	ml_predictor_choice_release(&b);
}

TEST(a_state_without_samples_in_this_chunk_gets_model_0)
{
	static struct chunk c;
	struct ml_predictor_choice b = { 0 };
	uint64_t stride;

	seed = 1;
	fill(&c);
	try(&b, ml_predictor_choice_try_plain, &c);
	ml_predictor_choice_start(&b, STATES);
	CHECK_EQ(ml_predictor_choice_best(&b, 1, &stride), 0);
	CHECK_EQ(ml_predictor_choice_best(&b, 3, &stride), 0);
	CHECK_EQ(stride, 0);
	ml_predictor_choice_release(&b);
}

TEST(vectors_try_the_same)
{
	static struct chunk c;
	struct ml_predictor_choice plain = { 0 }, fast = { 0 };

	if (ml_predictor_choice_best_trier() == ml_predictor_choice_try_plain)
		skip();
	for (uint64_t n = 0; n < 20; n++) {
		seed = n;
		fill(&c);
		try(&plain, ml_predictor_choice_try_plain, &c);
		try(&fast, ml_predictor_choice_best_trier(), &c);
		for (uint32_t i = 0; i < STATES; i++)
			CHECK(!memcmp(&plain.trials[i], &fast.trials[i],
				      sizeof(plain.trials[i])));
	}
	ml_predictor_choice_release(&plain);
	ml_predictor_choice_release(&fast);
}
