/* The order of findings. */
#include "tests/found.h"

/* Makes the code of a file that of a library. */
static void make_library(const char *file)
{
	struct ml_tables *t = ml_writer_tables(writer);

	for (uint32_t i = 1; i < t->sites.count; i++)
		if (!strcmp(ml_tables_text(t, ml_tables_frame(t, i).file), file))
			t->sites.at[i].user = false;
}

/* Two loops that want tiles; the one of lib.c costs twice as much. */
static void two_loops(void)
{
	put("alloc X 0x10000 65536 8\nalloc Y 0x20000 65536 8\nL lib.c:1");
	touch('r', 0x10000, 8);
	put("L own.c:2");
}

TEST(what_the_user_cannot_change_comes_last)
{
	struct found x;

	for (int library = 0; library < 2; library++) {
		start();
		two_loops();
		if (library)
			make_library("lib.c");
		for (unsigned t = 0; t < 20; t++)
			put("L lib.c:1\nr0x10000+16*40");
		for (unsigned t = 0; t < 10; t++)
			put("L own.c:2\nr0x20000+16*40");
		finish(&x, FULL);
		CHECK_EQ(count, 2);
		CHECK_STR(x.findings.at[0].region, library ? "Y" : "X");
		CHECK_STR(x.findings.at[1].region, library ? "X" : "Y");
		CHECK(x.findings.at[library].gain > x.findings.at[!library].gain);
		done(&x);
	}
}

/* Makes a variable a section of a program or library without symbols. */
static void make_section(const char *name)
{
	struct ml_tables *t = ml_writer_tables(writer);

	for (uint32_t i = 1; i < t->regions.count; i++)
		if (!strcmp(ml_tables_text(t, t->regions.at[i].name), name))
			t->regions.at[i].kind = ML_REGION_SECTION;
}

TEST(tables_that_library_code_goes_through_are_no_finding)
{
	struct found x;

	for (int section = 0; section < 2; section++) {
		start();
		put("global X 0x10000 65536 8\nL lib.c:1\nr0x10000");
		make_library("lib.c");
		if (section)
			make_section("X");
		for (unsigned t = 0; t < 20; t++)
			put("r0x10000+16*40");
		finish(&x, FULL);
		CHECK_EQ(x.findings.count, !section);
		done(&x);
	}
}
