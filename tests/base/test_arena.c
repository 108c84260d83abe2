#include "tests/test.h"

#include "lib/base/arena.h"

TEST(memory_of_an_arena_is_zero_and_aligned)
{
	struct ml_arena a = { 0 };

	for (size_t size = 1; size < 300; size += 7) {
		unsigned char *p = ml_arena_alloc(&a, size);

		CHECK_EQ((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < size; i++)
			CHECK_EQ(p[i], 0);
		memset(p, 0xff, size);
	}
	ml_arena_release(&a);
}

TEST(an_allocation_larger_than_a_page_is_served_whole)
{
	struct ml_arena a = { 0 };
	char *small = ml_arena_strdup(&a, "small");
	char *large = ml_arena_alloc(&a, 1000000);

	memset(large, 1, 1000000);
	CHECK_STR(small, "small");
	CHECK_STR(ml_arena_strdup(&a, "behind"), "behind");
	ml_arena_release(&a);
}

TEST(copies_end_with_a_zero_byte)
{
	struct ml_arena a = { 0 };

	CHECK_STR(ml_arena_copy(&a, "abcdef", 3), "abc");
	CHECK_STR(ml_arena_copy(&a, NULL, 0), "");
	CHECK_STR(ml_arena_printf(&a, "%s-%d", "x", 7), "x-7");
	ml_arena_release(&a);
}

TEST(a_released_arena_can_be_used_again)
{
	struct ml_arena a = { 0 };

	ml_arena_release(&a);
	CHECK_STR(ml_arena_strdup(&a, "again"), "again");
	ml_arena_release(&a);
}

TEST(grown_arrays_keep_their_elements_and_new_ones_are_zero)
{
	int *v = NULL;
	size_t cap = 0;

	for (int n = 0; n < 1000; n++) {
		v = ml_grow(v, &cap, (size_t)n + 1, sizeof(*v));
		CHECK_EQ(v[n], 0);
		v[n] = n;
	}
	for (int n = 0; n < 1000; n++)
		CHECK_EQ(v[n], n);
	ml_free(v);
}
