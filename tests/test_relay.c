/* Two stages on two threads: the second one does each piece once, in order. */
#include "lib/base/relay.h"

#include "tests/test.h"

enum { SLOTS = 4 };

struct pieces {
	unsigned at[SLOTS]; /* by slot: the piece that the first stage put there */
	unsigned next;      /* that the second stage expects */
	bool in_order;
};

static void expect(void *arg, unsigned slot)
{
	struct pieces *p = arg;

	p->in_order = p->in_order && p->at[slot] == p->next;
	p->next++;
}

static void put(struct ml_relay *r, struct pieces *p, unsigned piece)
{
	unsigned slot = ml_relay_slot(r);

	p->at[slot] = piece;
	ml_relay_pass(r);
}

TEST(the_second_stage_does_each_piece_once_in_order)
{
	struct pieces p = { .in_order = true };
	struct ml_relay r;

	ml_relay_init(&r, SLOTS, expect, &p);
	for (unsigned i = 0; i < 10000; i++)
		put(&r, &p, i);
	ml_relay_release(&r);
	CHECK_EQ(p.next, 10000);
	CHECK(p.in_order);
}

TEST(after_a_wait_all_pieces_are_done_however_few_there_are)
{
	struct pieces p = { .in_order = true };
	struct ml_relay r;
	unsigned put_so_far = 0;

	ml_relay_init(&r, SLOTS, expect, &p);
	ml_relay_wait(&r);
	for (unsigned round = 0; round < 300; round++) {
		for (unsigned i = 0; i < round % 7; i++)
			put(&r, &p, put_so_far++);
		ml_relay_wait(&r);
		CHECK_EQ(p.next, put_so_far);
	}
	ml_relay_release(&r);
	CHECK(p.in_order);
}

TEST(pieces_that_nobody_waited_for_are_done_at_the_end)
{
	struct pieces p = { .in_order = true };
	struct ml_relay r;

	ml_relay_init(&r, SLOTS, expect, &p);
	put(&r, &p, 0);
	ml_relay_release(&r);
	CHECK_EQ(p.next, 1);
}

TEST(with_one_slot_the_stages_take_turns)
{
	struct pieces p = { .in_order = true };
	struct ml_relay r;

	ml_relay_init(&r, 1, expect, &p);
	for (unsigned i = 0; i < 20; i++)
		put(&r, &p, i);
	ml_relay_release(&r);
	CHECK_EQ(p.next, 20);
	CHECK(p.in_order);
}
