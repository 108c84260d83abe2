#include "tests/test.h"

#include <stdlib.h>

#include "lib/analyse/cycles/cycles.h"
#include "lib/analyse/cycles/edit_distance.h"
#include "lib/base/arena.h"

static const double turn = 6.283185307179586;

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static double draw_real(void)
{
	return draw(1 << 24) / (double)(1 << 24);
}

/* Cycles of points in the plane or in space. */
static void of_points(struct ml_cycles *c, const double (*p)[4], uint32_t n,
		      uint32_t coordinates)
{
	double *triangle = ml_resize(NULL, (size_t)n * n * sizeof(*triangle));
	struct ml_cycles_options o = { .coordinates = coordinates };
	struct ml_err err;
	size_t at = 0;

	for (uint32_t i = 1; i < n; i++)
		for (uint32_t j = 0; j < i; j++) {
			double sum = 0;

			for (int k = 0; k < 4; k++)
				sum += (p[i][k] - p[j][k]) * (p[i][k] - p[j][k]);
			triangle[at++] = sqrt(sum);
		}
	CHECK_OK(ml_cycles_of_distances(c, triangle, n, INFINITY, &o, NULL, &err), &err);
	ml_free(triangle);
}

/* Bars that are at least this long. */
static uint64_t long_bars(const struct ml_cycles *c, double length)
{
	uint64_t count = 0;

	for (size_t i = 0; i < c->rips.bar_count; i++)
		if (c->rips.bars[i].death - c->rips.bars[i].birth >= length)
			count += c->rips.bars[i].count;
	return count;
}

/* A difference of angles, in turns, nearest to 0. */
static double nearest(double d)
{
	return d - round(d);
}

enum { CIRCLE = 80 };

static void make_circle(double (*p)[4], double *angle)
{
	seed = 7;
	for (int i = 0; i < CIRCLE; i++) {
		double radius = 1 + 0.1 * (draw_real() - 0.5);

		angle[i] = (i + 0.5 * draw_real()) / CIRCLE;
		p[i][0] = radius * cos(turn * angle[i]);
		p[i][1] = radius * sin(turn * angle[i]);
		p[i][2] = p[i][3] = 0;
	}
}

TEST(a_noisy_circle_has_one_long_bar_and_its_coordinate_is_the_angle)
{
	double p[CIRCLE][4], angle[CIRCLE];
	struct ml_cycles c;

	make_circle(p, angle);
	of_points(&c, (const double(*)[4])p, CIRCLE, 1);
	CHECK_EQ(long_bars(&c, 1), 1);
	CHECK_EQ(c.found.count, 1);
	CHECK(!c.found.at[0].refused);
	const double *found = c.found.at[0].coordinate.angle;
	/* the direction is free, and so is the angle of the first point */
	double sign = nearest(found[5] - found[0]) > 0 ? 1 : -1;

	for (int i = 1; i < CIRCLE; i++)
		CHECK_NEAR(nearest(sign * (found[i] - found[0]) - (angle[i] - angle[0])),
			   0, 0.03);
	ml_cycles_release(&c);
}

TEST(a_figure_eight_has_two_long_bars)
{
	double p[120][4] = { { 0 } };
	struct ml_cycles c;

	for (int i = 0; i < 60; i++) {
		double a = turn * i / 60;

		p[i][0] = 1 - cos(a);
		p[i][1] = sin(a);
		p[60 + i][0] = cos(a) - 1;
		p[60 + i][1] = sin(a);
	}
	of_points(&c, (const double(*)[4])p, 120, 2);
	CHECK_EQ(long_bars(&c, 1), 2);
	/* each coordinate goes once around one of the circles and not around the other */
	for (int k = 0; k < 2; k++) {
		const double *angle = c.found.at[k].coordinate.angle;
		double around[2] = { 0, 0 };

		for (int h = 0; h < 2; h++)
			for (int i = 0; i < 60; i++)
				around[h] += nearest(angle[h * 60 + (i + 1) % 60] -
						     angle[h * 60 + i]);
		CHECK_NEAR(fabs(around[0]) + fabs(around[1]), 1, 1e-6);
	}
	ml_cycles_release(&c);
}

TEST(a_torus_has_two_long_bars)
{
	enum { SIDE = 14 };
	double p[SIDE * SIDE][4];
	struct ml_cycles c;

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			double *q = p[i * SIDE + j], a = turn * i / SIDE,
			       b = turn * j / SIDE;

			q[0] = cos(a);
			q[1] = sin(a);
			q[2] = cos(b);
			q[3] = sin(b);
		}
	of_points(&c, (const double(*)[4])p, SIDE * SIDE, 2);
	CHECK_EQ(long_bars(&c, 1), 2);
	CHECK(!c.found.at[0].refused && !c.found.at[1].refused);
	ml_cycles_release(&c);
}

/* A walk of three turns forwards and one back around the noisy circle. */
TEST(the_lifted_coordinate_follows_the_winding_number)
{
	enum { FORTH = 3 * CIRCLE + 20, BACK = CIRCLE, STEPS = FORTH + BACK };
	double p[CIRCLE][4], angle[CIRCLE];
	struct ml_walk_step steps[STEPS];
	struct ml_coordinate x;
	struct ml_err err;
	struct ml_cycles c;
	int at = 0;

	make_circle(p, angle);
	of_points(&c, (const double(*)[4])p, CIRCLE, 1);
	for (int i = 0; i < STEPS; i++) {
		int to = (at + (i < FORTH ? 1 : CIRCLE - 1)) % CIRCLE;

		steps[i] = (struct ml_walk_step){ (uint32_t)at, (uint32_t)to, 0, 1 };
		at = to;
	}
	CHECK_OK(ml_coordinates_init((struct ml_coordinate *[]){ &x },
				     (const int32_t *[]){ (int32_t[]){ 1 } }, 1, c.lifts,
				     1, steps, STEPS, NULL, &err),
		 &err);
	CHECK_EQ(x.jumps, 0);
	double lifted = 0, winding = 0, sign = 0;

	for (int i = 0; i < STEPS; i++) {
		lifted += x.turn[i];
		winding += nearest(angle[steps[i].to] - angle[steps[i].from]);
		if (i == CIRCLE)
			sign = lifted > 0 ? 1 : -1;
		if (i % CIRCLE == CIRCLE - 1 && i < FORTH)
			CHECK_NEAR(fabs(lifted), (i + 1) / CIRCLE, 1e-6);
	}
	/* 2 turns and 20 steps; steps are a turn / CIRCLE on average */
	CHECK_NEAR(sign * lifted, winding, 0.06);
	CHECK_NEAR(sign * lifted, 2.25, 0.06);
	ml_coordinate_release(&x);
	ml_cycles_release(&c);
}

/*
 * The slow and obvious persistence: the boundary matrix of all edges and triangles,
 * modulo 3, reduced column by column.
 */
enum { SLOW = 14, SLOW_EDGES = SLOW * (SLOW - 1) / 2 };

struct slow_simplex {
	double length;
	int a, b, c; /* c < 0: an edge */
};

static int by_length(const void *x, const void *y)
{
	const struct slow_simplex *a = x, *b = y;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return (a->c >= 0) - (b->c >= 0);
}

static size_t slow_bars(const double d[SLOW][SLOW], int n, struct ml_bar *bars)
{
	static struct slow_simplex s[SLOW * SLOW * SLOW];
	static int8_t column[SLOW * SLOW * SLOW][SLOW_EDGES];
	static int owner[SLOW_EDGES];
	int count = 0, edge[SLOW][SLOW], edges = 0;
	double birth[SLOW_EDGES];
	size_t found = 0;

	for (int a = 0; a < n; a++)
		for (int b = 0; b < a; b++) {
			s[count++] = (struct slow_simplex){ d[a][b], a, b, -1 };
			for (int k = 0; k < b; k++)
				s[count++] = (struct slow_simplex){
					fmax(d[a][b], fmax(d[a][k], d[b][k])), a, b, k
				};
		}
	qsort(s, (size_t)count, sizeof(*s), by_length);
	memset(owner, 0xff, sizeof(owner));
	for (int i = 0; i < count; i++) {
		if (s[i].c < 0) {
			birth[edges] = s[i].length;
			edge[s[i].a][s[i].b] = edges++;
			continue;
		}
		int8_t *col = column[i];
		int low;

		memset(col, 0, SLOW_EDGES);
		/* a > b > c: the boundary is (b, c) - (a, c) + (a, b) */
		col[edge[s[i].b][s[i].c]] = 1;
		col[edge[s[i].a][s[i].c]] = 2;
		col[edge[s[i].a][s[i].b]] = 1;
		for (;;) {
			for (low = edges - 1; low >= 0 && !col[low];)
				low--;
			if (low < 0 || owner[low] < 0)
				break;
			const int8_t *other = column[owner[low]];
			/* f * other[low] = -col[low] modulo 3; 1 and 2 are their own
			 * inverses */
			int f = (3 - col[low]) * other[low] % 3;

			for (int k = 0; k <= low; k++)
				col[k] = (int8_t)((col[k] + f * other[k]) % 3);
		}
		if (low < 0)
			continue;
		owner[low] = i;
		if (s[i].length > birth[low])
			bars[found++] = (struct ml_bar){ birth[low], s[i].length, 1 };
	}
	return found;
}

TEST(bars_are_those_of_the_slow_reduction)
{
	for (uint64_t space = 0; space < 300; space++) {
		seed = space;
		int n = 5 + (int)draw(SLOW - 5);
		uint32_t max = 2 + draw(20);
		double d[SLOW][SLOW], triangle[SLOW_EDGES];
		struct ml_bar slow[SLOW_EDGES];
		struct ml_edges edges;
		struct ml_rips r;
		struct ml_err err;
		size_t at = 0, left = 0;

		for (int i = 0; i < n; i++)
			for (int j = 0; j < i; j++)
				triangle[at++] = d[i][j] = d[j][i] = max + draw(max + 1);
		size_t count = slow_bars((const double(*)[SLOW])d, n, slow);

		ml_edges_of_triangle(&edges, triangle, (uint32_t)n, INFINITY);
		CHECK_OK(ml_rips_run(&r, &edges, 4, NULL, &err), &err);
		for (size_t i = 0; i < r.bar_count; i++)
			for (size_t k = 0; k < count; k++)
				if (slow[k].birth == r.bars[i].birth &&
				    slow[k].death == r.bars[i].death)
					r.bars[i].count--;
		for (size_t i = 0; i < r.bar_count; i++)
			left += r.bars[i].count;
		CHECK_EQ(left, 0);
		uint64_t fast = 0;

		ml_rips_release(&r);
		CHECK_OK(ml_rips_run_with(&r, &edges, 0, ML_RIPS_BLOCKS, NULL, &err),
			 &err);
		for (size_t i = 0; i < r.bar_count; i++)
			fast += r.bars[i].count;
		CHECK_EQ(fast, count);
		ml_rips_release(&r);
		ml_edges_release(&edges);
	}
}

/* Windows of some loops with noise in them: more than a table of all pairs is made for.
 */
static void noisy_edges(struct ml_edges *e, uint32_t noise)
{
	enum { COUNT = 6000, SYMBOLS = 400, WIDTH = 6 };
	static uint32_t symbols[COUNT];
	struct ml_windows w;
	struct ml_err err;
	bool too_many;

	for (uint32_t i = 0; i < COUNT; i++)
		symbols[i] = draw(noise) ? i / 1500 * 20 + i % (11 + 2 * (i / 1500))
					 : draw(SYMBOLS);
	ml_windows_init(&w, WIDTH);
	ml_windows_add(&w, symbols, COUNT);
	CHECK_OK(ml_edges_of_windows(e, w.symbols, (uint32_t)w.distinct, WIDTH, SYMBOLS,
				     UINT64_MAX, &too_many, NULL, &err),
		 &err);
	CHECK(w.distinct > 3000);
	ml_windows_release(&w);
}

TEST(bars_do_not_depend_on_how_neighbours_are_kept)
{
	for (uint32_t noise = 5; noise < 7; noise++) {
		struct ml_rips bits, blocks;
		struct ml_edges edges;
		struct ml_err err;

		seed = noise;
		noisy_edges(&edges, noise);
		CHECK_OK(ml_rips_run_with(&bits, &edges, 4, ML_RIPS_BITS, NULL, &err),
			 &err);
		CHECK_OK(ml_rips_run_with(&blocks, &edges, 4, ML_RIPS_BLOCKS, NULL, &err),
			 &err);
		CHECK(bits.bar_count > 3);
		CHECK_EQ(blocks.bar_count, bits.bar_count);
		for (size_t i = 0; i < bits.bar_count; i++) {
			CHECK_EQ(blocks.bars[i].birth, bits.bars[i].birth);
			CHECK_EQ(blocks.bars[i].death, bits.bars[i].death);
			CHECK_EQ(blocks.bars[i].count, bits.bars[i].count);
		}
		CHECK_EQ(blocks.components, bits.components);
		ml_rips_release(&bits);
		ml_rips_release(&blocks);
		ml_edges_release(&edges);
	}
}

/* The value on the edge from -> to, which must be in the complex below the death. */
static int32_t lift_value(const struct ml_lift *l, uint32_t from, uint32_t to)
{
	uint32_t node = from > to ? ml_rips_leaf(l->rips, from, to)
				  : ml_rips_leaf(l->rips, to, from);
	int32_t value =
		l->table[ml_annotation_root(&l->rips->annotation, node, l->class->clock)];

	return !node ? 0 : from > to ? -value : value;
}

TEST(a_lifted_cocycle_adds_up_to_zero_around_every_triangle)
{
	enum { N = 40 };
	for (uint64_t space = 0; space < 20; space++) {
		seed = space;
		double triangle[N * N / 2];
		struct ml_cycles_options o = { .coordinates = 20 };
		struct ml_cycles c;
		struct ml_err err;

		for (size_t i = 0; i < N * (N - 1) / 2; i++)
			triangle[i] = 10 + draw(11);
		CHECK_OK(
			ml_cycles_of_distances(&c, triangle, N, INFINITY, &o, NULL, &err),
			&err);
		CHECK(c.found.count > 0);
		for (size_t k = 0; k < c.found.count; k++) {
			const struct ml_lift *l = &c.lifts[k];
			double death = c.found.at[k].death;

			if (c.found.at[k].refused)
				continue;
			for (uint32_t x = 2; x < N; x++)
				for (uint32_t y = 1; y < x; y++)
					for (uint32_t z = 0; z < y; z++) {
						if (triangle[x * (x - 1) / 2 + y] >=
							    death ||
						    triangle[x * (x - 1) / 2 + z] >=
							    death ||
						    triangle[y * (y - 1) / 2 + z] >=
							    death)
							continue;
						CHECK_EQ(lift_value(l, x, y) +
								 lift_value(l, y, z) +
								 lift_value(l, z, x),
							 0);
					}
		}
		ml_cycles_release(&c);
	}
}

TEST(the_automaton_finds_the_windows_that_a_scan_finds)
{
	enum { N = 3000 };
	static uint32_t symbols[N];

	for (uint32_t width = 2; width < 8; width++) {
		struct ml_windows w;
		uint64_t counted = 0;

		seed = width;
		for (int i = 0; i < N; i++)
			symbols[i] = draw(10) ? (uint32_t)i % 5 : draw(4);
		ml_windows_init(&w, width);
		/* in pieces of any length, with a break in the middle */
		for (uint32_t at = 0, n; at < N; at += n) {
			n = draw(40);
			n = at < N / 2 && at + n > N / 2 ? N / 2 - at : n;
			n = at + n > N ? N - at : n;
			if (at == N / 2)
				ml_windows_break(&w);
			ml_windows_add(&w, symbols + at, n);
			if (!n)
				continue;
		}
		CHECK_EQ(w.count, N - 2 * (width - 1));
		CHECK_EQ(w.break_count, 1);
		CHECK_EQ(w.breaks[0], N / 2 - width + 1);
		for (uint64_t t = 0; t < w.count; t++) {
			uint64_t place = t < w.breaks[0] ? t : t + width - 1;

			CHECK(!memcmp(ml_windows_at(&w, w.series[t]), symbols + place,
				      width * sizeof(*symbols)));
		}
		for (uint32_t i = 0; i < w.distinct; i++)
			for (uint32_t j = 0; j < i; j++)
				CHECK(memcmp(ml_windows_at(&w, i), ml_windows_at(&w, j),
					     width * sizeof(*symbols)) != 0);
		for (size_t i = 0; i < w.step_count; i++) {
			counted += w.steps[i].count;
			CHECK_EQ(ml_windows_step(&w, w.steps[i].from, w.steps[i].to), i);
		}
		CHECK_EQ(counted, w.count - 2);
		ml_windows_release(&w);
	}
}

TEST(distances_of_many_are_those_of_the_table)
{
	for (uint32_t width = 2; width <= 64; width += width < 18 ? 1 : 23) {
		enum { N = 70, SYMBOLS = 6 };
		uint32_t sequences[N * 64], index[N];
		uint8_t distance[N];
		struct ml_edit_pattern p;

		seed = width;
		for (uint32_t i = 0; i < N * width; i++)
			sequences[i] = draw(SYMBOLS);
		for (uint32_t i = 0; i < N; i++)
			index[i] = N - 1 - i;
		ml_edit_pattern_init(&p, width, SYMBOLS);
		for (uint32_t i = 0; i < N; i++) {
			ml_edit_pattern_set(&p, sequences + i * width);
			ml_edit_pattern_distances(&p, sequences, index, N, distance);
			for (uint32_t k = 0; k < N; k++)
				CHECK_EQ(distance[k],
					 ml_edit_distance(sequences + i * width,
							  sequences + index[k] * width,
							  width));
		}
		ml_edit_pattern_release(&p);
	}
}

TEST(edges_are_all_pairs_nearer_than_the_width)
{
	enum { N = 700, WIDTH = 7, SYMBOLS = 40 };
	static uint32_t symbols[N];
	struct ml_edges e;
	struct ml_windows w;
	struct ml_err err;
	uint64_t pairs = 0;

	seed = 3;
	for (int i = 0; i < N; i++)
		symbols[i] = draw(SYMBOLS);
	ml_windows_init(&w, WIDTH);
	ml_windows_add(&w, symbols, N);
	bool too_many;

	CHECK_OK(ml_edges_of_windows(&e, w.symbols, (uint32_t)w.distinct, WIDTH, SYMBOLS,
				     1000, &too_many, NULL, &err),
		 &err);
	CHECK(too_many);
	CHECK_OK(ml_edges_of_windows(&e, w.symbols, (uint32_t)w.distinct, WIDTH, SYMBOLS,
				     1000000, &too_many, NULL, &err),
		 &err);
	CHECK(!too_many);
	for (uint32_t i = 0; i < w.distinct; i++)
		for (uint32_t j = 0; j < i; j++)
			pairs += ml_edit_distance(ml_windows_at(&w, i),
						  ml_windows_at(&w, j), WIDTH) < WIDTH;
	CHECK_EQ(e.count, pairs);
	for (uint32_t level = 0; level < e.levels; level++)
		for (uint32_t block = 0; block < e.blocks; block++) {
			const struct ml_edge_list *l = ml_edges_list(&e, block, level);

			for (size_t i = 0; i < l->run_count; i++)
				for (uint32_t k = 0; k < l->runs[i].count; k++)
					CHECK_EQ(
						ml_edit_distance(
							ml_windows_at(&w,
								      l->runs[i].point),
							ml_windows_at(
								&w,
								l->ends[l->runs[i].first +
									k]),
							WIDTH),
						level + 1);
		}
	ml_edges_release(&e);
	ml_windows_release(&w);
}

/* Cycles of count symbols; windows and cycles are the caller's. */
static void of_symbols(struct ml_cycles *c, struct ml_windows *w, const uint32_t *symbols,
		       size_t count, uint32_t width, size_t symbol_count,
		       uint32_t max_points)
{
	struct ml_cycles_options o = { .max_points = max_points };
	struct ml_err err;

	ml_windows_init(w, width);
	ml_windows_add(w, symbols, count);
	CHECK_OK(ml_cycles_init(c, w, symbol_count, &o, NULL, &err), &err);
}

TEST(a_loop_of_eight_symbols_turns_once_in_eight_moments)
{
	uint32_t symbols[170];
	struct ml_windows w;
	struct ml_cycles c;

	for (uint32_t i = 0; i < 170; i++)
		symbols[i] = i % 8;
	of_symbols(&c, &w, symbols, 170, 10, 8, 0);
	CHECK_EQ(w.distinct, 8);
	/* windows that are k symbols apart are 2 k edits apart, k up to 4: the ring
	 * closes at 2; triangles fill it when a third of it, 3 symbols, is an edge: at 6
	 */
	CHECK_EQ(c.rips.bar_count, 1);
	CHECK_EQ(c.rips.bars[0].birth, 2);
	CHECK_EQ(c.rips.bars[0].death, 6);
	/* 161 moments are 160 steps of an eighth, each of the eight taken as often */
	CHECK_NEAR(c.found.at[0].turns, 20, 1e-6);
	CHECK_NEAR(c.found.at[0].travel, 20, 1e-6);
	double angle[161];

	ml_cycles_angles(&c, &c.found.at[0], 0, 1, angle, 161);
	for (int i = 0; i < 161; i++)
		CHECK_NEAR(angle[i], i / 8.0, 1e-6);
	ml_cycles_release(&c);
	ml_windows_release(&w);
}

TEST(preamble_and_postamble_stand_still)
{
	uint32_t symbols[300], n = 0;
	struct ml_windows w;
	struct ml_cycles c;

	for (uint32_t i = 0; i < 50; i++)
		symbols[n++] = 100 + i;
	for (uint32_t i = 0; i < 20 * 9; i++)
		symbols[n++] = i % 9;
	for (uint32_t i = 0; i < 50; i++)
		symbols[n++] = 200 + i;
	of_symbols(&c, &w, symbols, n, 10, 250, 0);
	CHECK_EQ(c.rips.bars[0].birth, 2);
	/* whole windows of the loop begin at 50 and end at 50 + 180 - 10 */
	CHECK(c.found.at[0].first >= 49 && c.found.at[0].first <= 51);
	CHECK(c.found.at[0].end >= 219 && c.found.at[0].end <= 222);
	CHECK_NEAR(c.found.at[0].turns, 170 / 9.0, 0.2);
	ml_cycles_release(&c);
	ml_windows_release(&w);
}

TEST(a_nested_loop_has_a_cycle_for_each_level)
{
	uint32_t symbols[2000], n = 0;
	struct ml_windows w;
	struct ml_cycles c;
	bool inner = false, outer = false;

	for (int i = 0; i < 5; i++) {
		for (uint32_t k = 0; k < 15; k++)
			symbols[n++] = 50 + k;
		for (int j = 0; j < 7; j++)
			for (uint32_t k = 0; k < 12; k++)
				symbols[n++] = k;
	}
	of_symbols(&c, &w, symbols, n, 10, 70, 0);
	/* as found or reduced: 35 bodies, 5 times around; less at both ends */
	for (size_t i = 0; i < c.reduced.count; i++) {
		inner |= fabs(c.reduced.at[i].turns - 35) < 1.5;
		outer |= fabs(c.reduced.at[i].turns - 5) < 1.5;
	}
	CHECK(inner && outer);
	ml_cycles_release(&c);
	ml_windows_release(&w);
}

TEST(loops_of_three_symbols_or_fewer_are_found_without_a_class)
{
	uint32_t symbols[400], n = 0;
	struct ml_windows w;
	struct ml_cycles c;

	for (int run = 0; run < 2; run++) {
		for (uint32_t i = 0; i < 30; i++)
			symbols[n++] = 10 + i;
		for (uint32_t i = 0; i < 60; i++)
			symbols[n++] = i % 3;
	}
	for (uint32_t i = 0; i < 50; i++)
		symbols[n++] = 5;
	of_symbols(&c, &w, symbols, n, 10, 50, 0);
	CHECK_EQ(c.short_loop_count, 2);
	CHECK_EQ(c.short_loops[0].period, 1);
	CHECK_EQ(c.short_loops[0].turns, 50);
	CHECK_EQ(c.short_loops[0].runs, 1);
	CHECK_EQ(c.short_loops[1].period, 3);
	CHECK_EQ(c.short_loops[1].turns, 40);
	CHECK_EQ(c.short_loops[1].runs, 2);
	CHECK_EQ(c.short_loops[1].longest, 20);
	ml_cycles_release(&c);
	ml_windows_release(&w);
}

TEST(a_net_covers_all_windows_and_moves_bars_by_twice_its_radius)
{
	enum { N = 4000 };
	static uint32_t symbols[N];
	struct ml_windows w;
	struct ml_cycles c;

	/* a loop of 40 whose body varies */
	seed = 11;
	for (uint32_t i = 0; i < N; i++)
		symbols[i] = draw(40) ? i % 40 : 40 + draw(5);
	of_symbols(&c, &w, symbols, N, 10, 45, 300);
	CHECK(w.distinct > 300);
	CHECK(c.net.radius > 0);
	CHECK(c.net.count <= 300);
	for (uint32_t i = 0; i < w.distinct; i++)
		CHECK(ml_edit_distance(ml_windows_at(&w, i),
				       ml_windows_at(&w, c.net.centre[c.net.nearest[i]]),
				       10) <= c.net.radius);
	/* the loop itself has the bar [2, 10) */
	CHECK(c.found.at[0].birth <= 2 + 2 * c.net.radius);
	CHECK_NEAR(c.found.at[0].turns, N / 40.0, 2);
	ml_cycles_release(&c);
	ml_windows_release(&w);
}
