/*
 * Every engine of the list that takes a machine and a job, against the exact one (which
 * is itself held against tests/slow_sim.h): outcomes, counters, events and sums are the
 * same, on random machines and accesses, for every instruction set that this processor
 * has; and each goes on where another has stopped. No engine is named.
 */
#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/cache/engine.h"
#include "lib/cache/machine/event_sums.h"
#include "tests/sim_compare.h"

enum { KINDS = 16 };

static uint64_t taken[KINDS]; /* comparisons of each engine of the list */

/* ---- machines and traces ---- */

/* A level of any size that is lru, write-back and write-allocate. */
static void make_lru(struct ml_level_spec *l, uint32_t line, uint32_t most_ways)
{
	l->policy = ml_policy_find("lru");
	l->write_through = l->no_allocate = false;
	l->line = line;
	if (one_in(3))
		l->ways = 1 + (uint32_t)random_below(most_ways);
	l->size = (uint64_t)l->sets * l->ways * l->line;
}

/* Few engines take a machine of other policies, so most machines here are lru. */
static struct ml_machine some_machine(unsigned cores)
{
	struct ml_machine m = any_machine(cores);
	uint32_t line = one_in(9) ? 4 : m.level[0].line;
	bool plain = one_in(3);

	if (one_in(6))
		return m;
	m.split &= !plain;
	m.tlbs = plain ? 0 : m.tlbs;
	make_lru(&m.icache, line, 40);
	for (unsigned i = 0; i < m.levels; i++) {
		struct ml_level_spec *l = &m.level[i];

		make_lru(l, line, one_in(9) ? 300 : 40);
		if (i > 1 && one_in(4))
			l->inclusion = ML_EXCLUSIVE;
		if (plain) {
			l->inclusion = ML_NEITHER;
			l->prefetch = ML_PREFETCH_NONE;
		}
	}
	for (unsigned i = 0; i < m.tlbs; i++)
		make_lru(&m.tlb[i], m.tlb[i].line, 70);
	return m;
}

/* Machines as they are sold, of which loops may be special. */
static struct ml_machine usual_machine(void)
{
	static const char *const texts[] = {
		"L1 1K 8w | L2 4K 16w | L3 16K 16w",
		"L1 512 2w | L2 2K 4w",
		"L1 64 full 16B | L2 640 10w | L3 4K 1w | L4 8K 8w",
		"L1 256 4w 32B | L2 4K 32w | L3 64K 4w",
		"L1 1K 8w | L1i 512 8w | L2 4K 8w inclusive prefetch=stream*4 | L3 16K 16w | "
		"TLB 4e full | TLB2 16e 4w",
		"L1 512 2w | L2 2K 8w prefetch=next | L3 8K 16w",
		"L1 1K 8w | L2 4K 8w inclusive | L3 16K 16w inclusive prefetch=stream*2",
		"L1 1536 12w | L2 4K 16w | L3 12K 12w",
		"L1 1536 12w | L1i 512 8w | L2 4K 16w inclusive prefetch=stream*4 | L3 16K 16w",
		"L1 1K 8w | L1i 512 8w | L2 4K 8w inclusive prefetch=stream*4 | L3 16K 16w "
		"exclusive | TLB 24e full | TLB2 300e full",
		"L1 1536 12w | L2 4K 16w prefetch=stream*4 | L3 9K 12w exclusive",
		"L1 1K 8w | L2 4K 8w prefetch=next | L3 16K 16w inclusive",
		"L1 4K 8w prefetch=stride*2 | L2 16K 4w prefetch=next*1 | L3 64K 16w exclusive",
		"L1 4K 8w prefetch=next*2 | L2 16K 4w prefetch=stream*8 | L3 48K 12w inclusive",
		"cores 4 | L1 1K 8w | L2 4K 8w | L3 16K 16w shared",
		"cores 2 | L1 512 4w | L1i 512 4w | L2 4K 8w inclusive prefetch=stream*4 | L3 16K "
		"16w exclusive shared | TLB 8e full",
		"cores 8 | L1 512 2w | L2 4K 8w share=2 | L3 16K 16w inclusive shared",
	};
	struct ml_machine m;
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&m, texts[random_below(sizeof(texts) / sizeof(*texts))],
				  &err),
		 &err);
	return m;
}

/* Changes what a random trace is like. */
static void bend_trace(struct random_trace *t)
{
	uint64_t how = random_below(6), pages = 1 + random_below(400);

	for (size_t i = 0; i < t->count; i++) {
		uint64_t *at = &t->addr[i];

		switch (how) {
		case 0: /* misses often */
			*at = (*at & 7) + random_below(2000) * 64;
			break;
		case 1: /* many windows of 4 GiB, and the end of the address space */
			*at += random_below(1 + t->count / 200) * 0x7b00000000;
			*at |= one_in(50) ? (uint64_t)0xffff8 << 40 : 0;
			break;
		case 2: /* many pages */
			*at = (one_in(4) ? random_below(pages) : random_below(20)) << 12 |
			      random_below(4095);
			break;
		case 3: /* sweeps in both directions */
			*at = i / 800 % 2 ? 1 << 20 | (i % 400) * 40 : (1 << 20) - i * 24;
			break;
		case 4: /* owners that need more than two bytes, from some on */
			t->owner[i] += i > t->count / 2 ? 65530 : 0;
			break;
		default: break;
		}
	}
}

/* ---- what is heard ---- */

/* Adds events one by one, as a pass does. */
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

/* At the end engines report the lines that are still held in different orders. */
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

static void same_words(const char *what, unsigned number, struct ml_level_counts a,
		       struct ml_level_counts b, bool causes)
{
	const uint64_t *x = (const uint64_t *)&a, *y = (const uint64_t *)&b;

	if (!causes) {
		memset(a.cause, 0, sizeof(a.cause));
		memset(b.cause, 0, sizeof(b.cause));
	}
	for (size_t i = 0; i < sizeof(a) / 8; i++)
		if (x[i] != y[i])
			TEST_SAY("%s %u: counter %zu is %llu instead of %llu", what,
				 number, i, (unsigned long long)y[i],
				 (unsigned long long)x[i]);
}

static void same_counters(const struct ml_machine *m, const struct ml_engine *a,
			  const struct ml_engine *b, bool causes)
{
	struct ml_level_counts x, y;

	for (unsigned level = 0; level <= m->levels; level++) {
		ml_engine_counts(a, level, &x);
		ml_engine_counts(b, level, &y);
		same_words("level", level, x, y, causes);
	}
	for (unsigned tlb = 0; tlb < m->tlbs; tlb++) {
		ml_engine_tlb_counts(a, tlb, &x);
		ml_engine_tlb_counts(b, tlb, &y);
		same_words("TLB", tlb, x, y, causes);
	}
}

/* ---- one engine beside the exact one ---- */

struct pair {
	const struct ml_machine *m;
	struct ml_engine_job job;
	struct ml_engine *exact, *engine;
	struct listener slow, fast;
	bool observed, restored;
};

static struct ml_engine *open_exact(const struct pair *p)
{
	struct ml_engine_job job = p->job;
	struct ml_err err;

	job.slow = true;
	struct ml_engine *e = ml_engine_open(p->m, &job, &err);
	CHECK_OK(e, &err);
	return e;
}

static void move_state(struct ml_engine *from, struct ml_engine *to)
{
	struct ml_buf state = { 0 };
	struct ml_err err;

	ml_engine_save(from, &state);
	struct ml_bytes in = { state.data, state.data + state.size, false };
	CHECK_OK(ml_engine_restore(to, &in, &err), &err);
	CHECK(in.at == in.end);
	ml_buf_release(&state);
}

static void observe(struct pair *p)
{
	bool lines = p->job.want || p->job.observes;
	struct ml_observer slow = { &p->slow, lines ? listen_miss : NULL,
				    lines ? listen_leave : NULL, hear_bounce, hear_page };
	struct ml_observer fast = { &p->fast, p->observed ? listen_miss : NULL,
				    p->observed ? listen_leave : NULL, hear_bounce,
				    hear_page };

	ml_engine_observe(p->exact, &slow, NULL);
	ml_engine_observe(p->engine, &fast, p->observed ? NULL : &p->fast.sums);
}

static void run_both(struct pair *p, const struct ml_accesses *a, struct ml_engine *third)
{
	static uint16_t expected[4000], outcome[4000], others[4000];
	bool tells = !one_in(9);
	struct ml_err err;

	CHECK_OK(ml_engine_run(p->exact, a, expected, &err), &err);
	CHECK_OK(ml_engine_run(p->engine, a, tells ? outcome : NULL, &err), &err);
	if (third)
		CHECK_OK(ml_engine_run(third, a, others, &err), &err);
	for (size_t i = 0; i < a->count; i++) {
		unsigned served = ml_outcome_served(expected[i]);

		if (third)
			CHECK_EQ(ml_outcome_served(others[i]), served);
		if (tells && p->restored)
			CHECK_EQ(ml_outcome_served(outcome[i]), served);
		else if (tells)
			CHECK_EQ(outcome[i], expected[i]);
	}
}

static void compare_with_exact(const struct ml_engine_kind *kind,
			       const struct ml_machine *m, struct ml_engine_job job,
			       const struct ml_accesses *a)
{
	struct pair p = { .m = m, .job = job };
	size_t gap = one_in(3) ? 1 + random_below(a->count) : 0;
	size_t middle = one_in(2) ? random_below(a->count) : SIZE_MAX;
	struct ml_engine *third = NULL;
	struct ml_err err;

	p.exact = open_exact(&p);
	p.engine = ml_engine_open_as(kind, m, &job, &err);
	CHECK_OK(p.engine, &err);
	p.observed = !ml_engine_sums(p.engine) || one_in(2);
	ml_event_sums_open(&p.slow.sums, m, job.want);
	ml_event_sums_open(&p.fast.sums, m, job.want);
	if (job.restores) { /* it starts in the state of an exact one */
		struct ml_accesses head = part_of(a, 0, a->count / 3);

		head.core = m->cores > 1 && job.threads != 1 ? head.core : NULL;
		CHECK_OK(ml_engine_run(p.exact, &head, NULL, &err), &err);
		move_state(p.exact, p.engine);
		p.restored = true;
	}
	observe(&p);
	for (size_t from = p.restored ? a->count / 3 : 0, to; from < a->count;
	     from = to) {
		to = from + 1 + random_below(900);
		to = to < a->count ? to : a->count;
		struct ml_accesses batch = part_of(a, from, to);

		batch.core = m->cores > 1 && job.threads != 1 ? batch.core : NULL;
		if (gap && from >= gap) {
			ml_engine_gap(p.exact);
			ml_engine_gap(p.engine);
		}
		if (from >= middle && !third) { /* another goes on from its state */
			third = open_exact(&p);
			move_state(p.engine, third);
		}
		run_both(&p, &batch, third);
	}
	same_counters(m, p.exact, p.engine, !p.restored);
	if (third)
		same_counters(m, p.exact, third, false);
	ml_engine_flush(p.exact);
	ml_engine_flush(p.engine);
	same_counters(m, p.exact, p.engine, !p.restored);
	CHECK_EQ(p.fast.heard.pages, p.slow.heard.pages);
	if (!p.restored && p.observed && (job.want & ML_SIM_USE)) {
		CHECK_EQ(p.fast.heard.misses, p.slow.heard.misses);
		CHECK_EQ(p.fast.heard.leaves, p.slow.heard.leaves);
		CHECK_EQ(p.fast.heard.bounces, p.slow.heard.bounces);
		CHECK_EQ(p.fast.heard.count, p.slow.heard.count);
	}
	for (unsigned i = 0; !p.restored && (job.want & ML_SIM_USE) && i < m->levels; i++)
		same_level_sums(&p.fast.sums.level[i + 1], &p.slow.sums.level[i + 1],
				m->level[i].sets);
	ml_event_sums_release(&p.slow.sums);
	ml_event_sums_release(&p.fast.sums);
	ml_engine_close(third);
	ml_engine_close(p.engine);
	ml_engine_close(p.exact);
}

/* Every engine that takes the job does it, with all instructions that there are. */
static void compare_all(const struct ml_machine *m, const struct ml_accesses *a)
{
	static const unsigned wants[] = { 0,
					  0,
					  ML_SIM_CAUSES | ML_SIM_USE,
					  ML_SIM_CAUSES | ML_SIM_USE,
					  ML_SIM_CAUSES,
					  ML_SIM_USE };
	struct ml_engine_job job = {
		.want = wants[random_below(6)],
		.threads = one_in(2)      ? 1
			   : m->cores > 1 ? 2
					  : 0,
		.restores = one_in(3),
		.hurried = one_in(3),
	};

	for (unsigned k = 0; ml_engines[k + 1]; k++)
		for (unsigned v = ML_VECTORS_PLAIN; v < ML_VECTORS; v++) {
			job.vectors = (enum ml_vectors)v;
			if (ml_engines[k]->refuses(m, &job))
				continue;
			compare_with_exact(ml_engines[k], m, job, a);
			taken[k]++;
		}
}

static bool possible(const struct ml_machine *m)
{
	struct ml_engine_job slow = { .slow = true };
	struct ml_err err;
	struct ml_engine *e = ml_engine_open(m, &slow, &err);

	ml_engine_close(e);
	return e;
}

TEST(all_engines_agree_on_random_machines)
{
	static const unsigned cores[] = { 1, 1, 1, 1, 1, 2, 4, 16, 64 };
	static struct random_trace t;

	for (unsigned round = 0; round < 400; round++) {
		struct ml_machine m = some_machine(cores[random_below(9)]);

		if (!possible(&m))
			continue; /* an exclusive level behind a longer line */
		random_trace(&t, 100 + random_below(3900), m.cores);
		bend_trace(&t);
		compare_all(&m, &t.all);
	}
}

/* Cores share first levels, too; threads take turns, and have data of their own. */
static void share_caches(struct ml_machine *m, struct random_trace *t)
{
	uint32_t share = 1u << random_below(3);

	for (unsigned i = 0; i < m->levels; i++) {
		m->level[i].share *= share;
		while (m->level[i].share > m->cores)
			m->level[i].share /= 2;
	}
	if (one_in(2))
		m->icache.share = m->level[0].share;
	for (size_t i = 0, turn = 0; i < t->count; i++) {
		turn = turn ? turn - 1 : random_below(12);
		if (turn && i)
			t->core[i] = t->core[i - 1];
		if (one_in(2))
			t->addr[i] += (uint64_t)(t->core[i] + 1) << 16;
	}
}

TEST(all_engines_agree_on_threads_that_share_caches)
{
	static struct random_trace t;
	unsigned compared = 0;

	for (unsigned round = 0; round < 1000; round++) {
		struct ml_machine m = some_machine(1u << (1 + random_below(4)));

		random_trace(&t, 100 + random_below(1900), m.cores);
		share_caches(&m, &t);
		if (!possible(&m))
			continue;
		compare_all(&m, &t.all);
		compared++;
	}
	CHECK(compared > 500);
}

TEST(all_engines_agree_on_machines_as_they_are_sold)
{
	static struct random_trace t;

	for (unsigned round = 0; round < 400; round++) {
		struct ml_machine m = usual_machine();

		random_trace(&t, 4000, m.cores);
		bend_trace(&t);
		compare_all(&m, &t.all);
	}
	for (unsigned k = 0; ml_engines[k + 1]; k++)
		if (taken[k] < 50)
			TEST_SAY("%s took only %llu jobs", ml_engines[k]->name,
				 (unsigned long long)taken[k]);
}

TEST(the_first_that_takes_a_job_does_it)
{
	for (unsigned round = 0; round < 200; round++) {
		struct ml_machine m = round % 2 ? usual_machine() : some_machine(1);
		struct ml_engine_job job = { .want = round % 3 ? 0 : ML_SIM_CAUSES };
		const struct ml_engine_kind *const *k = ml_engines;
		struct ml_err err;

		if (!possible(&m))
			continue;
		while ((*k)->refuses(&m, &job))
			k++;
		struct ml_engine *e = ml_engine_open(&m, &job, &err);
		CHECK(e->kind == *k);
		ml_engine_close(e);
		job.slow = true;
		e = ml_engine_open(&m, &job, &err);
		CHECK(!e->kind->refuses(&m, &job) && e->kind->moves && e->kind->restore);
		ml_engine_close(e);
	}
}

TEST(a_damaged_state_is_refused_and_leaves_the_engine_empty)
{
	struct ml_machine m;
	struct ml_engine_job job = { .restores = true };
	struct ml_accesses a = { .count = 1,
				 .addr = &(uint64_t){ 64 },
				 .what = &(uint16_t){ 8 } };
	struct ml_buf saved = { 0 };
	uint16_t outcome;
	struct ml_err err;

	CHECK_OK(
		ml_machine_parse(&m, "L1 1K 8w | L2 4K 8w inclusive | TLB 4e full", &err),
		&err);
	for (unsigned k = 0; ml_engines[k]; k++) {
		if (ml_engines[k]->refuses(&m, &job))
			continue;
		struct ml_engine *e = ml_engine_open_as(ml_engines[k], &m, &job, &err);

		CHECK_OK(ml_engine_run(e, &a, NULL, &err), &err);
		saved.size = 0;
		ml_engine_save(e, &saved);
		saved.data[saved.size / 2] ^= 0x55;
		struct ml_bytes in = { saved.data, saved.data + saved.size / 2 + 1,
				       false };
		CHECK_FAILS(ml_engine_restore(e, &in, &err), &err, "bytes instead of");
		CHECK_OK(ml_engine_run(e, &a, &outcome, &err), &err);
		CHECK_EQ(outcome, 3);
		ml_engine_close(e);
	}
	ml_buf_release(&saved);
}
