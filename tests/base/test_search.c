#include "lib/base/search.h"

#include "tests/test.h"

struct element {
	uint32_t other;
	uint64_t key;
};

static size_t search(size_t (*how)(const void *, size_t, size_t, size_t, uint64_t),
		     uint64_t key)
{
	static const struct element list[] = { { 9, 2 }, { 8, 4 }, { 7, 4 }, { 6, 6 } };

	return how(list, 4, sizeof(*list), offsetof(struct element, key), key);
}

TEST(above_finds_the_first_greater_key)
{
	static const size_t want[] = { 0, 0, 1, 1, 3, 3, 4, 4 };

	for (uint64_t key = 0; key < 8; key++)
		CHECK_EQ(search(ml_search_above, key), want[key]);
	CHECK_EQ(search(ml_search_above, UINT64_MAX), 4);
}

TEST(from_finds_the_first_key_that_is_not_less)
{
	static const size_t want[] = { 0, 0, 0, 1, 1, 3, 3, 4 };

	for (uint64_t key = 0; key < 8; key++)
		CHECK_EQ(search(ml_search_from, key), want[key]);
}

TEST(last_finds_the_last_key_that_is_not_greater)
{
	static const size_t want[] = { 0, 0, 0, 0, 2, 2, 3, 3 };

	for (uint64_t key = 0; key < 8; key++)
		CHECK_EQ(search(ml_search_last, key), want[key]);
}

TEST(an_empty_array_needs_no_memory)
{
	CHECK_EQ(ml_search_above(NULL, 0, 8, 0, 5), 0);
	CHECK_EQ(ml_search_from(NULL, 0, 8, 0, 5), 0);
	CHECK_EQ(ml_search_last(NULL, 0, 8, 0, 5), 0);
}
