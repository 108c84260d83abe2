/* Pictures and tables of ensembles, on members whose counts are written down. */
#include "lib/query/ensemble/picture_ensemble.h"

#include "lib/base/buf.h"
#include "lib/query/drawing/chart.h"
#include "lib/query/ensemble/ensemble_axes.h"
#include "lib/query/ensemble/ensemble_tables.h"
#include "tests/by_hand.h"

static struct ml_ensemble e;
static struct ml_buf out;
static struct ml_err err;

/*
 * 64 references in bins of 8. By size, 1 K misses in the first 4 bins, 2 K in 2, 3 K
 * never; by policy, fifo misses everything.
 */
static void start(void)
{
	static const uint32_t misses[3][8] = { { 8, 8, 8, 8 }, { 8, 8 }, { 0 } };
	static const uint32_t all[8] = { 8, 8, 8, 8, 8, 8, 8, 8 };
	static const char *const machines[][2] = {
		{ "L1 1K lru 1c | memory 9c", "L1 1K fifo 1c | memory 9c" },
		{ "L1 2K lru 1c | memory 9c", "L1 2K fifo 1c | memory 9c" },
		{ "L1 3K full lru 1c | memory 9c", "L1 3K full fifo 1c | memory 9c" },
	};
	static const char *const sizes[] = { "1K", "2K", "3K" };

	ml_ensemble_init(&e);
	hand_trace(&e, "<long> & \"wide\"", 64, 3);
	for (unsigned i = 0; i < 3; i++)
		for (unsigned fifo = 0; fifo < 2; fifo++) {
			uint32_t m = hand_member(&e, 0, machines[i][fifo],
						 fifo ? all : misses[i]);

			hand_param(&e, m, "L1 size", sizes[i], 1024 * (i + 1.0));
			hand_param(&e, m, "L1 policy", fifo ? "fifo" : "lru", NAN);
		}
	ml_ensemble_label(&e);
}

static void done(void)
{
	ml_ensemble_release(&e);
	ml_buf_release(&out);
	out = (struct ml_buf){ 0 };
}

static bool draw(struct ml_picture_ensemble *o)
{
	out.size = 0;
	bool ok = ml_picture_ensemble(&e, o, &out, &err);
	ml_buf_u8(&out, 0);
	out.size--;
	return ok;
}

static bool has(const char *text)
{
	return strstr((const char *)out.data, text) != NULL;
}

static size_t count(const char *text)
{
	size_t n = 0;

	for (const char *at = (const char *)out.data; (at = strstr(at, text)); at++)
		n++;
	return n;
}

static struct ml_picture_ensemble plot(enum ml_ensemble_plot kind)
{
	return (struct ml_picture_ensemble){ .kind = kind,
					     .curve = { .against = SIZE_MAX } };
}

TEST(every_picture_is_drawn_light_and_dark_and_is_well_formed)
{
	start();
	for (unsigned kind = 0; kind < ML_PLOTS; kind++)
		for (unsigned dark = 0; dark < 2; dark++) {
			struct ml_picture_ensemble o = plot(kind);

			o.dark = dark;
			o.total = 4096;
			CHECK_OK(draw(&o), &err);
			CHECK(!strncmp((const char *)out.data, "<svg ", 5));
			CHECK(!strcmp((const char *)out.data + out.size - 7, "</svg>\n"));
			CHECK_EQ(count("<svg "), 1);
			CHECK_EQ(count("<g "), count("</g>"));
			CHECK_EQ(count("<title>"), count("</title>"));
			CHECK(!has("nan") && !has("inf"));
			CHECK(!has("<long>")); /* names are foreign bytes */
		}
	struct ml_picture_ensemble o = plot(ML_PLOT_CURVES);
	CHECK_OK(draw(&o), &err);
	CHECK(has("&lt;long&gt; &amp; &quot;wide&quot;"));
	done();
}

TEST(curves_have_a_path_for_each_member_and_a_legend_by_parameter)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_CURVES);

	start();
	o.colour = "L1 size";
	CHECK_OK(draw(&o), &err);
	CHECK_EQ(count("<title>"), 6);
	CHECK(has(">L1 size</text>"));
	CHECK(has(">L1 policy</text>"));
	CHECK(has(">2K</text>"));
	CHECK(has(">fifo</text>"));
	CHECK(has("6 members"));
	/* dashes tell the second parameter: three curves and a key */
	CHECK_EQ(count("stroke-dasharray=\"6 3\""), 4);
	static const uint32_t two[] = { 0, 4 };
	o.members = two;
	o.count = 2;
	o.curve.against = 0;
	CHECK_OK(draw(&o), &err);
	CHECK_EQ(count("<title>"), 2);
	CHECK(has("difference against "));
	done();
}

TEST(a_parameter_is_plotted_against_the_result)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_PARAMETER);

	start();
	o.curve.measure = ML_MEASURE_MISS;
	CHECK_OK(draw(&o), &err);
	CHECK(has("Miss ratio of "));
	CHECK(has(" against L1 size"));
	CHECK_EQ(count("<title>"), 6); /* dots */
	CHECK(has(": 50 %</title>"));
	CHECK(has(": 25 %</title>"));
	CHECK(has(": 0 %</title>"));
	CHECK_EQ(count(": 100 %</title>"), 3);
	o.x = "policy"; /* a part of the name is enough */
	CHECK_OK(draw(&o), &err);
	CHECK(has(" against L1 policy"));
	o.x = "ways";
	CHECK_FAILS(draw(&o), &err, "they differ by L1 size, L1 policy");
	done();
}

TEST(a_map_has_a_cell_for_each_pair_of_values)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_MAP);

	start();
	CHECK_OK(draw(&o), &err);
	/* cycles: 1 + 8 * share of misses */
	CHECK(has(">5</text>") && has(">3</text>") && has(">1</text>"));
	CHECK_EQ(count(">9</text>"), 4); /* three cells and the scale */
	done();
}

TEST(threads_that_share_are_coloured_by_starved_threads)
{
	struct ml_picture_ensemble o = plot(ML_PLOT_SHARED);
	static const uint32_t lru[] = { 0, 2, 4 };

	start();
	o.members = lru;
	o.count = 3;
	o.total = 4096;
	CHECK_OK(draw(&o), &err);
	CHECK(has("2 threads that share 4K"));
	CHECK(has(">0: 1 way, 3</text>")); /* 2 + 2: (32 * 9 + 96) / 128 */
	CHECK(has(">1: 1 way, 3</text>")); /* 1 + 3 */
	CHECK(!has("real threads"));
	static const uint32_t real = 5;
	o.real = &real;
	CHECK_OK(draw(&o), &err);
	CHECK(has(">real threads</text>"));
	CHECK(has("<title>3K fifo</title>"));
	o.total = 1 << 20;
	CHECK_FAILS(draw(&o), &err, "add up to");
	done();
}

TEST(milestones_are_lines_and_volumes_are_circles)
{
	struct ml_arena a = { 0 };
	struct ml_time_matching m;
	struct ml_picture_ensemble o = plot(ML_PLOT_CURVES);

	ml_ensemble_init(&e);
	hand_trace(&e, "long", 64, 3);
	hand_milestones(&e, "mark half", 1, (const uint64_t[]){ 32 });
	hand_member(&e, 0, "L1 1K 1c | memory 9c", (const uint32_t[8]){ 0 });
	hand_trace(&e, "short", 16, 3);
	hand_milestones(&e, "mark half", 1, (const uint64_t[]){ 8 });
	hand_member(&e, 1, "L1 1K 1c | memory 9c", (const uint32_t[2]){ 0 });
	ml_ensemble_label(&e);
	CHECK_OK(ml_time_match(&m, &e, ML_TIME_MATCH_MILESTONES, NULL, 0, 0, &a, &err),
		 &err);
	o.curve.matching = &m;
	o.curve.volume = true;
	CHECK_OK(draw(&o), &err);
	CHECK_EQ(count("<circle "), 4);
	/* a quarter of the references is half the radius */
	CHECK_EQ(count("r=\"12\""), 2);
	CHECK_EQ(count("r=\"6\""), 2);
	CHECK(has("<title>32 references between 0 and 32</title>"));
	CHECK(has(">mark half</text>"));
	CHECK(has("matched at 1 milestone, scaled by volume"));
	ml_arena_release(&a);
	done();
}

TEST(the_ranking_has_the_best_first_with_differences)
{
	struct ml_arena a = { 0 };
	struct ml_axes axes;
	struct ml_ensemble_table t;

	start();
	ml_ensemble_axes(&axes, &e, &a);
	struct ml_curves *c = ml_curves_open(&e);
	struct ml_curve_options o = { .against = 0 };
	struct ml_ensemble_ask q = { .curves = c, .axes = &axes, .o = &o, .to = 64 };
	ml_ensemble_ranking(&t, &q);
	ml_table_csv(&t.table, &out);
	ml_ensemble_table_release(&t);
	ml_buf_u8(&out, 0);
	CHECK(has("member,time,difference,relative,L1,memory,memory_bytes,references,L1 "
		  "size,L1 policy,label"));
	CHECK(has("\n4,1,-4,-0.8"));
	CHECK(has(",1,0,0,64,3K,lru,3K lru"));
	CHECK(has("\n0,5,0,0,0.5,0.5,32,64,1K,lru,"));
	CHECK(strstr((char *)out.data, "\n4,") < strstr((char *)out.data, "\n2,"));
	CHECK(strstr((char *)out.data, "\n2,") < strstr((char *)out.data, "\n0,"));
	ml_curves_close(c);
	ml_arena_release(&a);
	done();
}

static void check_columns(struct ml_ensemble_table *t)
{
	for (size_t i = 0; i < t->table.width; i++)
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(t->table.columns[i].key, t->table.columns[k].key));
	ml_ensemble_table_release(t);
}

TEST(no_two_columns_of_a_table_have_the_same_name)
{
	struct ml_arena a = { 0 };
	struct ml_axes axes;
	struct ml_ensemble_table t;

	start();
	ml_ensemble_axes(&axes, &e, &a);
	struct ml_curves *c = ml_curves_open(&e);
	for (unsigned m = 0; m < ML_MEASURES; m++) {
		struct ml_curve_options o = { .measure = m, .level = 1, .against = 0 };
		struct ml_ensemble_ask q = {
			.curves = c, .axes = &axes, .o = &o, .to = 64
		};

		ml_ensemble_ranking(&t, &q);
		check_columns(&t);
		ml_ensemble_series(&t, &q, 2);
		check_columns(&t);
	}
	ml_curves_close(c);
	ml_arena_release(&a);
	done();
}

TEST(series_and_clusters_are_tables)
{
	static const uint32_t lru[] = { 0, 2, 4 };
	struct ml_arena a = { 0 };
	struct ml_axes axes;
	struct ml_ensemble_table t;
	struct ml_shared_cache s;

	start();
	ml_ensemble_axes(&axes, &e, &a);
	struct ml_curves *c = ml_curves_open(&e);
	struct ml_curve_options o = { .against = SIZE_MAX };
	struct ml_ensemble_ask q = {
		.curves = c, .axes = &axes, .o = &o, .to = 64, .members = lru, .count = 3
	};
	/* 64 / 3 is no bin: cells end at 24 and 40 */
	ml_ensemble_series(&t, &q, 3);
	ml_table_csv(&t.table, &out);
	CHECK_EQ(ml_table_rows(&t.table), 9);
	ml_ensemble_table_release(&t);
	ml_buf_u8(&out, 0);
	CHECK(has(",0,24,24,0,24,9,9,9,0\r\n")); /* 1 K: all missed */
	CHECK(has(",24,40,16,8,8,5,1,9,4\r\n")); /* half of them */
	CHECK(has(",0,24,24,8,16,"));            /* 2 K */
	out.size = 0;
	CHECK_OK(ml_shared_cache_among(&s, &e, "L1 size", lru, 3, 2, 4096, &a, &err),
		 &err);
	ml_ensemble_clusters(&t, &q, &s);
	ml_table_csv(&t.table, &out);
	ml_ensemble_table_release(&t);
	ml_ensemble_ways(&t, &q, &s);
	ml_table_csv(&t.table, &out);
	ml_ensemble_table_release(&t);
	ml_buf_u8(&out, 0);
	CHECK(has("starved,ways,mean,deviation,least,greatest\r\n0,1,3,0,3,3"));
	CHECK(has("3,1,1024,3072"));
	CHECK(has("3,0,2048,2048"));
	ml_curves_close(c);
	ml_arena_release(&a);
	done();
}

TEST(axes_have_round_marks)
{
	struct ml_chart c = { .y_low = 3, .y_high = 97 };
	char text[ML_COORDINATE_ROOM];

	ml_chart_round(&c);
	CHECK_NEAR(c.y_low, 0, 0);
	CHECK_NEAR(c.y_high, 100, 1e-9);
	c = (struct ml_chart){ .y_low = 90, .y_high = 97 };
	ml_chart_round(&c);
	CHECK_NEAR(c.y_low, 90, 1e-9);
	CHECK(c.y_high >= 97 && c.y_high <= 98);
	CHECK_STR(ml_chart_text(text, ML_CHART_BYTES, 1536), "1.5K");
	CHECK_STR(ml_chart_text(text, ML_CHART_BYTES, 32 << 20), "32M");
	CHECK_STR(ml_chart_text(text, ML_CHART_PERCENT, 0.125), "12.5 %");
	CHECK_STR(ml_chart_text(text, ML_CHART_COUNT, 2500000), "2.5 M");
}
