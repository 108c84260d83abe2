/* Model traces, reference by reference where they are small. */
#include "lib/trace/text/model.h"

#include <stdio.h>

#include "tests/dumped.h"
#include "tests/scratch.h"
#include "tests/test.h"

static void make(const char *path, const char *text)
{
	struct ml_writer *w;
	struct ml_model m;
	struct ml_err err;

	CHECK_OK(ml_model_init(&m, "model", text, strlen(text), &err), &err);
	CHECK_OK(ml_writer_open(&w, path, &err), &err);
	CHECK_OK(ml_model_run(&m, w, &err), &err);
	CHECK_EQ(ml_writer_time(w), m.refs);
	CHECK_OK(ml_writer_close(w, &err), &err);
	ml_model_release(&m);
}

/*
 * Dumps are compared in short: kind and datum of each reference ("rA[0][1]"), which
 * is all that matters once a region is known to lie where it should.
 */
static void makes(const char *text, const char *data)
{
	struct ml_dump_filter all = { .to = UINT64_MAX, .count = UINT64_MAX };
	struct ml_buf out = { 0 };
	struct ml_dump_row row;
	struct ml_trace t;
	struct ml_dump d;
	struct ml_err err;
	const char *path = scratch();

	make(path, text);
	CHECK_OK(ml_trace_open(&t, path, &err), &err);
	CHECK_OK(ml_dump_open(&d, &t, &all, &err), &err);
	while (ml_dump_next(&d, &row, &err)) {
		if (out.size)
			ml_buf_u8(&out, ' ');
		ml_buf_u8(&out, (uint8_t)ml_text_kind(ml_what_kind(row.ref.what)));
		ml_buf_put(&out, row.datum, strlen(row.datum));
	}
	ml_buf_u8(&out, 0);
	CHECK_STR((const char *)out.data, data);
	ml_buf_release(&out);
	ml_dump_close(&d);
	ml_trace_close(&t);
}

static uint64_t refs(const char *text)
{
	struct ml_model m;
	struct ml_err err;

	CHECK_OK(ml_model_init(&m, "model", text, strlen(text), &err), &err);
	uint64_t n = m.refs;
	ml_model_release(&m);
	return n;
}

static void fails(const char *text, const char *says)
{
	struct ml_model m;
	struct ml_err err;

	CHECK_FAILS(ml_model_init(&m, "model", text, strlen(text), &err), &err, says);
	ml_model_release(&m);
}

TEST(a_matmul_of_two_by_two_is_32_references)
{
	const char *path = scratch();

	make(path, "matmul 2 8 order ijk");
	/* c00 = a00 b00 + a01 b10, c01 = a00 b01 + a01 b11, ... */
	dumped_is(path, "region A 0x100000 32 8 2 2\n"
			"region B 0x101000 32 8 2 2\n"
			"region C 0x102000 32 8 2 2\n"
			"0 r 0x100000 8 1 model:1 matmul # A[0][0]\n"
			"1 r 0x101000 8 1 model:1 matmul # B[0][0]\n"
			"2 r 0x102000 8 1 model:1 matmul # C[0][0]\n"
			"3 w 0x102000 8 1 model:1 matmul # C[0][0]\n"
			"4 r 0x100008 8 1 model:1 matmul # A[0][1]\n"
			"5 r 0x101010 8 1 model:1 matmul # B[1][0]\n"
			"6 r 0x102000 8 1 model:1 matmul # C[0][0]\n"
			"7 w 0x102000 8 1 model:1 matmul # C[0][0]\n"
			"8 r 0x100000 8 1 model:1 matmul # A[0][0]\n"
			"9 r 0x101008 8 1 model:1 matmul # B[0][1]\n"
			"10 r 0x102008 8 1 model:1 matmul # C[0][1]\n"
			"11 w 0x102008 8 1 model:1 matmul # C[0][1]\n"
			"12 r 0x100008 8 1 model:1 matmul # A[0][1]\n"
			"13 r 0x101018 8 1 model:1 matmul # B[1][1]\n"
			"14 r 0x102008 8 1 model:1 matmul # C[0][1]\n"
			"15 w 0x102008 8 1 model:1 matmul # C[0][1]\n"
			"16 r 0x100010 8 1 model:1 matmul # A[1][0]\n"
			"17 r 0x101000 8 1 model:1 matmul # B[0][0]\n"
			"18 r 0x102010 8 1 model:1 matmul # C[1][0]\n"
			"19 w 0x102010 8 1 model:1 matmul # C[1][0]\n"
			"20 r 0x100018 8 1 model:1 matmul # A[1][1]\n"
			"21 r 0x101010 8 1 model:1 matmul # B[1][0]\n"
			"22 r 0x102010 8 1 model:1 matmul # C[1][0]\n"
			"23 w 0x102010 8 1 model:1 matmul # C[1][0]\n"
			"24 r 0x100010 8 1 model:1 matmul # A[1][0]\n"
			"25 r 0x101008 8 1 model:1 matmul # B[0][1]\n"
			"26 r 0x102018 8 1 model:1 matmul # C[1][1]\n"
			"27 w 0x102018 8 1 model:1 matmul # C[1][1]\n"
			"28 r 0x100018 8 1 model:1 matmul # A[1][1]\n"
			"29 r 0x101018 8 1 model:1 matmul # B[1][1]\n"
			"30 r 0x102018 8 1 model:1 matmul # C[1][1]\n"
			"31 w 0x102018 8 1 model:1 matmul # C[1][1]\n");
}

TEST(an_element_that_is_constant_in_the_inner_loop_stays_in_a_register)
{
	makes("matmul 2 order ijk register",
	      "rA[0][0] rB[0][0] rA[0][1] rB[1][0] wC[0][0] "
	      "rA[0][0] rB[0][1] rA[0][1] rB[1][1] wC[0][1] "
	      "rA[1][0] rB[0][0] rA[1][1] rB[1][0] wC[1][0] "
	      "rA[1][0] rB[0][1] rA[1][1] rB[1][1] wC[1][1]");
	makes("matmul 2 order ikj register",
	      "rA[0][0] rB[0][0] rC[0][0] wC[0][0] rB[0][1] rC[0][1] wC[0][1] "
	      "rA[0][1] rB[1][0] rC[0][0] wC[0][0] rB[1][1] rC[0][1] wC[0][1] "
	      "rA[1][0] rB[0][0] rC[1][0] wC[1][0] rB[0][1] rC[1][1] wC[1][1] "
	      "rA[1][1] rB[1][0] rC[1][0] wC[1][0] rB[1][1] rC[1][1] wC[1][1]");
	/* tiles of one: each inner loop is one step, and C is added to */
	makes("matmul 1 block 1 register", "rA[0][0] rB[0][0] rC[0][0] wC[0][0]");
}

TEST(every_order_and_tiling_touches_the_same_cells)
{
	static const char *const orders[] = { "ijk", "ikj", "jik", "jki", "kij", "kji" };

	for (size_t i = 0; i < 6; i++)
		for (int block = 1; block <= 4; block++) {
			const char *path = scratch();
			char text[100];
			struct ml_trace t;
			struct ml_cursor *c;
			struct ml_batch b;
			struct ml_err err;
			uint64_t sum = 0;

			snprintf(text, sizeof(text), "matmul 3 8 order %s block %d",
				 orders[i], block);
			CHECK_EQ(refs(text), 4 * 27);
			make(path, text);
			CHECK_OK(ml_trace_open(&t, path, &err), &err);
			c = ml_cursor_open(&t, 0, t.count);
			while (ml_cursor_next(c, &b, &err))
				for (size_t k = 0; k < b.count; k++)
					sum += b.addr[k];
			ml_cursor_close(c);
			/* 27 steps at offsets 0, 8, ... 64, 32 on average */
			CHECK_EQ(sum, 27 * (0x100000 + 0x101000 + 2 * 0x102000 + 4 * 32));
			ml_trace_close(&t);
		}
}

TEST(the_number_of_references_is_known_beforehand)
{
	CHECK_EQ(refs("matmul 10"), 4000);
	CHECK_EQ(refs("matmul 10 register"), 2000 + 100);
	CHECK_EQ(refs("matmul 10 register block 4"), 2000 + 2 * 300);
	CHECK_EQ(refs("matmul 10 register order jki block 5"), 3000 + 200);
	CHECK_EQ(refs("transpose 10"), 200);
	CHECK_EQ(refs("repeat 3 ( sweep 0 10 8; repeat 2 (stride 0 5 8 64 m repeat 2) )"),
		 3 * (10 + 2 * 2 * 2 * 5));
	CHECK_EQ(refs("random 0 1K 7 8; chase 0 1M 64 1K"), 7 + 1024);
}

TEST(sweeps_and_strides_go_in_order)
{
	makes("sweep 0x1000 3 8", "rsweep[0] rsweep[1] rsweep[2]");
	makes("sweep 0x1000 2 8 m name x", "rx[0] wx[0] rx[1] wx[1]");
	makes("stride 0 3 8 64 w repeat 2", "wstride[0][0] wstride[1][0] wstride[2][0] "
					    "wstride[0][0] wstride[1][0] wstride[2][0]");
}

TEST(a_transpose_reads_rows_and_writes_columns)
{
	makes("transpose 2", "rA[0][0] wB[0][0] rA[0][1] wB[1][0] "
			     "rA[1][0] wB[0][1] rA[1][1] wB[1][1]");
	makes("transpose 3 8 block 2",
	      "rA[0][0] wB[0][0] rA[0][1] wB[1][0] rA[1][0] wB[0][1] rA[1][1] wB[1][1] "
	      "rA[0][2] wB[2][0] rA[1][2] wB[2][1] "
	      "rA[2][0] wB[0][2] rA[2][1] wB[1][2] "
	      "rA[2][2] wB[2][2]");
}

TEST(padding_makes_rows_longer)
{
	const char *path = scratch();

	make(path, "transpose 2 4 pad 1 base 0");
	dumped_is(path, "region A 0x0 24 4 2 3\n"
			"region B 0x1000 24 4 2 3\n"
			"0 r 0x0 4 1 model:1 transpose # A[0][0]\n"
			"1 w 0x1000 4 1 model:1 transpose # B[0][0]\n"
			"2 r 0x4 4 1 model:1 transpose # A[0][1]\n"
			"3 w 0x100c 4 1 model:1 transpose # B[1][0]\n"
			"4 r 0xc 4 1 model:1 transpose # A[1][0]\n"
			"5 w 0x1004 4 1 model:1 transpose # B[0][1]\n"
			"6 r 0x10 4 1 model:1 transpose # A[1][1]\n"
			"7 w 0x1010 4 1 model:1 transpose # B[1][1]\n");
}

TEST(steps_repeat_and_regions_give_way_to_others)
{
	const char *path = scratch();

	make(path, "repeat 2 ( sweep 0 1 8 ); sweep 0 1 16 name y # done");
	dumped_is(path, "region sweep 0x0 8 8 1\n"
			"0 r 0x0 8 1 model:2 sweep # sweep[0]\n"
			"1 r 0x0 8 1 model:2 sweep # sweep[0]\n"
			"unregion 0x0\n"
			"region y 0x0 16 16 1\n"
			"2 r 0x0 16 1 model:3 sweep # y[0]\n");
}

TEST(the_text_of_a_model_is_kept_as_its_source)
{
	const char *path = scratch();
	struct ml_arena a = { 0 };
	struct ml_trace t;
	struct ml_err err;
	size_t size;

	make(path, "repeat 2 (sweep 0 1 8;sweep 8 1 8)");
	CHECK_OK(ml_trace_open(&t, path, &err), &err);
	CHECK_STR(ml_trace_source(&t, "model", &size, &a),
		  "repeat 2 (\nsweep 0 1 8;\nsweep 8 1 8)");
	ml_arena_release(&a);
	ml_trace_close(&t);
}

/* Which nodes a chase visits, as a bit each; true if none comes twice. */
static bool visits(const char *text, uint64_t *set, uint64_t first[8])
{
	const char *path = scratch();
	struct ml_trace t;
	struct ml_cursor *c;
	struct ml_batch b;
	struct ml_err err;
	bool once = true;

	make(path, text);
	CHECK_OK(ml_trace_open(&t, path, &err), &err);
	c = ml_cursor_open(&t, 0, t.count);
	*set = 0;
	while (ml_cursor_next(c, &b, &err))
		for (size_t i = 0; i < b.count; i++) {
			if (b.time + i < 8)
				first[b.time + i] = b.addr[i];
			once = once && !(*set >> (b.addr[i] / 16) & 1);
			*set |= 1ull << (b.addr[i] / 16);
		}
	ml_cursor_close(c);
	ml_trace_close(&t);
	return once;
}

TEST(a_chase_comes_to_every_node_before_any_again)
{
	uint64_t set, first[8], other[8];

	CHECK(visits("chase 0 64 16 64 seed 7", &set, first));
	CHECK_EQ(set, UINT64_MAX);
	CHECK(!visits("chase 0 64 16 65 seed 7", &set, other));
	CHECK(!memcmp(first, other, sizeof(first)));
	CHECK(visits("chase 0 64 16 64 seed 8", &set, other));
	CHECK(memcmp(first, other, sizeof(first)));
}

TEST(random_numbers_are_those_of_splitmix64)
{
	uint64_t set, first[8];

	/* what it yields first for seed 0 */
	visits("random 0 256 2 16", &set, first);
	CHECK_EQ(first[0], (0xe220a8397b1dcdafu % 16) * 16);
	CHECK_EQ(first[1], (0x6e789e6aa1b965f4u % 16) * 16);
}

TEST(a_mistake_in_a_model_is_named)
{
	fails("", "model: the model has no steps");
	fails("sweeep 0 1 8", "model:1: a model has no step 'sweeep'");
	fails("sweep 0 1", "model:1: expected another number, not ''");
	fails("sweep 0 0 8", "model:1: expected another number, not '0'");
	fails("sweep 0 1 8 x", "model:1: sweep has no option 'x'");
	fails("sweep 0 1 8 seed 1", "model:1: sweep has no option 'seed'");
	fails("sweep 0 1 16384", "model:1: sweep: an element has at most 16383 bytes");
	fails("sweep 0 1 8 sweep", "sweep has no option 'sweep'");
	fails("sweep 0 4G 8G", "sweep: an element has");
	fails("sweep 0 0x3fffffffffffffff 8", "touches addresses beyond 2^62");
	fails("sweep 0 1 8\n\nsweep 0 1 8 )", "model:3: unexpected ')'");
	fails("matmul 2 order iik", "a permutation of ijk, not 'iik'");
	fails("matmul 70000", "a matrix has at most 65536 rows");
	fails("stride 0 3 8 12", "the stride is not a multiple of the element size");
	fails("random 0 4 1 8", "the memory is smaller than an element");
	fails("chase 0 4 4 1", "smaller than a pointer");
	fails("chase 0 1G 8 1", "more than 2^27 nodes");
	fails("repeat 2 sweep 0 1 8", "expected ( after repeat N, not 'sweep'");
	fails("repeat 2 ( sweep 0 1 8", "expected the ) of repeat, not ''");
	fails("repeat 1G (repeat 1G (sweep 0 1 8))", "more than 2^40 references");
	fails("sweep 0 1 8 name ;", "expected a name, not ';'");
}
