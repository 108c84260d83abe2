/*
 * C functions and .sdfg files as flows. Expected numbers come from loops in this file
 * that make the same accesses, or from a formula on paper.
 */
#include "lib/flow/flow.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/cache/distance/distance.h"
#include "lib/flow/count/count.h"
#include "lib/flow/run/locality.h"
#include "lib/flow/read/open.h"
#include "lib/flow/run/print.h"
#include "tests/slow_elements.h"
#include "tests/test.h"

static struct ml_flow *f;
static struct ml_flow_counts counts;
static struct ml_locality l;
static struct ml_arena arena;
static struct ml_err err;

static void finish(void)
{
	ml_locality_release(&l);
	ml_flow_counts_release(&counts);
	ml_flow_close(f);
	ml_arena_release(&arena);
	memset(&l, 0, sizeof(l));
	memset(&arena, 0, sizeof(arena));
}

static void counted(struct ml_flow *flow)
{
	if (!flow)
		TEST_SAY("%s", err.text);
	f = flow;
	ml_flow_counts_make(&counts, f);
}

static void read_c(const char *text, const char *function)
{
	struct ml_flow_options o = { .function = function };

	counted(ml_flow_open_text("test.c", text, strlen(text), &o, &err));
}

/* A file of tests/sdfg, beside this source. */
static void read_sdfg(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), TESTS "/sdfg/%s", name);
	counted(ml_flow_open(path, NULL, &err));
}

static void simulate(const char *sizes, uint64_t line, uint64_t threshold)
{
	int64_t *value;
	bool *known;

	CHECK_OK(ml_flow_values(f, sizes, &arena, &value, &known, &err), &err);
	l = (struct ml_locality){ .walk = { .flow = f,
					    .container = f->container,
					    .value = value,
					    .known = known,
					    .line = line },
				  .threshold = threshold,
				  .keep = true };
	CHECK_OK(ml_locality_run(&l, &err), &err);
}

static uint32_t container(const char *name)
{
	uint32_t i = ml_flow_find_container(f, name);

	if (i == UINT32_MAX)
		TEST_SAY("no container %s", name);
	return i;
}

static void check_bytes(const char *name, bool written, const char *want)
{
	struct ml_buf b = { 0 };
	uint32_t i = container(name);

	ml_flow_count_print(written ? &counts.written[i] : &counts.read[i], f, &b);
	ml_buf_u8(&b, 0);
	CHECK_STR((const char *)b.data, want);
	ml_buf_release(&b);
}

/* The accesses that a test makes itself: container, element, in order. */
static struct {
	uint32_t of;
	int64_t element;
	bool write;
} want[200000];
static size_t wanted;

static void touch(uint32_t of, int64_t element, bool write)
{
	want[wanted].of = of;
	want[wanted].element = element;
	want[wanted++].write = write;
}

/* The same accesses in the same order, and cold misses and distances by looking back
 * through a list of lines, the last one first. */
static void check_accesses(void)
{
	static uint64_t list[100000];
	size_t lines = 0;

	CHECK_EQ(l.kept, wanted);
	for (size_t i = 0; i < wanted; i++) {
		uint64_t size = f->container[want[i].of].element;
		uint64_t line = ((uint64_t)want[i].of << 40) +
				(uint64_t)want[i].element * size / l.walk.line;
		uint32_t d = 0;

		CHECK_EQ(l.of[i], want[i].of);
		CHECK_EQ((l.addr[i] - l.walk.placed[want[i].of].base) / size,
			 want[i].element);
		while (d < lines && list[d] != line)
			d++;
		CHECK_EQ(l.distance[i], d == lines ? ML_NEVER : d);
		lines += d == lines;
		memmove(list + 1, list, d * sizeof(*list));
		list[0] = line;
	}
}

TEST(an_outer_product_reads_and_writes_what_it_names)
{
	read_c("void f(const double *A, const double *B, double C[3][4]) {\n"
	       "  for (int i = 0; i < 3; i++)\n"
	       "    for (int j = 0; j < 4; j++)\n"
	       "      C[i][j] = A[i] * B[j];\n}",
	       NULL);
	simulate(NULL, 64, 10);
	wanted = 0;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++) {
			touch(0, i, false);
			touch(1, j, false);
			touch(2, 4 * i + j, true);
		}
	check_accesses();
	CHECK_EQ(counts.all_ops.poly.count, 1);
	CHECK_EQ(counts.all_ops.poly.term[0].num, 12);
	finish();
}

TEST(subscripts_go_through_macros_typedefs_vlas_and_pointers_to_arrays)
{
	read_c("#define AT(x, i, j) (x)[(i)][(j)]\n"
	       "typedef float row[8];\n"
	       "enum { HALO = 2 };\n"
	       "static const int shift = 1;\n"
	       "void f(int n, int m, float a[n][m], row *b, float (*c)[m]) {\n"
	       "  for (int i = 0; i < n - HALO; ++i)\n"
	       "    for (int j = m - 1; j >= shift; j -= 2)\n"
	       "      AT(c, i, j) = AT(a, i + HALO, j - shift) + b[i][3] * *(*(a + i) + j);\n"
	       "}",
	       NULL);
	simulate("n=7,m=9", 64, 10);
	wanted = 0;
	for (int i = 0; i < 5; i++)
		for (int j = 8; j >= 1; j -= 2) {
			touch(0, (i + 2) * 9 + j - 1, false);
			touch(1, i * 8 + 3, false);
			touch(0, i * 9 + j, false);
			touch(2, i * 9 + j, true);
		}
	check_accesses();
	finish();
}

TEST(one_subscript_is_split_into_dimensions)
{
	read_c("void f(int n, int m, const double *a, double *b) {\n"
	       "  for (int i = 1; i < n; i++)\n"
	       "    for (int k = 0; k < m; k++)\n"
	       "      b[i * m + k] += a[(i - 1) * m + k];\n}",
	       NULL);
	uint32_t a = container("a");
	CHECK_EQ(f->container[a].dims, 2);
	check_bytes("b", true, "8*n*m - 8*m");
	simulate("n=4,m=5", 64, 10);
	wanted = 0;
	for (int i = 1; i < 4; i++)
		for (int k = 0; k < 5; k++) {
			touch(a, (i - 1) * 5 + k, false);
			touch(1 - a, i * 5 + k, false);
			touch(1 - a, i * 5 + k, true);
		}
	check_accesses();
	finish();
}

TEST(calls_are_inlined_and_guards_kept)
{
	read_c("static double mean(const double *x, int i) { return (x[i] + x[i + 1]) / 2; }\n"
	       "static void put(double *to, int at, double v) { to[at] = v; }\n"
	       "void f(int n, double *x, double *y) {\n"
	       "  for (int i = 0; i < n; i++) {\n"
	       "    if (i % 3 == 0)\n"
	       "      put(y, i, mean(x + 1, i));\n"
	       "    else\n"
	       "      y[i] = 0;\n"
	       "  }\n}",
	       "f");
	simulate("n=10", 32, 10);
	wanted = 0;
	for (int i = 0; i < 10; i++) {
		if (i % 3 == 0) {
			touch(0, i + 1, false);
			touch(0, i + 2, false);
		}
		touch(1, i, true);
	}
	check_accesses();
	finish();
}

TEST(what_depends_on_data_is_marked_and_bounded)
{
	read_c("void f(int rows, const int *ptr, const int *col, const double *v,\n"
	       "       const double *x, double *y) {\n"
	       "  for (int i = 0; i < rows; i++)\n"
	       "    for (int k = ptr[i]; k < ptr[i + 1]; k++)\n"
	       "      y[i] += v[k] * x[col[k]];\n}",
	       NULL);
	CHECK(ml_flow_find_symbol(f, "trips_4") != UINT32_MAX);
	CHECK(f->note_count > 0);
	check_bytes("x", false, "8*rows*trips_4");
	CHECK(counts.read[container("x")].bounded);
	simulate("rows=3,trips_4=5", 64, 10);
	CHECK_EQ(l.walk.placed[container("x")].unplaced, 15);
	CHECK_EQ(l.container[container("y")].writes, 15);
	finish();
}

TEST(only_the_scop_is_read)
{
	read_c("void f(int n, double *a, double *b) {\n"
	       "  for (int i = 0; i < n; i++) a[i] = 0;\n"
	       "#pragma scop\n"
	       "  for (int i = 0; i < n; i++) b[i] = a[i];\n"
	       "#pragma endscop\n"
	       "  for (int i = 0; i < n; i++) a[i] = 1;\n}",
	       NULL);
	check_bytes("a", true, "0");
	check_bytes("b", true, "8*n");
	finish();
}

TEST(an_error_of_the_compiler_names_its_place)
{
	const char text[] = "void f(void) {\n  a[0] = 1;\n}";

	CHECK_FAILS(ml_flow_open_text("bad.c", text, strlen(text), NULL, &err) != NULL,
		    &err, "bad.c, line 2, column 3");
}

/* A 3-channel 9 x 9 input, 2-channel 6 x 6 output: kernels of 4 x 4. */
static void check_conv(const char *name)
{
	read_sdfg(name);
	simulate("Cin=3,H=9,W=9,Cout=2,Ky=4,Kx=4", 64, 10);
	uint32_t in = container("inp");
	static struct ml_locality_element e[243];

	/* an element is read once for each output whose window holds it */
	slow_elements(&l, in, 0, e, 243);
	for (int c = 0; c < 3; c++)
		for (int y = 0; y < 9; y++)
			for (int x = 0; x < 9; x++) {
				uint64_t n = 0;

				for (int oy = 0; oy < 6; oy++)
					for (int ox = 0; ox < 6; ox++)
						n += oy <= y && y < oy + 4 && ox <= x &&
						     x < ox + 4;
				CHECK_EQ(e[81 * c + 9 * y + x].count, 2 * n);
			}
	CHECK_EQ(l.container[in].reads, 2 * 6 * 6 * 3 * 4 * 4);
	CHECK_EQ(l.container[in].cold, (243 * 8 + 63) / 64);
	finish();
}

/* Whether the text is refused with a sentence that has these words. */
static bool refused(const char *text, const char *words)
{
	struct ml_flow *flow = ml_flow_open_text("test.c", text, strlen(text), NULL,
						 &err);

	ml_flow_close(flow);
	return !flow && err.kind == ML_FORMAT && strstr(err.text, words);
}

TEST(what_parsing_would_never_end_is_refused)
{
	struct ml_buf tower = { 0 };

	for (int i = 1; i < 14; i++)
		ml_buf_printf(&tower, "#define a%d a%d a%d a%d a%d a%d a%d a%d a%d\n", i,
			      i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	ml_buf_text(&tower, "#define a0 +1\nint f(void) { return 0 a13; }\n");
	ml_buf_u8(&tower, 0);
	CHECK(refused((const char *)tower.data, "parsing it "));
	ml_buf_release(&tower);
	CHECK(refused("#include \"/dev/zero\"\nvoid f(void) {}\n", "parsing it "));
}

TEST(a_convolution_reads_the_middle_more_often_in_all_dialects)
{
	check_conv("conv3d_dace0.14.4.sdfg");
	check_conv("conv3d_dace1.0.2.sdfg");
	check_conv("conv3d_dace2.0.0a6.sdfg");
}

/* B is column major: element (k, j) is at k + 10 j. */
TEST(matmul_of_an_sdfg_makes_the_accesses_of_its_loops_in_all_dialects)
{
	static const char *const names[] = { "matmul_Bcolmajor_dace0.14.4.sdfg",
					     "matmul_Bcolmajor_dace1.0.2.sdfg",
					     "matmul_Bcolmajor_dace2.0.0a6.sdfg" };

	for (int n = 0; n < 3; n++) {
		read_sdfg(names[n]);
		uint32_t a = container("A"), b = container("B"), c = container("C");

		check_bytes("C", true, "4*M*K*N");
		for (uint64_t line = 32; line <= 64; line *= 2) {
			simulate("M=9,K=10,N=15", line, 10);
			wanted = 0;
			for (int i = 0; i < 9; i++)
				for (int j = 0; j < 15; j++)
					for (int k = 0; k < 10; k++) {
						touch(a, 10 * i + k, false);
						touch(b, k + 10 * j, false);
						touch(c, 15 * i + j, false);
						touch(c, 15 * i + j, true);
					}
			check_accesses();
			ml_locality_release(&l);
			memset(&l, 0, sizeof(l));
		}
		finish();
	}
}

/* hdiff on 8 x 8 x 5: rows of 12 elements padded to 16, of 8 to 8; 13 reads of in_field.
 */
TEST(hdiff_has_padded_rows_in_all_dialects)
{
	static const char *const names[] = {
		"hdiff_fused_kij_loops_kij_pad_dace0.14.4.sdfg",
		"hdiff_fused_kij_loops_kij_pad_dace1.0.2.sdfg",
		"hdiff_fused_kij_loops_kij_pad_dace2.0.0a6.sdfg"
	};
	uint64_t misses = 0;

	for (int n = 0; n < 3; n++) {
		read_sdfg(names[n]);
		simulate("I=8,J=8,K=5", 64, 10);
		uint32_t in = container("in_field"), out = container("out_field");
		bool seen[5 * 12 * 2] = { false };
		uint64_t lines = 0;

		CHECK_EQ(l.container[in].reads, 13 * 8 * 8 * 5);
		CHECK_EQ(l.container[out].writes, 8 * 8 * 5);
		/* lines of 8 elements, two a row: the stencil reaches 2 in i and in j,
		 * and not into the corners */
		for (int k = 0; k < 5; k++)
			for (int i = 0; i < 8; i++)
				for (int j = 0; j < 8; j++)
					for (int di = -2; di <= 2; di++)
						for (int dj = -2; dj <= 2; dj++) {
							if (abs(di) + abs(dj) > 2)
								continue;
							int row = i + 2 + di,
							    at = j + 2 + dj;

							seen[(k * 12 + row) * 2 +
							     at / 8] = true;
						}
		for (int i = 0; i < 120; i++)
			lines += seen[i];
		CHECK_EQ(l.container[in].cold, lines);
		CHECK_EQ(l.container[out].cold, 40);
		/* the same figures from every dialect */
		if (n)
			CHECK_EQ(l.container[in].misses, misses);
		misses = l.container[in].misses;
		finish();
	}
}

TEST(a_loop_made_of_states_is_a_loop)
{
	read_sdfg("while_do.sdfg");
	simulate(NULL, 64, 10);
	/* A[i] for i below 10, then A[0] */
	wanted = 0;
	for (int i = 0; i < 10; i++)
		touch(0, i, true);
	touch(0, 0, true);
	check_accesses();
	finish();
}

TEST(a_sparse_product_is_bounded_not_miscounted)
{
	read_sdfg("spmv.sdfg");
	check_bytes("A_row", false, "8*H");
	CHECK(counts.read[container("x")].bounded);
	simulate("H=4,W=4,nnz=8,trips_j=2", 64, 10);
	CHECK_EQ(l.walk.placed[container("x")].unplaced, 8);
	CHECK_EQ(l.container[container("A_val")].reads, 8);
	finish();
}

TEST(a_nested_graph_accesses_the_arrays_around_it)
{
	read_sdfg("gemm_expanded_pure.sdfg");
	check_bytes("A", false, "8*N*K*M");
	check_bytes("B", false, "8*N*K*M");
	finish();
}

TEST(a_compressed_file_is_read_and_its_guard_is_a_bound)
{
	read_sdfg("disjoint_chain.sdfgz");
	CHECK(counts.all_ops.bounded);
	finish();
}

TEST(json_that_is_no_graph_is_refused_with_its_place)
{
	const char broken[] = "{\"type\": \"SDFG\",\n \"nodes\": [}";
	const char other[] = "{\"type\": \"Recipe\"}";

	CHECK_FAILS(ml_flow_open_text("x.sdfg", broken, strlen(broken), NULL, &err) !=
			    NULL,
		    &err, "x.sdfg, line 2");
	CHECK_FAILS(ml_flow_open_text("x.sdfg", other, strlen(other), NULL, &err) != NULL,
		    &err, "no SDFG");
	CHECK_FAILS(ml_flow_open_text("x.sdfgz", "\x1f\x8b junk", 7, NULL, &err) != NULL,
		    &err, "damaged");
}
