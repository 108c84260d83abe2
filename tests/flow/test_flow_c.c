/*
 * C that is no plain loop nest: jumps, conditions that read arrays, arrays inside
 * structures, headers. Expected formulas and addresses are derived on paper.
 */
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

static void read_function(const char *text, const char *function)
{
	struct ml_flow_options o = { .function = function };

	f = ml_flow_open_text("text.c", text, strlen(text), &o, &err);
	CHECK_OK(f, &err);
	ml_flow_counts_make(&counts, f);
}

static void read_c(const char *text)
{
	read_function(text, NULL);
}

static void finish(void)
{
	ml_flow_counts_release(&counts);
	ml_flow_close(f);
}

/* Bytes read and written of a container. */
static void check(const char *name, const char *read, const char *written)
{
	uint32_t i = ml_flow_find_container(f, name);
	struct ml_buf b = { 0 };

	CHECK(i != UINT32_MAX);
	ml_flow_count_print(&counts.read[i], f, &b);
	ml_buf_u8(&b, 0);
	CHECK_STR((const char *)b.data, read);
	b.size = 0;
	ml_flow_count_print(&counts.written[i], f, &b);
	ml_buf_u8(&b, 0);
	CHECK_STR((const char *)b.data, written);
	ml_buf_release(&b);
}

static bool noted(const char *part)
{
	for (size_t i = 0; i < f->note_count; i++)
		if (strstr(f->note[i], part))
			return true;
	return false;
}

TEST(a_condition_that_reads_arrays_counts_once_more_than_the_loop_runs)
{
	read_c("void f(int n, double *x, int *m) {\n"
	       "for (int i = 0; m[i] < n; i++) x[i] = 1; }\n");
	check("m", "4*trips_2 + 4", "0");
	check("x", "0", "8*trips_2");
	finish();
	read_c("void f(double *x, int *m) { int i = 0;\n"
	       "while (m[0] > i) x[i++] = 1; }\n");
	check("m", "4*trips_2 + 4", "0");
	finish();
	read_c("void f(double *x, int *m) { int i = 0;\n"
	       "do x[i++] = 1; while (m[0] > i); }\n");
	check("m", "4*trips_2", "0");
	finish();
	/* a bound that is an element: read before the first iteration and after each */
	read_c("void f(int n, int *p, double *x) { for (int r = 0; r < n; r++)\n"
	       "for (int k = p[r]; k < p[r + 1]; k++) x[k] = 1; }\n");
	check("p", "4*n*trips_2 + 8*n", "0");
	finish();
}

/* Bytes written to x by a body, with nothing said about data. */
static void counted(const char *body, const char *written)
{
	struct ml_arena a = { 0 };

	read_c(ml_arena_printf(&a,
			       "int y[40]; void f(int n, int m, double *x, double *p) {\n"
			       "int i, j, c = 0; (void)c; (void)i; (void)j;\n%s }\n",
			       body));
	check("x", "0", written);
	if (noted("depends on data"))
		CHECK_STR(body, "no note");
	finish();
	ml_arena_release(&a);
}

TEST(loops_as_people_write_them_have_their_bounds)
{
	counted("while (n--) x[n] = 1;", "8*n");
	counted("while (n-- > 0) x[n] = 1;", "8*n");
	counted("while (--n) x[n] = 1;", "8*n - 8");
	counted("for (unsigned i = n; i-- > 0;) x[i] = 1;", "8*n");
	counted("for (i = 0, j = n; i < j; i++) x[i] = 1;", "8*n");
	counted("for (i = 0; i < n; x[i++] = 1) ;", "8*n");
	counted("i = 0; while (i < n) { x[i] = 1; i += 1; }", "8*n");
	counted("i = 0; do { x[i] = 1; } while (++i < n);", "8*n");
	counted("i = 0; do x[i++] = 1; while (i != n);", "8*n");
	counted("for (i = 0; i < n; i++) *x++ = 1;", "8*n");
	counted("while (n--) *x++ = *p++;", "8*n");
	counted("double *e = x + n; while (x < e) *x++ = 1;", "8*n");
	counted("for (double *q = x; q != x + n; ++q) *q = 1;", "8*n");
	counted("for (i = 0; i < (int)(sizeof(y) / sizeof(*y)); i++) x[i] = 1;", "320");
	counted("#pragma omp parallel for\nfor (i = 0; i < n; i++) x[i] = 1;", "8*n");
	/* what comes after knows how often the loop ran */
	counted("c = 2; for (i = 0; i < n; i++) c += 3; for (i = 0; i < c; i++) x[i] = 1;",
		"24*n + 16");
	counted("i = n; while (i-- > 0) ; for (j = -1; j > i - 5; j--) x[j + 9] = 1;",
		"40");
}

TEST(two_counters_that_meet_run_half_as_often)
{
	read_c("void f(int n, double *x) { for (int i = 0, j = n - 1; i < j; i++, j--)\n"
	       "{ x[i] = x[j]; x[j] = 1; } }\n");
	int64_t value[8] = { 9 };
	bool known[8] = { true };
	struct ml_locality l = { .walk = { .flow = f,
					   .container = f->container,
					   .value = value,
					   .known = known,
					   .line = 64 },
				 .threshold = 10,
				 .keep = true };
	CHECK_OK(ml_locality_run(&l, &err), &err);
	CHECK_EQ(l.kept, 3 * 4);
	for (uint64_t i = 0; i < 4; i++) {
		uint64_t base = l.walk.placed[0].base;

		CHECK_EQ((l.addr[3 * i] - base) / 8, 8 - i);
		CHECK_EQ((l.addr[3 * i + 1] - base) / 8, i);
		CHECK_EQ((l.addr[3 * i + 2] - base) / 8, 8 - i);
	}
	ml_locality_release(&l);
	finish();
}

TEST(a_loop_that_doubles_has_a_logarithm_of_iterations)
{
	read_c("void f(int n, double *x) {\nfor (int h = 1; h < n; h *= 2) x[h] = 1; }\n");
	check("x", "0", "8*trips_2");
	CHECK(noted("multiplies or divides h, so trips_2, its number of iterations, is a "
		    "logarithm"));
	finish();
}

TEST(continue_guards_the_rest_of_its_iteration)
{
	read_c("void f(int n, double *x) { for (int i = 0; i < n; i++) {\n"
	       "if (i < 3) continue; x[i] = 1; } }\n");
	CHECK(!counts.all_bytes.bounded);
	finish();
	/* 20 iterations without the first three */
	read_c("void f(double *x) { for (int i = 0; i < 20; i++) {\n"
	       "if (i < 3) { continue; } x[i] = 1; } }\n");
	check("x", "0", "136");
	CHECK(!counts.all_bytes.bounded);
	finish();
	read_c("void f(int n, double *x) { for (int i = 0; i < n; i++) {\n"
	       "if (x[i] > 0) continue; x[i] = 1; } }\n");
	check("x", "8*n", "8*n");
	CHECK(counts.all_bytes.bounded);
	CHECK(noted("whether the iteration goes on depends on data"));
	finish();
}

TEST(what_follows_a_return_further_inside_is_bounded)
{
	read_c("int f(int n, double *x) { for (int i = 0; i < n; i++)\n"
	       "if (x[i] < 0) return i;\n"
	       "for (int i = 0; i < n; i++) x[i] = 0; return -1; }\n");
	check("x", "8*n", "8*n");
	CHECK(counts.written[0].bounded);
	CHECK(noted("the function may end here"));
	finish();
}

TEST(a_jump_back_is_a_loop)
{
	read_c("void f(int n, double *x) {\n"
	       "again: for (int i = 0; i < n; i++) x[i] = x[i] * 2;\n"
	       "if (x[0] < 100) goto again; x[1] = 0; }\n");
	check("x", "8*n*trips_2 + 8*trips_2", "8*n*trips_2 + 8");
	finish();
}

TEST(arrays_inside_structures_are_placed)
{
	struct ml_experiment x = { .set = "n=4", .line = 32, .keep = true };
	uint64_t cold = 0;

	read_c("struct body { double pos[3], vel[3], m; };\n"
	       "void f(int n, struct body *b) { for (int i = 0; i < n; i++)\n"
	       "for (int k = 0; k < 3; k++) b[i].pos[k] += b[i].vel[k] * b[i].m; }\n");
	check("b.pos", "24*n", "24*n");
	check("b.vel", "24*n", "0");
	check("b", "24*n", "0");
	CHECK_OK(ml_experiment_run(&x, f, &err), &err);
	const struct ml_locality *l = &x.now.locality;
	uint64_t base = l->walk.placed[ml_flow_find_container(f, "b")].base;
	size_t n = 0;
	for (uint64_t i = 0; i < 4; i++)
		for (uint64_t k = 0; k < 3; k++, n += 4) {
			CHECK_EQ(l->addr[n] - base, i * 56 + 24 + k * 8);
			CHECK_EQ(l->addr[n + 1] - base, i * 56 + 48);
			CHECK_EQ(l->addr[n + 2] - base, i * 56 + k * 8);
			CHECK_EQ(l->addr[n + 3] - base, i * 56 + k * 8);
		}
	CHECK_EQ(l->kept, n);
	for (size_t i = 0; i < f->container_count; i++)
		cold += l->container[i].cold;
	CHECK_EQ(cold, 4 * 56 / 32); /* the lines of all bodies, each once */
	ml_experiment_release(&x);
	finish();
	read_c("struct g { double *u; double t[4][8]; };\n"
	       "void f(int n, struct g *g) { for (int i = 0; i < n; i++)\n"
	       "g->u[i] = g->t[1][i % 8]; }\n");
	check("g.u", "0", "8*n");
	check("g.t", "8*n", "0");
	CHECK(!counts.all_bytes.bounded);
	finish();
	read_c("double f(void) { struct { float w[16]; } s; double t = 0;\n"
	       "for (int i = 0; i < 16; i++) s.w[i] = i;\n"
	       "for (int i = 0; i < 16; i++) t += s.w[i]; return t; }\n");
	check("s.w", "64", "64");
	finish();
}

/* Calls of functions that are not here, deep inside of others: nodes are added while a
 * computation is looked for. */
TEST(calls_inside_of_calls_are_all_read)
{
	read_function(
		"void far(double); static double x[8];\n"
		"static void a(int i) { if (i % 2) far(1); x[i] = x[i] < 1 ? 2 : 3; }\n"
		"static void b(void) { for (int i = 0; i < 8; i++) a(i); far(2); }\n"
		"void f(void) { b(); far(0); b(); for (int t = 0; t < 9; t++)\n"
		"if (t % 2) b(); else { far(t); b(); } b(); }\n",
		"f");
	/* 12 sweeps of 8 elements, each read and written once */
	check("x", "768", "768");
	finish();
}

TEST(a_missing_header_and_a_wrong_option_are_told_in_words)
{
	const char *const args[] = { "-I", "/nowhere", NULL };
	const char *const wrong[] = { "-nonsense", NULL };
	struct ml_flow_options o = { .args = args }, w = { .args = wrong };
	const char text[] = "#include \"none.h\"\nvoid f(void) {}\n";
	const char good[] = "void f(void) {}\n";

	CHECK_FAILS(ml_flow_open_text("text.c", text, strlen(text), NULL, &err) != NULL,
		    &err,
		    "text.c, line 1, column 10: 'none.h' file not found; headers "
		    "are looked for in the folder of the file and in those of the "
		    "system; --cc=-IFOLDER adds one");
	CHECK_FAILS(ml_flow_open_text("text.c", text, strlen(text), &o, &err) != NULL,
		    &err, "folder of the file, /nowhere and");
	CHECK_FAILS(ml_flow_open_text("text.c", good, strlen(good), &w, &err) != NULL,
		    &err, "nonsense");
}
