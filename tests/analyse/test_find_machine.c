/*
 * Findings that depend on more of the machine than its caches: prefetchers, TLBs. The
 * order of findings with a prefetcher; large pages; references that a change adds.
 */
#include "tests/found.h"

#define LEVELS(prefetch) \
	"L1 1K full 64B 1c | L2 16K 8w 64B " prefetch " 10c | memory 100c"

enum { ROWS = 24, USED = 8, SWEEPS = 60, COLUMN = 512, COLUMNS = 16 };

/*
 * Of A, rows of 1024 bytes, eight lines each are swept again and again: 192 lines, which
 * L2 would hold, but they fall into half of its sets. C is walked down columns of 512
 * lines, each in a page of its own.
 */
static void two_problems(void)
{
	put("global A 0x100000 24576 4 24 256\nglobal C 0x200000 2129920 8 512 520");
	put("L sweep.c:1");
	for (unsigned t = 0; t < SWEEPS; t++)
		for (unsigned i = 0; i < ROWS; i++)
			for (unsigned k = 0; k < USED; k++)
				touch('r', 0x100000 + i * 1024 + k * 64, 4);
	put("L down.c:1");
	for (unsigned j = 0; j < COLUMNS; j++)
		for (unsigned i = 0; i < COLUMN; i++)
			touch('r', 0x200000 + (uint64_t)i * 4160 + j * 8, 8);
}

TEST(padding_that_pays_without_a_prefetcher_only_comes_behind_the_exchange)
{
	struct found x;

	start();
	two_problems();
	finish(&x, LEVELS(""));
	CHECK_STR(x.findings.at[0].kind, "padding");
	CHECK_STR(x.findings.at[0].region, "A");
	CHECK_STR(x.findings.at[1].kind, "stride");
	double cycles = x.findings.cycles;
	/* every line but the first ones comes from L2, not from memory */
	CHECK_NEAR(x.findings.at[0].gain * cycles, (SWEEPS - 1) * ROWS * USED * 90.0,
		   0.02 * cycles);
	done(&x);

	start();
	two_problems();
	finish(&x, LEVELS("prefetch=stream*4"));
	CHECK_STR(x.findings.at[0].kind, "stride");
	CHECK_STR(x.findings.at[0].region, "C");
	/*
	 * Turned, a column is a page of 64 lines in a stream: three come from memory, the
	 * others are prefetched into L2, and seven of eight references hit L1. Before, no
	 * page had two lines of a column, and all came from memory.
	 */
	double turned = COLUMNS * (3 * 100 + 61 * 10 + (COLUMN - 64) * 1.0);
	CHECK_NEAR(x.findings.at[0].gain * x.findings.cycles,
		   COLUMNS * COLUMN * 100 - turned, 1e-3);
	const struct ml_finding *n = find(&x, "padding");
	CHECK(!n || n->gain < 0.5 * x.findings.at[0].gain);
	done(&x);
}

TEST(large_pages_are_tried_on_the_tlbs)
{
	/* 64 pages by turns, of which the TLBs hold 4 and 16; one large page is enough */
	static const char machine[] = "L1 8K full 64B 1c | memory 10c | TLB 4e full 4K | "
				      "TLB2 16e full 7c | walk 30c";
	struct found x;

	start();
	put("global big 0x200000 262144 8\nL pages.c:3");
	for (unsigned i = 0; i < 6400; i++)
		touch('r', 0x200000 + i % 64 * 4096, 8);
	finish(&x, machine);
	const struct ml_finding *n = need(&x, "pages");
	CHECK_STR(n->region, "big");
	CHECK_EQ(n->line, 3);
	CHECK(n->simulated);
	CHECK_EQ(fact(n, "misses"), 6400);
	CHECK_EQ(fact(n, "walks"), 6400);
	CHECK_NEAR(fact(n, "page_used"), 1 / 64.0, 1e-9);
	/* all but the first walk */
	CHECK_NEAR(n->gain * x.findings.cycles, 6399 * 30, 1e-6);
	CHECK(strstr(n->advice, "side by side"));
	done(&x);
}

TEST(pages_that_the_second_tlb_knows_cost_something_too)
{
	static const char machine[] =
		"L1 64K full 64B 1c | memory 10c | TLB 4e full 4K | "
		"TLB2 64e full 7c | walk 30c";
	struct found x;

	start();
	put("global big 0x200000 4194304 8\nL pages.c:3");
	for (unsigned k = 0; k < 64; k++) /* every line of every page */
		for (unsigned i = 0; i < 64; i++)
			touch('r', 0x200000 + i % 16 * 4096 + k * 64, 64);
	finish(&x, machine);
	const struct ml_finding *n = need(&x, "pages");
	CHECK_EQ(fact(n, "walks"), 16);
	CHECK_NEAR(n->gain * x.findings.cycles, 4080 * 7 + 15 * 30, 1e-6);
	CHECK(strstr(n->advice, "use large pages for big"));
	done(&x);
}

TEST(data_smaller_than_a_large_page_want_smaller_elements)
{
	static const char machine[] = "L1 64K full 64B 1c | memory 10c | "
				      "TLB 8e full 4K | walk 30c";
	struct found x;

	start();
	put("global table 0x200000 65536 8\nL pages.c:3");
	for (unsigned k = 0; k < 64; k++) /* every line of 16 pages, a page at a time */
		for (unsigned i = 0; i < 64; i++)
			touch('r', 0x200000 + i % 16 * 4096 + k * 64, 64);
	finish(&x, machine);
	const struct ml_finding *n = need(&x, "pages");
	CHECK(n->vague);
	CHECK(strstr(n->advice, "smaller"));
	CHECK(!strstr(n->advice, "MADV_HUGEPAGE"));
	/* 8 pages are as many as the TLB holds, and half of the lines come from memory */
	CHECK_NEAR(n->gain * x.findings.cycles, (4096 - 8) * 30 + 512 * 9, 1e-6);
	done(&x);
}

/* for j: for i: sum += A[i][j]; then out[j] = sum. double A[64][512]. */
static void column_sums(bool in_memory)
{
	put("global A 0x100000 262144 8 64 512\nglobal out 0x300000 4096 8");
	for (unsigned j = 0; j < 512; j++) {
		put("L sums.c:3 sums");
		for (unsigned i = 0; i < 64; i++) {
			touch('r', 0x100000 + (uint64_t)i * 4096 + j * 8, 8);
			if (in_memory) {
				touch('r', 0x300000 + j * 8, 8);
				touch('w', 0x300000 + j * 8, 8);
			}
		}
		put("L sums.c:4 sums");
		if (!in_memory)
			touch('w', 0x300000 + j * 8, 8);
	}
}

TEST(a_sum_that_leaves_its_register_counts_in_the_promise)
{
	static const char machine[] = "L1 2K full 64B 4c | memory 100c";
	enum { REFS = 512 * 64, ADDED = 2 * REFS - 512 };
	struct found x;

	start();
	column_sums(false);
	finish(&x, machine);
	const struct ml_finding *n = need(&x, "stride");
	CHECK_STR(n->region, "A");
	CHECK_EQ(fact(n, "references_added"), ADDED);
	/*
	 * Along rows one of eight misses, and so it is of the 512 writes to out, which A
	 * drives out of L1 before each of them now. The references more hit.
	 */
	double turned = (REFS + 512) * 7 / 8 * 96.0;
	CHECK_NEAR(fact(n, "gain_exchanged") * x.findings.cycles, turned - ADDED * 4.0,
		   1e-3);
	/* stored transposed, the sum stays in its register: the better remedy comes first
	 */
	CHECK_NEAR(n->gain * x.findings.cycles, turned, 1e-3);
	CHECK(!strncmp(n->advice, "store A transposed (saves ", 26));
	CHECK(strstr(n->advice, "or exchange the two loops"));
	CHECK(strstr(n->advice, "adds to out in memory (saves "));
	done(&x);

	/* the sum is in memory already: nothing is added */
	start();
	column_sums(true);
	finish(&x, machine);
	n = need(&x, "stride");
	for (const struct ml_fact *f = n->facts; f->key; f++)
		CHECK(strcmp(f->key, "references_added") != 0);
	done(&x);
}

/* The same, but the sum is also stored in each iteration, and read at the start only. */
TEST(a_sum_that_is_written_each_time_is_read_each_time_by_the_loops_exchanged)
{
	enum { REFS = 512 * 64 };
	struct found x;

	start();
	put("global A 0x100000 262144 8 64 512\nglobal out 0x300000 4096 8\nL sums.c:3 sums");
	for (unsigned j = 0; j < 512; j++) {
		put("r 0x%x 8 1 sums.c:3 start", 0x300000 + j * 8);
		for (unsigned i = 0; i < 64; i++) {
			put("r 0x%x 8 1 sums.c:3 sums", 0x100000 + i * 4096 + j * 8);
			put("w 0x%x 8 1 sums.c:3 add", 0x300000 + j * 8);
		}
	}
	finish(&x, "L1 2K full 64B 4c | memory 100c");
	CHECK_EQ(fact(need(&x, "stride"), "references_added"), REFS - 512);
	done(&x);
}

TEST(if_the_references_eat_the_gain_the_array_is_only_stored_transposed)
{
	struct found x;

	/* a miss costs less than eight hits, and two hits are added for each */
	start();
	column_sums(false);
	finish(&x, "L1 2K full 64B 4c | memory 12c");
	const struct ml_finding *n = need(&x, "stride");
	CHECK_NEAR(n->gain * x.findings.cycles, (512 * 64 + 512) * 7 / 8 * 8.0, 1e-3);
	CHECK(!strncmp(n->advice, "store A transposed", 18));
	CHECK(!strstr(n->advice, "exchange the two loops"));
	done(&x);
}

/*
 * Another line goes along the rows of A as often: stored transposed, that line would
 * suffer as much as the other gains.
 */
TEST(an_array_that_others_walk_along_its_rows_is_not_stored_transposed)
{
	struct found x;

	start();
	column_sums(false);
	put("L along.c:3 along");
	for (unsigned i = 0; i < 64 * 512; i++)
		touch('r', 0x100000 + i * 8, 8);
	finish(&x, "L1 2K full 64B 4c | memory 100c");
	const struct ml_finding *n = need(&x, "stride");
	CHECK(fact(n, "gain_transposed") < 0.05);
	CHECK_NEAR(n->gain, fact(n, "gain_exchanged"), 1e-9);
	CHECK(!strncmp(n->advice, "exchange the two loops", 22));
	done(&x);
}
