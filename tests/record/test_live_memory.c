/* Live pieces of memory, compared with a plain list. */
#include "record/reader/live_memory.h"

#include "lib/base/arena.h"
#include "tests/test.h"

TEST(an_address_without_a_piece_is_not_found)
{
	struct ml_live_memory l = { 0 };
	size_t count;

	CHECK(!ml_live_memory_find(&l, 16));
	ml_live_memory_add(&l, 16, 8, 1);
	ml_live_memory_remove(ml_live_memory_find(&l, 16));
	CHECK(!ml_live_memory_find(&l, 16));
	ml_free(ml_live_memory_list(&l, &count));
	CHECK_EQ(count, 0);
	ml_live_memory_release(&l);
}

TEST(a_piece_that_replaces_another_has_a_new_serial)
{
	struct ml_live_memory l = { 0 };

	ml_live_memory_add(&l, 16, 8, 1);
	uint64_t first = ml_live_memory_find(&l, 16)->serial;
	ml_live_memory_add(&l, 16, 100, 2);
	CHECK_EQ(ml_live_memory_find(&l, 16)->size, 100);
	CHECK(ml_live_memory_find(&l, 16)->serial > first);
	ml_live_memory_release(&l);
}

TEST(live_pieces_equal_a_plain_list_in_order_of_addition)
{
	enum { ADDRESSES = 2000, TURNS = 20000 };
	struct ml_live_memory l = { 0 };
	uint64_t came[ADDRESSES] = { 0 }, x = 1;
	size_t count, expected = 0;

	for (uint64_t turn = 1; turn <= TURNS; turn++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		uint64_t i = (x >> 33) % ADDRESSES;
		struct ml_memory_piece *p = ml_live_memory_find(&l, i * 16);

		CHECK_EQ(p ? p->size : 0, came[i]);
		if (x >> 63) {
			ml_live_memory_add(&l, i * 16, turn, 0);
			came[i] = turn;
		} else if (p) {
			ml_live_memory_remove(p);
			came[i] = 0;
		}
	}
	for (uint64_t i = 0; i < ADDRESSES; i++)
		expected += came[i] != 0;
	struct ml_memory_piece *list = ml_live_memory_list(&l, &count);
	CHECK_EQ(count, expected);
	for (size_t i = 0; i < count; i++) {
		CHECK_EQ(list[i].size, came[list[i].addr / 16]);
		CHECK(!i || list[i].size > list[i - 1].size);
	}
	ml_free(list);
	ml_live_memory_release(&l);
}

TEST(the_table_grows_with_live_pieces_and_not_with_removed_ones)
{
	struct ml_live_memory l = { 0 };

	for (uint64_t i = 0; i < 100000; i++) {
		ml_live_memory_add(&l, i * 16, 8, 0);
		if (i >= 10)
			ml_live_memory_remove(ml_live_memory_find(&l, (i - 10) * 16));
	}
	CHECK(l.cap <= 256);
	ml_live_memory_release(&l);
}
