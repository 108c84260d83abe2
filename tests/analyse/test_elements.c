#include "tests/test.h"

#include "lib/analyse/trial/elements.h"
#include "tests/sim_random.h"

TEST(elements_are_numbered_from_1_in_the_order_in_which_they_are_added)
{
	struct ml_elements e = { 0 };

	CHECK_EQ(ml_elements_find(&e, 0), 0);
	CHECK_EQ(ml_elements_add(&e, 40), 1);
	CHECK_EQ(ml_elements_add(&e, 0), 2);
	CHECK_EQ(ml_elements_add(&e, 41), 3);
	CHECK_EQ(ml_elements_add(&e, 40), 1);
	CHECK_EQ(e.count, 3);
	CHECK_EQ(ml_elements_find(&e, 0), 2);
	CHECK_EQ(ml_elements_find(&e, 41), 3);
	CHECK_EQ(ml_elements_find(&e, 42),
		 0); /* a neighbour of elements that are there */
	CHECK_EQ(ml_elements_find(&e, 4000), 0);
	ml_elements_release(&e);
}

TEST(numbers_agree_with_a_map_of_single_elements)
{
	struct ml_elements e = { 0 };
	struct ml_map map = { 0 };

	for (unsigned i = 0; i < 20000; i++) {
		uint64_t key = (uint64_t)random_below(3) << 32 | random_below(5000);
		uint64_t *number = ml_map_add(&map, key, NULL);

		if (!*number)
			*number = map.count;
		CHECK_EQ(ml_elements_add(&e, key), *number);
	}
	for (uint64_t key = 0; key < 6000; key++) {
		const uint64_t *number = ml_map_find(&map, key);

		CHECK_EQ(ml_elements_find(&e, key), number ? *number : 0);
	}
	ml_elements_release(&e);
	ml_map_release(&map);
}
