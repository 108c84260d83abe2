/*
 * Pictures and the report, of traces whose numbers can be derived by hand. The machine
 * has one line of 64 bytes, so a reference hits when it goes where the last one went.
 */
#include "lib/query/drawing/picture.h"

#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/cache/machine/machine.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/pictures/picture_heat.h"
#include "lib/query/trace/pictures/picture_regions.h"
#include "lib/query/trace/pictures/picture_time.h"
#include "lib/query/trace/tables/profile_rows.h"
#include "lib/query/report/report.h"
#include "lib/query/report/report_window.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

#define ONE_LINE "L1 64 1w 64B 1c | memory 11c"

static struct ml_workspace workspace;
static struct ml_open_sim *sim;
static struct ml_buf out;
static struct ml_arena arena;
static struct ml_err err;

static void open_with(const char *text, const char *path, const char *source)
{
	struct ml_machine m;
	struct ml_writer *w;
	uint32_t number;

	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	if (source)
		ml_writer_source(w, path, source, strlen(source));
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_machine_parse(&m, ONE_LINE, &err), &err);
	ml_workspace_init(&workspace, ml_kinds, ml_common_routes, &m);
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
	CHECK_OK(ml_open_sim_start(&workspace, 0, &m, ML_INTERLEAVE_AUTO, &number, &err),
		 &err);
	CHECK_OK(ml_open_sim_finish(&workspace, number, &err), &err);
	sim = ml_open_sim(&workspace, number, &err);
}

static void open_text(const char *text)
{
	open_with(text, NULL, NULL);
}

static void close_workspace(void)
{
	ml_buf_release(&out);
	out = (struct ml_buf){ 0 };
	ml_arena_release(&arena);
	arena = (struct ml_arena){ 0 };
	ml_workspace_close(&workspace);
}

static bool says(const char *text)
{
	ml_buf_u8(&out, 0);
	out.size--;
	return strstr((const char *)out.data, text) != NULL;
}

static const char *escaped(const char *text)
{
	out.size = 0;
	ml_picture_escape(&out, text, strlen(text));
	ml_buf_u8(&out, 0);
	out.size--;
	return (const char *)out.data;
}

/* A map of the region by that name, filled. */
static struct ml_heat_map heat(const char *region, size_t across, size_t down,
			       enum ml_heat_mode mode)
{
	const struct ml_tables *t = &sim->trace->trace.tables;
	struct ml_heat_map m = { 0 };
	struct ml_heat_question q = { .mode = mode, .to = sim->simulation.result.refs };

	for (uint32_t i = 0; i < t->regions.count; i++)
		if (!strcmp(ml_tables_text(t, t->regions.at[i].name), region))
			CHECK(ml_heat_lay_out(&m, sim->trace, i, across, down, &arena));
	CHECK(m.value != NULL);
	CHECK_OK(ml_heat_gather(&m, 1, sim, &q, &arena, &err), &err);
	return m;
}

static void check_values(const struct ml_heat_map *m, const char *expected)
{
	char text[500] = "";

	for (size_t y = 0; y < m->over; y++)
		for (size_t x = 0; x < m->along; x++)
			sprintf(text + strlen(text), "%g%s", m->value[y * m->along + x],
				x + 1 < m->along  ? " "
				: y + 1 < m->over ? " / "
						  : "");
	CHECK_STR(text, expected);
}

TEST(markup_in_names_is_escaped)
{
	CHECK_STR(escaped("<b a=\"1\" b='2'>&"),
		  "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;");
	ml_buf_release(&out);
	out = (struct ml_buf){ 0 };
}

TEST(bytes_that_xml_forbids_become_a_replacement)
{
	CHECK_STR(escaped("a\x01\xff"), "a\xef\xbf\xbd\xef\xbf\xbd");
	CHECK_STR(escaped("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
		  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	/* cut short, overlong, a surrogate, U+FFFF */
	CHECK_STR(escaped("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");
	CHECK_STR(escaped("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
	CHECK_STR(escaped("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	CHECK_STR(escaped("\xef\xbf\xbf"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	ml_buf_release(&out);
	out = (struct ml_buf){ 0 };
}

TEST(marks_of_an_axis_are_round)
{
	char text[ML_COORDINATE_ROOM];

	CHECK_EQ(ml_picture_step(7, 10), 1);
	CHECK_EQ(ml_picture_step(70, 10), 10);
	CHECK_EQ(ml_picture_step(45, 10), 5);
	CHECK_EQ(ml_picture_step(1000000, 7), 200000);
	CHECK_STR(ml_picture_count(text, 200000, 100000), "200 k");
	CHECK_STR(ml_picture_count(text, 1200000, 200000), "1.2 M");
	CHECK_STR(ml_picture_count(text, 40, 20), "40");
	CHECK_STR(ml_picture_number(text, 12.50), "12.5");
	CHECK_STR(ml_picture_number(text, -0.001), "0");
}

TEST(levels_have_the_colours_of_the_page)
{
	CHECK_EQ(ml_colour_of_level(0, 2), ML_COLOUR_LEVEL);
	CHECK_EQ(ml_colour_of_level(1, 2), ML_COLOUR_LEVEL + 4);
	CHECK_EQ(ml_colour_of_level(2, 4), ML_COLOUR_LEVEL + 3);
	CHECK_EQ(ml_palette_colour(&ml_palette_light, ML_COLOUR_LEVEL + 4), 0xb2182b);
	CHECK_EQ(ml_palette_colour(&ml_palette_dark, ML_COLOUR_HEAT + 15), 0xf3f2b0);
}

TEST(cells_of_a_colour_are_joined_the_way_that_joins_more)
{
	static const uint8_t columns[] = { 1, 2, 1, 1, 2, 1 };
	struct ml_picture p = { .out = &out };

	ml_picture_grid(&p, columns, 3, 2);
	CHECK(says("<path class=\"c2\" d=\"M1 0v2h1V0z\"/>"));
	CHECK(says("<path class=\"c1\" d=\"M0 0v2h1V0zM2 0v2h1V0z\"/>"));
	ml_buf_release(&out);
	out = (struct ml_buf){ 0 };
}

TEST(the_timeline_divides_time_and_shares)
{
	/* a miss and then seven hits: cells of one reference */
	struct ml_picture p = { .out = &out };
	struct ml_picture_window w = { 0, 8, 48 + 80 + 12, 100 };

	open_text("r0*8");
	CHECK_OK(ml_picture_timeline(&p, sim, &w, &err), &err);
	CHECK(says("data-from=\"0\" data-to=\"8\" data-low=\"0\""));
	/* 80 pixels for 8 references; 100 - 15 above - 34 below are 51 pixels of share */
	CHECK(says("<path data-level=\"1\" data-references=\"7\" class=\"c9\" "
		   "d=\"M58 15h70v51H58z\"/>"));
	CHECK(says("<path data-level=\"2\" data-references=\"1\" class=\"c13\" "
		   "d=\"M48 15h10v51H48z\"/>"));
	close_workspace();
}

TEST(the_axis_of_shares_starts_near_what_the_first_level_serves)
{
	struct ml_picture p = { .out = &out, .palette = &ml_palette_light };
	struct ml_picture_window w = { 10, 20, 300, 200 };

	open_text("r0*20");
	CHECK_OK(ml_picture_timeline(&p, sim, &w, &err), &err);
	CHECK(says("data-low=\"0.99\""));
	CHECK(says("references 10 to 20"));
	CHECK(!says("data-level=\"2\""));
	close_workspace();
}

TEST(phases_stand_above_the_timeline)
{
	struct ml_picture p = { .out = &out };
	struct ml_picture_window w = { 0, 4, 48 + 80 + 12, 100 };

	open_text("r0*2\nbegin <load>\nr0*2\nend <load>");
	CHECK_OK(ml_picture_timeline(&p, sim, &w, &err), &err);
	CHECK(says("<rect x=\"88\" y=\"11\" width=\"39\" height=\"13\" class=\"c2\"/>"));
	CHECK(says("&lt;lo"));
	CHECK(!says("<load"));
	close_workspace();
}

TEST(a_matrix_is_cut_in_both_directions)
{
	open_text("region A 0 128 8 4 4\nr0 r8 w32 r64 r120*3");
	struct ml_heat_map m = heat("A", 4, 4, ML_HEAT_COUNT);
	check_values(&m, "1 1 0 0 / 1 0 0 0 / 1 0 0 0 / 0 0 0 3");
	CHECK_STR(m.cell, "one element");
	CHECK_STR(m.shape, "4 × 4");
	CHECK_EQ(m.sum, 7);
	m = heat("A", 2, 2, ML_HEAT_COUNT);
	check_values(&m, "3 0 / 1 3");
	CHECK_STR(m.cell, "2 × 2 elements");
	close_workspace();
}

TEST(misses_are_those_of_the_first_level)
{
	/* lines 0 and 64 take turns, then 64 stays */
	open_text("region A 0 128 8 16\nr0 r64 r8 r72 r72");
	struct ml_heat_map m = heat("A", 2, 1, ML_HEAT_MISSES);
	check_values(&m, "2 2");
	CHECK_EQ(m.sum, 4);
	CHECK_STR(m.cell, "8 elements");
	close_workspace();
}

TEST(a_reference_counts_in_every_cell_that_it_overlaps)
{
	open_text("region A 0 32 8 4\nr4:8 r8:16");
	struct ml_heat_map m = heat("A", 4, 1, ML_HEAT_COUNT);
	check_values(&m, "1 2 1 0");
	CHECK_EQ(m.sum, 2);
	close_workspace();
}

TEST(times_of_accesses_count_from_one)
{
	open_text("region A 0 32 8 4\nr0 w8 w8 r0 r24 r0");
	struct ml_heat_map m = heat("A", 4, 1, ML_HEAT_LAST);
	check_values(&m, "6 3 0 5");
	m = heat("A", 4, 1, ML_HEAT_FIRST);
	check_values(&m, "0 2 0 0");
	m = heat("A", 4, 1, ML_HEAT_REUSE); /* 0 at 1, 4, 6; 8 at 2, 3 */
	check_values(&m, "2.5 1 0 0");
	close_workspace();
}

TEST(distances_count_lines_and_what_came_in_vain_is_seen)
{
	/* one line of cache: 0 comes, goes for 64 and comes again; words are of 8 bytes
	 */
	open_text("region A 0 128 8 16\nr0 r64 r72 r0 r8");
	struct ml_heat_map m = heat("A", 2, 1, ML_HEAT_DISTANCE);
	check_values(&m,
		     "1.5 1"); /* 0 after one other line, then 8 at once; 72 at once */
	m = heat("A", 2, 1, ML_HEAT_USED);
	check_values(&m, "18.75 25"); /* 8 and 16 of 64 bytes; 16 of 64 */
	m = heat("A", 16, 1, ML_HEAT_USED);
	CHECK_EQ(m.value[0], 100);
	CHECK_EQ(m.value[1], 50);
	CHECK(m.value[2] > 0 && m.value[2] < 1e-6);
	CHECK_EQ(m.value[9], 100);
	close_workspace();
}

TEST(a_strip_of_unknown_elements_counts_bytes)
{
	open_text("region A 0 100\nr0 r96:4");
	struct ml_heat_map m = heat("A", 5, 5, ML_HEAT_COUNT);
	check_values(&m, "1 0 0 0 1"); /* 13 words, 3 a cell */
	CHECK_STR(m.cell, "24 bytes");
	close_workspace();
}

TEST(a_region_as_large_as_the_address_space_is_cut_into_cells)
{
	open_text("region A 0 0xfffffffffffffff8 8\nr0 r0x6000000000000000 "
		  "r0xfffffffffffffff0");
	struct ml_heat_map m = heat("A", 4, 1, ML_HEAT_COUNT);
	check_values(&m, "1 1 0 1");
	close_workspace();
}

TEST(colours_go_from_nothing_to_the_most_and_nothing_is_empty)
{
	open_text("region A 0 32 8 4\nr0 r8*2 r16*3");
	struct ml_heat_map m = heat("A", 4, 1, ML_HEAT_COUNT);
	struct ml_heat_scale s;
	struct ml_picture p = { .out = &out };

	ml_heat_scale(&s, ML_HEAT_COUNT, &m, 1);
	CHECK(!s.log);
	CHECK_EQ(ml_heat_colour(&s, 1), ML_COLOUR_HEAT + 5);
	CHECK_EQ(ml_heat_colour(&s, 2), ML_COLOUR_HEAT + 10);
	CHECK_EQ(ml_heat_colour(&s, 3), ML_COLOUR_HEAT + 15);
	CHECK_EQ(ml_heat_colour(&s, 0), ML_COLOUR_EMPTY);
	s.low = 1;
	s.high = 1000;
	s.log = true;
	CHECK_EQ(ml_heat_colour(&s, 10), ML_COLOUR_HEAT + 5);
	s.high = 3;
	s.log = false;
	ml_heat_draw(&p, &m, &s, 0, 0, 10, 10);
	CHECK(says("data-region=\"A\" data-across=\"4\" data-down=\"1\" data-sum=\"6\""));
	CHECK(says("<path class=\"c6\" d=\"M3 0h1v1H3z\"/>"));
	CHECK(says("<path class=\"c29\" d=\"M2 0h1v1H2z\"/>"));
	close_workspace();
}

TEST(the_plane_has_elements_downwards_and_time_to_the_right)
{
	uint32_t region;
	struct ml_picture p = { .out = &out };
	struct ml_picture_regions r = { .regions = &region,
					.count = 1,
					.question = { .to = 4 },
					.width = 432,
					.height = 300 };
	struct ml_profile_rows rows;

	open_text("region A 0 32 8 4\nr0 r0 r24 r8");
	ml_profile_rows_make(&rows, &sim->trace->trace, sim->simulation.profile);
	CHECK_EQ(ml_picture_costliest(sim, &rows, &region, 1), 1);
	ml_profile_rows_release(&rows);
	CHECK_OK(ml_picture_plane(&p, sim, &r, &err), &err);
	CHECK(says("data-rows=\"4\" data-columns=\"4\""));
	CHECK(says("<path class=\"c13\" d=\"M0 0h1v1H0z\"/>"));
	CHECK(says("<path class=\"c9\" d=\"M1 0h1v1H1zM3 1h1v1H3zM2 3h1v1H2z\"/>"));
	close_workspace();
}

TEST(windows_that_cover_the_run_add_up_to_it)
{
	struct ml_report_window a = { .from = 0, .to = 4 }, b = { .from = 4, .to = 9 },
				all = { .from = 0, .to = 9 };

	open_text("region A 0 256\nregion B 256 64\n"
		  "r 0 8 1 a.c:1 f\nr 64 8 1 a.c:1 f\nr 0 8 1 a.c:2 f\nw 0 8 1 a.c:2 f\n"
		  "r 0 8 1 a.c:2 f\nr 256 8 1 a.c:2 f\nr 0 8 1 a.c:1 f\nr 0 8 1 a.c:1 f\n"
		  "w 256 8 1 a.c:1 f");
	CHECK_OK(ml_report_window_open(&a, sim, NULL, &err), &err);
	CHECK_OK(ml_report_window_open(&b, sim, NULL, &err), &err);
	CHECK_OK(ml_report_window_open(&all, sim, NULL, &err), &err);
	CHECK(!a.whole && !b.whole && all.whole);
	CHECK_EQ(a.profile->served[1], 1);
	CHECK_EQ(a.profile->served[2], 3);
	CHECK_EQ(b.profile->served[1], 2); /* the line of 0 was there at 4 */
	for (int k = 1; k <= 2; k++)
		CHECK_EQ(a.profile->served[k] + b.profile->served[k],
			 all.profile->served[k]);
	CHECK_EQ(a.profile->kind[1] + b.profile->kind[1], 2);
	CHECK_EQ(a.profile->cell_count, 2); /* lines 1 and 2, both to A */
	CHECK_EQ(b.profile->cell_count, 4);
	ml_report_window_close(&a);
	ml_report_window_close(&b);
	ml_report_window_close(&all);
	close_workspace();
}

TEST(names_and_source_text_cannot_put_markup_into_a_report)
{
	struct ml_report_options o = { .to = 6, .top = 10 };

	open_with("region \"<script>r()</script>\" 0 512\n"
		  "begin \"<script>p()\"\n"
		  "r 0 8 1 \"<script>f.c\":2 \"<script>g()</script>\"\n"
		  "r 64 8 1 \"<script>f.c\":2 \"<script>g()</script>\"\n"
		  "r 128 8 1 \"<script>f.c\":2 \"<script>g()</script>\"\n"
		  "r 192 8 1 \"<script>f.c\":2 \"<script>g()</script>\"\n"
		  "r 256 8 1 \"<script>f.c\":2 \"<script>g()</script>\"\n"
		  "r 320 8 1 \"<script>f.c\":2 \"<script>g()</script>\"\n",
		  "<script>f.c", "int x;\nx = \"<script>alert(1)</script>\" & \xff;\n");
	CHECK_OK(ml_report(sim, &o, &out, &err), &err);
	CHECK(!says("<script"));
	CHECK(says("&lt;script&gt;alert(1)&lt;/script&gt;&quot; &amp; \xef\xbf\xbd;"));
	CHECK(says("&lt;script&gt;r()"));
	CHECK(says("&lt;script&gt;f.c"));
	CHECK(says("default-src 'none'"));
	out.size = 0;
	o.no_source = true;
	CHECK_OK(ml_report(sim, &o, &out, &err), &err);
	CHECK(!says("alert"));
	close_workspace();
}

/* A report on a file of so many lines, of which one costs everything. */
static void report_on_file(unsigned lines, unsigned costly)
{
	struct ml_report_options o = { .to = 2, .top = 10 };
	struct ml_buf source = { 0 };
	char text[200];

	for (unsigned i = 1; i <= lines; i++)
		ml_buf_put(&source, text, (size_t)sprintf(text, "int x%u;\n", i));
	ml_buf_u8(&source, 0);
	sprintf(text, "region A 0 512\nr 0 8 1 a.c:%u f\nr 64 8 1 a.c:%u f", costly,
		costly);
	open_with(text, "a.c", (const char *)source.data);
	CHECK_OK(ml_report(sim, &o, &out, &err), &err);
	ml_buf_release(&source);
}

TEST(a_short_file_is_shown_whole)
{
	report_on_file(60, 5);
	CHECK(says(">int x1;<") && says(">int x60;<"));
	CHECK(says("<div class=\"l hot\" id=\"f0-5\"><span class=\"n\">5</span>"
		   "<span class=\"n\">2</span><span class=\"n\">2</span>"
		   "<span class=\"n h\">100.0 %</span><span class=\"bar\">"
		   "<i class=\"c13\" style=\"width:100.00%\"></i></span>"
		   "<span>int x5;</span></div>"));
	CHECK(says("<a href=\"#f0-5\">a.c:5</a>"));
	CHECK(!says("<details"));
	close_workspace();
}

TEST(a_long_file_is_folded_to_what_matters)
{
	report_on_file(200, 100); /* 97 to 103 are shown */
	CHECK(says("<summary>96 lines</summary>\n<div class=\"l\"><span class=\"n\">1<"));
	CHECK(says(
		"<summary>97 lines</summary>\n<div class=\"l\"><span class=\"n\">104<"));
	CHECK(says(">int x200;<"));
	close_workspace();
	report_on_file(1000, 500);
	CHECK(says(">496 lines left out<") && says(">497 lines left out<"));
	CHECK(says(">int x497;<") && says(">int x503;<"));
	CHECK(!says(">int x496;<") && !says(">int x504;<"));
	close_workspace();
}

/* A's lines are fetched for 8 bytes each, B's only one is used again and again. */
TEST(findings_of_a_window_are_those_of_the_window)
{
	static const char text[] = "region A 0 65536 8\nregion B 65536 64 8\n"
				   "L a.c:3\nr0+64*1000\nL a.c:5\nr65536*1000\n";
	struct ml_report_options o = { .to = 1000, .top = 10 };

	open_text(text);
	CHECK_OK(ml_report(sim, &o, &out, &err), &err);
	CHECK(says("lines of A are fetched and barely used"));
	CHECK(says("within the window"));
	close_workspace();
	open_text(text);
	o = (struct ml_report_options){ .from = 1000, .to = 2000, .top = 10 };
	CHECK_OK(ml_report(sim, &o, &out, &err), &err);
	CHECK(!says("barely used"));
	CHECK(says("Nothing to mend"));
	close_workspace();
}

/* Counts of a window from a simulation up to its end, against those of the result. */
TEST(a_window_that_is_simulated_agrees_with_the_result)
{
	struct ml_report_window a = { .from = 700, .to = 3333 }, b = a;

	open_text("region A 0 8192 8\nL a.c:3\nr0+8*1000\nL a.c:5\nw0+64*100\n"
		  "L a.c:6\nr0+72*100\nL a.c:7\nr0+8*1000\nL a.c:8\nr4096+8*2000\n");
	CHECK_OK(ml_report_window_open(&a, sim, NULL, &err), &err);
	CHECK_OK(ml_report_window_simulate(&b, sim, NULL, &err), &err);
	CHECK_EQ(a.profile->refs, 3333 - 700);
	CHECK_EQ(b.profile->refs, a.profile->refs);
	CHECK_EQ(b.profile->cell_count, a.profile->cell_count);
	for (size_t i = 0; i < a.profile->cell_count; i++) {
		const struct ml_profile_cell *x = &a.profile->cells[i],
					     *y = &b.profile->cells[i];

		CHECK_EQ(y->site, x->site);
		CHECK_EQ(y->region, x->region);
		for (unsigned k = 0; k < ML_SERVED; k++)
			CHECK_EQ(y->served[k], x->served[k]);
		for (unsigned k = 0; k < ML_CAUSES; k++)
			CHECK_EQ(y->cause[0][k], x->cause[0][k]);
	}
	CHECK(b.profile->use_count > 0 && b.profile->uses[0].bytes > 0);
	CHECK(b.profile->cycles == a.profile->cycles);
	ml_report_window_close(&a);
	ml_report_window_close(&b);
	close_workspace();
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

TEST(a_report_ends_when_it_is_stopped)
{
	struct ml_work work = { .cancelled = always };
	struct ml_report_options o = { .to = 4, .top = 10, .work = &work };

	open_text("region A 0 64\nr0*4");
	CHECK_FAILS(ml_report(sim, &o, &out, &err), &err, "stopped");
	CHECK_EQ(err.kind, ML_STOPPED);
	close_workspace();
}
