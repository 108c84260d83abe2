/*
 * Who called the library: stack pointers and crossings as a program would make them. The
 * stack grows down; a call pushes 8 bytes, a return takes them back.
 */
#include "record/tracks/callers.h"
#include "tests/test.h"

/* The user's code calls at `site`; the library's first step sees sp. */
static void call(struct ml_callers *c, uint32_t site, uint64_t sp)
{
	c->last_call = site;
	c->returned = false;
	ml_callers_cross(c, false, sp);
}

/* Back to the user's code, by a return (or longjmp) that leaves sp. */
static void back(struct ml_callers *c, uint64_t sp)
{
	c->returned = true;
	ml_callers_cross(c, true, sp);
}

TEST(a_program_starts_without_a_caller)
{
	struct ml_callers c = { 0 };

	CHECK_EQ(ml_callers_site(&c), 0);
	CHECK(!c.user);
}

TEST(a_call_is_known_until_it_returns)
{
	struct ml_callers c = { .user = true };

	call(&c, 7, 1000);
	CHECK_EQ(ml_callers_site(&c), 7);
	CHECK(!c.user);
	back(&c, 1008);
	CHECK_EQ(ml_callers_site(&c), 0);
	CHECK(c.user);
	call(&c, 8, 1000);
	CHECK_EQ(ml_callers_site(&c), 8);
}

TEST(a_callback_returns_to_the_library_on_behalf_of_the_first_caller)
{
	struct ml_callers c = { .user = true };

	call(&c, 7, 1000);               /* main calls qsort */
	ml_callers_cross(&c, true, 900); /* which calls compare */
	call(&c, 9, 880);                /* which calls strcmp */
	CHECK_EQ(ml_callers_site(&c), 9);
	back(&c, 888);
	CHECK_EQ(ml_callers_site(&c), 7);
	c.returned = true; /* compare returns to qsort: that is no call */
	ml_callers_cross(&c, false, 908);
	CHECK_EQ(ml_callers_site(&c), 7);
	CHECK_EQ(c.depth, 1);
	back(&c, 1008);
	CHECK_EQ(c.depth, 0);
}

TEST(longjmp_leaves_all_callers_below)
{
	struct ml_callers c = { .user = true };

	call(&c, 1, 1000);
	ml_callers_cross(&c, true, 900);
	call(&c, 2, 800);
	ml_callers_cross(&c, true, 700);
	call(&c, 3, 600);
	CHECK_EQ(c.depth, 3);
	ml_callers_cross(&c, true, 1100);
	CHECK_EQ(c.depth, 0);
	CHECK_EQ(ml_callers_site(&c), 0);
}

TEST(endless_recursion_forgets_the_outermost)
{
	struct ml_callers c = { .user = true };
	uint64_t sp = 1 << 20;

	for (uint32_t i = 1; i <= ML_CALLERS_DEPTH + 10; i++) {
		call(&c, i, sp -= 100);
		ml_callers_cross(&c, true, sp -= 100);
	}
	CHECK_EQ(c.depth, ML_CALLERS_DEPTH);
	CHECK_EQ(ml_callers_site(&c), ML_CALLERS_DEPTH + 10);
	CHECK_EQ(c.stack[0].site, 11);
}
