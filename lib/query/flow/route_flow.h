/* Routes about flows: formulas, the graph of the global view, and the simulation of the
 * local view. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_flow, ml_route_flow_graph, ml_route_flow_local,
	ml_route_flow_elements, ml_route_flow_accesses;
