/*
 * The LRU simulator that does not explain, against the exact simulator (which is itself
 * held against tests/slow_sim.h): serving levels, counters and pages are the same, on
 * random machines and accesses, for every instruction set that this processor has.
 */
#include "lib/cache/lru/lean_lru.h"
#include "tests/sim_compare.h"

/* A machine that the simulator takes, with anything else at random. */
static struct ml_machine lru_machine(uint32_t cores)
{
	struct ml_machine m = any_machine(cores);

	for (unsigned i = 0; i <= m.levels; i++) {
		struct ml_level_spec *l = i ? &m.level[i - 1] : &m.icache;

		l->policy = ml_policy_find("lru");
		l->write_through = l->no_allocate = false;
		l->line = m.level[0].line < 8 ? 8 : m.level[0].line;
		if (one_in(3))
			l->ways = 1 + (uint32_t)random_below(40);
		if (i > 1 && one_in(4))
			l->inclusion = ML_EXCLUSIVE;
	}
	for (unsigned i = 0; i <= m.levels; i++) {
		struct ml_level_spec *l = i ? &m.level[i - 1] : &m.icache;

		l->line = m.level[0].line;
		l->size = (uint64_t)l->sets * l->ways * l->line;
	}
	for (unsigned i = 0; i < m.tlbs; i++) {
		struct ml_level_spec *l = &m.tlb[i];

		l->policy = ml_policy_find("lru");
		if (one_in(3))
			l->ways = 1 + (uint32_t)random_below(70);
		l->size = (uint64_t)l->sets * l->ways * l->line;
	}
	return m;
}

static void same_words(const char *what, unsigned level, const struct ml_level_counts *a,
		       const struct ml_level_counts *b)
{
	const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;

	for (size_t i = 0; i < sizeof(*a) / 8; i++)
		if (x[i] != y[i])
			TEST_SAY("%s %u: counter %zu is %llu instead of %llu", what,
				 level, i, (unsigned long long)y[i],
				 (unsigned long long)x[i]);
}

static void compare_with_exact(const struct ml_machine *m, enum ml_lean_lru_how how,
			       const struct ml_accesses *a)
{
	static uint16_t outcome[4000];
	static uint8_t served[4000];
	struct heard slow = { 0 }, heard = { 0 };
	struct ml_observer from_slow = { .arg = &slow,
					 .bounce = hear_bounce,
					 .page = hear_page };
	struct ml_observer from_fast = { .arg = &heard,
					 .bounce = hear_bounce,
					 .page = hear_page };
	struct ml_err err;
	struct ml_sim *exact = ml_sim_open(m, 0, &err);
	struct ml_lean_lru *fast = ml_lean_lru_open(m, how);

	CHECK_OK(exact, &err);
	ml_sim_observe(exact, &from_slow);
	ml_lean_lru_observe(fast, &from_fast);
	for (size_t from = 0, to; from < a->count; from = to) {
		to = from + 1 + random_below(900);
		to = to < a->count ? to : a->count;
		struct ml_accesses batch = part_of(a, from, to);
		bool tells = !one_in(9);

		if (m->cores == 1)
			batch.core = NULL;
		CHECK_OK(ml_sim_run(exact, &batch, outcome, &err), &err);
		ml_lean_lru_run(fast, &batch, tells ? served : NULL);
		for (size_t i = 0; tells && i < batch.count; i++)
			CHECK_EQ(served[i], ml_outcome_served(outcome[i]));
	}
	for (unsigned level = 0; level <= m->levels; level++)
		same_words("level", level, ml_sim_counts(exact, level),
			   ml_lean_lru_counts(fast, level));
	for (unsigned tlb = 0; tlb < m->tlbs; tlb++)
		same_words("TLB", tlb, ml_sim_tlb_counts(exact, tlb),
			   ml_lean_lru_tlb_counts(fast, tlb));
	CHECK_EQ(heard.pages, slow.pages);
	CHECK_EQ(heard.bounces, slow.bounces);
	ml_lean_lru_close(fast);
	ml_sim_close(exact);
}

TEST(it_agrees_with_the_exact_simulator)
{
	static struct random_trace t;
	unsigned compared = 0, prefetched = 0;

	for (unsigned round = 0; round < 300; round++) {
		struct ml_machine m = lru_machine(1);
		struct ml_err err;
		struct ml_sim *possible = ml_sim_open(&m, 0, &err);

		if (!possible)
			continue; /* an exclusive level behind a longer line */
		ml_sim_close(possible);
		CHECK(!ml_lean_lru_refuses(&m));
		random_trace(&t, 100 + random_below(3900), 1);
		for (enum ml_lean_lru_how how = ML_LEAN_LRU_PLAIN;
		     how <= ML_LEAN_LRU_AVX2; how++)
			if (ml_lean_lru_has(how))
				compare_with_exact(&m, how, &t.all);
		compared++;
		for (unsigned i = 0; i < m.levels; i++)
			prefetched += m.level[i].prefetch != ML_PREFETCH_NONE;
	}
	CHECK(compared > 200 && prefetched > 50);
}

/* Cores that share first levels, in part; threads that stay with lines for a while. */
static void several_cores(struct ml_machine *m, struct random_trace *t)
{
	uint32_t share = 1u << random_below(3);

	for (unsigned i = 0; one_in(3) && i < m->levels; i++) {
		m->level[i].share *= share;
		while (m->level[i].share > m->cores)
			m->level[i].share /= 2;
	}
	if (one_in(3))
		m->icache.share = m->level[0].share;
	for (size_t i = 0, turn = 0; i < t->count; i++) {
		turn = turn ? turn - 1 : random_below(12);
		if (turn && i)
			t->core[i] = t->core[i - 1];
		if (one_in(2)) /* data of the core's own */
			t->addr[i] += (uint64_t)(t->core[i] + 1) << 16;
	}
}

TEST(it_agrees_on_several_cores)
{
	static struct random_trace t;
	unsigned compared = 0;

	for (unsigned round = 0; round < 1500; round++) {
		uint32_t cores = 1u << (1 + random_below(4));
		struct ml_machine m = lru_machine(cores);
		struct ml_err err;

		random_trace(&t, 100 + random_below(3900), cores + 1);
		several_cores(&m, &t);
		struct ml_sim *possible = ml_sim_open(&m, 0, &err);
		if (!possible)
			continue;
		ml_sim_close(possible);
		CHECK(!ml_lean_lru_refuses(&m));
		compare_with_exact(&m, one_in(4) ? ML_LEAN_LRU_PLAIN : ML_LEAN_LRU_BEST,
				   &t.all);
		compared++;
	}
	CHECK(compared > 700);
}

TEST(it_agrees_on_machines_as_they_are_sold)
{
	static struct random_trace t;
	static const char *const texts[] = {
		"L1 4K 8w 64B 4c | L2 16K 8w inclusive prefetch=stream*4 12c | L3 64K 16w "
		"46c | L1i 4K 8w 4c | TLB 8e full 4K lru 0c | TLB2 32e 4w 4K lru 7c | "
		"memory 280c",
		"L1 4K 8w 64B prefetch=stride*2 4c | L2 16K 4w prefetch=next*1 12c | "
		"L3 64K 16w exclusive 40c | memory 200c",
		"L1 4K 8w 64B prefetch=next*2 4c | L2 16K 4w prefetch=stream*8 12c | "
		"L3 48K 12w inclusive 40c | memory 200c",
	};

	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
		for (unsigned round = 0; round < 20; round++) {
			struct ml_machine m;
			struct ml_err err;

			CHECK_OK(ml_machine_parse(&m, texts[k], &err), &err);
			CHECK(!ml_lean_lru_refuses(&m));
			random_trace(&t, 3999, 1);
			for (size_t i = 0; i < t.count;
			     i++) /* sweeps in both directions */
				if (i / 400 % 2)
					t.addr[i] = i / 800 % 2 ? 1 << 20 | (i % 400) * 40
								: (1 << 20) - i * 24;
			compare_with_exact(&m, ML_LEAN_LRU_BEST, &t.all);
		}
}

/*
 * TLBs that are lists, the first of which notes uses and moves pages later: a few pages
 * are in use throughout, others for a while, and the rest come and go.
 */
TEST(it_agrees_on_large_fully_associative_tlbs)
{
	static struct random_trace t;

	for (unsigned round = 0; round < 60; round++) {
		struct ml_machine m;
		struct ml_err err;
		uint64_t all = round % 3 ? 30 * (round % 3) : 400;
		uint64_t few = 1 + random_below(20), from = 0;

		CHECK_OK(ml_machine_parse(&m,
					  "L1 4K 8w 64B 4c | TLB 24e full 4K lru 0c | "
					  "TLB2 300e full 4K lru 7c | memory 280c",
					  &err),
			 &err);
		random_trace(&t, 3999, 1);
		for (size_t i = 0; i < t.count; i++) {
			uint64_t page = one_in(4)   ? random_below(all)
					: one_in(2) ? from + random_below(few)
						    : 1000 + random_below(4);

			from = one_in(200) ? random_below(all) : from;
			t.addr[i] = page << 12 | random_below(4095);
		}
		compare_with_exact(&m, ML_LEAN_LRU_BEST, &t.all);
	}
}

TEST(it_refuses_what_it_cannot_do)
{
	struct ml_machine m;
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&m, "L1 4K 8w 64B fifo | memory 9c", &err), &err);
	CHECK_STR(ml_lean_lru_refuses(&m), "a level is not lru");
	CHECK_OK(ml_machine_parse(&m, "L1 4K 8w 64B wt | memory 9c", &err), &err);
	CHECK_STR(ml_lean_lru_refuses(&m), "a level is write-through or no-allocate");
}
