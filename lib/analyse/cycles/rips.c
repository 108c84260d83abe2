#include "lib/analyse/cycles/rips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/cycles/rips_parts.h"
#include "lib/base/work.h"

enum { TRIANGLE_SMALL = 3000, BITS_SMALL = 1000 };

/* Bit rows pay when a row has some bits in every word. */
static bool has_bits(const struct ml_edges *e)
{
	return e->points <= BITS_SMALL || e->count > (uint64_t)e->points * e->points / 64;
}

static bool has_triangle(const struct ml_edges *e)
{
	return e->points <= TRIANGLE_SMALL ||
	       e->count > (uint64_t)e->points * e->points / 8;
}

static size_t pair_index(uint32_t larger, uint32_t smaller)
{
	return (size_t)larger * (larger - 1) / 2 + smaller;
}

/* Edges of one point to near ones lie near each other. */
static size_t leaf_home(const struct ml_rips *r, uint64_t pair)
{
	uint64_t of_larger = (pair >> 32) * 0x9e3779b97f4a7c15u >> 20;

	return (size_t)(of_larger + (uint32_t)pair) & (r->leaf_cap - 1);
}

static struct ml_leaf_cell *leaf_cell(const struct ml_rips *r, uint64_t pair)
{
	size_t at = leaf_home(r, pair);

	while (r->leaves[at].pair && r->leaves[at].pair != pair)
		at = (at + 1) & (r->leaf_cap - 1);
	return &r->leaves[at];
}

static void more_leaves(struct ml_rips *r)
{
	struct ml_leaf_cell *old = r->leaves;
	size_t old_cap = r->leaf_cap;

	r->leaf_cap = old_cap ? 2 * old_cap : 4096;
	r->leaves = ml_resize(NULL, r->leaf_cap * sizeof(*r->leaves));
	memset(r->leaves, 0, r->leaf_cap * sizeof(*r->leaves));
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].pair)
			*leaf_cell(r, old[i].pair) = old[i];
	ml_free(old);
}

uint32_t ml_rips_leaf(const struct ml_rips *r, uint32_t larger, uint32_t smaller)
{
	if (r->triangle)
		return r->triangle[pair_index(larger, smaller)];
	return leaf_cell(r, (uint64_t)larger << 32 | smaller)->node;
}

void rips_fetch_leaf(const struct ml_rips *r, uint32_t u, uint32_t v)
{
	if (r->leaves)
		__builtin_prefetch(&r->leaves[leaf_home(r, (uint64_t)u << 32 | v)]);
}

void rips_set_leaf(struct ml_rips *r, uint32_t u, uint32_t v, uint32_t node)
{
	if (r->triangle) {
		r->triangle[pair_index(u, v)] = node;
		return;
	}
	if (!node)
		return;
	if (2 * r->leaf_count >= r->leaf_cap)
		more_leaves(r);
	*leaf_cell(r, (uint64_t)u << 32 |
			      v) = (struct ml_leaf_cell){ (uint64_t)u << 32 | v, node };
	r->leaf_count++;
}

static uint32_t part_of(uint32_t *parent, uint32_t x)
{
	while (parent[x] != x)
		x = parent[x] = parent[parent[x]];
	return x;
}

static int longest_bar(const void *x, const void *y)
{
	const struct ml_bar *a = x, *b = y;
	double p = a->death - a->birth, q = b->death - b->birth;

	if (p != q)
		return p > q ? -1 : 1;
	return a->birth < b->birth ? -1 : a->birth > b->birth;
}

/* Sorts the bars and counts equal ones as one. */
static void count_bars(struct ml_rips *r)
{
	size_t kept = 0;

	if (r->bar_count)
		qsort(r->bars, r->bar_count, sizeof(*r->bars), longest_bar);
	for (size_t i = 0; i < r->bar_count; i++) {
		struct ml_bar *last = &r->bars[kept ? kept - 1 : 0];

		if (kept && last->birth == r->bars[i].birth &&
		    last->death == r->bars[i].death)
			last->count++;
		else
			r->bars[kept++] = r->bars[i];
	}
	r->bar_count = kept;
}

static int longest_class(const void *x, const void *y)
{
	const struct ml_class *a = x, *b = y;
	double p = a->death - a->birth, q = b->death - b->birth;

	if (p != q)
		return p > q ? -1 : 1;
	if (a->birth != b->birth)
		return a->birth < b->birth ? -1 : 1;
	return a->clock < b->clock ? -1 : a->clock > b->clock;
}

/* Sorts the classes and forgets those behind max_classes. */
static void keep_longest(struct ml_rips *r)
{
	if (r->class_count)
		qsort(r->classes, r->class_count, sizeof(*r->classes), longest_class);
	while (r->class_count > r->max_classes) {
		ml_free(r->classes[--r->class_count].roots);
		r->classes_left_out++;
	}
}

static void end_class(struct rips_walk *w, uint32_t class, uint32_t level)
{
	struct ml_rips *r = w->r;
	const struct ml_edges *e = r->edges;
	double birth = e->length[w->birth_level[class]];
	double death = level < e->levels ? e->length[level] : e->end;

	if (death <= birth)
		return;
	r->bars = ml_grow(r->bars, &r->bar_cap, r->bar_count + 1, sizeof(*r->bars));
	r->bars[r->bar_count++] = (struct ml_bar){ birth, death, 1 };
	if (!r->max_classes)
		return;
	size_t count;
	const struct ml_term *roots = ml_annotation_column(&r->annotation, class, &count);
	struct ml_class c = { .birth_level = w->birth_level[class],
			      .death_level = level,
			      .birth = birth,
			      .death = death,
			      .clock = r->annotation.clock,
			      .count = (uint32_t)count };

	c.roots = ml_resize(NULL, (count + 1) * sizeof(*roots));
	memcpy(c.roots, roots, count * sizeof(*roots));
	r->classes = ml_grow(r->classes, &r->class_cap, r->class_count + 1,
			     sizeof(*r->classes));
	r->classes[r->class_count++] = c;
	if (r->class_count >= 2 * r->max_classes)
		keep_longest(r);
}

uint32_t rips_first_edge(struct rips_walk *w, uint32_t u, uint32_t v)
{
	struct ml_rips *r = w->r;
	uint32_t a = part_of(w->parent, u), b = part_of(w->parent, v);

	if (a != b) {
		w->parent[a] = b;
		r->components--;
		return 0;
	}
	size_t class = r->annotation.class_count;
	uint32_t node = ml_annotation_birth(&r->annotation);

	w->birth_level = ml_grow(w->birth_level, &w->birth_cap, class + 1,
				 sizeof(*w->birth_level));
	w->birth_level[class] = w->level;
	return node;
}

uint32_t rips_node(struct rips_walk *w, struct rips_detour d)
{
	return d.first | d.second
		       ? ml_annotation_sum(&w->r->annotation, d.first, d.minus_first,
					   d.second, d.minus_second)
		       : 0;
}

void rips_relate(struct rips_walk *w, struct rips_detour d, uint32_t node)
{
	struct ml_annotation *a = &w->r->annotation;
	uint32_t class = ml_annotation_relation(a, d.first, d.minus_first, d.second,
						d.minus_second, node);

	if (class == RIPS_NONE)
		return;
	end_class(w, class, w->level);
	ml_annotation_kill(a);
}

static bool insert_all(struct rips_walk *w, bool bits, const struct ml_work *work,
		       struct ml_err *err)
{
	const struct ml_edges *e = w->r->edges;
	uint64_t done = 0;

	for (w->level = 0; w->level < e->levels; w->level++)
		for (uint32_t block = 0; block < e->blocks; block++) {
			const struct ml_edge_list *l = ml_edges_list(e, block, w->level);

			for (size_t i = 0; i < l->run_count; i++) {
				const struct ml_edge_run *run = &l->runs[i];

				(bits ? rips_bits_run : rips_blocks_run)(
					w, run->point, l->ends + run->first, run->count);
				done += run->count;
				if (i % 256 == 0) {
					if (!ml_work_goes_on(work, err))
						return false;
					ml_work_progress(work, "inserting edges", done,
							 e->count);
				}
			}
		}
	return true;
}

bool ml_rips_run(struct ml_rips *r, const struct ml_edges *e, size_t max_classes,
		 const struct ml_work *work, struct ml_err *err)
{
	return ml_rips_run_with(r, e, max_classes,
				has_bits(e) ? ML_RIPS_BITS : ML_RIPS_BLOCKS, work, err);
}

bool ml_rips_run_with(struct ml_rips *r, const struct ml_edges *e, size_t max_classes,
		      enum ml_rips_rows rows, const struct ml_work *work,
		      struct ml_err *err)
{
	struct rips_walk w = { .r = r };
	bool bits = rows == ML_RIPS_BITS;

	*r = (struct ml_rips){ .edges = e,
			       .max_classes = max_classes,
			       .components = e->points };
	ml_annotation_init(&r->annotation);
	if (has_triangle(e)) {
		size_t bytes = pair_index(e->points + 1, 0) * sizeof(*r->triangle) + 8;

		r->triangle = ml_resize(NULL, bytes);
		memset(r->triangle, 0, bytes);
	} else
		more_leaves(r);
	w.parent = ml_arena_alloc(&w.arena, (e->points + 1) * sizeof(*w.parent));
	for (uint32_t i = 0; i < e->points; i++)
		w.parent[i] = i;
	(bits ? rips_bits_begin : rips_blocks_begin)(&w);
	bool ok = insert_all(&w, bits, work, err);

	/* the youngest first, so that ties are broken as among those that died */
	for (size_t i = r->annotation.class_count; ok && i-- > 0;) {
		size_t count;

		ml_annotation_column(&r->annotation, (uint32_t)i, &count);
		if (count)
			end_class(&w, (uint32_t)i, e->levels);
	}
	if (!bits)
		rips_blocks_end(&w);
	keep_longest(r);
	count_bars(r);
	ml_free(w.birth_level);
	ml_arena_release(&w.arena);
	if (!ok)
		ml_rips_release(r);
	return ok;
}

void ml_rips_release(struct ml_rips *r)
{
	ml_annotation_release(&r->annotation);
	ml_free(r->triangle);
	ml_free(r->leaves);
	ml_free(r->bars);
	for (size_t i = 0; i < r->class_count; i++)
		ml_free(r->classes[i].roots);
	ml_free(r->classes);
	*r = (struct ml_rips){ 0 };
}
