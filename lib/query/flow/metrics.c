#include "lib/query/flow/metrics.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/cache/distance/distance.h"
#include "lib/flow/count/count.h"
#include "lib/flow/flow.h"
#include "lib/query/flow/simulated.h"
#include "lib/query/flow/sizes.h"

/* What a node moves of one container, while the tree is visited. */
struct moved {
	uint32_t container, how;
	double read, written, cold, misses;
	bool boxed; /* the box below is known */
	bool empty; /* no access runs at these sizes */
	int64_t low[ML_FLOW_DIMS], high[ML_FLOW_DIMS];
};

struct list {
	struct moved *row;
	size_t count;
};

struct maker {
	struct ml_flow_metrics *m;
	const struct ml_flow *f;
	const struct ml_flow_counts *counts;
	const int64_t *value;
	const bool *known;
	bool all_known;
	int64_t *min, *max;    /* of symbols; loops are added on the way down */
	double *cold, *misses; /* by access of the flow */
	uint32_t *first;       /* number of the first access, by node */
	uint32_t *place; /* by container: its row in the list being merged, plus 1 */
	struct ml_arena *arena;
	size_t edge_cap[8];
};

static double number(const struct maker *k, const struct ml_flow_count *c)
{
	int64_t constant;

	if (c->kind == ML_FLOW_NO_FORM)
		return NAN;
	return k->all_known || ml_poly_is_const(c->poly, &constant)
		       ? ml_poly_real(c->poly, k->value)
		       : NAN;
}

static double operations(const struct maker *k, const struct ml_flow_node *n)
{
	double ops = 0;
	int64_t times = 1;

	for (int o = 0; o < ML_FLOW_OPS; o++)
		ops += (double)n->ops[o];
	if (ops == 0)
		return 0;
	/* how often a library call repeats its operations may depend on loops: not known
	 */
	if (n->repeat && !ml_sym_eval(n->repeat, k->value, k->known, &times))
		return NAN;
	return ops * (double)times * number(k, &k->counts->runs[n->number]);
}

/* Where an access lies: bounds by dimension, or of the declared shape. */
static void box(const struct maker *k, const struct ml_flow_access *x, struct moved *r)
{
	const struct ml_flow_container *c = &k->f->container[x->container];
	int64_t low, high, unused, n;

	r->boxed = k->all_known;
	if (!x->dims) {
		r->boxed = r->boxed && c->dims <= 1 && x->linear &&
			   ml_sym_bounds(x->linear, k->min, k->max, &low, &high);
		if (r->boxed) {
			r->low[0] = low;
			r->high[0] = high;
		}
		return;
	}
	for (uint32_t d = 0; d < x->dims && r->boxed; d++) {
		if (ml_sym_bounds(x->range[d].from, k->min, k->max, &low, &unused) &&
		    ml_sym_bounds(x->range[d].to, k->min, k->max, &unused, &high)) {
			r->low[d] = low;
			r->high[d] = high;
		} else if (c->shape[d] &&
			   ml_sym_eval(c->shape[d], k->value, k->known, &n)) {
			r->low[d] = 0;
			r->high[d] = n - 1;
		} else
			r->boxed = false;
	}
}

static void merge(struct maker *k, struct list *to, const struct moved *x)
{
	uint32_t *at = &k->place[x->container];

	if (!*at) {
		to->row[to->count++] = *x;
		*at = (uint32_t)to->count;
		return;
	}
	struct moved *r = &to->row[*at - 1];
	r->how |= x->how;
	r->read += x->read;
	r->written += x->written;
	r->cold += x->cold;
	r->misses += x->misses;
	if (x->empty)
		return;
	if (r->empty) {
		memcpy(r->low, x->low, sizeof(r->low));
		memcpy(r->high, x->high, sizeof(r->high));
		r->boxed = x->boxed;
		r->empty = false;
		return;
	}
	r->boxed = r->boxed && x->boxed;
	for (uint32_t d = 0; d < ML_FLOW_DIMS; d++) {
		r->low[d] = x->low[d] < r->low[d] ? x->low[d] : r->low[d];
		r->high[d] = x->high[d] > r->high[d] ? x->high[d] : r->high[d];
	}
}

static double footprint(const struct maker *k, const struct moved *r)
{
	const struct ml_flow_container *c = &k->f->container[r->container];
	double n = c->element;

	if (r->empty)
		return 0;
	if (!r->boxed)
		return NAN;
	for (uint32_t d = 0; d < (c->dims ? c->dims : 1); d++)
		n *= (double)(r->high[d] - r->low[d]) + 1;
	return n;
}

static void *grown(struct maker *k, int column, void *array, size_t need, size_t size)
{
	size_t *cap = &k->edge_cap[column];

	if (need <= *cap)
		return array;
	size_t room = *cap ? 2 * *cap : 256;
	void *next = ml_arena_alloc(k->arena, room * size);
	if (array)
		memcpy(next, array, *cap * size);
	*cap = room;
	return next;
}

static void add_edge(struct maker *k, uint32_t node, const struct moved *r)
{
	struct ml_flow_metrics *m = k->m;
	size_t i = m->edges++, n = i + 1;

	m->node = grown(k, 0, m->node, n, sizeof(*m->node));
	m->container = grown(k, 1, m->container, n, sizeof(*m->container));
	m->how = grown(k, 2, m->how, n, sizeof(*m->how));
	m->read = grown(k, 3, m->read, n, sizeof(double));
	m->written = grown(k, 4, m->written, n, sizeof(double));
	m->edge_footprint = grown(k, 5, m->edge_footprint, n, sizeof(double));
	m->edge_cold = grown(k, 6, m->edge_cold, n, sizeof(double));
	m->edge_misses = grown(k, 7, m->edge_misses, n, sizeof(double));
	m->node[i] = node;
	m->container[i] = r->container;
	m->how[i] = (uint8_t)r->how;
	m->read[i] = r->read;
	m->written[i] = r->written;
	m->edge_footprint[i] = footprint(k, r);
	m->edge_cold[i] = r->cold;
	m->edge_misses[i] = r->misses;
	if (k->f->container[r->container].scalar)
		return;
	m->bytes[node] += r->read + r->written;
	m->footprint[node] += m->edge_footprint[i];
	m->cold[node] += r->cold;
	m->misses[node] += r->misses;
}

static void work(struct maker *k, const struct ml_flow_node *n, bool runs,
		 struct list *list)
{
	for (size_t i = 0; i < n->access_count; i++) {
		const struct ml_flow_access *x = &n->access[i];
		const struct ml_flow_container *c = &k->f->container[x->container];
		double bytes = number(k, &k->counts->elements[n->number][i]) *
			       (double)(x->size ? x->size : c->element);
		uint32_t access = k->first[n->number] + (uint32_t)i;
		struct moved r = { .container = x->container,
				   .how = x->write ? 2 : 1,
				   .read = x->write ? 0 : bytes,
				   .written = x->write ? bytes : 0,
				   .cold = k->cold ? k->cold[access] : NAN,
				   .misses = k->misses ? k->misses[access] : NAN,
				   .empty = !runs };

		if (runs)
			box(k, x, &r);
		merge(k, list, &r);
	}
}

/* Bounds of the variable of a loop; false: it never runs. */
static bool enter(struct maker *k, const struct ml_flow_node *n)
{
	const struct ml_sym *low = n->step > 0 ? n->from : n->to,
			    *high = n->step > 0 ? n->to : n->from;
	int64_t unused;

	if (!ml_sym_bounds(low, k->min, k->max, &k->min[n->symbol], &unused) ||
	    !ml_sym_bounds(high, k->min, k->max, &unused, &k->max[n->symbol])) {
		k->min[n->symbol] = 1; /* an empty interval: bounds that use it fail */
		k->max[n->symbol] = 0;
		return true;
	}
	return k->min[n->symbol] <= k->max[n->symbol];
}

static struct list visit(struct maker *k, uint32_t number_of, bool runs)
{
	const struct ml_flow_node *n = &k->f->node[number_of];
	struct ml_flow_metrics *m = k->m;
	size_t children = 0, rows = n->access_count;
	struct list list = { 0 };

	if (n->kind == ML_FLOW_FOR)
		runs = enter(k, n) && runs;
	m->runs[number_of] = number(k, &k->counts->runs[number_of]);
	m->operations[number_of] = operations(k, n);
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = k->f->node[c].next)
		children++;
	struct list *below = ml_arena_alloc(k->arena, (children + 1) * sizeof(*below));
	children = 0;
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = k->f->node[c].next) {
		below[children] = visit(k, c, runs);
		m->operations[number_of] += m->operations[c];
		rows += below[children++].count;
	}
	list.row = ml_arena_alloc(k->arena, (rows + 1) * sizeof(*list.row));
	for (size_t i = 0; i < children; i++)
		for (size_t j = 0; j < below[i].count; j++)
			merge(k, &list, &below[i].row[j]);
	if (n->kind == ML_FLOW_WORK)
		work(k, n, runs, &list);
	for (size_t i = 0; i < list.count; i++) {
		k->place[list.row[i].container] = 0;
		add_edge(k, number_of, &list.row[i]);
	}
	return list;
}

/* Cold accesses and misses, by access of the flow. */
static void count_misses(struct maker *k, const struct ml_simulated *s,
			 uint64_t threshold, size_t accesses)
{
	k->cold = ml_arena_alloc(k->arena, (accesses + 1) * sizeof(double));
	k->misses = ml_arena_alloc(k->arena, (accesses + 1) * sizeof(double));
	for (size_t i = 0; i < s->l->kept; i++) {
		uint32_t d = s->l->distance[i];

		k->cold[s->l->access[i]] += d == ML_NEVER;
		k->misses[s->l->access[i]] += d != ML_NEVER && d >= threshold;
	}
}

/* The loops around the root, the outermost first. */
static bool enter_around(struct maker *k, uint32_t number_of)
{
	const struct ml_flow_node *n = &k->f->node[number_of];

	if (n->parent == ML_FLOW_NONE)
		return true;
	bool runs = enter_around(k, n->parent);
	const struct ml_flow_node *p = &k->f->node[n->parent];
	return (p->kind != ML_FLOW_FOR || enter(k, p)) && runs;
}

void ml_flow_metrics_make(struct ml_flow_metrics *m, const struct ml_flow *f,
			  const struct ml_flow_counts *counts, uint32_t root,
			  const struct ml_flow_sizes *z, const struct ml_simulated *s,
			  uint64_t threshold, struct ml_arena *a)
{
	struct maker k = { .m = m,
			   .f = f,
			   .counts = counts,
			   .value = z->value,
			   .known = z->known,
			   .all_known = z->all,
			   .arena = a };
	size_t n = f->node_count, symbols = f->symbol_count;
	uint32_t accesses = 0;
	double **columns[] = { &m->runs,      &m->operations, &m->bytes,
			       &m->footprint, &m->cold,       &m->misses };

	*m = (struct ml_flow_metrics){ .nodes = n };
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		*columns[i] = ml_arena_alloc(a, (n + 1) * sizeof(double));
	k.min = ml_arena_alloc(a, (symbols + 1) * sizeof(*k.min));
	k.max = ml_arena_alloc(a, (symbols + 1) * sizeof(*k.max));
	for (size_t i = 0; i < symbols; i++) {
		bool has = f->symbol[i].kind != ML_FLOW_LOOP && z->known[i];

		k.min[i] = has ? z->value[i] : 1;
		k.max[i] = has ? z->value[i] : 0; /* an empty interval */
	}
	k.place = ml_arena_alloc(a, (f->container_count + 1) * sizeof(*k.place));
	k.first = ml_arena_alloc(a, (n + 1) * sizeof(*k.first));
	for (size_t i = 0; i < n; i++) {
		k.first[i] = accesses;
		accesses += (uint32_t)f->node[i].access_count;
	}
	if (s)
		count_misses(&k, s, threshold, accesses);
	visit(&k, root, enter_around(&k, root));
}
