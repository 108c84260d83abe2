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
	const struct ml_flow *f = ((struct ml_open_flow *)d)->flow;

	ml_json_key_string(w, "function", f->function);
	ml_json_key_u64(w, "nodes", f->node_count);
}

static const struct ml_route routes[] = {
	{ "GET", "/api/flows/#", ml_route_flow,
	  "a flow: containers, parameters, volumes and operations as formulas", NULL },
	{ "GET", "/api/flows/#/graph", ml_route_flow_graph,
	  "its scopes and what they move: root depth set", NULL },
	{ "GET", "/api/flows/#/local", ml_route_flow_local,
	  "simulated at sizes: set line threshold layout root", NULL },
	{ "GET", "/api/flows/#/elements", ml_route_flow_elements,
	  "elements of a container: container first cells SIZES", NULL },
	{ "GET", "/api/flows/#/accesses", ml_route_flow_accesses,
	  "accesses in order: from count SIZES", NULL },
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
	.no_views = "the page has no views of data movement yet; memlamp flow prints it",
};
