/* The text of a flow: loops, reads, code, writes, each line with its node. */
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/flow/flow.h"
#include "lib/flow/flow_text.h"
#include "lib/flow/read/open.h"
#include "tests/test.h"

static struct ml_err err;

/* The listing as one text, which the caller releases. */
static struct ml_buf listed(struct ml_flow *f)
{
	struct ml_flow_text l;
	struct ml_arena a = { 0 };
	struct ml_buf out = { 0 };

	CHECK_OK(f, &err);
	ml_flow_text_make(&l, f, &a);
	ml_flow_text_print(&l, &out);
	ml_buf_u8(&out, 0);
	ml_arena_release(&a);
	ml_flow_close(f);
	return out;
}

static struct ml_flow *open_beside(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), TESTS "/sdfg/%s", name);
	return ml_flow_open(path, NULL, &err);
}

TEST(a_tasklet_is_listed_with_its_reads_its_code_and_its_writes)
{
	struct ml_buf text = listed(open_beside("outer_product_dace1.0.2.sdfg"));
	const char *at = (const char *)text.data;
	static const char *const lines[] = { "map i = 0 to M - 1:",
					     "map j = 0 to N - 1:",
					     " << A[i]",
					     " << B[j]",
					     " * ",
					     " >> C[i, j]" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const char *found = strstr(at, lines[i]);

		CHECK(found);
		at = found + strlen(lines[i]);
	}
	ml_buf_release(&text);
}

TEST(places_that_data_decide_are_question_marks)
{
	struct ml_buf text = listed(open_beside("spmv.sdfg"));

	CHECK(strstr((const char *)text.data, "__ind_xval << x[?]\n"));
	CHECK(strstr((const char *)text.data, "lookup = __ind_xval[index_A_col_0]\n"));
	ml_buf_release(&text);
}

TEST(loops_of_c_are_listed_with_their_accesses)
{
	static const char c[] = "void f(int n, double *a, const double *b)\n"
				"{\n"
				"\tfor (int i = n - 1; i >= 0; i -= 2)\n"
				"\t\tif (i > 3)\n"
				"\t\t\ta[i] = b[i + 1];\n"
				"}\n";
	struct ml_buf text =
		listed(ml_flow_open_text("f.c", c, sizeof(c) - 1, NULL, &err));

	CHECK_STR((const char *)text.data, "f:\n"
					   "    for i = n - 1 to 0 by -2:\n"
					   "        line 4:\n" /* compares */
					   "        if !(3 >= i):\n"
					   "            line 5:\n"
					   "                read b[i + 1]\n"
					   "                write a[i]\n");
	ml_buf_release(&text);
}

TEST(each_line_knows_its_node)
{
	struct ml_flow *f = open_beside("gemm_expanded_pure.sdfg");
	struct ml_flow_text l;
	struct ml_arena a = { 0 };
	size_t heads = 0;

	CHECK_OK(f, &err);
	ml_flow_text_make(&l, f, &a);
	for (size_t i = 0; i < l.count; i++) {
		uint32_t depth = 0;

		for (uint32_t n = f->node[l.line[i].node].parent; n != ML_FLOW_NONE;
		     n = f->node[n].parent)
			depth++;
		/* what a computation does is one level further in */
		CHECK(l.line[i].depth == depth || l.line[i].depth == depth + 1);
		heads += l.line[i].depth == depth;
	}
	CHECK_EQ(heads, f->node_count);
	ml_arena_release(&a);
	ml_flow_close(f);
}
