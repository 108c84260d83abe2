/* Flows: C functions and .sdfg files that are not run. */
#include <stddef.h>

#include "lib/base/json.h"
#include "lib/flow/flow.h"
#include "lib/flow/open.h"
#include "lib/query/flow/open_flow.h"
#include "lib/query/flow/route_flow.h"
#include "lib/query/kinds/kinds.h"

static void describe(struct ml_document *d, struct ml_json *w)
{
	const struct ml_flow *f = ((struct ml_open_flow *)d)->functions->flow;

	ml_json_key_string(w, "function", f->function);
	ml_json_key_u64(w, "nodes", f->node_count);
}

static const struct ml_route routes[] = {
	{ "GET", "/api/flows/#", ml_route_flow,
	  "a flow: containers, parameters, volumes and operations as formulas", NULL },
	{ "GET", "/api/flows/#/nodes", ml_route_flow_nodes,
	  "all its scopes and computations", NULL },
	{ "GET", "/api/flows/#/graph", ml_route_flow_graph,
	  "its scopes and what they move, with formulas: root depth set", NULL },
	{ "GET", "/api/flows/#/metrics", ml_route_flow_metrics,
	  "numbers of all nodes and edges: simulate SIZES", NULL },
	{ "GET", "/api/flows/#/curve", ml_route_flow_curve,
	  "a node against a parameter: parameter from to points root set", NULL },
	{ "GET", "/api/flows/#/suggest", ml_route_flow_suggest,
	  "sizes that are small enough to look at: set elements accesses", NULL },
	{ "GET", "/api/flows/#/source", ml_route_flow_source, "a source file: file",
	  NULL },
	{ "GET", "/api/flows/#/local", ml_route_flow_local,
	  "simulated at SIZES: set line threshold layout root", NULL },
	{ "GET", "/api/flows/#/elements", ml_route_flow_elements,
	  "elements of containers: container first cells SIZES", NULL },
	{ "GET", "/api/flows/#/accesses", ml_route_flow_accesses,
	  "accesses in order: from count SIZES", NULL },
	{ "GET", "/api/flows/#/related", ml_route_flow_related,
	  "elements accessed together with chosen ones: at SIZES", NULL },
	{ "GET", "/api/flows/#/step", ml_route_flow_step,
	  "an execution of a computation: step, or node and loops; trail SIZES", NULL },
	{ "GET", "/api/flows/#/distances", ml_route_flow_distances,
	  "stack distances of an element: at SIZES", NULL },
	{ "GET", "/api/flows/#/legality", ml_route_flow_legality,
	  "whether loops may run in another order: order tile set others", NULL },
	{ 0 },
};

const struct ml_document_kind ml_kind_flow = {
	.name = "flow",
	.what = "a C file or an .sdfg of DaCe, not run",
	.suffixes = (const char *const[]){ ".c", ".sdfg", ".sdfgz", NULL },
	.is_mine = ml_flow_is,
	.open = ml_open_flow_open,
	.close = ml_open_flow_close,
	.describe = describe,
	.routes = routes,
};
