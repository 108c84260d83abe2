/* What the page is answered about a flow, on an outer product that can be done by hand.
 */
#include "lib/query/workspace/request.h"

#include <math.h>
#include <stdlib.h>

#include "lib/flow/flow.h"
#include "lib/flow/order/layout.h"
#include "lib/flow/run/locality.h"
#include "lib/flow/read/open.h"
#include "lib/flow/run/print.h"
#include "tests/slow_elements.h"
#include "tests/answered.h"

static const char text[] =
	"void f(int n, const double *A, const double *B, double *C) {\n"
	"  for (int i = 0; i < n; i++)\n"
	"    for (int j = 0; j < 4; j++)\n"
	"      C[4 * i + j] = A[i] * B[j];\n}\n";

static char path[80];

static void open_file(const char *program)
{
	snprintf(path, sizeof(path), "%s.c", scratch());
	FILE *f = fopen(path, "w");
	CHECK(f != NULL);
	fputs(program, f);
	fclose(f);
	open_workspace("L1 1K 2w");
	CHECK_OK(ml_workspace_open(&workspace, path, &err), &err);
}

static void open_flow(void)
{
	open_file(text);
	unlink(path);
}

TEST(a_c_file_is_a_document_with_formulas)
{
	open_flow();
	CHECK(ask("/api/open"));
	CHECK(says("\"kind\":\"flow\""));
	CHECK(ask("/api/flows/0"));
	CHECK(says("\"parameters\":[\"n\"]"));
	CHECK(says("\"operations\":\"4*n\""));
	CHECK(says("\"bytes\":\"96*n\""));
	/* one product after another needs none before it */
	CHECK(says("\"depth\":\"1\",\"parallelism\":\"4*n\""));
	CHECK(says("\"name\":\"i\",\"line\":2,\"carries\":\"parallel\""));
	CHECK(!ask("/api/flows/1"));
	close_workspace();
}

TEST(a_folded_scope_moves_what_is_below_it)
{
	open_flow();
	CHECK(ask("/api/flows/0/graph?depth=0&set=n=3"));
	/* the function alone, with an edge for each of three containers */
	CHECK(says("\"folded\":true"));
	CHECK(says(
		"{\"node\":0,\"container\":0,\"read\":{\"formula\":\"32*n\",\"value\":96}}"));
	CHECK(says(
		"{\"node\":0,\"container\":2,\"written\":{\"formula\":\"32*n\",\"value\":96}}"));
	CHECK(ask("/api/flows/0/graph"));
	CHECK(says("\"range\":\"i = 0 to n - 1\""));
	CHECK(!says("\"value\""));
	CHECK(!ask("/api/flows/0/graph?root=99"));
	close_workspace();
}

TEST(elements_and_accesses_are_those_of_the_loops)
{
	size_t n;

	open_flow();
	CHECK(!ask("/api/flows/0/local"));
	CHECK(ask("/api/flows/0/local?set=n=3&line=32&threshold=1"));
	CHECK_EQ(number("accesses"), 36);
	/* A, B and C of 24, 32 and 96 bytes: 1 + 1 + 3 lines */
	CHECK(says("\"cold\":5"));
	CHECK(ask("/api/flows/0/elements?set=n=3&container=1&line=32"));
	const uint32_t *count = column("count", &n);
	CHECK_EQ(n, 4);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(count[i], 3);
	CHECK(ask("/api/flows/0/accesses?set=n=3&from=3&count=3"));
	const int64_t *place = column("place", &n);
	CHECK_EQ(n, 3);
	/* i 0, j 1: A[0], B[1], C[1] */
	CHECK_EQ(place[0], 0);
	CHECK_EQ(place[1], 1);
	CHECK_EQ(place[2], 1);
	CHECK(ask("/api/flows/0/accesses?set=n=3&from=99"));
	CHECK_EQ(number("accesses"), 36);
	CHECK(!ask("/api/flows/0/local?set=n=100000000"));
	close_workspace();
}

/* The numbers of a column of doubles are these. */
static bool reals(const char *name, size_t count, const double *these)
{
	size_t n;
	const double *v = column(name, &n);

	for (size_t i = 0; i < n && i < count; i++)
		if (v[i] != these[i])
			return false;
	return n == count;
}

TEST(metrics_are_the_formulas_at_these_sizes)
{
	open_flow();
	CHECK(ask("/api/flows/0/metrics?set=n=3&simulate=1&line=32&threshold=1"));
	/* function, loop i, loop j, computation */
	CHECK(reals("runs", 4, (double[]){ 1, 1, 3, 12 }));
	CHECK(reals("operations", 4, (double[]){ 12, 12, 12, 12 }));
	CHECK(reals("bytes", 4, (double[]){ 288, 288, 288, 288 }));
	/* A, B, C: 24 + 32 + 96 bytes */
	CHECK(reals("footprint", 4, (double[]){ 152, 152, 152, 152 }));
	CHECK(reals("cold", 4, (double[]){ 5, 5, 5, 5 }));
	/* three lines take turns, all others are touched since: 36 - 5 */
	CHECK(reals("misses", 4, (double[]){ 31, 31, 31, 31 }));
	CHECK(ask("/api/flows/0/metrics?set=n=3"));
	size_t n;
	const double *cold = column("cold", &n);
	CHECK(cold[0] != cold[0]); /* not simulated: not known */
	CHECK(ask("/api/flows/0/metrics"));
	const double *runs = column("runs", &n);
	CHECK(runs[0] == 1 && runs[3] != runs[3]);
	CHECK(ask("/api/flows/0/metrics?set=n=9000000&simulate=1"));
	CHECK(says("\"unsimulated\":\"there are more than 4000000"));
	close_workspace();
}

TEST(a_curve_is_a_metric_against_a_parameter)
{
	open_flow();
	CHECK(ask("/api/flows/0/curve?parameter=n&from=1&to=3"));
	CHECK(reals("value", 3, (double[]){ 1, 2, 3 }));
	CHECK(reals("operations", 3, (double[]){ 4, 8, 12 }));
	CHECK(reals("footprint", 3, (double[]){ 72, 112, 152 }));
	/* lines of 64 bytes: one of A, one of B, and half an n of C, rounded up; every
	 * other of 12 n accesses is as far as 0 lines or more */
	CHECK(ask("/api/flows/0/curve?parameter=n&from=1&to=3&simulate=1&threshold=0"));
	CHECK(reals("cold", 3, (double[]){ 3, 3, 4 }));
	CHECK(reals("misses", 3, (double[]){ 9, 21, 32 }));
	/* sizes with too many accesses have no misses */
	CHECK(ask("/api/flows/0/curve?parameter=n&from=1&to=1000000&points=2"
		  "&simulate=1"));
	size_t n;
	const double *cold = column("cold", &n);
	CHECK_EQ(n, 2);
	CHECK(cold[0] == 3 && isnan(cold[1]));
	CHECK(!ask("/api/flows/0/curve?parameter=m"));
	CHECK(ask("/api/flows/0/local?others=3"));
	CHECK_EQ(number("accesses"), 36);
	CHECK(!ask("/api/flows/0/curve?parameter=n&from=5&to=3"));
	close_workspace();
}

TEST(suggested_sizes_are_all_divided_by_one_factor)
{
	open_flow();
	/* 5 n + 4 elements: 256 is the first with at most 1,500 */
	CHECK(ask("/api/flows/0/suggest?set=n=1024"));
	CHECK(says("{\"factor\":4,\"set\":{\"n\":256}}"));
	CHECK(ask("/api/flows/0/suggest?set=n=1024&elements=50"));
	CHECK(says("{\"factor\":128,\"set\":{\"n\":8}}"));
	close_workspace();
}

TEST(related_elements_are_those_of_the_same_computations)
{
	size_t n;

	open_flow();
	/* B[0] with A[i] and C[i][0], for all i; the paper's example */
	CHECK(ask("/api/flows/0/related?set=n=3&at=1:0"));
	const uint32_t *count = column("count", &n);
	const uint32_t one[] = {
		1, 1, 1, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0
	};
	CHECK_EQ(n, 19);
	CHECK(!memcmp(count, one, sizeof(one)));
	/* C[0][0] and C[0][1] use A[0] both */
	CHECK(ask("/api/flows/0/related?set=n=3&at=2:0,2:1"));
	count = column("count", &n);
	const uint32_t two[] = {
		2, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	};
	CHECK(!memcmp(count, two, sizeof(two)));
	CHECK(!ask("/api/flows/0/related?set=n=3&at=7:0"));
	CHECK(!ask("/api/flows/0/related?set=n=3&at=1"));
	close_workspace();
}

TEST(a_step_is_found_by_the_values_of_its_loops)
{
	open_flow();
	CHECK(ask("/api/flows/0/step?set=n=3&node=3&loops=1,2&trail=1"));
	CHECK(says("\"step\":6,\"steps\":12,\"node\":3"));
	CHECK(says("{\"name\":\"j\",\"node\":2,\"value\":2,\"low\":0,\"high\":3"));
	/* A[1], B[2], C[1][2]; before it A[1], B[1], C[1][1] */
	CHECK(says("\"trail\":[[0,1,1],[1,1,1],[2,5,1]]"));
	CHECK(says("{\"container\":2,\"place\":6,\"write\":true"));
	CHECK(ask("/api/flows/0/step?set=n=3&step=99"));
	CHECK_EQ(number("step"), 11);
	CHECK(ask("/api/flows/0/step?set=n=3&node=3&loops=7,1"));
	CHECK_EQ(number("step"), 9); /* i 2, the nearest, and j 1 */
	CHECK(!ask("/api/flows/0/step?set=n=0"));
	CHECK(!ask("/api/flows/0/step?set=n=3&node=1"));
	close_workspace();
}

TEST(distances_of_an_element_are_those_of_its_accesses)
{
	open_flow();
	/* A[1] at i 1, j 0 to 3; in lines of 8 bytes the first touch is cold, and then B
	 * and C lie between */
	CHECK(ask("/api/flows/0/distances?set=n=3&line=8&at=0:1"));
	CHECK(says("{\"accesses\":4,\"cold\":1,\"distances\":[[2,3]]}"));
	CHECK(!ask("/api/flows/0/distances?set=n=3&at=0:1,0:2"));
	close_workspace();
}

TEST(each_function_of_a_file_can_be_asked)
{
	open_file(
		"void one(int n, double *a) {\n"
		" for (int i = 0; i < n; i++)\n  for (int j = 0; j < n; j++) a[i] = j;\n}\n"
		"void two(int k, double *b) { for (int i = 0; i < k; i++) b[i] = 0; }\n");
	CHECK(ask("/api/flows/0"));
	CHECK(says("\"function\":\"one\""));
	CHECK(ask("/api/flows/0?function=two"));
	CHECK(says("\"parameters\":[\"k\"]"));
	CHECK(ask("/api/flows/0/local?function=two&set=k=3"));
	CHECK_EQ(number("accesses"), 3);
	CHECK(!ask("/api/flows/0?function=three"));
	CHECK(ask("/api/flows/0/source"));
	CHECK(says("void two(int k"));
	CHECK(!ask("/api/flows/0/source?file=/etc/hostname"));
	unlink(path);
	close_workspace();
}

/* The statistics of all elements at once are those of lib/flow, which sorts everything
 * for each container. */
TEST(statistics_of_elements_agree_with_the_simple_ones)
{
	static const char program[] =
		"void f(int n, float a[n][n], float b[n][n], float *c) {\n"
		" for (int i = 0; i < n; i++) for (int j = i; j < n; j++)\n"
		"  c[j + i] += a[i][j] * b[j][n - 1 - i];\n}\n";
	struct ml_arena arena = { 0 };
	struct ml_locality l = { .keep = true, .threshold = 3 };
	struct ml_locality_element e[100];
	int64_t *value;
	bool *known;

	open_file(program);
	unlink(path);
	CHECK_OK(ask("/api/flows/0/elements?set=n=9&line=16&threshold=3"), &err);
	struct ml_flow *f = ml_flow_open_text("f.c", program, strlen(program), NULL,
					      &err);
	CHECK(f != NULL);
	CHECK(ml_flow_values(f, "n=9", &arena, &value, &known, &err));
	l.walk = (struct ml_flow_walk){ .flow = f,
					.container = f->container,
					.value = value,
					.known = known,
					.line = 16 };
	CHECK_OK(ml_locality_run(&l, &err), &err);
	size_t at = 0;
	for (uint32_t c = 0; c < f->container_count; c++) {
		size_t n, many = f->container[c].scalar ? 0 : c < 2 ? 81 : 17;
		static const char *const names[] = { "count", "cold",   "misses",
						     "min",   "median", "max" };

		slow_elements(&l, c, 0, e, many);
		for (size_t i = 0; i < many; i++, at++) {
			const uint64_t want[] = { e[i].count, e[i].cold,   e[i].misses,
						  e[i].min,   e[i].median, e[i].max };

			for (int k = 0; k < 6; k++)
				CHECK_EQ(((const uint32_t *)column(names[k], &n))[at],
					 want[k]);
		}
	}
	CHECK_EQ(at, 179);
	ml_locality_release(&l);
	ml_flow_close(f);
	ml_arena_release(&arena);
	close_workspace();
}

/* Simulations are kept: asking for others in between and again gives the same. */
TEST(kept_simulations_answer_as_fresh_ones)
{
	char first[4000];

	open_flow();
	CHECK(ask("/api/flows/0/local?set=n=20&line=32&threshold=3"));
	snprintf(first, sizeof(first), "%s", (const char *)bytes.data);
	CHECK(ask("/api/flows/0/local?set=n=20&line=32&threshold=1"));
	CHECK(strcmp(first, (const char *)bytes.data) != 0);
	CHECK(ask("/api/flows/0/local?set=n=150000&line=32"));
	for (int line = 8; line <= 1024; line *= 2) {
		char question[100];

		snprintf(question, sizeof(question),
			 "/api/flows/0/local?set=n=150000&line=%d", line);
		CHECK(ask(question));
	}
	CHECK(ask("/api/flows/0/local?set=n=20&line=32&threshold=3"));
	CHECK(!strcmp(first, (const char *)bytes.data));
	close_workspace();
}

TEST(loops_in_another_order_run_their_steps_in_it)
{
	open_flow();
	/* j outside: the second step is i 1, j 0: A[1], B[0], C[1][0] */
	CHECK(ask("/api/flows/0/step?set=n=3&order=j,i&step=1"));
	CHECK(says("\"node\":3,\"loops\":[{\"name\":\"j\",\"node\":2,\"value\":0"));
	CHECK(says("\"accesses\":[{\"container\":0,\"place\":1,"));
	CHECK(says("{\"container\":2,\"place\":4,\"write\":true"));
	/* strips of two columns in each row: the third step is i 0, j 2 */
	CHECK(ask("/api/flows/0/step?set=n=3&tile=j=2&step=2"));
	CHECK(says("{\"container\":2,\"place\":2,\"write\":true"));
	CHECK(says("{\"name\":\"j_tile\",\"value\":2,\"low\":0,\"high\":2,\"step\":2}"));
	/* by loop values, the outermost of the new order first */
	CHECK(ask("/api/flows/0/step?set=n=3&order=j,i&node=3&loops=3,2"));
	CHECK_EQ(number("step"), 11);
	CHECK(ask("/api/flows/0/legality?set=n=3&order=j,i"));
	CHECK(says("\"kind\":\"legal\""));
	CHECK(!ask("/api/flows/0/local?set=n=3&order=j,q"));
	CHECK(!ask("/api/flows/0/legality?set=n=3")); /* neither order nor tile */
	close_workspace();
}

TEST(a_machine_has_misses_by_level)
{
	open_flow();
	/* one line of 32 bytes: the three arrays take it from each other, always */
	CHECK(ask("/api/flows/0/local?set=n=3&machine=L1 32 full 32B"));
	CHECK(says("\"line\":32"));
	CHECK(says("\"served\":[0,36],\"misses\":[36]"));
	CHECK(!ask("/api/flows/0/local?set=n=3&machine=L1 spiral"));
	CHECK(!ask("/api/flows/0/local?set=n=3&machine=L1 8G 16w"));
	CHECK(strstr(err.text, "lines of cache"));
	/* behind it a level that keeps everything: memory serves each line once */
	CHECK(ask("/api/flows/0/elements?set=n=3&container=2&"
		  "machine=L1 32 full 32B | L2 4K full 32B"));
	size_t n;
	const uint32_t *missed = column("missed", &n);
	CHECK_EQ(n, 12);
	const uint32_t *memory = column("memory", &n);
	for (size_t i = 0; i < n; i++)
		CHECK(missed[i] == 1 && memory[i] == (i % 4 == 0));
	close_workspace();
}
