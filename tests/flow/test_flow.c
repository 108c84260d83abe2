/*
 * Loop nests built by hand, counted symbolically and simulated, against loops that do the
 * same in C, a linear search for reuse, and numbers derived on paper.
 */
#include "lib/flow/flow.h"
#include "lib/flow/flow_build.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/cache/distance/distance.h"
#include "lib/flow/count/count.h"
#include "lib/flow/count/fit.h"
#include "lib/flow/order/layout.h"
#include "lib/flow/run/locality.h"
#include "tests/slow_elements.h"
#include "tests/test.h"

static struct ml_flow *f;
static struct ml_err err;

static const struct ml_sym *c(int64_t v)
{
	return ml_sym_const(&f->arena, v);
}

static const struct ml_sym *s(uint32_t symbol)
{
	return ml_sym_symbol(&f->arena, symbol);
}

static const struct ml_sym *op(enum ml_sym_op o, const struct ml_sym *x,
			       const struct ml_sym *y)
{
	return ml_sym_make(&f->arena, o, x, y);
}

static const struct ml_sym *less_one(const struct ml_sym *x)
{
	return ml_sym_add_const(&f->arena, x, -1);
}

/* A loop below a node; returns its number. */
static uint32_t loop(uint32_t parent, const char *name, const struct ml_sym *from,
		     const struct ml_sym *to, int64_t step)
{
	uint32_t n = ml_flow_add_node(f, parent, ML_FLOW_FOR, name);

	f->node[n].symbol = ml_flow_add_symbol(f, name, ML_FLOW_LOOP);
	f->node[n].from = from;
	f->node[n].to = to;
	f->node[n].step = step;
	return n;
}

static const struct ml_sym *variable(uint32_t node)
{
	return s(f->node[node].symbol);
}

static uint32_t begin(void)
{
	f = ml_flow_new("by hand");
	return ml_flow_add_node(f, ML_FLOW_NONE, ML_FLOW_SCOPE, "all");
}

static void check_text(const struct ml_flow_count *x, const char *want)
{
	struct ml_buf b = { 0 };

	ml_flow_count_print(x, f, &b);
	ml_buf_u8(&b, 0);
	CHECK_STR((const char *)b.data, want);
	ml_buf_release(&b);
}

TEST(a_triangle_counts_n_times_n_minus_1_half)
{
	uint32_t root = begin(), n = ml_flow_add_symbol(f, "n", ML_FLOW_PARAMETER);
	uint32_t i = loop(root, "i", c(0), less_one(s(n)), 1);
	uint32_t j = loop(i, "j", ml_sym_add_const(&f->arena, variable(i), 1),
			  less_one(s(n)), 1);
	uint32_t w = ml_flow_add_node(f, j, ML_FLOW_WORK, "w");
	struct ml_flow_counts k;

	ml_flow_counts_make(&k, f);
	CHECK_EQ(k.runs[w].kind, ML_FLOW_CLOSED);
	check_text(&k.runs[w], "1/2*n^2 - 1/2*n");
	/* right for n >= 0, and only that is said */
	CHECK_EQ(k.condition_count, 1);
	int64_t v, value[16] = { 0 };
	CHECK(ml_poly_eval(k.condition[0], value, &v));
	CHECK_EQ(v, 0);
	ml_flow_counts_release(&k);
	ml_flow_close(f);
}

/* for ii in 0..n-1 step 8, i in ii..min(ii+7, n-1): n executions, whatever n is. */
TEST(tiles_cut_by_a_minimum_are_fitted_and_found_to_be_n)
{
	uint32_t root = begin(), n = ml_flow_add_symbol(f, "n", ML_FLOW_PARAMETER);
	uint32_t ii = loop(root, "ii", c(0), less_one(s(n)), 8);
	uint32_t i = loop(ii, "i", variable(ii),
			  op(ML_SYM_MIN, ml_sym_add_const(&f->arena, variable(ii), 7),
			     less_one(s(n))),
			  1);
	uint32_t w = ml_flow_add_node(f, i, ML_FLOW_WORK, "w");
	struct ml_flow_counts k;

	ml_flow_counts_make(&k, f);
	CHECK_EQ(k.runs[w].kind, ML_FLOW_FITTED);
	check_text(&k.runs[w], "n");
	CHECK(k.tried > 0);
	/* the tiles themselves are exact: floor((n-1)/8) + 1 */
	CHECK_EQ(k.runs[i].kind, ML_FLOW_CLOSED);
	check_text(&k.runs[i], "floor((n - 1)/8) + 1");
	ml_flow_counts_release(&k);
	ml_flow_close(f);
}

/* j in i..n-1 step 3: a quasi-polynomial of period 3. Compared with the loops. */
TEST(a_stepped_triangle_has_no_wrong_formula)
{
	uint32_t root = begin(), n = ml_flow_add_symbol(f, "n", ML_FLOW_PARAMETER);
	uint32_t i = loop(root, "i", c(0), less_one(s(n)), 1);
	uint32_t j = loop(i, "j", variable(i), less_one(s(n)), 3);
	uint32_t w = ml_flow_add_node(f, j, ML_FLOW_WORK, "w");
	struct ml_flow_counts k;

	ml_flow_counts_make(&k, f);
	CHECK_EQ(k.runs[w].kind, ML_FLOW_FITTED);
	for (int64_t size = 1; size < 60; size++) {
		int64_t value[64] = { 0 }, want = 0, is;

		for (int64_t x = 0; x < size; x++)
			for (int64_t y = x; y < size; y += 3)
				want++;
		value[n] = size;
		ml_flow_count_atoms(f, value);
		CHECK(ml_poly_eval(k.runs[w].poly, value, &is));
		CHECK_EQ(is, want);
	}
	ml_flow_counts_release(&k);
	ml_flow_close(f);
}

TEST(a_guard_on_loop_variables_is_fitted)
{
	uint32_t root = begin(), n = ml_flow_add_symbol(f, "n", ML_FLOW_PARAMETER);
	uint32_t i = loop(root, "i", c(0), less_one(s(n)), 1);
	uint32_t j = loop(i, "j", c(0), less_one(s(n)), 1);
	uint32_t g = ml_flow_add_node(f, j, ML_FLOW_IF, "j >= i");
	f->node[g].condition = op(ML_SYM_GE, variable(j), variable(i));
	uint32_t w = ml_flow_add_node(f, g, ML_FLOW_WORK, "w");
	struct ml_flow_counts k;

	ml_flow_counts_make(&k, f);
	CHECK_EQ(k.runs[w].kind, ML_FLOW_FITTED);
	check_text(&k.runs[w], "1/2*n^2 + 1/2*n");
	ml_flow_counts_release(&k);
	ml_flow_close(f);
}

/* n and m cut each other: no single polynomial is right, so none is given. */
TEST(a_count_that_changes_its_form_gets_no_formula)
{
	uint32_t root = begin(), n = ml_flow_add_symbol(f, "n", ML_FLOW_PARAMETER),
		 m = ml_flow_add_symbol(f, "m", ML_FLOW_PARAMETER);
	uint32_t i = loop(root, "i", c(0), less_one(s(n)), 1);
	uint32_t j = loop(i, "j", c(0), op(ML_SYM_MIN, variable(i), less_one(s(m))), 1);
	uint32_t w = ml_flow_add_node(f, j, ML_FLOW_WORK, "w");
	struct ml_flow_counts k;

	ml_flow_counts_make(&k, f);
	CHECK_EQ(k.runs[w].kind, ML_FLOW_NO_FORM);
	check_text(&k.runs[w], "no closed form");
	ml_flow_counts_release(&k);
	ml_flow_close(f);
}

TEST(sums_of_powers_are_those_of_a_loop)
{
	struct ml_arena a = { 0 };

	for (uint32_t power = 0; power < 9; power++) {
		struct ml_poly p = ml_poly_const(&a, 1);

		for (uint32_t i = 0; i < power; i++)
			p = ml_poly_mul(&a, p, ml_poly_symbol(&a, 0));
		p = ml_poly_sum(&a, p, 0, ml_poly_symbol(&a, 1), ml_poly_symbol(&a, 2));
		for (int64_t low = -5; low < 5; low++)
			for (int64_t high = low - 1; high < 9; high++) {
				int64_t value[3] = { 0, low, high }, want = 0, is;

				for (int64_t x = low; x <= high; x++) {
					int64_t t = 1;

					for (uint32_t i = 0; i < power; i++)
						t *= x;
					want += t;
				}
				CHECK(ml_poly_eval(p, value, &is));
				CHECK_EQ(is, want);
			}
	}
	ml_arena_release(&a);
}

/* C[i][j] += A[i][k] * B[k][j] for 9 x 10 x 15, elements of 4 bytes. */
static void build_matmul(void)
{
	uint32_t root = begin();
	static const char *const names[] = { "A", "B", "C" };
	static const int shape[3][2] = { { 9, 10 }, { 10, 15 }, { 9, 15 } };

	for (int i = 0; i < 3; i++) {
		struct ml_flow_container x = { .name = names[i],
					       .element = 4,
					       .dims = 2,
					       .shape = { c(shape[i][0]),
							  c(shape[i][1]) } };

		ml_flow_row_major(f, &x);
		ml_flow_add_container(f, &x);
	}
	uint32_t i = loop(root, "i", c(0), c(8), 1), j = loop(i, "j", c(0), c(14), 1),
		 k = loop(j, "k", c(0), c(9), 1);
	uint32_t w = ml_flow_add_node(f, k, ML_FLOW_WORK, "w");
	uint32_t at[4][3] = { { 0, i, k }, { 1, k, j }, { 2, i, j }, { 2, i, j } };
	for (int x = 0; x < 4; x++) {
		struct ml_flow_access *y = ml_flow_add_access(f, w, at[x][0], x == 3);

		y->dims = 2;
		for (int d = 0; d < 2; d++)
			y->range[d] = (struct ml_flow_range){ variable(at[x][d + 1]),
							      variable(at[x][d + 1]),
							      c(1) };
	}
}

/* Lines since the last touch, by looking back; the answer of the slow way. */
static uint32_t look_back(const uint64_t *line, size_t at)
{
	uint32_t distinct = 0;

	for (size_t i = at; i-- > 0;) {
		bool seen = false;

		if (line[i] == line[at])
			return distinct;
		for (size_t j = i + 1; j < at && !seen; j++)
			seen = line[j] == line[i];
		distinct += !seen;
	}
	return ML_NEVER;
}

struct wanted {
	uint64_t cold[3], misses[3], accesses[3];
};

/* The same loops in C, with line numbers kept apart by container. */
static void interpret(bool column, uint64_t line, uint64_t threshold, struct wanted *w)
{
	static uint64_t touched[5400];
	static int of[5400];
	size_t n = 0;

	memset(w, 0, sizeof(*w));
	for (uint64_t i = 0; i < 9; i++)
		for (uint64_t j = 0; j < 15; j++)
			for (uint64_t k = 0; k < 10; k++) {
				uint64_t b = column ? k + 10 * j : 15 * k + j;
				uint64_t place[4] = { 10 * i + k, b, 15 * i + j,
						      15 * i + j };

				for (int x = 0; x < 4; x++) {
					of[n] = x < 3 ? x : 2;
					touched[n] = (uint64_t)of[n] * 1000 +
						     place[x] * 4 / line;
					n++;
				}
			}
	CHECK_EQ(n, 5400);
	for (size_t i = 0; i < n; i++) {
		uint32_t d = look_back(touched, i);

		w->accesses[of[i]]++;
		w->cold[of[i]] += d == ML_NEVER;
		w->misses[of[i]] += d != ML_NEVER && d >= threshold;
	}
}

static void compare_matmul(const char *layout, bool column, uint64_t line)
{
	struct ml_arena a = { 0 };
	struct wanted want;
	bool known[8] = { false };
	int64_t value[8] = { 0 };

	build_matmul();
	struct ml_flow_container *containers = ml_layout_copy(&a, f);
	if (layout)
		CHECK_OK(ml_layout_apply(&a, f, containers, layout, &err), &err);
	struct ml_locality l = { .walk = { .flow = f,
					   .container = containers,
					   .value = value,
					   .known = known,
					   .line = line },
				 .threshold = 10,
				 .keep = true };
	CHECK_OK(ml_locality_run(&l, &err), &err);
	interpret(column, line, 10, &want);
	CHECK_EQ(l.walk.count, 5400);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(l.container[i].reads + l.container[i].writes, want.accesses[i]);
		CHECK_EQ(l.container[i].cold, want.cold[i]);
		CHECK_EQ(l.container[i].misses, want.misses[i]);
		/* every line of the array is touched first once */
		uint64_t elements[3] = { 90, 150, 135 };
		CHECK_EQ(want.cold[i], (elements[i] * 4 + line - 1) / line);
	}
	ml_locality_release(&l);
	ml_arena_release(&a);
	ml_flow_close(f);
}

TEST(matmul_9_10_15_moves_what_the_loops_in_c_move)
{
	compare_matmul(NULL, false, 64);
	compare_matmul(NULL, false, 32);
	compare_matmul("B=col", true, 64);
	compare_matmul("B=col", true, 32);
	compare_matmul("B=order:1,0", true, 64);
}

TEST(an_element_knows_its_distances)
{
	bool known[8] = { false };
	int64_t value[8] = { 0 };
	struct ml_locality_element e[150];

	build_matmul();
	struct ml_locality l = { .walk = { .flow = f,
					   .container = f->container,
					   .value = value,
					   .known = known,
					   .line = 32 },
				 .threshold = 10,
				 .keep = true };
	CHECK_OK(ml_locality_run(&l, &err), &err);
	/* A[3][6] is read for each of 15 columns; it is place 36, in line 4, which
	 * A[3][2] brought in: the first access is not cold */
	slow_elements(&l, 0, 0, e, 90);
	CHECK_EQ(e[36].count, 15);
	CHECK_EQ(e[36].cold, 0);
	/* the first of a line is: A[3][2] is place 32 */
	CHECK_EQ(e[32].count, 15);
	CHECK_EQ(e[32].cold, 1);
	/* C[i][j] is read and written 10 times each; a write follows its read at once */
	slow_elements(&l, 2, 0, e, 135);
	CHECK_EQ(e[0].count, 20);
	CHECK_EQ(e[0].min, 0);
	CHECK_EQ(e[0].cold, 1);
	ml_locality_release(&l);
	ml_flow_close(f);
}

TEST(a_layout_that_makes_no_sense_is_refused)
{
	struct ml_arena a = { 0 };

	build_matmul();
	struct ml_flow_container *x = ml_layout_copy(&a, f);
	CHECK_FAILS(ml_layout_apply(&a, f, x, "D=col", &err), &err, "no container 'D'");
	CHECK_FAILS(ml_layout_apply(&a, f, x, "B=diagonal", &err), &err, "'diagonal'");
	CHECK_FAILS(ml_layout_apply(&a, f, x, "B=order:0,0", &err), &err, "once");
	CHECK_FAILS(ml_layout_apply(&a, f, x, "B=align:48", &err), &err, "power of two");
	CHECK_OK(ml_layout_apply(&a, f, x, "B=pad:16+offset:3", &err), &err);
	CHECK(ml_sym_is(x[1].stride[0], 16));
	CHECK(ml_sym_is(x[1].offset, 3));
	ml_arena_release(&a);
	ml_flow_close(f);
}

TEST(a_missing_size_is_asked_for_by_name)
{
	uint32_t root = begin(), n = ml_flow_add_symbol(f, "rows", ML_FLOW_PARAMETER);
	bool known[8] = { false };
	int64_t value[8] = { 0 };
	struct ml_flow_walk w = { .value = value, .known = known, .line = 64 };

	loop(root, "i", c(0), less_one(s(n)), 1);
	w.flow = f;
	CHECK_FAILS(ml_flow_walk_place(&w, &err), &err, "--set rows=N");
	ml_flow_walk_release(&w);
	ml_flow_close(f);
}
