/* Routes about cycles, on a loop whose turns can be counted. */
#include "tests/answered.h"

enum { MAX_TURNS = 200 };

/* Turns of a body of five references, in lines 1 to 5 of a.c; each to A. */
static void add_loop_of(int turns)
{
	static char text[MAX_TURNS * 5 * 40];
	size_t at = 0;

	at += (size_t)sprintf(text, "region A 0x1000 4096 8\n");
	for (int i = 0; i < turns; i++)
		for (int k = 0; k < 5; k++)
			at += (size_t)sprintf(text + at, "r 0x%x 8 1 a.c:%d f\n",
					      0x1000 + 8 * i, k + 1);
	add_trace(text, false);
}

static void add_loop(void)
{
	add_loop_of(100);
}

TEST(a_loop_is_one_class_with_its_lines)
{
	open_workspace("L1 1K 2w 64B");
	add_loop();
	CHECK_OK(ask("/api/traces/0/cycles"), &err);
	CHECK(says("\"by_names\":[\"site\",\"region\",\"line\",\"address\"]"));
	CHECK(says("\"windows\":491,\"distinct\":5"));
	CHECK(says("\"bars\":[{\"birth\":2,\"death\":4,\"count\":1}]"));
	CHECK(says("\"turns\":98,"));
	CHECK(says("{\"file\":\"a.c\",\"line\":1,\"function\":\"f\""));
	CHECK_OK(ask("/api/traces/0/cycles?after=100&before=160"), &err);
	CHECK(says("\"windows\":51,"));
	close_workspace();
}

TEST(angles_are_every_moment_or_a_density)
{
	size_t count;

	open_workspace("L1 1K 2w 64B");
	add_loop();
	CHECK_OK(ask("/api/traces/0/cycles/angles"), &err);
	const double *turns = column("turns", &count), *time = column("time", NULL);
	const uint8_t *place = column("place", NULL);

	CHECK_EQ(count, 491);
	for (size_t i = 0; i < count; i++) {
		CHECK_NEAR(turns[i], (double)i / 5, 1e-6);
		CHECK_EQ(time[i], i);
		CHECK_EQ(place[i], place[i % 5]);
	}
	CHECK_OK(ask("/api/traces/0/cycles/angles?from=100&to=110"), &err);
	turns = column("turns", &count);
	CHECK_EQ(count, 10);
	CHECK_NEAR(turns[0], 20, 1e-6);

	close_workspace();
}

TEST(many_moments_are_rows_of_time_and_sectors_of_a_turn)
{
	size_t count;
	uint64_t sum = 0;

	open_workspace("L1 1K 2w 64B");
	add_loop_of(200);
	add_sim(0, "L1 1K 2w 64B");
	CHECK_OK(ask("/api/traces/0/cycles/angles?cells=512&sim=0"), &err);
	const uint32_t *moments = column("moments", &count);
	const uint8_t *level = column("level", NULL);

	/* five angles: 0, 1/5, ... of a turn; in 991 moments the first row has 496 */
	CHECK_EQ(count, 2 * 256);
	for (size_t i = 0; i < count; i++) {
		sum += moments[i];
		CHECK_EQ(level[i], moments[i] ? 1 : 0);
	}
	CHECK_EQ(sum, 991);
	/* memory serves the first of every 40 references: 25 of those up to 990 */
	CHECK(strstr((const char *)bytes.data + 8, "\"served\":[0,966,25]"));
	CHECK_NEAR(((const double *)column("turns", NULL))[1], 496 / 5.0, 1e-6);
	CHECK_EQ(((const double *)column("time", NULL))[1], 496);
	close_workspace();
}

TEST(levels_are_those_of_the_simulation)
{
	size_t count;

	open_workspace("L1 1K 2w 64B");
	add_loop();
	add_sim(0, "L1 1K 2w 64B");
	CHECK_OK(ask("/api/traces/0/cycles/angles?sim=0"), &err);
	const uint8_t *level = column("level", &count);

	/* the first touch of each line of 64 bytes, every 40 references, is served by
	 * memory */
	CHECK_EQ(count, 491);
	for (size_t i = 0; i < count; i++)
		CHECK_EQ(level[i], i % 40 ? 1 : 2);
	close_workspace();
}

TEST(a_ring_of_windows_is_a_ring_in_the_plane)
{
	size_t count;

	open_workspace("L1 1K 2w 64B");
	add_loop();
	CHECK_OK(ask("/api/traces/0/cycles/map"), &err);
	const double *x = column("x", &count), *y = column("y", NULL);

	CHECK_EQ(count, 5);
	for (size_t i = 1; i < count; i++)
		CHECK_NEAR(hypot(x[i], y[i]), hypot(x[0], y[0]), 1e-6);
	x = column("geodesic_x", &count);
	y = column("geodesic_y", NULL);
	CHECK_EQ(count, 5);
	for (size_t i = 1; i < count; i++)
		CHECK_NEAR(hypot(x[i], y[i]), hypot(x[0], y[0]), 1e-6);
	close_workspace();
}

TEST(what_makes_no_sense_is_said)
{
	open_workspace("L1 1K 2w 64B");
	add_loop();
	CHECK_FAILS(ask("/api/traces/0/cycles?window=99"), &err, "window=99 is not in");
	CHECK_FAILS(ask("/api/traces/0/cycles?by=x"), &err, "by=x is none of");
	CHECK_FAILS(ask("/api/traces/0/cycles?func=g"), &err,
		    "no function is called 'g'");
	CHECK_FAILS(ask("/api/traces/0/cycles/angles?class=1"), &err,
		    "class=1: there are 1");
	CHECK_FAILS(ask("/api/traces/0/cycles/angles?basis=b"), &err, "neither");
	CHECK_FAILS(ask("/api/traces/0/cycles/angles?cells=1"), &err,
		    "cells=1 is not in");
	CHECK_FAILS(ask("/api/traces/0/cycles/map?points=1"), &err,
		    "points=1 is not 2 to");
	CHECK_FAILS(ask("/api/traces/0/cycles/map?near=0"), &err, "near=0 is not 1 to");
	close_workspace();
}
