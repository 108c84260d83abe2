#include "lib/flow/order/dependence.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/flow/flow.h"
#include "lib/flow/order/isl.h"
#include "lib/flow/order/scalars.h"
#include "lib/flow/order/set_text.h"

enum { ACCESSES = 100, OPERATIONS = 20000000, LOOPS = 32 };

const char *const ml_carried_names[] = { "parallel", "reduction", "sequential", "open" };

struct statement {
	uint32_t node, rank;
	bool foreign; /* calls a function of C that is not here: it may do anything */
	uint32_t symbol[LOOPS]; /* of the loops around it, the outermost first */
	size_t loops;
};

struct touch {
	const struct statement *statement;
	const struct ml_flow_access *access;
	uint32_t number; /* of the access */
	void *map;       /* from iterations to elements */
	bool exact, update;
};

struct ml_dependences {
	const struct ml_isl *isl;
	const struct ml_flow *f;
	void *ctx;
	struct statement *statement;
	size_t statements;
	struct touch touch[ACCESSES];
	size_t touches;
	struct ml_arena arena;
};

static void put_statement(struct ml_set_text *t, const struct statement *s, char variable)
{
	ml_buf_printf(&t->b, "S%" PRIu32 "[", s->rank);
	for (size_t i = 0; i < s->loops; i++)
		ml_buf_printf(&t->b, "%s%c%" PRIu32, i ? ", " : "", variable,
			      s->symbol[i]);
	ml_buf_text(&t->b, "]");
}

static void *read_map(struct ml_dependences *d, struct ml_set_text *t)
{
	ml_buf_text(&t->b, " }");
	ml_buf_u8(&t->b, 0);
	void *map = t->bad ? NULL
			   : d->isl->map_read_from_str(d->ctx, (const char *)t->b.data);
	ml_buf_release(&t->b);
	return map;
}

/* The elements of a scalar: one for each iteration of the loops it is private to. */
static void put_scalar(struct ml_set_text *t, const struct statement *s,
		       uint32_t container)
{
	uint32_t private = ml_scalar_private(t->f, container);
	const char *comma = "";

	ml_buf_printf(&t->b, " -> A%" PRIu32 "[", container);
	for (uint32_t at = private; at != ML_FLOW_NONE; at = t->f->node[at].parent)
		for (size_t i = 0; i < s->loops; i++)
			if (t->f->node[at].kind == ML_FLOW_FOR &&
			    t->f->node[at].symbol == s->symbol[i]) {
				ml_buf_printf(&t->b, "%sv%" PRIu32, comma, s->symbol[i]);
				comma = ", ";
			}
	ml_buf_text(&t->b, "] : 0 = 0");
}

/* From iterations to elements. Subscripts that are not affine stand for all elements. */
static void read_touch(struct ml_dependences *d, struct touch *x)
{
	const struct ml_flow_access *y = x->access;
	const struct ml_flow_container *c = &d->f->container[y->container];
	struct ml_set_text t = { .f = d->f };
	uint32_t dims = c->dims ? c->dims : 1;

	ml_set_parameters(&t);
	put_statement(&t, x->statement, 'v');
	x->exact = true;
	if (c->scalar) {
		put_scalar(&t, x->statement, y->container);
	} else {
		ml_buf_printf(&t.b, " -> A%" PRIu32 "[", y->container);
		for (uint32_t i = 0; i < dims; i++)
			ml_buf_printf(&t.b, "%so%" PRIu32, i ? ", " : "", i);
		ml_buf_text(&t.b, "] : 0 = 0");
		x->exact = y->dims == c->dims && !y->bounded;
	}
	for (uint32_t i = 0; !c->scalar && i < y->dims && y->dims == c->dims; i++) {
		const struct ml_flow_range *r = &y->range[i];
		struct ml_set_text own = { .f = d->f };

		ml_buf_printf(&own.b, " and o%" PRIu32 " >= ", i);
		ml_set_number(&own, r->from);
		ml_buf_printf(&own.b, " and o%" PRIu32 " <= ", i);
		ml_set_number(&own, r->to);
		if (!ml_sym_is(r->step, 1)) {
			ml_buf_printf(&own.b, " and ((o%" PRIu32 " - ", i);
			ml_set_number(&own, r->from);
			ml_buf_printf(&own.b, ") mod %" PRId64 ") = 0", r->step->value);
			own.bad |= r->step->op != ML_SYM_CONST;
		}
		if (own.bad)
			x->exact = false;
		else
			ml_buf_put(&t.b, own.b.data, own.b.size);
		ml_buf_release(&own.b);
	}
	x->exact &= ml_set_domain(&t, &d->arena, x->statement->node);
	ml_set_sizes(&t);
	x->map = read_map(d, &t);
}

static void add_statement(struct ml_dependences *d, uint32_t node)
{
	struct statement *s = &d->statement[d->statements];

	s->node = node;
	s->foreign = d->f->node[node].assumed && !strcmp(d->f->dialect, "C");
	s->rank = (uint32_t)d->statements++;
	for (uint32_t at = node; at != ML_FLOW_NONE; at = d->f->node[at].parent)
		if (d->f->node[at].kind == ML_FLOW_FOR && s->loops < LOOPS) {
			memmove(s->symbol + 1, s->symbol, s->loops * sizeof(*s->symbol));
			s->symbol[0] = d->f->node[at].symbol;
			s->loops++;
		}
}

/* An access of an element that its computation both reads and writes. */
static bool is_update(const struct ml_flow_node *n, const struct ml_flow_access *x)
{
	for (size_t i = 0; i < n->access_count; i++) {
		const struct ml_flow_access *y = &n->access[i];
		bool same = y->container == x->container && y->write != x->write &&
			    y->dims == x->dims && x->single && y->single;

		for (uint32_t d = 0; same && d < x->dims; d++)
			same = ml_sym_equal(x->range[d].from, y->range[d].from);
		if (same && !x->dims)
			same = x->linear && y->linear &&
			       ml_sym_equal(x->linear, y->linear);
		if (same)
			return true;
	}
	return false;
}

struct ml_dependences *ml_dependences_open(const struct ml_flow *f, struct ml_err *err)
{
	const struct ml_isl *isl = ml_isl_load(err);
	size_t accesses = 0, works = 0;
	uint32_t number = 0;

	if (!isl)
		return NULL;
	for (size_t i = 0; i < f->node_count; i++) {
		accesses += f->node[i].access_count;
		works += f->node[i].kind == ML_FLOW_WORK;
	}
	if (accesses > ACCESSES) {
		ml_fail(err, ML_USAGE,
			"the program has %zu accesses; dependences are found for up to %d",
			accesses, ACCESSES);
		return NULL;
	}
	struct ml_dependences *d = ml_resize(NULL, sizeof(*d));
	memset(d, 0, sizeof(*d));
	d->isl = isl;
	d->f = f;
	d->ctx = isl->ctx_alloc();
	isl->options_set_on_error(d->ctx, ML_ISL_CONTINUE);
	isl->ctx_set_max_operations(d->ctx, OPERATIONS);
	d->statement = ml_arena_alloc(&d->arena, (works + 1) * sizeof(*d->statement));
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct ml_flow_node *n = &f->node[i];

		if (n->kind == ML_FLOW_WORK)
			add_statement(d, i);
		for (size_t j = 0; j < n->access_count; j++, number++) {
			struct touch *x = &d->touch[d->touches++];

			x->statement = &d->statement[d->statements - 1];
			x->access = &n->access[j];
			x->number = number;
			x->update = is_update(n, x->access);
			read_touch(d, x);
		}
	}
	return d;
}

void ml_dependences_close(struct ml_dependences *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->touches; i++)
		if (d->touch[i].map)
			d->isl->map_free(d->touch[i].map);
	d->isl->ctx_free(d->ctx);
	ml_arena_release(&d->arena);
	ml_free(d);
}

static bool conflict(const struct ml_flow *f, const struct touch *x,
		     const struct touch *y)
{
	return (x->access->write || y->access->write) &&
	       ml_flow_may_overlap(f, x->access, y->access);
}

/* Pairs of iterations that touch the same element; NULL: not known. */
static void *both_touch(struct ml_dependences *d, const struct touch *x,
			const struct touch *y)
{
	const struct ml_isl *isl = d->isl;

	/* views: elements of different containers do not compare */
	if (!x->map || !y->map || x->access->container != y->access->container)
		return NULL;
	return isl->map_apply_range(isl->map_copy(x->map),
				    isl->map_reverse(isl->map_copy(y->map)));
}

/* 1, 0, or -1: not known. Takes the map. */
static int is_empty(struct ml_dependences *d, void *map)
{
	int is = map ? d->isl->map_is_empty(map) : -1;

	if (map)
		d->isl->map_free(map);
	return is;
}

/* Whether pairs, of which `order` is a part, are empty. Takes both. */
static int empty(struct ml_dependences *d, void *pairs, void *order)
{
	if (!pairs || !order) {
		if (pairs)
			d->isl->map_free(pairs);
		if (order)
			d->isl->map_free(order);
		return -1;
	}
	return is_empty(d, d->isl->map_intersect(pairs, order));
}

static bool has_loop(const struct statement *s, uint32_t symbol, size_t *at)
{
	for (*at = 0; *at < s->loops; ++*at)
		if (s->symbol[*at] == symbol)
			return true;
	return false;
}

/* The same iterations of the loops around, a later one of the loop itself. */
static void *later_iteration(struct ml_dependences *d, const struct statement *s,
			     const struct statement *u, size_t at)
{
	struct ml_set_text t = { .f = d->f };

	ml_set_parameters(&t);
	put_statement(&t, s, 'v');
	ml_buf_text(&t.b, " -> ");
	put_statement(&t, u, 'w');
	ml_buf_printf(&t.b, " : v%" PRIu32 " < w%" PRIu32, s->symbol[at], s->symbol[at]);
	for (size_t i = 0; i < at; i++)
		ml_buf_printf(&t.b, " and v%" PRIu32 " = w%" PRIu32, s->symbol[i],
			      s->symbol[i]);
	return read_map(d, &t);
}

enum ml_carried ml_dependences_carried(struct ml_dependences *d, uint32_t loop)
{
	enum ml_carried carried = ML_CARRIED_NONE;
	uint32_t symbol = d->f->node[loop].symbol;
	size_t unused;

	for (size_t i = 0; i < d->statements; i++)
		if (d->statement[i].foreign &&
		    has_loop(&d->statement[i], symbol, &unused))
			carried = ML_CARRIED_OPEN;
	for (size_t i = 0; i < d->touches; i++)
		for (size_t j = 0; j < d->touches; j++) {
			const struct touch *x = &d->touch[i], *y = &d->touch[j];
			size_t at, other;

			if (!conflict(d->f, x, y) ||
			    !has_loop(x->statement, symbol, &at) ||
			    !has_loop(y->statement, symbol, &other))
				continue;
			int is =
				empty(d, both_touch(d, x, y),
				      later_iteration(d, x->statement, y->statement, at));
			bool update = x->update && y->update &&
				      x->statement == y->statement;
			if (is == 1)
				continue;
			if (is < 0 || !x->exact || !y->exact)
				carried = ML_CARRIED_OPEN;
			else if (!update)
				return ML_CARRIED;
			else if (carried == ML_CARRIED_NONE)
				carried = ML_CARRIED_UPDATES;
		}
	return carried;
}

/* When an iteration of a computation of flow g comes: positions and loop variables in
 * turn, from the outside. */
static void *schedule(struct ml_dependences *d, const struct ml_flow *g, uint32_t node,
		      const struct statement *s, size_t length)
{
	struct ml_set_text t = { .f = g };
	uint32_t path[128];
	size_t depth = 0, at = 0;
	const char *comma = "";

	for (uint32_t n = node; n != ML_FLOW_NONE && depth < 128; n = g->node[n].parent)
		path[depth++] = n;
	ml_set_parameters(&t);
	put_statement(&t, s, 'v');
	ml_buf_text(&t.b, " -> [");
	for (size_t i = 0; i < length; i++)
		ml_buf_printf(&t.b, "%so%zu", i ? ", " : "", i);
	ml_buf_text(&t.b, "] : exists (");
	/* loops over strips are none of the statement's */
	for (size_t i = depth; i-- > 0;)
		if (g->node[path[i]].kind == ML_FLOW_FOR &&
		    g->node[path[i]].symbol >= d->f->symbol_count) {
			ml_buf_printf(&t.b, "%sv%" PRIu32, comma,
				      g->node[path[i]].symbol);
			comma = ", ";
		}
	ml_buf_text(&t.b, *comma ? " : 0 = 0" : "unused : unused = 0");
	for (size_t i = depth; i-- > 0;) {
		const struct ml_flow_node *n = &g->node[path[i]];
		uint32_t before = 0;

		for (uint32_t c = n->parent == ML_FLOW_NONE ? path[i]
							    : g->node[n->parent].first;
		     c != path[i]; c = g->node[c].next)
			before++;
		ml_buf_printf(&t.b, " and o%zu = %" PRIu32, at++, before);
		if (n->kind == ML_FLOW_FOR)
			ml_buf_printf(&t.b, " and o%zu = %sv%" PRIu32, at++,
				      n->step > 0 ? "" : "-", n->symbol);
	}
	for (; at < length; at++)
		ml_buf_printf(&t.b, " and o%zu = 0", at);
	ml_set_domain(&t, &d->arena, node);
	ml_buf_text(&t.b, ")");
	return read_map(d, &t);
}

struct schedules {
	void **before, **after; /* by statement */
};

static size_t schedule_length(const struct ml_flow *g)
{
	size_t longest = 0;

	for (uint32_t i = 0; i < g->node_count; i++) {
		size_t n = 0;

		for (uint32_t at = i; at != ML_FLOW_NONE; at = g->node[at].parent)
			n += g->node[at].kind == ML_FLOW_FOR ? 2 : 1;
		longest = n > longest ? n : longest;
	}
	return longest;
}

static void **make_schedules(struct ml_dependences *d, const struct ml_flow *g)
{
	void **map = ml_arena_alloc(&d->arena, (d->statements + 1) * sizeof(*map));
	size_t length = schedule_length(g), rank = 0;

	for (uint32_t i = 0; i < g->node_count; i++)
		if (g->node[i].kind == ML_FLOW_WORK) {
			map[rank] = schedule(d, g, i, &d->statement[rank], length);
			rank++;
		}
	return map;
}

/* Pairs that come in this order in one flow and in the other order in the other. */
static void *turned_round(struct ml_dependences *d, const struct schedules *s, uint32_t x,
			  uint32_t y)
{
	const struct ml_isl *isl = d->isl;

	if (!s->before[x] || !s->before[y] || !s->after[x] || !s->after[y])
		return NULL;
	void *was = isl->map_lex_lt_map(isl->map_copy(s->before[x]),
					isl->map_copy(s->before[y]));
	void *is = isl->map_lex_lt_map(isl->map_copy(s->after[y]),
				       isl->map_copy(s->after[x]));
	return isl->map_intersect(was, isl->map_reverse(is));
}

enum ml_legality_kind ml_dependences_keep(struct ml_dependences *d,
					  const struct ml_flow *changed, uint32_t pair[2])
{
	struct schedules s = { make_schedules(d, d->f), make_schedules(d, changed) };
	enum ml_legality_kind kind = ML_LEGAL;

	for (uint32_t i = 0; i < d->statements; i++)
		for (uint32_t j = 0; j < d->statements; j++)
			if (d->statement[i].foreign && d->statement[j].foreign &&
			    is_empty(d, turned_round(d, &s, i, j)) != 1)
				kind = ML_LEGALITY_OPEN;
	for (size_t i = 0; i < d->touches && kind != ML_ILLEGAL; i++)
		for (size_t j = 0; j < d->touches && kind != ML_ILLEGAL; j++) {
			const struct touch *x = &d->touch[i], *y = &d->touch[j];
			enum ml_legality_kind now = ML_ILLEGAL;

			if (!conflict(d->f, x, y))
				continue;
			int is = empty(d, both_touch(d, x, y),
				       turned_round(d, &s, x->statement->rank,
						    y->statement->rank));
			if (is == 1)
				continue;
			if (is < 0 || !x->exact || !y->exact)
				now = ML_LEGALITY_OPEN;
			else if (x->update && y->update && x->statement == y->statement)
				now = ML_LEGAL_UPDATES;
			if (kind == ML_LEGAL || now == ML_ILLEGAL ||
			    (now == ML_LEGALITY_OPEN && kind == ML_LEGAL_UPDATES)) {
				kind = now;
				pair[0] = x->number;
				pair[1] = y->number;
			}
		}
	for (size_t i = 0; i < d->statements; i++) {
		if (s.before[i])
			d->isl->map_free(s.before[i]);
		if (s.after[i])
			d->isl->map_free(s.after[i]);
	}
	return kind;
}
