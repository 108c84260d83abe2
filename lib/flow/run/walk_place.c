#include "lib/flow/run/walk.h"

#include <inttypes.h>

#include "lib/flow/run/walk_parts.h"

enum { ALIGNMENT = 64 };

static bool no_value(const struct ml_walk_values *k, const struct ml_sym *e)
{
	const struct ml_flow *f = k->w->flow;

	if (e->op == ML_SYM_SYMBOL && f->symbol[e->symbol].kind <= ML_FLOW_TRIPS &&
	    !k->known[e->symbol])
		return ml_fail(k->err, ML_USAGE, "'%s' needs a value: --set %s=NUMBER",
			       f->names[e->symbol], f->names[e->symbol]);
	return (!e->a || no_value(k, e->a)) && (!e->b || no_value(k, e->b));
}

bool ml_walk_evaluate(const struct ml_walk_values *k, const struct ml_flow_node *n,
		      const struct ml_sym *e, int64_t *v)
{
	if (ml_sym_eval(e, k->value, k->known, v))
		return true;
	return no_value(k, e) &&
	       ml_fail(k->err, ML_FORMAT,
		       "%s, line %" PRIu32 ": the bounds of '%s' have no value at these "
		       "sizes (a division by 0, an overflow, or data)",
		       k->w->flow->path, n->line, n->label);
}

static void extend(struct ml_flow_placed *p, int64_t low, int64_t high)
{
	p->low = low < p->low ? low : p->low;
	p->high = high > p->high ? high : p->high;
}

/* The last element of an access by bounds of its ranges. */
static bool access_bounds(const struct ml_walk_values *k, const struct ml_flow_access *x,
			  int64_t *low, int64_t *high)
{
	const struct ml_flow_container *c = &k->w->container[x->container];
	struct ml_arena *a = &k->w->arena;
	struct ml_flow_access end = *x;
	int64_t unused;

	for (uint32_t d = 0; d < x->dims; d++)
		end.range[d].from = x->range[d].to;
	const struct ml_sym *first = ml_flow_place(a, c, x),
			    *last = ml_flow_place(a, c, &end);
	return ml_sym_bounds(first, k->min, k->max, low, &unused) &&
	       ml_sym_bounds(last, k->min, k->max, &unused, high);
}

/* Bounds of loop variables, and of the elements accessed, below a node. */
static bool bound(struct ml_walk_values *k, uint32_t node)
{
	const struct ml_flow_node *n = &k->w->flow->node[node];

	if (n->kind == ML_FLOW_FOR) {
		const struct ml_sym *low = n->step > 0 ? n->from : n->to,
				    *high = n->step > 0 ? n->to : n->from;
		int64_t unused;

		if (!no_value(k, low) || !no_value(k, high))
			return false;
		if (!ml_sym_bounds(low, k->min, k->max, &k->min[n->symbol], &unused) ||
		    !ml_sym_bounds(high, k->min, k->max, &unused, &k->max[n->symbol]))
			return ml_fail(k->err, ML_FORMAT,
				       "%s, line %" PRIu32
				       ": the bounds of loop '%s' cannot be computed",
				       k->w->flow->path, n->line, n->label);
		if (k->min[n->symbol] > k->max[n->symbol])
			return true; /* it never runs */
		k->known[n->symbol] = true;
	}
	if (n->kind == ML_FLOW_IF && !ml_sym_has_unknown(n->condition) &&
	    !no_value(k, n->condition))
		return false;
	for (size_t i = 0; n->kind == ML_FLOW_WORK && i < n->access_count; i++) {
		const struct ml_flow_access *x = &n->access[i];
		int64_t low, high;

		if (k->w->container[x->container].scalar)
			continue;
		const struct ml_sym *e = ml_flow_place(&k->w->arena,
						       &k->w->container[x->container], x);
		if (!ml_sym_has_unknown(e) && !no_value(k, e))
			return false;
		if (access_bounds(k, x, &low, &high))
			extend(&k->w->placed[x->container], low < high ? low : high,
			       low < high ? high : low);
	}
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = k->w->flow->node[c].next)
		if (!bound(k, c))
			return false;
	return true;
}

/* The storage that the shape declares. */
static void declare(struct ml_walk_values *k, const struct ml_flow_container *c,
		    struct ml_flow_placed *p)
{
	int64_t offset, n, stride, low, high;

	if (!ml_sym_eval(c->offset, k->value, k->known, &offset))
		return;
	low = high = offset;
	for (uint32_t d = 0; d < c->dims; d++) {
		if (!c->shape[d] || !c->stride[d] ||
		    !ml_sym_eval(c->shape[d], k->value, k->known, &n) ||
		    !ml_sym_eval(c->stride[d], k->value, k->known, &stride) || n < 1 ||
		    __builtin_mul_overflow(n - 1, stride, &n) ||
		    __builtin_add_overflow(n < 0 ? low : high, n, n < 0 ? &low : &high))
			return;
	}
	extend(p, low, high);
}

void *ml_walk_column(struct ml_flow_walk *w, size_t count, size_t size)
{
	return ml_arena_alloc(&w->arena, (count + 1) * size);
}

void ml_walk_begin(struct ml_walk_values *k, struct ml_flow_walk *w, struct ml_err *err)
{
	size_t n = w->flow->symbol_count;

	*k = (struct ml_walk_values){ .w = w, .err = err };
	k->value = ml_walk_column(w, n, sizeof(*k->value));
	k->min = ml_walk_column(w, n, sizeof(*k->min));
	k->max = ml_walk_column(w, n, sizeof(*k->max));
	k->known = ml_walk_column(w, n, sizeof(*k->known));
	for (size_t i = 0; i < n; i++) {
		if (w->flow->symbol[i].kind > ML_FLOW_TRIPS || !w->known[i]) {
			k->min[i] = 1; /* an empty interval */
			continue;
		}
		k->known[i] = true;
		k->value[i] = k->min[i] = k->max[i] = w->value[i];
	}
}

/* The container whose storage a view shares, and where in it; the container itself if it
 * is none, or if its place depends on data. */
static size_t storage(const struct ml_walk_values *k, size_t container, int64_t *at)
{
	const struct ml_flow_container *c = k->w->container;
	int64_t more;

	*at = 0;
	for (int depth = 0; c[container].view_of && depth < 8; depth++) {
		if (!ml_sym_eval(c[container].view_at, k->value, k->known, &more) ||
		    __builtin_add_overflow(*at, more, at))
			break;
		container = c[container].view_of - 1;
	}
	return container;
}

static int64_t floor_div(int64_t x, int64_t y)
{
	return x / y - (x % y < 0);
}

/* The storage has what its views access. */
static void extend_by_views(const struct ml_walk_values *k)
{
	struct ml_flow_walk *w = k->w;

	for (size_t i = 0; i < w->flow->container_count; i++) {
		const struct ml_flow_placed *p = &w->placed[i];
		int64_t at, low, high, element = w->container[i].element;
		size_t of = storage(k, i, &at);

		if (of == i || p->low > p->high ||
		    __builtin_mul_overflow(p->low, element, &low) ||
		    __builtin_add_overflow(low, at, &low) ||
		    __builtin_mul_overflow(p->high, element, &high) ||
		    __builtin_add_overflow(high, at + element - 1, &high))
			continue;
		extend(&w->placed[of], floor_div(low, w->container[of].element),
		       floor_div(high, w->container[of].element));
	}
}

static void place_views(const struct ml_walk_values *k)
{
	for (size_t i = 0; i < k->w->flow->container_count; i++) {
		int64_t at;
		size_t of = storage(k, i, &at);

		if (of != i)
			k->w->placed[i].base = k->w->placed[of].base + (uint64_t)at;
	}
}

bool ml_flow_walk_place(struct ml_flow_walk *w, struct ml_err *err)
{
	const struct ml_flow *f = w->flow;
	uint64_t at = (uint64_t)1 << 32;
	struct ml_walk_values k;

	ml_walk_begin(&k, w, err);
	w->placed = ml_walk_column(w, f->container_count, sizeof(*w->placed));
	for (size_t i = 0; i < f->container_count; i++) {
		w->placed[i].low = INT64_MAX;
		w->placed[i].high = INT64_MIN;
		if (!w->container[i].scalar)
			declare(&k, &w->container[i], &w->placed[i]);
	}
	if (!bound(&k, w->root))
		return false;
	extend_by_views(&k);
	for (size_t i = 0; i < f->container_count; i++) {
		struct ml_flow_placed *p = &w->placed[i];
		const struct ml_flow_container *c = &w->container[i];
		uint64_t align = c->alignment ? c->alignment : ALIGNMENT;
		uint64_t bytes;

		align = align < w->line ? w->line : align;
		int64_t unused;
		if (p->low > p->high || storage(&k, i, &unused) != i)
			continue;
		/* element 0 is aligned even where places before it are accessed */
		int64_t low = p->low > 0 ? 0 : p->low;
		bytes = (uint64_t)p->high - (uint64_t)low; /* may be above 2^63 */
		if (bytes == UINT64_MAX ||
		    __builtin_mul_overflow(bytes + 1, (uint64_t)c->element, &bytes) ||
		    bytes > (uint64_t)1 << 56)
			return ml_fail(err, ML_USAGE,
				       "container '%s' would have 2^56 bytes or more",
				       c->name);
		uint64_t before = (uint64_t)-low * c->element;
		p->base = (at + before + align - 1) / align * align;
		at = p->base - before + bytes;
		at = (at + w->line - 1) / w->line * w->line;
	}
	place_views(&k);
	return true;
}

void ml_flow_walk_place_as(struct ml_flow_walk *w, const struct ml_flow_walk *other)
{
	size_t n = w->flow->container_count;

	w->placed = ml_walk_column(w, n, sizeof(*w->placed));
	for (size_t i = 0; i < n; i++) {
		w->placed[i] = other->placed[i];
		w->placed[i].unplaced = 0;
	}
}
