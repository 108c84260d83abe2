/* Stages on several threads: each one does each piece once, in order. */
#include "lib/base/relay.h"

#include "tests/test.h"

enum { SLOTS = 4 };

struct pieces {
	unsigned at[SLOTS]; /* by slot: the piece that was put there, times 100, plus the
			       number of stages that it went through */
	unsigned next[3];   /* piece that each stage expects */
	bool wrong[3];
};

static void expect(void *arg, unsigned stage, unsigned slot)
{
	struct pieces *p = arg;

	p->wrong[stage] |= p->at[slot] != p->next[stage] * 100 + stage;
	p->next[stage]++;
	p->at[slot]++;
}

static void check(const struct pieces *p, unsigned count, unsigned want)
{
	for (unsigned k = 0; k < count; k++) {
		CHECK_EQ(p->next[k], want);
		CHECK(!p->wrong[k]);
	}
}

static void put(struct ml_relay *r, struct pieces *p, unsigned piece)
{
	unsigned slot = ml_relay_slot(r);

	p->at[slot] = piece * 100;
	ml_relay_pass(r);
}

TEST(each_stage_does_each_piece_once_in_order)
{
	for (unsigned threads = 0; threads <= ML_RELAY_THREADS; threads++)
		for (unsigned count = 1; count <= 3; count++) {
			struct pieces p = { 0 };
			struct ml_relay r;

			ml_relay_init(&r, SLOTS, count, threads, expect, &p);
			for (unsigned i = 0; i < 5000; i++)
				put(&r, &p, i);
			ml_relay_release(&r);
			check(&p, count, 5000);
		}
}

TEST(after_a_wait_all_pieces_are_done_however_few_there_are)
{
	struct pieces p = { 0 };
	struct ml_relay r;
	unsigned put_so_far = 0;

	ml_relay_init(&r, SLOTS, 3, 2, expect, &p);
	ml_relay_wait(&r);
	for (unsigned round = 0; round < 300; round++) {
		for (unsigned i = 0; i < round % 7; i++)
			put(&r, &p, put_so_far++);
		ml_relay_wait(&r);
		check(&p, 3, put_so_far);
	}
	ml_relay_release(&r);
}

TEST(pieces_that_nobody_waited_for_are_done_at_the_end)
{
	struct pieces p = { 0 };
	struct ml_relay r;

	ml_relay_init(&r, SLOTS, 3, 1, expect, &p);
	put(&r, &p, 0);
	ml_relay_release(&r);
	check(&p, 3, 1);
}

TEST(with_one_slot_the_stages_take_turns)
{
	struct pieces p = { 0 };
	struct ml_relay r;

	ml_relay_init(&r, 1, 3, 2, expect, &p);
	for (unsigned i = 0; i < 20; i++)
		put(&r, &p, i);
	ml_relay_release(&r);
	check(&p, 3, 20);
}
