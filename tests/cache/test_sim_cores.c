/* Several cores: by hand, and on random machines against the slow simulator. */
#include "tests/sim_compare.h"
#include "tests/sim_text.h"

#define TWO_CORES "2 cores | L1 64 4w 16B | L2 256 full shared"

static struct random_trace trace;

TEST(a_core_reads_what_another_wrote_from_the_level_that_they_share)
{
	struct text_run *r = text_run(TWO_CORES, 7, "0:w0 1:r0 0:r0 1:r0");
	size_t count;
	const struct ml_move *m = ml_sim_moves(r->sim, &count);
	unsigned transfers = 0;

	CHECK_STR(r->served, "3211");
	CHECK_STR(r->causes, "zz--");
	CHECK_EQ(text_counts(r, 1)->write_backs, 1);
	CHECK_EQ(text_counts(r, 1)->invalidations, 0);
	for (size_t i = 0; i < count; i++)
		if (m[i].kind == ML_MOVE_TRANSFER) {
			CHECK_EQ(m[i].to, 2);
			CHECK_EQ(m[i].core, 1);
			CHECK_EQ(m[i].other, 0);
			CHECK_EQ(m[i].access, 1);
			transfers++;
		}
	CHECK_EQ(transfers, 1);
}

TEST(without_a_shared_level_memory_serves_what_another_core_wrote)
{
	struct text_run *r = text_run("2 cores | L1 64 4w 16B private", 1,
				      "0:w0 1:r0 0:w0");

	CHECK_STR(r->served, "221");
	CHECK_EQ(text_counts(r, 1)->upgrades, 1);
}

TEST(a_write_to_what_others_hold_takes_it_from_them)
{
	struct text_run *r = text_run(TWO_CORES, 1, "0:r0 1:r0 0:w0 0:w0 1:r0/1");

	CHECK_STR(r->served, "32112");
	CHECK_EQ(text_counts(r, 1)->upgrades,
		 1); /* the second write is nobody's business */
	CHECK_EQ(text_counts(r, 1)->invalidations, 1);
	CHECK_STR(r->causes, "zz--s");
}

TEST(a_line_that_nobody_else_holds_is_written_without_asking)
{
	struct text_run *r = text_run(TWO_CORES, 1, "0:r0 0:w0 1:r64 1:w64");

	CHECK_EQ(text_counts(r, 1)->upgrades, 0);
	CHECK_EQ(text_counts(r, 1)->invalidations, 0);
}

TEST(sharing_is_true_where_bytes_that_others_wrote_are_wanted_and_false_elsewhere)
{
	/* core 1 wrote bytes 0 to 3; core 0 wants 8 to 11, then 0 to 3 */
	CHECK_STR(text_run(TWO_CORES, 1, "0:r8/4 1:w0/4 0:r8/4")->causes, "zzf");
	CHECK_STR(text_run(TWO_CORES, 1, "0:r8/4 1:w0/4 0:r0/4")->causes, "zzs");
	/* what it wrote after it took the line counts, what it wrote before does not */
	CHECK_STR(text_run(TWO_CORES, 1, "0:r0 1:w0 1:w8 0:r8")->causes, "zz-s");
	CHECK_STR(text_run(TWO_CORES, 1, "1:w8 0:r0 1:w0 0:r8")->causes, "zz-f");
	/* writes of a third core, too */
	CHECK_STR(text_run("3 cores | L1 64 4w 16B | L2 256 full shared", 1,
			   "0:r0 1:w0 2:w8 0:r8")
			  ->causes,
		  "zzzs");
}

TEST(two_counters_in_one_line_ping_pong)
{
	struct text_run *r = text_run(TWO_CORES, 1,
				      "0:w0/4 1:w4/4 0:w0/4 1:w4/4 0:w0/4 1:w4/4");

	CHECK_STR(r->causes, "zzffff");
	CHECK_STR(r->served, "322222");
	CHECK_EQ(text_counts(r, 1)->cause[ML_CAUSE_FALSE_SHARING], 4);
	CHECK_EQ(text_counts(r, 1)->invalidations, 5);
	/* in lines of their own they do not */
	CHECK_STR(text_run(TWO_CORES, 1, "0:w0/4 1:w16/4 0:w0/4 1:w16/4")->served,
		  "3311");
}

struct bounces {
	struct ml_bounce list[10];
	unsigned count;
};

static void note_bounce(void *arg, const struct ml_bounce *b)
{
	struct bounces *all = arg;

	all->list[all->count++] = *b;
}

TEST(observers_hear_who_took_a_line_from_whom)
{
	struct bounces all = { .count = 0 };
	struct text_run *r = text_run(TWO_CORES, 1, "");

	ml_sim_observe(r->sim,
		       &(struct ml_observer){ .arg = &all, .bounce = note_bounce });
	text_more(r, "0:w0 1:r0 0:w0 1:w8");
	CHECK_EQ(all.count, 3);
	CHECK(!all.list[0].write && all.list[0].from == 0 && all.list[0].to == 1);
	CHECK_EQ(all.list[0].cause, ML_CAUSE_NONE);
	CHECK(all.list[1].write && all.list[1].from == 1 && all.list[1].to == 0);
	CHECK_EQ(all.list[1].cause, ML_CAUSE_NONE); /* it had it */
	CHECK(all.list[2].write && all.list[2].from == 0 && all.list[2].to == 1);
	CHECK_EQ(all.list[2].cause, ML_CAUSE_FALSE_SHARING);
}

TEST(lines_have_states)
{
	struct text_run *r = text_run(TWO_CORES, 0, "0:r0 0:w16 0:r32 1:r32");
	struct ml_cached_way slots[4];

	ml_sim_set(r->sim, 1, 0, 0, slots);
	CHECK_EQ(slots[0].state, 'E');
	CHECK_EQ(slots[1].state, 'M');
	CHECK_EQ(slots[2].state, 'S');
	CHECK_EQ(slots[3].state, 'I');
	struct ml_cached_way shared[16];
	ml_sim_set(r->sim, 2, 1, 0, shared);
	CHECK_EQ(shared[0].state, 0);
}

TEST(a_private_second_level_loses_the_line_too)
{
	struct text_run *r =
		text_run("2 cores | L1 16 1w 16B | L2 64 4w private | L3 256 full shared",
			 1, "0:r0 0:r16 1:w0 0:r0");

	CHECK_STR(r->served, "4433");
	CHECK_EQ(ml_outcome_cause(r->outcome[3], 1), ML_CAUSE_SHARING);
	CHECK_EQ(ml_outcome_cause(r->outcome[3], 2), ML_CAUSE_SHARING);
	CHECK_EQ(text_counts(r, 2)->invalidations, 1);
}

TEST(a_bounced_line_is_missed_for_one_cause_through_an_exclusive_level)
{
	/* 0 never is in L3: a core within has it. Each core waits for the other's counter. */
	struct text_run *r = text_run("2 cores | L1 16 1w 16B | L2 64 4w private | "
				      "L3 256 full exclusive shared",
				      1, "0:w0 1:w8 0:w0 1:w8");

	CHECK_STR(r->served, "4444");
	for (unsigned level = 1; level <= 3; level++)
		for (size_t i = 2; i < 4; i++)
			CHECK_EQ(ml_outcome_cause(r->outcome[i], level),
				 ML_CAUSE_FALSE_SHARING);
}

TEST(a_line_that_nobody_holds_any_more_is_missed_by_an_exclusive_level_for_its_own_cause)
{
	/* core 1 takes 0 and loses it again, to L3 and then to memory */
	struct text_run *r =
		text_run("2 cores | L1 16 1w 16B | L2 16 1w exclusive shared", 1,
			 "0:r0 1:w0 1:r16 1:r32 1:r48 0:r0");

	CHECK_EQ(ml_outcome_served(r->outcome[5]), 3);
	CHECK_EQ(ml_outcome_cause(r->outcome[5], 1), ML_CAUSE_SHARING);
	CHECK_EQ(ml_outcome_cause(r->outcome[5], 2), ML_CAUSE_CAPACITY);
}

TEST(what_another_core_takes_from_a_private_level_went_out_of_it)
{
	/* core 0 has 0 dirty in L1 and clean in L2; its data pass L2 on their way to L3 */
	struct text_run *r =
		text_run("2 cores | L1 16 1w 16B | L2 64 4w private | L3 256 full shared",
			 1, "0:w0 1:r0");
	const struct ml_level_counts *counts[4];

	for (unsigned level = 0; level < 4; level++)
		counts[level] = text_counts(r, level);
	CHECK_EQ(ml_link_bytes(&r->machine, counts, 1).out, 16);
	CHECK_EQ(ml_link_bytes(&r->machine, counts, 2).out, 16);
	CHECK_EQ(ml_link_bytes(&r->machine, counts, 3).out, 0);
}

TEST(cores_that_share_a_second_level_serve_each_other_there)
{
	/* cores 0 and 1 share an L2, 2 and 3 another one */
	struct text_run *r = text_run("4 cores | L1 64 4w 16B | L2 128 full share=2 | "
				      "L3 1K full shared",
				      1, "0:w0 1:r0 2:r0 3:r0");

	CHECK_STR(r->served, "4232");
}

TEST(random_machines_with_cores_behave_as_in_the_slow_simulator)
{
	for (unsigned round = 0; round < 80; round++) {
		unsigned cores = 2 + (unsigned)random_below(3);
		struct ml_machine m = random_machine(cores, NULL);

		random_trace(&trace, 1200, cores);
		compare(&m, 7, &trace.all, one_in(3) ? 700 : 0);
		compare(&m, 0, &trace.all, 0);
	}
}

TEST(sixty_four_cores_are_not_too_many)
{
	struct ml_machine m = random_machine(64, "lru");

	m.levels = 1;
	random_trace(&trace, 600, 64);
	compare(&m, 7, &trace.all, 0);
}
