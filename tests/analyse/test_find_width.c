/* Findings about integers that are wider than their values, and the text of values. */
#include "tests/found.h"

#include "lib/trace/stored_values.h"

/* 256 elements of 4 bytes are written by line 1 and read by line 2. */
static void array(const char *type)
{
	struct ml_tables *t = ml_writer_tables(writer);

	put("alloc A 0x10000 1024 4");
	t->regions.at[t->regions.count - 1].type = ml_tables_name(t, type);
	put("L a.c:1\nw0x10000:4+4*256\nL b.c:2\nr0x10000:4+4*256");
}

/* The values that line 1 stores, for elements of 2 and of 4 bytes. */
static void values(const char *ranges, const char *filled)
{
	struct ml_tables *t = ml_writer_tables(writer);
	char text[100];

	for (uint32_t i = 1; i < t->sites.count; i++)
		if (ml_tables_frame(t, i).line == 1)
			snprintf(text, sizeof(text), "%u %s", i, ranges);
	ml_tables_meta(t, "values stored", text);
	ml_tables_meta(t, "written by the system", filled);
}

TEST(values_of_a_byte_in_elements_of_four_are_found)
{
	struct found x;

	start();
	array("int");
	values("0 200 3 200", "");
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "value width");
	CHECK_STR(n->region, "A");
	CHECK_STR(n->title, "values of A need 1 byte of 4");
	CHECK_EQ(fact(n, "min"), 0); /* memory may start as 0 */
	CHECK_EQ(fact(n, "max"), 200);
	CHECK_EQ(fact(n, "need"), 1);
	CHECK(strstr(n->advice, "uint8_t"));
	/* 64 lines twice; the 16 lines of bytes fit the cache */
	CHECK_EQ(fact(n, "misses_tried"), 128);
	CHECK_EQ(fact(n, "misses_predicted"), 16);
	CHECK_NEAR(n->gain, 112 * 99 / (512 + 128 * 99.0), 1e-9);
	done(&x);
}

TEST(negative_values_need_a_sign)
{
	struct found x;

	start();
	array("int");
	values("-1 200 -1 200", "");
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "value width");
	CHECK_EQ(fact(n, "need"), 2);
	CHECK(strstr(n->advice, " int16_t"));
	done(&x);
}

static bool finds(const char *type, const char *ranges, const char *filled)
{
	struct found x;
	bool found;

	start();
	array(type);
	values(ranges, filled);
	finish(&x, FULL);
	found = find(&x, "value width");
	done(&x);
	return found;
}

TEST(values_that_need_the_width_or_are_not_known_are_not)
{
	CHECK(finds("int", "0 9 0 9", ""));
	CHECK(!finds("int", "0 9 0 70000", ""));
	CHECK(!finds("int", "0 9", ""));       /* no stores of 4 bytes were seen */
	CHECK(!finds("float", "0 9 0 9", "")); /* bits of numbers */
	CHECK(!finds("value", "0 0 0 0", "")); /* may be numbers, all 0 */
	CHECK(!finds("int", "0 9 0 9", "10100-10103")); /* read from a file */
	CHECK(!finds("int", "0 9 0", ""));
	CHECK(!finds("int", "0 9 0 9 x", ""));
}

/*
 * 64 structures of long a, int b, float c: lines 1 to 3 write one field each, line 4
 * reads all. `wide`: line 2 writes 8 bytes, b and c.
 */
static void structures(bool wide)
{
	static const char *const types[] = { "long", "int", "float" };
	static const unsigned offset[] = { 0, 8, 12 }, size[] = { 8, 4, 4 };
	struct ml_tables *t = ml_writer_tables(writer);

	put("alloc S 0x10000 1024 16");
	struct ml_region *r = &t->regions.at[t->regions.count - 1];
	r->field = (uint32_t)t->fields.count;
	r->fields = 3;
	for (unsigned i = 0; i < 3; i++) {
		char name[] = { (char)('a' + i), 0 };

		*ML_ADD(t->fields) = (struct ml_field){ ml_tables_name(t, name),
							ml_tables_name(t, types[i]),
							offset[i], size[i] };
	}
	for (unsigned k = 0; k < 3; k++) {
		put("L s.c:%u", k + 1);
		for (unsigned i = 0; i < 64; i++)
			touch('w', 0x10000 + 16 * i + offset[k],
			      wide && k == 1 ? 8 : size[k]);
	}
	put("L s.c:4");
	for (unsigned i = 0; i < 64; i++)
		for (unsigned k = 0; k < 3; k++)
			touch('r', 0x10000 + 16 * i + offset[k], size[k]);
}

/* The values that lines 1 and 2 store, and line 3 if it is given. */
static void values_of_lines(const char *one, const char *two, const char *three)
{
	const char *ranges[] = { one, two, three };
	struct ml_tables *t = ml_writer_tables(writer);
	char text[200] = "";

	for (uint32_t i = 1; i < t->sites.count; i++) {
		uint32_t line = ml_tables_frame(t, i).line;
		size_t n = strlen(text);

		if (line <= 3 && ranges[line - 1])
			snprintf(text + n, sizeof(text) - n, "%s%u %s", n ? ";" : "", i,
				 ranges[line - 1]);
	}
	ml_tables_meta(t, "values stored", text);
	ml_tables_meta(t, "written by the system", "");
}

TEST(integer_fields_that_are_too_wide_are_found)
{
	struct found x;

	start();
	structures(false);
	values_of_lines("0 5 0 5 0 5", "-1 300 -1 300", NULL);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "value width");
	CHECK_STR(n->region, "S");
	CHECK_STR(n->title, "fields of S are wider than values");
	/* float c, int16_t b, uint8_t a: 7 bytes, and one for the alignment of c */
	CHECK_EQ(fact(n, "element"), 16);
	CHECK_EQ(fact(n, "need"), 8);
	/* four loops over 64 lines, then over 32 */
	CHECK_EQ(fact(n, "misses_tried"), 256);
	CHECK_EQ(fact(n, "misses_predicted"), 128);
	CHECK_STR(n->says[0],
		  "All values that this run stores lie in these ranges: "
		  "a between 0 and 5 (8 bytes), b between -1 and 300 (4 bytes).");
	CHECK(strstr(n->advice, "a as uint8_t, b as int16_t, with"));
	CHECK(strstr(n->advice, "8 bytes instead of 16 bytes"));
	done(&x);
}

/* The bytes of an element with narrower fields; 0: no finding. */
static double narrower(bool wide, const char *one, const char *two)
{
	struct found x;

	start();
	structures(wide);
	values_of_lines(one, two, NULL);
	finish(&x, FULL);
	const struct ml_finding *n = find(&x, "value width");
	double need = n ? fact(n, "need") : 0;
	done(&x);
	return need;
}

TEST(fields_whose_values_are_not_known_keep_their_width)
{
	CHECK_EQ(narrower(false, NULL, "0 5 0 5"), 0);      /* a 8, c 4, b 1: 16 */
	CHECK_EQ(narrower(false, "0 5 0 5 0 5", NULL), 12); /* b 4, c 4, a 1 */
	CHECK_EQ(narrower(false, "0 5 0 5", "0 5 0 5"), 0); /* a has 8 bytes */
	CHECK_EQ(narrower(false, "0 0 0 0 0 0", NULL), 0);  /* maybe no integer */
	/* a store of b and c: as parts of 4 bytes it has the bits of c, too */
	CHECK_EQ(narrower(true, "0 5 0 5 0 5", "0 5 0 1073741824 0 5"), 12);
}

TEST(the_text_of_values_reads_back)
{
	struct ml_stored_value a = { 7, 3, { -1, -2, INT64_MIN }, { 1, 2, INT64_MAX } };
	struct ml_stored_value b = { 9, 1, { 0 }, { 5 } }, v;
	struct ml_buf out = { 0 };

	ml_stored_values_print(&a, &out);
	ml_stored_values_print(&b, &out);
	ml_buf_u8(&out, 0);
	const char *text = (const char *)out.data;
	CHECK_STR(text, "7 -1 1 -2 2 -9223372036854775808 9223372036854775807;9 0 5");
	CHECK(ml_stored_values_next(&text, &v));
	CHECK_EQ(v.site, 7);
	CHECK_EQ(v.widths, 3);
	CHECK(v.min[2] == INT64_MIN && v.max[2] == INT64_MAX);
	CHECK(ml_stored_values_next(&text, &v));
	CHECK_EQ(v.site, 9);
	CHECK(!ml_stored_values_next(&text, &v));
	CHECK_STR(text, "");
	text = "3 5 4"; /* smallest above largest */
	CHECK(!ml_stored_values_next(&text, &v));
	text = "99999999999 1 2";
	CHECK(!ml_stored_values_next(&text, &v));
	ml_buf_release(&out);
}
