#include "lib/flow/walk.h"

#include <inttypes.h>
#include <string.h>

#include "lib/flow/flow.h"
#include "lib/flow/poly.h"

enum { BATCH = 4096, AFFINE = 8, ALIGNMENT = 64 };

/* The place of an access: affine in loop variables wherever possible. */
struct place {
	bool affine;
	uint32_t terms;
	int64_t constant;
	struct {
		uint32_t symbol;
		int64_t times;
	} term[AFFINE];
	const struct ml_sym *e;
};

struct walker {
	struct ml_flow_walk *w;
	int64_t *value, *min, *max;
	bool *known;
	struct place **place; /* by node and access */
	uint32_t *first;      /* number of the first access, by node */
	struct ml_flow_batch batch;
	uint64_t *addr, *instance;
	uint16_t *what;
	uint32_t *container, *access;
	uint64_t steps; /* iterations, of which empty loops have many */
	struct ml_err *err;
};

static bool no_value(const struct walker *k, const struct ml_sym *e)
{
	const struct ml_flow *f = k->w->flow;

	if (e->op == ML_SYM_SYMBOL && f->symbol[e->symbol].kind <= ML_FLOW_TRIPS &&
	    !k->known[e->symbol])
		return ml_fail(k->err, ML_USAGE, "'%s' needs a value: --set %s=NUMBER",
			       f->names[e->symbol], f->names[e->symbol]);
	return (!e->a || no_value(k, e->a)) && (!e->b || no_value(k, e->b));
}

static const char *where(const struct ml_flow_node *n)
{
	return n->label;
}

static bool evaluate(const struct walker *k, const struct ml_flow_node *n,
		     const struct ml_sym *e, int64_t *v)
{
	if (ml_sym_eval(e, k->value, k->known, v))
		return true;
	return no_value(k, e) &&
	       ml_fail(k->err, ML_FORMAT,
		       "%s, line %" PRIu32 ": the bounds of '%s' have no value at these "
		       "sizes (a division by 0, an overflow, or data)",
		       k->w->flow->path, n->line, where(n));
}

static void extend(struct ml_flow_placed *p, int64_t low, int64_t high)
{
	p->low = low < p->low ? low : p->low;
	p->high = high > p->high ? high : p->high;
}

/* The last element of an access by bounds of its ranges. */
static bool access_bounds(const struct walker *k, const struct ml_flow_access *x,
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
static bool bound(struct walker *k, uint32_t node)
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
				       k->w->flow->path, n->line, where(n));
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
static void declare(struct walker *k, const struct ml_flow_container *c,
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

static void *column(struct ml_flow_walk *w, size_t count, size_t size)
{
	return ml_arena_alloc(&w->arena, (count + 1) * size);
}

static void begin(struct walker *k, struct ml_flow_walk *w, struct ml_err *err)
{
	size_t n = w->flow->symbol_count;

	*k = (struct walker){ .w = w, .err = err };
	k->value = column(w, n, sizeof(*k->value));
	k->min = column(w, n, sizeof(*k->min));
	k->max = column(w, n, sizeof(*k->max));
	k->known = column(w, n, sizeof(*k->known));
	for (size_t i = 0; i < n; i++) {
		if (w->flow->symbol[i].kind > ML_FLOW_TRIPS || !w->known[i]) {
			k->min[i] = 1; /* an empty interval */
			continue;
		}
		k->known[i] = true;
		k->value[i] = k->min[i] = k->max[i] = w->value[i];
	}
}

bool ml_flow_walk_place(struct ml_flow_walk *w, struct ml_err *err)
{
	const struct ml_flow *f = w->flow;
	uint64_t at = (uint64_t)1 << 32;
	struct walker k;

	begin(&k, w, err);
	w->placed = column(w, f->container_count, sizeof(*w->placed));
	for (size_t i = 0; i < f->container_count; i++) {
		w->placed[i].low = INT64_MAX;
		w->placed[i].high = INT64_MIN;
		if (!w->container[i].scalar)
			declare(&k, &w->container[i], &w->placed[i]);
	}
	if (!bound(&k, w->root))
		return false;
	for (size_t i = 0; i < f->container_count; i++) {
		struct ml_flow_placed *p = &w->placed[i];
		const struct ml_flow_container *c = &w->container[i];
		uint64_t align = c->alignment ? c->alignment : ALIGNMENT;
		uint64_t bytes;

		align = align < w->line ? w->line : align;
		if (p->low > p->high)
			continue;
		/* element 0 is aligned even where places before it are accessed */
		int64_t low = p->low > 0 ? 0 : p->low;
		if (__builtin_sub_overflow((uint64_t)p->high, (uint64_t)low, &bytes) ||
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
	return true;
}

/* Splits the place into a constant and multiples of loop variables, if it is affine. */
static void compile(struct walker *k, struct place *p, const struct ml_sym *e)
{
	const struct ml_flow *f = k->w->flow;
	struct ml_arena scratch = { 0 };
	const struct ml_sym **by = ml_arena_alloc(&scratch,
						  (f->symbol_count + 1) * sizeof(*by));

	for (size_t i = 0; i < f->symbol_count; i++)
		if (f->symbol[i].kind != ML_FLOW_LOOP && k->known[i])
			by[i] = ml_sym_const(&scratch, k->value[i]);
	struct ml_poly q = ml_poly_from(&scratch,
					ml_sym_replace(&scratch, e, by, f->symbol_count));
	p->e = e;
	p->affine = !q.bad && q.count <= AFFINE;
	for (size_t i = 0; i < q.count && p->affine; i++) {
		const struct ml_poly_term *t = &q.term[i];

		p->affine = t->den == 1 && t->factors <= 1 &&
			    (!t->factors || t->factor[0].power == 1);
		if (!t->factors) {
			p->constant = t->num;
			continue;
		}
		p->term[p->terms].symbol = t->factor[0].symbol;
		p->term[p->terms++].times = t->num;
	}
	ml_arena_release(&scratch);
}

static bool flush(struct walker *k)
{
	struct ml_flow_walk *w = k->w;

	w->count += k->batch.count;
	if (w->max && w->count > w->max)
		return ml_fail(k->err, ML_USAGE,
			       "there are more than %" PRIu64
			       " accesses at these sizes; choose smaller ones",
			       w->max);
	if (k->batch.count && !w->take(w->arg, &k->batch, k->err))
		return false;
	k->batch.count = 0;
	return ml_work_goes_on(w->work, k->err);
}

static bool emit(struct walker *k, const struct ml_flow_access *x, uint32_t number,
		 int64_t place)
{
	const struct ml_flow_container *c = &k->w->container[x->container];
	size_t i = k->batch.count++;
	uint32_t size = x->size ? x->size : c->element;

	k->addr[i] = k->w->placed[x->container].base + (uint64_t)place * c->element +
		     x->field;
	k->what[i] = (uint16_t)((unsigned)x->write << 14 |
				(size > 0x3fff ? 0x3fff : size));
	k->container[i] = x->container;
	k->access[i] = number;
	k->instance[i] = k->w->instances;
	return k->batch.count < BATCH || flush(k);
}

/* The elements of a range access, the last dimension fastest. */
static bool emit_range(struct walker *k, const struct ml_flow_node *n,
		       const struct ml_flow_access *x, uint32_t number)
{
	const struct ml_flow_container *c = &k->w->container[x->container];
	int64_t from[ML_FLOW_DIMS], to[ML_FLOW_DIMS], step[ML_FLOW_DIMS],
		at[ML_FLOW_DIMS], stride[ML_FLOW_DIMS], offset;
	uint32_t d;

	if (!evaluate(k, n, c->offset, &offset))
		return false;
	for (d = 0; d < x->dims; d++) {
		if (!evaluate(k, n, x->range[d].from, &from[d]) ||
		    !evaluate(k, n, x->range[d].to, &to[d]) ||
		    !evaluate(k, n, x->range[d].step, &step[d]) ||
		    !evaluate(k, n, c->stride[d], &stride[d]))
			return false;
		if (from[d] > to[d] || step[d] < 1)
			return true;
		at[d] = from[d];
	}
	do {
		int64_t place = offset;

		for (d = 0; d < x->dims; d++)
			place = (int64_t)((uint64_t)place +
					  (uint64_t)at[d] * (uint64_t)stride[d]);
		if (!emit(k, x, number, place))
			return false;
		for (d = x->dims; d-- > 0;) {
			if (to[d] - at[d] >= step[d]) {
				at[d] += step[d];
				break;
			}
			at[d] = from[d];
		}
	} while (d != UINT32_MAX);
	return true;
}

static bool run_work(struct walker *k, const struct ml_flow_node *n)
{
	const struct place *p = k->place[n->number];

	for (size_t i = 0; i < n->access_count; i++) {
		const struct ml_flow_access *x = &n->access[i];
		uint32_t number = k->first[n->number] + (uint32_t)i;
		int64_t place;

		if (k->w->container[x->container].scalar)
			continue;
		if (ml_sym_has_unknown(p[i].e)) {
			k->w->placed[x->container].unplaced++;
			continue;
		}
		if (!x->single) {
			if (!emit_range(k, n, x, number))
				return false;
			continue;
		}
		if (p[i].affine) {
			place = p[i].constant;
			for (uint32_t t = 0; t < p[i].terms; t++)
				place += p[i].term[t].times *
					 k->value[p[i].term[t].symbol];
		} else if (!evaluate(k, n, p[i].e, &place))
			return false;
		if (!emit(k, x, number, place))
			return false;
	}
	k->w->instances++;
	return true;
}

static bool run(struct walker *k, uint32_t node);

static bool run_below(struct walker *k, const struct ml_flow_node *n)
{
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = k->w->flow->node[c].next)
		if (!run(k, c))
			return false;
	return true;
}

static bool run(struct walker *k, uint32_t node)
{
	const struct ml_flow_node *n = &k->w->flow->node[node];
	int64_t from, to, v;

	switch (n->kind) {
	case ML_FLOW_WORK: return run_work(k, n);
	case ML_FLOW_IF:
		if (!ml_sym_eval(n->condition, k->value, k->known, &v)) {
			if (!ml_sym_has_unknown(n->condition))
				return evaluate(k, n, n->condition, &v);
			k->w->uncertain++;
			v = 1;
		}
		return !v || run_below(k, n);
	case ML_FLOW_SCOPE: return run_below(k, n);
	case ML_FLOW_FOR: break;
	}
	if (!evaluate(k, n, n->from, &from) || !evaluate(k, n, n->to, &to))
		return false;
	k->known[n->symbol] = true;
	for (v = from; n->step > 0 ? v <= to : v >= to;) {
		k->value[n->symbol] = v;
		if (!run_below(k, n))
			return false;
		if (k->w->max && k->steps++ / 4 > k->w->max)
			return ml_fail(k->err, ML_USAGE,
				       "there are more than %" PRIu64
				       " iterations at these sizes; choose smaller ones",
				       k->w->max * 4);
		/* empty bodies must end too, when the user asks */
		if ((v & 0xffff) == 0 && !ml_work_goes_on(k->w->work, k->err))
			return false;
		if (__builtin_add_overflow(v, n->step, &v))
			break;
	}
	return true;
}

bool ml_flow_walk_run(struct ml_flow_walk *w, struct ml_err *err)
{
	const struct ml_flow *f = w->flow;
	struct walker k;
	uint32_t accesses = 0;

	begin(&k, w, err);
	w->count = w->instances = w->uncertain = 0;
	k.place = column(w, f->node_count, sizeof(*k.place));
	k.first = column(w, f->node_count, sizeof(*k.first));
	for (size_t i = 0; i < f->node_count; i++) {
		const struct ml_flow_node *n = &f->node[i];

		k.first[i] = accesses;
		accesses += (uint32_t)n->access_count;
		k.place[i] = column(w, n->access_count, sizeof(struct place));
		for (size_t j = 0; j < n->access_count; j++)
			compile(&k, &k.place[i][j],
				ml_flow_place(&w->arena,
					      &w->container[n->access[j].container],
					      &n->access[j]));
	}
	k.addr = column(w, BATCH, sizeof(*k.addr));
	k.instance = column(w, BATCH, sizeof(*k.instance));
	k.what = column(w, BATCH, sizeof(*k.what));
	k.container = column(w, BATCH, sizeof(*k.container));
	k.access = column(w, BATCH, sizeof(*k.access));
	k.batch = (struct ml_flow_batch){ .addr = k.addr,
					  .instance = k.instance,
					  .what = k.what,
					  .container = k.container,
					  .access = k.access };
	return run(&k, w->root) && flush(&k);
}

void ml_flow_walk_release(struct ml_flow_walk *w)
{
	ml_arena_release(&w->arena);
}
