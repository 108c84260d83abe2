/* Views: arrays that show the storage of another one. */
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/sdfg_state_parts.h"

/* The edge between a view and what it is a view of. */
static bool views(const struct ml_sdfg_edge *e)
{
	return e->memlet && (!strcmp(e->to, "views") || !strcmp(e->from, "views"));
}

bool ml_sdfg_is_view(struct ml_sdfg_dataflow *s, size_t node)
{
	struct ml_sdfg_array *a = ml_sdfg_is(s, node, "AccessNode")
					  ? ml_sdfg_find(s->r, ml_sdfg_data(s, node))
					  : NULL;

	return a && a->view;
}

/* Without connectors: the only edge from or to an array. */
static const struct ml_sdfg_edge *viewed_edge(struct ml_sdfg_dataflow *s, size_t node)
{
	const struct ml_sdfg_edge *only = NULL;

	for (size_t i = 0; i < s->edge_count; i++) {
		const struct ml_sdfg_edge *e = &s->edge[i];
		bool in = e->dst == node, out = e->src == node;

		if ((!in && !out) || !e->memlet)
			continue;
		if (views(e) && (in ? !strcmp(e->to, "views") : true))
			return e;
		size_t end = ml_sdfg_path_end(s, e, in);
		if (ml_sdfg_is(s, end, "AccessNode") && !only)
			only = e;
	}
	return only;
}

/* Where a view begins: the first element of the subset that it shows. */
void ml_sdfg_place_view(struct ml_sdfg_dataflow *s, size_t node)
{
	const struct ml_sdfg_edge *e = viewed_edge(s, node);
	struct ml_sdfg_array *me = ml_sdfg_find(s->r, ml_sdfg_data(s, node)), *of;
	struct ml_arena *a = &s->r->f->arena;
	struct ml_sdfg_subset x;

	if (!e)
		return;
	size_t end = e->dst == node ? ml_sdfg_path_end(s, e, true)
				    : ml_sdfg_path_end(s, e, false);
	of = ml_sdfg_find(s->r, ml_sdfg_data(s, end));
	if (!of || of == me || of->container == me->container)
		return;
	struct ml_flow_container *c = &s->r->f->container[me->container];
	const struct ml_flow_container *base = &s->r->f->container[of->container];
	bool mine = !strcmp(e->data, of->name);
	json_t *subset = json_object_get(e->memlet, mine ? "subset" : "other_subset");
	ml_sdfg_subset(s->r, subset, &x);
	const struct ml_sym *at = of->mapped ? ml_sym_const(a, 0) : of->base;
	for (uint32_t d = 0; !x.bad && d < x.dims && d < of->dims; d++)
		at = ml_sym_make(
			a, ML_SYM_ADD, at,
			ml_sym_make(a, ML_SYM_MUL, x.range[d].from, of->stride[d]));
	for (uint32_t d = 0; of->mapped && d < base->dims; d++)
		at = ml_sym_make(
			a, ML_SYM_ADD, at,
			ml_sym_make(a, ML_SYM_MUL, of->first[d], base->stride[d]));
	if (!subset || json_is_null(subset)) /* all of it */
		at = ml_sym_const(a, 0);
	else if (x.bad || of->lost)
		at = NULL;
	at = at ? ml_sym_make(a, ML_SYM_MUL, at, ml_sym_const(a, base->element)) : NULL;
	if (!at || (c->view_of &&
		    (c->view_of != of->container + 1 || !ml_sym_equal(c->view_at, at)))) {
		ml_flow_add_note(
			s->r->f,
			"'%s' is a view of several places, or of one that depends "
			"on data; it is taken as an array of its own",
			me->name);
		c->view_of = 0;
		return;
	}
	c->view_of = of->container + 1;
	c->view_at = at;
}

/* Whether an edge only shows storage under another name: nothing moves. */
bool ml_sdfg_shows(struct ml_sdfg_dataflow *s, const struct ml_sdfg_edge *e)
{
	return (ml_sdfg_is_view(s, e->src) && viewed_edge(s, e->src) == e) ||
	       (ml_sdfg_is_view(s, e->dst) && viewed_edge(s, e->dst) == e);
}
