/* Whether a changed order of loops keeps all dependences. */
#include <inttypes.h>

#include "lib/base/buf.h"
#include "lib/flow/flow.h"
#include "lib/flow/order/dependence_parts.h"
#include "lib/flow/order/isl.h"
#include "lib/flow/order/scalars.h"
#include "lib/flow/order/set_text.h"

/* When an iteration of a computation of flow g comes: positions and loop variables in
 * turn, from the outside. */
static void *schedule(struct ml_dependences *d, const struct ml_flow *g, uint32_t node,
		      const struct ml_statement *s, size_t length)
{
	struct ml_set_text t = { .f = g };
	uint32_t path[128];
	size_t depth = 0, at = 0;
	const char *comma = "";

	for (uint32_t n = node; n != ML_FLOW_NONE && depth < 128; n = g->node[n].parent)
		path[depth++] = n;
	ml_set_parameters(&t);
	ml_statement_put(&t, s, 'v');
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
	ml_set_domain(&t, &d->arena, g->node[node].leaves ? g->node[node].parent : node);
	ml_buf_text(&t.b, ")");
	return ml_dependences_map(d, &t);
}

struct schedules {
	void **before, **after; /* by statement */
	struct turned {
		enum { NOT_YET, NONE, SOME } is;
		void *pairs; /* of SOME; NULL: not known */
	} * turned;          /* by two statements */
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
		if (ml_is_statement(&g->node[i])) {
			map[rank] = schedule(d, g, i, &d->statement[rank], length);
			rank++;
		}
	return map;
}

/* Pairs that come in this order in one flow and in the other order in the other: most
 * computations of a program have none. */
static const struct turned *
turned_round(struct ml_dependences *d, const struct schedules *s, uint32_t x, uint32_t y)
{
	const struct ml_isl *isl = d->isl;
	struct turned *t = &s->turned[x * d->statements + y];

	if (t->is != NOT_YET)
		return t;
	t->is = SOME;
	if (!s->before[x] || !s->before[y] || !s->after[x] || !s->after[y])
		return t;
	void *was = isl->map_lex_lt_map(isl->map_copy(s->before[x]),
					isl->map_copy(s->before[y]));
	void *is = isl->map_lex_lt_map(isl->map_copy(s->after[y]),
				       isl->map_copy(s->after[x]));
	t->pairs = isl->map_intersect(was, isl->map_reverse(is));
	if (t->pairs && isl->map_is_empty(t->pairs) == 1)
		t->is = NONE;
	return t;
}

/* What a pair of touches means for a changed flow. */
static enum ml_legality_kind keeps(struct ml_dependences *d, const struct schedules *s,
				   const struct ml_touch *x, const struct ml_touch *y)
{
	struct ml_buf b = { 0 };

	if (ml_touch_updates(x, y) && !x->access->rounds && !y->access->rounds)
		return ML_LEGAL;
	const struct turned *t = turned_round(d, s, x->statement->rank,
					      y->statement->rank);
	if (t->is == NONE ||
	    ml_pairs_empty(d, ml_touch_pairs(d, x, y),
			   t->pairs ? d->isl->map_copy(t->pairs) : NULL) == 1)
		return ML_LEGAL;
	if (!ml_touch_updates(x, y) && !ml_touch_exact(x, y)) {
		ml_touch_say_unknown(d, x, y);
		return ML_LEGALITY_OPEN;
	}
	ml_touch_say(&b, d->f, y);
	ml_buf_text(&b, " would come before ");
	ml_touch_say(&b, d->f, x);
	ml_buf_text(&b, ", which must come first");
	ml_buf_u8(&b, 0);
	d->why = ml_arena_strdup(&d->arena, (const char *)b.data);
	ml_buf_release(&b);
	return ml_touch_updates(x, y) ? ML_LEGAL_UPDATES : ML_ILLEGAL;
}

/* Elements that are an iteration's own in the original may be shared now. */
static void share(struct ml_dependences *d, const struct ml_flow *changed)
{
	for (size_t i = 0; i < d->touches; i++) {
		struct ml_touch *x = &d->touch[i];
		uint32_t private = ml_touch_private(d, x);
		uint32_t after = ml_private_after(d->f, changed, private);

		if (x->map)
			d->isl->map_free(x->map);
		ml_touch_read(d, x, after);
	}
}

enum ml_legality_kind ml_dependences_keep(struct ml_dependences *d,
					  const struct ml_flow *changed)
{
	/* from what is right in any case to what is wrong in any case */
	static const int weight[] = { [ML_LEGAL] = 0,
				      [ML_LEGAL_UPDATES] = 1,
				      [ML_LEGALITY_OPEN] = 2,
				      [ML_ILLEGAL] = 3 };
	struct schedules s = { .before = make_schedules(d, d->f),
			       .after = make_schedules(d, changed) };
	enum ml_legality_kind kind = ML_LEGAL;

	s.turned = ml_arena_alloc(&d->arena, (d->statements * d->statements + 1) *
						     sizeof(*s.turned));
	d->why = NULL;
	share(d, changed);
	for (uint32_t i = 0; i < d->statements && kind == ML_LEGAL; i++)
		for (uint32_t j = 0; j < d->statements && kind == ML_LEGAL; j++)
			if ((d->f->node[d->statement[i].node].unplaced ||
			     d->f->node[d->statement[j].node].unplaced) &&
			    turned_round(d, &s, i, j)->is != NONE &&
			    (ml_statement_unplaced(d, &d->statement[i]) ||
			     ml_statement_unplaced(d, &d->statement[j])))
				kind = ML_LEGALITY_OPEN;
	for (size_t i = 0; i < d->touches && kind != ML_ILLEGAL; i++)
		for (size_t j = 0; j < d->touches && kind != ML_ILLEGAL; j++) {
			const struct ml_touch *x = &d->touch[i], *y = &d->touch[j];
			const char *why = d->why;

			if (!ml_touch_conflict(d->f, x, y))
				continue;
			enum ml_legality_kind now = keeps(d, &s, x, y);
			if (weight[now] > weight[kind])
				kind = now;
			else
				d->why = why;
		}
	share(d, d->f);
	for (size_t i = 0; i < d->statements * d->statements; i++)
		if (s.turned[i].pairs)
			d->isl->map_free(s.turned[i].pairs);
	for (size_t i = 0; i < d->statements; i++) {
		if (s.before[i])
			d->isl->map_free(s.before[i]);
		if (s.after[i])
			d->isl->map_free(s.after[i]);
	}
	return kind;
}
