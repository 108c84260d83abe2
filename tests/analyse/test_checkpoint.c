/*
 * Checkpoints: every state comes back as it was, few pieces make it up, and the
 * memory of all stays within its limit. States are random bytes that change a little
 * from one to the next, as those of a simulator do.
 */
#include "lib/analyse/result/checkpoint.h"
#include "lib/base/arena.h"
#include "tests/test.h"

static uint64_t seed = 1;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

static void set_size(struct ml_buf *b, size_t size)
{
	size_t had = b->size;

	b->size = 0;
	ml_buf_reserve(b, size);
	b->size = size;
	for (size_t i = had; i < size; i++)
		b->data[i] = (uint8_t)random_below(256);
}

static void change(struct ml_buf *b, size_t times)
{
	for (size_t i = 0; i < times && b->size; i++)
		b->data[random_below(b->size)] ^= (uint8_t)(1 + random_below(255));
}

static void check_same(const struct ml_buf *a, const struct ml_buf *b)
{
	CHECK_EQ(a->size, b->size);
	CHECK(!a->size || !memcmp(a->data, b->data, a->size));
}

TEST(a_piece_turns_one_state_into_the_other)
{
	static const size_t sizes[] = { 0, 1, 255, 256, 257, 5000, 100000 };
	enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };
	struct ml_packer p = { 0 };
	struct ml_unpacker u = { 0 };
	struct ml_err err;

	for (size_t a = 0; a < SIZES; a++)
		for (size_t b = 0; b < SIZES; b++) {
			struct ml_buf old = { 0 }, now = { 0 }, piece = { 0 };

			set_size(&old, sizes[a]);
			ml_buf_put(&now, old.data, old.size);
			set_size(&now, sizes[b]);
			change(&now, 20);
			ml_checkpoint_put(&p, &old, &now, &piece);
			CHECK_OK(ml_checkpoint_get(&u, piece.data, piece.size, now.size,
						   &old, &err),
				 &err);
			check_same(&old, &now);
			ml_buf_release(&old);
			ml_buf_release(&now);
			ml_buf_release(&piece);
		}
	ml_packer_release(&p);
	ml_unpacker_release(&u);
}

TEST(what_did_not_change_takes_no_room)
{
	struct ml_buf old = { 0 }, piece = { 0 };
	struct ml_packer p = { 0 };

	set_size(&old, 1 << 20);
	ml_checkpoint_put(&p, &old, &old, &piece);
	CHECK(piece.size < 32);
	struct ml_buf now = { 0 };
	ml_buf_put(&now, old.data, old.size);
	change(&now, 10); /* ten pages of 256 bytes, one byte of each not 0 */
	piece.size = 0;
	ml_checkpoint_put(&p, &old, &now, &piece);
	CHECK(piece.size < 256);
	ml_buf_release(&old);
	ml_buf_release(&now);
	ml_buf_release(&piece);
	ml_packer_release(&p);
}

enum { STATE = 3000, STATES = 300, APART = 4000 };

/* One state for each APART references, and copies of all of them. */
static void run(struct ml_checkpoints *c, struct ml_buf *all, uint64_t limit)
{
	struct ml_buf state = { 0 };

	ml_checkpoints_init(c, 0, 1, APART, limit);
	set_size(&state, STATE);
	for (uint64_t i = 1; i <= STATES; i++) {
		change(&state, 10);
		ml_buf_put(&all[i], state.data, state.size);
		if (ml_checkpoints_due(c, i * APART))
			ml_checkpoints_add(c, i * APART, &state);
	}
	ml_buf_release(&state);
}

static void check_states(struct ml_checkpoints *c, const struct ml_buf *all)
{
	struct ml_buf state = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		const struct ml_checkpoint *x = &c->at[i];
		struct ml_err err;

		if (x->whole)
			state.size = 0;
		CHECK_OK(ml_checkpoint_get(&c->unpacker, x->piece, x->piece_size, x->size,
					   &state, &err),
			 &err);
		check_same(&state, &all[c->at[i].position / APART]);
	}
	ml_buf_release(&state);
}

static void release(struct ml_checkpoints *c, struct ml_buf *all)
{
	ml_checkpoints_release(c);
	for (size_t i = 0; i <= STATES; i++)
		ml_buf_release(&all[i]);
}

TEST(every_state_comes_back_as_it_was)
{
	struct ml_buf all[STATES + 1] = { 0 };
	struct ml_checkpoints c;

	run(&c, all, 0);
	CHECK_EQ(c.count, STATES);
	check_states(&c, all);
	release(&c, all);
}

TEST(one_state_in_sixteen_is_whole)
{
	struct ml_buf all[STATES + 1] = { 0 };
	struct ml_checkpoints c;

	run(&c, all, 0);
	for (size_t i = 0; i < c.count; i++)
		CHECK_EQ(c.at[i].whole, i % ML_CHECKPOINT_CHAIN == 0);
	release(&c, all);
}

TEST(with_little_room_they_are_evenly_thinned_and_stay_within_it)
{
	struct ml_buf all[STATES + 1] = { 0 };
	struct ml_checkpoints c;

	/* ten whole states; each tenth of a difference is random bytes */
	run(&c, all, 10 * STATE);
	CHECK(c.bytes <= 10 * STATE);
	CHECK(c.count >= 8);
	CHECK(c.apart > APART);
	for (size_t i = 1; i < c.count; i++)
		CHECK_EQ(c.at[i].position - c.at[i - 1].position, c.apart);
	CHECK(STATES * APART - c.at[c.count - 1].position < c.apart);
	check_states(&c, all);
	release(&c, all);
}

TEST(a_state_larger_than_the_room_is_kept_alone)
{
	struct ml_buf all[STATES + 1] = { 0 };
	struct ml_checkpoints c;

	run(&c, all, 1);
	CHECK_EQ(c.count, 1);
	check_states(&c, all);
	release(&c, all);
}

TEST(they_are_as_far_apart_as_trace_and_state_demand)
{
	struct ml_checkpoints c;
	struct ml_buf large = { 0 };

	ml_checkpoints_init(&c, 1000, 1, 0, 0);
	CHECK_EQ(c.next, 1 << 20);
	ml_checkpoints_init(&c, (uint64_t)1 << 40, 1, 0, 0);
	CHECK_EQ(c.next, (uint64_t)1 << 32);
	ml_checkpoints_init(&c, 0, 1, APART, 0);
	set_size(&large, 3 * APART * ML_CHECKPOINT_BYTES);
	ml_checkpoints_add(&c, APART, &large);
	CHECK_EQ(c.next, 4 * APART);
	ml_checkpoints_release(&c);
	ml_buf_release(&large);
}

TEST(a_damaged_piece_is_an_error)
{
	struct ml_buf old = { 0 }, now = { 0 }, piece = { 0 };
	struct ml_packer p = { 0 };
	struct ml_unpacker u = { 0 };
	struct ml_err err;

	set_size(&now, 1000);
	ml_checkpoint_put(&p, &old, &now, &piece);
	CHECK_FAILS(ml_checkpoint_get(&u, piece.data, piece.size, 500, &old, &err), &err,
		    "larger than a state can be");
	old.size = 0;
	CHECK_FAILS(ml_checkpoint_get(&u, piece.data, piece.size, 1001, &old, &err), &err,
		    "not the size that it states");
	old.size = 0;
	CHECK_FAILS(ml_checkpoint_get(&u, piece.data, piece.size / 2, 1000, &old, &err),
		    &err, "cannot be decompressed");
	ml_buf_release(&old);
	ml_buf_release(&now);
	ml_buf_release(&piece);
	ml_packer_release(&p);
	ml_unpacker_release(&u);
}
