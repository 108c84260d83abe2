/* Findings about writes: results that nobody reads, and lines fetched for writes. */
#include "tests/found.h"

#include "lib/trace/address_ranges.h"

/* The trace says which memory system calls read. */
static void given(const char *ranges)
{
	ml_tables_meta(ml_writer_tables(writer), "read by the system", ranges);
}

/* 100 values of 8 bytes, written by two lines; the second array is read. */
static void results(void)
{
	put("alloc kept 0x10000 4096 8\nalloc lost 0x20000 4096 8\n"
	    "L a.c:1\nw0x10000+8*100\nL b.c:2\nw0x20000+8*100\nL c.c:3\nr0x10000+8*100");
}

TEST(what_nobody_reads_until_the_end_is_found)
{
	struct found x;

	start();
	results();
	given("");
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "never read");
	CHECK_STR(n->region, "lost");
	CHECK_EQ(n->line, 2);
	CHECK_EQ(fact(n, "bytes"), 800);
	CHECK_NEAR(fact(n, "never_read"), 1, 1e-9);
	CHECK_NEAR(fact(n, "left"), 1, 1e-9);
	/* each of the three loops misses 50 lines and hits 50 times */
	CHECK_NEAR(n->gain, 1 / 3.0, 1e-9);
	CHECK(strstr(n->advice, "Legal if"));
	done(&x);
}

TEST(what_a_system_call_reads_is_not)
{
	struct found x;

	start();
	results();
	given("20100-20107"); /* one value in the middle */
	finish(&x, FULL);
	CHECK(!find(&x, "never read"));
	done(&x);
}

TEST(nor_is_anything_if_the_trace_does_not_know_what_the_system_reads)
{
	struct found x;

	start();
	results();
	finish(&x, FULL);
	CHECK(!find(&x, "never read"));
	done(&x);
	start();
	results();
	given("no ranges");
	finish(&x, FULL);
	CHECK(!find(&x, "never read"));
	done(&x);
}

TEST(what_was_freed_unread_counts_and_a_new_block_at_its_address_does_not_read_it)
{
	struct found x;

	start();
	for (unsigned t = 0; t < 3; t++)
		put("alloc lost 0x20000 800 8\nL b.c:2\nw0x20000+8*100\nfree 0x20000\n"
		    "alloc kept 0x20000 800 8\nL a.c:1\nw0x20000+8*100\n"
		    "L c.c:3\nr0x20000+8*100\nfree 0x20000");
	given("");
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "never read");
	CHECK_STR(n->region, "lost");
	CHECK_EQ(fact(n, "bytes"), 2400);
	CHECK_NEAR(fact(n, "left"), 1, 1e-9);
	done(&x);
}

TEST(passes_of_which_only_the_last_is_read_are_found)
{
	struct found x;

	start();
	put("alloc out 0x20000 4096 8");
	for (unsigned t = 0; t < 20; t++)
		put("L b.c:2\nw0x20000+8*100");
	put("L c.c:3\nr0x20000+8*100");
	given("");
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "never read");
	CHECK_NEAR(fact(n, "never_read"), 19 / 20.0, 1e-9);
	CHECK_NEAR(fact(n, "left"), 0, 1e-9);
	CHECK(strstr(n->advice, "only in the pass whose result is used"));
	done(&x);
}

/* Behind the last word there is no address: a loop that looked for one began again at 0. */
TEST(the_end_of_the_address_space_has_an_end)
{
	struct found x;

	start();
	put("alloc kept 0x10000 4096 8\nalloc lost 0xfffffffffffff000 4080 8\n"
	    "L b.c:2\nw0xfffffffffffff000+8*100\nw0xfffffffffffffff1:14*50\n"
	    "w0x10000+8*100\nL c.c:3\nr0xfffffffffffff000+8*90 r0xfffffffffffffff1:14*9");
	given("");
	finish(&x, FULL);
	done(&x);
}

TEST(writes_of_a_part_of_each_line_must_fetch_it)
{
	struct found x;

	start();
	put("alloc out 0x10000 65536 8\nL part.c:6");
	for (unsigned i = 0; i < 500; i++)
		touch('w', 0x10000 + 16 * i, 8);
	finish(&x, FULL);
	CHECK(!find(&x, "write allocate"));
	done(&x);
}

/* Lines of an array are written as a whole, by an ordinary or a streaming store. */
static bool advises_streaming(bool already)
{
	struct found x;
	bool found;

	start();
	put("alloc out 0x10000 65536 8\nL out.c:6\nw0x10000+8*1000");
	struct ml_tables *t = ml_writer_tables(writer);
	for (uint32_t i = 1; i < t->sites.count; i++)
		t->sites.at[i].streaming = already;
	finish(&x, FULL);
	found = find(&x, "write allocate");
	done(&x);
	return found;
}

TEST(stores_that_are_streaming_already_are_left_alone)
{
	CHECK(advises_streaming(false));
	CHECK(!advises_streaming(true));
}

TEST(data_that_are_read_soon_are_better_written_through_the_caches)
{
	struct found x;

	start();
	put("alloc out 0x10000 65536 8");
	for (unsigned i = 0; i < 40; i++)
		put("L make.c:1\nw0x%x+8*16\nL use.c:2\nr0x%x+8*16", 0x10000 + 128 * i,
		    0x10000 + 128 * i);
	finish(&x, FULL);
	CHECK(!find(&x, "write allocate"));
	done(&x);
}

TEST(data_that_another_line_overwrites_soon_too)
{
	struct found x;

	start();
	/* all of it stays in L2 until it is overwritten; L1 holds little */
	put("alloc out 0x10000 8192 8\nL clear.c:3\nw0x10000+8*1000");
	put("L fill.c:6\nw0x10000+8*1000");
	finish(&x, "L1 256 full 16B lru 1c | L2 64K 4w lru 4c | memory 100c");
	CHECK(!find(&x, "write allocate"));
	done(&x);
}

TEST(ranges_of_addresses_join_and_stay_few)
{
	struct ml_address_ranges r = { 0 }, again = { 0 };
	struct ml_buf text = { 0 };

	ml_address_ranges_add(&r, 0x3000, 8);
	ml_address_ranges_add(&r, 0x1000, 0x100);
	ml_address_ranges_add(&r, 0x1100, 0x100); /* touches the one before */
	ml_address_ranges_add(&r, 0x2ff0, 0x20);  /* covers the first */
	ml_address_ranges_add(&r, 0x5000, 0);
	ml_address_ranges_print(&r, &text);
	ml_buf_u8(&text, 0);
	CHECK_STR((const char *)text.data, "1000-11ff 2ff0-300f");
	CHECK(ml_address_ranges_parse(&again, (const char *)text.data));
	CHECK_EQ(again.count, 2);
	CHECK(ml_address_ranges_meets(&r, 0x11ff, 1));
	CHECK(!ml_address_ranges_meets(&r, 0x1200, 0x1df0));
	CHECK(ml_address_ranges_meets(&r, 0x1200, 0x1df1));
	CHECK(!ml_address_ranges_meets(&r, 0x3010, UINT64_MAX - 0x3010));
	CHECK(!ml_address_ranges_parse(&again, "1000"));
	CHECK(!ml_address_ranges_parse(&again, "2000-1000"));
	CHECK(!ml_address_ranges_parse(&again, "0-ffffffffffffffff0"));
	for (uint64_t i = 0; i < 2 * ML_ADDRESS_RANGES; i++)
		ml_address_ranges_add(&r, 0x10000 + 64 * i, 8);
	CHECK_EQ(r.count, ML_ADDRESS_RANGES);
	CHECK(ml_address_ranges_meets(&r, 0x10000, 1));
	CHECK(ml_address_ranges_meets(&r, 0x10000 + 64 * 1023, 1));
	ml_buf_release(&text);
}
