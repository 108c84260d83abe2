/* Figures of ensembles: ranges, marks and colours that follow by hand. */
#include "lib/query/drawing/figure.h"

#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/query/ensemble/ensemble_axes.h"
#include "lib/query/ensemble/picture_ensemble.h"
#include "tests/by_hand.h"

static struct ml_ensemble e;
static struct ml_figure f;
static struct ml_err err;

static const char *const machines[][2] = {
	{ "L1 1K lru 1c | memory 9c", "L1 1K fifo 1c | memory 9c" },
	{ "L1 2K lru 1c | memory 9c", "L1 2K fifo 1c | memory 9c" },
	{ "L1 3K full lru 1c | memory 9c", "L1 3K full fifo 1c | memory 9c" },
};

/*
 * 64 references in bins of 8. With lru, 1 K misses half of them, 2 K a quarter, 3 K none:
 * 5, 3 and 1 cycles a reference. Fifo misses all: 9 cycles.
 */
static void start(void)
{
	static const uint32_t misses[3][8] = { { 8, 8, 8, 8 }, { 8, 8 }, { 0 } };
	static const uint32_t all[8] = { 8, 8, 8, 8, 8, 8, 8, 8 };
	static const char *const sizes[] = { "1K", "2K", "3K" };

	ml_ensemble_init(&e);
	hand_trace(&e, "long", 64, 3);
	for (unsigned i = 0; i < 3; i++)
		for (unsigned fifo = 0; fifo < 2; fifo++) {
			uint32_t m = hand_member(&e, 0, machines[i][fifo],
						 fifo ? all : misses[i]);

			hand_param(&e, m, "L1 size", sizes[i], 1024 * (i + 1.0));
			hand_param(&e, m, "L1 policy", fifo ? "fifo" : "lru", NAN);
		}
	ml_ensemble_label(&e);
}

static struct ml_picture_ensemble plot(enum ml_ensemble_plot kind)
{
	return (struct ml_picture_ensemble){ .kind = kind,
					     .curve = { .against = SIZE_MAX } };
}

static bool make(struct ml_picture_ensemble *o, double frame)
{
	struct ml_curves *c = ml_curves_open(&e);
	bool ok = ml_ensemble_figure(&f, &e, c, o, 700, frame, &err);

	ml_curves_close(c);
	return ok;
}

static void done(void)
{
	ml_figure_release(&f);
	ml_ensemble_release(&e);
}

static void check_axis(const struct ml_figure_axis *x, double low, double high,
		       size_t count, const double *at, const char *const *text)
{
	CHECK_NEAR(x->low, low, 1e-9);
	CHECK_NEAR(x->high, high, 1e-9);
	CHECK_EQ(x->tick_count, count);
	for (size_t i = 0; i < count; i++) {
		CHECK_NEAR(x->ticks[i].at, at[i], 1e-9);
		CHECK_STR(x->ticks[i].text, text[i]);
	}
}

TEST(numbers_have_lines_and_marks_at_their_values)
{
	static const double value[] = { 5, 3, 1, 9, 9, 9 };
	static const uint32_t member[] = { 0, 2, 4, 1, 3, 5 };
	struct ml_picture_ensemble o = plot(ML_PLOT_PARAMETER);

	start();
	CHECK_OK(make(&o, 310), &err);
	CHECK_STR(f.title, "Access time of long against L1 size");
	CHECK_STR(f.note, "6 members");
	/* 1 K to 3 K is less than a factor of 8: linear, with 4 % of room */
	CHECK_EQ(f.panels->axis[ML_FIGURE_X].scale, ML_FIGURE_LINEAR);
	check_axis(&f.panels->axis[ML_FIGURE_X], 1024 - 81.92, 3072 + 81.92, 3,
		   (const double[]){ 1024, 2048, 3072 },
		   (const char *const[]){ "1K", "2K", "3K" });
	/* 1 to 9: zero is near, and a step of 2 gives the 6 marks that 310 pixels hold */
	check_axis(&f.panels->axis[ML_FIGURE_Y], 0, 9, 5,
		   (const double[]){ 0, 2, 4, 6, 8 },
		   (const char *const[]){ "0", "2", "4", "6", "8" });
	CHECK(!f.panels->axis[ML_FIGURE_COLOUR].label);
	CHECK_EQ(f.row_count, 6);
	for (size_t i = 0; i < 6; i++) {
		CHECK_NEAR(f.rows[i].y, value[i], 1e-9);
		CHECK_EQ(f.rows[i].member, member[i]);
	}
	CHECK_STR(f.rows[0].title, "1K lru: 5");
	/* a line and its points for each policy, in the colours of words */
	CHECK_EQ(f.panels->mark_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		CHECK_EQ(f.panels->marks[i].type,
			 i % 2 ? ML_FIGURE_POINT : ML_FIGURE_LINE);
		CHECK_EQ(f.panels->marks[i].first, i / 2 * 3);
		CHECK_EQ(f.panels->marks[i].count, 3);
		CHECK_EQ(f.panels->marks[i].colour.name, ML_ROLE_WORD);
		CHECK_EQ(f.panels->marks[i].colour.index, i / 2);
	}
	CHECK_EQ(f.legend_count, 1);
	CHECK_STR(f.legend[0].title, "L1 policy");
	CHECK_EQ(f.legend[0].count, 2);
	CHECK_STR(f.legend[0].keys[0].text, "lru");
	CHECK_STR(f.legend[0].keys[1].text, "fifo");
	done();
}

TEST(a_low_frame_has_few_marks_and_a_difference_has_zero)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_PARAMETER);

	start();
	CHECK_OK(make(&o, 100), &err);
	check_axis(&f.panels->axis[ML_FIGURE_Y], 0, 9, 2, (const double[]){ 0, 5 },
		   (const char *const[]){ "0", "5" });
	ml_figure_release(&f);
	o.curve.against = 1; /* less 9: -4, -6, -8 and 0 */
	CHECK_OK(make(&o, 310), &err);
	check_axis(&f.panels->axis[ML_FIGURE_Y], -8, 0, 5,
		   (const double[]){ -8, -6, -4, -2, 0 },
		   (const char *const[]){ "−8", "−6", "−4", "−2", "0" });
	ml_figure_release(&f);
	o.curve.against = SIZE_MAX;
	o.curve.measure = ML_MEASURE_MISS;
	CHECK_OK(make(&o, 310), &err);
	check_axis(
		&f.panels->axis[ML_FIGURE_Y], 0, 1, 6,
		(const double[]){ 0, 0.2, 0.4, 0.6, 0.8, 1 },
		(const char *const[]){ "0 %", "20 %", "40 %", "60 %", "80 %", "100 %" });
	CHECK_STR(f.rows[1].text, "25 %");
	done();
}

TEST(words_have_points_side_by_side)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_PARAMETER);

	start();
	o.x = "policy";
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.panels->axis[ML_FIGURE_X].scale, ML_FIGURE_BAND);
	check_axis(&f.panels->axis[ML_FIGURE_X], -0.5, 1.5, 2, (const double[]){ 0, 1 },
		   (const char *const[]){ "lru", "fifo" });
	CHECK_EQ(f.panels->mark_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_EQ(f.panels->marks[i].type, ML_FIGURE_POINT);
		CHECK_EQ(f.panels->marks[i].colour.name, ML_ROLE_NUMBER);
		CHECK_EQ(f.panels->marks[i].colour.index, i);
		CHECK_EQ(f.panels->marks[i].colour.of, 3);
		CHECK_NEAR(f.rows[2 * i].x, 0.12 * (i - 1.0), 1e-9);
		CHECK_NEAR(f.rows[2 * i + 1].x, 1 + 0.12 * (i - 1.0), 1e-9);
	}
	done();
}

TEST(a_map_has_a_cell_for_each_pair_and_no_values_of_hidden_members)
{
	static const uint32_t few[] = { 0, 1, 4, 5 };
	static const double value[] = { 5, 1, 9, 9 };
	struct ml_picture_ensemble o = plot(ML_PLOT_MAP);

	start();
	o.members = few;
	o.count = 4;
	CHECK_OK(make(&o, 310), &err);
	check_axis(&f.panels->axis[ML_FIGURE_X], -0.5, 1.5, 2, (const double[]){ 0, 1 },
		   (const char *const[]){ "1K", "3K" });
	check_axis(&f.panels->axis[ML_FIGURE_Y], -0.5, 1.5, 2, (const double[]){ 0, 1 },
		   (const char *const[]){ "lru", "fifo" });
	check_axis(&f.panels->axis[ML_FIGURE_COLOUR], 1, 9, 3,
		   (const double[]){ 1, 5, 9 }, (const char *const[]){ "1", "5", "9" });
	CHECK_EQ(f.panels->mark_count, 1);
	CHECK_EQ(f.panels->marks[0].type, ML_FIGURE_CELLS);
	CHECK_EQ(f.panels->marks[0].count, 4);
	for (size_t i = 0; i < 4; i++) {
		CHECK_NEAR(f.rows[i].x, (double)(i % 2) - 0.5, 1e-9);
		CHECK_NEAR(f.rows[i].x_end, (double)(i % 2) + 0.5, 1e-9);
		CHECK_NEAR(f.rows[i].y, (double)(i / 2), 0);
		CHECK_NEAR(f.rows[i].value, value[i], 1e-9);
	}
	ml_figure_release(&f);
	o.y = "L1 size";
	CHECK_FAILS(make(&o, 310), &err, "'L1 size' twice");
	done();
}

TEST(curves_have_envelopes_dashes_and_the_range_of_their_values)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_CURVES);

	start();
	o.cells = 8;
	o.curve.window = 1;
	o.colour = "L1 size";
	CHECK_OK(make(&o, 310), &err);
	CHECK_STR(f.title, "Access time of long");
	CHECK_STR(f.note, "6 members");
	CHECK_EQ(f.panel_count, 1);
	/* 1 to 9 cycles, as above; 700 pixels hold 8 marks of 90 pixels and one more */
	check_axis(&f.panels->axis[ML_FIGURE_Y], 0, 9, 5,
		   (const double[]){ 0, 2, 4, 6, 8 },
		   (const char *const[]){ "0", "2", "4", "6", "8" });
	check_axis(&f.panels->axis[ML_FIGURE_X], 0, 64, 7,
		   (const double[]){ 0, 10, 20, 30, 40, 50, 60 },
		   (const char *const[]){ "0", "10", "20", "30", "40", "50", "60" });
	CHECK(!f.panels->beyond[0] && !f.panels->beyond[1]);
	/* six envelopes, then six curves: colours by size, dashes by policy */
	CHECK_EQ(f.panels->mark_count, 12);
	for (uint32_t i = 0; i < 12; i++) {
		const struct ml_figure_mark *m = &f.panels->marks[i];

		CHECK_EQ(m->type, i < 6 ? ML_FIGURE_BANDS : ML_FIGURE_CURVE);
		CHECK_EQ(m->member, i % 6);
		CHECK_EQ(m->first, i % 6);
		CHECK_EQ(m->colour.index, i % 6 / 2);
		CHECK_EQ(m->dash, i < 6 ? 0 : i % 2);
	}
	const struct ml_figure_matrix *mean = ml_figure_matrix_find(&f, "mean");
	CHECK_EQ(mean->rows, 6);
	CHECK_EQ(mean->cells, 8);
	CHECK_NEAR(mean->v[2 * 8 + 1], 9, 1e-9); /* 2 K misses in its second bin */
	CHECK_NEAR(mean->v[2 * 8 + 2], 1, 1e-9);
	CHECK_EQ(f.legend_count, 2);
	done();
}

/* Peaks of 1 cell in 200 would press the rest into a tenth of the height. */
TEST(rare_peaks_are_cut_off_and_told)
{
	static const uint32_t members = 1;
	struct ml_picture_ensemble o = plot(ML_PLOT_CURVES);
	uint32_t peak[200] = { [100] = 8 };

	ml_ensemble_init(&e);
	hand_trace(&e, "long", 1600, 3);
	for (unsigned i = 0; i < 200; i++)
		peak[i] += i % 2; /* a reference of 8 misses: 2 cycles on average, or 1 */
	for (unsigned i = 0; i < members; i++)
		hand_member(&e, 0, machines[0][0], peak);
	ml_ensemble_label(&e);
	o.cells = 200;
	o.curve.window = 1;
	CHECK_OK(make(&o, 310), &err);
	/* 1 to 2 with a tenth of room; zero is near */
	CHECK_NEAR(f.panels->axis[ML_FIGURE_Y].low, 0, 1e-9);
	CHECK(f.panels->axis[ML_FIGURE_Y].high >= 2.1 &&
	      f.panels->axis[ML_FIGURE_Y].high < 3);
	CHECK_STR(f.panels->beyond[0], "▲ peaks up to 9");
	ml_figure_release(&f);
	o.peaks = true;
	CHECK_OK(make(&o, 310), &err);
	CHECK_NEAR(f.panels->axis[ML_FIGURE_Y].high, 9, 1e-9);
	CHECK(!f.panels->beyond[0]);
	done();
}

/* Two values of each of three parameters: colour and dash tell four of eight apart. */
TEST(few_members_that_colour_and_dash_do_not_tell_apart_have_colours_of_their_own)
{
	static const uint32_t none[8] = { 0 };
	static const char *const pages[] = { "L1 1K | memory 1c", "L1 1K | memory 2c",
					     "L1 1K | memory 3c", "L1 1K | memory 4c",
					     "L1 2K | memory 1c", "L1 2K | memory 2c",
					     "L1 2K | memory 3c", "L1 2K | memory 4c" };
	struct ml_picture_ensemble o = plot(ML_PLOT_CURVES);

	ml_ensemble_init(&e);
	hand_trace(&e, "long", 64, 3);
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t m = hand_member(&e, 0, pages[i], none);

		hand_param(&e, m, "a", i & 1 ? "1" : "0", i & 1);
		hand_param(&e, m, "b", i & 2 ? "1" : "0", i & 2);
		hand_param(&e, m, "c", i & 4 ? "1" : "0", i & 4);
	}
	ml_ensemble_label(&e);
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.legend[0].count, 8);
	for (uint32_t i = 0; i < 8; i++) {
		const struct ml_figure_mark *m = &f.panels->marks[8 + i];

		CHECK_EQ(m->type, ML_FIGURE_CURVE);
		CHECK_EQ(m->colour.name, ML_ROLE_WORD);
		CHECK_EQ(m->colour.index, i);
		for (uint32_t k = 0; k < i; k++)
			CHECK(ml_role_word(i, false) != ml_role_word(k, false));
		/* eight envelopes over each other leave the curves legible */
		CHECK_NEAR(f.panels->marks[i].opacity, 0.1, 1e-9);
	}
	done();
}

/*
 * 5, 3, 1 and thrice 9 cycles: squares of 62 around 6. Policies have means of 3 and 9,
 * which is 54 of it; sizes have 7, 6 and 5, which is 4 of it.
 */
TEST(colours_tell_the_parameter_that_explains_most)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_CURVES);
	struct ml_arena a = { 0 };
	struct ml_axes axes;

	start();
	ml_ensemble_axes(&axes, &e, &a);
	CHECK_NEAR(axes.at[0].effect, 4 / 62.0, 1e-9);
	CHECK_NEAR(axes.at[1].effect, 54 / 62.0, 1e-9);
	CHECK(ml_axes_usual_colour(&axes) == &axes.at[1]);
	CHECK(ml_axes_largest(&axes, NULL, true) == &axes.at[0]); /* the number */
	CHECK(ml_axes_largest(&axes, &axes.at[1], false) == &axes.at[0]);
	ml_arena_release(&a);
	CHECK_OK(make(&o, 310), &err);
	CHECK_STR(f.legend[0].title, "L1 policy");
	CHECK_STR(f.legend[1].title, "L1 size"); /* dashes */
	done();
}

TEST(the_average_is_over_a_hundredth_of_what_is_shown)
{
	struct ml_time_matching m;
	struct ml_arena a = { 0 };

	ml_ensemble_init(&e);
	hand_trace(&e, "long", 10000, 3);
	hand_trace(&e, "short", 1000, 3);
	CHECK_OK(ml_time_match(&m, &e, ML_TIME_MATCH_RAW, NULL, 0, 0, &a, &err), &err);
	CHECK_NEAR(ml_ensemble_usual_window(&e, &m, 0, 10000), 100, 0);
	CHECK_NEAR(ml_ensemble_usual_window(&e, &m, 2000, 4000), 20, 0);
	CHECK_NEAR(ml_ensemble_usual_window(&e, &m, 0, 700), 1, 0); /* less than a bin */
	CHECK_OK(ml_time_match(&m, &e, ML_TIME_MATCH_NORMALISED, NULL, 0, 0, &a, &err),
		 &err);
	CHECK_NEAR(ml_ensemble_usual_window(&e, &m, 0, 0.5), 50, 0);
	ml_arena_release(&a);
	ml_ensemble_release(&e);
}

TEST(small_charts_are_for_members_or_values)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_MULTIPLES);

	start();
	o.facet = "member";
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.panel_count, 6);
	CHECK_EQ(f.across, 3); /* 700 x 310: three columns are least flat */
	CHECK_STR(f.panels[1].title, "1K fifo");
	CHECK_EQ(f.panels[1].mark_count, 2); /* the span of all, and the curve */
	CHECK_EQ(f.panels[1].marks[1].member, 1);
	ml_figure_release(&f);
	o.facet = NULL; /* the sizes have the colours, so policies have the charts */
	o.colour = "L1 size";
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.panel_count, 2);
	CHECK_STR(f.panels[0].title, "L1 policy lru");
	CHECK_EQ(f.panels[0].mark_count, 4);
	CHECK_EQ(f.panels[0].marks[3].member, 4);
	CHECK_STR(f.legend[0].title, "L1 size");
	done();
}

TEST(the_working_set_has_marks_at_the_sizes)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_WORKING_SET);
	static const uint32_t lru[] = { 0, 2, 4 };

	start();
	o.members = lru;
	o.count = 3;
	o.cells = 4;
	o.curve.window = 1;
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.panel_count, 2);
	CHECK_EQ(f.panels[1].axis[ML_FIGURE_Y].scale, ML_FIGURE_LOG);
	check_axis(&f.panels[1].axis[ML_FIGURE_Y], 1024 / 1.4, 3072 * 1.4, 3,
		   (const double[]){ 1024, 2048, 3072 },
		   (const char *const[]){ "1K", "2K", "3K" });
	/* in the first cell only 3 K hits: more than 2 K */
	CHECK(isnan(ml_figure_matrix_find(&f, "bytes")->v[0]));
	CHECK_NEAR(ml_figure_matrix_find(&f, "beyond")->v[0], 3072 * 1.18, 1e-9);
	CHECK_NEAR(ml_figure_matrix_find(&f, "bytes")->v[1], 2048, 0);
	CHECK_STR(f.legend[1].keys[1].text, "more than 2K");
	done();
}

TEST(milestones_have_names_where_there_is_room)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_CURVES);

	ml_ensemble_init(&e);
	hand_trace(&e, "long", 640, 3);
	/* 10 pixels apart, then far away: the second line and the name behind it go */
	hand_milestones(&e, "mark a", 4, (const uint64_t[]){ 64, 72, 320, 560 });
	hand_member(&e, 0, machines[0][0], (const uint32_t[80]){ 0 });
	ml_ensemble_label(&e);
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.panels->moment_count, 3);
	CHECK_NEAR(f.panels->moments[0].at, 64, 0);
	CHECK_STR(f.panels->moments[0].text, "mark a");
	CHECK_NEAR(f.panels->moments[1].at, 320, 0);
	CHECK_STR(f.panels->moments[1].text, "3"); /* its third visit */
	CHECK_STR(f.panels->moments[2].text, "4");
	done();
}

TEST(ways_to_share_have_bands_lines_and_their_sizes)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_SHARED);
	static const uint32_t lru[] = { 0, 2, 4 };

	start();
	o.members = lru;
	o.count = 3;
	o.total = 4096;
	CHECK_OK(make(&o, 310), &err);
	/* 1 K + 3 K and twice 2 K: (32 * 9 + 96) / 128 cycles each */
	CHECK_EQ(f.panels->mark_count, 3);
	CHECK_EQ(f.panels->marks[0].type, ML_FIGURE_BANDS);
	CHECK_EQ(f.panels->marks[0].count, 2);
	CHECK_STR(f.panels->marks[1].title, "1K + 3K: 3; 1 of 2 threads starved");
	CHECK_EQ(f.panels->marks[1].colour.index, 1);
	CHECK_STR(f.panels->marks[2].title, "2K + 2K: 3; 0 of 2 threads starved");
	done();
}

/* Adds members that differ by a size, a policy, and a third parameter. */
static void start_three(unsigned thirds)
{
	ml_ensemble_init(&e);
	hand_trace(&e, "long", 64, 3);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < (i ? 1 : thirds); k++) {
			uint32_t m = hand_member(&e, 0, machines[i][0],
						 (const uint32_t[8]){ 8 * (k % 2) });
			const char *text = ml_arena_printf(&e.arena, "%u", k);

			hand_param(&e, m, "L1 size", i ? "2K" : "1K", 1024 * (i + 1.0));
			hand_param(&e, m, "L1 policy", i ? "fifo" : "lru", NAN);
			hand_param(&e, m, "third", text, k);
		}
	ml_ensemble_label(&e);
}

TEST(members_of_a_cell_have_stripes_and_many_have_their_mean)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_MAP);

	start_three(2);
	o.x = "L1 size";
	o.y = "L1 policy";
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.row_count, 3);
	CHECK_NEAR(f.rows[0].x, -0.5, 1e-9);
	CHECK_NEAR(f.rows[0].x_end, 0, 1e-9);
	CHECK_NEAR(f.rows[1].x_end, 0.5, 1e-9);
	CHECK_EQ(f.rows[1].member, 1);
	CHECK(strstr(f.note, "; stripes: third in ascending order"));
	done();
	start_three(26);
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.row_count, 2);
	CHECK_NEAR(f.rows[0].value, 1.5, 1e-9); /* 1, and 1 + 8 / 8 for every other one */
	CHECK_EQ(f.rows[0].member, ML_FIGURE_NO_MEMBER);
	CHECK_EQ(f.rows[1].member, 26);
	CHECK(strstr(f.note, "; cells are means"));
	done();
}

TEST(sizes_far_apart_have_a_logarithmic_axis)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_PARAMETER);

	ml_ensemble_init(&e);
	hand_trace(&e, "long", 64, 3);
	for (unsigned i = 0; i < 3; i++)
		hand_param(&e,
			   hand_member(&e, 0, machines[i][0], (const uint32_t[8]){ 0 }),
			   "L1 size", (const char *const[]){ "1K", "4K", "16K" }[i],
			   1024 << 2 * i);
	ml_ensemble_label(&e);
	CHECK_OK(make(&o, 310), &err);
	const struct ml_figure_axis *x = &f.panels->axis[ML_FIGURE_X];
	CHECK_EQ(x->scale, ML_FIGURE_LOG);
	CHECK_NEAR(ml_figure_share(x, 4096), 0.5, 1e-9);
	/* 3 % of 4 octaves at each end: 0.12 of 4.24 */
	CHECK_NEAR(ml_figure_share(x, 1024), 0.12 / 4.24, 1e-9);
	/* one parameter: the line has the first colour, and there is no legend */
	CHECK_EQ(f.legend_count, 0);
	CHECK_EQ(f.panels->marks[0].colour.name, ML_ROLE_WORD);
	CHECK_EQ(f.panels->marks[0].colour.index, 0);
	ml_figure_release(&f);
	o.kind = ML_PLOT_MAP; /* one row */
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.row_count, 3);
	CHECK_NEAR(f.panels->axis[ML_FIGURE_Y].high, 0.5, 0);
	/* all values agree: they stand in the middle of the colours */
	CHECK_NEAR(ml_figure_share(&f.panels->axis[ML_FIGURE_COLOUR], f.rows[0].value),
		   0.5, 1e-9);
	done();
}

TEST(roles_have_the_colours_that_are_sent)
{
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b };

	CHECK_EQ(ml_role_word(1, false), 0xd55e00);
	CHECK_EQ(ml_role_word(13, false), 0xd55e00);
	CHECK_EQ(ml_role_word(1, true), 0xff8a3d);
	CHECK_EQ(ml_role_colour((struct ml_role){ ML_ROLE_NUMBER, 2, 3 }, false),
		 0xdd9a14);
	/* half of the way from 9c2a92 to cf4f6c */
	CHECK_EQ(ml_role_colour((struct ml_role){ ML_ROLE_NUMBER, 1, 3 }, false),
		 0xb63d7f);
	CHECK_EQ(ml_role_heat(1, false), 0x2a3462);
	CHECK_EQ(ml_role_heat(1, true), 0xf3f2b0);
	CHECK_EQ(ml_role_readable(ml_role_heat(1, false)), 0xffffff);
	CHECK_EQ(ml_role_readable(ml_role_heat(1, true)), 0x14161a);
	ml_role_tables_write(&w);
	ml_buf_u8(&b, 0);
	CHECK(strstr((char *)b.data, "{\"light\":{\"text\":\"#1c1e21\","));
	CHECK(strstr((char *)b.data, "\"word\":[\"#0072b2\",\"#d55e00\","));
	CHECK(strstr((char *)b.data, "\"number\":[\"#7280ff\","));
	ml_buf_release(&b);
}
