/* Flows: C functions and .sdfg files that are not run. */
#include <stddef.h>

#include "lib/base/json.h"
#include "lib/flow/flow.h"
#include "lib/flow/open.h"
#include "lib/query/flow/open_flow.h"
#include "lib/query/flow/route_flow.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/request.h"

static void describe(struct ml_document *d, struct ml_json *w)
{
	const struct ml_flow *f = ((struct ml_open_flow *)d)->flow;

	ml_json_key_string(w, "function", f->function);
	ml_json_key_u64(w, "nodes", f->node_count);
}

static bool nodes(struct ml_workspace *ws, const struct ml_request *q, uint64_t *count,
		  struct ml_err *err)
{
	const struct ml_open_flow *x = ml_open_flow(ws, q->number[0], err);

	*count = x ? x->flow->node_count : 0;
	return x;
}

static bool containers(struct ml_workspace *ws, const struct ml_request *q,
		       uint64_t *count, struct ml_err *err)
{
	const struct ml_open_flow *x = ml_open_flow(ws, q->number[0], err);

	*count = x ? x->flow->container_count : 0;
	return x;
}

#define ROOT ML_NUMBER_OF("root", nodes)
#define SET  ML_TEXT("set", ML_LIST_BYTES)
#define SIZES \
	ROOT, SET, ML_NUMBER_IN("line", 1, 1 << 20), \
		ML_NUMBER_IN("threshold", 0, 1 << 20), ML_TEXT("layout", ML_LIST_BYTES)

static const struct ml_route routes[] = {
	{ "GET", "/api/flows/#", ml_route_flow,
	  "a flow: containers, parameters, volumes and operations as formulas", NULL,
	  ML_NO_PARAMS },
	{ "GET", "/api/flows/#/graph", ml_route_flow_graph,
	  "its scopes and what they move: root depth set", NULL,
	  ML_PARAMS(ROOT, SET, ML_NUMBER("depth")) },
	{ "GET", "/api/flows/#/local", ml_route_flow_local,
	  "simulated at sizes: set line threshold layout root", NULL, ML_PARAMS(SIZES) },
	{ "GET", "/api/flows/#/elements", ml_route_flow_elements,
	  "elements of a container: container first cells SIZES", NULL,
	  ML_PARAMS(SIZES, ML_NUMBER_OF("container", containers), ML_NUMBER("first"),
		    ML_NUMBER("cells")) },
	{ "GET", "/api/flows/#/accesses", ml_route_flow_accesses,
	  "accesses in order: from count SIZES", NULL,
	  ML_PARAMS(SIZES, ML_NUMBER("from"), ML_NUMBER("count")) },
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
