/*
 * Clusters of neighbouring windows. Scores of any range of windows come from prefix sums
 * of the loads at the edges of windows, so joining two clusters costs one pass over the
 * resources of a tier and a step of a heap.
 */
#include <math.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/samples/loads.h"
#include "lib/samples/metrics.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

struct keyed {
	uint64_t key, row;
};

/* Sorts by key, stably, eight bits at a time; digits that are all the same are skipped.
 */
static struct keyed *sort(struct keyed *list, struct keyed *other, size_t n)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t start[257] = { 0 };

		for (size_t i = 0; i < n; i++)
			start[(list[i].key >> shift & 255) + 1]++;
		if (n && start[(list[0].key >> shift & 255) + 1] == n)
			continue;
		for (size_t i = 0; i < 256; i++)
			start[i + 1] += start[i];
		for (size_t i = 0; i < n; i++)
			other[start[list[i].key >> shift & 255]++] = list[i];
		struct keyed *swap = list;
		list = other;
		other = swap;
	}
	return list;
}

/* A pair of neighbours that may be joined; stale if one of them is no more. */
struct pair {
	double distance;
	uint32_t left, right;
};

static bool before(const struct pair *a, const struct pair *b)
{
	return a->distance != b->distance ? a->distance < b->distance : a->left < b->left;
}

static void push(struct pair *heap, size_t *n, struct pair p)
{
	size_t i = (*n)++;

	for (; i && before(&p, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = p;
}

static struct pair pop(struct pair *heap, size_t *n)
{
	struct pair top = heap[0], last = heap[--*n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= *n)
			break;
		if (child + 1 < *n && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return top;
}

struct maker {
	const struct ml_loads_map *m;
	const struct ml_samples_column *c;
	struct keyed *rows;     /* in the attribute's order */
	struct ml_load *prefix; /* of each edge, of each resource */
	uint64_t *edges;        /* positions, ascending */
	size_t edge_count, resources;
	struct ml_load *scratch;
	enum ml_metric metric;
	enum ml_empty empty;
	uint32_t *previous, *next; /* neighbours of each cluster */
	struct ml_clusters *out;
};

static size_t edge_at(const struct maker *k, uint64_t position)
{
	size_t low = 0, high = k->edge_count - 1;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (k->edges[mid] < position)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void set_window(struct maker *k, struct ml_window *w, uint64_t first, uint64_t end)
{
	const struct ml_load *a = &k->prefix[edge_at(k, first) * k->resources],
			     *b = &k->prefix[edge_at(k, end) * k->resources];

	for (size_t i = 0; i < k->resources; i++)
		k->scratch[i] = (struct ml_load){ b[i].samples - a[i].samples,
						  b[i].timed - a[i].timed,
						  b[i].cycles - a[i].cycles };
	*w = (struct ml_window){
		.low = ml_samples_bits(k->c, k->rows[first].row),
		.high = ml_samples_bits(k->c, k->rows[end - 1].row),
		.first = first,
		.end = end,
		.m = ml_metrics_of(k->scratch, k->resources, k->empty),
	};
}

static double score(const struct maker *k, uint32_t cluster)
{
	const struct ml_metrics *m = &k->out->list[cluster].window.m;

	return k->metric == ML_METRIC_LATENCY ? m->latency : m->imbalance;
}

static struct pair pair_of(const struct maker *k, uint32_t left, uint32_t right)
{
	return (struct pair){ fabs(score(k, left) - score(k, right)), left, right };
}

/* Loads of the rows before each edge. */
static void fill_prefix(struct maker *k, size_t tier)
{
	const struct ml_samples_column *latency = ml_samples_latency(k->m->s);
	uint64_t at = 0;

	for (size_t e = 0; e < k->edge_count; e++) {
		struct ml_load *to = &k->prefix[e * k->resources];

		if (e)
			memcpy(to, to - k->resources, k->resources * sizeof(*to));
		for (; at < k->edges[e]; at++) {
			uint64_t row = k->rows[at].row;
			uint32_t place = ml_loads_resource(k->m, tier,
							   ml_loads_cpu(k->m, row),
							   ml_loads_level(k->m, row));

			if (place == UINT32_MAX)
				continue;
			to[place].samples++;
			if (latency && !ml_samples_missing(latency, row)) {
				to[place].timed++;
				to[place].cycles += ml_samples_bits(latency, row);
			}
		}
	}
}

/* Begins and ends of windows, each once, in order. */
static void find_edges(struct maker *k, uint64_t n, uint64_t width, uint64_t step)
{
	size_t leaves = k->out->leaves;
	size_t begin = 0, end = 0;

	while (begin < leaves || end < leaves) {
		uint64_t a = begin < leaves ? begin * step : UINT64_MAX,
			 b = end + 1 < leaves ? end * step + width
			     : end < leaves   ? n
					      : UINT64_MAX,
			 next = a < b ? a : b;

		begin += a == next;
		end += b == next;
		if (!k->edge_count || k->edges[k->edge_count - 1] != next)
			k->edges[k->edge_count++] = next;
	}
}

static bool join_all(struct maker *k, struct pair *heap, const struct ml_work *work,
		     struct ml_err *err)
{
	struct ml_clusters *c = k->out;
	uint32_t leaves = (uint32_t)c->leaves;
	bool *gone = (bool *)(k->next + 2 * c->leaves);
	size_t n = 0;

	for (uint32_t i = 0; i + 1 < leaves; i++)
		push(heap, &n, pair_of(k, i, i + 1));
	while (n) {
		struct pair p = pop(heap, &n);
		uint32_t made = (uint32_t)c->count, left, right;

		if (gone[p.left] || gone[p.right])
			continue;
		if (made % 4096 == 0) {
			ml_work_progress(work, "clustering", made, 2 * c->leaves);
			if (!ml_work_goes_on(work, err))
				return false;
		}
		gone[p.left] = gone[p.right] = true;
		c->list[made] = (struct ml_cluster){ .left = p.left,
						     .right = p.right,
						     .distance = p.distance };
		set_window(k, &c->list[made].window, c->list[p.left].window.first,
			   c->list[p.right].window.end);
		c->count++;
		left = k->previous[made] = k->previous[p.left];
		right = k->next[made] = k->next[p.right];
		if (left != UINT32_MAX) {
			k->next[left] = made;
			push(heap, &n, pair_of(k, left, made));
		}
		if (right != UINT32_MAX) {
			k->previous[right] = made;
			push(heap, &n, pair_of(k, made, right));
		}
	}
	for (size_t i = c->count; i-- > leaves;) {
		c->list[c->list[i].left].depth = c->list[i].depth + 1;
		c->list[c->list[i].right].depth = c->list[i].depth + 1;
	}
	return true;
}

bool ml_clusters_make(struct ml_clusters *c, const struct ml_loads_map *m,
		      const struct ml_selection *sel, size_t column, size_t tier,
		      enum ml_metric metric, uint64_t width, uint64_t step,
		      enum ml_empty empty, const struct ml_work *work, struct ml_arena *a,
		      struct ml_err *err)
{
	const struct ml_samples *s = m->s;
	struct maker k = { .m = m,
			   .c = &s->columns[column],
			   .resources = s->topology.tiers[tier].count,
			   .metric = metric,
			   .empty = empty,
			   .out = c };
	uint64_t n = 0, all = ml_selection_count(sel);

	*c = (struct ml_clusters){ 0 };
	if (k.c->kind == ML_SAMPLES_NAMES)
		return ml_fail(err, ML_USAGE,
			       "%s holds names, which have no order to cluster by",
			       k.c->name);
	if (!width || !step || step > width)
		return ml_fail(
			err, ML_USAGE,
			"a window has at least one sample, and its step is 1 to its width");
	struct keyed *rows = ml_arena_alloc(a, (all + 1) * sizeof(*rows)),
		     *other = ml_arena_alloc(a, (all + 1) * sizeof(*other));
	for (uint64_t i = 0; i < s->rows; i++)
		if (ml_selection_has(sel, i) && !ml_samples_missing(k.c, i))
			rows[n++] = (struct keyed){
				ml_samples_key(k.c, ml_samples_bits(k.c, i)), i
			};
	if (!n)
		return true;
	k.rows = sort(rows, other, n);
	c->leaves = n <= width ? 1 : (size_t)((n - width + step - 1) / step + 1);
	if (c->leaves > ML_CLUSTER_CELLS_MAX / k.resources)
		return ml_fail(
			err, ML_USAGE,
			"%zu windows on %zu resources are too many; choose a larger step",
			c->leaves, k.resources);
	k.edges = ml_arena_alloc(a, (2 * c->leaves + 2) * sizeof(*k.edges));
	find_edges(&k, n, width, step);
	k.prefix = ml_arena_alloc(a, k.edge_count * k.resources * sizeof(*k.prefix));
	k.scratch = ml_arena_alloc(a, k.resources * sizeof(*k.scratch));
	fill_prefix(&k, tier);
	c->list = ml_arena_alloc(a, 2 * c->leaves * sizeof(*c->list));
	k.previous = ml_arena_alloc(a, 2 * c->leaves * sizeof(*k.previous));
	k.next = ml_arena_alloc(a, 2 * c->leaves * (sizeof(*k.next) + sizeof(bool)));
	for (size_t i = 0; i < c->leaves; i++) {
		c->list[i].left = c->list[i].right = UINT32_MAX;
		set_window(&k, &c->list[i].window, i * step,
			   i + 1 < c->leaves ? i * step + width : n);
		k.previous[i] = i ? (uint32_t)i - 1 : UINT32_MAX;
		k.next[i] = i + 1 < c->leaves ? (uint32_t)i + 1 : UINT32_MAX;
	}
	c->count = c->leaves;
	struct pair *heap = ml_arena_alloc(a, 3 * c->leaves * sizeof(*heap));
	return join_all(&k, heap, work, err);
}

/* Lists the nodes below `top` that `keep` keeps, in the order of the attribute. */
static size_t list_below(const struct ml_clusters *c, size_t lowest, uint32_t depth,
			 uint32_t *list)
{
	size_t n = 0;
	uint32_t at;

	if (!c->count)
		return 0;
	/* Clusters that begin later are found by walking right from the first leaf. */
	for (uint64_t first = 0; first != UINT64_MAX;) {
		at = (uint32_t)c->count - 1;
		for (;;) {
			const struct ml_cluster *x = &c->list[at];

			if (x->left == UINT32_MAX || at < lowest || x->depth >= depth)
				break;
			at = c->list[x->right].window.first <= first ? x->right : x->left;
		}
		list[n++] = at;
		/* the next leaf begins behind the last leaf of this cluster */
		while (c->list[at].right != UINT32_MAX)
			at = c->list[at].right;
		first = at + 1 < c->leaves ? c->list[at + 1].window.first : UINT64_MAX;
	}
	return n;
}

size_t ml_clusters_cut(const struct ml_clusters *c, size_t count, uint32_t *list)
{
	count = count < 1 ? 1 : count > c->leaves ? c->leaves : count;
	/* The last count - 1 joins are undone: their nodes are split. */
	return c->count ? list_below(c, c->count - (count - 1), UINT32_MAX, list) : 0;
}

size_t ml_clusters_at_depth(const struct ml_clusters *c, uint32_t depth, uint32_t *list)
{
	return list_below(c, 0, depth, list);
}
