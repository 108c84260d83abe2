#include "lib/prune/variant_list.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/work.h"

/* Rows that grow; copied into the arena at the end. */
struct gathering {
	size_t width;
	int64_t *values;
	size_t count, cap;
	uint64_t seen, offset, limit;
	/* of a sample: the ranks that are taken, ascending; NULL: all from the offset */
	const uint64_t *ranks;
};

static void keep(struct gathering *g, const int64_t *values)
{
	g->values = ml_grow(g->values, &g->cap, (g->count + 1) * g->width,
			    sizeof(*g->values));
	memcpy(g->values + g->count++ * g->width, values, g->width * sizeof(*values));
}

static bool gather(void *arg, const int64_t *values)
{
	struct gathering *g = arg;
	uint64_t rank = g->seen++;

	if (g->ranks ? rank == g->ranks[g->count] : rank >= g->offset)
		keep(g, values);
	return g->count < g->limit;
}

static bool finish(struct ml_variant_list *l, struct gathering *g,
		   const struct ml_prune *p, struct ml_arena *a, struct ml_err *err)
{
	struct ml_interpreter i;
	bool ok = true;

	*l = (struct ml_variant_list){ .width = g->width, .count = g->count };
	l->values = ml_arena_alloc(a, g->count * g->width * sizeof(*l->values) + 8);
	l->masks = ml_arena_alloc(a, g->count * sizeof(*l->masks) + 8);
	if (g->count)
		memcpy(l->values, g->values, g->count * g->width * sizeof(*l->values));
	ml_free(g->values);
	ml_interpreter_init(&i, p->space);
	for (size_t k = 0; k < l->count && ok; k++)
		ok = ml_interpreter_mask(&i, l->values + k * l->width, &l->masks[k], err);
	ml_interpreter_release(&i);
	return ok;
}

static bool gather_all(struct ml_variant_list *l, struct gathering *g,
		       const struct ml_prune *p, struct ml_selection_of of,
		       struct ml_arena *a, const struct ml_work *work, struct ml_err *err)
{
	g->width = p->space->param_count;
	if (g->limit && !ml_prune_select(p, of.care, of.want, gather, g, work, err)) {
		ml_free(g->values);
		return false;
	}
	return finish(l, g, p, a, err);
}

bool ml_variant_list_page(struct ml_variant_list *l, const struct ml_prune *p,
			  struct ml_selection_of of, uint64_t offset, size_t limit,
			  struct ml_arena *a, const struct ml_work *work,
			  struct ml_err *err)
{
	struct gathering g = { .offset = offset, .limit = limit };

	return gather_all(l, &g, p, of, a, work, err);
}

/* splitmix64 (Steele, Lea, Flood 2014): good enough for lots, and the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static int by_value(const void *a, const void *b)
{
	uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;

	return (p > q) - (p < q);
}

/* Floyd's way to draw a set: n draws, no table of all. */
static void draw_ranks(uint64_t *ranks, size_t n, uint64_t total, uint64_t seed)
{
	struct ml_map drawn = { 0 };
	size_t count = 0;

	for (uint64_t j = total - n; j < total; j++) {
		uint64_t r = next_random(&seed) % (j + 1);
		bool is_new;

		ml_map_add(&drawn, r, &is_new);
		if (!is_new) {
			r = j;
			ml_map_add(&drawn, r, NULL);
		}
		ranks[count++] = r;
	}
	ml_map_release(&drawn);
	qsort(ranks, n, sizeof(*ranks), by_value);
}

bool ml_variant_list_sample(struct ml_variant_list *l, const struct ml_prune *p,
			    struct ml_selection_of of, uint64_t total, size_t count,
			    uint64_t seed, struct ml_arena *a, const struct ml_work *work,
			    struct ml_err *err)
{
	size_t n = count < total ? count : (size_t)total;
	uint64_t *ranks = ml_arena_alloc(a, (n + 1) * sizeof(*ranks));
	struct gathering g = { .limit = n, .ranks = ranks };

	draw_ranks(ranks, n, total, seed);
	return gather_all(l, &g, p, of, a, work, err);
}

struct distributing {
	struct ml_distribution *d;
	size_t width;
};

static bool distribute(void *arg, const int64_t *values)
{
	struct distributing *x = arg;

	for (size_t p = 0; p < x->width; p++)
		x->d[p].bins[(uint64_t)(values[p] - x->d[p].lo) / x->d[p].width]++;
	return true;
}

bool ml_variant_list_distributions(struct ml_distribution *d, const struct ml_prune *p,
				   struct ml_selection_of of, size_t bins,
				   struct ml_arena *a, const struct ml_work *work,
				   struct ml_err *err)
{
	struct distributing x = { .d = d, .width = p->space->param_count };

	for (size_t i = 0; i < x.width; i++) {
		const struct ml_param_range *r = &p->space->params[i];
		uint64_t values = (uint64_t)(r->hi - r->lo) + 1;

		d[i].lo = r->lo;
		d[i].width = (values + bins - 1) / bins;
		d[i].count = (size_t)((values + d[i].width - 1) / d[i].width);
		d[i].bins = ml_arena_alloc(a, d[i].count * sizeof(uint64_t));
	}
	return ml_prune_select(p, of.care, of.want, distribute, &x, work, err);
}

/* --- nearest misses --- */

static double larger(double p, double q)
{
	return p > q ? p : q;
}

static double smaller(double p, double q)
{
	return p < q ? p : q;
}

/* By which part of itself the larger of two compared values would have to change. */
static double compared(const struct ml_interpreter *i, const struct ml_expr *e)
{
	double a = (double)ml_interpreter_value(i, e->a),
	       b = (double)ml_interpreter_value(i, e->b), gap = a > b ? a - b : b - a,
	       size = larger(larger(a < 0 ? -a : a, b < 0 ? -b : b), 1);

	return gap > 0 ? gap / size : 1 / size;
}

/* The change that makes a truth value what it is not; 0: it is so already. */
static double change(const struct ml_interpreter *i, uint32_t node, bool to)
{
	const struct ml_expr *e = &i->s->exprs.at[node];

	if ((ml_interpreter_value(i, node) != 0) == to)
		return 0;
	switch (e->op) {
	case ML_EXPR_LT:
	case ML_EXPR_LE:
	case ML_EXPR_GT:
	case ML_EXPR_GE: return compared(i, e);
	case ML_EXPR_NOT: return change(i, e->a, !to);
	case ML_EXPR_AND:
	case ML_EXPR_OR: {
		double a = change(i, e->a, to), b = change(i, e->b, to);

		return (e->op == ML_EXPR_AND) == to ? a + b : smaller(a, b);
	}
	default: return 1;
	}
}

struct nearest {
	struct ml_interpreter i;
	struct gathering g;
	double *distance;
	size_t distance_cap;
	struct ml_err *err;
	bool failed;
};

static bool keep_nearest(void *arg, const int64_t *values)
{
	struct nearest *n = arg;
	struct gathering *g = &n->g;
	uint32_t mask;
	double sum = 0;
	size_t at;

	if (!ml_interpreter_mask(&n->i, values, &mask, n->err)) {
		n->failed = true;
		return false;
	}
	for (uint32_t left = mask; left; left &= left - 1)
		sum += change(&n->i, n->i.s->constraints[__builtin_ctz(left)].node,
			      false);
	if (g->count == g->limit && sum >= n->distance[g->count - 1])
		return true;
	if (g->count < g->limit) {
		keep(g, values);
		n->distance = ml_grow(n->distance, &n->distance_cap, g->count,
				      sizeof(*n->distance));
	}
	for (at = g->count - 1; at && n->distance[at - 1] > sum; at--) {
		n->distance[at] = n->distance[at - 1];
		memmove(g->values + at * g->width, g->values + (at - 1) * g->width,
			g->width * sizeof(*values));
	}
	n->distance[at] = sum;
	memcpy(g->values + at * g->width, values, g->width * sizeof(*values));
	return true;
}

bool ml_variant_list_nearest(struct ml_variant_list *l, double **distances,
			     const struct ml_prune *p, const struct ml_combos *t,
			     size_t limit, struct ml_arena *a, const struct ml_work *work,
			     struct ml_err *err)
{
	unsigned fewest = ml_combos_nearest(t);
	struct nearest n = { .err = err,
			     .g = { .width = p->space->param_count, .limit = limit } };
	bool ok = true;

	ml_interpreter_init(&n.i, p->space);
	for (size_t k = 0; fewest && limit && k < t->count && ok; k++)
		if ((unsigned)__builtin_popcount(t->at[k].mask) == fewest)
			ok = ml_prune_select(p, ml_combos_all(t), t->at[k].mask,
					     keep_nearest, &n, work, err) &&
			     !n.failed;
	ml_interpreter_release(&n.i);
	*distances = ml_arena_alloc(a, (n.g.count + 1) * sizeof(**distances));
	if (n.g.count)
		memcpy(*distances, n.distance, n.g.count * sizeof(**distances));
	ml_free(n.distance);
	if (!ok) {
		ml_free(n.g.values);
		return false;
	}
	return finish(l, &n.g, p, a, err);
}
