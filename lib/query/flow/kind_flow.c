/* Flows: C functions and .sdfg files that are not run. */
#include <stddef.h>

#include "lib/base/json.h"
#include "lib/flow/flow.h"
#include "lib/flow/read/open.h"
#include "lib/query/flow/open_flow.h"
#include "lib/query/flow/route_flow.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/flow/tell_flow.h"
#include "lib/query/workspace/request.h"

static void describe(struct ml_document *d, struct ml_json *w)
{
	const struct ml_flow *f = ((struct ml_open_flow *)d)->functions->flow;

	ml_json_key_string(w, "function", f->function);
	ml_json_key_u64(w, "nodes", f->node_count);
}

static bool nodes(struct ml_workspace *ws, const struct ml_request *q, uint64_t *count,
		  struct ml_err *err)
{
	const struct ml_open_function *x = ml_open_function(ws, q, err);

	*count = x ? x->flow->node_count : 0;
	return x;
}

static bool containers(struct ml_workspace *ws, const struct ml_request *q,
		       uint64_t *count, struct ml_err *err)
{
	const struct ml_open_function *x = ml_open_function(ws, q, err);

	*count = x ? x->flow->container_count : 0;
	return x;
}

#define FUNCTION ML_TEXT("function", ML_NAME_BYTES)
#define AT       ML_TEXT("at", ML_LIST_BYTES)
#define SIZES \
	FUNCTION, ML_NUMBER_OF("root", nodes), ML_TEXT("set", ML_LIST_BYTES), \
		ML_NUMBER_IN("others", 0, UINT64_C(1) << 40), \
		ML_NUMBER_IN("line", 1, 1 << 20), ML_NUMBER_IN("threshold", 0, 1 << 20), \
		ML_TEXT("layout", ML_LIST_BYTES), ML_TEXT("order", ML_LIST_BYTES), \
		ML_TEXT("tile", ML_LIST_BYTES), ML_TEXT("machine", ML_LIST_BYTES)

static const struct ml_route routes[] = {
	{ "GET", "/api/flows/#", ml_route_flow,
	  "a flow: containers, parameters, volumes, operations and depth as formulas",
	  NULL, ML_PARAMS(FUNCTION) },
	{ "GET", "/api/flows/#/nodes", ml_route_flow_nodes,
	  "all its scopes and computations", NULL, ML_PARAMS(FUNCTION) },
	{ "GET", "/api/flows/#/graph", ml_route_flow_graph,
	  "its scopes and what they move, with formulas", NULL,
	  ML_PARAMS(SIZES, ML_NUMBER("depth")) },
	{ "GET", "/api/flows/#/metrics", ml_route_flow_metrics,
	  "numbers of all nodes and edges", NULL,
	  ML_PARAMS(SIZES, ML_NUMBER_IN("simulate", 0, 1)) },
	{ "GET", "/api/flows/#/curve", ml_route_flow_curve, "a node against a parameter",
	  NULL,
	  ML_PARAMS(SIZES, ML_NUMBER_IN("simulate", 0, 1),
		    ML_TEXT("parameter", ML_NAME_BYTES), ML_NUMBER("from"),
		    ML_NUMBER("to"), ML_NUMBER("points")) },
	{ "GET", "/api/flows/#/suggest", ml_route_flow_suggest,
	  "sizes that are small enough to look at", NULL,
	  ML_PARAMS(SIZES, ML_NUMBER("elements"), ML_NUMBER("accesses")) },
	{ "GET", "/api/flows/#/source", ml_route_flow_source, "a source file", NULL,
	  ML_PARAMS(FUNCTION, ML_TEXT("file", ML_LIST_BYTES)) },
	{ "GET", "/api/flows/#/listing", ml_route_flow_listing,
	  "its loops and computations as text, a line each", NULL, ML_PARAMS(FUNCTION) },
	{ "GET", "/api/flows/#/local", ml_route_flow_local, "simulated at sizes", NULL,
	  ML_PARAMS(SIZES) },
	{ "GET", "/api/flows/#/elements", ml_route_flow_elements,
	  "elements of containers", NULL,
	  ML_PARAMS(SIZES, ML_NUMBER_OF("container", containers), ML_NUMBER("first"),
		    ML_NUMBER("cells")) },
	{ "GET", "/api/flows/#/accesses", ml_route_flow_accesses, "accesses in order",
	  NULL, ML_PARAMS(SIZES, ML_NUMBER("from"), ML_NUMBER("count")) },
	{ "GET", "/api/flows/#/related", ml_route_flow_related,
	  "elements accessed together with chosen ones", NULL, ML_PARAMS(SIZES, AT) },
	{ "GET", "/api/flows/#/step", ml_route_flow_step, "an execution of a computation",
	  NULL,
	  ML_PARAMS(SIZES, ML_NUMBER("step"), ML_NUMBER_OF("node", nodes),
		    ML_NUMBER("trail"), ML_TEXT("loops", ML_LIST_BYTES)) },
	{ "GET", "/api/flows/#/distances", ml_route_flow_distances,
	  "stack distances of an element", NULL, ML_PARAMS(SIZES, AT) },
	{ "GET", "/api/flows/#/legality", ml_route_flow_legality,
	  "whether loops may run in another order", NULL, ML_PARAMS(SIZES) },
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
	.info = ml_flow_info,
	.report = ml_flow_report,
	.diff = ml_flow_diff,
	.takes = (const char *const[]){ NULL },
};
