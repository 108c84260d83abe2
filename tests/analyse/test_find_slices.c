/* Findings of runs that are tried in slices: phases, and how sure the figures are. */
#include "lib/analyse/find/find_rounds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "tests/found.h"

enum { SIDE = 64, WALK = SIDE * SIDE, WHOLE = 16 * WALK };

static void hits(unsigned n)
{
	put("L calm.c:1");
	for (unsigned i = 0; i < n; i++)
		touch('r', 0x8000, 8);
}

/* Down the columns of A; every element is another line, and all are missed. */
static void walk(void)
{
	put("L walk.c:2");
	for (unsigned j = 0; j < SIDE; j++)
		for (unsigned i = 0; i < SIDE; i++)
			touch('r', 0x10000 + (i * SIDE + j) * 4, 4);
}

static void run(struct found *x)
{
	start();
	put("global H 0x8000 8 8\nglobal A 0x10000 16384 4 64 64");
	hits(9 * WALK);
	walk();
	hits(6 * WALK);
	finish(x, FULL);
}

TEST(a_short_phase_is_tried_and_scaled_to_its_length)
{
	struct ml_findings_options o = { .window = WHOLE / 8 };
	struct ml_findings part;
	struct ml_err err;
	struct found x;

	run(&x);
	double whole = need(&x, "stride")->gain;
	CHECK_OK(ml_findings_make(&part, &x.trace, &x.profile, &o, &err), &err);
	CHECK(part.tried < part.of);
	CHECK_EQ(part.phases, 2);
	CHECK_STR(part.at[0].kind, "stride");
	CHECK_NEAR(part.at[0].gain, whole, 0.1 * whole);
	ml_findings_release(&part);
	done(&x);
}

TEST(bounds_say_how_sure_a_figure_is)
{
	struct ml_findings_options o = { .window = 4 * WALK };
	struct ml_findings part;
	struct ml_err err;
	struct found x;

	/* half of the walks go along rows, by the same line: slices differ */
	start();
	put("global A 0x10000 16384 4 64 64");
	for (unsigned t = 0; t < 16; t++) {
		walk();
		if (t % 3 == 0)
			put("L walk.c:2\nr0x10000+4*4096");
	}
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "stride");
	CHECK_NEAR(n->low, n->gain, 1e-9); /* the whole run was tried */
	CHECK_NEAR(n->high, n->gain, 1e-9);
	CHECK_OK(ml_findings_make(&part, &x.trace, &x.profile, &o, &err), &err);
	CHECK_STR(part.at[0].kind, "stride");
	CHECK(part.at[0].low < part.at[0].gain && part.at[0].gain < part.at[0].high);
	CHECK(part.at[0].low <= n->gain && n->gain <= part.at[0].high);
	ml_findings_release(&part);
	done(&x);
}

/*
 * Two slices, each with ten references that a change concerns: without it all miss, with
 * it none. A miss costs 99 cycles more than a hit. The run has a thousand of them.
 */
static double saved_in_the_run(double waits)
{
	struct ml_profile profile = { 0 };
	struct ml_trial none = { .served = { 0, 0, 10 } };
	struct ml_trial tried = { .served = { 0, 10 }, .region_before = { 0, 0, 10 } };
	struct ml_trial parts[] = { tried, none, tried, none };
	struct ml_round round = { .slices = { .at = { { 0, 10, 0, 50 },
						      { 10, 20, 0, 50 } },
					      .count = 2,
					      .phases = 1,
					      .refs = 20 },
				  .count = 1,
				  .parts = parts };
	struct ml_tried one = { .change = { .kind = ML_CHANGE_PACK },
				.concerned = 1000,
				.bound = waits,
				.round = &round };
	struct ml_find f = { .p = &profile,
			     .memory = 2,
			     .cost = { 0, 1, 100 },
			     .tried = &one,
			     .simulated = true };

	return ml_find_saved(&f, 0);
}

TEST(no_change_saves_more_than_its_references_wait_in_the_run)
{
	CHECK_NEAR(saved_in_the_run(200000), 1000 * 99, 1e-6);
	/* the slices were the bad parts: of the thousand most hit without the change */
	CHECK_NEAR(saved_in_the_run(5000), 5000, 1e-6);
}

/* Rounds: a small part of a run that is the same throughout decides. */
TEST(a_part_decides_if_it_stands_for_the_run)
{
	struct ml_findings_options o = { .window = 64 * WALK };
	struct ml_findings part;
	struct ml_err err;
	struct found x;

	start();
	put("global A 0x10000 16384 4 64 64");
	for (unsigned t = 0; t < 60; t++)
		walk();
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "stride");
	CHECK_NEAR(n->low, n->gain, 1e-9); /* a short run is tried as a whole */
	CHECK_OK(ml_findings_make(&part, &x.trace, &x.profile, &o, &err), &err);
	CHECK(part.tried < part.of / 4);
	CHECK_STR(part.at[0].kind, "stride");
	CHECK_NEAR(part.at[0].gain, n->gain, 0.01);
	CHECK(part.at[0].low <= part.at[0].high);
	ml_findings_release(&part);
	done(&x);
}

TEST(a_part_whose_slices_differ_leaves_it_to_the_whole_run)
{
	struct ml_findings_options o = { .window = 64 * WALK };
	struct ml_findings part;
	struct ml_err err;
	struct found x;

	start();
	put("global A 0x10000 16384 4 64 64");
	for (unsigned t = 0; t < 40; t++) {
		walk();
		if (t % 3 == 0)
			put("L walk.c:2\nr0x10000+4*4096");
	}
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "stride");
	CHECK_OK(ml_findings_make(&part, &x.trace, &x.profile, &o, &err), &err);
	CHECK_EQ(part.tried, part.of);
	CHECK_STR(part.at[0].kind, "stride");
	CHECK_NEAR(part.at[0].gain, n->gain, 1e-9);
	CHECK_NEAR(part.at[0].low, part.at[0].high, 1e-9);
	ml_findings_release(&part);
	done(&x);
}
