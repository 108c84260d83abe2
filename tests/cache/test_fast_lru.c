/*
 * The fast LRU simulator, against an obvious one that scans its ways and compares times,
 * for every instruction set that this processor has.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/cache/lru/fast_lru.h"
#include "lib/cache/exact/sim.h"
#include "tests/test.h"

static uint64_t seed = 1;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* ---- the obvious simulator ---- */

struct slow_way {
	uint64_t line, used; /* used 0: empty */
	bool dirty;
};

struct slow {
	const struct ml_machine *m;
	struct slow_way *way[ML_LEVELS];
	struct ml_level_counts counts[ML_LEVELS];
	uint64_t now;
};

static void slow_init(struct slow *s, const struct ml_machine *m)
{
	*s = (struct slow){ .m = m };
	for (unsigned i = 0; i < m->levels; i++)
		s->way[i] = calloc((size_t)m->level[i].sets * m->level[i].ways,
				   sizeof(*s->way[i]));
}

static void slow_release(struct slow *s)
{
	for (unsigned i = 0; i < s->m->levels; i++)
		free(s->way[i]);
}

static struct slow_way *slow_set(struct slow *s, unsigned level, uint64_t line)
{
	const struct ml_level_spec *l = &s->m->level[level];

	return s->way[level] + line % l->sets * l->ways;
}

static struct slow_way *slow_find(struct slow *s, unsigned level, uint64_t line)
{
	struct slow_way *set = slow_set(s, level, line);

	for (uint32_t i = 0; i < s->m->level[level].ways; i++)
		if (set[i].used && set[i].line == line)
			return &set[i];
	return NULL;
}

/* Asks a level for a line; yields the level, from 1, that had it. */
static unsigned slow_ask(struct slow *s, unsigned level, uint64_t line, unsigned kind)
{
	if (level == s->m->levels)
		return level + 1;

	struct ml_level_counts *c = &s->counts[level];
	struct slow_way *w = slow_find(s, level, line);
	unsigned served = level + 1;

	c->asked[kind]++;
	if (!w) {
		struct slow_way *set = slow_set(s, level, line);

		c->missed[kind]++;
		served = slow_ask(s, level + 1, line, kind);
		w = set;
		for (uint32_t i = 0; i < s->m->level[level].ways; i++)
			if (set[i].used < w->used)
				w = &set[i];
		c->fills++;
		c->evictions += w->used > 0;
		if (w->used && w->dirty) {
			uint64_t victim = w->line;

			c->write_backs++;
			for (unsigned i = level + 1; i < s->m->levels; i++) {
				struct slow_way *outer = slow_find(s, i, victim);

				if (outer) {
					outer->dirty = true;
					break;
				}
				s->counts[i].past_bytes += s->m->level[i].line;
			}
		}
		*w = (struct slow_way){ .line = line };
	}
	w->used = ++s->now;
	if (level == 0 && kind == ML_ACCESS_WRITE)
		w->dirty = true;
	return served;
}

static unsigned slow_access(struct slow *s, uint64_t addr, unsigned what)
{
	unsigned line = s->m->level[0].line, size = what & 0x3fff, served = 1;
	uint64_t last = (addr + (size ? size - 1 : 0)) / line;

	for (uint64_t l = addr / line; l <= last; l++) {
		unsigned from = slow_ask(s, 0, l, what >> 14);

		if (from > served)
			served = from;
	}
	return served;
}

/* ---- random accesses ---- */

enum { COUNT = 6000 };

struct accesses {
	uint64_t addr[COUNT];
	uint16_t what[COUNT];
	struct ml_accesses a;
};

/*
 * Neighbours, repetitions and jumps, over `span` bytes; `far` addresses are spread
 * over so many windows of 4 GiB, `high` ones above 2^48.
 */
static void draw(struct accesses *x, uint64_t span, unsigned far, bool high, bool cross)
{
	uint64_t at = 0;

	for (size_t i = 0; i < COUNT; i++) {
		unsigned size = 1u << random_below(4);

		if (cross && random_below(20) == 0)
			size = (unsigned)random_below(random_below(10) ? 200 : 16384);
		switch (random_below(6)) {
		case 0: at = random_below(span); break;
		case 1: at += size; break;
		case 2: at = i > 3 ? x->addr[i - 2] : 0; break;
		case 3: at = i > 9 ? x->addr[i - 1 - random_below(9)] : 0; break;
		case 4:
			at = random_below(span / 8 + 1) +
			     (far ? (uint64_t)random_below(far) * 0x7b00000000 : 0) +
			     (high && random_below(4) == 0 ? (uint64_t)0xffff8 << 40 : 0);
			break;
		default: break;
		}
		if (!cross)
			at &= ~(uint64_t)(size - 1);
		x->addr[i] = at;
		x->what[i] = (uint16_t)((random_below(9) ? random_below(2) : 2) << 14 |
					size);
	}
	x->a = (struct ml_accesses){ .count = COUNT, .addr = x->addr, .what = x->what };
}

static const char *names[] = { "best", "plain", "avx2", "avx512", "neon" };

/* One machine, one trace in several batches, all instruction sets. */
static void compare(const struct ml_machine *m, const struct accesses *x)
{
	static uint8_t wanted[COUNT], got[COUNT];
	struct slow s;

	if (ml_fast_lru_refuses(m))
		TEST_SAY("refused: %s", ml_fast_lru_refuses(m));
	slow_init(&s, m);
	for (size_t i = 0; i < x->a.count; i++)
		wanted[i] = (uint8_t)slow_access(&s, x->addr[i], x->what[i]);
	for (enum ml_fast_lru_how how = ML_FAST_LRU_BEST; how <= ML_FAST_LRU_NEON;
	     how++) {
		if (!ml_fast_lru_has(how))
			continue;
		for (int with = 0; with < 2; with++) {
			struct ml_fast_lru *q = ml_fast_lru_open(m, how);
			size_t step = 0;

			for (size_t i = 0; i < x->a.count; i += step) {
				step = 1 + random_below(3000);
				if (step > x->a.count - i)
					step = x->a.count - i;
				struct ml_accesses part = { .count = step,
							    .addr = x->addr + i,
							    .what = x->what + i };
				ml_fast_lru_run(q, &part, with ? got + i : NULL);
			}
			if (with && memcmp(wanted, got, x->a.count))
				TEST_SAY("%s: another level served", names[how]);
			for (unsigned l = 1; l <= m->levels; l++) {
				struct ml_level_counts c;

				ml_fast_lru_counts(q, l, &c);
				if (memcmp(&c, &s.counts[l - 1], sizeof(c)))
					TEST_SAY("%s: other counts of level %u",
						 names[how], l);
			}
			ml_fast_lru_close(q);
		}
	}
	slow_release(&s);
}

static struct ml_machine machine(const char *text)
{
	struct ml_machine m;
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&m, text, &err), &err);
	return m;
}

static struct accesses x;

TEST(usual_machines_agree_with_the_obvious_simulator)
{
	static const char *texts[] = {
		"L1 1K 8w | L2 8K 16w | L3 64K 16w",
		"L1 32K 8w | L2 1M 16w | L3 32M 16w",
		"L1 48K 12w | L2 1280K 20w | L3 1408K 11w",
	};

	for (int round = 0; round < 12; round++)
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
			struct ml_machine m = machine(texts[i]);

			draw(&x, (uint64_t)1 << (10 + 2 * (round % 6)), round & 1 ? 3 : 0,
			     false, round & 2);
			compare(&m, &x);
		}
}

TEST(every_geometry_agrees_with_the_obvious_simulator)
{
	for (int round = 0; round < 300; round++) {
		struct ml_machine m =
			machine("L1 1K 8w | L2 8K 8w | L3 8K 8w | L4 8K 8w");
		uint32_t line = 16u << random_below(5);

		m.levels = 1 + (unsigned)random_below(4);
		for (unsigned i = 0; i < m.levels; i++) {
			struct ml_level_spec *l = &m.level[i];

			l->line = line;
			l->ways = 1 + (uint32_t)random_below(random_below(4) ? 16 : 40);
			l->sets = 1 + (uint32_t)random_below(random_below(2) ? 9 : 60);
			if (random_below(2))
				l->sets = 1u << random_below(7);
			l->size = (uint64_t)l->line * l->ways * l->sets;
		}
		draw(&x, line * (1 + random_below(3000)), round % 3 ? 0 : 4, false,
		     round & 1);
		compare(&m, &x);
	}
}

TEST(fully_associative_caches_agree_with_the_obvious_simulator)
{
	static const uint32_t ways[] = { 31, 32, 33, 64, 100, 512, 1000, 1024 };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		for (int far = 0; far < 2; far++) {
			struct ml_machine m = machine("L1 1K 2w 16B | L2 64K 8w");

			m.level[1].ways = ways[i];
			m.level[1].sets = 1 + (uint32_t)far;
			m.level[1].size = 16 * ways[i] * m.level[1].sets;
			draw(&x, 30000, far ? 30 : 0, false, true);
			compare(&m, &x);
		}
}

TEST(addresses_of_all_bits_and_many_windows_agree_with_the_obvious_simulator)
{
	static const unsigned far[] = { 1, 2, 3, 7, 8, 9, 14, 15, 16, 17, 40 };

	for (size_t i = 0; i < sizeof(far) / sizeof(*far); i++)
		for (int high = 0; high < 2; high++) {
			struct ml_machine m =
				machine("L1 1K 8w | L2 8K 16w | L3 36K 12w");
			struct ml_machine tiny =
				machine("L1 64 2w 4B | L2 256 4w | L3 480 10w");

			draw(&x, 4096, far[i], high, true);
			compare(&m, &x);
			draw(&x, 400, far[i], high, false);
			compare(&tiny, &x);
		}
}

TEST(an_access_that_is_unlike_its_neighbours_may_be_anywhere_among_them)
{
	/* accesses are made into keys many at a time, where none crosses a line and all
	 * are in windows that are known */
	static const uint64_t unlike[] = { 60, (uint64_t)1 << 32,
					   ((uint64_t)1 << 33) - 4 };
	struct ml_machine m = machine("L1 1K 8w | L2 8K 16w");

	for (size_t place = 0; place < 140; place++)
		for (size_t k = 0; k < sizeof(unlike) / sizeof(*unlike); k++) {
			x.a = (struct ml_accesses){ .count = 140,
						    .addr = x.addr,
						    .what = x.what };
			for (size_t i = 0; i < x.a.count; i++) {
				x.addr[i] = i * 8 % 3000;
				x.what[i] = (uint16_t)(i % 3 << 14 | 8);
			}
			x.addr[place] = unlike[k];
			compare(&m, &x);
		}
}

TEST(a_line_written_after_it_was_read_leaves_dirty)
{
	/* one set of one way; read 0, write 0, read 64 drives it out */
	struct ml_machine m = machine("L1 64 1w | L2 64 1w");
	uint64_t addr[] = { 0, 0, 0, 64 };
	uint16_t what[] = { 8, 1 << 14 | 8, 8, 8 };
	struct ml_accesses a = { .count = 4, .addr = addr, .what = what };

	for (enum ml_fast_lru_how how = ML_FAST_LRU_BEST; how <= ML_FAST_LRU_NEON;
	     how++) {
		if (!ml_fast_lru_has(how))
			continue;
		struct ml_fast_lru *q = ml_fast_lru_open(&m, how);
		struct ml_level_counts c1, c2;

		ml_fast_lru_run(q, &a, NULL);
		ml_fast_lru_counts(q, 1, &c1);
		ml_fast_lru_counts(q, 2, &c2);
		CHECK_EQ(c1.write_backs, 1);
		CHECK_EQ(c1.asked[ML_ACCESS_READ], 3);
		CHECK_EQ(c1.missed[ML_ACCESS_READ], 2);
		CHECK_EQ(c1.asked[ML_ACCESS_WRITE], 1);
		CHECK_EQ(c1.evictions, 1);
		/* L2 lost the line at the same time, so memory took the data */
		CHECK_EQ(c2.write_backs, 0);
		ml_fast_lru_close(q);
	}
}

TEST(an_access_over_two_lines_counts_once_and_is_served_by_the_farthest)
{
	struct ml_machine m = machine("L1 128 2w | L2 4K 4w");
	uint64_t addr[] = { 0, 60, 128, 192, 60 };
	uint16_t what[] = { 4, 8, 4, 4, 8 };
	uint8_t served[5];
	struct ml_accesses a = { .count = 5, .addr = addr, .what = what };
	struct ml_fast_lru *q = ml_fast_lru_open(&m, ML_FAST_LRU_BEST);
	struct ml_level_counts c;

	ml_fast_lru_run(q, &a, served);
	CHECK_EQ(served[0], 3);
	CHECK_EQ(served[1], 3); /* line 0 from L1, line 1 from memory */
	CHECK_EQ(served[4], 2); /* both from L2 */
	ml_fast_lru_counts(q, 1, &c);
	CHECK_EQ(c.asked[ML_ACCESS_READ], 7);
	CHECK_EQ(c.missed[ML_ACCESS_READ], 6);
	ml_fast_lru_close(q);
}

/* The exact simulator goes on where the quick one stopped, and they agree to the end. */
static void hand_over(const struct ml_machine *m, enum ml_fast_lru_how how)
{
	static uint16_t outcome[COUNT];
	static uint8_t served[COUNT];
	size_t half = COUNT / 2;
	struct ml_accesses first = { .count = half, .addr = x.addr, .what = x.what };
	struct ml_accesses rest = { .count = COUNT - half,
				    .addr = x.addr + half,
				    .what = x.what + half };
	struct ml_fast_lru *q = ml_fast_lru_open(m, how);
	struct ml_buf state = { 0 }, end = { 0 }, other_end = { 0 };
	struct ml_err err = { 0 };
	struct ml_sim *s = ml_sim_open(m, 0, &err);

	CHECK(s);
	ml_fast_lru_run(q, &first, NULL);
	ml_fast_lru_save(q, &state);
	struct ml_bytes in = { .at = state.data, .end = state.data + state.size };
	CHECK_OK(ml_sim_restore(s, &in, &err), &err);
	CHECK_OK(ml_sim_run(s, &rest, outcome, &err), &err);
	ml_fast_lru_run(q, &rest, served);
	for (size_t i = 0; i < rest.count; i++)
		if (ml_outcome_served(outcome[i]) != served[i])
			TEST_SAY("access %zu: level %u, not %u", i, served[i],
				 ml_outcome_served(outcome[i]));
	for (unsigned l = 1; l <= m->levels; l++) {
		struct ml_level_counts c;

		ml_fast_lru_counts(q, l, &c);
		CHECK(!memcmp(&c, ml_sim_counts(s, l), sizeof(c)));
	}
	ml_sim_save(s, &end);
	ml_fast_lru_save(q, &other_end);
	CHECK_EQ(end.size, other_end.size);
	ml_buf_release(&state);
	ml_buf_release(&end);
	ml_buf_release(&other_end);
	ml_sim_close(s);
	ml_fast_lru_close(q);
}

TEST(the_exact_simulator_goes_on_from_a_saved_state)
{
	struct ml_machine m = machine("L1 1K 8w | L2 8K 16w | L3 36K 12w");
	struct ml_machine tiny =
		machine("L1 64 full 16B | L2 640 10w | L3 4K 1w | L4 8K 8w");

	for (int far = 0; far < 20; far += 6)
		for (enum ml_fast_lru_how how = ML_FAST_LRU_BEST; how <= ML_FAST_LRU_NEON;
		     how++) {
			if (!ml_fast_lru_has(how))
				continue;
			draw(&x, 40000, (unsigned)far, far > 6, true);
			hand_over(&m, how);
			hand_over(&tiny, how);
		}
}

TEST(machines_that_need_the_other_simulator_are_refused_with_a_reason)
{
	struct {
		const char *text, *says;
	} cases[] = {
		{ "L1 32K 8w fifo | L2 1M 16w", "lru" },
		{ "L1 32K 8w wt | L2 1M 16w", "write-through" },
		{ "L1 32K 8w | L2 1M 16w inclusive", "inclusive" },
		{ "L1 32K 8w 64B | L2 1M 16w 128B", "line sizes" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ml_machine m = machine(cases[i].text);

		CHECK(ml_fast_lru_refuses(&m) &&
		      strstr(ml_fast_lru_refuses(&m), cases[i].says));
	}
}
