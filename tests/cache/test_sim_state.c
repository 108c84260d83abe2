/* Saving and restoring a simulator. */
#include "lib/base/buf.h"
#include "lib/cache/exact/state.h"
#include "tests/sim_compare.h"
#include "tests/sim_text.h"

static struct random_trace trace;

static void saved(const struct ml_sim *s, struct ml_buf *out)
{
	out->size = 0;
	ml_sim_save(s, out);
}

static bool restore(struct ml_sim *s, const struct ml_buf *from, size_t size,
		    struct ml_err *err)
{
	struct ml_bytes in = { from->data, from->data + size, false };

	return ml_sim_restore(s, &in, err);
}

static void same_bytes(const struct ml_buf *a, const struct ml_buf *b)
{
	CHECK_EQ(a->size, b->size);
	CHECK(!memcmp(a->data, b->data, a->size));
}

TEST(a_restored_simulator_goes_on_as_the_saved_one_does)
{
	struct ml_buf a = { 0 }, b = { 0 };
	static uint16_t out_a[4000], out_b[4000];
	struct ml_err err;

	for (unsigned round = 0; round < 60; round++) {
		unsigned cores = one_in(2) ? 1 : 2 + (unsigned)random_below(3);
		unsigned want = one_in(2) ? 0 : ML_SIM_USE | ML_SIM_MOVES;
		struct ml_machine m = any_machine(cores);
		size_t cut = random_below(1000);
		struct ml_sim *one = ml_sim_open(&m, want, &err);
		struct ml_sim *two = ml_sim_open(&m, want, &err);
		size_t moves_one, moves_two;

		CHECK_OK(one && two, &err);
		random_trace(&trace, 1000, cores);
		struct ml_accesses head = part_of(&trace.all, 0, cut);
		struct ml_accesses tail = part_of(&trace.all, cut, 1000);
		CHECK_OK(ml_sim_run(one, &head, NULL, &err), &err);
		CHECK_OK(ml_sim_run(two, &tail, NULL, &err), &err); /* to be forgotten */
		saved(one, &a);
		CHECK_OK(restore(two, &a, a.size, &err), &err);
		saved(two, &b);
		same_bytes(&a, &b);
		CHECK_OK(ml_sim_run(one, &tail, out_a, &err), &err);
		CHECK_OK(ml_sim_run(two, &tail, out_b, &err), &err);
		CHECK(!memcmp(out_a, out_b, tail.count * sizeof(*out_a)));
		const struct ml_move *x = ml_sim_moves(one, &moves_one);
		const struct ml_move *y = ml_sim_moves(two, &moves_two);
		CHECK_EQ(moves_one, moves_two);
		for (size_t i = 0; i < moves_one; i++)
			CHECK(x[i].line == y[i].line && x[i].way == y[i].way &&
			      x[i].kind == y[i].kind && x[i].access == y[i].access);
		saved(one, &a);
		saved(two, &b);
		same_bytes(&a, &b);
		ml_sim_close(one);
		ml_sim_close(two);
	}
	ml_buf_release(&a);
	ml_buf_release(&b);
}

TEST(equal_orders_are_equal_bytes_however_they_came_about)
{
	/* the last three uses are the same, what came before is not */
	struct ml_buf a = { 0 }, b = { 0 };
	struct text_run *r = text_run("L1 48 3w 16B lru", 0, "r0 r16 r32 r0 r16 r32 r0");

	saved(r->sim, &a);
	r = text_run("L1 48 3w 16B lru", 0, "r0 r16 r32 r32 r16 r32 r0");
	saved(r->sim, &b);
	same_bytes(&a, &b);
	ml_buf_release(&a);
	ml_buf_release(&b);
}

TEST(places_do_not_depend_on_what_a_simulator_holds)
{
	struct ml_buf a = { 0 }, b = { 0 };
	struct text_run *r = text_run("L1 1K 4w 16B | L2 4K 8w", 0, "");

	saved(r->sim, &a);
	text_more(r, "r0 w100 r200/100 w5000");
	saved(r->sim, &b);
	CHECK_EQ(a.size, b.size);
	ml_buf_release(&a);
	ml_buf_release(&b);
}

TEST(after_a_restore_causes_are_known_for_what_is_held)
{
	struct ml_buf a = { 0 };
	struct ml_err err;
	struct text_run *r = text_run("L1 32 1w 16B", 1, "r0 r16 r64");

	saved(r->sim, &a);
	CHECK_OK(restore(r->sim, &a, a.size, &err), &err);
	/* 0 was there before 64 took its place, but that is forgotten; 64 is known */
	text_more(r, "r16 r64 r0 r64");
	CHECK_STR(r->causes, "--uo");
	ml_buf_release(&a);
}

TEST(a_simulator_that_keeps_more_takes_the_state_of_one_that_keeps_less)
{
	struct ml_buf a = { 0 };
	struct ml_err err;
	struct text_run *r = text_run("L1 32 2w 16B", 0, "r0 w16");
	struct ml_cached_way slots[2];

	saved(r->sim, &a);
	r = text_run("L1 32 2w 16B", 7, "");
	CHECK_OK(restore(r->sim, &a, a.size, &err), &err);
	ml_sim_set(r->sim, 1, 0, 0, slots);
	CHECK_EQ(slots[1].line, 16);
	CHECK_EQ(slots[1].owner, ML_NO_OWNER);
	CHECK(slots[1].dirty && !slots[0].dirty);
	text_more(r, "r0 r32 r0");
	CHECK_STR(r->served, "121");
	/* and the other way round */
	saved(r->sim, &a);
	r = text_run("L1 32 2w 16B", 0, "");
	CHECK_OK(restore(r->sim, &a, a.size, &err), &err);
	text_more(r, "r0 r32 r16");
	CHECK_STR(r->served, "112");
	ml_buf_release(&a);
}

TEST(the_state_of_another_machine_is_refused)
{
	struct ml_buf a = { 0 };
	struct ml_err err;
	struct text_run *r = text_run("L1 32 2w 16B", 0, "r0");

	saved(r->sim, &a);
	r = text_run("L1 32 2w 16B fifo", 0, "r0");
	CHECK_FAILS(restore(r->sim, &a, a.size, &err), &err, "another machine");
	r = text_run("L1 32 2w 16B 9c", 0, "r0"); /* latencies do not matter */
	CHECK_OK(restore(r->sim, &a, a.size, &err), &err);
	CHECK_FAILS(restore(r->sim, &a, a.size - 1, &err), &err, "bytes instead of");
	CHECK_FAILS(restore(r->sim, &a, 10, &err), &err, "no saved state");
	ml_buf_release(&a);
}

TEST(damaged_bytes_give_a_sentence_or_a_state_that_works)
{
	struct ml_buf a = { 0 };
	struct ml_err err;
	unsigned refused = 0;

	for (unsigned round = 0; round < 30; round++) {
		unsigned cores = 1 + (unsigned)random_below(3);
		struct ml_machine m = any_machine(cores);
		struct ml_sim *s = ml_sim_open(&m, one_in(2) ? 7 : 0, &err);

		CHECK_OK(s, &err);
		random_trace(&trace, 300, cores);
		CHECK_OK(ml_sim_run(s, &trace.all, NULL, &err), &err);
		saved(s, &a);
		for (unsigned i = 0; i < 60; i++) {
			size_t at = random_below(one_in(4) ? 40 : a.size);
			size_t size = one_in(10) ? random_below(a.size) : a.size;
			uint8_t was = a.data[at];
			/* an exact copy, so that a sanitizer sees what is read behind it
			 */
			struct ml_buf copy = { 0 };

			a.data[at] ^= (uint8_t)(1u << random_below(8));
			copy.data = ml_resize(NULL, size);
			memcpy(copy.data, a.data, size);
			err.text[0] = 0;
			if (!restore(s, &copy, size, &err)) {
				CHECK(err.text[0]);
				refused++;
			}
			CHECK_OK(ml_sim_run(s, &trace.all, NULL, &err), &err);
			a.data[at] = was;
			ml_free(copy.data);
		}
		CHECK_OK(restore(s, &a, a.size, &err), &err);
		ml_sim_close(s);
	}
	CHECK(refused > 100);
	ml_buf_release(&a);
}
