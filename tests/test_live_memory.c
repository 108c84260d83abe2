/* Pieces of memory that come and go, held against a plain list. */
#include "record/session/live_memory.h"

#include "lib/base/arena.h"
#include "tests/test.h"

TEST(nothing_begins_where_nothing_was_added)
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

TEST(one_in_the_place_of_another_has_a_serial_of_its_own)
{
	struct ml_live_memory l = { 0 };

	ml_live_memory_add(&l, 16, 8, 1);
	uint64_t first = ml_live_memory_find(&l, 16)->serial;
	ml_live_memory_add(&l, 16, 100, 2);
	CHECK_EQ(ml_live_memory_find(&l, 16)->size, 100);
	CHECK(ml_live_memory_find(&l, 16)->serial > first);
	ml_live_memory_release(&l);
}

TEST(what_lives_is_what_a_list_says_in_the_order_in_which_it_came)
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

TEST(the_table_is_as_large_as_what_lives_whatever_came_and_went)
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
