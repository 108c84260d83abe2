#include "tests/test.h"

#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/table.h"

static const struct ml_column columns[] = {
	{ "references", .kind = ML_COLUMN_COUNT },
	{ "share", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
	{ "footprint", .kind = ML_COLUMN_BYTES, .heading = "bytes" },
	{ "region", .kind = ML_COLUMN_TEXT },
};

static void fill(struct ml_table *t)
{
	*t = (struct ml_table){ .columns = columns, .width = 4 };
	ml_table_count(t, 1234567);
	ml_table_real(t, 0.75);
	ml_table_count(t, 32 * 1024 * 1024);
	ml_table_text(t, "A, the \"first\"");
	ml_table_count(t, 42);
	ml_table_real(t, 0.25);
	ml_table_no_value(t);
	ml_table_text(t, "B");
}

static const char *text_of(struct ml_buf *b)
{
	static char text[2000];

	CHECK(b->size < sizeof(text));
	memcpy(text, b->data, b->size);
	text[b->size] = 0;
	ml_buf_release(b);
	return text;
}

static const char *printed(struct ml_table *t, int width)
{
	struct ml_buf b = { 0 };

	ml_table_print(t, width, &b);
	ml_table_release(t);
	return text_of(&b);
}

TEST(text_aligns_numbers_right_and_groups_digits)
{
	struct ml_table t;

	fill(&t);
	CHECK_EQ(ml_table_rows(&t), 2);
	CHECK_STR(printed(&t, 0), "references   share     bytes  region\n"
				  " 1,234,567  75.0 %  32.0 MiB  A, the \"first\"\n"
				  "        42  25.0 %         -  B\n");
}

TEST(a_terminal_cuts_the_last_text_column)
{
	static const struct ml_column one[] = { { "n", .kind = ML_COLUMN_COUNT },
						{ "name", .kind = ML_COLUMN_TEXT },
						{ "x", .kind = ML_COLUMN_REAL,
						  .decimals = 2 } };
	struct ml_table t = { .columns = one, .width = 3 };

	ml_table_count(&t, 1);
	ml_table_text(&t, "a_rather_long_n\u00e4me");
	ml_table_real(&t, 0.5);
	CHECK_STR(printed(&t, 22), "n  name              x\n"
				   "1  a_rather_lon\u2026  0.50\n");
}

TEST(control_characters_cannot_break_a_line)
{
	static const struct ml_column one[] = { { "name", .kind = ML_COLUMN_TEXT } };
	struct ml_table t = { .columns = one, .width = 1 };

	ml_table_text(&t, "a\nb\033");
	ml_table_text(&t, "\xc2\x9b[31m\u00e4");
	ml_table_text(&t, "");
	CHECK_STR(printed(&t, 0), "name\na?b?\n??[31m\u00e4\n\n");
}

TEST(json_is_exact)
{
	struct ml_table t;
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b };

	fill(&t);
	ml_table_json(&t, &w);
	ml_table_release(&t);
	CHECK_STR(text_of(&b),
		  "[{\"references\":1234567,\"share\":0.75,\"footprint\":33554432,"
		  "\"region\":\"A, the \\\"first\\\"\"},"
		  "{\"references\":42,\"share\":0.25,\"footprint\":null,"
		  "\"region\":\"B\"}]");
}

TEST(csv_follows_rfc_4180)
{
	struct ml_table t;
	struct ml_buf b = { 0 };

	fill(&t);
	ml_table_csv(&t, &b);
	ml_table_release(&t);
	CHECK_STR(text_of(&b), "references,share,footprint,region\r\n"
			       "1234567,0.75,33554432,\"A, the \"\"first\"\"\"\r\n"
			       "42,0.25,,B\r\n");
}

TEST(addresses_are_hexadecimal_everywhere)
{
	static const struct ml_column one[] = { { "at", .kind = ML_COLUMN_ADDRESS } };
	struct ml_table t = { .columns = one, .width = 1 };
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b };

	ml_table_count(&t, 0xbeef);
	ml_table_csv(&t, &b);
	ml_table_json(&t, &w);
	ml_table_print(&t, 0, &b);
	ml_table_release(&t);
	CHECK_STR(text_of(&b), "at\r\n0xbeef\r\n[{\"at\":\"0xbeef\"}]    at\n0xbeef\n");
}

TEST(counts_and_bytes_read_well)
{
	char n[ML_NUMBER_ROOM];

	CHECK_STR(ml_format_count(n, 0), "0");
	CHECK_STR(ml_format_count(n, 999), "999");
	CHECK_STR(ml_format_count(n, 1000), "1,000");
	CHECK_STR(ml_format_count(n, UINT64_MAX), "18,446,744,073,709,551,615");
	CHECK_STR(ml_format_bytes(n, 1023), "1023 B");
	CHECK_STR(ml_format_bytes(n, 1024), "1.0 KiB");
	CHECK_STR(ml_format_bytes(n, 1024 * 1024 - 1), "1.0 MiB");
	CHECK_STR(ml_format_bytes(n, UINT64_MAX), "16.0 EiB");
}
