#include "lib/analyse/cycles/least_squares.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/arena.h"

enum { NONE = UINT32_MAX, MAX_STEPS = 20000, MAX_DEGREE = 12, SHORT_LIST = 16 };

/* Two halves of an edge stand side by side: half h belongs to the end at which it lies,
 * h ^ 1 to the other. */
struct half {
	uint32_t point;          /* the end at which this half lies */
	uint32_t next, previous; /* in the list of that end */
};

/* A neighbour of a point that was eliminated. */
struct arm {
	uint32_t point;
	double weight, value; /* from the eliminated point to this one */
};

struct step {
	uint32_t point, count; /* that was eliminated, and its number of arms */
	size_t first;          /* arm */
};

struct graph {
	struct half *halves;
	double *weight, *value; /* by half / 2; value along half 2i -> 2i + 1 */
	size_t count, cap;      /* of edges */
	uint32_t *first, *degree;
	struct step *steps;
	size_t step_count, step_cap;
	struct arm *arms;
	size_t arm_count, arm_cap;
	struct queue {
		uint32_t *points;
		size_t count, cap;
	} queues[MAX_DEGREE + 1]; /* points that had so many edges when they came in */
};

static double value_from(const struct graph *g, uint32_t half)
{
	return half & 1 ? -g->value[half / 2] : g->value[half / 2];
}

static void hang_in(struct graph *g, uint32_t half, uint32_t point)
{
	struct half *h = &g->halves[half];

	*h = (struct half){ point, g->first[point], NONE };
	if (h->next != NONE)
		g->halves[h->next].previous = half;
	g->first[point] = half;
	g->degree[point]++;
}

static void take_out(struct graph *g, uint32_t half)
{
	struct half *h = &g->halves[half];

	if (h->previous == NONE)
		g->first[h->point] = h->next;
	else
		g->halves[h->previous].next = h->next;
	if (h->next != NONE)
		g->halves[h->next].previous = h->previous;
	g->degree[h->point]--;
	h->point = NONE;
}

static void remove_edge(struct graph *g, uint32_t half)
{
	take_out(g, half);
	take_out(g, half ^ 1);
}

/* An edge a -> b among the first few of a, or NONE. */
static uint32_t find_edge(const struct graph *g, uint32_t a, uint32_t b)
{
	uint32_t half = g->first[a];

	for (size_t i = 0; half != NONE && i < SHORT_LIST; i++) {
		if (g->halves[half ^ 1].point == b)
			return half;
		half = g->halves[half].next;
	}
	return NONE;
}

static void enqueue(struct graph *g, uint32_t point)
{
	uint32_t degree = g->degree[point];

	if (!degree || degree > MAX_DEGREE)
		return;
	struct queue *q = &g->queues[degree];

	q->points = ml_grow(q->points, &q->cap, q->count + 1, sizeof(*q->points));
	q->points[q->count++] = point;
}

/* Parallel edges become one: the weighted mean, with the sum of the weights. */
static void add_edge(struct graph *g, uint32_t a, uint32_t b, double weight, double value)
{
	if (a == b)
		return;
	uint32_t same = find_edge(g, a, b);

	if (same == NONE) {
		same = find_edge(g, b, a);
		if (same != NONE)
			same ^= 1;
	}
	if (same != NONE) {
		double old = g->weight[same / 2], v = value_from(g, same);

		v = (old * v + weight * value) / (old + weight);
		g->value[same / 2] = same & 1 ? -v : v;
		g->weight[same / 2] = old + weight;
		return;
	}
	if (g->count == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 1024;
		g->halves = ml_resize(g->halves, 2 * g->cap * sizeof(*g->halves));
		g->weight = ml_resize(g->weight, g->cap * sizeof(*g->weight));
		g->value = ml_resize(g->value, g->cap * sizeof(*g->value));
	}
	uint32_t half = (uint32_t)(2 * g->count++);

	g->weight[half / 2] = weight;
	g->value[half / 2] = value;
	hang_in(g, half, a);
	hang_in(g, half + 1, b);
}

static void eliminate_point(struct graph *g, uint32_t point)
{
	struct step s = { point, 0, g->arm_count };
	double sum = 0;

	for (uint32_t h; (h = g->first[point]) != NONE; s.count++) {
		g->arms = ml_grow(g->arms, &g->arm_cap, g->arm_count + 1,
				  sizeof(*g->arms));
		g->arms[g->arm_count++] = (struct arm){ g->halves[h ^ 1].point,
							g->weight[h / 2],
							value_from(g, h) };
		sum += g->weight[h / 2];
		remove_edge(g, h);
	}
	const struct arm *arm = g->arms + s.first;

	for (uint32_t i = 0; i < s.count; i++)
		for (uint32_t k = 0; k < i; k++)
			add_edge(g, arm[i].point, arm[k].point,
				 arm[i].weight * arm[k].weight / sum,
				 arm[k].value - arm[i].value);
	for (uint32_t i = 0; i < s.count; i++)
		enqueue(g, arm[i].point);
	g->steps = ml_grow(g->steps, &g->step_cap, g->step_count + 1, sizeof(s));
	g->steps[g->step_count++] = s;
}

static void eliminate(struct graph *g, uint32_t points)
{
	for (uint32_t i = 0; i < points; i++)
		enqueue(g, i);
	for (uint32_t degree = 1; degree <= MAX_DEGREE;) {
		struct queue *q = &g->queues[degree];

		if (!q->count) {
			degree++;
			continue;
		}
		uint32_t point = q->points[--q->count];

		if (g->degree[point] != degree)
			continue;
		eliminate_point(g, point);
		degree = 1;
	}
}

static void put_back(const struct graph *g, double *f)
{
	for (size_t i = g->step_count; i-- > 0;) {
		const struct step *s = &g->steps[i];
		double sum = 0, weight = 0;

		for (uint32_t k = 0; k < s->count; k++) {
			const struct arm *arm = &g->arms[s->first + k];

			sum += arm->weight * (f[arm->point] + arm->value);
			weight += arm->weight;
		}
		f[s->point] = sum / weight;
	}
}

/* The edges that are left, by point: a matrix with the diagonal apart. */
struct matrix {
	uint32_t rows;
	size_t *start;
	uint32_t *column;
	double *weight, *diagonal;
};

static void multiply(const struct matrix *m, const double *x, double *y)
{
	for (uint32_t i = 0; i < m->rows; i++) {
		double sum = m->diagonal[i] * x[i];

		for (size_t k = m->start[i]; k < m->start[i + 1]; k++)
			sum -= m->weight[k] * x[m->column[k]];
		y[i] = sum;
	}
}

static double dot(const double *x, const double *y, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* x starts as 0; r is the right hand side and is used up. */
static size_t conjugate_gradients(const struct matrix *m, double *x, double *r,
				  struct ml_arena *a)
{
	uint32_t n = m->rows;
	double *z = ml_arena_alloc(a, n * sizeof(*z)),
	       *p = ml_arena_alloc(a, n * sizeof(*p)),
	       *q = ml_arena_alloc(a, n * sizeof(*q));

	for (uint32_t i = 0; i < n; i++)
		p[i] = z[i] = r[i] / m->diagonal[i];
	double rz = dot(r, z, n), enough = rz * 1e-16;
	size_t step = 0;

	for (; step < MAX_STEPS && rz > enough && rz > 0; step++) {
		multiply(m, p, q);
		double pq = dot(p, q, n);

		if (!(pq > 0))
			break;
		double alpha = rz / pq;

		for (uint32_t i = 0; i < n; i++) {
			x[i] += alpha * p[i];
			r[i] -= alpha * q[i];
			z[i] = r[i] / m->diagonal[i];
		}
		double next = dot(r, z, n), beta = next / rz;

		for (uint32_t i = 0; i < n; i++)
			p[i] = z[i] + beta * p[i];
		rz = next;
	}
	return step;
}

static size_t solve_rest(const struct graph *g, double *f, uint32_t points)
{
	struct ml_arena a = { 0 };
	uint32_t *row = ml_arena_alloc(&a, (points + 1) * sizeof(*row));
	uint32_t *point = ml_arena_alloc(&a, (points + 1) * sizeof(*point));
	struct matrix m = { 0 };
	size_t entries = 0, steps = 0;

	for (uint32_t i = 0; i < points; i++)
		if (g->degree[i]) {
			row[i] = m.rows;
			point[m.rows++] = i;
			entries += g->degree[i];
		}
	if (m.rows) {
		m.start = ml_arena_alloc(&a, (m.rows + 1) * sizeof(*m.start));
		m.column = ml_arena_alloc(&a, entries * sizeof(*m.column));
		m.weight = ml_arena_alloc(&a, entries * sizeof(*m.weight));
		m.diagonal = ml_arena_alloc(&a, m.rows * sizeof(*m.diagonal));
		double *right = ml_arena_alloc(&a, m.rows * sizeof(*right));
		double *x = ml_arena_alloc(&a, m.rows * sizeof(*x));
		size_t k = 0;

		for (uint32_t i = 0; i < m.rows; i++) {
			m.start[i] = k;
			for (uint32_t h = g->first[point[i]]; h != NONE;
			     h = g->halves[h].next, k++) {
				double w = g->weight[h / 2];

				m.column[k] = row[g->halves[h ^ 1].point];
				m.weight[k] = w;
				m.diagonal[i] += w;
				right[i] += w * value_from(g, h);
			}
		}
		m.start[m.rows] = k;
		steps = conjugate_gradients(&m, x, right, &a);
		for (uint32_t i = 0; i < m.rows; i++)
			f[point[i]] = x[i];
	}
	ml_arena_release(&a);
	return steps;
}

size_t ml_least_squares(double *f, uint32_t points, const struct ml_strut *struts,
			size_t count)
{
	struct graph g = { 0 };
	struct ml_arena a = { 0 };

	memset(f, 0, points * sizeof(*f));
	g.first = ml_arena_alloc(&a, (points + 1) * sizeof(*g.first));
	g.degree = ml_arena_alloc(&a, (points + 1) * sizeof(*g.degree));
	memset(g.first, 0xff, points * sizeof(*g.first));
	for (size_t i = 0; i < count; i++)
		add_edge(&g, struts[i].from, struts[i].to, struts[i].weight,
			 struts[i].value);
	eliminate(&g, points);
	size_t steps = solve_rest(&g, f, points);

	put_back(&g, f);
	ml_free(g.halves);
	ml_free(g.weight);
	ml_free(g.value);
	ml_free(g.steps);
	ml_free(g.arms);
	for (size_t i = 0; i <= MAX_DEGREE; i++)
		ml_free(g.queues[i].points);
	ml_arena_release(&a);
	return steps;
}
