#include "lib/flow/run/walk.h"

#include <inttypes.h>
#include <string.h>

#include "lib/flow/poly.h"
#include "lib/flow/run/walk_parts.h"

enum { BATCH = 4096, AFFINE = 8 };

/* The place of an access: affine in loop variables wherever possible. */
struct place {
	bool affine, unknown;
	uint32_t terms;
	int64_t constant;
	struct {
		uint32_t symbol;
		int64_t times;
	} term[AFFINE];
	const struct ml_sym *e;
};

/* An innermost loop with nothing but affine accesses below: its iterations are copies of
 * each other with other addresses. */
struct body {
	size_t count, works, unplaced_count;
	const struct place **place;
	const struct ml_flow_access **access;
	uint64_t *at, *delta; /* address now, and its change in an iteration */
	uint16_t *what;       /* as in a batch, and the next two */
	uint32_t *container, *number, *work;
	uint32_t *unplaced; /* containers */
};

struct walker {
	struct ml_walk_values v;
	struct place **place; /* by node and access */
	struct body **body;   /* by node; NULL: no such loop */
	uint32_t *first;      /* number of the first access, by node */
	struct ml_flow_batch batch;
	uint64_t *addr, *instance;
	uint16_t *what;
	uint32_t *container, *access, *times;
	uint64_t pending; /* accesses that the batch stands for */
	uint64_t steps;   /* iterations, of which empty loops have many */
	struct ml_err *err;
};

/* Splits the place into a constant and multiples of loop variables, if it is affine. */
static void compile(struct walker *k, struct place *p, const struct ml_sym *e)
{
	const struct ml_flow *f = k->v.w->flow;
	struct ml_arena scratch = { 0 };
	const struct ml_sym **by = ml_arena_alloc(&scratch,
						  (f->symbol_count + 1) * sizeof(*by));

	for (size_t i = 0; i < f->symbol_count; i++)
		if (f->symbol[i].kind != ML_FLOW_LOOP && k->v.known[i])
			by[i] = ml_sym_const(&scratch, k->v.value[i]);
	struct ml_poly q = ml_poly_from(&scratch,
					ml_sym_replace(&scratch, e, by, f->symbol_count));
	p->e = e;
	p->unknown = ml_sym_has_unknown(e);
	p->affine = !p->unknown && !q.bad && q.count <= AFFINE;
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
	struct ml_flow_walk *w = k->v.w;

	w->count += k->pending;
	k->pending = 0;
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

static uint16_t what_of(const struct ml_flow_walk *w, const struct ml_flow_access *x)
{
	uint32_t size = x->size ? x->size : w->container[x->container].element;

	return (uint16_t)((unsigned)x->write << 14 | (size > 0x3fff ? 0x3fff : size));
}

static uint64_t address(const struct ml_flow_walk *w, const struct ml_flow_access *x,
			int64_t place)
{
	return w->placed[x->container].base +
	       (uint64_t)place * w->container[x->container].element + x->field;
}

static bool emit(struct walker *k, const struct ml_flow_access *x, uint32_t number,
		 int64_t place)
{
	size_t i = k->batch.count++;

	k->addr[i] = address(k->v.w, x, place);
	k->what[i] = what_of(k->v.w, x);
	k->container[i] = x->container;
	k->access[i] = number;
	k->instance[i] = k->v.w->instances;
	k->times[i] = 1;
	k->pending++;
	return k->batch.count < BATCH || flush(k);
}

/* The elements of a range access, the last dimension fastest. */
static bool emit_range(struct walker *k, const struct ml_flow_node *n,
		       const struct ml_flow_access *x, uint32_t number)
{
	const struct ml_flow_container *c = &k->v.w->container[x->container];
	int64_t from[ML_FLOW_DIMS], to[ML_FLOW_DIMS], step[ML_FLOW_DIMS],
		at[ML_FLOW_DIMS], stride[ML_FLOW_DIMS], offset;
	uint32_t d;

	if (!ml_walk_evaluate(&k->v, n, c->offset, &offset))
		return false;
	for (d = 0; d < x->dims; d++) {
		if (!ml_walk_evaluate(&k->v, n, x->range[d].from, &from[d]) ||
		    !ml_walk_evaluate(&k->v, n, x->range[d].to, &to[d]) ||
		    !ml_walk_evaluate(&k->v, n, x->range[d].step, &step[d]) ||
		    !ml_walk_evaluate(&k->v, n, c->stride[d], &stride[d]))
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

static int64_t affine_place(const struct walker *k, const struct place *p)
{
	int64_t place = p->constant;

	for (uint32_t t = 0; t < p->terms; t++)
		place += p->term[t].times * k->v.value[p->term[t].symbol];
	return place;
}

static bool run_work(struct walker *k, const struct ml_flow_node *n)
{
	const struct place *p = k->place[n->number];
	struct ml_flow_walk *w = k->v.w;

	for (size_t i = 0; i < n->access_count; i++) {
		const struct ml_flow_access *x = &n->access[i];
		uint32_t number = k->first[n->number] + (uint32_t)i;
		int64_t place;

		if (w->container[x->container].scalar)
			continue;
		if (p[i].unknown) {
			w->placed[x->container].unplaced++;
			continue;
		}
		if (!x->single) {
			if (!emit_range(k, n, x, number))
				return false;
			continue;
		}
		if (p[i].affine)
			place = affine_place(k, &p[i]);
		else if (!ml_walk_evaluate(&k->v, n, p[i].e, &place))
			return false;
		if (!emit(k, x, number, place))
			return false;
	}
	w->instances++;
	return true;
}

/* Iterations, this one included, that touch the lines that this one does. */
static uint64_t alike(const struct body *b, uint64_t line, uint64_t max)
{
	for (size_t i = 0; i < b->count && max > 1; i++) {
		uint64_t size = b->what[i] & 0x3fff, delta = b->delta[i], n;
		uint64_t first = b->at[i] % line, last;

		if (!delta)
			continue;
		last = (b->at[i] + (size ? size : 1) - 1) % line;
		if ((int64_t)delta > 0) {
			uint64_t far = first > last ? first : last;

			n = delta >= line ? 1
					  : ((uint32_t)(line - far) + (uint32_t)delta -
					     1) / (uint32_t)delta;
		} else {
			uint64_t near = first < last ? first : last;

			delta = -delta;
			n = delta >= line ? 1 : (uint32_t)near / (uint32_t)delta + 1;
		}
		max = n < max ? n : max;
	}
	return max;
}

/* One iteration of a body, which stands for `times`. */
static bool emit_body(struct walker *k, const struct body *b, uint64_t ahead,
		      uint64_t times)
{
	if (k->batch.count + b->count > BATCH && !flush(k))
		return false;
	size_t at = k->batch.count;
	for (size_t i = 0; i < b->count; i++) {
		k->addr[at + i] = b->at[i] + b->delta[i] * ahead;
		k->instance[at + i] = k->v.w->instances + b->work[i];
		k->times[at + i] = (uint32_t)times;
	}
	memcpy(k->what + at, b->what, b->count * sizeof(*b->what));
	memcpy(k->container + at, b->container, b->count * sizeof(*b->container));
	memcpy(k->access + at, b->number, b->count * sizeof(*b->number));
	k->batch.count += b->count;
	k->pending += b->count * times;
	k->v.w->instances += b->works * times;
	return true;
}

static bool run_body(struct walker *k, struct body *b, uint64_t trips)
{
	struct ml_flow_walk *w = k->v.w;

	for (size_t i = 0; i < b->unplaced_count; i++)
		w->placed[b->unplaced[i]].unplaced += trips;
	if (!b->count) {
		w->instances += b->works * trips;
		return true;
	}
	for (size_t i = 0; i < b->count; i++)
		b->at[i] = address(w, b->access[i], affine_place(k, b->place[i]));
	while (trips) {
		uint64_t group = trips > UINT32_MAX ? UINT32_MAX : trips;
		uint64_t shown;

		group = w->group ? alike(b, w->group, group) : 1;
		shown = group < w->warm ? group : w->warm;
		for (uint64_t t = 0; t < shown; t++)
			if (!emit_body(k, b, t, t + 1 < shown ? 1 : group - t))
				return false;
		for (size_t i = 0; i < b->count; i++)
			b->at[i] += b->delta[i] * group;
		trips -= group;
	}
	return true;
}

static bool run(struct walker *k, uint32_t node);

static bool run_below(struct walker *k, const struct ml_flow_node *n)
{
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = k->v.w->flow->node[c].next)
		if (!run(k, c))
			return false;
	return true;
}

static bool count_steps(struct walker *k, uint64_t steps)
{
	const struct ml_flow_walk *w = k->v.w;

	k->steps += steps;
	if (w->max && k->steps / 4 > w->max)
		return ml_fail(k->err, ML_USAGE,
			       "there are more than %" PRIu64
			       " iterations at these sizes; choose smaller ones",
			       w->max * 4);
	return true;
}

static bool run_loop(struct walker *k, const struct ml_flow_node *n)
{
	int64_t from, to, v;

	if (!ml_walk_evaluate(&k->v, n, n->from, &from) ||
	    !ml_walk_evaluate(&k->v, n, n->to, &to))
		return false;
	k->v.known[n->symbol] = true;
	k->v.value[n->symbol] = from;
	if (k->body[n->number]) {
		uint64_t step = n->step > 0 ? (uint64_t)n->step : -(uint64_t)n->step;
		uint64_t span = n->step > 0 ? (uint64_t)to - (uint64_t)from
					    : (uint64_t)from - (uint64_t)to;

		if (n->step > 0 ? from > to : from < to)
			return true;
		return count_steps(k, span / step + 1) &&
		       run_body(k, k->body[n->number], span / step + 1);
	}
	for (v = from; n->step > 0 ? v <= to : v >= to;) {
		k->v.value[n->symbol] = v;
		if (!run_below(k, n) || !count_steps(k, 1))
			return false;
		/* empty bodies must end too, when the user asks */
		if ((v & 0xffff) == 0 && !ml_work_goes_on(k->v.w->work, k->err))
			return false;
		if (__builtin_add_overflow(v, n->step, &v))
			break;
	}
	return true;
}

static bool run(struct walker *k, uint32_t node)
{
	const struct ml_flow_node *n = &k->v.w->flow->node[node];
	int64_t v;

	switch (n->kind) {
	case ML_FLOW_WORK: return run_work(k, n);
	case ML_FLOW_FOR: return run_loop(k, n);
	case ML_FLOW_SCOPE: return run_below(k, n);
	case ML_FLOW_IF: break;
	}
	if (!ml_sym_eval(n->condition, k->v.value, k->v.known, &v)) {
		if (!ml_sym_has_unknown(n->condition))
			return ml_walk_evaluate(&k->v, n, n->condition, &v);
		k->v.w->uncertain++;
		v = 1;
	}
	return !v || run_below(k, n);
}

/* Counts what a body would have; false: it is none. */
static bool measure_body(const struct walker *k, const struct ml_flow_node *n,
			 struct body *b)
{
	const struct ml_flow_walk *w = k->v.w;

	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = w->flow->node[c].next) {
		const struct ml_flow_node *m = &w->flow->node[c];

		if (m->kind == ML_FLOW_SCOPE && measure_body(k, m, b))
			continue;
		if (m->kind != ML_FLOW_WORK)
			return false;
		b->works++;
		for (size_t i = 0; i < m->access_count; i++) {
			const struct place *p = &k->place[c][i];

			if (w->container[m->access[i].container].scalar)
				continue;
			if (!p->unknown && (!m->access[i].single || !p->affine))
				return false;
			b->unplaced_count += p->unknown;
			b->count += !p->unknown;
		}
	}
	return b->count <= BATCH;
}

static void fill_body(const struct walker *k, const struct ml_flow_node *n,
		      struct body *b, const struct ml_flow_node *loop)
{
	const struct ml_flow_walk *w = k->v.w;

	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = w->flow->node[c].next) {
		const struct ml_flow_node *m = &w->flow->node[c];

		if (m->kind == ML_FLOW_SCOPE) {
			fill_body(k, m, b, loop);
			continue;
		}
		for (size_t i = 0; i < m->access_count; i++) {
			const struct ml_flow_access *x = &m->access[i];
			const struct place *p = &k->place[c][i];
			size_t at = b->count;

			if (w->container[x->container].scalar)
				continue;
			if (p->unknown) {
				b->unplaced[b->unplaced_count++] = x->container;
				continue;
			}
			b->place[at] = p;
			b->access[at] = x;
			b->what[at] = what_of(w, x);
			b->container[at] = x->container;
			b->number[at] = k->first[c] + (uint32_t)i;
			b->work[at] = (uint32_t)b->works;
			for (uint32_t t = 0; t < p->terms; t++)
				if (p->term[t].symbol == loop->symbol)
					b->delta[at] = (uint64_t)p->term[t].times *
						       (uint64_t)loop->step *
						       w->container[x->container].element;
			b->count++;
		}
		b->works++;
	}
}

static struct body *make_body(const struct walker *k, const struct ml_flow_node *n)
{
	struct ml_flow_walk *w = k->v.w;
	struct body size = { 0 };

	if (n->kind != ML_FLOW_FOR || !measure_body(k, n, &size))
		return NULL;
	struct body *b = ml_walk_column(w, 1, sizeof(*b));
	b->place = ml_walk_column(w, size.count, sizeof(*b->place));
	b->access = ml_walk_column(w, size.count, sizeof(*b->access));
	b->at = ml_walk_column(w, size.count, sizeof(*b->at));
	b->delta = ml_walk_column(w, size.count, sizeof(*b->delta));
	b->what = ml_walk_column(w, size.count, sizeof(*b->what));
	b->container = ml_walk_column(w, size.count, sizeof(*b->container));
	b->number = ml_walk_column(w, size.count, sizeof(*b->number));
	b->work = ml_walk_column(w, size.count, sizeof(*b->work));
	b->unplaced = ml_walk_column(w, size.unplaced_count, sizeof(*b->unplaced));
	fill_body(k, n, b, n);
	return b;
}

bool ml_flow_walk_run(struct ml_flow_walk *w, struct ml_err *err)
{
	const struct ml_flow *f = w->flow;
	struct walker k = { .err = err };
	uint32_t accesses = 0;

	ml_walk_begin(&k.v, w, err);
	w->count = w->instances = w->uncertain = 0;
	w->warm += !w->warm;
	k.place = ml_walk_column(w, f->node_count, sizeof(*k.place));
	k.first = ml_walk_column(w, f->node_count, sizeof(*k.first));
	k.body = ml_walk_column(w, f->node_count, sizeof(*k.body));
	for (size_t i = 0; i < f->node_count; i++) {
		const struct ml_flow_node *n = &f->node[i];

		k.first[i] = accesses;
		accesses += (uint32_t)n->access_count;
		k.place[i] = ml_walk_column(w, n->access_count, sizeof(struct place));
		for (size_t j = 0; j < n->access_count; j++)
			compile(&k, &k.place[i][j],
				ml_flow_place(&w->arena,
					      &w->container[n->access[j].container],
					      &n->access[j]));
	}
	for (size_t i = 0; i < f->node_count; i++)
		k.body[i] = make_body(&k, &f->node[i]);
	k.addr = ml_walk_column(w, BATCH, sizeof(*k.addr));
	k.instance = ml_walk_column(w, BATCH, sizeof(*k.instance));
	k.what = ml_walk_column(w, BATCH, sizeof(*k.what));
	k.container = ml_walk_column(w, BATCH, sizeof(*k.container));
	k.access = ml_walk_column(w, BATCH, sizeof(*k.access));
	k.times = ml_walk_column(w, BATCH, sizeof(*k.times));
	k.batch = (struct ml_flow_batch){ .addr = k.addr,
					  .instance = k.instance,
					  .what = k.what,
					  .container = k.container,
					  .access = k.access,
					  .times = w->group ? k.times : NULL };
	return run(&k, w->root) && flush(&k);
}

void ml_flow_walk_release(struct ml_flow_walk *w)
{
	ml_arena_release(&w->arena);
}
