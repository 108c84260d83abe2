/* Findings about loops over arrays: what the compiler made of them, tiles, sweeps, sets.
 */
#include "tests/found.h"

TEST(a_loop_along_rows_that_the_compiler_unrolled_as_a_whole_is_no_walk)
{
	enum { ROWS = 64, TAKEN = 8, ROW = TAKEN * 48 }; /* one element of six */
	struct found x;

	start();
	put("global B 0x10000 %u 8 %u %u", ROWS * ROW, ROWS, ROW / 8);
	for (unsigned t = 0; t < 4; t++)
		for (unsigned i = 0; i < ROWS; i++)
			for (unsigned k = 0; k < TAKEN; k++) /* instructions of a line */
				put("r 0x%x 8 1 sum.c:9 sum [part%u]",
				    0x10000 + i * ROW + 48 * k, k);
	finish(&x, "L1 1K full 64B lru 1c | memory 100c");
	CHECK(!find(&x, "stride"));
	CHECK(!find(&x, "fields"));
	done(&x);
}

/*
 * Turns a picture of 48 by 40 numbers in square tiles, three times. No row of the result
 * begins at a line.
 */
static void turn(unsigned tile)
{
	enum { W = 48, H = 40 };

	put("alloc from 0x10000 %u 4\nalloc to 0x20008 %u 4\nL turn.c:5 turn", 4 * W * H,
	    4 * W * H);
	for (unsigned t = 0; t < 3; t++)
		for (unsigned i = 0; i < H; i += tile)
			for (unsigned k = 0; k < W; k += tile)
				for (unsigned y = i; y < i + tile && y < H; y++)
					for (unsigned x = k; x < k + tile && x < W; x++) {
						touch('r', 0x10000 + 4 * (y * W + x), 4);
						touch('w', 0x20008 + 4 * (x * H + y), 4);
					}
}

TEST(tiles_are_promised_what_they_give_where_rows_begin_in_the_middle_of_a_line)
{
	struct found x, mended;

	start();
	turn(48);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "stride");
	CHECK_STR(n->region, "to");
	CHECK(strstr(n->advice, "square tiles"));
	start();
	turn((unsigned)fact(n, "tile"));
	finish(&mended, FULL);
	CHECK_NEAR(n->gain * x.findings.cycles,
		   x.findings.cycles - mended.findings.cycles, 1e-6);
	CHECK(!find(&mended, "stride"));
	done(&mended);
	done(&x);
}

TEST(three_arrays_in_the_same_sets_are_found_by_what_they_cost_together)
{
	struct found x;

	start();
	put("global P 0x10000 32 8\nglobal Q 0x10080 32 8\nglobal R 0x10100 32 8\n"
	    "global hits 0x20040 8 8\nL meet.c:2");
	for (unsigned t = 0; t < 2; t++)
		for (unsigned j = 0; j < 4; j++) {
			touch('r', 0x10000 + 8 * j, 8);
			touch('r', 0x10080 + 8 * j, 8);
			touch('w', 0x10100 + 8 * j, 8);
		}
	/* 18 conflicts are 4.7 % of all cycles: no two of the arrays have 2 % */
	put("r0x20040*36000");
	finish(&x, "L1 256 2w 16B lru 1c | memory 100c"); /* 8 sets */
	CHECK_NEAR(need(&x, "overlap")->gain * x.findings.cycles, 18 * 99.0, 1e-6);
	done(&x);
}

/* Products of A and p, which is updated after each; every other one backwards, or not. */
static void products(bool back)
{
	put("alloc A 0x10000 512 8\nalloc p 0x20000 512 8");
	for (unsigned t = 0; t < 10; t++) {
		for (unsigned i = 0; i < 64; i++) {
			unsigned at = back && t % 2 ? 63 - i : i;

			put("L multiply.c:2 multiply\nr0x%x", 0x10000 + 8 * at);
			put("r0x%x", 0x20000 + 8 * at);
		}
		put("L update.c:3 update\nw0x20000+8*64");
	}
}

TEST(passes_that_each_need_an_update_of_other_data_are_sweeps_and_get_no_tiles)
{
	struct found x;

	start();
	products(false);
	finish(&x, FULL); /* 16 lines, and A and p have 32 each */
	CHECK(!find(&x, "tile"));
	CHECK_STR(need(&x, "sweep")->region, "A");
	CHECK(strstr(need(&x, "sweep")->advice, "backwards"));
	CHECK(!strstr(need(&x, "sweep")->advice, "tiles"));
	done(&x);
	start();
	products(true);
	finish(&x, FULL);
	CHECK(!find(&x, "tile"));
	done(&x);
}
