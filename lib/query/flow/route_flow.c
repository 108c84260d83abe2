#include "lib/query/flow/route_flow.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/flow/flow.h"
#include "lib/flow/run/print.h"
#include "lib/query/flow/metrics.h"
#include "lib/query/flow/open_flow.h"
#include "lib/query/flow/sizes.h"
#include "lib/query/workspace/answer.h"

/* Nodes of an answer with and without formulas, points of a curve. */
enum { NODES = 2000, ALL_NODES = 50000, POINTS = 1000 };
/* Accesses that the points of a curve simulate together: half a second. */
enum { CURVE_ACCESSES = 5000000 };

bool ml_route_flow(struct ml_workspace *ws, const struct ml_request *q,
		   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_function *x = ml_open_function(ws, q, err);

	if (!x)
		return false;
	ml_json_object(&a->json);
	ml_flow_json(x->flow, &x->counts, &a->json);
	ml_flow_span_json(&x->span, x->flow, &x->counts, &a->json);
	if (x->span.missing)
		ml_json_key_string(&a->json, "span_missing", x->span.missing);
	ml_json_key_array(&a->json, "trips");
	for (size_t i = 0; i < x->flow->symbol_count; i++)
		if (x->flow->symbol[i].kind == ML_FLOW_TRIPS)
			ml_json_string(&a->json, x->flow->names[i]);
	ml_json_end(&a->json);
	ml_json_key_array(&a->json, "functions");
	for (size_t i = 0; i < x->flow->function_count && i < NODES; i++)
		ml_json_string(&a->json, x->flow->function_list[i]);
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}

struct graph {
	const struct ml_open_function *x;
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

/* What a node is, without its counts. */
static void node_keys(struct graph *g, uint32_t number)
{
	static const char *const kinds[] = { "scope", "loop", "guard", "work" };
	const struct ml_flow *f = g->x->flow;
	const struct ml_flow_node *n = &f->node[number];
	struct ml_buf b = { 0 };

	ml_json_key_u64(g->w, "number", number);
	if (n->parent != ML_FLOW_NONE)
		ml_json_key_u64(g->w, "parent", n->parent);
	ml_json_key_string(g->w, "kind", kinds[n->kind]);
	ml_json_key_string(g->w, "label", n->label);
	ml_json_key_u64(g->w, "line", n->line);
	if (n->file)
		ml_json_key_string(g->w, "file", n->file);
	ml_json_key_bool(g->w, "parallel", n->parallel);
	if (n->kind == ML_FLOW_FOR) {
		ml_json_key_string(g->w, "variable", f->names[n->symbol]);
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
	ml_buf_release(&b);
}

static void node_json(struct graph *g, uint32_t number, bool folded)
{
	ml_json_object(g->w);
	node_keys(g, number);
	ml_json_key_bool(g->w, "folded", folded);
	key_count(g, "runs", &g->x->counts.runs[number]);
	ml_json_end(g->w);
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
static void add_moves(const struct ml_open_function *x, uint32_t number,
		      struct ml_arena *a, struct ml_flow_count (*moved)[2])
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

bool ml_route_flow_graph(struct ml_workspace *ws, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_function *x = ml_open_function(ws, q, err);
	struct graph g = { .x = x, .w = &a->json };
	struct ml_flow_sizes z;
	uint32_t root;

	if (!x || !ml_flow_root(x->flow, q, &root, err) ||
	    !ml_request_u64(q, "depth", 4, &g.depth, err) ||
	    !ml_flow_sizes_read(&z, x->flow, q, &a->arena, err))
		return false;
	g.valued = z.all;
	g.value = z.value;
	g.shown = ml_arena_alloc(&a->arena, NODES * sizeof(*g.shown));
	ml_json_object(g.w);
	ml_json_key_array(g.w, "nodes");
	nodes_json(&g, root, 0);
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

bool ml_route_flow_nodes(struct ml_workspace *ws, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_function *x = ml_open_function(ws, q, err);

	if (!x)
		return false;
	struct graph g = { .x = x, .w = &a->json };
	size_t n = x->flow->node_count;
	ml_json_object(g.w);
	ml_json_key_array(g.w, "nodes");
	for (size_t i = 0; i < n && i < ALL_NODES; i++) {
		ml_json_object(g.w);
		node_keys(&g, (uint32_t)i);
		ml_json_end(g.w);
	}
	ml_json_end(g.w);
	ml_json_key_bool(g.w, "cut", n > ALL_NODES);
	ml_json_end(g.w);
	return true;
}

/* Misses, if the request asks for them and the sizes are small enough to simulate. */
static struct ml_simulated *simulated(struct ml_open_function *x,
				      const struct ml_request *q, struct ml_answer *a)
{
	const char *wanted = ml_request_text(q, "simulate");
	struct ml_err why = { 0 };

	if (!wanted || strcmp(wanted, "1") != 0)
		return NULL;
	struct ml_simulated *s = ml_simulated_get(&x->simulations, x->flow, q, &why);
	if (!s)
		ml_answer_string(a, "unsimulated", why.text);
	return s;
}

static void put(struct ml_answer *a, const char *name, const double *column, size_t n)
{
	ml_answer_column(a, name, ML_TYPE_F64, column, n);
}

bool ml_route_flow_metrics(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_function *x = ml_open_function(ws, q, err);
	struct ml_flow_metrics m;
	struct ml_flow_sizes z;
	uint64_t threshold;

	if (!x || !ml_request_u64(q, "threshold", 10, &threshold, err) ||
	    !ml_flow_sizes_read(&z, x->flow, q, &a->arena, err))
		return false;
	ml_answer_columns(a);
	struct ml_simulated *s = simulated(x, q, a);
	ml_flow_metrics_make(&m, x->flow, &x->counts, 0, &z, s, threshold, &a->arena);
	ml_simulated_put(&x->simulations, s);
	put(a, "runs", m.runs, m.nodes);
	put(a, "operations", m.operations, m.nodes);
	put(a, "bytes", m.bytes, m.nodes);
	put(a, "footprint", m.footprint, m.nodes);
	put(a, "cold", m.cold, m.nodes);
	put(a, "misses", m.misses, m.nodes);
	ml_answer_column(a, "node", ML_TYPE_U32, m.node, m.edges);
	ml_answer_column(a, "container", ML_TYPE_U32, m.container, m.edges);
	ml_answer_column(a, "how", ML_TYPE_U8, m.how, m.edges);
	put(a, "read", m.read, m.edges);
	put(a, "written", m.written, m.edges);
	put(a, "edge_footprint", m.edge_footprint, m.edges);
	put(a, "edge_cold", m.edge_cold, m.edges);
	put(a, "edge_misses", m.edge_misses, m.edges);
	return true;
}

/* The parameter that a request names. */
static bool read_parameter(const struct ml_flow *f, const struct ml_request *q,
			   uint32_t *symbol, struct ml_err *err)
{
	const char *name = ml_request_text(q, "parameter");

	*symbol = name ? ml_flow_find_symbol(f, name) : UINT32_MAX;
	return (*symbol != UINT32_MAX && f->symbol[*symbol].kind <= ML_FLOW_TRIPS) ||
	       ml_fail(err, ML_USAGE, "the flow has no parameter '%s'", name ? name : "");
}

/* The columns of a curve, a row for each value of the parameter. */
enum { VALUE, RUNS, OPERATIONS, BYTES, FOOTPRINT, COLD, MISSES, CURVES };

struct curve {
	const struct ml_open_function *x;
	const struct ml_request *q;
	struct ml_flow_sizes z;
	uint32_t root, symbol;
	bool simulates;
	uint64_t threshold;
	uint64_t room; /* accesses that may still be simulated */
};

/* Sizes that are too large to simulate have no misses: they are not known. */
static void curve_row(struct curve *k, uint64_t v, double row[CURVES])
{
	struct ml_arena scratch = { 0 };
	struct ml_simulated *s = NULL;
	struct ml_flow_metrics m;
	struct ml_err why;

	k->z.value[k->symbol] = (int64_t)v;
	k->z.known[k->symbol] = true;
	ml_flow_sizes_changed(&k->z, k->x->flow);
	if (k->simulates)
		s = ml_simulated_once(k->x->flow, &k->z, k->room, k->q, &why);
	k->room -= s ? s->l->kept : k->room;
	ml_flow_metrics_make(&m, k->x->flow, &k->x->counts, k->root, &k->z, s,
			     k->threshold, &scratch);
	row[VALUE] = (double)v;
	row[RUNS] = m.runs[k->root];
	row[OPERATIONS] = m.operations[k->root];
	row[BYTES] = m.bytes[k->root];
	row[FOOTPRINT] = m.footprint[k->root];
	row[COLD] = s ? m.cold[k->root] : NAN;
	row[MISSES] = s ? m.misses[k->root] : NAN;
	ml_simulated_free(s);
	ml_arena_release(&scratch);
}

/* Metrics of a node against a parameter, at `points` values from..to, evenly spread. */
bool ml_route_flow_curve(struct ml_workspace *ws, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err)
{
	static const char *const names[CURVES] = { "value", "runs",      "operations",
						   "bytes", "footprint", "cold",
						   "misses" };
	struct curve k = { .x = ml_open_function(ws, q, err),
			   .q = q,
			   .room = CURVE_ACCESSES };
	uint64_t from, to, points, simulates;

	if (!k.x || !ml_flow_root(k.x->flow, q, &k.root, err) ||
	    !ml_request_u64(q, "from", 1, &from, err) ||
	    !ml_request_u64(q, "to", 1000, &to, err) ||
	    !ml_request_u64(q, "points", 50, &points, err) ||
	    !ml_request_u64(q, "simulate", 0, &simulates, err) ||
	    !ml_request_u64(q, "threshold", 10, &k.threshold, err) ||
	    !read_parameter(k.x->flow, q, &k.symbol, err) ||
	    !ml_flow_sizes_read(&k.z, k.x->flow, q, &a->arena, err))
		return false;
	if (from > to || to > (uint64_t)1 << 40)
		return ml_fail(err, ML_USAGE,
			       "the curve goes from a size to a larger one");
	k.simulates = simulates != 0;
	uint64_t room = to - from + 1;
	points = points > POINTS ? POINTS : points;
	size_t n = (size_t)(points > room ? room : points);
	double *column[CURVES];
	for (int c = 0; c < CURVES; c++)
		column[c] = ml_arena_alloc(&a->arena, (n + 1) * sizeof(double));
	for (size_t i = 0; i < n; i++) {
		double row[CURVES];

		if (!ml_work_goes_on(&q->work, err))
			return false;
		curve_row(&k, n < 2 ? from : from + (room - 1) * i / (n - 1), row);
		for (int c = 0; c < CURVES; c++)
			column[c][i] = row[c];
	}
	ml_answer_columns(a);
	for (int c = 0; c < CURVES; c++)
		put(a, names[c], column[c], n);
	return true;
}

/* Elements that the flow touches and accesses that it makes; what is not known is 0. */
static void totals(const struct ml_open_function *x, const struct ml_flow_sizes *z,
		   double *elements, double *accesses)
{
	struct ml_arena scratch = { 0 };
	struct ml_flow_metrics m;

	ml_flow_metrics_make(&m, x->flow, &x->counts, 0, z, NULL, 0, &scratch);
	*elements = *accesses = 0;
	for (size_t i = 0; i < m.edges; i++) {
		const struct ml_flow_container *c = &x->flow->container[m.container[i]];
		double e = m.edge_footprint[i], n = m.read[i] + m.written[i];

		if (m.node[i] || c->scalar)
			continue;
		*elements += e == e ? e / c->element : 0;
		*accesses += n == n ? n / c->element : 0;
	}
	ml_arena_release(&scratch);
}

/*
 * Sizes to look at element by element: those of `set` divided by the least power of two
 * that leaves at most `elements` elements and `accesses` accesses. One factor for all
 * keeps their proportions.
 */
bool ml_route_flow_suggest(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_function *x = ml_open_function(ws, q, err);
	struct ml_flow_sizes z, small;
	uint64_t max[2];

	if (!x)
		return false;
	/* a program with many containers may have more: each is as small */
	uint64_t arrays = 0;
	for (size_t i = 0; i < x->flow->container_count; i++)
		arrays += !x->flow->container[i].scalar;
	if (!ml_request_u64(q, "elements", arrays < 4 ? 1500 : 450 * arrays, &max[0],
			    err) ||
	    !ml_request_u64(q, "accesses", 40000, &max[1], err) ||
	    !ml_flow_sizes_read(&z, x->flow, q, &a->arena, err) ||
	    !ml_flow_sizes_read(&small, x->flow, q, &a->arena, err))
		return false;
	int64_t factor = 1;
	for (;; factor *= 2) {
		bool smallest = true;
		double elements, accesses;

		for (size_t i = 0; i < x->flow->symbol_count; i++) {
			if (x->flow->symbol[i].kind > ML_FLOW_TRIPS || !z.known[i])
				continue;
			small.value[i] = (z.value[i] + factor - 1) / factor;
			smallest &= small.value[i] <= 2;
		}
		ml_flow_sizes_changed(&small, x->flow);
		totals(x, &small, &elements, &accesses);
		if (smallest ||
		    (elements <= (double)max[0] && accesses <= (double)max[1]))
			break;
	}
	ml_json_object(&a->json);
	ml_json_key_i64(&a->json, "factor", factor);
	ml_json_key_object(&a->json, "set");
	for (size_t i = 0; i < x->flow->symbol_count; i++)
		if (x->flow->symbol[i].kind <= ML_FLOW_TRIPS && z.known[i])
			ml_json_key_i64(&a->json, x->flow->names[i], small.value[i]);
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}

/* The text of the opened C file, or of a file that a node names. */
