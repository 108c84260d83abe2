/* Routes about flows: formulas, the graph of the global view and its numbers
 * (route_flow.c), its text (route_flow_source.c), the simulation of the local view
 * (route_flow_local.c) and its steps (route_flow_step.c). */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_flow, ml_route_flow_nodes, ml_route_flow_graph,
	ml_route_flow_metrics, ml_route_flow_curve, ml_route_flow_suggest,
	ml_route_flow_source, ml_route_flow_listing;
ml_route_fn ml_route_flow_local, ml_route_flow_elements, ml_route_flow_accesses,
	ml_route_flow_related, ml_route_flow_step, ml_route_flow_distances,
	ml_route_flow_legality;
