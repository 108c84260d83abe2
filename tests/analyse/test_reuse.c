#include "lib/analyse/passes/reuse.h"
#include "lib/trace/text/model.h"
#include "tests/replayed.h"

static void measure(struct replayed *x, struct ml_reuse *r, const char *text,
		    bool sampled)
{
	struct ml_replay_options o = replayed_options("L1 256 2w 64B");
	struct ml_reuser *reuser = ml_reuser_open(64, sampled);
	struct ml_pass pass = ml_reuser_pass(reuser);

	if (text)
		replayed_write(text);
	replayed_run(x, &o, &pass);
	ml_reuser_close(reuser, r);
}

static const struct ml_reuse_cell *cell_at(const struct replayed *x,
					   const struct ml_reuse *r, uint32_t line)
{
	for (size_t i = 0; i < r->cell_count; i++)
		if (ml_tables_frame(&x->trace.tables, r->cells[i]->who.site).line == line)
			return r->cells[i];
	TEST_SAY("no cell of line %u", line);
	return NULL;
}

TEST(each_site_has_its_distances)
{
	struct replayed x;
	struct ml_reuse r;

	/*
	 * Lines 0 1 2 at a.c:1, then 0 again (two others between: distance 2), 0 (0);
	 * then, at a.c:2, lines 1 (2: lines 2 and 0) and 2 (2: 0 and 1).
	 */
	measure(&x, &r, "L a.c:1\nR 0\nR 64\nR 128\nR 0\nR 4\nL a.c:2\nR 64\nR 128\n",
		false);
	const struct ml_reuse_cell *a = cell_at(&x, &r, 1), *b = cell_at(&x, &r, 2);
	CHECK_EQ(r.touches, 7);
	CHECK_EQ(a->cold, 3);
	CHECK_EQ(a->count[0], 1);
	CHECK_EQ(a->count[2], 1);
	CHECK_EQ(b->cold, 0);
	CHECK_EQ(b->count[2], 2);
	/* two lines do not hold a distance of 2, four do */
	CHECK_EQ(ml_reuse_misses(a, 1), 4);
	CHECK_EQ(ml_reuse_misses(a, 2), 3);
	CHECK_EQ(ml_reuse_misses(b, 1), 2);
	CHECK_EQ(ml_reuse_misses(b, 2), 0);
	/* 1, 2 and 4 lines; more make no difference */
	CHECK_EQ(r.points, 3);
	CHECK_NEAR(r.curve[0].ratio, 6 / 7.0, 1e-12);
	CHECK_NEAR(r.curve[1].ratio, 6 / 7.0, 1e-12);
	CHECK_NEAR(r.curve[2].ratio, 3 / 7.0, 1e-12);
	ml_reuse_release(&r);
	replayed_release(&x);
}

TEST(a_reference_over_two_lines_touches_both)
{
	struct replayed x;
	struct ml_reuse r;

	measure(&x, &r, "r60:8 r0 r64", false);
	CHECK_EQ(r.touches, 4);
	CHECK_EQ(r.distances.cold, 2);
	ml_reuse_release(&r);
	replayed_release(&x);
}

TEST(the_curve_is_that_of_simulated_caches)
{
	struct ml_reuse r;
	struct replayed x;
	char machine[64];

	measure(&x, &r, "r0+72*300 r0+136*200 r64+8*500 r0+72*300", false);
	for (size_t k = 1; k < r.points; k++) {
		snprintf(machine, sizeof(machine), "L1 %zu full 64B", (size_t)64 << k);
		struct ml_replay_options o = replayed_options(machine);
		struct replayed y;

		replayed_run(&y, &o, NULL);
		CHECK_NEAR(r.curve[k].ratio * (double)r.touches,
			   ml_profile_missed(&y.p.level[1].counts), 1e-6);
		replayed_release(&y);
	}
	ml_reuse_release(&r);
	replayed_release(&x);
}

TEST(few_lines_are_sampled_whole)
{
	struct ml_reuse r, exact;
	struct replayed x, y;

	measure(&x, &exact, "r0+72*300 r0+136*200 r0+72*300", false);
	measure(&y, &r, NULL, true);
	CHECK(r.sampled);
	CHECK_NEAR(r.rate, 1, 0);
	CHECK_EQ(r.cell_count, 0);
	CHECK_EQ(r.points, exact.points);
	for (size_t i = 0; i < r.points; i++)
		CHECK_NEAR(r.curve[i].ratio, exact.curve[i].ratio, 1e-9);
	ml_reuse_release(&r);
	ml_reuse_release(&exact);
	replayed_release(&x);
	replayed_release(&y);
}

TEST(nothing_has_no_curve)
{
	struct ml_reuse r;
	struct replayed x;

	measure(&x, &r, "", false);
	CHECK_EQ(r.points, 0);
	ml_reuse_release(&r);
	replayed_release(&x);
}
