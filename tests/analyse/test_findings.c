/*
 * Findings on traces made for them, with numbers that can be derived, and on traces
 * in which they must not appear.
 */
#include "tests/found.h"

/* float A[64][16]: a row has 4 lines, a column 64. */
static void walk(bool along)
{
	if (!ml_writer_time(writer))
		put("global A 0x10000 4096 4 64 16\nL walk.c:7");
	for (unsigned i = 0; i < 1024; i++)
		touch('r',
		      0x10000 + (along ? 4 * i : (uint64_t)(i % 64) * 64 + i / 64 * 4),
		      4);
}

TEST(a_matrix_walked_down_its_columns_is_found_with_its_line)
{
	struct found x;

	start();
	walk(false);
	finish(&x, FULL);
	CHECK_EQ(count, 1);
	const struct ml_finding *n = need(&x, "stride");
	CHECK_STR(n->title, "A is walked down its columns");
	CHECK_STR(n->region, "A");
	CHECK_STR(n->file, "walk.c");
	CHECK_EQ(n->line, 7);
	CHECK(n->simulated);
	CHECK_EQ(fact(n, "stride"), 64);
	CHECK_EQ(fact(n, "row"), 64);
	/* all 1024 miss; along rows one of four would */
	CHECK_EQ(fact(n, "misses"), 1024);
	CHECK_EQ(fact(n, "misses_predicted"), 256);
	CHECK_NEAR(n->gain, 1 - (256 * 100 + 768 * 1) / (1024 * 100.0), 1e-9);
	CHECK_NEAR(n->cost, 0.99, 1e-9);
	done(&x);
}

TEST(a_matrix_walked_along_its_rows_is_not)
{
	struct found x;

	start();
	walk(true);
	finish(&x, FULL);
	CHECK_EQ(count, 0);
	CHECK(x.findings.waiting > 0.9); /* all of it for first touches */
	CHECK_NEAR(x.findings.cold, x.findings.waiting, 1e-9);
	done(&x);
}

TEST(a_change_that_is_tried_on_a_part_is_scaled_to_the_whole)
{
	struct ml_findings_options o = { .window = 1024 };
	struct ml_findings part;
	struct found x;
	struct ml_err err;

	start();
	for (unsigned i = 0; i < 8; i++)
		walk(false);
	finish(&x, FULL);
	CHECK_OK(ml_findings_make(&part, &x.trace, &x.profile, &o, &err), &err);
	CHECK_EQ(x.findings.tried, 8192);
	CHECK_EQ(part.tried, 1024);
	CHECK_EQ(part.of, 8192);
	/* slices of 128 references that start anywhere in a column of 64 */
	CHECK_NEAR(part.at[0].gain, need(&x, "stride")->gain, 0.03);
	ml_findings_release(&part);
	done(&x);
}

TEST(rows_that_are_blocks_of_their_own_are_walked_in_large_steps_too)
{
	enum { ROWS = 64, COLUMNS = 16 };
	struct found x;

	start();
	put("alloc t 0x8000 512 8");
	for (unsigned i = 0; i < ROWS; i++)
		put("alloc row 0x%x 64 4", 0x10000 + i * 80);
	for (unsigned j = 0; j < COLUMNS; j++)
		for (unsigned i = 0; i < ROWS; i++)
			put("r 0x%x 8 1 rows.c:3\nr 0x%x 4 1 rows.c:3", 0x8000 + i * 8,
			    0x10000 + i * 80 + j * 4);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "stride");
	CHECK_STR(n->region, "row");
	CHECK_EQ(n->line, 3);
	CHECK_EQ(fact(n, "stride"), 80);
	CHECK_EQ(fact(n, "misses"), ROWS * COLUMNS);
	/* side by side, a line of 16 bytes has four of the elements of a column */
	CHECK_EQ(fact(n, "misses_predicted"), ROWS * COLUMNS / 4);
	done(&x);
}

TEST(a_flat_heap_block_is_walked_in_large_steps_too)
{
	struct found x;

	start();
	put("alloc B 0x10000 4096 4\nL flat.c:3");
	for (unsigned i = 0; i < 1024; i++)
		touch('r', 0x10000 + (uint64_t)(i % 64) * 64 + i / 64 * 4, 4);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "stride");
	CHECK_STR(n->title, "B is walked in large steps");
	CHECK_EQ(fact(n, "misses_predicted"), 256);
	done(&x);
}

/* Two rows of `row` bytes, which are read by turns, ten times over. */
static void two_rows(unsigned row)
{
	put("global G 0x10000 %u 8 2 %u\nL pad.c:5", 2 * row, row / 8);
	for (unsigned t = 0; t < 10; t++)
		for (unsigned j = 0; j < 8; j++) {
			touch('r', 0x10000 + 8 * j, 8);
			touch('r', 0x10000 + row + 8 * j, 8);
		}
}

TEST(rows_as_long_as_the_cache_are_found_with_a_padding_that_helps)
{
	struct found x;

	start();
	two_rows(256);
	finish(&x, SETS);
	CHECK_EQ(count, 1);
	const struct ml_finding *n = need(&x, "padding");
	CHECK_STR(n->region, "G");
	CHECK_EQ(n->line, 5);
	CHECK_EQ(fact(n, "row"), 256);
	CHECK_EQ(fact(n, "sets_of_rows"), 1);
	/*
	 * All 160 miss. Four lines of each row are in use: a padding of a line lets three
	 * of them meet, one of four none.
	 */
	CHECK_EQ(fact(n, "misses_tried"), 160);
	CHECK_EQ(fact(n, "pad"), 64);
	CHECK_EQ(fact(n, "misses_predicted"), 8);
	CHECK_NEAR(n->gain, (160 - 8) * 99 / 16000.0, 1e-9);
	done(&x);
}

TEST(rows_that_were_padded_are_not)
{
	struct found x;

	start();
	two_rows(256 + 64);
	finish(&x, SETS);
	CHECK(!find(&x, "padding"));
	CHECK(!find(&x, "overlap"));
	done(&x);
}

/* 16 rows of 256 bytes in the order of a Fourier transform: 0, 8, 4, 12, 2, 10... */
TEST(the_rows_of_a_flat_array_are_those_that_its_steps_have_in_common)
{
	struct found x;

	start();
	put("alloc F 0x10000 4096 8\nL gather.c:4");
	for (unsigned t = 0; t < 8; t++)
		for (unsigned i = 0; i < 16; i++) {
			unsigned row = (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 |
				       i >> 3;

			touch('r', 0x10000 + 256 * row + t / 2 * 16 + t % 2 * 4, 12);
		}
	finish(&x, SETS);
	const struct ml_finding *n = need(&x, "padding");
	CHECK_STR(n->region, "F");
	CHECK_EQ(fact(n, "row"), 256); /* half of the steps are 8 rows long */
	done(&x);
}

static void two_arrays(uint64_t apart)
{
	put("global P 0x10000 128 8\nglobal Q 0x%llx 128 8\nL two.c:9",
	    (unsigned long long)(0x10000 + apart));
	for (unsigned t = 0; t < 10; t++)
		for (unsigned j = 0; j < 8; j++) {
			touch('r', 0x10000 + 8 * j, 8);
			touch('w', 0x10000 + apart + 8 * j, 8);
		}
}

TEST(two_arrays_in_the_same_sets_are_found)
{
	struct found x;

	start();
	two_arrays(256);
	finish(&x, SETS);
	CHECK_EQ(count, 1);
	const struct ml_finding *n = need(&x, "overlap");
	CHECK_STR(n->title, "P and Q drive each other out of L1");
	CHECK_EQ(fact(n, "misses_tried"), 160);
	CHECK_EQ(fact(n, "shift"), 4 * 16); /* by one line, three lines still meet */
	CHECK_EQ(fact(n, "misses_predicted"), 8);
	done(&x);
}

TEST(two_arrays_in_different_sets_are_not)
{
	struct found x;

	start();
	two_arrays(256 + 64);
	finish(&x, SETS);
	CHECK(!find(&x, "overlap"));
	done(&x);
}

/* 64 structures of 16 bytes with four fields; the line reads the first of `used`. */
static void structures(unsigned used)
{
	struct ml_tables *t = ml_writer_tables(writer);

	put("region S 0x10000 1024 16");
	struct ml_region *r = &t->regions.at[t->regions.count - 1];
	r->field = (uint32_t)t->fields.count;
	r->fields = 4;
	for (unsigned i = 0; i < 4; i++) {
		char name[] = { (char)('a' + i), 0 };

		*ML_ADD(t->fields) = (struct ml_field){ ml_tables_name(t, name), 0, 4 * i,
							4 };
	}
	put("L struct.c:4");
	for (unsigned k = 0; k < 5; k++)
		for (unsigned i = 0; i < 64; i++)
			for (unsigned f = 0; f < used; f++)
				touch('r', 0x10000 + 16 * i + 4 * f, 4);
}

TEST(structures_of_which_one_field_is_used_are_found)
{
	struct found x;

	start();
	structures(1);
	finish(&x, FULL);
	CHECK_EQ(count, 1); /* not also as lines that are barely used */
	const struct ml_finding *n = need(&x, "fields");
	CHECK_EQ(n->line, 4);
	CHECK_EQ(fact(n, "used_bytes"), 4);
	CHECK_EQ(fact(n, "element"), 16);
	/* 64 lines do not fit, all 320 miss; 64 fields of 4 bytes are the 16 lines */
	CHECK_EQ(fact(n, "misses_tried"), 320);
	CHECK_EQ(fact(n, "misses_predicted"), 16);
	CHECK_NEAR(n->gain, (320 - 16) * 99 / 32000.0, 1e-9);
	CHECK(strstr(n->advice, "keep a in an array of its own"));
	done(&x);
}

/* 64 nodes of 64 bytes, of which the first 8 are read, in the order in which they lie. */
static void nodes(void)
{
	struct ml_tables *t = ml_writer_tables(writer);

	for (unsigned i = 0; i < 64; i++)
		put("alloc node 0x%x 64 64", 0x10010 + 80 * i);
	struct ml_region *r = &t->regions.at[t->regions.count - 1];
	r->field = (uint32_t)t->fields.count;
	r->fields = 2;
	*ML_ADD(t->fields) = (struct ml_field){ ml_tables_name(t, "key"), 0, 0, 8 };
	*ML_ADD(t->fields) = (struct ml_field){ ml_tables_name(t, "rest"), 0, 8, 56 };
	put("L list.c:4");
	for (unsigned k = 0; k < 5; k++)
		for (unsigned i = 0; i < 64; i++)
			touch('r', 0x10010 + 80 * i, 8);
}

/*
 * A block of 16 bytes, a key and a pointer to the rest, takes 32 of the allocator's: two
 * lie in a line of 64 bytes, none shares a line of 16.
 */
TEST(parts_of_nodes_are_as_far_apart_as_the_allocator_puts_them)
{
	struct found x;

	start();
	nodes();
	finish(&x, "L1 1K full 64B lru 1c | memory 100c");
	const struct ml_finding *n = need(&x, "fields");
	CHECK_EQ(fact(n, "misses_tried"), 320);
	CHECK_EQ(fact(n, "misses_predicted"), 5 * 33); /* the first lies in half a line */
	CHECK(strstr(n->advice, "keep key in blocks of its own"));
	done(&x);
	start();
	nodes();
	finish(&x, FULL);
	CHECK(!find(&x, "fields"));
	done(&x);
}

TEST(structures_that_are_used_whole_are_not)
{
	struct found x;

	start();
	structures(4);
	finish(&x, FULL);
	CHECK(!find(&x, "fields"));
	CHECK(!find(&x, "unused bytes"));
	done(&x);
}

static void rounds(unsigned lines)
{
	put("alloc W 0x10000 65536 8\nL round.c:2");
	for (unsigned t = 0; t < 20; t++)
		for (unsigned i = 0; i < lines; i++) {
			touch('r', 0x10000 + 16 * i, 8);
			touch('r', 0x10000 + 16 * i + 8, 8);
		}
}

TEST(data_that_a_loop_only_reads_again_and_again_want_tiles)
{
	struct found x;

	start();
	rounds(24);
	finish(&x, FULL);
	CHECK_EQ(count, 1);
	const struct ml_finding *n = need(&x, "tile");
	CHECK_EQ(n->line, 2);
	CHECK_EQ(fact(n, "holds"), 256);
	CHECK_EQ(fact(n, "working_set"), 23 * 16); /* the other lines of a round */
	/* each round misses all 24 lines; those of the first are cold */
	CHECK_EQ(fact(n, "misses"), 19 * 24);
	CHECK_NEAR(n->gain, 99 * 24 * 19 / (24 * 20 * 101.0), 1e-9);
	done(&x);
	start();
	rounds(100);
	finish(&x, FULL);
	CHECK_EQ(fact(need(&x, "tile"), "working_set"), 99 * 16);
	done(&x);
}

/* 24 lines fit L2, 100 do not. A loop backwards finds 16 lines in L1 of each pass. */
TEST(tiles_that_only_spare_the_way_to_the_second_level_are_no_certain_remedy)
{
	const char *machine =
		"L1 256 full 16B lru 4c | L2 1K full 14c | L3 64K full 50c | "
		"memory 200c";
	struct found x;

	start();
	rounds(24);
	finish(&x, machine);
	CHECK(need(&x, "tile")->vague);
	/* 19 * 24 misses cost 10 cycles more than hits, of 24 * (200 + 20 * 4) + 19 * 24 *
	 * 14 in all; 16 lines of 23 would hit: 3172 of 13104 */
	CHECK(strstr(need(&x, "tile")->advice, "backwards saves 24 % at most"));
	done(&x);
	start();
	rounds(100);
	finish(&x, machine);
	CHECK(!need(&x, "tile")->vague);
	done(&x);
}

TEST(data_that_fit_or_are_read_once_do_not)
{
	struct found x;

	start();
	rounds(16);
	finish(&x, FULL);
	CHECK_EQ(count, 0);
	done(&x);
	start();
	put("alloc W 0x10000 65536 8\nL fill.c:1\nw0x10000+8*400\nL sum.c:2\nr0x10000+8*400");
	finish(&x, FULL);
	CHECK_EQ(count,
		 1); /* filled, evicted and read once: nothing can be read earlier */
	CHECK(find(&x, "write allocate"));
	done(&x);
}

TEST(sweeps_that_write_want_every_other_one_backwards)
{
	struct found x;

	start();
	put("alloc W 0x10000 65536 8\nL sweep.c:2");
	for (unsigned t = 0; t < 20; t++)
		for (unsigned i = 0; i < 24; i++)
			put("m0x%x", 0x10000 + 16 * i);
	finish(&x, FULL);
	CHECK_EQ(count, 1);
	const struct ml_finding *n = need(&x, "sweep");
	CHECK_EQ(n->line, 2);
	CHECK_EQ(fact(n, "sweeps"), 20);
	/* each sweep misses 24 lines; one that turns round finds 16 of them */
	CHECK_NEAR(n->gain, 19 * 16 * 99 / (24 * 20 * 101.0), 1e-9);
	CHECK_NEAR(fact(n, "gain_of_tiles"), 19 * 24 * 99 / (24 * 20 * 101.0), 1e-9);
	done(&x);
}

TEST(two_loops_over_the_same_data_want_to_be_one)
{
	struct found x;

	start();
	put("alloc X 0x10000 65536 8");
	for (unsigned t = 0; t < 10; t++)
		put("L a.c:1\nr0x10000+16*24\nL b.c:2\nr0x10000+16*24");
	finish(&x, FULL);
	CHECK_EQ(count, 1); /* one promise for the pair */
	const struct ml_finding *n = need(&x, "fuse");
	CHECK_EQ(n->line, 2);
	CHECK(strstr(n->advice, "fuse the loops of a.c:1 and b.c:2"));
	/* all 480 miss; without the second loop 240 are not made */
	CHECK_NEAR(n->gain, 0.5, 1e-9);
	CHECK_NEAR(fact(n, "gain_at_least"), 240 * 99 / 48000.0, 1e-9);
	done(&x);
}

TEST(what_is_cleared_and_then_filled_is_written_in_vain)
{
	struct found x;

	start();
	put("alloc C 0x10000 4096 8\nL zero.c:1\nw0x10000+8*100\n"
	    "L fill.c:2\nw0x10000+8*100\nL sum.c:3\nr0x10000+8*100");
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "cleared");
	CHECK_EQ(n->line, 1);
	CHECK(strstr(n->says[0], "mostly by fill.c:2"));
	CHECK_NEAR(fact(n, "in_vain"), 1, 1e-9);
	/* each of the three loops misses 50 lines and hits 50 times */
	CHECK_NEAR(n->gain, 1 / 3.0, 1e-9);
	done(&x);
	start();
	put("alloc C 0x10000 4096 8\nL zero.c:1\nw0x10000+8*100\n"
	    "L add.c:2\nm0x10000+8*100\n");
	finish(&x, FULL);
	CHECK(!find(&x, "cleared")); /* the zeros are read */
	done(&x);
}

TEST(an_array_that_grows_by_copying_is_found)
{
	struct found x;
	uint64_t base = 0x10000;

	start();
	put("alloc v 0x10000 64 8\nL push.c:3\nw0x10000+8*8");
	for (unsigned size = 64; size < 2048; size *= 2) {
		uint64_t to = base + 0x10000;

		put("alloc v 0x%llx %u 8\nL copy.c:9", (unsigned long long)to, 2 * size);
		for (unsigned i = 0; i < size; i += 8) {
			touch('r', base + i, 8);
			touch('w', to + i, 8);
		}
		put("free 0x%llx\nL push.c:3\nw0x%llx+8*%u", (unsigned long long)base,
		    (unsigned long long)(to + size), size / 8);
		base = to;
	}
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "copies");
	CHECK_STR(n->region, "v");
	CHECK_EQ(fact(n, "copies"), 5);
	CHECK_EQ(fact(n, "bytes"), 64 + 128 + 256 + 512 + 1024);
	CHECK(n->simulated);
	done(&x);
}

/* The i-th of a permutation of a power of two, whose steps are all different. */
static unsigned shuffled(unsigned i, unsigned size)
{
	return i * (i + 1) / 2 % size;
}

TEST(blocks_that_are_visited_in_another_order_than_they_lie_are_found)
{
	struct found x;

	start();
	for (unsigned i = 0; i < 128; i++)
		put("alloc node 0x%x 16 16", 0x10000 + 32 * i);
	put("L list.c:4");
	for (unsigned i = 0; i < 1280; i++)
		touch('r', 0x10000 + 32 * shuffled(i % 128, 128), 8);
	finish(&x, "L1 1K full 64B lru 1c | memory 100c");
	const struct ml_finding *n = need(&x, "nodes");
	CHECK_EQ(n->line, 4);
	CHECK_EQ(fact(n, "blocks"), 128);
	CHECK_EQ(fact(n, "misses_predicted"), 640); /* two blocks a line, ten rounds */
	done(&x);
}

static void gather(bool sorted)
{
	put("global X 0x10000 1024 8\nglobal at 0x20000 512 4\nL gather.c:5");
	for (unsigned i = 0; i < 1280; i++) {
		unsigned k = i % 128;

		touch('r', 0x20000 + 4 * k, 4);
		touch('r', 0x10000 + 8 * (sorted ? k : shuffled(k, 128)), 8);
	}
}

TEST(elements_in_the_order_of_an_index_want_it_sorted)
{
	struct found x;

	start();
	gather(false);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "gather");
	CHECK_STR(n->region, "X");
	CHECK_EQ(fact(n, "passes"), 10);
	CHECK_EQ(fact(n, "misses_predicted"), 640); /* two elements a line, ten passes */
	CHECK(strstr(n->advice, "sort at"));
	done(&x);
	start();
	gather(true);
	finish(&x, FULL);
	CHECK(!find(&x, "gather"));
	done(&x);
}

TEST(probes_without_order_want_a_denser_table)
{
	struct found x;

	start();
	put("global table 0x10000 2048 8\nL probe.c:6");
	for (unsigned i = 0; i < 640; i++)
		touch('r', 0x10000 + 64 * shuffled(i % 32, 32), 8);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "probes");
	CHECK_STR(n->region, "table");
	CHECK_EQ(fact(n, "elements"), 32);
	CHECK_EQ(fact(n, "misses_tried"), 640);
	CHECK_EQ(fact(n, "misses_predicted"), 16); /* 32 elements fill the 16 lines */
	CHECK(!find(&x, "tile"));
	done(&x);
}

#define TWO \
	"cores 2 | L1 256 full 16B lru 1c private | L2 1K full 16B 10c shared | memory 100c"

static void by_turns(unsigned second)
{
	put("global hits 0x10000 32 8");
	for (unsigned i = 0; i < 100; i++)
		put("L one.c:1\nw0x10000@1\nL two.c:2\nw0x%x@2\n", 0x10000 + second);
}

TEST(threads_that_write_neighbours_share_a_line_falsely)
{
	struct found x;

	start();
	by_turns(8);
	finish(&x, TWO);
	const struct ml_finding *n = need(&x, "false sharing");
	CHECK_STR(n->region, "hits");
	CHECK_EQ(fact(n, "lines"), 1);
	CHECK_EQ(fact(n, "misses"), 198); /* all but the first of each */
	CHECK(strstr(n->says[1], "thread 1 writes hits[0] (one.c:1)"));
	CHECK(strstr(n->says[1], "thread 2 writes hits[1] (two.c:2)"));
	done(&x);
}

/* An exclusive level, as in zen2 to zen5, never has a line that cores take in turn. */
TEST(false_sharing_is_the_first_finding_on_every_machine_that_people_have)
{
	for (const struct ml_preset *p = ml_presets; p->name; p++) {
		struct found x;
		char machine[100];

		snprintf(machine, sizeof(machine), "%s | cores 4", p->name);
		start();
		put("global hits 0x10000 32 8");
		put("r0x20000@2 r0x20000@3"); /* so that threads 1 and 4 share no L2 */
		for (unsigned i = 0; i < 100; i++)
			put("L one.c:1\nw0x10000@1\nL two.c:2\nw0x10008@4\n");
		finish(&x, machine);
		if (!count || strcmp(x.findings.at[0].kind, "false sharing") != 0)
			TEST_SAY("%s: '%s'", machine,
				 count ? x.findings.at[0].kind : "nothing");
		CHECK_EQ(count, 1);
		done(&x);
	}
}

TEST(threads_that_write_the_same_datum_or_lines_apart_do_not)
{
	struct found x;

	start();
	by_turns(0);
	finish(&x, TWO);
	CHECK(!find(&x, "false sharing"));
	const struct ml_finding *n = need(&x, "true sharing");
	CHECK_STR(n->region, "hits");
	CHECK_EQ(fact(n, "misses"), 198); /* all but the first of each */
	/*
	 * The first comes from memory, all others from the other core: 20 cycles, twice
	 * those of the shared level. Thread 2 also waits for the line at its first write,
	 * which takes 10 cycles more than the shared level.
	 */
	CHECK_NEAR(fact(n, "gain_at_least"), (198 * 19 + 10) / (199 * 20 + 100.0), 1e-9);
	done(&x);
	start();
	by_turns(16);
	finish(&x, TWO);
	CHECK_EQ(count, 0);
	done(&x);
}

static void stream(bool read)
{
	put("alloc out 0x10000 65536 8\nL stream.c:6");
	for (unsigned i = 0; i < 1000; i++) {
		put("w0x%x", 0x10000 + 8 * i);
		if (read)
			put("r0x%x", 0x10000 + 8 * i);
	}
}

TEST(an_array_that_is_only_written_is_fetched_in_vain)
{
	struct found x;

	start();
	stream(false);
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "write allocate");
	CHECK_STR(n->region, "out");
	CHECK_EQ(fact(n, "writes"), 1000);
	CHECK_EQ(fact(n, "writes_from_memory"), 500);
	CHECK_NEAR(fact(n, "whole_lines"), 1, 1e-9);
	/* lines that are still there at the end count too */
	CHECK_NEAR(n->gain, 99 * 500 / (500 * 101.0), 1e-9);
	done(&x);
}

TEST(an_array_that_is_read_behind_the_writes_is_not)
{
	struct found x;

	start();
	stream(true);
	finish(&x, FULL);
	CHECK(!find(&x, "write allocate"));
	done(&x);
}

TEST(what_one_line_allocates_is_one_region_by_whatever_calls_it_was_reached)
{
	struct found x;

	start();
	struct ml_tables *t = ml_writer_tables(writer);
	uint32_t number[2];
	for (unsigned i = 0; i < 2; i++) {
		number[i] = (uint32_t)t->regions.count;
		*ML_ADD(t->regions) =
			(struct ml_region){ .kind = ML_REGION_HEAP,
					    .name = ml_tables_name(t, "n"),
					    .file = ml_tables_name(t, "r.c"),
					    .line = 9,
					    .elem = 8 };
		ml_writer_alloc(writer, number[i], 0x10000 + 0x10000 * i, 0x8000);
	}
	put("L stream.c:6");
	for (unsigned i = 0; i < 1000; i++)
		put("w0x%x", 0x10000 + 0x10000 * (i / 500) + 8 * i % 4000);
	finish(&x, FULL);
	CHECK_EQ(count, 1);
	CHECK_EQ(fact(need(&x, "write allocate"), "writes_from_memory"), 500);
	done(&x);
}

static void scatter(void)
{
	put("alloc nodes 0x10000 65536 8\nL chase.c:8");
	for (unsigned i = 0; i < 2000; i++) /* each line once */
		touch('r', 0x10000 + i * 16, 2);
}

TEST(scattered_data_that_use_little_of_each_line_are_found)
{
	struct found x;

	start();
	scatter();
	finish(&x, FULL);
	const struct ml_finding *n = need(&x, "unused bytes");
	CHECK_STR(n->region, "nodes");
	CHECK_EQ(fact(n, "line"), 16);
	CHECK_EQ(fact(n, "used_bytes"), 2);
	CHECK(!n->simulated);
	done(&x);
}

TEST(pages_beyond_the_reach_of_the_tlb_are_found)
{
	struct found x;
	static const char machine[] =
		"L1 4K full 16B lru 1c | memory 10c | TLB 4e 4w 4K | walk 100c";

	start();
	put("alloc big 0x100000 1000000 8\nL pages.c:1");
	for (unsigned i = 0; i < 800; i++)
		put("r0x%x", 0x100000 + i % 8 * 4096);
	finish(&x, machine);
	const struct ml_finding *n = need(&x, "pages");
	CHECK_STR(n->region, "big");
	CHECK_EQ(n->line, 1);
	CHECK_EQ(fact(n, "misses"), 800);
	done(&x);
}

TEST(a_program_that_hits_has_no_findings)
{
	struct found x;

	start();
	put("global A 0x10000 64 8\nL hot.c:1\nr0x10000*1000\n");
	finish(&x, FULL);
	CHECK_EQ(count, 0);
	CHECK_NEAR(x.findings.waiting, 99 / 1099.0, 1e-9);
	done(&x);
}

TEST(an_empty_trace_has_no_findings)
{
	struct found x;

	start();
	finish(&x, FULL);
	CHECK_EQ(count, 0);
	done(&x);
}

TEST(what_another_change_would_mend_too_stands_beside_the_finding)
{
	/* 16 rows as long as the cache, walked down: padding and interchange both help */
	struct found x;

	start();
	put("global A 0x10000 4096 4 16 64\nL both.c:1");
	for (unsigned t = 0; t < 4; t++)
		for (unsigned i = 0; i < 1024; i++)
			touch('r', 0x10000 + (uint64_t)(i % 16) * 256 + i / 16 * 4, 4);
	finish(&x, SETS);
	CHECK_EQ(count, 1);
	CHECK(x.findings.at[0].other);
	done(&x);
}

TEST(machines_that_know_the_future_have_findings_without_simulation_only)
{
	struct found x;

	start();
	scatter();
	finish(&x, "L1 256 full 16B opt 1c | memory 100c");
	CHECK(x.findings.untried || !x.findings.tried);
	need(&x, "unused bytes");
	done(&x);
}

TEST(json_has_every_fact_and_the_other_ways)
{
	struct found x;
	struct ml_buf out = { 0 };
	struct ml_json w = { .out = &out };

	start();
	walk(false);
	finish(&x, FULL);
	ml_findings_json(&x.findings, &w, true);
	ml_buf_u8(&out, 0);
	const char *text = (const char *)out.data;
	CHECK(strstr(text, "\"kind\": \"stride\"") ||
	      strstr(text, "\"kind\":\"stride\""));
	CHECK(strstr(text, "misses_predicted"));
	CHECK(strstr(text, "\"or\""));
	CHECK(strstr(text, "\"again\"") && strstr(text, "{step}"));
	ml_buf_release(&out);
	done(&x);
}
