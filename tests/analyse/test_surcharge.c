/*
 * Cycles beyond those of the serving levels: TLBs, transfers between cores, L1i. All
 * figures are derived by hand.
 */
#include "lib/analyse/passes/surcharge.h"
#include "tests/replayed.h"

static void profile(struct replayed *x, const char *machine, const char *text)
{
	struct ml_replay_options o = replayed_options(machine);

	replayed_write(text);
	replayed_run(x, &o, NULL);
}

static const struct ml_profile_count *line(const struct replayed *x, uint32_t number)
{
	for (size_t i = 0; i < x->rows.lines.count; i++)
		if (x->rows.lines.at[i].at.line == number)
			return &x->rows.lines.at[i].count;
	TEST_SAY("no line %u", number);
	return NULL;
}

/* One line holds all; only pages cost anything. */
#define ONE_LINE "L1 64K full 64B 1c | memory 1c"

TEST(tlb_misses_belong_to_lines_and_regions)
{
	static const char text[] = "region A 0 8192\nregion B 8192 4096\n"
				   "L a.c:1\nr0\n"    /* walk: the TLBs know page 0 */
				   "L a.c:2\nr4096\n" /* walk: 1, 0 in TLB2 */
				   "L a.c:3\nr8192\n" /* walk: 2; TLB2 has 2 and 1 */
				   "L a.c:2\nr4096\n" /* TLB2 */
				   "L a.c:2\nr4104\n" /* TLB */
				   "L a.c:1\nr8\n";   /* walk: TLB2 has lost page 0 */
	struct replayed x;

	profile(&x, ONE_LINE " | TLB 1e 1w 4K | TLB2 2e full 5c | walk 30c", text);
	const struct ml_machine *m = &x.p.machine;
	CHECK_EQ(x.p.surcharge.pages[1], 1);
	CHECK_EQ(x.p.surcharge.pages[2], 4);
	CHECK_EQ(ml_surcharge_missed(&line(&x, 1)->surcharge, m, 0), 2);
	CHECK_EQ(ml_surcharge_missed(&line(&x, 1)->surcharge, m, 1), 2);
	CHECK_EQ(ml_surcharge_missed(&line(&x, 2)->surcharge, m, 0), 2);
	CHECK_EQ(ml_surcharge_missed(&line(&x, 2)->surcharge, m, 1), 1);
	CHECK_NEAR(line(&x, 2)->cycles, 3 + 30 + 5, 1e-9);
	CHECK_NEAR(line(&x, 2)->lost, 30 + 5, 1e-9);
	CHECK_NEAR(x.p.cycles, (6 + 4 * 30 + 5) / 6.0, 1e-9);
	CHECK_STR(x.rows.regions.at[0].name, "A");
	CHECK_NEAR(x.rows.regions.at[0].count.lost, 3 * 30 + 5, 1e-9);
	replayed_release(&x);
}

TEST(a_reference_over_two_pages_pays_for_both)
{
	struct replayed x;

	/* 0 and 4096 by a walk each, then both from the TLB, whose hits cost 2 */
	profile(&x, ONE_LINE " | TLB 2e full 4K 2c | walk 30c",
		"L a.c:1\nr4092\nr4092\n");
	CHECK_EQ(x.p.surcharge.pages[1], 2);
	CHECK_EQ(x.p.surcharge.more, 2);
	CHECK_NEAR(x.p.cycles, (2 + 2 * 30 + 2 * 2) / 2.0, 1e-9);
	CHECK_NEAR(line(&x, 1)->cycles, 2 + 2 * 30 + 2 * 2, 1e-9);
	replayed_release(&x);
}

TEST(fetches_use_no_tlb_and_pay_the_cycles_of_l1i)
{
	struct replayed x;

	/* a fetch from memory, two from L1i; a read from memory, by a walk, and a hit */
	profile(&x,
		"L1 1K 2w 64B 4c | L1i 1K 2w 9c | memory 100c | TLB 4e full | walk 30c",
		"f0 f0 f8 r4096 r4096");
	CHECK_EQ(x.p.surcharge.fetches, 3);
	CHECK_EQ(x.p.surcharge.fetched, 2);
	CHECK_NEAR(x.p.cycles, (100 + 9 + 9 + 100 + 30 + 4) / 5.0, 1e-9);
	CHECK_NEAR(x.rows.total.cycles, 100 + 9 + 9 + 100 + 30 + 4, 1e-9);
	CHECK_NEAR(x.rows.threads.at[0].count.cycles, 100 + 9 + 9 + 100 + 30 + 4, 1e-9);
	replayed_release(&x);
}

#define TWO "2 cores | L1 1K 2w 64B 1c | L2 8K 4w 10c | memory 100c | transfer 70c"

TEST(a_line_that_another_core_gives_up_costs_a_transfer)
{
	struct replayed x;

	profile(&x, TWO,
		"L a.c:1\nw0@1\n" /* memory */
		"L a.c:2\nr8@2\n" /* dirty in core 0: a transfer instead of L2 */
		"L a.c:3\nr0@1\n" /* its own copy: L1 */
		"L a.c:4\nw0@1\n" /* takes the copy of core 1: a transfer instead of L1 */
		"L a.c:5\nw8@1\n" /* alone: L1 */
		"L a.c:6\nr64@2\n"   /* nobody's: memory */
		"L a.c:7\nr64@1\n"); /* clean in core 1: the shared level has it */
	CHECK_EQ(x.p.surcharge.transfers, 2);
	CHECK_EQ(x.p.surcharge.instead, 10 + 1);
	CHECK_NEAR(line(&x, 2)->cycles, 70, 1e-9);
	CHECK_NEAR(line(&x, 4)->cycles, 70, 1e-9);
	CHECK_NEAR(line(&x, 7)->cycles, 10, 1e-9);
	CHECK_NEAR(x.p.cycles, (100 + 70 + 1 + 70 + 1 + 100 + 10) / 7.0, 1e-9);
	CHECK_NEAR(x.rows.threads.at[1].count.cycles, 70 + 100, 1e-9);
	replayed_release(&x);
}

TEST(a_reference_pays_for_one_transfer)
{
	struct replayed x;

	/* both lines of the read are dirty elsewhere */
	profile(&x, TWO, "w0@1\nw64@1\nL a.c:3\nr60@2\n");
	CHECK_EQ(x.p.surcharge.transfers, 1);
	CHECK_NEAR(line(&x, 3)->cycles, 70, 1e-9);
	replayed_release(&x);
}

TEST(phases_have_their_surcharge)
{
	struct replayed x;

	profile(&x, ONE_LINE " | TLB 1e 1w 4K | walk 30c",
		"r0\nbegin p\nr4096 r4096 r0\nend p\nr8192\nbegin p\nr0\nend p\n");
	CHECK_EQ(x.rows.phases.count, 1);
	CHECK_EQ(x.rows.phases.at[0].count.surcharge.pages[1], 3);
	CHECK_NEAR(x.rows.phases.at[0].count.cycles, 4 + 3 * 30, 1e-9);
	replayed_release(&x);
}

TEST(what_goes_out_has_write_backs_that_pass_a_level_by)
{
	struct ml_replay_options o =
		replayed_options("L1 128 full 64B | L2 64 1w | L3 1K 2w");
	struct replayed x;

	/*
	 * L2 holds one line, and has lost line 0 when 128 drives it out of L1: the data
	 * go past L2 to L3. At the same time L3 knows the line, and nothing goes on.
	 */
	replayed_write("w0 r64 r128");
	for (unsigned quick = 0; quick < 2; quick++) {
		o.want = quick ? 0 : ML_SIM_CAUSES | ML_SIM_USE;
		replayed_run(&x, &o, NULL);
		CHECK_EQ(x.p.level[1].counts.write_backs, 1);
		CHECK_EQ(x.p.level[1].bytes_out, 64);
		CHECK_EQ(x.p.level[2].counts.write_backs, 0);
		CHECK_EQ(x.p.level[2].bytes_out, 64);
		CHECK_EQ(x.p.level[3].bytes_out, 0);
		replayed_release(&x);
	}
}
