#include "lib/flow/order/dependence.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/flow/flow.h"
#include "lib/flow/order/dependence_parts.h"
#include "lib/flow/order/isl.h"
#include "lib/flow/order/scalars.h"
#include "lib/flow/order/set_text.h"

enum { TOUCHES = 400, OPERATIONS = 20000000 };

const char *const ml_carried_names[] = { "parallel", "reduction", "sequential", "open" };

void ml_statement_put(struct ml_set_text *t, const struct ml_statement *s, char variable)
{
	ml_buf_printf(&t->b, "S%" PRIu32 "[", s->rank);
	for (size_t i = 0; i < s->loops; i++)
		ml_buf_printf(&t->b, "%s%c%" PRIu32, i ? ", " : "", variable,
			      s->symbol[i]);
	ml_buf_text(&t->b, "]");
}

void *ml_dependences_map(struct ml_dependences *d, struct ml_set_text *t)
{
	ml_buf_text(&t->b, " }");
	ml_buf_u8(&t->b, 0);
	void *map = t->bad ? NULL
			   : d->isl->map_read_from_str(d->ctx, (const char *)t->b.data);
	ml_buf_release(&t->b);
	return map;
}

/* Which copy: one for each iteration of the loops that an element is private to. */
static void put_copy(struct ml_set_text *t, const struct ml_statement *s,
		     uint32_t private, const char **comma)
{
	for (uint32_t at = private; at != ML_FLOW_NONE; at = t->f->node[at].parent)
		for (size_t i = 0; i < s->loops; i++)
			if (t->f->node[at].kind == ML_FLOW_FOR &&
			    t->f->node[at].symbol == s->symbol[i]) {
				ml_buf_printf(&t->b, "%sv%" PRIu32, *comma, s->symbol[i]);
				*comma = ", ";
			}
}

static uint32_t loop_around(const struct ml_flow *f, uint32_t node)
{
	while (node != ML_FLOW_NONE && f->node[node].kind != ML_FLOW_FOR)
		node = f->node[node].parent;
	return node;
}

/* Whether a loop goes on is a cell of each of its executions. */
uint32_t ml_touch_private(const struct ml_dependences *d, const struct ml_touch *x)
{
	if (x->access)
		return d->private[x->access->container];
	uint32_t loop = loop_around(d->f, x->statement->node);
	return loop == ML_FLOW_NONE ? loop : loop_around(d->f, d->f->node[loop].parent);
}

/* Subscripts that are not affine stand for all elements. */
static void put_subscripts(struct ml_dependences *d, struct ml_set_text *t,
			   struct ml_touch *x)
{
	const struct ml_flow_access *y = x->access;

	for (uint32_t i = 0; i < y->dims; i++) {
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
			ml_buf_put(&t->b, own.b.data, own.b.size);
		ml_buf_release(&own.b);
	}
}

/* From iterations to elements. */
void ml_touch_read(struct ml_dependences *d, struct ml_touch *x, uint32_t private)
{
	const struct ml_flow_access *y = x->access;
	const struct ml_flow_container *c = y ? &d->f->container[y->container] : NULL;
	struct ml_set_text t = { .f = d->f };
	uint32_t node = x->statement->node;
	const char *comma = "";

	ml_set_parameters(&t);
	ml_statement_put(&t, x->statement, 'v');
	x->exact = !y || !y->bounded;
	if (c)
		ml_buf_printf(&t.b, " -> A%" PRIu32 "[", y->container);
	else
		ml_buf_printf(&t.b, " -> L%" PRIu32 "[", loop_around(d->f, node));
	put_copy(&t, x->statement, private, &comma);
	for (uint32_t i = 0; c && !c->scalar && i < (c->dims ? c->dims : 1); i++) {
		ml_buf_printf(&t.b, "%so%" PRIu32, comma, i);
		comma = ", ";
	}
	ml_buf_text(&t.b, "] : 0 = 0");
	if (c && !c->scalar && y->dims == c->dims)
		put_subscripts(d, &t, x);
	else if (c && !c->scalar)
		x->exact = false;
	/* a guard reads before it holds */
	if (!y)
		node = d->f->node[node].parent;
	x->exact &= ml_set_domain(&t, &d->arena, node);
	/* whether it is left depends on data */
	x->exact &= y || !x->write;
	ml_set_sizes(&t);
	x->map = ml_dependences_map(d, &t);
}

static void add_statement(struct ml_dependences *d, uint32_t node)
{
	struct ml_statement *s = &d->statement[d->statements];

	s->node = node;
	s->rank = (uint32_t)d->statements++;
	for (uint32_t at = node; at != ML_FLOW_NONE; at = d->f->node[at].parent)
		if (d->f->node[at].kind == ML_FLOW_FOR && s->loops < LOOPS) {
			memmove(s->symbol + 1, s->symbol, s->loops * sizeof(*s->symbol));
			s->symbol[0] = d->f->node[at].symbol;
			s->loops++;
		}
}

static void add_touch(struct ml_dependences *d, const struct ml_flow_access *y,
		      bool write)
{
	struct ml_touch *x = &d->touch[d->touches++];

	*x = (struct ml_touch){ .statement = &d->statement[d->statements - 1],
				.access = y,
				.write = write };
	ml_touch_read(d, x, ml_touch_private(d, x));
}

bool ml_is_statement(const struct ml_flow_node *n)
{
	return n->kind == ML_FLOW_WORK || n->leaves;
}

struct ml_dependences *ml_dependences_open(const struct ml_flow *f, struct ml_err *err)
{
	const struct ml_isl *isl = ml_isl_load(err);
	size_t touches = 0, works = 0;

	if (!isl)
		return NULL;
	for (size_t i = 0; i < f->node_count; i++) {
		touches += f->node[i].access_count + (f->node[i].leaves ? 2 : 0);
		works += ml_is_statement(&f->node[i]);
	}
	if (touches > TOUCHES) {
		ml_fail(err, ML_USAGE,
			"the program has %zu accesses; dependences are found for up to %d",
			touches, TOUCHES);
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
	d->touch = ml_arena_alloc(&d->arena, (touches + 1) * sizeof(*d->touch));
	d->private = ml_arena_alloc(&d->arena,
				    (f->container_count + 1) * sizeof(*d->private));
	for (uint32_t i = 0; i < f->container_count; i++)
		d->private[i] = ml_private_loop(f, i);
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct ml_flow_node *n = &f->node[i];

		if (!ml_is_statement(n))
			continue;
		add_statement(d, i);
		for (size_t j = 0; j < n->access_count; j++)
			add_touch(d, &n->access[j], n->access[j].write);
		for (int w = 0; n->leaves && w < 2; w++)
			add_touch(d, NULL, w);
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

bool ml_touch_conflict(const struct ml_flow *f, const struct ml_touch *x,
		       const struct ml_touch *y)
{
	if (!x->write && !y->write)
		return false;
	if (!x->access || !y->access)
		return !x->access && !y->access &&
		       loop_around(f, x->statement->node) ==
			       loop_around(f, y->statement->node);
	return ml_flow_may_overlap(f, x->access, y->access);
}

bool ml_touch_updates(const struct ml_touch *x, const struct ml_touch *y)
{
	return x->access && y->access && x->access->update &&
	       x->access->update == y->access->update &&
	       x->access->container == y->access->container;
}

void *ml_touch_pairs(struct ml_dependences *d, const struct ml_touch *x,
		     const struct ml_touch *y)
{
	const struct ml_isl *isl = d->isl;

	/* views: elements of different containers do not compare */
	if (!x->map || !y->map ||
	    (x->access && x->access->container != y->access->container))
		return NULL;
	return isl->map_apply_range(isl->map_copy(x->map),
				    isl->map_reverse(isl->map_copy(y->map)));
}

static int map_is_empty(struct ml_dependences *d, void *map)
{
	int is = map ? d->isl->map_is_empty(map) : -1;

	if (map)
		d->isl->map_free(map);
	return is;
}

int ml_pairs_empty(struct ml_dependences *d, void *pairs, void *order)
{
	if (!pairs || !order) {
		if (pairs)
			d->isl->map_free(pairs);
		if (order)
			d->isl->map_free(order);
		return -1;
	}
	return map_is_empty(d, d->isl->map_intersect(pairs, order));
}

static bool has_loop(const struct ml_statement *s, uint32_t symbol, size_t *at)
{
	for (*at = 0; *at < s->loops; ++*at)
		if (s->symbol[*at] == symbol)
			return true;
	return false;
}

/* The same iterations of the loops around, a later one of the loop itself. */
static void *later_iteration(struct ml_dependences *d, const struct ml_statement *s,
			     const struct ml_statement *u, size_t at)
{
	struct ml_set_text t = { .f = d->f };

	ml_set_parameters(&t);
	ml_statement_put(&t, s, 'v');
	ml_buf_text(&t.b, " -> ");
	ml_statement_put(&t, u, 'w');
	ml_buf_printf(&t.b, " : v%" PRIu32 " < w%" PRIu32, s->symbol[at], s->symbol[at]);
	for (size_t i = 0; i < at; i++)
		ml_buf_printf(&t.b, " and v%" PRIu32 " = w%" PRIu32, s->symbol[i],
			      s->symbol[i]);
	return ml_dependences_map(d, &t);
}

static uint32_t line_of(const struct ml_flow *f, const struct ml_touch *x)
{
	return x->access && x->access->line ? x->access->line
					    : f->node[x->statement->node].line;
}

void ml_touch_say(struct ml_buf *b, const struct ml_flow *f, const struct ml_touch *x)
{
	if (x->access)
		ml_buf_printf(b, "the %s of %s in line %" PRIu32,
			      x->write ? "write" : "read",
			      f->container[x->access->container].name, line_of(f, x));
	else
		ml_buf_printf(b,
			      x->write ? "leaving the loop of line %" PRIu32
				       : "an iteration of the loop of line %" PRIu32,
			      line_of(f, x));
}

void ml_touch_say_unknown(struct ml_dependences *d, const struct ml_touch *x,
			  const struct ml_touch *y)
{
	const struct ml_touch *of = x->exact && x->map ? y : x;
	const struct ml_flow *f = d->f;

	if (!x->access)
		d->why = ml_arena_printf(&d->arena,
					 "the loop of line %" PRIu32 " may be left early",
					 line_of(f, x));
	else if (x->access->container != y->access->container)
		d->why = ml_arena_printf(
			&d->arena, "%s and %s may be the same memory (line %" PRIu32 ")",
			f->container[x->access->container].name,
			f->container[y->access->container].name, line_of(f, x));
	else if (of->exact && of->map)
		d->why = "it would take too long to find out";
	else
		d->why = ml_arena_printf(&d->arena,
					 "of line %" PRIu32
					 ": where or whether it %s %s depends on data",
					 line_of(f, of), of->write ? "writes" : "reads",
					 f->container[of->access->container].name);
}

/* The first computation whose accesses are not all known, of those that d has. */
bool ml_statement_unplaced(struct ml_dependences *d, const struct ml_statement *s)
{
	const struct ml_flow_node *n = &d->f->node[s->node];

	if (!n->unplaced)
		return false;
	d->why = ml_arena_printf(&d->arena, "of line %" PRIu32 ": %s", n->line,
				 n->unplaced);
	return true;
}

const char *ml_dependences_why(const struct ml_dependences *d)
{
	return d->why;
}

bool ml_touch_exact(const struct ml_touch *x, const struct ml_touch *y)
{
	return x->map && y->map && x->exact && y->exact &&
	       (!x->access || x->access->container == y->access->container);
}

/* What a pair means for a loop. */
static enum ml_carried carried_by(struct ml_dependences *d, const struct ml_touch *x,
				  const struct ml_touch *y, size_t at)
{
	struct ml_buf b = { 0 };

	if (ml_pairs_empty(d, ml_touch_pairs(d, x, y),
			   later_iteration(d, x->statement, y->statement, at)) == 1)
		return ML_CARRIED_NONE;
	if (ml_touch_updates(x, y))
		return ML_CARRIED_UPDATES;
	if (!ml_touch_exact(x, y)) {
		ml_touch_say_unknown(d, x, y);
		return ML_CARRIED_OPEN;
	}
	ml_touch_say(&b, d->f, y);
	ml_buf_text(&b, " must come after ");
	ml_touch_say(&b, d->f, x);
	ml_buf_text(&b, " of an earlier iteration");
	if (x->access && d->f->container[x->access->container].scalar) {
		uint32_t loop = x->statement->node;

		while (d->f->node[loop].kind != ML_FLOW_FOR ||
		       d->f->node[loop].symbol != x->statement->symbol[at])
			loop = d->f->node[loop].parent;
		enum ml_scalar_kind kind = ml_scalar_kind(d->f, x->access->container,
							  loop);
		b.size = 0;
		ml_buf_printf(&b, "%s %s (line %" PRIu32 ")",
			      d->f->container[x->access->container].name,
			      ml_scalar_kind_said[kind], line_of(d->f, x));
	}
	ml_buf_u8(&b, 0);
	d->why = ml_arena_strdup(&d->arena, (const char *)b.data);
	ml_buf_release(&b);
	return ML_CARRIED;
}

enum ml_carried ml_dependences_carried(struct ml_dependences *d, uint32_t loop)
{
	enum ml_carried carried = ML_CARRIED_NONE;
	uint32_t symbol = d->f->node[loop].symbol;
	size_t at, other;

	d->why = NULL;
	for (size_t i = 0; i < d->statements && carried == ML_CARRIED_NONE; i++)
		if (has_loop(&d->statement[i], symbol, &at) &&
		    ml_statement_unplaced(d, &d->statement[i]))
			carried = ML_CARRIED_OPEN;
	for (size_t i = 0; i < d->touches; i++)
		for (size_t j = 0; j < d->touches; j++) {
			const struct ml_touch *x = &d->touch[i], *y = &d->touch[j];
			const char *why = d->why;

			if (!ml_touch_conflict(d->f, x, y) ||
			    !has_loop(x->statement, symbol, &at) ||
			    !has_loop(y->statement, symbol, &other))
				continue;
			enum ml_carried now = carried_by(d, x, y, at);
			if (now == ML_CARRIED)
				return now;
			if (now == ML_CARRIED_OPEN && carried == ML_CARRIED_OPEN)
				d->why = why; /* the first reason */
			if (now == ML_CARRIED_OPEN || carried == ML_CARRIED_NONE)
				carried = now;
		}
	return carried;
}
