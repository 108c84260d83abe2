#include "lib/analyse/cycles/rips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/cycles/edges.h"
#include "lib/base/arena.h"
#include "lib/base/work.h"

enum { NONE = UINT32_MAX, TRIANGLE_SMALL = 3000 };

/* What one run needs besides its result. */
struct walk {
	struct ml_rips *r;
	uint32_t *parent;      /* of each point: connected parts of the graph */
	uint32_t *birth_level; /* of each class */
	size_t birth_cap;
	uint64_t *todo, *front; /* rows */
	uint32_t apex;          /* the common neighbour that covered last */
	uint32_t level;
};

static bool has_triangle(const struct ml_edges *e)
{
	return e->points <= TRIANGLE_SMALL ||
	       e->count > (uint64_t)e->points * e->points / 8;
}

uint64_t ml_rips_bytes(const struct ml_edges *e)
{
	uint64_t n = e->points, rows = 2 * n * ((n + 63) / 64) * sizeof(uint64_t);

	return rows + (has_triangle(e) ? n * n / 2 * sizeof(uint32_t)
				       : e->count * sizeof(struct ml_leaf_cell));
}

static size_t pair_index(uint32_t larger, uint32_t smaller)
{
	return (size_t)larger * (larger - 1) / 2 + smaller;
}

static struct ml_leaf_cell *leaf_cell(const struct ml_rips *r, uint64_t pair)
{
	size_t at = (size_t)((pair * 0x9e3779b97f4a7c15u) >> 20) & (r->leaf_cap - 1);

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
	if (!(r->nonzero[larger * r->words + smaller / 64] >> (smaller & 63) & 1))
		return 0;
	if (r->triangle)
		return r->triangle[pair_index(larger, smaller)];
	return leaf_cell(r, (uint64_t)larger << 32 | smaller)->node;
}

static void set_bit(uint64_t *rows, size_t words, uint32_t x, uint32_t y)
{
	rows[x * words + y / 64] |= (uint64_t)1 << (y & 63);
	rows[y * words + x / 64] |= (uint64_t)1 << (x & 63);
}

static void set_leaf(struct ml_rips *r, uint32_t larger, uint32_t smaller, uint32_t node)
{
	set_bit(r->rows, r->words, larger, smaller);
	if (!node)
		return;
	set_bit(r->nonzero, r->words, larger, smaller);
	if (r->triangle) {
		r->triangle[pair_index(larger, smaller)] = node;
		return;
	}
	if (2 * r->leaf_count >= r->leaf_cap)
		more_leaves(r);
	*leaf_cell(r, (uint64_t)larger << 32 | smaller) =
		(struct ml_leaf_cell){ (uint64_t)larger << 32 | smaller, node };
	r->leaf_count++;
}

static uint32_t leaf(const struct ml_rips *r, uint32_t x, uint32_t y)
{
	return x > y ? ml_rips_leaf(r, x, y) : ml_rips_leaf(r, y, x);
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

static void end_class(struct walk *w, uint32_t class, uint32_t level)
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

/* a(smaller -> larger) is a(smaller -> x) + a(x -> larger): two nodes with their signs.
 */
struct detour {
	uint32_t first, second;
	bool minus_first, minus_second;
};

static struct detour detour_over(const struct ml_rips *r, uint32_t larger,
				 uint32_t smaller, uint32_t x)
{
	return (struct detour){ leaf(r, smaller, x), leaf(r, x, larger), x < smaller,
				larger < x };
}

/*
 * Moves the points that hang together with x out of w->todo. A point that all others are
 * joined to, which is usual, is found by the first step; w->todo is then empty.
 */
static bool remove_component(struct walk *w, uint32_t x, size_t low, size_t high)
{
	const struct ml_rips *r = w->r;
	uint64_t *todo = w->todo, *front = w->front, left = 0;
	const uint64_t *row = r->rows + x * r->words;

	todo[x / 64] &= ~((uint64_t)1 << (x & 63));
	for (size_t i = low; i < high; i++) {
		front[i] = todo[i] & row[i];
		todo[i] &= ~row[i];
		left |= todo[i];
	}
	for (size_t i = low; i < high && left;) {
		if (!front[i]) {
			i++;
			continue;
		}
		uint32_t y = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(front[i]);
		uint64_t found = 0;
		size_t first = i;

		front[i] &= front[i] - 1;
		row = r->rows + y * r->words;
		left = 0;
		for (size_t k = low; k < high; k++) {
			uint64_t reached = todo[k] & row[k];

			todo[k] &= ~reached;
			front[k] |= reached;
			left |= todo[k];
			if (reached && !found) {
				found = 1;
				first = k < first ? k : first;
			}
		}
		i = first;
	}
	return left != 0;
}

static uint32_t first_point(const uint64_t *row, size_t low, size_t high)
{
	for (size_t i = low; i < high; i++)
		if (row[i])
			return (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(row[i]);
	return NONE;
}

/* A common neighbour over which the detour is zero for certain, else any. */
static uint32_t cheap_point(const struct walk *w, uint32_t u, uint32_t v, size_t low,
			    size_t high)
{
	const uint64_t *nu = w->r->nonzero + u * w->r->words,
		       *nv = w->r->nonzero + v * w->r->words;

	for (size_t i = low; i < high; i++) {
		uint64_t zero = w->todo[i] & ~nu[i] & ~nv[i];

		if (zero)
			return (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(zero);
	}
	return first_point(w->todo, low, high);
}

static void insert(struct walk *w, uint32_t u, uint32_t v)
{
	struct ml_rips *r = w->r;
	const uint64_t *ru = r->rows + u * r->words, *rv = r->rows + v * r->words;
	size_t low = r->words, high = 0;
	uint64_t any = 0;

	for (size_t i = 0; i < r->words; i++) {
		w->todo[i] = ru[i] & rv[i];
		any |= w->todo[i];
	}
	if (!any) {
		uint32_t a = part_of(w->parent, u), b = part_of(w->parent, v), node = 0;

		if (a != b) {
			w->parent[a] = b;
			r->components--;
		} else {
			size_t class = r->annotation.class_count;

			node = ml_annotation_birth(&r->annotation);
			w->birth_level = ml_grow(w->birth_level, &w->birth_cap, class + 1,
						 sizeof(*w->birth_level));
			w->birth_level[class] = w->level;
		}
		set_leaf(r, u, v, node);
		return;
	}
	for (low = 0; !w->todo[low];)
		low++;
	for (high = r->words; !w->todo[high - 1];)
		high--;

	uint32_t x = cheap_point(w, u, v, low, high);
	struct detour d = detour_over(r, u, v, x);
	uint32_t node = 0;

	if (d.first | d.second)
		node = ml_annotation_sum(&r->annotation, d.first, d.minus_first, d.second,
					 d.minus_second);
	uint32_t start = w->apex;

	if (start / 64 < low || start / 64 >= high ||
	    !(w->todo[start / 64] >> (start & 63) & 1))
		start = x;
	bool more = remove_component(w, start, low, high);

	w->apex = start;
	set_leaf(r, u, v, node);
	if (!more)
		return;
	/* the component of x may not be the one that was removed: then its relation is
	 * zero, which costs nothing but time */
	if (start != x) {
		d = detour_over(r, u, v, start);
		uint32_t class = ml_annotation_relation(&r->annotation, d.first,
							d.minus_first, d.second,
							d.minus_second, node);
		if (class != NONE) {
			end_class(w, class, w->level);
			ml_annotation_kill(&r->annotation);
		}
	}
	while (more) {
		x = cheap_point(w, u, v, low, high);
		more = remove_component(w, x, low, high);
		d = detour_over(r, u, v, x);
		uint32_t class = ml_annotation_relation(&r->annotation, d.first,
							d.minus_first, d.second,
							d.minus_second, node);
		if (class == NONE)
			continue;
		end_class(w, class, w->level);
		ml_annotation_kill(&r->annotation);
	}
}

static bool insert_all(struct walk *w, const struct ml_work *work, struct ml_err *err)
{
	const struct ml_edges *e = w->r->edges;
	uint64_t done = 0;

	for (w->level = 0; w->level < e->levels; w->level++)
		for (uint32_t block = 0; block < e->blocks; block++) {
			const struct ml_edge_list *l = ml_edges_list(e, block, w->level);

			for (size_t i = 0; i < l->run_count; i++) {
				const struct ml_edge_run *run = &l->runs[i];

				for (uint32_t k = 0; k < run->count; k++)
					insert(w, run->point, l->ends[run->first + k]);
				done += run->count;
				if (i % 64 == 0) {
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
	*r = (struct ml_rips){ .edges = e,
			       .max_classes = max_classes,
			       .words = ((size_t)e->points + 63) / 64,
			       .components = e->points };
	size_t row = r->words * sizeof(uint64_t), rows = e->points * row;
	struct walk w = { .r = r, .apex = 0 };
	struct ml_arena arena = { 0 };

	ml_annotation_init(&r->annotation);
	r->rows = ml_resize(NULL, rows + 8);
	r->nonzero = ml_resize(NULL, rows + 8);
	memset(r->rows, 0, rows);
	memset(r->nonzero, 0, rows);
	if (has_triangle(e))
		r->triangle = ml_resize(
			NULL, pair_index(e->points + 1, 0) * sizeof(*r->triangle) + 8);
	else
		more_leaves(r);
	w.todo = ml_arena_alloc(&arena, row + 8);
	w.front = ml_arena_alloc(&arena, row + 8);
	w.parent = ml_arena_alloc(&arena, (e->points + 1) * sizeof(*w.parent));
	for (uint32_t i = 0; i < e->points; i++)
		w.parent[i] = i;
	bool ok = insert_all(&w, work, err);

	/* the youngest first, so that ties are broken as among those that died */
	for (size_t i = r->annotation.class_count; ok && i-- > 0;) {
		size_t count;

		ml_annotation_column(&r->annotation, (uint32_t)i, &count);
		if (count)
			end_class(&w, (uint32_t)i, e->levels);
	}
	keep_longest(r);
	count_bars(r);
	ml_free(w.birth_level);
	ml_arena_release(&arena);
	if (!ok)
		ml_rips_release(r);
	return ok;
}

void ml_rips_release(struct ml_rips *r)
{
	ml_annotation_release(&r->annotation);
	ml_free(r->rows);
	ml_free(r->nonzero);
	ml_free(r->triangle);
	ml_free(r->leaves);
	ml_free(r->bars);
	for (size_t i = 0; i < r->class_count; i++)
		ml_free(r->classes[i].roots);
	ml_free(r->classes);
	*r = (struct ml_rips){ 0 };
}
