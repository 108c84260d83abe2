/* Copies from one array to another, element by element. */
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/sdfg_state_parts.h"

/* Loops over the elements of a subset; index[d] is the place in dimension d. */
static void copy_loops(struct ml_sdfg_dataflow *s, struct ml_sdfg_subset *x,
		       const struct ml_sym **shift)
{
	struct ml_arena *a = &s->r->f->arena;

	for (uint32_t d = 0; d < x->dims; d++) {
		const struct ml_sym *n = ml_sym_sub(a, x->range[d].to, x->range[d].from);

		if (!ml_sym_is(x->range[d].step, 1))
			n = ml_sym_make(a, ML_SYM_FLOOR, n, x->range[d].step);
		if (ml_sym_is(n, 0)) {
			shift[d] = ml_sym_const(a, 0);
			continue;
		}
		uint32_t loop = ml_sdfg_loop(s->r, "copy", "copy", ml_sym_const(a, 0), n,
					     1);
		s->r->f->node[loop].parallel = true;
		s->r->parent = loop;
		shift[d] = ml_sym_symbol(a, s->r->f->node[loop].symbol);
	}
}

/* One element of a subset, shifted: dimensions of size 1 take no shift. */
static void shifted(struct ml_arena *a, struct ml_sdfg_subset *x,
		    const struct ml_sym *const *shift, uint32_t dims)
{
	uint32_t at = 0;

	for (uint32_t d = 0; d < x->dims; d++) {
		struct ml_flow_range *g = &x->range[d];
		bool one = ml_sym_equal(g->from, g->to);

		if (!one) {
			while (at < dims && ml_sym_is(shift[at], 0))
				at++;
			if (at == dims) {
				x->bad = true;
				return;
			}
			g->from = ml_sym_make(
				a, ML_SYM_ADD, g->from,
				ml_sym_make(a, ML_SYM_MUL, shift[at++], g->step));
		}
		g->to = g->from;
	}
	x->single = true;
}

static void whole(struct ml_arena *a, const struct ml_sdfg_array *of,
		  struct ml_sdfg_subset *out)
{
	*out = (struct ml_sdfg_subset){ .dims = of->dims };
	for (uint32_t d = 0; d < of->dims; d++)
		out->range[d] =
			(struct ml_flow_range){ ml_sym_const(a, 0),
						ml_sym_add_const(a, of->shape[d], -1),
						ml_sym_const(a, 1) };
}

static void copy(struct ml_sdfg_dataflow *s, const struct ml_sdfg_edge *e)
{
	const char *from = ml_sdfg_data(s, ml_sdfg_path_end(s, e, true)),
		   *to = ml_sdfg_data(s, ml_sdfg_path_end(s, e, false));
	struct ml_sdfg_array *src = ml_sdfg_find(s->r, from),
			     *dst = ml_sdfg_find(s->r, to);
	struct ml_arena *a = &s->r->f->arena;
	struct ml_sdfg_subset read, written;
	const struct ml_sym *shift[ML_FLOW_DIMS];
	uint32_t parent = s->r->parent;

	if (!src || !dst || !e->memlet)
		return;
	bool names_src = !strcmp(e->data, from);
	json_t *sub = json_object_get(e->memlet, "subset"),
	       *other = json_object_get(e->memlet, "other_subset");
	struct ml_sdfg_subset *mine = names_src ? &read : &written,
			      *its = names_src ? &written : &read;
	ml_sdfg_subset(s->r, sub, mine);
	if (other && !json_is_null(other))
		ml_sdfg_subset(s->r, other, its);
	else
		whole(a, names_src ? dst : src, its);
	bool dynamic = json_is_true(json_object_get(e->memlet, "dynamic"));
	copy_loops(s, mine, shift);
	uint32_t dims = mine->dims;
	shifted(a, its, shift, dims);
	shifted(a, mine, shift, dims);
	uint32_t work = ml_flow_add_node(s->r->f, s->r->parent, ML_FLOW_WORK,
					 ml_arena_printf(a, "copy %s to %s", from, to));
	ml_sdfg_access(s->r, work, src, &read, false, dynamic);
	ml_sdfg_access(s->r, work, dst, &written, true, dynamic);
	s->r->parent = parent;
}

void ml_sdfg_copies_from(struct ml_sdfg_dataflow *s, size_t node)
{
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct ml_sdfg_edge *e = &s->edge[i];

		if (e->src != node || !e->memlet || ml_sdfg_shows(s, e))
			continue;
		size_t end = ml_sdfg_path_end(s, e, false);
		/* to another array, here or outside of the map */
		if (ml_sdfg_is(s, end, "AccessNode") &&
		    !ml_sdfg_is(s, e->dst, "MapEntry"))
			copy(s, e);
	}
}

void ml_sdfg_copies_into(struct ml_sdfg_dataflow *s, size_t node)
{
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct ml_sdfg_edge *e = &s->edge[i];

		if (e->dst == node && e->memlet && !ml_sdfg_shows(s, e) &&
		    ml_sdfg_is(s, e->src, "MapEntry"))
			copy(s, e);
	}
}
