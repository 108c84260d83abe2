/*
 * The LRU simulator that explains, against the exact simulator (which is itself held
 * against tests/slow_sim.h): outcomes, counters, events, sums and saved states are the
 * same, on random machines and accesses, for every instruction set that this processor
 * has, and also where times run out.
 */
#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/cache/lru/explain_lru.h"
#include "lib/cache/lru/explain_lru_parts.h"
#include "tests/sim_compare.h"

/* A machine that the simulator takes, with anything else at random. */
static struct ml_machine lru_machine(void)
{
	struct ml_machine m = any_machine(1);

	for (unsigned i = 0; i <= m.levels; i++) {
		struct ml_level_spec *l = i ? &m.level[i - 1] : &m.icache;

		l->policy = ml_policy_find("lru");
		l->write_through = l->no_allocate = false;
		l->line = m.level[0].line;
		if (one_in(3))
			l->ways = 1 + (uint32_t)random_below(EXPLAIN_LANES);
		l->size = (uint64_t)l->sets * l->ways * l->line;
		if (i > 1 && one_in(4))
			l->inclusion = ML_EXCLUSIVE;
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

static void same_state(const struct ml_sim *exact, struct ml_explain_lru *fast)
{
	struct ml_buf a = { 0 }, b = { 0 };

	ml_sim_save(exact, &a);
	ml_explain_lru_save(fast, &b);
	CHECK_EQ(a.size, b.size);
	for (size_t i = 0; i < a.size; i++)
		if (a.data[i] != b.data[i])
			TEST_SAY("states differ at byte %zu", i);
	ml_buf_release(&a);
	ml_buf_release(&b);
}

static void same_words(const struct ml_level_counts *a, const struct ml_level_counts *b)
{
	const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;

	for (size_t i = 0; i < sizeof(*a) / 8; i++)
		if (x[i] != y[i])
			TEST_SAY("counter %zu is %llu instead of %llu", i,
				 (unsigned long long)y[i], (unsigned long long)x[i]);
}

/* Adds events one by one, as a pass does that gets them from the exact simulator. */
struct listener {
	struct heard heard;
	struct ml_event_sums sums;
};

static void listen_miss(void *arg, const struct ml_miss *m)
{
	struct listener *l = arg;

	hear_miss(&l->heard, m);
	ml_event_sums_miss(&l->sums, m->level, m->set, m->cause, m->owner, m->evictor);
}

static void listen_leave(void *arg, const struct ml_leave *e)
{
	struct listener *l = arg;

	hear_leave(&l->heard, e);
	ml_event_sums_leave(&l->sums, e);
}

static int by_owner(const void *a, const void *b)
{
	const struct ml_use_sum *x = a, *y = b;

	return (x->owner > y->owner) - (x->owner < y->owner);
}

/* At the end simulators report the lines that are still cached in different orders. */
static void same_level_sums(struct ml_level_sums *a, struct ml_level_sums *b,
			    uint32_t sets)
{
	CHECK(!memcmp(a->set, b->set, sets * sizeof(*a->set)));
	CHECK_EQ(a->use_count, b->use_count);
	CHECK_EQ(a->pair_count, b->pair_count);
	if (a->use_count) {
		qsort(a->uses, a->use_count, sizeof(*a->uses), by_owner);
		qsort(b->uses, b->use_count, sizeof(*b->uses), by_owner);
	}
	for (size_t i = 0; i < a->use_count; i++)
		CHECK(!memcmp(&a->uses[i], &b->uses[i], sizeof(*a->uses)));
	for (size_t i = 0; i < a->pair_count; i++)
		CHECK(!memcmp(&a->pairs[i], &b->pairs[i], sizeof(*a->pairs)));
}

static void same_sums(const struct ml_machine *m, struct ml_event_sums *a,
		      struct ml_event_sums *b)
{
	for (unsigned i = 0; i < m->levels; i++)
		same_level_sums(&a->level[i + 1], &b->level[i + 1], m->level[i].sets);
}

/* Lets times run out early. */
static void hurry(struct ml_explain_lru *x)
{
	if (x->chain) {
		x->chain->first.room = 2 * x->chain->first.held + 70;
		for (unsigned i = 1; i < x->levels; i++)
			x->chain->level[i].limit = 2 * x->chain->level[i].held + 70;
		return;
	}
	for (unsigned i = 0; i < x->levels; i++) {
		struct explain_cache *c = &x->cache[i];

		if (i == 0)
			c->first.room = 2 * c->sets * c->lanes + 70;
		c->clock = UINT32_MAX - 200;
		c->shadow.limit = 2 * c->shadow.mask;
	}
}

/* hurried: times run out soon. observed: events are told one by one, besides the sums. */
static void compare_with_exact(const struct ml_machine *m, enum ml_explain_lru_how how,
			       const struct ml_accesses *a, bool hurried, bool observed)
{
	static uint16_t expected[4000], outcome[4000];
	struct listener slow = { 0 }, heard = { 0 };
	struct ml_observer from_slow = { &slow, listen_miss, listen_leave, NULL,
					 hear_page };
	struct ml_observer from_fast = { &heard.heard, observed ? hear_miss : NULL,
					 observed ? hear_leave : NULL, NULL, hear_page };
	struct ml_err err;
	struct ml_sim *exact = ml_sim_open(m, ML_SIM_CAUSES | ML_SIM_USE, &err);
	size_t gap = one_in(3) ? 1 + random_below(a->count) : 0;

	CHECK_OK(exact, &err);
	struct ml_explain_lru *fast = ml_explain_lru_open(m, how, &err);
	CHECK_OK(fast, &err);
	ml_event_sums_open(&slow.sums, m, ML_SIM_CAUSES | ML_SIM_USE);
	ml_event_sums_open(&heard.sums, m, ML_SIM_CAUSES | ML_SIM_USE);
	ml_sim_observe(exact, &from_slow);
	ml_explain_lru_observe(fast, &from_fast, &heard.sums);
	if (hurried)
		hurry(fast);
	for (size_t from = 0, to; from < a->count; from = to) {
		to = from + 1 + random_below(900);
		to = to < a->count ? to : a->count;
		struct ml_accesses batch = part_of(a, from, to);

		batch.core = NULL;
		if (gap && from >= gap) {
			ml_sim_gap(exact);
			ml_explain_lru_gap(fast);
		}
		CHECK_OK(ml_sim_run(exact, &batch, expected, &err), &err);
		ml_explain_lru_run(fast, &batch, outcome);
		for (size_t i = 0; i < batch.count; i++)
			CHECK_EQ(outcome[i], expected[i]);
		if (one_in(3))
			same_state(exact, fast);
	}
	for (unsigned level = 0; level <= m->levels; level++)
		same_words(ml_sim_counts(exact, level),
			   ml_explain_lru_counts(fast, level));
	for (unsigned tlb = 0; tlb < m->tlbs; tlb++)
		same_words(ml_sim_tlb_counts(exact, tlb),
			   ml_explain_lru_tlb_counts(fast, tlb));
	same_state(exact, fast);
	ml_sim_flush(exact);
	ml_explain_lru_flush(fast);
	same_state(exact, fast);
	CHECK_EQ(heard.heard.pages, slow.heard.pages);
	if (observed) {
		CHECK_EQ(heard.heard.misses, slow.heard.misses);
		CHECK_EQ(heard.heard.leaves, slow.heard.leaves);
		CHECK_EQ(heard.heard.count, slow.heard.count);
	}
	same_sums(m, &heard.sums, &slow.sums);
	ml_event_sums_release(&slow.sums);
	ml_event_sums_release(&heard.sums);
	ml_explain_lru_close(fast);
	ml_sim_close(exact);
}

TEST(it_agrees_with_the_exact_simulator)
{
	static struct random_trace t;

	for (unsigned round = 0; round < 150; round++) {
		struct ml_machine m = lru_machine();
		struct ml_err err;
		struct ml_sim *possible = ml_sim_open(&m, 0, &err);

		if (!possible)
			continue; /* an exclusive level behind a longer line */
		ml_sim_close(possible);
		CHECK(!ml_explain_lru_refuses(&m));
		random_trace(&t, 100 + random_below(3900), 1);
		if (one_in(8)) /* owners that need more than two bytes, from some on */
			for (size_t i = t.count / 2; i < t.count; i++)
				t.owner[i] += 70000;
		for (enum ml_explain_lru_how how = ML_EXPLAIN_LRU_PLAIN;
		     how <= ML_EXPLAIN_LRU_AVX512; how++)
			if (ml_explain_lru_has(how))
				compare_with_exact(&m, how, &t.all, round % 2, round % 3);
	}
}

/* Accesses that miss all levels often, so that it looks ahead, and usual lines. */
TEST(it_agrees_where_it_looks_ahead)
{
	static struct random_trace t;
	struct ml_machine m;
	struct ml_err err;

	CHECK_OK(
		ml_machine_parse(&m, "L1 1K 8w | L2 4K 16w inclusive | L3 16K 16w", &err),
		&err);
	for (unsigned round = 0; round < 6; round++) {
		random_trace(&t, 4000, 1);
		for (size_t i = 0; i < t.count; i++)
			t.addr[i] = (t.addr[i] & 7) + random_below(2000) * 64;
		m.level[1].inclusion = (enum ml_inclusion)(round % 3);
		compare_with_exact(&m, ML_EXPLAIN_LRU_BEST, &t.all, false, true);
		compare_with_exact(&m, ML_EXPLAIN_LRU_BEST, &t.all, false, false);
	}
}

/*
 * Levels without inclusion and prefetchers have loops of their own, and so have two or
 * three inner levels of which only the second one has a prefetcher.
 */
TEST(it_agrees_on_usual_machines_that_nobody_observes)
{
	static const char *const machines[] = {
		"L1 1K 8w | L2 4K 16w | L3 16K 16w",
		"L1 512 2w | L2 2K 4w",
		"L1 256 4w 32B | L2 4K 32w | L3 64K 4w",
		"L1 1K 8w | L2 4K 8w",
		"L1 1K 8w | L1i 512 8w | L2 4K 8w "
		"inclusive prefetch=stream*4 | L3 16K 16w "
		"| TLB 4e full | TLB2 16e 4w",
		"L1 512 2w | L2 2K 8w prefetch=next | L3 8K 16w",
		"L1 1K 8w | L2 4K 8w inclusive | L3 16K 16w "
		"inclusive prefetch=stream*2",
		"L1 1536 12w | L2 4K 16w | L3 16K 16w",
		"L1 1536 12w | L1i 512 8w | L2 4K 16w inclusive prefetch=stream*4 | L3 "
		"16K 16w",
		"L1 1K 8w | L1i 512 8w | L2 4K 8w inclusive prefetch=stream*4 | L3 16K "
		"16w exclusive | TLB 4e full",
		"L1 1536 12w | L2 4K 16w prefetch=stream*4 | L3 9K 12w exclusive",
		"L1 1K 8w | L2 4K 8w prefetch=next | L3 16K 16w inclusive"
	};
	const unsigned count = sizeof(machines) / sizeof(*machines);
	static struct random_trace t;

	for (unsigned round = 0; round < 10 * count; round++) {
		struct ml_machine m;
		struct ml_err err;

		CHECK_OK(ml_machine_parse(&m, machines[round % count], &err), &err);
		random_trace(&t, 4000, 1);
		if (one_in(2)) /* misses often */
			for (size_t i = 0; i < t.count; i++)
				t.addr[i] = (t.addr[i] & 7) + random_below(2000) * 64;
		if (one_in(4)) /* the first owners that need more than two bytes */
			for (size_t i = t.count / 2; i < t.count; i++)
				t.owner[i] += ML_LINE_OWNERS - 4;
		for (enum ml_explain_lru_how how = ML_EXPLAIN_LRU_PLAIN;
		     how <= ML_EXPLAIN_LRU_AVX512; how++)
			if (ml_explain_lru_has(how))
				compare_with_exact(&m, how, &t.all, round / count % 2,
						   false);
	}
}

TEST(a_line_takes_fourteen_bytes_with_three_levels)
{
	struct ml_line_records r;

	ml_line_records_init(&r, 2, 3);
	CHECK_EQ(r.stride, 14);
}

TEST(other_machines_are_refused)
{
	struct ml_machine m;
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&m, "L1 1K 4w fifo", &err), &err);
	CHECK_STR(ml_explain_lru_refuses(&m), "a level is not lru");
	CHECK_OK(ml_machine_parse(&m, "L1 1K 4w | L2 4K 4w wt", &err), &err);
	CHECK_STR(ml_explain_lru_refuses(&m), "a level is write-through or no-allocate");
	CHECK_OK(ml_machine_parse(&m, "L1 4K full", &err), &err);
	CHECK_STR(ml_explain_lru_refuses(&m), "a level has more than 32 ways");
}
