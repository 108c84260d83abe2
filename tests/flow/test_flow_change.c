/*
 * Loops reordered and tiled, against loops written by hand; whether that is legal,
 * against the programs' meaning; a machine, against lib/cache fed by hand-written loops.
 */
#include "lib/flow/order/transform.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/cache/exact/sim.h"
#include "lib/flow/run/experiment.h"
#include "lib/flow/flow.h"
#include "lib/flow/flow_build.h"
#include "lib/flow/read/open.h"
#include "tests/test.h"

static struct ml_err err;

static struct ml_flow *read_c(const char *text)
{
	struct ml_flow *f = ml_flow_open_text("text.c", text, strlen(text), NULL, &err);

	CHECK_OK(f, &err);
	return f;
}

static const char product[] =
	"void p(int M, int K, int N, float A[M][K], float B[K][N], float C[M][N])\n"
	"{ for (int i = 0; i < M; i++) for (int j = 0; j < N; j++)\n"
	"  for (int k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j]; }\n";

static const char triangle[] =
	"void t(int n, double A[n][n], double s[1])\n"
	"{ for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s[0] += A[i][j]; }\n";

static const char seidel[] =
	"void s(int n, double A[n][n])\n"
	"{ for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)\n"
	"  A[i][j] = A[i - 1][j] + A[i][j - 1] + A[i + 1][j - 1]; }\n";

/* An experiment whose accesses are kept. */
static struct ml_experiment *run(const struct ml_flow *f, struct ml_experiment *x)
{
	x->threshold = 10;
	x->keep = true;
	CHECK_OK(ml_experiment_run(x, f, &err), &err);
	return x;
}

/* The place of the n-th access, in elements of its container. */
static uint64_t place(const struct ml_experiment *x, size_t n)
{
	const struct ml_locality *l = &x->now.locality;
	uint32_t c = l->of[n];

	return (l->addr[n] - l->walk.placed[c].base) / x->flow->container[c].element;
}

TEST(loops_of_a_product_run_in_the_order_that_is_asked_for)
{
	struct ml_flow *f = read_c(product);
	struct ml_experiment x = { .set = "M=5,K=6,N=7", .order = "k,i,j" };
	size_t n = 0;

	run(f, &x);
	for (uint64_t k = 0; k < 6; k++)
		for (uint64_t i = 0; i < 5; i++)
			for (uint64_t j = 0; j < 7; j++, n += 4) {
				CHECK_EQ(place(&x, n), i * 6 + k);
				CHECK_EQ(place(&x, n + 1), k * 7 + j);
				CHECK_EQ(place(&x, n + 2), i * 7 + j);
				CHECK_EQ(place(&x, n + 3), i * 7 + j);
			}
	CHECK_EQ(x.now.locality.kept, n);
	CHECK_EQ(x.legality.kind, ML_LEGAL);
	ml_experiment_release(&x);
	ml_flow_close(f);
}

TEST(tiles_run_strip_by_strip_and_may_be_ordered_by_name)
{
	struct ml_flow *f = read_c(product);
	struct ml_experiment x = { .set = "M=5,K=7,N=3",
				   .tile = "i=2,k=3",
				   .order = "k_tile,i_tile,i,k,j" };
	size_t n = 0;

	run(f, &x);
	for (uint64_t kk = 0; kk < 7; kk += 3)
		for (uint64_t ii = 0; ii < 5; ii += 2)
			for (uint64_t i = ii; i < 5 && i < ii + 2; i++)
				for (uint64_t k = kk; k < 7 && k < kk + 3; k++)
					for (uint64_t j = 0; j < 3; j++, n += 4)
						CHECK_EQ(place(&x, n), i * 7 + k);
	CHECK_EQ(x.now.locality.kept, n);
	CHECK_EQ(x.legality.kind, ML_LEGAL);
	/* the original beside it has as many accesses */
	CHECK_EQ(x.before.locality.walk.count, n);
	ml_experiment_release(&x);
	ml_flow_close(f);
}

TEST(a_triangle_turned_round_has_the_same_iterations)
{
	struct ml_flow *f = read_c(triangle);
	struct ml_experiment x = { .set = "n=9", .order = "j,i" };
	size_t n = 0;

	run(f, &x);
	for (uint64_t j = 0; j < 9; j++)
		for (uint64_t i = 0; i <= j; i++, n += 3)
			CHECK_EQ(place(&x, n), i * 9 + j);
	CHECK_EQ(x.now.locality.kept, n);
	/* the sum adds in another order, and nothing else changes */
	CHECK_EQ(x.legality.kind, ML_LEGAL_UPDATES);
	ml_experiment_release(&x);
	ml_flow_close(f);
}

TEST(a_tiled_triangle_has_the_same_iterations)
{
	struct ml_flow *f = read_c(triangle);
	struct ml_experiment x = { .set = "n=9", .tile = "i=4,j=2" };
	size_t n = 0;

	run(f, &x);
	for (uint64_t ii = 0; ii < 9; ii += 4)
		for (uint64_t jj = 0; jj < 9; jj += 2)
			for (uint64_t i = ii; i < 9 && i < ii + 4; i++)
				for (uint64_t j = jj; j < 9 && j < jj + 2; j++) {
					if (j < i)
						continue;
					CHECK_EQ(place(&x, n), i * 9 + j);
					n += 3;
				}
	CHECK_EQ(x.now.locality.kept, n);
	ml_experiment_release(&x);
	ml_flow_close(f);
}

/* Downwards, with a step that begins at another loop's variable. */
TEST(steps_that_begin_elsewhere_stay_on_their_places)
{
	struct ml_flow *f = read_c(
		"void d(int n, double A[n][n]) { for (int i = 0; i < n; i++)\n"
		"for (int j = n - 1 - i; j >= 0; j -= 3) A[i][j] = 0; }\n");
	struct ml_experiment x = { .set = "n=11", .order = "j,i" };
	size_t n = 0;

	run(f, &x);
	for (int64_t j = 10; j >= 0; j--)
		for (int64_t i = 0; i < 11; i++) {
			if (10 - i < j || (10 - i - j) % 3)
				continue;
			CHECK_EQ(place(&x, n), (uint64_t)(i * 11 + j));
			n++;
		}
	CHECK_EQ(x.now.locality.kept, n);
	CHECK_EQ(x.legality.kind, ML_LEGAL);
	ml_experiment_release(&x);
	ml_flow_close(f);
}

static enum ml_legality_kind legality(const char *text, const char *tile,
				      const char *order, const char *set)
{
	struct ml_flow *f = read_c(text);
	struct ml_experiment x = { .set = set, .tile = tile, .order = order };
	enum ml_legality_kind kind;

	run(f, &x);
	kind = x.legality.kind;
	ml_experiment_release(&x);
	ml_flow_close(f);
	return kind;
}

TEST(an_order_that_breaks_a_dependence_is_called_illegal)
{
	/* A[i + 1][j - 1] must be read before row i + 1 is written */
	CHECK_EQ(legality(seidel, NULL, "j,i", "n=10"), ML_ILLEGAL);
	CHECK_EQ(legality(seidel, "i=3,j=3", NULL, "n=10"), ML_ILLEGAL);
	CHECK_EQ(legality(seidel, "i=3", NULL, "n=10"), ML_LEGAL);
	/* too many accesses to try: smaller sizes and tiles say the same */
	CHECK_EQ(legality(seidel, "i=32,j=32", NULL, "n=500"), ML_ILLEGAL);
	CHECK_EQ(legality("void g(int n, int *p, double *x, double y[n][n])\n"
			  "{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
			  "  x[p[i]] = y[i][j]; }\n",
			  NULL, "j,i", "n=4"),
		 ML_LEGALITY_OPEN);
	/* wherever they are, sums may change places */
	CHECK_EQ(legality("void g(int n, int *p, double *x, double y[n][n])\n"
			  "{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
			  "  x[p[i]] += y[i][j]; }\n",
			  NULL, "j,i", "n=4"),
		 ML_LEGAL_UPDATES);
	CHECK_EQ(legality("void g(int n, int *p, int *x, int y[n][n])\n"
			  "{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
			  "  x[p[i]] += y[i][j]; }\n",
			  NULL, "j,i", "n=4"),
		 ML_LEGAL);
	CHECK_EQ(legality("void g(int); void f(int n) { for (int i = 0; i < n; i++)\n"
			  "for (int j = 0; j < n; j++) g(i + j); }\n",
			  NULL, "j,i", "n=4"),
		 ML_LEGALITY_OPEN);
}

TEST(what_cannot_be_reordered_is_refused_with_the_reason)
{
	static const struct {
		const char *text, *tile, *order, *reason;
	} cases[] = {
		{ product, NULL, "k,q", "there is no loop 'q'" },
		{ product, NULL, "k,i", "'j' stands between" },
		{ product, NULL, "k,,i", "say names of loops" },
		{ product, NULL, "i,i", "twice" },
		{ product, "i=0", NULL, "no number of iterations" },
		{ product, "i", NULL, "say LOOP=ITERATIONS" },
		{ product, NULL, "k,j@77", "beginning in that line" },
		{ "void f(int n, double A[n][n], double *s) { for (int i = 0; i < n; i++) {\n"
		  "s[i] = 0; for (int j = 0; j < n; j++) s[i] += A[i][j]; } }\n",
		  NULL, "j,i", "stands between the loops" },
		{ "void f(int n, double *A) { for (int i = 0; i < n; i++)\n"
		  "for (int j = 0; j < i * i; j++) A[j] = 0; }\n",
		  NULL, "j,i", "cannot be turned round" },
		{ "void f(int n, double A[n][n]) { for (int i = 0; i < n; i++)\n"
		  "for (int j = i; j < n; j += 2) A[i][j] = 0; }\n",
		  "i=4,j=4", NULL, "has a step" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ml_flow *f = read_c(cases[i].text);
		struct ml_transform t;

		CHECK_FAILS(
			ml_transform_make(&t, f, cases[i].tile, cases[i].order, 0, &err),
			&err, cases[i].reason);
		ml_transform_release(&t);
		ml_flow_close(f);
	}
}

/* The accesses of the product, one by one, through a simulator of lib/cache. */
TEST(a_machine_serves_what_it_serves_a_trace_of_the_same_loops)
{
	struct ml_flow *f = read_c(product);
	struct ml_experiment x = { .set = "M=12,K=16,N=20",
				   .machine = "L1 512 2w 64B | L2 2K 4w" };
	uint64_t served[4][3] = { 0 }, conflicts = 0;

	run(f, &x);
	const struct ml_flow_placed *p = x.now.locality.walk.placed;
	struct ml_sim *s = ml_sim_open(&x.simulated, ML_SIM_CAUSES, &err);
	CHECK(s);
	for (uint64_t i = 0; i < 12; i++)
		for (uint64_t j = 0; j < 20; j++)
			for (uint64_t k = 0; k < 16; k++) {
				uint64_t addr[4] = { p[0].base + (i * 16 + k) * 4,
						     p[1].base + (k * 20 + j) * 4,
						     p[2].base + (i * 20 + j) * 4,
						     p[2].base + (i * 20 + j) * 4 };
				uint16_t what[4] = { 4, 4, 4, 1 << 14 | 4 }, outcome[4];
				struct ml_accesses a = { .count = 4,
							 .addr = addr,
							 .what = what };

				CHECK(ml_sim_run(s, &a, outcome, &err));
				for (int q = 0; q < 4; q++) {
					served[q][ml_outcome_served(outcome[q]) - 1]++;
					conflicts += ml_outcome_cause(outcome[q], 1) ==
						     ML_CAUSE_CONFLICT;
				}
			}
	CHECK_EQ(x.now.served.accesses, 4);
	CHECK(conflicts > 0);
	CHECK_EQ(x.now.served.all.cause[ML_CAUSE_CONFLICT], conflicts);
	for (int q = 0; q < 4; q++)
		for (int l = 0; l < 3; l++)
			CHECK_EQ(x.now.served.by_access[q].served[l], served[q][l]);
	ml_sim_close(s);
	ml_experiment_release(&x);
	ml_flow_close(f);
}

/* A nest with accesses of random strides, sizes and offsets, upwards or downwards. */
static struct ml_flow *random_nest(void)
{
	struct ml_flow *f = ml_flow_new("random");
	uint32_t at = ml_flow_add_node(f, ML_FLOW_NONE, ML_FLOW_SCOPE, "all");
	struct ml_arena *a = &f->arena;
	uint32_t symbol[2], count = 1 + (uint32_t)(rand() % 6);

	for (int i = 0; i < 2; i++) {
		at = ml_flow_add_node(f, at, ML_FLOW_FOR, i ? "j" : "i");
		f->node[at].symbol = symbol[i] = ml_flow_add_symbol(f, i ? "j" : "i",
								    ML_FLOW_LOOP);
		int64_t low = rand() % 5, high = low + rand() % 60;
		bool down = rand() % 3 == 0;
		f->node[at].from = ml_sym_const(a, down ? high : low);
		f->node[at].to = ml_sym_const(a, down ? low : high);
		f->node[at].step = (down ? -1 : 1) * (1 + rand() % 3);
	}
	uint32_t work = ml_flow_add_node(f, at, ML_FLOW_WORK, "w");
	for (uint32_t i = 0; i < count; i++) {
		static const uint32_t sizes[] = { 1, 2, 4, 8, 12, 24, 40, 100 };
		struct ml_flow_container c = { .name = "c",
					       .type = "t",
					       .element = sizes[rand() % 8],
					       .alignment = 4 };
		uint32_t n = ml_flow_add_container(f, &c);
		struct ml_flow_access *x = ml_flow_add_access(f, work, n, rand() % 2);

		x->linear = ml_sym_const(a, 200 + rand() % 20);
		for (int d = 0; d < 2; d++)
			x->linear =
				ml_sym_make(a, ML_SYM_ADD, x->linear,
					    ml_sym_make(a, ML_SYM_MUL,
							ml_sym_const(a, rand() % 7 - 3),
							ml_sym_symbol(a, symbol[d])));
	}
	return f;
}

TEST(groups_of_iterations_count_as_their_iterations_do)
{
	srand(7);
	for (int round = 0; round < 150; round++) {
		struct ml_flow *f = random_nest();
		struct ml_experiment each = { .machine = "L1 256 2w 32B | L2 1K 2w | "
							 "L3 4K 4w 64B",
					      .line = 32 };
		struct ml_experiment grouped = each;

		each.keep = true; /* passes on each access */
		grouped.threshold = each.threshold = 4;
		/* the fast simulator, or the exact one, with groups */
		grouped.no_causes = round % 3 == 0;
		if (round % 2)
			each.machine = grouped.machine =
				"L1 256 2w 32B | L2 1K 2w | L3 4K 4w";
		CHECK_OK(ml_experiment_run(&each, f, &err), &err);
		CHECK_OK(ml_experiment_run(&grouped, f, &err), &err);
		CHECK_EQ(each.now.locality.walk.count, grouped.now.locality.walk.count);
		CHECK_EQ(each.now.locality.walk.instances,
			 grouped.now.locality.walk.instances);
		for (size_t i = 0; i < f->container_count; i++) {
			const struct ml_locality_container
				*c = &each.now.locality.container[i],
				*d = &grouped.now.locality.container[i];
			uint64_t(*p)[2], (*q)[2];
			size_t n = ml_locality_distances(c, &p);

			CHECK_EQ(c->reads, d->reads);
			CHECK_EQ(c->cold, d->cold);
			CHECK_EQ(c->misses, d->misses);
			CHECK_EQ(n, ml_locality_distances(d, &q));
			CHECK(!memcmp(p, q, n * sizeof(*p)));
			ml_free(p);
			ml_free(q);
		}
		for (size_t i = 0; i < each.now.served.accesses; i++) {
			const struct ml_served_counts *c = &each.now.served.by_access[i],
						      *d = &grouped.now.served
								    .by_access[i];

			for (unsigned l = 0; l <= ML_LEVELS; l++)
				CHECK_EQ(c->served[l], d->served[l]);
			for (int k = 0; !grouped.no_causes && k < ML_CAUSES; k++)
				CHECK_EQ(c->cause[k], d->cause[k]);
		}
		ml_experiment_release(&each);
		ml_experiment_release(&grouped);
		ml_flow_close(f);
	}
}

/* Three loops whose bounds depend on those around them, some downwards, some in steps. */
static struct ml_flow *random_polytope(void)
{
	struct ml_flow *f = ml_flow_new("random");
	uint32_t at = ml_flow_add_node(f, ML_FLOW_NONE, ML_FLOW_SCOPE, "all");
	struct ml_flow_container c = { .name = "c", .type = "t", .element = 8 };
	struct ml_arena *a = &f->arena;
	const struct ml_sym *place = ml_sym_const(a, 0);

	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "i", "j", "k" };
		bool down = rand() % 4 == 0;
		const struct ml_sym *bound[2];

		at = ml_flow_add_node(f, at, ML_FLOW_FOR, names[i]);
		f->node[at].symbol = ml_flow_add_symbol(f, names[i], ML_FLOW_LOOP);
		for (int b = 0; b < 2; b++) {
			bound[b] = ml_sym_const(a, b ? 3 + rand() % 5 : rand() % 3);
			for (int o = 0; o < i; o++)
				bound[b] = ml_sym_make(
					a, ML_SYM_ADD, bound[b],
					ml_sym_make(a, ML_SYM_MUL,
						    ml_sym_const(a, rand() % 3 - 1),
						    ml_sym_symbol(a, (uint32_t)o)));
		}
		if (rand() % 3 == 0)
			bound[1] = ml_sym_make(a, ML_SYM_MIN, bound[1],
					       ml_sym_const(a, 4));
		f->node[at].from = bound[down];
		f->node[at].to = bound[!down];
		f->node[at].step = (down ? -1 : 1) * (rand() % 3 ? 1 : 2);
		/* a different element for each iteration */
		place = ml_sym_make(
			a, ML_SYM_ADD,
			ml_sym_make(a, ML_SYM_MUL, place, ml_sym_const(a, 100)),
			ml_sym_symbol(a, f->node[at].symbol));
	}
	uint32_t work = ml_flow_add_node(f, at, ML_FLOW_WORK, "w");
	ml_flow_add_access(f, work, ml_flow_add_container(f, &c), true)->linear = place;
	return f;
}

static int by_address(const void *x, const void *y)
{
	const uint64_t *p = x, *q = y;

	return (*p > *q) - (*p < *q);
}

TEST(every_order_and_tiling_has_the_iterations_of_the_original)
{
	static const char *const orders[] = { NULL,    "i,k,j", "j,i,k", "j,k,i",
					      "k,i,j", "k,j,i", "j,i",   "k,j" };
	static const char *const tiles[] = { NULL, "i=2", "k=3,i=2", "j=2,k=2",
					     "i=3,j=2,k=4" };
	int done = 0;

	srand(5);
	for (int round = 0; round < 300; round++) {
		struct ml_flow *f = random_polytope();
		struct ml_experiment x = { .threshold = 1,
					   .keep = true,
					   .only_changed = true };
		struct ml_experiment y = x;

		y.tile = tiles[rand() % 5];
		/* with tiles outside, the loops inside are a nest of their own */
		y.order = orders[rand() % 8];
		CHECK_OK(ml_experiment_run(&x, f, &err), &err);
		if (ml_experiment_run(&y, f, &err)) {
			struct ml_locality *p = &x.now.locality, *q = &y.now.locality;

			CHECK_EQ(p->kept, q->kept);
			for (int side = 0; p->kept && side < 2; side++)
				qsort(side ? q->addr : p->addr, p->kept, sizeof(*p->addr),
				      by_address);
			CHECK(!p->kept ||
			      !memcmp(p->addr, q->addr, p->kept * sizeof(*p->addr)));
			done++;
		} else {
			/* strips of loops with a step that begin elsewhere; loops over
			 * strips between those that an order names */
			bool known = strstr(err.text, "has a step") ||
				     strstr(err.text, "and is not named");

			CHECK_OK(known, &err);
		}
		ml_experiment_release(&x);
		ml_experiment_release(&y);
		ml_flow_close(f);
	}
	CHECK(done > 150);
}
