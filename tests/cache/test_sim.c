/* One core: by hand, and on random machines against the slow simulator. */
#include "lib/cache/machine/link_bytes.h"
#include "tests/sim_compare.h"
#include "tests/sim_text.h"

static struct random_trace trace;

static void served_are(const char *machine, const char *accesses, const char *served)
{
	CHECK_STR(text_run(machine, 0, accesses)->served, served);
}

TEST(a_line_is_served_by_memory_first_and_by_the_first_level_then)
{
	served_are("L1 128 2w 16B", "r0 r4 r15 r16 r0", "21121");
}

TEST(a_hit_saves_a_line_under_lru_but_not_under_fifo)
{
	/* one set of two ways: 32 drives out 16 or 0 */
	served_are("L1 32 2w 16B lru", "r0 r16 r0 r32 r0", "22121");
	served_are("L1 32 2w 16B fifo", "r0 r16 r0 r32 r0", "22122");
	served_are("L1 32 2w 16B mru", "r0 r16 r0 r32 r0 r16", "221221");
}

TEST(levels_serve_what_those_within_have_lost)
{
	/* L1 holds one line, L2 two, L3 four */
	served_are("L1 16 1w 16B | L2 32 2w | L3 64 4w", "r0 r16 r0 r32 r48 r0 r16",
		   "4424433");
}

TEST(an_access_that_crosses_lines_counts_once_and_is_served_by_the_farthest)
{
	struct text_run *r = text_run("L1 64 full 16B", 1, "r0 r12/8 r12/8 r8/100");

	CHECK_STR(r->served, "2212");
	CHECK_EQ(text_counts(r, 1)->asked[ML_ACCESS_READ], 1 + 2 + 2 + 7);
	CHECK_EQ(text_missed(r, 1), 1 + 1 + 5);
}

TEST(an_access_at_the_end_of_the_address_space_ends_there)
{
	served_are("L1 64 full 16B", "r18446744073709551615/8 r18446744073709551600",
		   "21");
}

TEST(a_number_of_sets_that_is_no_power_of_two_takes_the_rest_of_a_division)
{
	/* 3 sets of one way: lines 0 and 3 collide, 1 and 2 do not */
	served_are("L1 48 1w 16B", "r0 r16 r32 r0 r48 r0 r16 r32", "22212211");
}

TEST(a_dirty_victim_is_written_back_to_the_next_level_that_has_it)
{
	struct text_run *r = text_run("L1 16 1w 16B | L2 64 4w", 0,
				      "w0 r16 r32 r48 r64 r80");

	/* 0 becomes dirty in L2 when 16 comes, and leaves L2 when 64 does */
	CHECK_EQ(text_counts(r, 1)->write_backs, 1);
	CHECK_EQ(text_counts(r, 2)->write_backs, 1);
	CHECK_EQ(text_counts(r, 1)->evictions, 5);
	CHECK_EQ(text_counts(r, 2)->evictions, 2);
}

TEST(a_write_back_is_no_use_of_the_line)
{
	/* L1 of one line, L2 of two: 0 is the older one in L2 although L1 wrote it back
	 */
	served_are("L1 16 1w 16B | L2 32 2w", "w0 r16 r32 r0", "3333");
}

TEST(a_write_through_level_passes_writes_on_and_is_never_dirty)
{
	struct text_run *r = text_run("L1 32 2w 16B wt | L2 64 4w", 0,
				      "w0/4 w0/8 r16 r32 r48 r64 r80");

	CHECK_STR(r->served, "3133333");
	CHECK_EQ(text_counts(r, 1)->through, 2);
	CHECK_EQ(text_counts(r, 1)->through_bytes, 12);
	CHECK_EQ(text_counts(r, 1)->write_backs, 0);
	CHECK_EQ(text_counts(r, 2)->write_backs, 1);
}

TEST(a_write_that_misses_a_no_allocate_level_is_a_write_to_the_next)
{
	struct text_run *r = text_run("L1 32 2w 16B nwa | L2 64 4w", 0,
				      "w0/4 r0 w0 w16 w16");

	/* the read brings 0 in; 16 stays in L2 only */
	CHECK_STR(r->served, "32132");
	CHECK_EQ(text_counts(r, 1)->through, 3);
	CHECK_EQ(text_counts(r, 1)->through_bytes, 4 + 1 + 1);
	CHECK_EQ(text_counts(r, 1)->fills, 1);
	CHECK_EQ(text_counts(r, 2)->fills, 2);
}

TEST(an_inclusive_level_takes_what_it_evicts_from_the_levels_within)
{
	/* L2 has two lines and forgets 0, which L1 uses all the time */
	const char *t = "w0 r16 r0 r32 r0";
	struct text_run *r = text_run("L1 32 2w 16B | L2 32 2w inclusive", 0, t);

	CHECK_STR(r->served, "33133");
	CHECK_EQ(text_counts(r, 1)->invalidations, 2); /* 0, and 16 as 0 comes back */
	CHECK_EQ(text_counts(r, 1)->write_backs, 1);
	CHECK_EQ(text_counts(r, 2)->write_backs, 1);
	served_are("L1 32 2w 16B | L2 32 2w neither", t, "33131");
}

TEST(an_exclusive_level_adds_its_lines_to_those_within)
{
	/* one line and one line: two in all */
	struct text_run *r = text_run("L1 16 1w 16B | L2 16 1w exclusive", 0,
				      "w0 r16 r0 r16 r0 r32");

	CHECK_STR(r->served, "332223");
	CHECK_EQ(text_counts(r, 2)->write_backs, 0); /* dirty 0 is in L2 at last... */
	text_more(r, "r16");
	CHECK_EQ(text_counts(r, 2)->write_backs, 1); /* ...and leaves it */
}

/* The bytes that came in over the link behind a level, or went out there. */
static uint64_t in_behind(const struct text_run *r, unsigned level)
{
	const struct ml_level_counts *counts[ML_LEVELS + 1];

	for (unsigned i = 0; i <= r->machine.levels; i++)
		counts[i] = text_counts(r, i);
	return ml_link_bytes(&r->machine, counts, level).in;
}

static uint64_t out_behind(const struct text_run *r, unsigned level)
{
	const struct ml_level_counts *counts[ML_LEVELS + 1];

	for (unsigned i = 0; i <= r->machine.levels; i++)
		counts[i] = text_counts(r, i);
	return ml_link_bytes(&r->machine, counts, level).out;
}

TEST(lines_that_a_prefetcher_brings_past_an_exclusive_level_came_in_there)
{
	/* the miss of 0 brings 16; each first use brings the next one: 0 to 80 in all */
	struct text_run *r = text_run("L1 32 1w 16B | L2 64 full prefetch=next | "
				      "L3 64 full exclusive",
				      0, "r0 r16 r32 r48 r64");

	CHECK_STR(r->served, "42222");
	CHECK_EQ(in_behind(r, 1), 5 * 16);
	CHECK_EQ(in_behind(r, 2), 6 * 16);
	CHECK_EQ(in_behind(r, 3), 6 * 16);
	/* L2 has lost 0 and 16 to L3. The miss of 0 brings 16 along, without memory; 80 is
	 * used for the first time, and 96 comes from memory. */
	text_more(r, "r0 r16 r80");
	CHECK_STR(r->served, "322");
	CHECK_EQ(in_behind(r, 3), 7 * 16);
}

TEST(a_write_past_a_no_allocate_level_brings_no_line_in)
{
	struct text_run *r = text_run("L1 32 2w 16B nwa | L2 64 4w exclusive nwa", 0,
				      "w0/4 w16/4 r32 w32/4");

	CHECK_STR(r->served, "3331");
	CHECK_EQ(in_behind(r, 1), 16);
	CHECK_EQ(in_behind(r, 2), 16);
	CHECK_EQ(out_behind(r, 1), 8);
	CHECK_EQ(out_behind(r, 2), 8);
}

TEST(data_that_an_inclusive_level_takes_go_out_of_the_exclusive_one_between)
{
	/* L3 has one line: r16 evicts 0, which is dirty in L1 and nowhere else */
	struct text_run *r = text_run("L1 32 2w 16B | L2 32 2w exclusive | "
				      "L3 16 1w inclusive",
				      0, "w0 r16");

	CHECK_EQ(text_counts(r, 1)->invalidations, 1);
	CHECK_EQ(out_behind(r, 1), 16);
	CHECK_EQ(out_behind(r, 2), 16);
	CHECK_EQ(out_behind(r, 3), 16);
}

TEST(an_outer_line_may_hold_several_inner_ones)
{
	struct text_run *r = text_run("L1 32 2w 16B | L2 128 2w 64B inclusive", 1,
				      "r0 r16 r32 r64 r128");

	CHECK_STR(r->served, "32233");
	CHECK_EQ(text_counts(r, 1)->invalidations,
		 1); /* 32, as 64 took the place of 16 */
	CHECK_EQ(text_missed(r, 2), 3);
}

TEST(fetches_have_their_own_first_level_where_there_is_one)
{
	struct text_run *r = text_run("L1 16 1w 16B | L1i 16 1w 16B | L2 64 4w", 0,
				      "r0 f16 r0 f16 f0 r0 r16");

	CHECK_STR(r->served, "3311212");
	CHECK_EQ(text_counts(r, 0)->asked[ML_ACCESS_FETCH], 3);
	CHECK_EQ(text_counts(r, 0)->missed[ML_ACCESS_FETCH], 2);
	CHECK_EQ(text_counts(r, 1)->asked[ML_ACCESS_FETCH], 0);
	served_are("L1 16 1w 16B | L2 64 4w", "r0 f16 r0 f16", "3322");
}

TEST(a_miss_is_cold_or_a_conflict_or_for_want_of_capacity)
{
	/* two sets of one way: 0 and 32 share a set; three lines are more than it has */
	CHECK_STR(text_run("L1 32 1w 16B", 1, "r0 r32 r0 r16 r32 r0 r0")->causes,
		  "zzozpp-");
}

TEST(after_a_gap_a_first_touch_is_unknown)
{
	struct text_run *r = text_run("L1 32 2w 16B", 1, "r0 r16");

	CHECK_STR(r->causes, "zz");
	ml_sim_gap(r->sim);
	text_more(r, "r0 r32 r16");
	CHECK_STR(r->causes, "-up");
}

static void note_miss(void *arg, const struct ml_miss *m)
{
	struct ml_miss **next = arg;

	*(*next)++ = *m;
}

TEST(a_miss_names_the_owner_of_the_line_that_drove_it_out)
{
	uint64_t addr[] = { 0, 16, 0 };
	uint16_t what[] = { 1, 1, 1 };
	uint32_t owner[] = { 7, 9, 7 };
	struct ml_accesses a = { 3, addr, what, NULL, NULL, owner };
	struct ml_miss miss[3], *next = miss;
	struct ml_err err;
	struct text_run *r = text_run("L1 16 1w 16B", ML_SIM_CAUSES, "");

	ml_sim_observe(r->sim, &(struct ml_observer){ .arg = &next, .miss = note_miss });
	CHECK_OK(ml_sim_run(r->sim, &a, NULL, &err), &err);
	CHECK_EQ(miss[0].evictor, ML_NO_OWNER);
	CHECK_EQ(miss[2].evictor, 9);
	CHECK_EQ(miss[2].owner, 7);
}

static void note_leave(void *arg, const struct ml_leave *l)
{
	struct ml_leave **next = arg;

	*(*next)++ = *l;
}

TEST(what_was_used_of_a_line_travels_outwards_when_it_leaves)
{
	struct ml_leave left[8], *next = left;
	struct text_run *r = text_run("L1 16 1w 16B | L2 64 2w 32B", ML_SIM_USE, "");

	ml_sim_observe(r->sim,
		       &(struct ml_observer){ .arg = &next, .leave = note_leave });
	text_more(r, "r0/4 w8/2 r16/1");
	CHECK_EQ(next - left, 1); /* 0 from L1 */
	CHECK_EQ(left[0].read, 0x0f);
	CHECK_EQ(left[0].written, 0x300);
	CHECK(left[0].dirty && left[0].asked && !left[0].write_first);
	ml_sim_flush(r->sim);
	CHECK_EQ(next - left, 3);
	CHECK_EQ(left[1].level, 1);
	CHECK_EQ(left[1].read, 1);
	CHECK_EQ(left[2].level, 2);
	CHECK_EQ(left[2].read, 0x1000f);
	CHECK_EQ(left[2].written, 0x300);
	ml_sim_flush(r->sim); /* which changed nothing */
	CHECK_EQ(next - left, 5);
	CHECK_EQ(left[4].read, left[2].read);
}

TEST(a_set_is_shown_in_the_order_in_which_its_lines_leave)
{
	struct text_run *r = text_run("L1 64 4w 16B", ML_SIM_MOVES, "r0 r16 w32 r0");
	struct ml_cached_way slots[4];

	ml_sim_set(r->sim, 1, 0, 0, slots);
	CHECK_EQ(slots[0].line, 0);
	CHECK_EQ(slots[0].rank, 0);
	CHECK_EQ(slots[2].line, 32);
	CHECK_EQ(slots[2].rank, 1);
	CHECK(slots[2].dirty);
	CHECK_EQ(slots[2].since, 2);
	CHECK_EQ(slots[1].rank, 2);
	CHECK_EQ(slots[3].line, ML_NO_LINE);
	CHECK_EQ(slots[3].rank, 3);
}

TEST(a_prefetcher_of_the_next_line_leaves_a_sweep_one_miss)
{
	/* tagged: the first use of a prefetched line fetches the one behind it */
	struct text_run *r = text_run("L1 64 4w 16B prefetch=next", 7,
				      "r0 r16 r32 r48 r64 r64");

	CHECK_STR(r->served, "211111");
	CHECK_EQ(text_counts(r, 1)->prefetched, 5);
	CHECK_EQ(text_counts(r, 1)->useful, 4);
	CHECK_EQ(text_counts(r, 1)->useless, 0);
	CHECK_EQ(text_counts(r, 1)->fills, 6);
	text_more(r, "r1000 r2000");
	CHECK_EQ(text_counts(r, 1)->useless, 1); /* 80 */
}

TEST(a_prefetcher_does_not_help_the_access_that_wakes_it)
{
	/* the second line of the access is not there yet when it is asked for */
	struct text_run *r = text_run("L1 64 4w 16B prefetch=next", 0, "r0/32");

	CHECK_EQ(text_missed(r, 1), 2);
	CHECK_EQ(text_counts(r, 1)->prefetched, 1);
}

TEST(a_prefetcher_by_stride_runs_ahead_after_two_equal_steps)
{
	served_are("L1 256 full 16B prefetch=stride", "r0 r100 r200 r300 r400", "22211");
	served_are("L1 256 full 16B prefetch=stride*2", "r400 r300 r200 r100 r0",
		   "22211");
}

TEST(a_prefetcher_of_streams_stays_in_its_page)
{
	struct text_run *r = text_run("L1 1K full 16B prefetch=stream*2", 0,
				      "r4032 r4048 r4064 r4080 r4096");

	/* two steps up, then 4080 is fetched, but 4096 is in the next page */
	CHECK_STR(r->served, "22212");
	CHECK_EQ(text_counts(r, 1)->prefetched, 1);
}

TEST(prefetched_lines_of_an_outer_level_become_useful_when_the_inner_ones_were)
{
	/* L1 of two lines prefetches 16 through L2; it is used, then leaves L1 */
	struct text_run *r = text_run("L1 32 full 16B prefetch=next | L2 256 full", 0,
				      "r0 r16 r1000 r2000 r3000");

	CHECK_EQ(text_counts(r, 2)->useful, 1);
	CHECK_EQ(text_counts(r, 1)->useful, 1);
}

TEST(tlbs_translate_the_pages_of_an_access)
{
	struct text_run *r = text_run("L1 1K 2w 16B | TLB 2e full 4K | TLB2 4e full 4K",
				      1, "r0 r100 r4096 r8192 r0 r4090/20 f0");
	const struct ml_level_counts *first = ml_sim_tlb_counts(r->sim, 0);
	const struct ml_level_counts *second = ml_sim_tlb_counts(r->sim, 1);

	/* pages 0 0 1 2 0 0+1: the third drives out 0, which comes back; then 1 again */
	CHECK_EQ(first->asked[0], 7);
	CHECK_EQ(first->missed[0], 5);
	CHECK_EQ(first->cause[ML_CAUSE_COLD], 3);
	CHECK_EQ(first->cause[ML_CAUSE_CAPACITY], 2);
	CHECK_EQ(second->asked[0], 5);
	CHECK_EQ(second->missed[0], 3);
	CHECK_EQ(first->asked[2], 0);
}

TEST(opt_evicts_what_is_needed_last_and_pes_what_is_needed_first)
{
	/* two ways: when 32 comes, 0 is next needed before 16 */
	struct ml_machine m;
	struct ml_err err;
	uint64_t hints[] = { 3, 4, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	uint64_t addr[] = { 0, 16, 32, 0, 16 };
	uint16_t what[] = { 1, 1, 1, 1, 1 }, outcome[5];
	struct ml_accesses a = { 5, addr, what, NULL, NULL, NULL };

	for (unsigned pes = 0; pes < 2; pes++) {
		struct futures f = { .next[1] = hints, .count[1] = 5 };
		struct hint_source source = { &f, 1 };

		CHECK_OK(ml_machine_parse(
				 &m, pes ? "L1 32 2w 16B pes" : "L1 32 2w 16B opt", &err),
			 &err);
		struct ml_sim *s = ml_sim_open(&m, 0, &err);
		CHECK_FAILS(ml_sim_run(s, &a, outcome, &err), &err, "no hints");
		ml_sim_hints(s, 1, &(struct ml_hints){ &source, give_hints });
		CHECK_OK(ml_sim_run(s, &a, outcome, &err), &err);
		/* opt keeps 0 and forgets 16; pes forgets each just before it is needed
		 */
		CHECK_EQ(ml_outcome_served(outcome[3]), pes ? 2 : 1);
		CHECK_EQ(ml_outcome_served(outcome[4]), 2);
		CHECK_FAILS(ml_sim_run(s, &a, outcome, &err), &err, "ends too early");
		ml_sim_close(s);
	}
}

TEST(a_policy_that_must_know_the_future_is_refused_where_nobody_can)
{
	struct ml_machine m = random_machine(1, "lru");
	struct ml_err err;

	m.levels = 2;
	m.level[1] = m.level[0];
	m.level[0].policy = ml_policy_find("opt");
	m.level[1].inclusion = ML_INCLUSIVE;
	CHECK_FAILS(ml_sim_open(&m, 0, &err), &err, "takes lines from it");
	m.level[1].inclusion = ML_NEITHER;
	m.level[0].prefetch = ML_PREFETCH_NEXT;
	CHECK_FAILS(ml_sim_open(&m, 0, &err), &err, "prefetcher");
	m.level[0].prefetch = ML_PREFETCH_NONE;
	m.cores = 2;
	CHECK_FAILS(ml_sim_open(&m, 0, &err), &err, "cores");
}

TEST(random_machines_behave_as_in_the_slow_simulator)
{
	for (unsigned round = 0; round < 80; round++) {
		struct ml_machine m = random_machine(1, NULL);

		random_trace(&trace, 1200, 1);
		compare(&m, 7, &trace.all, one_in(3) ? 700 : 0);
		compare(&m, 0, &trace.all, 0);
	}
}

TEST(every_policy_behaves_as_in_the_slow_simulator)
{
	for (const struct ml_policy *p = ml_policies; p->name; p++)
		for (unsigned round = 0; round < 6; round++) {
			struct ml_machine m = random_machine(1, p->name);

			for (unsigned i = 0; p->future && i < m.levels; i++)
				m.level[i].inclusion = ML_NEITHER;
			random_trace(&trace, 1200, 1);
			compare(&m, one_in(2) ? 7 : 0, &trace.all, 0);
		}
}

static void make_plain(struct ml_level_spec *l, uint32_t line)
{
	l->line = line;
	l->size = (uint64_t)l->sets * l->ways * line;
	l->inclusion = ML_NEITHER;
	l->write_through = l->no_allocate = false;
}

/* They take a shorter way through the simulator, unless moves are wanted. */
TEST(plain_machines_behave_as_in_the_slow_simulator)
{
	for (unsigned round = 0; round < 48; round++) {
		struct ml_machine m = random_machine(1, one_in(2) ? "lru" : NULL);

		make_plain(&m.icache, m.level[0].line);
		for (unsigned i = 0; i < m.levels; i++)
			make_plain(&m.level[i], m.level[0].line);
		random_trace(&trace, 4000, 1);
		compare(&m, round % 4, &trace.all, one_in(3) ? 700 : 0);
	}
}

TEST(a_wide_cache_behaves_as_in_the_slow_simulator)
{
	for (const struct ml_policy *p = ml_policies; p->name; p++) {
		struct ml_machine m = random_machine(1, p->name);

		m.levels = 1;
		m.level[0].sets = 1;
		m.level[0].ways = 48;
		m.level[0].size = (uint64_t)48 * m.level[0].line;
		random_trace(&trace, 1200, 1);
		compare(&m, 7, &trace.all, 0);
	}
}

/* Adds the bytes that lines, which moved inwards, carried over the links. */
static void add_moves(const struct ml_machine *m, const struct ml_sim *s, uint64_t *in)
{
	size_t count;
	const struct ml_move *x = ml_sim_moves(s, &count);

	for (; count--; x++) {
		if (x->kind != ML_MOVE_FILL && x->kind != ML_MOVE_PREFETCH)
			continue;
		for (unsigned level = x->to; level < x->from; level++)
			if (level != 1 || x->to == 1) /* L2 is behind L1i, too */
				in[level] += level ? m->level[level - 1].line
						   : m->icache.line;
	}
}

/* By level: lines that left as the observer heard, and those that were there in vain. */
struct left {
	uint64_t lines[ML_LEVELS + 1], unasked[ML_LEVELS + 1];
};

static void count_leave(void *arg, const struct ml_leave *l)
{
	struct left *left = arg;

	left->lines[l->level]++;
	left->unasked[l->level] += !l->asked;
}

TEST(whatever_comes_into_a_level_leaves_it_and_prefetched_lines_are_useful_or_not)
{
	for (unsigned round = 0; round < 60; round++) {
		unsigned cores = 1 + (unsigned)random_below(3);
		struct ml_machine m = any_machine(cores);
		struct left left = { 0 }, at_last;
		uint64_t in[ML_LEVELS + 1] = { 0 };
		struct ml_err err;
		struct ml_sim *s = ml_sim_open(&m, 7, &err);
		struct ml_map places = { 0 };

		CHECK_OK(s, &err);
		ml_sim_observe(
			s, &(struct ml_observer){ .arg = &left, .leave = count_leave });
		random_trace(&trace, 1500, cores);
		CHECK_OK(ml_sim_run(s, &trace.all, NULL, &err), &err);
		replay_moves(s, &places);
		add_moves(&m, s, in);
		same_links(&m, s, in, NULL);
		at_last = left;
		ml_sim_flush(s);
		for (unsigned level = m.split ? 0 : 1; level <= m.levels; level++) {
			const struct ml_level_counts *c = ml_sim_counts(s, level);
			uint64_t missed = 0, causes = 0;

			CHECK_EQ(left.lines[level], c->fills);
			CHECK_EQ(at_last.unasked[level], c->useless);
			CHECK(c->useful + left.unasked[level] <= c->prefetched);
			for (unsigned i = 0; i < 3; i++)
				missed += c->missed[i];
			for (unsigned i = 0; i < ML_CAUSES; i++)
				causes += c->cause[i];
			CHECK_EQ(missed, causes);
		}
		ml_map_release(&places);
		ml_sim_close(s);
	}
}
