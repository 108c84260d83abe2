#include "lib/query/flow/route_flow.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/flow/flow.h"
#include "lib/flow/layout.h"
#include "lib/flow/locality.h"
#include "lib/flow/print.h"
#include "lib/query/flow/open_flow.h"
#include "lib/query/workspace/answer.h"

/* Nodes and cells of an answer, and accesses that a page may simulate at once. */
enum { NODES = 2000, CELLS = 65536, ACCESSES = 4000000 };

bool ml_route_flow(struct ml_workspace *ws, const struct ml_request *q,
		   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_flow *x = ml_open_flow(ws, q->number[0], err);

	if (!x)
		return false;
	ml_json_object(&a->json);
	ml_flow_json(x->flow, &x->counts, &a->json);
	ml_json_key_array(&a->json, "functions");
	for (size_t i = 0; i < x->flow->function_count && i < NODES; i++)
		ml_json_string(&a->json, x->flow->function_list[i]);
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}

struct graph {
	const struct ml_open_flow *x;
	struct ml_json *w;
	const int64_t *value;
	bool valued; /* all parameters have values */
	uint64_t depth;
	size_t nodes;
	bool cut;
	uint32_t *shown; /* nodes written, whose edges follow */
};

/* A count as text, and its number where values are set. */
static void key_count(struct graph *g, const char *key, const struct ml_flow_count *c)
{
	struct ml_buf b = { 0 };
	int64_t v;

	ml_json_key_object(g->w, key);
	ml_flow_count_print(c, g->x->flow, &b);
	ml_json_key(g->w, "formula");
	if (c->kind == ML_FLOW_NO_FORM)
		ml_json_null(g->w);
	else
		ml_json_bytes(g->w, (const char *)b.data, b.size);
	if (g->valued && c->kind != ML_FLOW_NO_FORM &&
	    ml_poly_eval(c->poly, g->value, &v))
		ml_json_key_i64(g->w, "value", v);
	if (c->bounded)
		ml_json_key_bool(g->w, "bounded", true);
	ml_json_end(g->w);
	ml_buf_release(&b);
}

static void node_json(struct graph *g, uint32_t number, bool folded)
{
	static const char *const kinds[] = { "scope", "loop", "guard", "work" };
	const struct ml_flow *f = g->x->flow;
	const struct ml_flow_node *n = &f->node[number];
	struct ml_buf b = { 0 };

	ml_json_object(g->w);
	ml_json_key_u64(g->w, "number", number);
	if (n->parent != ML_FLOW_NONE)
		ml_json_key_u64(g->w, "parent", n->parent);
	ml_json_key_string(g->w, "kind", kinds[n->kind]);
	ml_json_key_string(g->w, "label", n->label);
	ml_json_key_u64(g->w, "line", n->line);
	if (n->file)
		ml_json_key_string(g->w, "file", n->file);
	ml_json_key_bool(g->w, "folded", folded);
	ml_json_key_bool(g->w, "parallel", n->parallel);
	if (n->kind == ML_FLOW_FOR) {
		ml_buf_printf(&b, "%s = ", f->names[n->symbol]);
		ml_sym_print(n->from, f->names, &b);
		ml_buf_text(&b, " to ");
		ml_sym_print(n->to, f->names, &b);
		if (n->step != 1)
			ml_buf_printf(&b, " by %" PRId64, n->step);
	} else if (n->kind == ML_FLOW_IF)
		ml_sym_print(n->condition, f->names, &b);
	if (b.size) {
		ml_json_key(g->w, "range");
		ml_json_bytes(g->w, (const char *)b.data, b.size);
	}
	key_count(g, "runs", &g->x->counts.runs[number]);
	ml_json_end(g->w);
	ml_buf_release(&b);
}

static void nodes_json(struct graph *g, uint32_t number, uint64_t depth)
{
	const struct ml_flow_node *n = &g->x->flow->node[number];

	if (g->nodes == NODES) {
		g->cut = true;
		return;
	}
	bool folded = depth == g->depth && n->first != ML_FLOW_NONE;
	g->shown[g->nodes++] = number;
	node_json(g, number, folded);
	for (uint32_t c = n->first; !folded && c != ML_FLOW_NONE;
	     c = g->x->flow->node[c].next)
		nodes_json(g, c, depth + 1);
}

/* Bytes of each container that all below a node moves. */
static void add_moves(const struct ml_open_flow *x, uint32_t number, struct ml_arena *a,
		      struct ml_flow_count (*moved)[2])
{
	const struct ml_flow_node *n = &x->flow->node[number];

	for (size_t i = 0; n->kind == ML_FLOW_WORK && i < n->access_count; i++) {
		const struct ml_flow_access *y = &n->access[i];
		const struct ml_flow_count *e = &x->counts.elements[number][i];
		struct ml_flow_count *to = &moved[y->container][y->write];
		int64_t size = y->size ? y->size
				       : x->flow->container[y->container].element;

		to->kind = e->kind > to->kind ? e->kind : to->kind;
		to->bounded |= e->bounded;
		to->poly = ml_poly_add(a, to->poly, ml_poly_scale(a, e->poly, size, 1));
		if (to->poly.bad)
			to->kind = ML_FLOW_NO_FORM;
	}
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = x->flow->node[c].next)
		add_moves(x, c, a, moved);
}

static bool moves(const struct ml_flow_count *c)
{
	return c->poly.count || c->kind == ML_FLOW_NO_FORM;
}

static void edges_json(struct graph *g, uint32_t number)
{
	const struct ml_flow *f = g->x->flow;
	struct ml_arena a = { 0 };
	struct ml_flow_count(*moved)[2] =
		ml_arena_alloc(&a, (f->container_count + 1) * sizeof(*moved));

	add_moves(g->x, number, &a, moved);
	for (size_t i = 0; i < f->container_count; i++) {
		if (!moves(&moved[i][0]) && !moves(&moved[i][1]))
			continue;
		ml_json_object(g->w);
		ml_json_key_u64(g->w, "node", number);
		ml_json_key_u64(g->w, "container", i);
		if (moves(&moved[i][0]))
			key_count(g, "read", &moved[i][0]);
		if (moves(&moved[i][1]))
			key_count(g, "written", &moved[i][1]);
		ml_json_end(g->w);
	}
	ml_arena_release(&a);
}

static bool read_root(const struct ml_open_flow *x, const struct ml_request *q,
		      uint64_t *root, struct ml_err *err)
{
	if (!ml_request_u64(q, "root", 0, root, err))
		return false;
	return *root < x->flow->node_count ||
	       ml_fail(err, ML_USAGE, "the flow has no node %" PRIu64, *root);
}

bool ml_route_flow_graph(struct ml_workspace *ws, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_flow *x = ml_open_flow(ws, q->number[0], err);
	struct graph g = { .x = x, .w = &a->json };
	uint64_t root;
	int64_t *value;
	bool *known;

	if (!x || !read_root(x, q, &root, err) ||
	    !ml_request_u64(q, "depth", 4, &g.depth, err) ||
	    !ml_flow_values(x->flow, ml_request_text(q, "set"), &a->arena, &value, &known,
			    err))
		return false;
	g.valued = true;
	for (size_t i = 0; i < x->flow->symbol_count; i++)
		g.valued &= x->flow->symbol[i].kind > ML_FLOW_TRIPS || known[i];
	ml_flow_count_atoms(x->flow, value);
	g.value = value;
	g.shown = ml_arena_alloc(&a->arena, NODES * sizeof(*g.shown));
	ml_json_object(g.w);
	ml_json_key_array(g.w, "nodes");
	nodes_json(&g, (uint32_t)root, 0);
	ml_json_end(g.w);
	ml_json_key_bool(g.w, "cut", g.cut);
	/* what folded scopes and computations move */
	ml_json_key_array(g.w, "edges");
	for (size_t i = 0; i < g.nodes; i++) {
		bool leaf = i + 1 == g.nodes ||
			    x->flow->node[g.shown[i + 1]].parent != g.shown[i];

		if (leaf)
			edges_json(&g, g.shown[i]);
	}
	ml_json_end(g.w);
	ml_json_end(g.w);
	return true;
}

/* SIZES: set, line, threshold, layout (several joined by ;), root. */
static bool simulate(struct ml_open_flow *x, const struct ml_request *q,
		     struct ml_arena *a, bool keep, struct ml_locality *l,
		     struct ml_err *err)
{
	const char *layout = ml_request_text(q, "layout");
	struct ml_flow_container *c = ml_layout_copy(a, x->flow);
	uint64_t root;
	int64_t *value;
	bool *known;

	*l = (struct ml_locality){ .walk = { .flow = x->flow,
					     .container = c,
					     .work = &q->work,
					     .max = ACCESSES },
				   .keep = keep };
	if (!read_root(x, q, &root, err) ||
	    !ml_request_u64(q, "line", 64, &l->walk.line, err) ||
	    !ml_request_u64(q, "threshold", 10, &l->threshold, err) ||
	    !ml_flow_values(x->flow, ml_request_text(q, "set"), a, &value, &known, err))
		return false;
	if (!l->walk.line || l->walk.line > 1 << 20)
		return ml_fail(err, ML_USAGE, "line must be 1 to 1048576 bytes");
	for (char *at = layout && *layout ? ml_arena_strdup(a, layout) : NULL, *next; at;
	     at = next) {
		next = strchr(at, ';');
		if (next)
			*next++ = 0;
		if (!ml_layout_apply(a, x->flow, c, at, err))
			return false;
	}
	l->walk.root = (uint32_t)root;
	l->walk.value = value;
	l->walk.known = known;
	return ml_locality_run(l, err);
}

bool ml_route_flow_local(struct ml_workspace *ws, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_flow *x = ml_open_flow(ws, q->number[0], err);
	struct ml_locality l = { 0 };

	bool ok = x && simulate(x, q, &a->arena, false, &l, err);
	if (ok) {
		ml_json_object(&a->json);
		ml_flow_json_at(&l, &a->json);
		ml_json_end(&a->json);
	}
	ml_locality_release(&l);
	return ok;
}

/* Elements of storage; the page maps indices to places by the strides. */
bool ml_route_flow_elements(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_flow *x = ml_open_flow(ws, q->number[0], err);
	struct ml_locality l = { 0 };
	uint64_t container, first, cells;

	bool ok = x && ml_request_u64(q, "container", 0, &container, err) &&
		  ml_request_u64(q, "first", 0, &first, err) &&
		  ml_request_u64(q, "cells", CELLS, &cells, err);
	if (ok && container >= x->flow->container_count)
		ok = ml_fail(err, ML_USAGE, "the flow has no container %" PRIu64,
			     container);
	ok = ok && simulate(x, q, &a->arena, true, &l, err);
	if (ok) {
		const struct ml_flow_placed *p = &l.walk.placed[container];
		uint64_t all = p->low > p->high ? 0 : (uint64_t)(p->high - p->low) + 1;
		uint64_t left = first < all ? all - first : 0;
		size_t n = (size_t)(cells < left ? cells : left);
		n = n > CELLS ? CELLS : n;
		struct ml_locality_element *e = ml_arena_alloc(&a->arena,
							       (n + 1) * sizeof(*e));
		uint32_t *column[6];

		if (n) /* otherwise low has no meaning */
			ml_locality_elements(&l, (uint32_t)container,
					     p->low + (int64_t)first, e, n);
		for (int c = 0; c < 6; c++)
			column[c] = ml_arena_alloc(&a->arena, (n + 1) * sizeof(**column));
		for (size_t i = 0; i < n; i++) {
			column[0][i] = (uint32_t)e[i].count;
			column[1][i] = (uint32_t)e[i].cold;
			column[2][i] = (uint32_t)e[i].misses;
			column[3][i] = e[i].min;
			column[4][i] = e[i].median;
			column[5][i] = e[i].max;
		}
		ml_answer_columns(a);
		ml_answer_u64(a, "elements", all);
		ml_json_key_i64(&a->json, "low", p->low > p->high ? 0 : p->low);
		ml_json_key_address(&a->json, "base", p->base);
		static const char *const names[] = { "count", "cold",   "misses",
						     "min",   "median", "max" };
		for (int c = 0; c < 6; c++)
			ml_answer_column(a, names[c], ML_TYPE_U32, column[c], n);
	}
	ml_locality_release(&l);
	return ok;
}

/* A column that outlives the simulation. */
static const void *kept(struct ml_answer *a, const void *column, size_t at, size_t n,
			size_t size)
{
	return ml_arena_copy(&a->arena, n ? (const char *)column + at * size : "",
			     n * size);
}

bool ml_route_flow_accesses(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_flow *x = ml_open_flow(ws, q->number[0], err);
	struct ml_locality l = { 0 };
	uint64_t from, count;

	bool ok = x && ml_request_u64(q, "from", 0, &from, err) &&
		  ml_request_u64(q, "count", CELLS, &count, err) &&
		  simulate(x, q, &a->arena, true, &l, err);
	if (ok) {
		uint64_t left = from < l.kept ? l.kept - from : 0;
		size_t n = (size_t)(count < left ? count : left);
		n = n > CELLS ? CELLS : n;
		size_t at = n ? (size_t)from : 0;

		ml_answer_columns(a);
		ml_answer_u64(a, "accesses", l.kept);
		ml_answer_column(a, "container", ML_TYPE_U32, kept(a, l.of, at, n, 4), n);
		ml_answer_column(a, "access", ML_TYPE_U32, kept(a, l.access, at, n, 4),
				 n);
		ml_answer_column(a, "distance", ML_TYPE_U32,
				 kept(a, l.distance, at, n, 4), n);
		ml_answer_column(a, "computation", ML_TYPE_U64,
				 kept(a, l.instance, at, n, 8), n);
		int64_t *place = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*place));
		for (size_t i = 0; i < n; i++) {
			uint32_t c = l.of[at + i];
			int64_t bytes = (int64_t)(l.addr[at + i] - l.walk.placed[c].base);

			place[i] = bytes / (int64_t)x->flow->container[c].element;
		}
		ml_answer_column(a, "place", ML_TYPE_I64, place, n);
	}
	ml_locality_release(&l);
	return ok;
}
