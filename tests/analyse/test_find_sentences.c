/*
 * The numbers in the sentences of findings, derived by hand from traces that are small
 * enough for that. Most traces are those of test_findings.c.
 */
#include "tests/found.h"

/* All sentences of the finding of a kind as one text. */
static const char *says(const struct found *x, const char *kind)
{
	static char text[2000];
	const struct ml_finding *n = need(x, kind);

	snprintf(text, sizeof(text), "%s.", n->title);
	for (size_t i = 0; n->says[i]; i++) {
		strncat(text, " ", sizeof(text) - strlen(text) - 1);
		strncat(text, n->says[i], sizeof(text) - strlen(text) - 1);
	}
	return text;
}

TEST(of_a_stride_the_row_the_misses_and_the_bytes_used)
{
	struct found x;

	/* float A[64][16], 64 bytes a row, down its columns: every reference misses, the
	 * cold ones too, and uses 4 of the 16 bytes of its line */
	start();
	put("global A 0x10000 4096 4 64 16\nL walk.c:7");
	for (unsigned i = 0; i < 1024; i++)
		touch('r', 0x10000 + (uint64_t)(i % 64) * 64 + i / 64 * 4, 4);
	finish(&x, FULL);
	CHECK_STR(
		says(&x, "stride"),
		"A is walked down its columns. walk.c:7 goes through A in steps of 64 bytes, "
		"one row on. 1,024 of 1,024 references miss L1 (served by memory 100 %); it "
		"uses 4 bytes of each line of 16 that it fetches. Walked along rows, 25 % of "
		"its references would miss L1, not 100 %.");
	done(&x);
}

TEST(of_padding_the_conflicts_among_all_misses_and_the_sets)
{
	struct found x;

	/* two rows of 256 bytes meet in the same sets: of 160 misses the first of each of
	 * the 8 lines is cold */
	start();
	put("global G 0x10000 512 8 2 32\nL pad.c:5");
	for (unsigned t = 0; t < 10; t++)
		for (unsigned j = 0; j < 8; j++) {
			touch('r', 0x10000 + 8 * j, 8);
			touch('r', 0x10000 + 256 + 8 * j, 8);
		}
	finish(&x, SETS);
	CHECK(strstr(says(&x, "padding"), "152 of 160 misses of L1 are conflicts"));
	CHECK(strstr(says(&x, "padding"), "256 bytes apart"));
	CHECK(strstr(says(&x, "padding"), "into 1 of 16 sets"));
	CHECK(strstr(says(&x, "padding"),
		     "64 bytes longer, its misses of L1 change from 160 to 8"));
	done(&x);
}

TEST(of_write_allocate_the_writes_and_not_the_reads)
{
	struct found x;

	/* 1000 values of 8 bytes are 500 lines; 40 of them are read much later */
	start();
	put("alloc out 0x10000 65536 8\nL stream.c:6\nw0x10000+8*1000\nL look.c:7\n"
	    "r0x10000+8*40");
	finish(&x, FULL);
	CHECK_STR(
		says(&x, "write allocate"),
		"out is fetched from memory only to be overwritten. 500 of the 1,000 writes "
		"of stream.c:6 to out wait for a line from memory, and 100 % of the lines "
		"are then overwritten as a whole.");
	done(&x);
}

TEST(of_cleared_memory_the_bytes_in_vain_and_the_cost_of_the_references)
{
	struct found x;

	/* the last quarter of what is cleared is read and not overwritten: 10 of 100 */
	start();
	put("alloc C 0x10000 4096 8\nL zero.c:1\nw0x10000+8*100\n"
	    "L fill.c:2\nw0x10000+8*90\nL sum.c:3\nr0x10000+8*100");
	finish(&x, FULL);
	/* 50 + 45 + 50 lines of 100 cycles, and 145 hits */
	CHECK(strstr(
		says(&x, "cleared"),
		"90 % of the bytes that zero.c:1 writes are overwritten before anybody "
		"reads them, mostly by fill.c:2."));
	CHECK(strstr(says(&x, "cleared"),
		     "Its 100 references cost 34 % of all access time."));
	CHECK_NEAR((50 * 101) / (145 * 101.0), 0.34, 0.005);
	done(&x);
}

TEST(of_fields_the_share_of_references_and_the_bytes)
{
	struct found x;
	struct ml_tables *t;

	/* 64 structures of four fields of 4 bytes; three of four references go to a */
	start();
	t = ml_writer_tables(writer);
	put("region S 0x10000 1024 16");
	struct ml_region *r = &t->regions.at[t->regions.count - 1];
	r->field = (uint32_t)t->fields.count;
	r->fields = 4;
	for (unsigned i = 0; i < 4; i++) {
		char name[] = { (char)('a' + i), 0 };

		*ML_ADD(t->fields) = (struct ml_field){ ml_tables_name(t, name), 0, 4 * i,
							4 };
	}
	for (unsigned k = 0; k < 4; k++)
		for (unsigned i = 0; i < 64; i++) {
			put(k < 3 ? "L hot.c:4" : "L cold.c:5");
			touch('r', 0x10000 + i * 16 + (k < 3 ? 0 : 8), 4);
		}
	finish(&x, FULL);
	CHECK(strstr(says(&x, "fields"),
		     "75 % of its references go to a: 4 of the 16 bytes of an element."));
	CHECK(strstr(says(&x, "fields"), "b, c and d."));
	CHECK(strstr(says(&x, "fields"),
		     "256 of 256 references miss L1 (served by memory 100 %)."));
	done(&x);
}

TEST(of_sweeps_their_number_and_their_size)
{
	struct found x;

	/* 24 lines of 16 bytes, read and written in each of 12 sweeps */
	start();
	put("alloc X 0x10000 65536 8\nL s.c:2");
	for (unsigned t = 0; t < 12; t++)
		put("m0x10000+16*24");
	finish(&x, FULL);
	CHECK(strstr(says(&x, "sweep"),
		     "s.c:2 walks over X 12 times, about 368 bytes each time."));
	CHECK_EQ(368, 23 * 16); /* the other lines of a sweep */
	done(&x);
}
