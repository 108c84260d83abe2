/* Findings about holes in structures, told apart from fields that are not used. */
#include "tests/found.h"

struct field {
	unsigned offset, size;
};

/* 64 structures of 32 bytes; the line reads all fields. */
static void structures(const struct field *fields, unsigned n)
{
	struct ml_tables *t = ml_writer_tables(writer);

	put("region S 0x10000 2048 32");
	struct ml_region *r = &t->regions.at[t->regions.count - 1];
	r->field = (uint32_t)t->fields.count;
	r->fields = n;
	for (unsigned i = 0; i < n; i++) {
		char name[] = { (char)('a' + i), 0 };

		*ML_ADD(t->fields) = (struct ml_field){ ml_tables_name(t, name), 0,
							fields[i].offset,
							fields[i].size };
	}
	put("L struct.c:4");
	for (unsigned i = 0; i < 64; i++)
		for (unsigned k = 0; k < n; k++)
			touch('r', 0x10000 + i * 32 + fields[k].offset, fields[k].size);
}

TEST(fields_ordered_by_size_leave_no_holes)
{
	/* char, double, char, double: 14 of 32 bytes are holes */
	static const struct field loose[] = { { 0, 1 }, { 8, 8 }, { 16, 1 }, { 24, 8 } };
	struct found x;

	start();
	structures(loose, 4);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "holes");
	CHECK_STR(n->region, "S");
	CHECK_EQ(n->line, 4);
	CHECK_EQ(fact(n, "element"), 32);
	CHECK_EQ(fact(n, "holes"), 14);
	CHECK_EQ(fact(n, "packed"), 24); /* 8 + 8 + 1 + 1, rounded up to 8 */
	/* 128 lines of 16 bytes; 96 if packed */
	CHECK_EQ(fact(n, "misses_tried"), 128);
	CHECK_EQ(fact(n, "misses_predicted"), 96);
	CHECK_NEAR(n->gain, 32 * 99 / (256 + 128 * 99.0), 1e-9);
	CHECK(strstr(n->says[0], "14 of the 32 bytes"));
	CHECK(!find(&x, "fields"));
	done(&x);
}

TEST(structures_without_holes_have_none)
{
	static const struct field full[] = { { 0, 8 }, { 8, 8 }, { 16, 8 }, { 24, 8 } };
	struct found x;

	start();
	structures(full, 4);
	finish(&x, FULL);
	CHECK(!find(&x, "holes"));
	done(&x);
}
