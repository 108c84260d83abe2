/*
 * Dependences by integer sets against the meaning of small programs, and against trying
 * all iterations; depth and parallelism against numbers derived on paper.
 */
#include "lib/flow/order/dependence.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/flow/flow.h"
#include "lib/flow/flow_build.h"
#include "lib/flow/order/isl.h"
#include "lib/flow/order/legality.h"
#include "lib/flow/read/c_read.h"
#include "lib/flow/read/open.h"
#include "lib/flow/run/print.h"
#include "lib/flow/run/span.h"
#include "lib/flow/order/transform.h"
#include "tests/test.h"

static struct ml_err err;

static struct ml_flow *read_c(const char *text)
{
	struct ml_flow *f = ml_flow_open_text("text.c", text, strlen(text), NULL, &err);

	CHECK_OK(f, &err);
	return f;
}

static bool has_isl(void)
{
	return ml_isl_load(&err);
}

/* The first letters of what the loops carry: "pprs". */
static void carries(const char *text, const char *want)
{
	struct ml_flow *f = read_c(text);
	struct ml_dependences *d = ml_dependences_open(f, &err);
	char found[20] = "";
	size_t n = 0;

	CHECK_OK(d, &err);
	for (uint32_t i = 0; i < f->node_count; i++)
		if (f->node[i].kind == ML_FLOW_FOR)
			found[n++] = *ml_carried_names[ml_dependences_carried(d, i)];
	CHECK_STR(found, want);
	ml_dependences_close(d);
	ml_flow_close(f);
}

TEST(loops_carry_what_their_iterations_share)
{
	if (!has_isl())
		skip();
	carries("void f(int n, double A[n][n], double B[n][n], double C[n][n])\n"
		"{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
		"  for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; }\n",
		"ppr");
	/* each row needs the one before, each column is on its own */
	carries("void f(int n, double A[n][n]) { for (int i = 1; i < n; i++)\n"
		"for (int j = 0; j < n; j++) A[i][j] = A[i - 1][j]; }\n",
		"sp");
	/* a distance larger than the array */
	carries("void f(double *A) { for (int i = 0; i < 10; i++) A[i + 10] = A[i]; }\n",
		"p");
	carries("void f(double *A) { for (int i = 0; i < 11; i++) A[i + 10] = A[i]; }\n",
		"s");
	/* odd places from even ones */
	carries("void f(int n, double *A) { for (int i = 0; i < n; i++)\n"
		"A[2 * i + 1] = A[2 * i]; }\n",
		"p");
	/* a temporary of each iteration, declared inside or outside; a sum; a scan */
	carries("void f(int n, double *A) { for (int i = 0; i < n; i++)\n"
		"{ double t = A[i]; A[i] = t * t; } }\n",
		"p");
	carries("void f(int n, double *A) { double t; for (int i = 0; i < n; i++)\n"
		"{ t = A[i]; A[i] = t * t; } }\n",
		"p");
	carries("void f(int n, double *A) { double s = 0; for (int i = 0; i < n; i++)\n"
		"s += A[i]; A[0] = s; }\n",
		"r");
	carries("void f(int n, double *A) { double s = 0; for (int i = 0; i < n; i++)\n"
		"{ s += A[i]; A[i] = s; } }\n",
		"s");
	/* a function that is not here may do anything */
	carries("void g(double); void f(int n, double *A) { for (int i = 0; i < n; i++)\n"
		"{ A[i] = i; g(A[i]); } }\n",
		"o");
	/* data decide */
	carries("void f(int n, int *p, double *A) { for (int i = 0; i < n; i++)\n"
		"A[p[i]] = 1; }\n",
		"o");
}

/* What loops i and j carry, and whether they may change places. */
static void nest(const char *parameters, const char *declared, const char *body,
		 const char *want, const char *legality)
{
	struct ml_arena a = { 0 };
	const char *text = ml_arena_printf(
		&a,
		"struct node { int v; struct node *next; }; int global; int elsewhere(int);\n"
		"void *memset(void *, int, unsigned long);\n"
		"static int twice(int x) { return x > 0 ? 2 * x : x; }\n"
		"static void bump(int *z) { *z += 1; }\n"
		"static int deep(int x) { return x ? deep(x - 1) : 0; }\n"
		"void f(int n, double A[n][n], double B[n][n], int C[n][n]%s) {\n%s\n"
		"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {\n%s } }\n",
		parameters, declared, body);
	struct ml_flow_options o = { .function = "f" };
	struct ml_flow *f = ml_flow_open_text("text.c", text, strlen(text), &o, &err);
	CHECK_OK(f, &err);
	struct ml_dependences *d = ml_dependences_open(f, &err);
	CHECK_OK(d, &err);
	char found[20] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < f->node_count && n < 2; i++)
		if (f->node[i].kind == ML_FLOW_FOR)
			found[n++] = *ml_carried_names[ml_dependences_carried(d, i)];
	ml_dependences_close(d);
	struct ml_legality l;
	int64_t value[16] = { 0 };
	bool known[16] = { false };
	for (size_t i = 0; i < f->symbol_count; i++) {
		value[i] = 5;
		known[i] = f->symbol[i].kind <= ML_FLOW_TRIPS;
	}
	bool ok = ml_legality_check(&l, f, NULL, "j,i", value, known, NULL, &a, &err);
	CHECK_STR(ml_arena_printf(&a, "%s: %s %s", body, found,
				  ok ? ml_legality_names[l.kind] : "refused"),
		  ml_arena_printf(&a, "%s: %s %s", body, want, legality));
	ml_flow_close(f);
	ml_arena_release(&a);
}

TEST(a_scalar_of_any_type_that_a_later_iteration_reads_is_carried)
{
	if (!has_isl())
		skip();
	nest("", "int c = 0;", "A[i][j] = c++;", "ss", "illegal");
	nest("", "int s = 0;", "s += C[i][j]; C[i][j] = s;", "ss", "illegal");
	nest("", "unsigned s = 1;", "s = s * 1103515245u + 12345u; A[i][j] = s;", "ss",
	     "illegal");
	nest(", int *next", "int p = 0;", "p = next[p]; A[i][j] = p;", "ss", "illegal");
	nest(", struct node *p", "", "A[i][j] = p->v; p = p->next;", "ss", "illegal");
	nest(", double *p", "", "A[i][j] = *p++;", "ss", "illegal");
	nest("", "int t = 0;", "A[i][j] = t; t = i;", "ss", "illegal");
	nest("", "", "A[i][j] = global; global = C[i][j];", "ss", "illegal");
	nest("", "int t = 0;", "bump(&t); C[i][j] = t;", "ss", "illegal");
	/* what a parameter holds before it changes, too */
	nest(", double alpha", "", "A[i][j] = alpha; alpha *= 2;", "ss", "illegal");
	/* only part of the iterations write it */
	nest("", "int t = 0;", "if (B[i][j] > 0) t = i; A[i][j] = t;", "oo", "open");
}

TEST(sums_are_reductions_and_those_of_integers_may_be_reordered)
{
	if (!has_isl())
		skip();
	nest("", "double s = 0;", "s += B[i][j];", "rr", "updates");
	nest(", double *out", "double s = 0;", "s += B[i][j]; out[0] = 1;", "ss",
	     "illegal");
	nest("", "", "global += C[i][j];", "rr", "legal");
	nest("", "", "global = global + C[i][j];", "rr", "legal");
	nest("", "", "global ^= C[i][j];", "rr", "legal");
	nest(", double *out", "", "out[0] += B[i][j];", "rr", "updates");
	nest(", double *out", "", "out[0] = out[0] * 2 + B[i][j];", "ss", "illegal");
	/* two operators, or a value that is used */
	nest("", "", "global += C[i][j]; global *= 3;", "ss", "illegal");
	nest("", "", "C[i][j] = (global += 1);", "ss", "illegal");
}

TEST(what_is_declared_or_written_first_in_an_iteration_is_its_own)
{
	if (!has_isl())
		skip();
	nest("", "", "double x[8]; x[0] = B[i][j]; x[1] = x[0]; A[i][j] = x[1];", "pp",
	     "legal");
	nest("", "int t;", "t = C[i][j]; A[i][j] = t;", "pp", "legal");
	nest("", "int t;", "if (B[i][j] > 0) t = 1; else t = 2; A[i][j] = t;", "pp",
	     "legal");
	nest("", "", "C[i][j] = twice(C[i][j]);", "pp", "legal");
	nest("", "", "struct node s; s.v = C[i][j]; A[i][j] = s.v;", "pp", "legal");
	/* it has one copy for each i, but j comes first in the other order */
	nest("", "double x[8];", "x[0] = B[i][j]; A[i][j] = x[0];", "ss", "illegal");
}

TEST(what_is_not_placed_is_not_known)
{
	if (!has_isl())
		skip();
	nest("", "", "A[i][j] = elsewhere(i);", "oo", "open");
	nest("", "", "C[i][j] = deep(C[i][j]);", "oo", "open");
	nest(", struct node *p", "", "p->next->next->v = i;", "ss", "illegal");
	/* the same element has the same j, and i keeps its order */
	nest(", int *p", "", "A[p[i]][j] = 1;", "op", "legal");
	nest(", int *p", "", "A[p[i]][0] = 1;", "oo", "open");
	nest(", double **r", "", "r[i][j] = B[j][i];", "pp", "legal");
	/* the pointers change: rows may be the same memory */
	nest(", double **r", "", "r[i][j] = B[j][i]; r[i] = r[j];", "ss", "illegal");
	nest("", "", "if (B[i][j] > 0) break; A[i][j] = 1;", "po", "refused");
	nest("", "", "if (B[i][j] > 0) continue; A[i][j] = 1;", "pp", "legal");
	nest("", "", "if (B[i][j] > 0) return; A[i][j] = 1;", "oo", "refused");
	nest("", "", "switch (C[i][j]) { case 1: A[i][j] = 1; break; default: break; }",
	     "pp", "legal");
	/* whole rows, of which each iteration writes one */
	nest("", "", "memset(A[i], 0, n * sizeof(double));", "ps", "legal");
	nest("", "", "memset(A[i + j], 0, 8 * n);", "sp", "illegal");
}

TEST(pointers_that_may_overlap_are_kept_in_order_if_the_user_says_so)
{
	static const char text[] =
		"void f(int n, double *a, const double *b, float *c, double *restrict d) {\n"
		"for (int i = 0; i < n; i++) a[i] = b[i] + c[i] + d[i]; }\n";

	if (!has_isl())
		skip();
	for (int overlap = 0; overlap < 2; overlap++) {
		struct ml_flow_options o = { .overlap = overlap };
		struct ml_flow *f = ml_flow_open_text("text.c", text, strlen(text), &o,
						      &err);
		CHECK_OK(f, &err);
		struct ml_dependences *d = ml_dependences_open(f, &err);
		CHECK_EQ(ml_dependences_carried(d, 1),
			 overlap ? ML_CARRIED_OPEN : ML_CARRIED_NONE);
		if (overlap)
			CHECK_STR(ml_dependences_why(d),
				  "b and a may be the same memory (line 2)");
		ml_dependences_close(d);
		ml_flow_close(f);
	}
}

/* A perfect nest of constant bounds with one or two statements on one or two arrays. */
static struct ml_flow *random_nest(void)
{
	struct ml_flow *f = ml_flow_new("random");
	uint32_t at = ml_flow_add_node(f, ML_FLOW_NONE, ML_FLOW_SCOPE, "all");
	struct ml_arena *a = &f->arena;
	uint32_t symbol[2], works = 1 + (uint32_t)(rand() % 2);

	for (int i = 0; i < 2; i++) {
		struct ml_flow_container c = {
			.name = i ? "B" : "A", .type = "double", .element = 8, .dims = 1
		};
		c.stride[0] = ml_sym_const(a, 1);
		ml_flow_add_container(f, &c);
	}
	for (int i = 0; i < 2; i++) {
		at = ml_flow_add_node(f, at, ML_FLOW_FOR, i ? "j" : "i");
		symbol[i] = ml_flow_add_symbol(f, i ? "j" : "i", ML_FLOW_LOOP);
		f->node[at].symbol = symbol[i];
		f->node[at].from = ml_sym_const(a, 0);
		f->node[at].to = ml_sym_const(a, 2 + rand() % 4);
		if (i && rand() % 3 == 0)
			f->node[at].to = ml_sym_symbol(a, symbol[0]);
		if (rand() % 4 == 0) {
			f->node[at].step = 2;
		}
	}
	for (uint32_t w = 0; w < works; w++) {
		uint32_t work = ml_flow_add_node(f, at, ML_FLOW_WORK, "w");
		int accesses = 1 + rand() % 3;

		for (int i = 0; i < accesses; i++) {
			struct ml_flow_access *x = ml_flow_add_access(
				f, work, (uint32_t)(rand() % 2), i + 1 == accesses);
			const struct ml_sym *e = ml_sym_const(a, rand() % 5);

			for (int d = 0; d < 2; d++)
				e = ml_sym_make(
					a, ML_SYM_ADD, e,
					ml_sym_make(a, ML_SYM_MUL,
						    ml_sym_const(a, rand() % 5 - 2),
						    ml_sym_symbol(a, symbol[d])));
			/* an update of what was read first */
			if (i && i + 1 == accesses && rand() % 2) {
				x->container = f->node[work].access[0].container;
				e = f->node[work].access[0].range[0].from;
				for (int k = 0; accesses == 2 && k < 2; k++) {
					f->node[work].access[k].update = ML_FLOW_SUM;
					f->node[work].access[k].rounds = true;
				}
			}
			x->dims = 1;
			x->range[0] = (struct ml_flow_range){ e, e, ml_sym_const(a, 1) };
		}
	}
	return f;
}

TEST(sets_and_trying_agree_on_random_nests)
{
	static const char *const tiles[] = { NULL, "i=2,j=2", "i=3", "j=2" };
	int seen[4] = { 0 };

	if (!has_isl())
		skip();
	srand(11);
	for (int round = 0; round < 80; round++) {
		struct ml_flow *f = random_nest();
		const char *tile = tiles[rand() % 4];
		const char *order = tile && rand() % 2 ? NULL : "j,i";
		struct ml_arena a = { 0 };
		struct ml_legality proved, tried;
		int64_t value[8] = { 0 };
		bool known[8] = { false };
		struct ml_transform t;

		/* a step that begins elsewhere is refused */
		if (!ml_transform_make(&t, f, tile, order, 0, &err)) {
			ml_transform_release(&t);
			ml_flow_close(f);
			continue;
		}
		ml_transform_release(&t);
		CHECK_OK(ml_legality_check(&proved, f, tile, order, value, known, NULL,
					   &a, &err),
			 &err);
		CHECK_OK(ml_legality_try(&tried, f, tile, order, value, known, NULL, &a,
					 &err),
			 &err);
		CHECK(proved.all_sizes && !tried.all_sizes);
		CHECK_STR(ml_legality_names[proved.kind], ml_legality_names[tried.kind]);
		seen[proved.kind]++;
		ml_arena_release(&a);
		ml_flow_close(f);
	}
	CHECK(seen[ML_LEGAL] > 10);
	CHECK(seen[ML_ILLEGAL] > 10);
	CHECK(seen[ML_LEGAL_UPDATES] > 0);
}

static void check_span(const char *text, const char *depth, const char *parallelism)
{
	struct ml_flow *f = read_c(text);
	struct ml_flow_counts c;
	struct ml_flow_span s;
	struct ml_buf b = { 0 };

	ml_flow_counts_make(&c, f);
	ml_flow_span_make(&s, f, &c);
	ml_flow_count_print(&s.depth[0], f, &b);
	ml_buf_u8(&b, 0);
	CHECK_STR((const char *)b.data, depth);
	b.size = 0;
	ml_flow_print_ratio(f, &c.all_ops, &s.depth[0], &b);
	ml_buf_u8(&b, 0);
	CHECK_STR((const char *)b.data, parallelism);
	ml_buf_release(&b);
	ml_flow_span_release(&s);
	ml_flow_counts_release(&c);
	ml_flow_close(f);
}

TEST(depth_is_the_longest_chain_of_operations)
{
	if (!has_isl())
		skip();
	/* a product for each element: K multiplications and additions in turn */
	check_span(
		"void f(int M, int K, int N, float A[M][K], float B[K][N], float C[M][N])\n"
		"{ for (int i = 0; i < M; i++) for (int j = 0; j < N; j++)\n"
		"  for (int k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j]; }\n",
		"2*K", "M*N");
	/* two passes over other arrays at the same time; the longer one counts */
	check_span("void f(int n, double *a, double *b) {\n"
		   "for (int i = 0; i < n; i++) a[i] = a[i] + 1;\n"
		   "for (int i = 0; i < n; i++) b[i] = b[i] * b[i] + 1; }\n",
		   "2", "3/2*n");
	/* the second reads what the first writes */
	check_span("void f(int n, double *a, double *b) {\n"
		   "for (int i = 0; i < n; i++) a[i] = a[i] + 1;\n"
		   "for (int i = 0; i < n; i++) b[i] = a[i] * b[i] + 1; }\n",
		   "3", "n");
	/* time steps in turn, (n - 2)^2 points at once: the quotient has no remainder */
	check_span("void f(int t, int n, double A[n][n], double B[n][n]) {\n"
		   "for (int s = 0; s < t; s++) {\n"
		   "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)\n"
		   "B[i][j] = A[i - 1][j] + A[i + 1][j];\n"
		   "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)\n"
		   "A[i][j] = B[i - 1][j] + B[i + 1][j]; } }\n",
		   "2*t", "n^2 - 4*n + 4");
	/* forward substitution: row i waits for rows before it; n(n-1)/2 times two
	 * operations, and n divisions */
	check_span("void f(int n, double L[n][n], double *x) {\n"
		   "for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++)\n"
		   "x[i] -= L[i][j] * x[j]; x[i] /= L[i][i]; } }\n",
		   "n^2", "1");
}
