#include "lib/flow/run/span.h"

#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/flow/flow.h"
#include "lib/flow/run/print.h"

enum { SIBLINGS = 4096 };

struct maker {
	struct ml_flow_span *s;
	struct ml_flow *f;
	struct ml_flow_counts *c;
	size_t words;               /* of a set of containers */
	uint64_t **read, **written; /* containers, by node: below it */
};

static struct ml_flow_count no_form(void)
{
	return (struct ml_flow_count){ .kind = ML_FLOW_NO_FORM, .poly = { .bad = true } };
}

static struct ml_flow_count closed(struct ml_poly p)
{
	return p.bad ? no_form() : (struct ml_flow_count){ .poly = p };
}

/* Whether x is at least y for all sizes: no coefficient of x - y is negative. */
static bool at_least(struct maker *m, struct ml_poly x, struct ml_poly y)
{
	struct ml_arena *a = &m->s->arena;
	struct ml_poly d = ml_poly_add(a, x, ml_poly_scale(a, y, -1, 1));

	for (size_t i = 0; i < d.count; i++)
		if (d.term[i].num < 0)
			return false;
	return !d.bad;
}

/* The larger one; where neither is, their sum, which no chain exceeds. */
static struct ml_flow_count larger(struct maker *m, struct ml_flow_count x,
				   struct ml_flow_count y)
{
	if (x.kind == ML_FLOW_NO_FORM || y.kind == ML_FLOW_NO_FORM)
		return no_form();
	if (at_least(m, x.poly, y.poly))
		return x;
	if (at_least(m, y.poly, x.poly))
		return y;
	return closed(ml_poly_add(&m->s->arena, x.poly, y.poly));
}

static struct ml_flow_count plus(struct maker *m, struct ml_flow_count x,
				 struct ml_flow_count y)
{
	if (x.kind == ML_FLOW_NO_FORM || y.kind == ML_FLOW_NO_FORM)
		return no_form();
	return closed(ml_poly_add(&m->s->arena, x.poly, y.poly));
}

/* Containers that all below a node reads and writes. Children follow parents. */
static void gather(struct maker *m)
{
	struct ml_flow *f = m->f;

	m->words = (f->container_count + 63) / 64 + 1;
	m->read = ml_arena_alloc(&m->s->arena, (f->node_count + 1) * sizeof(*m->read));
	m->written = ml_arena_alloc(&m->s->arena,
				    (f->node_count + 1) * sizeof(*m->written));
	for (size_t i = f->node_count; i-- > 0;) {
		const struct ml_flow_node *n = &f->node[i];
		uint64_t **of[2] = { m->read, m->written };

		for (int w = 0; w < 2; w++)
			if (!of[w][i])
				of[w][i] = ml_arena_alloc(&m->s->arena,
							  m->words * sizeof(uint64_t));
		for (size_t j = 0; j < n->access_count; j++)
			of[n->access[j].write][i][n->access[j].container / 64] |=
				(uint64_t)1 << n->access[j].container % 64;
		if (n->parent == ML_FLOW_NONE)
			continue;
		for (int w = 0; w < 2; w++) {
			if (!of[w][n->parent])
				of[w][n->parent] = ml_arena_alloc(
					&m->s->arena, m->words * sizeof(uint64_t));
			for (size_t j = 0; j < m->words; j++)
				of[w][n->parent][j] |= of[w][i][j];
		}
	}
}

static bool depend(const struct maker *m, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < m->words; i++)
		if ((m->written[x][i] & (m->read[y][i] | m->written[y][i])) ||
		    (m->read[x][i] & m->written[y][i]))
			return true;
	return false;
}

/* The longest chain of what follows each other below a node. */
static struct ml_flow_count sequence(struct maker *m, const struct ml_flow_node *n)
{
	struct ml_flow_count longest = { 0 }, *chain;
	uint32_t *child;
	size_t count = 0;

	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = m->f->node[c].next)
		count++;
	chain = ml_arena_alloc(&m->s->arena, (count + 1) * sizeof(*chain));
	child = ml_arena_alloc(&m->s->arena, (count + 1) * sizeof(*child));
	count = 0;
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = m->f->node[c].next) {
		struct ml_flow_count before = { 0 };

		for (size_t i = count > SIBLINGS ? count - SIBLINGS : 0; i < count; i++)
			if (depend(m, child[i], c))
				before = larger(m, before, chain[i]);
		child[count] = c;
		chain[count] = plus(m, before, m->s->depth[c]);
		longest = larger(m, longest, chain[count++]);
	}
	return longest;
}

/* The greatest value of p over the iterations of a loop. */
static struct ml_poly greatest(struct maker *m, struct ml_poly p,
			       const struct ml_flow_node *n)
{
	struct ml_arena *a = &m->s->arena;
	int64_t sign;

	if (!ml_poly_degree(p, n->symbol))
		return p;
	if (ml_poly_degree(p, n->symbol) > 1 ||
	    !ml_poly_is_const(ml_poly_coefficient(a, p, n->symbol), &sign))
		return (struct ml_poly){ .bad = true };
	bool last = (sign > 0) == (n->step > 0);
	return ml_poly_replace(a, p, n->symbol,
			       ml_flow_counts_poly(m->c, m->f, last ? n->to : n->from));
}

static struct ml_flow_count depth_of(struct maker *m, const struct ml_flow_node *n)
{
	struct ml_flow_count d;
	int64_t ops = 0;

	if (n->kind == ML_FLOW_WORK) {
		for (int i = 0; i < ML_FLOW_OPS; i++)
			ops += (int64_t)n->ops[i];
		return closed(ml_poly_const(&m->s->arena, ops));
	}
	d = sequence(m, n);
	if (n->kind != ML_FLOW_FOR || d.kind == ML_FLOW_NO_FORM)
		return d;
	if (m->s->carried[n->number] == ML_CARRIED_NONE)
		return closed(greatest(m, d.poly, n));
	return closed(ml_flow_counts_sum(m->c, m->f, d.poly, n->number));
}

static bool depends(const struct ml_sym *e, uint32_t symbol)
{
	if (e->op == ML_SYM_SYMBOL)
		return e->symbol == symbol;
	return (e->a && depends(e->a, symbol)) || (e->b && depends(e->b, symbol));
}

/* Whether a computation updates an element that all iterations of a map share: a write
 * with conflict resolution. */
static bool updates_shared(struct maker *m, uint32_t node, uint32_t symbol)
{
	const struct ml_flow_node *n = &m->f->node[node];

	for (size_t i = 0; i + 1 < n->access_count; i++) {
		const struct ml_flow_access *x = &n->access[i], *y = x + 1;

		if (x->write || !y->write || x->container != y->container ||
		    m->f->container[x->container].scalar)
			continue;
		const struct ml_flow_container *c = &m->f->container[x->container];
		const struct ml_sym *at = ml_flow_place(&m->s->arena, c, x);
		if (ml_sym_equal(at, ml_flow_place(&m->s->arena, c, y)) &&
		    !depends(at, symbol))
			return true;
	}
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = m->f->node[c].next)
		if (updates_shared(m, c, symbol))
			return true;
	return false;
}

static void find_carried(struct maker *m)
{
	struct ml_dependences *d = NULL;
	struct ml_err err;
	bool tried = false;

	for (uint32_t i = 0; i < m->f->node_count; i++) {
		if (m->f->node[i].kind != ML_FLOW_FOR)
			continue;
		if (m->f->node[i].parallel) {
			if (updates_shared(m, i, m->f->node[i].symbol))
				m->s->carried[i] = ML_CARRIED_UPDATES;
			continue;
		}
		if (!tried)
			d = ml_dependences_open(m->f, &err);
		if (!tried && !d)
			m->s->missing = ml_arena_strdup(&m->s->arena, err.text);
		tried = true;
		m->s->carried[i] = d ? ml_dependences_carried(d, i) : ML_CARRIED_OPEN;
		if (d && m->s->carried[i] >= ML_CARRIED && ml_dependences_why(d))
			m->s->why[i] = ml_arena_strdup(&m->s->arena,
						       ml_dependences_why(d));
	}
	ml_dependences_close(d);
}

void ml_flow_span_make(struct ml_flow_span *s, struct ml_flow *f,
		       struct ml_flow_counts *c)
{
	struct maker m = { .s = s, .f = f, .c = c };
	size_t n = f->node_count + 1;

	memset(s, 0, sizeof(*s));
	s->carried = ml_arena_alloc(&s->arena, n * sizeof(*s->carried));
	s->why = ml_arena_alloc(&s->arena, n * sizeof(*s->why));
	s->depth = ml_arena_alloc(&s->arena, n * sizeof(*s->depth));
	gather(&m);
	find_carried(&m);
	for (size_t i = f->node_count; i-- > 0;)
		s->depth[i] = depth_of(&m, &f->node[i]);
}

void ml_flow_span_release(struct ml_flow_span *s)
{
	ml_arena_release(&s->arena);
}

void ml_flow_span_json(const struct ml_flow_span *s, const struct ml_flow *f,
		       const struct ml_flow_counts *c, struct ml_json *w)
{
	struct ml_buf b = { 0 };

	ml_json_key(w, "depth");
	if (s->depth[0].kind == ML_FLOW_NO_FORM) {
		ml_json_null(w);
	} else {
		ml_flow_count_print(&s->depth[0], f, &b);
		ml_json_bytes(w, (const char *)b.data, b.size);
	}
	b.size = 0;
	ml_flow_print_ratio(f, &c->all_ops, &s->depth[0], &b);
	ml_json_key(w, "parallelism");
	ml_json_bytes(w, (const char *)b.data, b.size);
	ml_json_key_array(w, "loops");
	for (size_t i = 0; i < f->node_count; i++) {
		const struct ml_flow_node *n = &f->node[i];

		if (n->kind != ML_FLOW_FOR)
			continue;
		ml_json_object(w);
		ml_json_key_u64(w, "node", i);
		ml_json_key_string(w, "name", f->names[n->symbol]);
		ml_json_key_u64(w, "line", n->line);
		ml_json_key_string(w, "carries", ml_carried_names[s->carried[i]]);
		if (s->why[i])
			ml_json_key_string(w, "why", s->why[i]);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_buf_release(&b);
}
