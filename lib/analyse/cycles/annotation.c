#include "lib/analyse/cycles/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"

enum { MEMO = 1 << 12, NONE = UINT32_MAX };

static uint32_t times(uint32_t x, uint32_t y)
{
	return x * y % ML_PRIME;
}

static uint32_t minus(uint32_t x)
{
	return x ? ML_PRIME - x : 0;
}

static uint32_t inverse(uint32_t x)
{
	uint32_t result = 1, power = x;

	for (uint32_t e = ML_PRIME - 2; e; e >>= 1) {
		if (e & 1)
			result = times(result, power);
		power = times(power, power);
	}
	return result;
}

static uint64_t hash_of(const struct ml_term *terms, size_t count)
{
	uint64_t h = count;

	for (size_t i = 0; i < count; i++) {
		h = (h ^ ((uint64_t)terms[i].class << 32 | terms[i].value)) *
		    0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

static bool equal(const struct ml_annotation_node *n, const struct ml_term *terms,
		  size_t count)
{
	return n->count == count &&
	       (!count || !memcmp(n->terms, terms, count * sizeof(*terms)));
}

static uint32_t *chain_of(struct ml_annotation *a, const struct ml_term *terms,
			  size_t count)
{
	return &a->chains[hash_of(terms, count) & (a->chain_count - 1)];
}

static uint32_t find(struct ml_annotation *a, const struct ml_term *terms, size_t count)
{
	uint32_t at = *chain_of(a, terms, count);

	while (at && !equal(&a->nodes[at - 1], terms, count))
		at = a->nodes[at - 1].next;
	return at ? at - 1 : NONE;
}

static void hang_in(struct ml_annotation *a, uint32_t node)
{
	struct ml_annotation_node *n = &a->nodes[node];
	uint32_t *chain = chain_of(a, n->terms, n->count);

	n->next = *chain;
	*chain = node + 1;
}

static void take_out(struct ml_annotation *a, uint32_t node)
{
	struct ml_annotation_node *n = &a->nodes[node];
	uint32_t *link = chain_of(a, n->terms, n->count);

	while (*link != node + 1)
		link = &a->nodes[*link - 1].next;
	*link = n->next;
}

static void more_chains(struct ml_annotation *a)
{
	size_t count = a->chain_count ? 2 * a->chain_count : 1024;

	a->chains = ml_resize(a->chains, count * sizeof(*a->chains));
	memset(a->chains, 0, count * sizeof(*a->chains));
	a->chain_count = count;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->nodes[i].parent == i)
			hang_in(a, i);
}

static void enter_row(struct ml_annotation *a, uint32_t class, uint32_t node)
{
	struct ml_annotation_row *row = &a->rows[class];

	row->nodes = ml_grow(row->nodes, &row->cap, row->count + 1, sizeof(*row->nodes));
	row->nodes[row->count++] = node;
}

static void set_terms(struct ml_annotation_node *n, const struct ml_term *terms,
		      size_t count)
{
	if (count > n->cap) {
		n->cap = (uint32_t)(count + count / 2);
		n->terms = ml_resize(n->terms, n->cap * sizeof(*terms));
	}
	if (count)
		memcpy(n->terms, terms, count * sizeof(*terms));
	n->count = (uint32_t)count;
}

/* The root with a vector, which is made if there is none. */
static uint32_t node_of(struct ml_annotation *a, const struct ml_term *terms,
			size_t count)
{
	uint32_t node = find(a, terms, count);

	if (node != NONE)
		return node;
	if (a->count >= a->chain_count)
		more_chains(a);
	node = (uint32_t)a->count;
	a->nodes = ml_grow(a->nodes, &a->cap, a->count + 1, sizeof(*a->nodes));
	a->nodes[a->count++] = (struct ml_annotation_node){ .parent = node, .size = 1 };
	set_terms(&a->nodes[node], terms, count);
	hang_in(a, node);
	for (size_t i = 0; i < count; i++)
		enter_row(a, terms[i].class, node);
	return node;
}

void ml_annotation_init(struct ml_annotation *a)
{
	*a = (struct ml_annotation){ 0 };
	more_chains(a);
	a->memo = ml_resize(NULL, MEMO * sizeof(*a->memo));
	memset(a->memo, 0xff, MEMO * sizeof(*a->memo));
	node_of(a, NULL, 0);
}

void ml_annotation_release(struct ml_annotation *a)
{
	for (size_t i = 0; i < a->count; i++)
		ml_free(a->nodes[i].terms);
	for (size_t i = 0; i < a->class_count; i++)
		ml_free(a->rows[i].nodes);
	ml_free(a->nodes);
	ml_free(a->chains);
	ml_free(a->rows);
	ml_free(a->sum);
	ml_free(a->other);
	ml_free(a->memo);
	*a = (struct ml_annotation){ 0 };
}

uint32_t ml_annotation_birth(struct ml_annotation *a)
{
	struct ml_term term = { (uint32_t)a->class_count, 1 };

	a->rows = ml_grow(a->rows, &a->class_cap, a->class_count + 1, sizeof(*a->rows));
	a->rows[a->class_count++] = (struct ml_annotation_row){ 0 };
	return node_of(a, &term, 1);
}

/* out = x * fx + y * fy; out has room for all terms and is neither x nor y. */
static size_t combine(struct ml_term *out, const struct ml_term *x, size_t nx,
		      uint32_t fx, const struct ml_term *y, size_t ny, uint32_t fy)
{
	size_t n = 0, i = 0, j = 0;

	while (i < nx || j < ny) {
		uint32_t class, value;

		if (j == ny || (i < nx && x[i].class < y[j].class)) {
			class = x[i].class;
			value = times(x[i++].value, fx);
		} else if (i == nx || y[j].class < x[i].class) {
			class = y[j].class;
			value = times(y[j++].value, fy);
		} else {
			class = x[i].class;
			value = (times(x[i++].value, fx) + times(y[j++].value, fy)) %
				ML_PRIME;
		}
		if (value)
			out[n++] = (struct ml_term){ class, value };
	}
	return n;
}

static const struct ml_annotation_node *root_of(struct ml_annotation *a, uint32_t *node)
{
	*node = ml_annotation_root(a, *node, NONE);
	return &a->nodes[*node];
}

static uint32_t sign(bool minus_it)
{
	return minus_it ? ML_PRIME - 1 : 1;
}

/* a->sum = +-x +-y; the roots are known. */
static size_t sum_of(struct ml_annotation *a, const struct ml_annotation_node *x,
		     bool minus_x, const struct ml_annotation_node *y, bool minus_y)
{
	a->sum = ml_grow(a->sum, &a->sum_cap, (size_t)x->count + y->count,
			 sizeof(*a->sum));
	return combine(a->sum, x->terms, x->count, sign(minus_x), y->terms, y->count,
		       sign(minus_y));
}

uint32_t ml_annotation_sum(struct ml_annotation *a, uint32_t x, bool minus_x, uint32_t y,
			   bool minus_y)
{
	const struct ml_annotation_node *nx = root_of(a, &x), *ny = root_of(a, &y);

	if (!y && !minus_x)
		return x;
	if (!x && !minus_y)
		return y;
	uint64_t key = ((uint64_t)x << 1 | minus_x) << 32 | ((uint64_t)y << 1 | minus_y);
	struct ml_annotation_memo *memo =
		&a->memo[(key * 0x9e3779b97f4a7c15u) >> 52 & (MEMO - 1)];

	if (memo->key == key && memo->clock == a->clock)
		return memo->node;
	size_t count = sum_of(a, nx, minus_x, ny, minus_y);
	uint32_t node = node_of(a, a->sum, count);
	*memo = (struct ml_annotation_memo){ key, a->clock, node };
	return node;
}

uint32_t ml_annotation_relation(struct ml_annotation *a, uint32_t x, bool minus_x,
				uint32_t y, bool minus_y, uint32_t z)
{
	const struct ml_annotation_node *nx = root_of(a, &x), *ny = root_of(a, &y),
					*nz = root_of(a, &z);
	size_t count = sum_of(a, nx, minus_x, ny, minus_y);

	a->other = ml_grow(a->other, &a->other_cap, count + nz->count + 1,
			   sizeof(*a->other));
	count = combine(a->other, a->sum, count, 1, nz->terms, nz->count, sign(true));
	/* where ml_annotation_kill finds the length */
	a->other[count].class = NONE;
	return count ? a->other[count - 1].class : NONE;
}

static bool has(const struct ml_annotation_node *n, uint32_t class, uint32_t *value)
{
	size_t low = 0, high = n->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (n->terms[middle].class < class)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n->count || n->terms[low].class != class)
		return false;
	*value = n->terms[low].value;
	return true;
}

/* Gives a root, whose chain it has left, the vector a->sum, and enters its new classes.
 */
static void renew(struct ml_annotation *a, uint32_t node, size_t count)
{
	struct ml_annotation_node *n = &a->nodes[node];
	uint32_t same = find(a, a->sum, count);

	if (same == NONE) {
		for (size_t i = 0, j = 0; i < count; i++) {
			while (j < n->count && n->terms[j].class < a->sum[i].class)
				j++;
			if (j == n->count || n->terms[j].class != a->sum[i].class)
				enter_row(a, a->sum[i].class, node);
		}
		set_terms(n, a->sum, count);
		hang_in(a, node);
		return;
	}
	/* two roots become one; the larger stays, and node 0 always. The row entries of
	 * the other one lead to no root and are skipped. */
	struct ml_annotation_node *s = &a->nodes[same];

	if (same && s->size < n->size) {
		take_out(a, same);
		for (size_t i = 0; i < count; i++)
			enter_row(a, a->sum[i].class, node);
		set_terms(n, a->sum, count);
		hang_in(a, node);
		uint32_t other = same;
		same = node;
		node = other;
		s = &a->nodes[same];
		n = &a->nodes[node];
	}
	ml_free(n->terms);
	n->terms = NULL;
	n->count = n->cap = 0;
	n->parent = same;
	n->linked_at = a->clock;
	s->size += n->size;
}

void ml_annotation_kill(struct ml_annotation *a)
{
	size_t length = 0;

	while (a->other[length].class != NONE)
		length++;
	uint32_t class = a->other[length - 1].class;
	uint32_t factor = minus(inverse(a->other[length - 1].value));
	struct ml_annotation_row row = a->rows[class];

	a->rows[class] = (struct ml_annotation_row){ 0 };
	for (size_t i = 0; i < row.count; i++) {
		uint32_t node = row.nodes[i], value;
		struct ml_annotation_node *n = &a->nodes[node];

		if (n->parent != node || !has(n, class, &value))
			continue;
		a->sum = ml_grow(a->sum, &a->sum_cap, n->count + length, sizeof(*a->sum));
		size_t count = combine(a->sum, n->terms, n->count, 1, a->other, length,
				       times(value, factor));
		take_out(a, node);
		renew(a, node, count);
	}
	ml_free(row.nodes);
	a->clock++;
}

static int by_class(const void *x, const void *y)
{
	uint32_t a = ((const struct ml_term *)x)->class,
		 b = ((const struct ml_term *)y)->class;

	return a < b ? -1 : a > b;
}

const struct ml_term *ml_annotation_column(struct ml_annotation *a, uint32_t class,
					   size_t *count)
{
	struct ml_annotation_row *row = &a->rows[class];
	size_t n = 0, kept = 0;

	a->sum = ml_grow(a->sum, &a->sum_cap, row->count + 1, sizeof(*a->sum));
	for (size_t i = 0; i < row->count; i++) {
		uint32_t node = row->nodes[i], value;

		if (a->nodes[node].parent != node || !has(&a->nodes[node], class, &value))
			continue;
		a->sum[n++] = (struct ml_term){ node, value };
	}
	qsort(a->sum, n, sizeof(*a->sum), by_class);
	/* a node may stand in a row twice: it left the class and came back */
	for (size_t i = 0; i < n; i++)
		if (!i || a->sum[i].class != a->sum[i - 1].class)
			a->sum[kept++] = a->sum[i];
	*count = kept;
	return a->sum;
}
