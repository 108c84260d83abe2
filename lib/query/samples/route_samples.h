/* The routes of sample tables; docs/api.md. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_samples, ml_route_samples_table, ml_route_samples_histogram,
	ml_route_samples_pairs, ml_route_samples_topology, ml_route_samples_select;
