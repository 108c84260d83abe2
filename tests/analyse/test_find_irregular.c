/* Findings about access without order: what must hold so that an order is advised. */
#include "tests/found.h"

enum { ELEMENTS = 512 };

/*
 * Visits all elements, of `size` bytes, in an order without a pattern, so many times; the
 * same order or another.
 */
static void visit_sized(unsigned rounds, bool same_order, unsigned size)
{
	unsigned order[ELEMENTS], x = 9;

	put("global X 0x10000 %u %u\nL visit.c:4", size * ELEMENTS, size);
	for (unsigned i = 0; i < ELEMENTS; i++)
		order[i] = i;
	for (unsigned t = 0; t < rounds; t++) {
		for (unsigned i = ELEMENTS - 1; (!same_order || !t) && i > 0; i--) {
			unsigned k = ((x = x * 1664525u + 1013904223u) >> 8) % (i + 1);
			unsigned swapped = order[i];

			order[i] = order[k];
			order[k] = swapped;
		}
		for (unsigned i = 0; i < ELEMENTS; i++)
			touch('r', 0x10000 + size * order[i], size);
	}
}

static void visit(unsigned rounds, bool same_order)
{
	visit_sized(rounds, same_order, 8);
}

TEST(elements_visited_in_the_same_order_again_want_to_lie_in_it)
{
	struct found x;

	start();
	visit(4, true);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "gather");
	CHECK_STR(n->region, "X");
	CHECK_EQ(fact(n, "misses_predicted"), 4 * ELEMENTS / 2); /* two elements a line */
	done(&x);
}

TEST(an_order_that_never_comes_again_is_not_advised)
{
	struct found x;

	start();
	visit(1, true);
	finish(&x, FULL);
	CHECK(!find(&x, "gather"));
	done(&x);
	start();
	visit(4, false);
	finish(&x, FULL);
	CHECK(!find(&x, "gather"));
	done(&x);
}

TEST(elements_that_cannot_hold_a_number_of_another_are_not_renumbered)
{
	struct found x;

	start();
	visit_sized(4, true, 2); /* a number below 512 fits two bytes */
	finish(&x, FULL);
	CHECK(find(&x, "gather"));
	done(&x);
	start();
	visit_sized(4, true, 1); /* but not one */
	finish(&x, FULL);
	CHECK(!find(&x, "gather"));
	done(&x);
}

TEST(nodes_of_lists_that_grew_by_turns_want_to_lie_list_by_list)
{
	enum { LISTS = 16, LENGTH = 32, ROUNDS = 10 };
	struct found x;

	start();
	for (unsigned i = 0; i < LISTS * LENGTH; i++)
		put("alloc node 0x%x 16 8", 0x10000 + 32 * i);
	put("L list.c:7");
	for (unsigned t = 0; t < ROUNDS; t++)
		for (unsigned i = 0; i < LISTS; i++)
			for (unsigned k = 0; k < LENGTH; k++)
				touch('r', 0x10000 + 32 * (k * LISTS + i), 8);
	finish(&x, "L1 1K full 64B 1c | memory 100c"); /* 16 lines */
	const struct ml_finding *n = need(&x, "nodes");
	CHECK_STR(n->region, "node");
	/* a line has two nodes; before, these were of two lists, and a list fills L1
	 * twice */
	CHECK_EQ(fact(n, "misses_tried"), ROUNDS * LISTS * LENGTH);
	CHECK_EQ(fact(n, "misses_predicted"), ROUNDS * LISTS * LENGTH / 2);
	done(&x);
}

/*
 * Elements of 32 bytes, visited without order. If the line uses all of each, elements of
 * half the size are no remedy.
 */
static void probe(unsigned used)
{
	unsigned at = 5;

	put("global table 0x10000 16384 32\nL probe.c:6");
	for (unsigned i = 0; i < 4000; i++) {
		at = at * 1664525u + 1013904223u;
		for (unsigned k = 0; k < used; k += 8)
			touch('r', 0x10000 + 32 * ((at >> 8) % 512) + k, 8);
	}
}

TEST(elements_that_are_used_as_a_whole_are_not_halved)
{
	struct found x;

	start();
	probe(8);
	finish(&x, "L1 4K full 64B 1c | memory 100c");
	CHECK(fact(need(&x, "probes"), "gain_halved") > 0.1);
	done(&x);
	start();
	probe(32);
	finish(&x, "L1 4K full 64B 1c | memory 100c");
	CHECK(!find(&x, "probes"));
	done(&x);
}

TEST(small_blocks_in_a_pool_take_the_room_of_their_type)
{
	enum { BLOCKS = 1024, ROUNDS = 10 };
	struct found x;

	start();
	for (unsigned i = 0; i < BLOCKS; i++)
		put("alloc number 0x%x 4 4", 0x10000 + 32 * i);
	put("L sum.c:7");
	for (unsigned t = 0; t < ROUNDS; t++)
		for (unsigned i = 0; i < BLOCKS; i++)
			touch('r', 0x10000 + 32 * i, 4);
	finish(&x, "L1 1K full 64B 1c | memory 100c"); /* 16 lines */
	/* a line has 16 numbers, and 2 if malloc takes 32 bytes for each */
	CHECK_EQ(fact(need(&x, "nodes"), "misses_tried"), ROUNDS * BLOCKS / 2);
	CHECK_EQ(fact(need(&x, "nodes"), "misses_predicted"), ROUNDS * BLOCKS / 16);
	done(&x);
}

TEST(two_tables_that_each_make_room_for_the_other_are_promised_once)
{
	enum { SLOTS = 160, ROUNDS = 6 };
	unsigned at = 7;
	struct found x;

	start();
	put("global X 0x10000 %u 8\nglobal Y 0x20000 %u 8", 16 * SLOTS, 16 * SLOTS);
	for (unsigned t = 0; t < ROUNDS * SLOTS; t++) {
		at = at * 1664525u + 1013904223u;
		put("L probe.c:4 probe\nr0x%x", 0x10000 + 16 * ((at >> 8) % SLOTS));
		put("L probe.c:5 probe\nr0x%x", 0x20000 + 16 * ((at >> 8) % SLOTS));
	}
	/* two elements of a table in a line: that table and the other one fit L1 */
	finish(&x, "L1 4K full 16B 1c | memory 100c");
	const struct ml_finding *n = need(&x, "probes");
	CHECK_EQ(fact(n, "arrays"), 2);
	CHECK(n->gain < x.findings.waiting);
	done(&x);
}

/* X is used through `at` without order, ten times; indices have so many bytes. */
static void use_indices(unsigned width, bool made_again)
{
	unsigned x = 3;

	put("global X 0x10000 8192 8\nglobal at 0x20000 %u %u", 1024 * width, width);
	for (unsigned t = 0; t < 10; t++) {
		for (unsigned i = 0; made_again && i < 1024; i++)
			put("L make.c:2 make\nw0x%x:%u", 0x20000 + width * i, width);
		for (unsigned i = 0; i < 1024; i++) {
			x = x * 1664525u + 1013904223u;
			put("L use.c:5 use\nr0x%x:%u", 0x20000 + width * i, width);
			put("r0x%x", 0x10000 + 8 * ((x >> 8) % 1024));
		}
	}
}

TEST(indices_are_sorted_only_if_they_are_used_more_than_once)
{
	struct found x;

	start();
	use_indices(4, false);
	finish(&x, FULL);
	CHECK(strstr(need(&x, "gather")->advice, "sort at"));
	done(&x);
	start();
	use_indices(4, true);
	finish(&x, FULL);
	CHECK(!find(&x, "gather"));
	done(&x);
}

TEST(bytes_are_no_indices_of_a_table_with_more_elements)
{
	struct found x;

	start();
	use_indices(1, false);
	finish(&x, FULL);
	CHECK(!find(&x, "gather"));
	done(&x);
}

TEST(a_full_table_that_is_visited_by_chance_is_not_ordered_by_the_chances_of_this_run)
{
	unsigned at = 5;
	struct found x;

	start();
	put("global table 0x10000 4096 8\nL probe.c:6");
	for (unsigned i = 0; i < 1500; i++) {
		at = at * 1664525u + 1013904223u;
		touch('r', 0x10000 + 8 * ((at >> 8) % 512), 8);
	}
	finish(&x, "L1 2K full 16B 1c | memory 100c");
	CHECK(!find(&x, "probes"));
	done(&x);
}

TEST(reads_that_overlap_are_a_text_and_no_indices)
{
	unsigned at = 3;
	struct found x;

	start();
	put("global X 0x10000 8192 8\nglobal text 0x20000 2048 4");
	for (unsigned t = 0; t < 10; t++)
		for (unsigned i = 0; i < 1024; i++) {
			at = at * 1664525u + 1013904223u;
			put("L use.c:5 use\nr0x%x:4", 0x20000 + i);
			put("r0x%x", 0x10000 + 8 * ((at >> 8) % 1024));
		}
	finish(&x, FULL);
	CHECK(!find(&x, "gather"));
	done(&x);
}
