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

/*
 * 40 elements of a structure of 16 bytes, of which one field is read `rounds` times; it
 * is simulated that they fit if they are apart.
 */
static void one_field(unsigned rounds)
{
	struct ml_tables *t = ml_writer_tables(writer);

	put("region S 0x30000 640 16");
	struct ml_region *r = &t->regions.at[t->regions.count - 1];
	r->field = (uint32_t)t->fields.count;
	r->fields = 2;
	for (unsigned i = 0; i < 2; i++)
		*ML_ADD(t->fields) = (struct ml_field){ ml_tables_name(t, i ? "b" : "a"),
							0, 8 * i, 4 + 4 * i };
	put("L struct.c:9");
	for (unsigned i = 0; i < rounds; i++)
		put("r0x30000+16:4*40");
}

TEST(an_estimate_stands_below_what_was_simulated)
{
	struct found x;

	start();
	two_loops();
	for (unsigned t = 0; t < 20; t++)
		put("L lib.c:1\nr0x10000+16*40");
	one_field(5);
	finish(&x, FULL);
	CHECK_EQ(count, 2);
	CHECK_STR(x.findings.at[0].kind, "fields");
	CHECK_STR(x.findings.at[1].kind, "tile");
	CHECK(x.findings.at[0].simulated && !x.findings.at[1].simulated);
	CHECK(x.findings.at[0].gain < x.findings.at[1].gain);
	done(&x);
}

TEST(write_allocate_stands_below_all_others)
{
	struct found x;

	start();
	two_loops();
	for (unsigned t = 0; t < 5; t++)
		put("L lib.c:1\nr0x10000+16*40");
	put("alloc Z 0x40000 65536 8\nL out.c:1\nw0x40000+8:8*4000");
	finish(&x, FULL);
	CHECK_EQ(count, 2);
	CHECK_STR(x.findings.at[0].kind, "tile");
	CHECK_STR(x.findings.at[1].kind, "write allocate");
	CHECK(x.findings.at[0].gain < x.findings.at[1].gain);
	done(&x);
}

TEST(there_is_no_verdict_on_a_program_that_a_signal_ended)
{
	static const char *const status[] = { "0", "1", "139" };

	for (size_t i = 0; i < 3; i++) {
		struct found x;

		start();
		put("alloc X 0x10000 65536 8\nL own.c:1\nr0x10000*100");
		ml_tables_meta(ml_writer_tables(writer), "exit status", status[i]);
		finish(&x, FULL);
		CHECK_EQ(count, 0);
		if (i < 2)
			CHECK(!x.findings.no_verdict);
		else
			CHECK(strstr(x.findings.no_verdict,
				     "Signal 11 ended the program"));
		done(&x);
	}
}

/*
 * Columns of two arrays whose rows all begin in the first of 8 sets: six rows of each do
 * not fit into 8 ways, six of one and one of the other do.
 */
TEST(of_two_arrays_either_of_which_can_be_padded_one_is_the_alternative)
{
	struct found x;

	start();
	put("global A 0x10000 16384 8 128 16\nglobal Q 0x20000 16384 8 128 16\n"
	    "L walk.c:3");
	for (unsigned t = 0; t < 40; t++)
		for (unsigned k = 0; k < 6; k++)
			put("L walk.c:3\nr0x%x\nL walk.c:4\nr0x%x", 0x10000 + 128 * k,
			    0x20000 + 128 * k);
	finish(&x, "L1 1K 8w 16B lru 1c | memory 100c");
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += x.findings.at[i].gain;
	CHECK(sum <= x.findings.waiting + 1e-9);
	const struct ml_finding *n = need(&x, "padding");
	CHECK(n->other && !strcmp(n->other->kind, "padding"));
	CHECK(strcmp(n->region, n->other->region) != 0);
	done(&x);
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
