/* Findings about loops that follow each other over the same data. */
#include "tests/found.h"

TEST(a_loop_that_follows_a_fill_once_is_not_promised_for_all_of_its_runs)
{
	enum { ROUNDS = 6, LINES = 40 }; /* L1 has 16 */
	struct found x;

	start();
	put("alloc X 0x10000 65536 8\nL main.c:1 main\nw0x10000+16*%u", LINES);
	for (unsigned t = 0; t < ROUNDS; t++)
		put("L pass.c:2 pass\nr0x10000+16*%u\nL pass.c:3 pass\nr0x10000+16*%u",
		    LINES, LINES);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "fuse");
	CHECK_EQ(n->line, 3);
	/* one loop instead of two: the second makes none of its references */
	CHECK_NEAR(n->gain * x.findings.cycles, ROUNDS * LINES * 100.0, 1e-6);
	for (size_t i = 0; i < x.findings.count; i++)
		CHECK(x.findings.at[i].gain <= n->gain);
	done(&x);
}

TEST(the_first_use_after_a_fill_is_not_fused_even_if_the_data_were_cleared_before)
{
	enum { LINES = 40 }; /* L1 has 16 */
	struct found x;

	start();
	put("alloc X 0x10000 65536 8\nL main.c:1 main\nw0x10000+16*%u", LINES);
	put("L main.c:2 main\nw0x10000+16*%u", LINES);
	put("L pass.c:3 pass\nr0x10000+16*%u", LINES);
	finish(&x, FULL);
	CHECK(!find(&x, "fuse"));
	done(&x);
}

TEST(a_loop_that_scatters_its_results_cannot_be_fused_with_their_reader)
{
	enum { LINES = 512, ROUNDS = 4 }; /* L1 has 16 */
	unsigned x = 5;
	struct found found;

	start();
	put("alloc X 0x10000 %u 8", 16 * LINES);
	for (unsigned t = 0; t < ROUNDS; t++) {
		put("L put.c:2 put");
		for (unsigned i = 0; i < LINES; i++) {
			x = x * 1664525u + 1013904223u;
			touch('w', 0x10000 + 16 * ((x >> 8) % LINES), 8);
		}
		put("L get.c:3 get\nr0x10000+16*%u", LINES);
	}
	finish(&found, FULL);
	CHECK(!find(&found, "fuse"));
	done(&found);
}
