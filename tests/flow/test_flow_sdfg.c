/*
 * Nodes of .sdfg files beyond maps and tasklets: library nodes, views, queues, unions of
 * subsets, callbacks; and whole programs, whose operations are derived from their
 * formulas.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/flow/count/count.h"
#include "lib/flow/run/experiment.h"
#include "lib/flow/flow.h"
#include "lib/flow/read/open.h"
#include "tests/test.h"

static struct ml_err err;
static struct ml_flow *f;
static struct ml_flow_counts counts;

static void finish(void)
{
	ml_flow_counts_release(&counts);
	ml_flow_close(f);
}

static void read_file(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), TESTS "/sdfg/%s", name);
	f = ml_flow_open(path, NULL, &err);
	CHECK_OK(f, &err);
	ml_flow_counts_make(&counts, f);
}

/* Arrays are {"name": descriptor, ...}, nodes and edges lists, all as JSON. */
static void read_graph(const char *arrays, const char *nodes, const char *edges)
{
	struct ml_buf b = { 0 };

	ml_buf_printf(
		&b,
		"{\"type\": \"SDFG\", \"attributes\": {\"name\": \"g\", \"_arrays\": "
		"{%s}}, \"nodes\": [{\"type\": \"SDFGState\", \"label\": \"s\", "
		"\"nodes\": [%s], \"edges\": [%s]}], \"edges\": [], "
		"\"start_block\": 0}",
		arrays, nodes, edges);
	ml_buf_u8(&b, 0);
	f = ml_flow_open_text("graph.sdfg", (const char *)b.data, b.size - 1, NULL, &err);
	ml_buf_release(&b);
	CHECK_OK(f, &err);
	ml_flow_counts_make(&counts, f);
}

#define ARRAY(name, type, shape) \
	"\"" name "\": {\"type\": \"" type \
	"\", \"attributes\": {\"dtype\": \"float64\", " \
	"\"shape\": [" shape "]}}"
#define ACCESS(name) \
	"{\"type\": \"AccessNode\", \"attributes\": {\"data\": \"" name "\"}}"
#define LIBRARY(path, more) \
	"{\"type\": \"LibraryNode\", \"label\": \"l\", \"classpath\": \"" path "\", " \
	"\"attributes\": {" more "}}"
#define TASKLET(code, more) \
	"{\"type\": \"Tasklet\", \"label\": \"t\", \"attributes\": {\"code\": " \
	"{\"string_data\": \"" code "\", \"language\": \"Python\"}" more "}}"
#define DIM(from, to) \
	"{\"start\": \"" from "\", \"end\": \"" to "\", \"step\": \"1\", \"tile\": \"1\"}"
#define RANGE(dims) "{\"type\": \"Range\", \"ranges\": [" dims "]}"
#define EDGE(src, from, dst, to, data, subset) \
	"{\"type\": \"MultiConnectorEdge\", \"src\": \"" src "\", \"dst\": \"" dst \
	"\", " \
	"\"src_connector\": " from ", \"dst_connector\": " to \
	", \"attributes\": {\"data\": " \
	"{\"type\": \"Memlet\", \"attributes\": {\"data\": \"" data \
	"\", \"subset\": " subset "}}}}"

static void check_count(const struct ml_flow_count *c, const char *want)
{
	struct ml_buf b = { 0 };

	ml_flow_count_print(c, f, &b);
	ml_buf_u8(&b, 0);
	CHECK_STR((const char *)b.data, want);
	ml_buf_release(&b);
}

static bool noted(const char *part)
{
	for (size_t i = 0; i < f->note_count; i++)
		if (strstr(f->note[i], part))
			return true;
	return false;
}

TEST(library_nodes_have_the_operations_of_their_formulas)
{
	/* C[M][N] of A[K][M], turned, and B[K][N]: K for each element */
	read_graph(
		ARRAY("A", "Array", "\"K\", \"M\"") "," ARRAY(
			"B", "Array", "\"K\", \"N\"") "," ARRAY("C", "Array",
								"\"M\", \"N\""),
		ACCESS("A") "," ACCESS("B") "," LIBRARY(
			"dace.libraries.blas.nodes.gemm.Gemm",
			"\"transA\": true") "," ACCESS("C"),
		EDGE("0", "null", "2", "\"_a\"", "A",
		     RANGE(DIM("0", "K-1") "," DIM(
			     "0",
			     "M-1"))) "," EDGE("1", "null", "2", "\"_b\"", "B",
					       RANGE(DIM("0", "K-1") "," DIM(
						       "0",
						       "N-1"))) "," EDGE("2", "\"_c\"",
									 "3", "null", "C",
									 RANGE(DIM("0", "M-1") "," DIM(
										 "0",
										 "N-1"))));
	check_count(&counts.ops[ML_FLOW_MUL], "K*M*N");
	check_count(&counts.ops[ML_FLOW_ADD], "K*M*N");
	check_count(&counts.read[0], "8*K*M");
	finish();
	/* a convolution of N images: for each result C channels of 3 x 3 */
	read_graph(
		ARRAY("X", "Array", "\"N\", \"C\", \"H\", \"H\"") "," ARRAY(
			"W", "Array",
			"\"F\", \"C\", \"3\", \"3\"") "," ARRAY("Y", "Array",
								"\"N\", \"F\", \"H-2\", \"H-2\""),
		ACCESS("X") "," ACCESS("W") "," LIBRARY(
			"daceml.onnx.nodes.onnx_op.ONNXConv", "") "," ACCESS("Y"),
		EDGE("0", "null", "2", "\"X\"", "X",
		     RANGE(DIM("0", "N-1") "," DIM("0", "C-1") "," DIM("0", "H-1") "," DIM(
			     "0",
			     "H-1"))) "," EDGE("1", "null", "2", "\"W\"", "W",
					       RANGE(DIM("0", "F-1") "," DIM("0", "C-1") "," DIM("0", "2") "," DIM(
						       "0",
						       "2"))) "," EDGE("2", "\"Y\"", "3",
								       "null", "Y",
								       RANGE(DIM("0", "N-1") "," DIM("0", "F-1") "," DIM(
									       "0",
									       "H-3") "," DIM("0",
											      "H-3"))));
	check_count(&counts.ops[ML_FLOW_MUL], "9*N*C*H^2*F - 36*N*C*H*F + 36*N*C*F");
	finish();
	read_graph(ARRAY("X", "Array", "\"N\"") "," ARRAY("Y", "Array", "\"N\""),
		   ACCESS("X") "," LIBRARY("daceml.onnx.nodes.onnx_op.ONNXSoftmax",
					   "") "," ACCESS("Y"),
		   EDGE("0", "null", "1", "\"input\"", "X",
			RANGE(DIM("0", "N-1"))) "," EDGE("1", "\"output\"", "2", "null",
							 "Y", RANGE(DIM("0", "N-1"))));
	check_count(&counts.ops[ML_FLOW_SPECIAL], "N");
	check_count(&counts.all_ops, "5*N");
	finish();
	read_graph(ARRAY("X", "Array", "\"N\"") "," ARRAY("Y", "Array", "\"1\""),
		   ACCESS("X") "," LIBRARY(
			   "dace.libraries.standard.nodes.reduce.Reduce",
			   "\"wcr\": \"lambda a, b: max(a, b)\"") "," ACCESS("Y"),
		   EDGE("0", "null", "1", "null", "X", RANGE(DIM("0", "N-1"))) "," EDGE(
			   "1", "null", "2", "null", "Y", RANGE(DIM("0", "0"))));
	check_count(&counts.ops[ML_FLOW_COMPARE], "N");
	check_count(&counts.ops[ML_FLOW_ADD], "0");
	finish();
	read_graph(ARRAY("X", "Array", "\"N\"") "," ARRAY("Y", "Array", "\"N\""),
		   ACCESS("X") "," LIBRARY("somewhere.Mystery", "") "," ACCESS("Y"),
		   EDGE("0", "null", "1", "null", "X", RANGE(DIM("0", "N-1"))) "," EDGE(
			   "1", "null", "2", "null", "Y", RANGE(DIM("0", "N-1"))));
	CHECK(noted("operations of library node 'Mystery' are not known"));
	finish();
}

/* V shows A[4..7]; a tasklet reads V[1], which is A[5], and writes B[0]. */
TEST(a_view_is_a_part_of_the_array_that_it_shows)
{
	struct ml_experiment x = { .threshold = 10, .keep = true };

	read_graph(
		ARRAY("A", "Array", "\"20\"") "," ARRAY("V", "View", "\"4\"") "," ARRAY(
			"B", "Array", "\"1\""),
		ACCESS("A") "," ACCESS("V") "," TASKLET("o = i + 1", "") "," ACCESS("B"),
		EDGE("0", "null", "1", "\"views\"", "A", RANGE(DIM("4", "7"))) "," EDGE(
			"1", "null", "2", "\"i\"", "V",
			RANGE(DIM("1", "1"))) "," EDGE("2", "\"o\"", "3", "null", "B",
						       RANGE(DIM("0", "0"))));
	CHECK_OK(ml_experiment_run(&x, f, &err), &err);
	const struct ml_locality *l = &x.now.locality;
	/* nothing is copied */
	CHECK_EQ(l->kept, 2);
	CHECK_EQ(l->addr[0] - l->walk.placed[ml_flow_find_container(f, "A")].base, 40);
	ml_experiment_release(&x);
	finish();
}

TEST(a_union_of_subsets_moves_each_of_them)
{
	read_graph(
		ARRAY("A", "Array", "\"N\"") "," ARRAY("B", "Array", "\"N\""),
		ACCESS("A") "," TASKLET("o = i + 1", "") "," ACCESS("B"),
		EDGE("0", "null", "1", "\"i\"", "A",
		     "{\"type\": \"SubsetUnion\", \"subset_list\": [" RANGE(DIM(
			     "0",
			     "2")) "," RANGE(DIM("6",
						 "9")) "]}") "," EDGE("1", "\"o\"", "2",
								      "null", "B",
								      RANGE(DIM("0",
										"0"))));
	check_count(&counts.read[ml_flow_find_container(f, "A")], "56");
	CHECK(counts.read[ml_flow_find_container(f, "A")].bounded);
	finish();
}

TEST(a_consume_scope_runs_as_often_as_its_queue_has_elements)
{
	read_graph(
		ARRAY("S", "Stream", "\"1\"") "," ARRAY("B", "Array", "\"N\""),
		ACCESS("S") ",{\"type\": \"ConsumeEntry\", \"label\": \"c\", "
			    "\"attributes\": {\"num_pes\": \"4\", \"pe_index\": \"p\"}},"
			    "{\"type\": \"Tasklet\", \"label\": \"t\", \"scope_entry\": \"1\", "
			    "\"attributes\": {\"code\": {\"string_data\": \"o = s * s\"}}},"
			    "{\"type\": \"ConsumeExit\", \"scope_entry\": \"1\", \"attributes\": {}}," ACCESS(
				    "B"),
		EDGE("0", "null", "1", "\"IN_stream\"", "S", RANGE(DIM("0", "0"))) "," EDGE(
			"1", "\"OUT_stream\"", "2", "\"s\"", "S",
			RANGE(DIM(
				"0",
				"0"))) "," EDGE("2", "\"o\"", "3", "\"IN_B\"", "B",
						RANGE(DIM(
							"0",
							"0"))) "," EDGE("3", "\"OUT_B\"",
									"4", "null", "B",
									RANGE(DIM("0",
										  "0"))));
	check_count(&counts.ops[ML_FLOW_MUL], "trips_p");
	check_count(&counts.read[ml_flow_find_container(f, "S")], "8*trips_p");
	CHECK(noted("how often the loop over 'p' runs depends on data"));
	finish();
}

TEST(a_callback_is_marked)
{
	read_graph(ARRAY("A", "Array", "\"N\"") "," ARRAY("B", "Array", "\"N\""),
		   ACCESS("A") "," TASKLET("o = call(i)",
					   ", \"side_effects\": true") "," ACCESS("B"),
		   EDGE("0", "null", "1", "\"i\"", "A", RANGE(DIM("0", "0"))) "," EDGE(
			   "1", "\"o\"", "2", "null", "B", RANGE(DIM("0", "0"))));
	CHECK(noted("has side effects (a callback)"));
	finish();
}

/*
 * NPBench's hdiff. The Laplacian takes 1 multiplication and 4 additions at each of
 * (I+2)(J+2)K places; each of both fluxes 1 multiplication, 2 additions, a comparison and
 * a choice at (I+1)JK and I(J+1)K places; the result 1 multiplication and 4 additions.
 */
TEST(hdiff_of_npbench_has_the_operations_of_its_formulas_in_all_dialects)
{
	static const char *const names[] = { "hdiff_npbench_dace0.14.4.sdfgz",
					     "hdiff_npbench_dace1.0.2.sdfgz",
					     "hdiff_npbench_dace2.0.0a6.sdfgz" };

	for (int n = 0; n < 3; n++) {
		struct ml_experiment x = { .set = "I=8,J=8,K=5", .threshold = 10 };

		read_file(names[n]);
		check_count(&counts.ops[ML_FLOW_MUL], "4*I*J*K + 3*I*K + 3*J*K + 4*K");
		check_count(&counts.ops[ML_FLOW_ADD],
			    "12*I*J*K + 10*I*K + 10*J*K + 16*K");
		check_count(&counts.ops[ML_FLOW_COMPARE], "4*I*J*K + 2*I*K + 2*J*K");
		CHECK_OK(ml_experiment_run(&x, f, &err), &err);
		uint32_t in = ml_flow_find_container(f, "in_field"),
			 out = ml_flow_find_container(f, "out_field");
		/* 5 for the Laplacian, 2 for each flux, 1 for the result */
		CHECK_EQ(x.now.locality.container[in].reads,
			 5 * (10 * 10 * 5) + 2 * (9 * 8 * 5) + 2 * (8 * 9 * 5) +
				 8 * 8 * 5);
		CHECK_EQ(x.now.locality.container[out].writes, 8 * 8 * 5);
		/* 12 x 12 x 5 doubles without the four corners, which no stencil reaches:
		 * rows of K = 5 elements, so lines of 8 are counted one by one */
		bool seen[12 * 12 * 5 / 8] = { false };
		uint64_t lines = 0;
		for (int i = 0; i < 12; i++)
			for (int j = 0; j < 12; j++)
				for (int k = 0; k < 5; k++)
					if (!((i == 0 || i == 11) && (j == 0 || j == 11)))
						seen[((i * 12 + j) * 5 + k) / 8] = true;
		for (size_t i = 0; i < sizeof(seen); i++)
			lines += seen[i];
		CHECK_EQ(x.now.locality.container[in].cold, lines);
		ml_experiment_release(&x);
		finish();
	}
}

/*
 * An encoder layer: projections of queries, keys, values and of the context (I by H*P),
 * scores and context (SM by SM by P for each head), two feed-forward products (I by emb).
 * Beside the products: scores are scaled, and the variance squares.
 */
TEST(an_encoder_layer_has_the_products_of_its_formulas)
{
	read_file("bert_encoder_dace1.0.2.sdfgz");
	check_count(&counts.ops[ML_FLOW_MUL],
		    "2*B*SM^2*H*P + 4*B*SM*I*H*P + B*SM^2*H + 2*B*SM*I*emb + B*SM*I");
	/* an exponential for each score, a root for each normalised element */
	check_count(&counts.ops[ML_FLOW_SPECIAL], "B*SM^2*H + B*SM*I");
	CHECK(!counts.all_ops.bounded);
	finish();
}
