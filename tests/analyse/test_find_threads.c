/* Findings about threads that read the same data, have unequal work, or place pages. */
#include "tests/found.h"

#define CORES "cores 4 | L1 256 full 16B lru 1c | L2 2K full 10c | memory 100c"

/* Threads 2 to 4 each read 512 lines of one array, or a third of it. */
static void readers(bool all)
{
	put("alloc A 0x10000 8192 8\nL fill.c:1\nw0x10000+8*1024@1\nL read.c:2");
	for (unsigned t = 0; t < 3; t++)
		for (unsigned i = 0; i < 1024; i++)
			if (all || i / 342 == t)
				put("r0x%x@%u", 0x10000 + 8 * i, t + 2);
}

TEST(threads_that_all_read_all_of_an_array_are_found)
{
	struct found x;

	start();
	readers(true);
	finish(&x, CORES);
	const struct ml_finding *n = need(&x, "same lines");
	CHECK_STR(n->region, "A");
	CHECK_EQ(n->line, 2);
	CHECK_EQ(fact(n, "threads"), 3);
	CHECK_EQ(fact(n, "lines"), 512);
	/* each has 512 misses of memory and 512 hits; two of three readers go */
	CHECK_NEAR(n->gain * x.findings.cycles, 2 * 512 * (100 + 1), 1e-6);
	CHECK_NEAR(fact(n, "gain_at_least") * x.findings.cycles, 2 * 512 * 90, 1e-6);
	CHECK(!n->simulated);
	done(&x);
}

/* As the rows of a product read a matrix: one thread alone would miss as much. */
TEST(threads_that_each_lose_and_miss_the_lines_again_are_not)
{
	struct found x;

	start();
	put("alloc A 0x10000 8192 8\nL fill.c:1\nw0x10000+8*1024@1\nL read.c:2");
	for (unsigned pass = 0; pass < 3; pass++)
		for (unsigned t = 0; t < 3; t++)
			put("r0x10000+8*1024@%u", t + 2);
	finish(&x, CORES);
	CHECK(!find(&x, "same lines"));
	done(&x);
}

TEST(threads_that_read_a_part_each_are_not)
{
	struct found x;

	start();
	readers(false);
	finish(&x, CORES);
	CHECK(!find(&x, "same lines"));
	done(&x);
}

TEST(threads_that_read_what_each_cache_holds_are_not)
{
	struct found x;

	start();
	put("alloc A 0x10000 64 8\nL fill.c:1\nw0x10000+8*8@1\nL read.c:2");
	for (unsigned t = 0; t < 3; t++)
		for (unsigned i = 0; i < 8000; i++)
			put("r0x%x@%u", 0x10000 + 8 * (i % 8), t + 2);
	finish(&x, CORES);
	CHECK(!find(&x, "same lines"));
	done(&x);
}

TEST(of_a_shared_line_a_thread_is_told_what_it_writes_not_what_it_reads)
{
	struct found x;

	start();
	put("global bins 0x10000 32 8\nL clear.c:1\nr0x10008@1");
	for (unsigned i = 0; i < 100; i++)
		put("L count.c:2\nw0x10000@1\nw0x10008@2");
	put("L sum.c:3\nr0x10000@1\nr0x10008@1"); /* thread 1 adds up all parts */
	finish(&x, "cores 2 | L1 256 full 16B lru 1c private | L2 1K full 16B 10c shared "
		   "| memory 100c");
	const struct ml_finding *n = need(&x, "false sharing");
	CHECK(strstr(n->says[1], "thread 1 writes bins[0] (count.c:2)"));
	CHECK(strstr(n->says[1], "thread 2 writes bins[1] (count.c:2)"));
	done(&x);
}

/* Thread t of 2 to 5 writes amount[t - 2] * 100 values that hit. */
static void workers(const unsigned amount[4])
{
	put("alloc A 0x10000 8192 8\nL work.c:3");
	for (unsigned t = 0; t < 4; t++)
		for (unsigned i = 0; i < amount[t] * 100; i++)
			put("w0x%x@%u", 0x10000 + 64 * t, t + 2);
}

TEST(a_thread_with_more_work_than_the_others_is_found)
{
	struct found x;

	start();
	workers((const unsigned[]){ 10, 2, 2, 2 });
	finish(&x, CORES);
	const struct ml_finding *n = need(&x, "imbalance");
	CHECK_EQ(n->line, 3);
	CHECK_EQ(fact(n, "threads"), 4);
	/* cold misses: one for each thread */
	double most = 1000 + 99, mean = (1600 + 4 * 99) / 4.0;
	CHECK_NEAR(fact(n, "longest"), most / mean, 1e-9);
	CHECK_NEAR(fact(n, "elapsed"), most, 1e-9); /* nothing runs before or behind */
	CHECK_NEAR(n->gain, (most - mean) / most, 1e-9);
	done(&x);
}

TEST(threads_with_nearly_equal_work_are_not)
{
	struct found x;

	start();
	workers((const unsigned[]){ 10, 9, 9, 9 });
	finish(&x, CORES);
	CHECK(!find(&x, "imbalance"));
	done(&x);
}

TEST(threads_that_do_different_jobs_are_not_uneven)
{
	struct found x;

	start();
	put("alloc A 0x10000 8192 8\nL index.c:3");
	for (unsigned i = 0; i < 1000; i++)
		put("w0x10000@2");
	put("L map.c:5"); /* the next stage of the pipeline */
	for (unsigned i = 0; i < 200; i++)
		put("w0x10040@3");
	finish(&x, CORES);
	CHECK(!find(&x, "imbalance"));
	done(&x);
}

/*
 * Thread 1 fills 32 pages, or each of two threads fills its half; then thread 1 (core 0)
 * reads the first half and thread 3 (core 2) the second, a line of each page at a time.
 */
static void place(bool apart)
{
	put("alloc P 0x100000 131072 8\nL fill.c:1\nr0x10@1\nr0x10@2\nr0x10@3");
	for (unsigned p = 0; p < 32; p++)
		put("w0x%x@%u", 0x100000 + 4096 * p, apart && p >= 16 ? 3 : 1);
	put("L use.c:2");
	for (unsigned i = 1; i < 256; i++)
		for (unsigned p = 0; p < 32; p++)
			put("r0x%x@%u", 0x100000 + 4096 * p + 16 * i, p >= 16 ? 3 : 1);
}

TEST(pages_that_one_thread_places_for_all_are_found_on_machines_with_nodes)
{
	struct found x;

	start();
	place(false);
	finish(&x, CORES " | remote 160c");
	const struct ml_finding *n = need(&x, "first touch");
	CHECK_STR(n->region, "P");
	CHECK_EQ(n->line, 1);
	CHECK_EQ(fact(n, "pages"), 32);
	CHECK_EQ(fact(n, "remote"), 255 * 16);
	CHECK_EQ(fact(n, "remote_if_placed"), 0);
	CHECK_NEAR(n->gain, 255 * 16 * 60 / (x.findings.cycles), 1e-9);
	done(&x);
	start();
	place(false);
	finish(&x, CORES); /* one node */
	CHECK(!find(&x, "first touch"));
	done(&x);
	start();
	place(true);
	finish(&x, CORES " | remote 160c");
	CHECK(!find(&x, "first touch"));
	done(&x);
}

/*
 * Thread 1 fills 32 pages. Then it and thread 3 each use 100 lines of one half, 20 times.
 * L2 has 128 lines: one thread alone finds its lines there, but not both.
 */
static double gain_of(bool one_after_the_other)
{
	struct found x;

	start();
	put("alloc P 0x100000 131072 8\nL fill.c:1\nr0x10@1\nr0x10@2\nr0x10@3");
	for (unsigned p = 0; p < 32; p++)
		put("w0x%x@1", 0x100000 + 4096 * p);
	put("L use.c:2");
	for (unsigned i = 0; i < 2 * 20 * 100; i++) {
		bool second = one_after_the_other ? i >= 20 * 100 : i % 2;
		unsigned k = (one_after_the_other ? i : i / 2) % 100;

		put("r0x%x@%u", 0x100000 + 4096 * (k % 16 + 16 * second) + 16 * (k / 16),
		    second ? 3 : 1);
	}
	finish_in_turn(&x, CORES " | remote 160c", 1);
	double gain = need(&x, "first touch")->gain;
	done(&x);
	return gain;
}

TEST(the_order_in_which_threads_were_recorded_does_not_decide_what_first_touch_costs)
{
	CHECK_NEAR(gain_of(true), gain_of(false), 0.005);
}
