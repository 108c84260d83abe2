/* Figures of ensembles: ranges, marks and colours that follow by hand. */
#include "lib/query/drawing/figure.h"

#include "lib/base/buf.h"
#include "lib/base/json.h"
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
	bool ok = ml_ensemble_figure(&f, &e, c, o, frame, &err);

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
	CHECK_EQ(f.axis[ML_FIGURE_X].scale, ML_FIGURE_LINEAR);
	check_axis(&f.axis[ML_FIGURE_X], 1024 - 81.92, 3072 + 81.92, 3,
		   (const double[]){ 1024, 2048, 3072 },
		   (const char *const[]){ "1K", "2K", "3K" });
	/* 1 to 9: zero is near, and a step of 2 gives the 6 marks that 310 pixels hold */
	check_axis(&f.axis[ML_FIGURE_Y], 0, 9, 5, (const double[]){ 0, 2, 4, 6, 8 },
		   (const char *const[]){ "0", "2", "4", "6", "8" });
	CHECK(!f.axis[ML_FIGURE_COLOUR].label);
	CHECK_EQ(f.row_count, 6);
	for (size_t i = 0; i < 6; i++) {
		CHECK_NEAR(f.rows[i].y, value[i], 1e-9);
		CHECK_EQ(f.rows[i].member, member[i]);
	}
	CHECK_STR(f.rows[0].title, "1K lru: 5");
	/* a line and its points for each policy, in the colours of words */
	CHECK_EQ(f.mark_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		CHECK_EQ(f.marks[i].type, i % 2 ? ML_FIGURE_POINT : ML_FIGURE_LINE);
		CHECK_EQ(f.marks[i].first, i / 2 * 3);
		CHECK_EQ(f.marks[i].count, 3);
		CHECK_EQ(f.marks[i].colour.name, ML_ROLE_WORD);
		CHECK_EQ(f.marks[i].colour.index, i / 2);
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
	check_axis(&f.axis[ML_FIGURE_Y], 0, 9, 2, (const double[]){ 0, 5 },
		   (const char *const[]){ "0", "5" });
	ml_figure_release(&f);
	o.curve.against = 1; /* less 9: -4, -6, -8 and 0 */
	CHECK_OK(make(&o, 310), &err);
	check_axis(&f.axis[ML_FIGURE_Y], -8, 0, 5, (const double[]){ -8, -6, -4, -2, 0 },
		   (const char *const[]){ "−8", "−6", "−4", "−2", "0" });
	ml_figure_release(&f);
	o.curve.against = SIZE_MAX;
	o.curve.measure = ML_MEASURE_MISS;
	CHECK_OK(make(&o, 310), &err);
	check_axis(
		&f.axis[ML_FIGURE_Y], 0, 1, 6,
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
	CHECK_EQ(f.axis[ML_FIGURE_X].scale, ML_FIGURE_BAND);
	check_axis(&f.axis[ML_FIGURE_X], -0.5, 1.5, 2, (const double[]){ 0, 1 },
		   (const char *const[]){ "lru", "fifo" });
	CHECK_EQ(f.mark_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_EQ(f.marks[i].type, ML_FIGURE_POINT);
		CHECK_EQ(f.marks[i].colour.name, ML_ROLE_NUMBER);
		CHECK_EQ(f.marks[i].colour.index, i);
		CHECK_EQ(f.marks[i].colour.of, 3);
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
	check_axis(&f.axis[ML_FIGURE_X], -0.5, 1.5, 2, (const double[]){ 0, 1 },
		   (const char *const[]){ "1K", "3K" });
	check_axis(&f.axis[ML_FIGURE_Y], -0.5, 1.5, 2, (const double[]){ 0, 1 },
		   (const char *const[]){ "lru", "fifo" });
	check_axis(&f.axis[ML_FIGURE_COLOUR], 1, 9, 3, (const double[]){ 1, 5, 9 },
		   (const char *const[]){ "1", "5", "9" });
	CHECK_EQ(f.mark_count, 1);
	CHECK_EQ(f.marks[0].type, ML_FIGURE_CELLS);
	CHECK_EQ(f.marks[0].count, 4);
	for (size_t i = 0; i < 4; i++) {
		CHECK_NEAR(f.rows[i].x, (double)(i % 2) - 0.5, 1e-9);
		CHECK_NEAR(f.rows[i].x_end, (double)(i % 2) + 0.5, 1e-9);
		CHECK_NEAR(f.rows[i].y, (double)(i / 2), 0);
		CHECK_NEAR(f.rows[i].value, value[i], 1e-9);
	}
	ml_figure_release(&f);
	o.y = "L1 size";
	CHECK_FAILS(make(&o, 310), &err, "'L1 size' twice");
	o.kind = ML_PLOT_CURVES;
	CHECK_FAILS(make(&o, 310), &err, "'curves' is not sent as a figure");
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
	const struct ml_figure_axis *x = &f.axis[ML_FIGURE_X];
	CHECK_EQ(x->scale, ML_FIGURE_LOG);
	CHECK_NEAR(ml_figure_share(x, 4096), 0.5, 1e-9);
	/* 3 % of 4 octaves at each end: 0.12 of 4.24 */
	CHECK_NEAR(ml_figure_share(x, 1024), 0.12 / 4.24, 1e-9);
	/* one parameter: the line has the first colour, and there is no legend */
	CHECK_EQ(f.legend_count, 0);
	CHECK_EQ(f.marks[0].colour.name, ML_ROLE_WORD);
	CHECK_EQ(f.marks[0].colour.index, 0);
	ml_figure_release(&f);
	o.kind = ML_PLOT_MAP; /* one row */
	CHECK_OK(make(&o, 310), &err);
	CHECK_EQ(f.row_count, 3);
	CHECK_NEAR(f.axis[ML_FIGURE_Y].high, 0.5, 0);
	/* all values agree: they stand in the middle of the colours */
	CHECK_NEAR(ml_figure_share(&f.axis[ML_FIGURE_COLOUR], f.rows[0].value), 0.5,
		   1e-9);
	done();
}

TEST(roles_have_the_colours_that_are_sent)
{
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b };

	CHECK_EQ(ml_role_word(1, false), 0xd55e00);
	CHECK_EQ(ml_role_word(9, false), 0xd55e00);
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
