/*
 * The order in which threads are merged. References are letters, those of a thread in
 * alphabetical order, and the merged order is read as a word.
 */
#include <stdlib.h>

#include "lib/analyse/passes/interleave.h"
#include "lib/base/arena.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"
#include "tests/test.h"

enum { MOST = 4096, SITE = 1, JOIN = 2, CLONE = 3 };

struct merged {
	char word[MOST + 1];
	uint64_t time[MOST];
	size_t count, batches;
};

static bool take(void *arg, const struct ml_batch *b, const uint64_t *time,
		 const uint32_t *cell, struct ml_err *err)
{
	struct merged *m = arg;

	(void)err;
	m->batches++;
	for (size_t i = 0; i < b->count; i++) {
		CHECK_EQ(cell[i], b->addr[i] + 1);
		CHECK_EQ(b->what[i], b->addr[i] + 2);
		CHECK_EQ(b->caller[i], b->addr[i] + 3);
		m->time[m->count] = time[i];
		m->word[m->count++] = (char)b->addr[i];
	}
	m->word[m->count] = 0;
	return true;
}

/* With functions that join and clone, or without. */
static void tables_init(struct ml_tables *t, bool named)
{
	ml_tables_init(t);
	struct ml_frame f = { ml_tables_name(t, "f"), 0, 0 };
	struct ml_frame join = { ml_tables_name(t, named ? "pthread_join" : "f"), 0, 0 };
	struct ml_frame clone = { ml_tables_name(t, named ? "clone3" : "f"), 0, 0 };

	CHECK_EQ(ml_tables_site(t, 1, "a", true, &f, 1), SITE);
	CHECK_EQ(ml_tables_site(t, 2, "libc", false, &join, 1), JOIN);
	CHECK_EQ(ml_tables_site(t, 3, "libc", false, &clone, 1), CLONE);
}

static void thread(struct ml_tables *t, uint16_t id, uint16_t parent, uint64_t from,
		   uint64_t until)
{
	*ML_ADD(t->threads) = (struct ml_thread){
		.id = id, .parent = parent, .from = from, .until = until
	};
}

/*
 * The solo beginning of thread 1 is not part of a round, so rounds start with it
 * again. A word such as "abABcd": small letters are thread 1, capitals thread 2, digits
 * thread 3; + is thread 1 in clone and - thread 1 in pthread_join.
 */
static void add(struct ml_interleave *x, const char *word, uint64_t time, size_t piece)
{
	size_t count = strlen(word);
	struct ml_err err;

	for (size_t at = 0; at < count; at += piece) {
		uint64_t addr[MOST];
		uint32_t site[MOST], caller[MOST], cell[MOST];
		uint16_t of[MOST], what[MOST];
		size_t n = count - at < piece ? count - at : piece;

		for (size_t i = 0; i < n; i++) {
			char c = word[at + i];

			addr[i] = (uint64_t)c;
			cell[i] = (uint32_t)c + 1;
			what[i] = (uint16_t)(c + 2);
			caller[i] = (uint32_t)c + 3;
			site[i] = c == '+' ? CLONE : c == '-' ? JOIN : SITE;
			of[i] = c >= 'A' && c <= 'Z' ? 2 : c >= '0' && c <= '9' ? 3 : 1;
		}
		struct ml_batch b = { time + at, n, addr, site, caller, of, what };
		CHECK_OK(ml_interleave_add(x, &b, cell, &err), &err);
	}
}

static void merge(struct merged *m, const struct ml_tables *t, const char *word,
		  uint64_t turn, size_t block, size_t piece)
{
	struct ml_err err;

	*m = (struct merged){ .count = 0 };
	struct ml_interleave *x = ml_interleave_open(t, turn, block, 0, take, m);
	add(x, word, 0, piece);
	CHECK_OK(ml_interleave_flush(x, &err), &err);
	ml_interleave_close(x);
}

TEST(threads_take_turns)
{
	struct ml_tables t;
	struct merged m;

	tables_init(&t, false);
	merge(&m, &t, "abcdefABCDEF", 1, 100, 100);
	CHECK_STR(m.word, "aAbBcCdDeEfF");
	merge(&m, &t, "abcdefABCDEF", 2, 100, 100);
	CHECK_STR(m.word, "abABcdCDefEF");
	merge(&m, &t, "abcdAB", 1, 100, 100);
	CHECK_STR(m.word, "aAbBcd");
	merge(&m, &t, "AB12ab", 1, 100, 100); /* in the order of their appearance */
	CHECK_STR(m.word, "A1aB2b");
	ml_tables_release(&t);
}

TEST(each_reference_keeps_its_time)
{
	struct ml_tables t;
	struct merged m;
	const char *word = "abcABCdDe";

	tables_init(&t, false);
	merge(&m, &t, word, 1, 100, 2);
	CHECK_EQ(m.count, strlen(word));
	for (size_t i = 0; i < m.count; i++)
		CHECK_EQ(m.word[i], word[m.time[i]]);
	ml_tables_release(&t);
}

TEST(the_size_of_batches_does_not_matter)
{
	struct ml_tables t;
	struct merged whole, pieces;
	const char *word = "abc+ABCDdeEF-fgh123i45";

	tables_init(&t, true);
	thread(&t, 1, 0, 0, ML_FOREVER);
	thread(&t, 2, 1, 4, 12);
	thread(&t, 3, 1, 16, 22);
	merge(&whole, &t, word, 1, 100, 100);
	for (size_t piece = 1; piece < 20; piece++) {
		merge(&pieces, &t, word, 1, 100, piece);
		CHECK_STR(pieces.word, whole.word);
	}
	ml_tables_release(&t);
}

TEST(a_child_starts_after_its_parent_created_it)
{
	struct ml_tables t;
	struct merged m;

	tables_init(&t, true);
	thread(&t, 1, 0, 0, ML_FOREVER);
	thread(&t, 2, 1, 3, ML_FOREVER);
	thread(&t, 3, 1, 9, ML_FOREVER);
	/* thread 3 is created at + (6), and first runs after d and e */
	merge(&m, &t, "abcABC+de123", 1, 100, 100);
	CHECK_STR(m.word, "abc+A1dB2eC3");
	ml_tables_release(&t);
}

TEST(without_a_known_clone_it_starts_after_all_that_its_parent_did_before)
{
	struct ml_tables t;
	struct merged m;

	tables_init(&t, false);
	thread(&t, 1, 0, 0, ML_FOREVER);
	thread(&t, 2, 1, 3, ML_FOREVER);
	thread(&t, 3, 1, 9, ML_FOREVER);
	merge(&m, &t, "abcABC+de123", 1, 100, 100);
	CHECK_STR(m.word, "abc+AdBeC123");
	ml_tables_release(&t);
}

TEST(a_parent_that_joins_does_not_overtake_its_child)
{
	struct ml_tables t;
	struct merged m;

	tables_init(&t, true);
	thread(&t, 1, 0, 0, ML_FOREVER);
	thread(&t, 2, 1, 2, 6);
	merge(&m, &t, "abABCDcd-e", 1, 100, 100);
	CHECK_STR(m.word, "abcAdBCD-e");
	ml_tables_release(&t);
}

TEST(without_a_known_join_a_parent_overtakes_no_child_that_has_ended)
{
	struct ml_tables t;
	struct merged m;

	tables_init(&t, false);
	thread(&t, 1, 0, 0, ML_FOREVER);
	thread(&t, 2, 1, 2, 6);
	merge(&m, &t, "abABCDcdef", 1, 100, 100);
	CHECK_STR(m.word, "abABCDcdef");
	/* c runs before the child has ended, d and e do not */
	t.threads.at[1].until = 8;
	merge(&m, &t, "abABCcDEde", 1, 100, 100);
	CHECK_STR(m.word, "abcABCDEde");
	ml_tables_release(&t);
}

TEST(siblings_do_not_wait_for_each_other)
{
	struct ml_tables t;
	struct merged m;

	/* thread 2 ends before thread 3 has run at all; the parent waits for both */
	tables_init(&t, true);
	thread(&t, 1, 0, 0, ML_FOREVER);
	thread(&t, 2, 1, 3, 6);
	thread(&t, 3, 1, 8, 11);
	merge(&m, &t, "ab+ABC+-123-c", 1, 100, 100);
	CHECK_STR(m.word, "ab++A1B2C3--c");
	ml_tables_release(&t);
}

TEST(a_flush_lets_out_what_is_held_and_nothing_moves_over_it)
{
	struct ml_tables t;
	struct merged m = { .count = 0 };
	struct ml_err err;

	tables_init(&t, false);
	struct ml_interleave *x = ml_interleave_open(&t, 1, 100, 0, take, &m);
	add(x, "abcA", 0, 100);
	CHECK_OK(ml_interleave_flush(x, &err), &err);
	CHECK_STR(m.word, "aAbc");
	add(x, "defBCD", 4, 100);
	CHECK_OK(ml_interleave_flush(x, &err), &err);
	CHECK_STR(m.word, "aAbcdBeCfD");
	CHECK_OK(ml_interleave_flush(x, &err), &err);
	ml_interleave_close(x);
	ml_tables_release(&t);
}

TEST(a_full_block_ends_at_a_change_of_threads_in_its_second_half)
{
	struct ml_tables t;
	struct merged m;

	tables_init(&t, false);
	/* 8 at once: abcABCde is full; its last change, before d, ends the block */
	merge(&m, &t, "abcABCdeDEfg", 1, 8, 100);
	CHECK_STR(m.word, "aAbBcCdDeEfg");
	/* aAbcdefg has no change in its second half and goes out whole */
	merge(&m, &t, "aAbcdefghBC", 1, 8, 100);
	CHECK_STR(m.word, "aAbcdefghBC");
	ml_tables_release(&t);
}

static void wait_for(struct ml_tables *t, uint64_t time, uint16_t id, uint16_t of,
		     uint64_t until)
{
	*ML_ADD(t->waits) =
		(struct ml_wait){ .time = time, .until = until, .thread = id, .of = of };
}

TEST(a_thread_waits_where_it_waited)
{
	struct ml_tables t;
	struct merged m;

	tables_init(&t, false);
	wait_for(&t, 6, 1, 2, 6); /* from c on, for D */
	merge(&m, &t, "abABCDcdE", 1, 100, 100);
	CHECK_STR(m.word, "aAbBCDcEd");
	ml_tables_release(&t);
}

/* Thread 3 waits for the moment at which thread 1 has waited for thread 2. */
TEST(a_wait_includes_the_waits_before_it)
{
	struct ml_tables t;
	struct merged m;

	tables_init(&t, false);
	wait_for(&t, 4, 1, 2, 4);
	wait_for(&t, 5, 3, 1, 4);
	merge(&m, &t, "aABCb1", 1, 100, 100);
	CHECK_STR(m.word, "aABCb1");
	ml_tables_release(&t);
}

/* A barrier without references between arriving and leaving: both threads have waits at
 * time 4, of which the first comes first. */
TEST(waits_at_the_same_time_are_in_order)
{
	struct ml_tables t;
	struct merged m;

	tables_init(&t, false);
	wait_for(&t, 4, 1, 2, 4);
	wait_for(&t, 4, 2, 1, 4);
	merge(&m, &t, "abABCDcd", 1, 100, 100);
	CHECK_STR(m.word, "aAbBcCdD");
	ml_tables_release(&t);
}

static size_t of_letter(char c)
{
	return c >= 'a' ? 0 : c >= 'A' ? 1 : 2;
}

/* Does the merged order fulfil all waits? */
static bool waits_hold(const struct merged *m, const struct ml_tables *t)
{
	for (size_t k = 0; k < t->waits.count; k++) {
		const struct ml_wait *w = &t->waits.at[k];
		bool passed = false;

		for (size_t i = 0; i < m->count; i++) {
			size_t of = of_letter(m->word[i]) + 1;

			passed |= of == w->thread && m->time[i] >= w->time;
			if (of == w->of && m->time[i] < w->until && passed)
				return false;
		}
	}
	return true;
}

/* Random waits, in order of time; by two threads or by a thread and itself. */
static void random_waits(struct ml_tables *t, uint64_t *seed)
{
	for (uint64_t time = 0; time < 200;) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		wait_for(t, time, (uint16_t)((*seed >> 33) % 3 + 1),
			 (uint16_t)((*seed >> 40) % 3 + 1), (*seed >> 45) % (time + 1));
		time += (*seed >> 55) % 20;
	}
}

/* Whatever the tables say, the merge is a permutation that keeps each thread's order and
 * fulfils all waits. */
TEST(random_merges_keep_every_thread_in_order)
{
	uint64_t seed = 1;

	for (int round = 0; round < 300; round++) {
		struct ml_tables t;
		struct merged m;
		char word[201];
		size_t next[3] = { 0, 0, 0 };
		static const char first[] = { 'a', 'A', '0' };

		tables_init(&t, round % 2);
		for (size_t i = 0; i < 200; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			size_t of = (seed >> 40) % 40 && i ? of_letter(word[i - 1])
							   : (seed >> 50) % 3;
			word[i] = (char)(first[of] + (char)(next[of]++ % 10));
		}
		word[200] = 0;
		for (uint16_t id = 1; id <= 3; id++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			uint64_t from = (seed >> 33) % 200,
				 until = from + (seed >> 45) % 200;

			if (seed >> 62)
				thread(&t, id, (uint16_t)((seed >> 20) % 4), from, until);
		}
		if (round % 3)
			random_waits(&t, &seed);
		merge(&m, &t, word, 1 + (uint64_t)round % 7, 20 + (size_t)round % 200,
		      1 + (size_t)round % 50);
		CHECK_EQ(m.count, 200);
		bool seen[200] = { false };
		uint64_t last[128] = { 0 };
		for (size_t i = 0; i < m.count; i++) {
			size_t of = of_letter(m.word[i]);

			CHECK(!seen[m.time[i]]);
			seen[m.time[i]] = true;
			CHECK(m.time[i] >= last[of]);
			last[of] = m.time[i];
		}
		CHECK(waits_hold(&m, &t));
		ml_tables_release(&t);
	}
}
