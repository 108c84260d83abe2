#include "tests/test.h"

#include <stdio.h>

#include "lib/base/map.h"

TEST(an_empty_map_finds_nothing)
{
	struct ml_map m = { 0 };

	CHECK(!ml_map_find(&m, 0));
	ml_map_release(&m);
}

TEST(a_new_key_has_the_value_0_and_an_old_one_keeps_its_own)
{
	struct ml_map m = { 0 };
	bool is_new;

	CHECK_EQ(*ml_map_add(&m, 0, &is_new), 0);
	CHECK(is_new);
	*ml_map_find(&m, 0) = 9;
	CHECK_EQ(*ml_map_add(&m, 0, &is_new), 9);
	CHECK(!is_new);
	CHECK_EQ(m.count, 1);
	ml_map_release(&m);
}

TEST(ten_thousand_keys_that_share_low_bits_are_all_found)
{
	struct ml_map m = { 0 };

	for (uint64_t k = 0; k < 10000; k++)
		*ml_map_add(&m, k << 40, NULL) = k;
	for (uint64_t k = 0; k < 10000; k++) {
		CHECK_EQ(*ml_map_find(&m, k << 40), k);
		CHECK(!ml_map_find(&m, (k << 40) + 1));
	}
	CHECK_EQ(m.count, 10000);
	ml_map_release(&m);
}

TEST(a_walk_meets_each_key_once_also_0)
{
	struct ml_map m = { 0 };
	uint64_t keys = 0, values = 0;
	const struct ml_map_cell *c;
	size_t at = 0, met = 0;

	CHECK(!ml_map_next(&m, &at));
	for (uint64_t k = 0; k < 1000; k++)
		*ml_map_add(&m, k * 3, NULL) = k + 1;
	while ((c = ml_map_next(&m, &at))) {
		CHECK_EQ(c->value, c->key / 3 + 1);
		keys += c->key;
		values += c->value;
		met++;
	}
	CHECK_EQ(met, 1000);
	CHECK_EQ(keys, 3 * 999 * 500);
	CHECK_EQ(values, 1000 * 1001 / 2);
	ml_map_release(&m);
}

TEST(key_0_survives_growing)
{
	struct ml_map m = { 0 };

	*ml_map_add(&m, 0, NULL) = 7;
	for (uint64_t k = 1; k < 1000; k++)
		*ml_map_add(&m, k, NULL) = k;
	CHECK_EQ(*ml_map_find(&m, 0), 7);
	CHECK(!ml_map_find(&m, 1000));
	CHECK_EQ(m.count, 1000);
	ml_map_release(&m);
}

TEST(names_are_numbered_in_order_and_once)
{
	struct ml_names n = { 0 };

	CHECK_EQ(ml_names_find(&n, "a"), UINT32_MAX);
	CHECK_EQ(ml_names_add(&n, "a"), 0);
	CHECK_EQ(ml_names_add(&n, "b"), 1);
	CHECK_EQ(ml_names_add_bytes(&n, "abc", 1), 0);
	CHECK_EQ(ml_names_add(&n, ""), 2);
	CHECK_EQ(ml_names_find(&n, "b"), 1);
	CHECK_EQ(ml_names_find(&n, "c"), UINT32_MAX);
	CHECK_STR(n.text[1], "b");
	ml_names_release(&n);
}

TEST(a_thousand_names_survive_growing)
{
	struct ml_names n = { 0 };
	char text[20];

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 1000; i++) {
			snprintf(text, sizeof(text), "name%u", i);
			CHECK_EQ(ml_names_add(&n, text), i);
		}
	}
	CHECK_EQ(n.count, 1000);
	ml_names_release(&n);
}
