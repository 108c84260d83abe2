/* What is told of a document: as text, JSON, CSV and a page. */
#include "lib/query/drawing/sections.h"

#include <stdio.h>

#include "lib/query/workspace/ask.h"
#include "tests/test.h"

static struct ml_err err;
static char told[1 << 16];

static const struct ml_column columns[] = {
	{ "count", .kind = ML_COLUMN_COUNT },
	{ "name", .kind = ML_COLUMN_TEXT },
};

/* Two rows of three are shown; a name and the path have bytes that HTML must escape. */
static struct ml_sections example(void)
{
	struct ml_sections s = { .path = "a<b.x", .what = "an example", .rows = 2 };
	struct ml_table t = { .columns = columns, .width = 2 };

	ml_sections_number(&s, "lines_read", 12345);
	ml_sections_text(&s, "form", "<i>");
	ml_sections_note(&s, "%d lines are bad", 3);
	for (uint64_t i = 1; i <= 3; i++) {
		ml_table_count(&t, i * 1000);
		ml_table_text(&t, i == 1 ? "R&D" : "other");
	}
	ml_sections_table(&s, "names", "Names", "by count", &t, 0);
	return s;
}

static const char *tell(enum ml_form form, const char *table)
{
	struct ml_ask q = { .form = form, .table = table };
	struct ml_sections s = example();
	struct ml_told t = { 0 };

	CHECK_OK(ml_sections_tell(&s, &q, &t, &err), &err);
	snprintf(told, sizeof(told), "%.*s", (int)t.out.size, (const char *)t.out.data);
	ml_told_release(&t);
	ml_sections_release(&s);
	return told;
}

static const char *page(struct ml_sections *s)
{
	struct ml_buf out = { 0 };

	ml_sections_html(s, &out);
	snprintf(told, sizeof(told), "%.*s", (int)out.size, (const char *)out.data);
	ml_buf_release(&out);
	ml_sections_release(s);
	return told;
}

TEST(people_read_figures_notes_and_tables_and_how_many_rows_are_left_out)
{
	CHECK_STR(tell(ML_FORM_TEXT, NULL), "a<b.x: an example\n"
					    "  lines read  12,345\n"
					    "  form        <i>\n"
					    "3 lines are bad\n"
					    "\n"
					    "Names: by count\n"
					    "  count  name\n"
					    "  1,000  R&D\n"
					    "  2,000  other\n"
					    "  and 1 more names\n");
}

TEST(programs_read_the_same_as_json_and_one_table_as_csv)
{
	CHECK_STR(tell(ML_FORM_JSON, NULL),
		  "{\n  \"path\": \"a<b.x\",\n  \"what\": \"an example\",\n"
		  "  \"lines_read\": 12345,\n  \"form\": \"<i>\",\n"
		  "  \"notes\": [\n    \"3 lines are bad\"\n  ],\n  \"names\": [\n"
		  "    {\n      \"count\": 1000,\n      \"name\": \"R&D\"\n    },\n"
		  "    {\n      \"count\": 2000,\n      \"name\": \"other\"\n    }\n"
		  "  ]\n}\n");
	CHECK_STR(tell(ML_FORM_CSV, "names"), "count,name\r\n1000,R&D\r\n2000,other\r\n");
}

TEST(a_table_that_there_is_not_is_answered_with_those_that_there_are)
{
	struct ml_ask q = { .form = ML_FORM_CSV, .table = "colours" };
	struct ml_sections s = example();
	struct ml_told t = { 0 };

	CHECK_FAILS(ml_sections_tell(&s, &q, &t, &err), &err,
		    "there is no table 'colours'; tables are names");
	ml_told_release(&t);
	ml_sections_release(&s);
}

TEST(a_page_escapes_foreign_bytes_and_forbids_scripts)
{
	struct ml_sections s = example();
	const char *html = page(&s);

	CHECK(strstr(html, "default-src 'none'"));
	CHECK(strstr(html, "<h1>a&lt;b.x</h1>"));
	CHECK(strstr(html, "<dd>&lt;i&gt;</dd>"));
	CHECK(strstr(html, "R&amp;D"));
	CHECK(strstr(html, "<b>12,345</b>"));
	CHECK(strstr(html, "and 1 more names"));
	CHECK(!strstr(html, "R&D"));
}

/* 40 of 80 is half as long. */
TEST(bars_are_as_long_as_their_values_and_a_value_of_0_has_none)
{
	static const struct ml_bar bars[] = { { "a", "80", 80 },
					      { "b", "40", 40 },
					      { "<c>", "0", 0 } };
	struct ml_sections s = { .path = "x", .what = "y", .rows = 10 };

	ml_sections_bars(&s, "bars", "Bars", NULL, bars, 3);
	const char *html = page(&s);
	CHECK(strstr(html, "width=\"730.0\""));
	CHECK(strstr(html, "width=\"365.0\""));
	CHECK(!strstr(html, "width=\"0.0\""));
	CHECK(strstr(html, "&lt;c&gt;"));
}

TEST(a_histogram_names_its_largest_value_and_the_ends_of_its_axis)
{
	static const double value[] = { 1, 0, 4 };
	struct ml_sections s = { .path = "x", .what = "y", .rows = 10 };

	ml_sections_histogram(&s, "h", "H", NULL, value, 3, "samples", "from", "to");
	const char *html = page(&s);
	CHECK(strstr(html, ">4</text>"));
	CHECK(strstr(html, ">samples</text>"));
	CHECK(strstr(html, ">from</text>"));
	CHECK(strstr(html, ">to</text>"));
	CHECK(strstr(html, "height=\"200.0\""));
	CHECK(strstr(html, "height=\"50.0\""));
}
