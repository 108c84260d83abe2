#include "lib/analyse/cycles/least_squares.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/work.h"

enum {
	NONE = UINT32_MAX,
	MAX_STEPS = 20000,
	MAX_DEGREE = 24,
	SHORT_LIST = 32,
	LOOK = 64, /* steps after which the work looks whether it is cancelled */
};

/* Two halves of an edge stand side by side: half h belongs to the end at which it lies,
 * h ^ 1 to the other. */
struct half {
	uint32_t point;          /* the end at which this half lies */
	uint32_t next, previous; /* in the list of that end */
};

/* A neighbour of a point that was eliminated. */
struct arm {
	uint32_t point;
	double weight, value[ML_SIDES]; /* from the eliminated point to this one */
};

struct step {
	uint32_t point, count; /* that was eliminated, and its number of arms */
	size_t first;          /* arm */
};

struct graph {
	struct half *halves;
	double *weight;            /* by half / 2 */
	double (*value)[ML_SIDES]; /* by half / 2; along half 2i -> 2i + 1 */
	size_t count, cap;         /* of edges, also those that were taken out */
	uint32_t *unused;          /* edges that were taken out */
	size_t unused_count, unused_cap;
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

/* 1, or -1 where a half points against the value of its edge. */
static double sign_of(uint32_t half)
{
	return half & 1 ? -1 : 1;
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
	g->unused = ml_grow(g->unused, &g->unused_cap, g->unused_count + 1,
			    sizeof(*g->unused));
	g->unused[g->unused_count++] = half / 2;
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
static void merge_edge(struct graph *g, uint32_t same, double weight, const double *value)
{
	double *v = g->value[same / 2], old = g->weight[same / 2], sum = old + weight;

	for (int s = 0; s < ML_SIDES; s++)
		v[s] = (old * v[s] + weight * sign_of(same) * value[s]) / sum;
	g->weight[same / 2] = sum;
}

/* The number of an edge that is not in use. */
static uint32_t new_edge(struct graph *g)
{
	if (g->unused_count)
		return g->unused[--g->unused_count];
	if (g->count == g->cap) {
		g->cap = g->cap ? g->cap + g->cap / 2 : 1024;
		g->halves = ml_resize(g->halves, 2 * g->cap * sizeof(*g->halves));
		g->weight = ml_resize(g->weight, g->cap * sizeof(*g->weight));
		g->value = ml_resize(g->value, g->cap * sizeof(*g->value));
	}
	return (uint32_t)g->count++;
}

static void add_edge(struct graph *g, uint32_t a, uint32_t b, double weight,
		     const double *value)
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
		merge_edge(g, same, weight, value);
		return;
	}
	uint32_t half = 2 * new_edge(g);

	g->weight[half / 2] = weight;
	memcpy(g->value[half / 2], value, sizeof(*g->value));
	hang_in(g, half, a);
	hang_in(g, half + 1, b);
}

/* Takes the edges of a point out of the graph, as arms. Returns the sum of the weights.
 */
static double take_arms(struct graph *g, struct step *step)
{
	double sum = 0;

	for (uint32_t h; (h = g->first[step->point]) != NONE; step->count++) {
		g->arms = ml_grow(g->arms, &g->arm_cap, g->arm_count + 1,
				  sizeof(*g->arms));
		struct arm *arm = &g->arms[g->arm_count++];

		arm->point = g->halves[h ^ 1].point;
		arm->weight = g->weight[h / 2];
		for (int s = 0; s < ML_SIDES; s++)
			arm->value[s] = sign_of(h) * g->value[h / 2][s];
		sum += arm->weight;
		remove_edge(g, h);
	}
	return sum;
}

static void eliminate_point(struct graph *g, uint32_t point)
{
	struct step s = { point, 0, g->arm_count };
	double sum = take_arms(g, &s), value[ML_SIDES];
	const struct arm *arm = g->arms + s.first;

	for (uint32_t i = 0; i < s.count; i++)
		for (uint32_t k = 0; k < i; k++) {
			for (int n = 0; n < ML_SIDES; n++)
				value[n] = arm[k].value[n] - arm[i].value[n];
			add_edge(g, arm[i].point, arm[k].point,
				 arm[i].weight * arm[k].weight / sum, value);
		}
	for (uint32_t i = 0; i < s.count; i++)
		enqueue(g, arm[i].point);
	g->steps = ml_grow(g->steps, &g->step_cap, g->step_count + 1, sizeof(s));
	g->steps[g->step_count++] = s;
}

static bool eliminate(struct graph *g, uint32_t points, const struct ml_work *work,
		      struct ml_err *err)
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
		if (g->step_count % (LOOK * LOOK) == 0 && !ml_work_goes_on(work, err))
			return false;
		eliminate_point(g, point);
		degree = 1;
	}
	return true;
}

static void put_back(const struct graph *g, double (*f)[ML_SIDES])
{
	for (size_t i = g->step_count; i-- > 0;) {
		const struct step *s = &g->steps[i];
		double sum[ML_SIDES] = { 0 }, weight = 0;

		for (uint32_t k = 0; k < s->count; k++) {
			const struct arm *arm = &g->arms[s->first + k];

			for (int n = 0; n < ML_SIDES; n++)
				sum[n] += arm->weight *
					  (f[arm->point][n] + arm->value[n]);
			weight += arm->weight;
		}
		for (int n = 0; n < ML_SIDES; n++)
			f[s->point][n] = sum[n] / weight;
	}
}

/* The edges that are left, by point: a matrix with the diagonal apart. */
struct matrix {
	uint32_t rows;
	size_t *start;
	uint32_t *column;
	double *weight, *diagonal;
};

/* A vector for each side, side by side. */
typedef double vectors[ML_SIDES];

static void multiply(const struct matrix *m, const vectors *x, vectors *y)
{
	for (uint32_t i = 0; i < m->rows; i++) {
		double sum[ML_SIDES];

		for (int s = 0; s < ML_SIDES; s++)
			sum[s] = m->diagonal[i] * x[i][s];
		for (size_t k = m->start[i]; k < m->start[i + 1]; k++)
			for (int s = 0; s < ML_SIDES; s++)
				sum[s] -= m->weight[k] * x[m->column[k]][s];
		memcpy(y[i], sum, sizeof(sum));
	}
}

static void dot(const vectors *x, const vectors *y, uint32_t n, double *sum)
{
	double out[ML_SIDES] = { 0 };

	for (uint32_t i = 0; i < n; i++)
		for (int s = 0; s < ML_SIDES; s++)
			out[s] += x[i][s] * y[i][s];
	memcpy(sum, out, sizeof(out));
}

/* Conjugate gradients on all sides at once; a side that is near enough stands still. */
struct gradients {
	const struct matrix *m;
	vectors *x, *r, *z, *p, *q;
	double rz[ML_SIDES], enough[ML_SIDES];
};

static void gradients_begin(struct gradients *g, struct ml_arena *a)
{
	uint32_t n = g->m->rows;

	g->z = ml_arena_alloc(a, n * sizeof(*g->z));
	g->p = ml_arena_alloc(a, n * sizeof(*g->p));
	g->q = ml_arena_alloc(a, n * sizeof(*g->q));
	for (uint32_t i = 0; i < n; i++)
		for (int s = 0; s < ML_SIDES; s++)
			g->p[i][s] = g->z[i][s] = g->r[i][s] / g->m->diagonal[i];
	dot(g->r, g->z, n, g->rz);
	for (int s = 0; s < ML_SIDES; s++)
		g->enough[s] = g->rz[s] * 1e-16;
}

/* False when all sides are near enough. */
static bool gradients_step(struct gradients *g)
{
	uint32_t n = g->m->rows;
	double pq[ML_SIDES], alpha[ML_SIDES], beta[ML_SIDES], next[ML_SIDES];
	bool on = false;

	multiply(g->m, g->p, g->q);
	dot(g->p, g->q, n, pq);
	for (int s = 0; s < ML_SIDES; s++) {
		bool moves = g->rz[s] > g->enough[s] && pq[s] > 0;

		alpha[s] = moves ? g->rz[s] / pq[s] : 0;
		on |= moves;
	}
	if (!on)
		return false;
	for (uint32_t i = 0; i < n; i++)
		for (int s = 0; s < ML_SIDES; s++) {
			g->x[i][s] += alpha[s] * g->p[i][s];
			g->r[i][s] -= alpha[s] * g->q[i][s];
			g->z[i][s] = g->r[i][s] / g->m->diagonal[i];
		}
	dot(g->r, g->z, n, next);
	for (int s = 0; s < ML_SIDES; s++) {
		beta[s] = alpha[s] > 0 ? next[s] / g->rz[s] : 0;
		g->rz[s] = next[s];
	}
	for (uint32_t i = 0; i < n; i++)
		for (int s = 0; s < ML_SIDES; s++)
			g->p[i][s] = g->z[i][s] + beta[s] * g->p[i][s];
	return true;
}

/* The matrix of the points that are left, and its right sides. */
static void make_matrix(struct matrix *m, vectors *right, const struct graph *g,
			const uint32_t *row, const uint32_t *point)
{
	size_t k = 0;

	for (uint32_t i = 0; i < m->rows; i++) {
		m->start[i] = k;
		for (uint32_t h = g->first[point[i]]; h != NONE;
		     h = g->halves[h].next, k++) {
			double w = g->weight[h / 2];

			m->column[k] = row[g->halves[h ^ 1].point];
			m->weight[k] = w;
			m->diagonal[i] += w;
			for (int s = 0; s < ML_SIDES; s++)
				right[i][s] += w * sign_of(h) * g->value[h / 2][s];
		}
	}
	m->start[m->rows] = k;
}

static bool solve_rest(const struct graph *g, double (*f)[ML_SIDES], uint32_t points,
		       size_t *steps, struct ml_arena *a, const struct ml_work *work,
		       struct ml_err *err)
{
	uint32_t *row = ml_arena_alloc(a, (points + 1) * sizeof(*row));
	uint32_t *point = ml_arena_alloc(a, (points + 1) * sizeof(*point));
	struct matrix m = { 0 };
	size_t entries = 0;

	*steps = 0;
	for (uint32_t i = 0; i < points; i++)
		if (g->degree[i]) {
			row[i] = m.rows;
			point[m.rows++] = i;
			entries += g->degree[i];
		}
	if (!m.rows)
		return true;
	struct gradients cg = { .m = &m };

	m.start = ml_arena_alloc(a, (m.rows + 1) * sizeof(*m.start));
	m.column = ml_arena_alloc(a, entries * sizeof(*m.column));
	m.weight = ml_arena_alloc(a, entries * sizeof(*m.weight));
	m.diagonal = ml_arena_alloc(a, m.rows * sizeof(*m.diagonal));
	cg.r = ml_arena_alloc(a, m.rows * sizeof(*cg.r));
	cg.x = ml_arena_alloc(a, m.rows * sizeof(*cg.x));
	make_matrix(&m, cg.r, g, row, point);
	gradients_begin(&cg, a);
	while (*steps < MAX_STEPS && gradients_step(&cg))
		if (++*steps % LOOK == 0 && !ml_work_goes_on(work, err))
			return false;
	for (uint32_t i = 0; i < m.rows; i++)
		memcpy(f[point[i]], cg.x[i], sizeof(*f));
	return true;
}

static void release(struct graph *g)
{
	ml_free(g->halves);
	ml_free(g->weight);
	ml_free(g->value);
	ml_free(g->unused);
	ml_free(g->steps);
	ml_free(g->arms);
	for (size_t i = 0; i <= MAX_DEGREE; i++)
		ml_free(g->queues[i].points);
}

bool ml_least_squares(double (*f)[ML_SIDES], uint32_t points,
		      const struct ml_strut *struts, size_t count, size_t *iterations,
		      const struct ml_work *work, struct ml_err *err)
{
	struct graph g = { 0 };
	struct ml_arena a = { 0 };
	size_t steps;

	memset(f, 0, points * sizeof(*f));
	g.first = ml_arena_alloc(&a, (points + 1) * sizeof(*g.first));
	g.degree = ml_arena_alloc(&a, (points + 1) * sizeof(*g.degree));
	memset(g.first, 0xff, points * sizeof(*g.first));
	for (size_t i = 0; i < count; i++) {
		double value[ML_SIDES];

		for (int s = 0; s < ML_SIDES; s++)
			value[s] = struts[i].value[s];
		add_edge(&g, struts[i].from, struts[i].to, struts[i].weight, value);
	}
	bool ok = eliminate(&g, points, work, err) &&
		  solve_rest(&g, f, points, &steps, &a, work, err);

	if (ok) {
		put_back(&g, f);
		if (iterations)
			*iterations = steps;
	}
	release(&g);
	ml_arena_release(&a);
	return ok;
}
