#include "tests/test.h"

#include "lib/base/buf.h"
#include "lib/base/json.h"

/* The output of the writer as a string; releases the buffer. */
static const char *text_of(struct ml_buf *b)
{
	static char text[2000];

	CHECK(b->size < sizeof(text));
	memcpy(text, b->data, b->size);
	text[b->size] = 0;
	ml_buf_release(b);
	return text;
}

TEST(objects_and_arrays_nest_with_commas_between)
{
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b };

	ml_json_object(&w);
	ml_json_key_u64(&w, "a", 1);
	ml_json_key_array(&w, "b");
	ml_json_bool(&w, true);
	ml_json_null(&w);
	ml_json_object(&w);
	ml_json_end(&w);
	ml_json_end(&w);
	ml_json_end(&w);
	CHECK_STR(text_of(&b), "{\"a\":1,\"b\":[true,null,{}]}");
}

TEST(indentation_puts_every_value_on_its_line)
{
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b, .indent = 2 };

	ml_json_object(&w);
	ml_json_key_array(&w, "a");
	ml_json_i64(&w, -1);
	ml_json_i64(&w, 2);
	ml_json_end(&w);
	ml_json_key_array(&w, "none");
	ml_json_end(&w);
	ml_json_end(&w);
	CHECK_STR(text_of(&b),
		  "{\n  \"a\": [\n    -1,\n    2\n  ],\n  \"none\": []\n}\n");
}

static const char *string(const char *text)
{
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b };

	ml_json_string(&w, text);
	return text_of(&b);
}

TEST(strings_are_escaped)
{
	CHECK_STR(string("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
	CHECK_STR(string("\b\f\n\r\t\x01\x7f"), "\"\\b\\f\\n\\r\\t\\u0001\\u007f\"");
	CHECK_STR(string(NULL), "null");
}

TEST(text_beyond_ascii_stays_as_it_is)
{
	CHECK_STR(string("\u00e9\u20ac\U0001f526"), "\"\u00e9\u20ac\U0001f526\"");
}

TEST(bytes_that_are_no_utf8_are_replaced_one_by_one)
{
	CHECK_STR(string("a\xff"), "\"a\uFFFD\"");
	CHECK_STR(string("\xc3"), "\"\uFFFD\"");                     /* cut off */
	CHECK_STR(string("\xc0\x80"), "\"\uFFFD\uFFFD\"");           /* overlong 0 */
	CHECK_STR(string("\xe0\x80\x80"), "\"\uFFFD\uFFFD\uFFFD\""); /* overlong */
	CHECK_STR(string("\xed\xa0\x80"), "\"\uFFFD\uFFFD\uFFFD\""); /* a surrogate */
	CHECK_STR(string("\xf4\x90\x80\x80"),
		  "\"\uFFFD\uFFFD\uFFFD\uFFFD\""); /* 0x110000 */
}

TEST(a_zero_byte_inside_is_written)
{
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b };

	ml_json_bytes(&w, "a\0b", 3);
	CHECK_STR(text_of(&b), "\"a\\u0000b\"");
}

static const char *real(double v)
{
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b };

	ml_json_real(&w, v);
	return text_of(&b);
}

TEST(numbers_are_exact_and_short)
{
	struct ml_buf b = { 0 };
	struct ml_json w = { .out = &b };

	ml_json_array(&w);
	ml_json_u64(&w, UINT64_MAX);
	ml_json_i64(&w, INT64_MIN);
	ml_json_address(&w, 0x7ffe0010);
	ml_json_end(&w);
	CHECK_STR(text_of(&b),
		  "[18446744073709551615,-9223372036854775808,\"0x7ffe0010\"]");
	CHECK_STR(real(0.1), "0.1");
	CHECK_STR(real(1.0 / 3), "0.3333333333333333");
	CHECK_STR(real(0.1 + 0.2), "0.30000000000000004");
	CHECK_STR(real((double)NAN), "null");
	CHECK_STR(real((double)INFINITY), "null");
}
